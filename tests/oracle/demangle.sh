#!/bin/sh
# demangle.sh DUMP_NAMES FILE... - compares heft's full names of every symbol of some files, and of the lists in
# tests/fixtures/names/ (of Rust's and D's standard libraries), with llvm-cxxfilt (C++) and c++filt (Rust, D), and
# prints the first differing lines of each scheme.
# Names of Microsoft's scheme, as clang makes them of tests/fixtures/decorated.cc, are held against llvm-undname; it calls
# an anonymous namespace otherwise, gets the scopes of one that is named twice wrong, and cannot read __int128.
# Then checks the short ones: not empty, one line, nothing between the "<" and ">" or "(" and
# ")" of a C++ name but what belongs there.
#
# Known differences, taken out here: c++filt shows the hashes of crates and the types of
# constants; names llvm-cxxfilt cannot read are left out (heft then asks libiberty); suffixes are
# cut off.  Passes if at most one name in 1000 of a scheme differs, at most one in 100 stays raw (of D, a name whose
# references would be followed too often), and every short name is sound.
set -u
LC_ALL=C
export LC_ALL
dump=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/lib/test.sh
. "$here/../lib/test.sh"
llvm=llvm-cxxfilt-19 gnu=c++filt
need "$llvm" llvm-19 "$gnu" binutils nm binutils
scratch

# Not every file has a symbol table of both kinds.
{
	cat "$here"/../fixtures/names/*.txt
	for file in "$@"; do
		nm "$file" 2> /dev/null
		nm -D "$file" 2> /dev/null
	done | awk '{ print $NF }'
} | sed 's/[.@].*//' | sort -u > "$tmp/names"
grep -E '^_ZN.*17h[0-9a-f]{16}E$' "$tmp/names" > "$tmp/legacy.raw"
grep '^_Z' "$tmp/names" | grep -vE '17h[0-9a-f]{16}E$' > "$tmp/cxx.raw"
grep '^_R' "$tmp/names" > "$tmp/v0.raw"
grep '^_D[0-9]' "$tmp/names" > "$tmp/d.raw"

"$llvm" < "$tmp/cxx.raw" > "$tmp/cxx.want"
"$gnu" --format=rust < "$tmp/legacy.raw" | sed 's/::h[0-9a-f]\{16\}$//' > "$tmp/legacy.want"
"$gnu" --format=rust < "$tmp/v0.raw" | sed -E '
	s/([A-Za-z0-9_])\[[0-9a-f]+\]/\1/g
	s/(-?[0-9]+|0x[0-9a-f]+|true|false|'"'[^']*'"'): ([ui](8|16|32|64|128|size)|bool|char)/\1/g' \
	> "$tmp/v0.want"
"$gnu" --format=dlang < "$tmp/d.raw" > "$tmp/d.want"

: > "$tmp/microsoft.raw"
: > "$tmp/microsoft.want"
if has llvm-undname-19 llvm-19 "names of Microsoft's scheme" && has clang++-19 clang-19 "names of Microsoft's scheme"; then
	for target in x86_64:0 i686:1; do
		must clang++-19 --target="${target%:*}-pc-windows-msvc" -std=c++20 -fms-extensions -fcxx-exceptions -w \
			"-O${target#*:}" -c "$here/../fixtures/decorated.cc" -o "$tmp/decorated.obj"
		llvm-nm-19 "$tmp/decorated.obj"
	done | awk '$NF ~ /^[?]/ { print $NF }' | grep -vE '^[?](anf|i128)@' | sort -u > "$tmp/microsoft.raw"
	while read -r name; do
		llvm-undname-19 "$name" | sed -n 2p
	done < "$tmp/microsoft.raw" | sed "s/.anonymous namespace'/(anonymous namespace)/g" > "$tmp/microsoft.want"
	schemes="microsoft:200"
fi

# scheme and the fewest names
for scheme in cxx:1000 legacy:250 v0:250 d:250 ${schemes-}; do
	least=${scheme#*:} scheme=${scheme%:*}
	"$dump" full < "$tmp/$scheme.raw" > "$tmp/$scheme.have" || fail "$scheme: $dump full"
	# raw, want, have; a name the oracle cannot read is no test
	paste "$tmp/$scheme.raw" "$tmp/$scheme.want" "$tmp/$scheme.have" |
		awk -F '\t' '$1 != $2' > "$tmp/$scheme.all"
	awk -F '\t' '$2 != $3 && $1 != $3' "$tmp/$scheme.all" > "$tmp/$scheme.diff"
	raw=$(awk -F '\t' '$1 == $3' "$tmp/$scheme.all" | wc -l)
	count=$(wc -l < "$tmp/$scheme.all")
	differ=$(wc -l < "$tmp/$scheme.diff")
	echo "$scheme: $count names, $differ differ, $raw stay raw"
	head -n 3 "$tmp/$scheme.diff" | awk -F '\t' '{ print "  of   " $1 "\n  want " $2 "\n  have " $3 }'
	if [ "$count" -ge "$least" ] && [ $((differ * 1000)) -le "$count" ] && [ $((raw * 100)) -le "$count" ]; then
		pass
	else
		fail "$scheme: at least $least names should be compared, and be right"
	fi
done

# Raw and short side by side; what heft could not read is no short name.
for scheme in cxx legacy v0 d ${schemes:+microsoft}; do
	"$dump" short < "$tmp/$scheme.raw" | paste "$tmp/$scheme.raw" - | awk -F '\t' '$1 != $2' \
		> "$tmp/$scheme.short"
	check "short names of $scheme" test -s "$tmp/$scheme.short"
done
if cat "$tmp"/legacy.short "$tmp"/v0.short "$tmp"/d.short "$tmp"/cxx.short | awk -F '\t' '
	function balanced(s, n, i, c, depth) {
		gsub(/->/, "", s)
		gsub(/operator(<=>|<<=|>>=|<<|>>|<=|>=|<|>)/, "operator", s)
		n = length(s)
		for (i = 1; i <= n; i++) {
			c = substr(s, i, 1)
			if (index("(<[{", c)) depth = depth substr(")>]}", index("(<[{", c), 1)
			else if (index(")>]}", c)) {
				if (depth == "" || substr(depth, length(depth)) != c) return 0
				depth = substr(depth, 1, length(depth) - 1)
			}
		}
		return depth == ""
	}
	# operator< with arguments and operator<< without look alike: either may balance
	function sound(s, t) {
		if (balanced(s)) return 1
		t = s
		gsub(/operator<</, "operator<", t)
		sub(/operator</, "operator", t)
		return balanced(t)
	}
	$2 == "" || !sound($2) { if (++odd <= 5) print "  odd short name: " $2 " of " $1 }
	END { print NR " short names, " odd + 0 " odd"; exit odd > 0 || NR < 1000 }'; then
	pass
else
	fail "short names"
fi

# Of C++: no parameters and no arguments, but for the types of type infos and conversions.
if grep -vE '^_ZT[IS]' "$tmp/cxx.short" | cut -f 2 | grep -v 'operator ' |
	sed 's/(anonymous namespace)//g; s/operator()//g; s/operator[<>=-]*//g' |
	grep -E '\([^)]|<[^>]' | head -n 5 > "$tmp/left" && [ -s "$tmp/left" ]; then
	echo "parameters or arguments left:"
	cat "$tmp/left"
	fail "short names of C++"
fi
finish 9
