#!/bin/sh
# demangle.sh DUMP_NAMES FILE... - compares heft's full names of every symbol of some files with
# llvm-cxxfilt (C++) and c++filt (Rust, D), and prints the first differing lines of each scheme.
# Then checks the short ones: not empty, one line, nothing between the "<" and ">" or "(" and
# ")" of a C++ name but what belongs there.
#
# Known differences, taken out here: c++filt shows the hashes of crates and the types of
# constants; names llvm-cxxfilt cannot read are left out (heft then asks libiberty); suffixes are
# cut off.  Exit status 0 if at most one name in 1000 of a scheme differs and every short name is
# sound, 1 if not, 77 where a tool is missing or no file has names.
set -eu
LC_ALL=C
export LC_ALL
dump=$1
shift
llvm=$(command -v llvm-cxxfilt-19 || command -v llvm-cxxfilt) || exit 77
gnu=$(command -v c++filt) || exit 77
nm=$(command -v nm) || exit 77
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bad=0

for file in "$@"; do
	"$nm" "$file" 2> /dev/null || true
	"$nm" -D "$file" 2> /dev/null || true
done | awk '{ print $NF }' | sed 's/[.@].*//' | sort -u > "$tmp/names"
for file in "$@"; do
	"$nm" "$file" 2> /dev/null || true
done | awk '{ print $NF }' | grep -E '^_ZN.*17h[0-9a-f]{16}E$' | sort -u > "$tmp/legacy.raw" || true
grep '^_Z' "$tmp/names" | grep -vE '17h[0-9a-f]{16}E$' > "$tmp/cxx.raw" || true
grep '^_R' "$tmp/names" > "$tmp/v0.raw" || true
grep '^_D[0-9]' "$tmp/names" > "$tmp/d.raw" || true

"$llvm" < "$tmp/cxx.raw" > "$tmp/cxx.want"
"$gnu" --format=rust < "$tmp/legacy.raw" | sed 's/::h[0-9a-f]\{16\}$//' > "$tmp/legacy.want"
"$gnu" --format=rust < "$tmp/v0.raw" | sed -E '
	s/([A-Za-z0-9_])\[[0-9a-f]+\]/\1/g
	s/(-?[0-9]+|0x[0-9a-f]+|true|false|'"'[^']*'"'): ([ui](8|16|32|64|128|size)|bool|char)/\1/g' \
	> "$tmp/v0.want"
"$gnu" --format=dlang < "$tmp/d.raw" > "$tmp/d.want"

total=0
for scheme in cxx legacy v0 d; do
	"$dump" full < "$tmp/$scheme.raw" > "$tmp/$scheme.have"
	# raw, want, have; a name the oracle cannot read is no test
	paste "$tmp/$scheme.raw" "$tmp/$scheme.want" "$tmp/$scheme.have" |
		awk -F '\t' '$1 != $2' > "$tmp/$scheme.all"
	awk -F '\t' '$2 != $3' "$tmp/$scheme.all" > "$tmp/$scheme.diff"
	count=$(wc -l < "$tmp/$scheme.all")
	differ=$(wc -l < "$tmp/$scheme.diff")
	total=$((total + count))
	echo "$scheme: $count names, $differ differ"
	head -n 3 "$tmp/$scheme.diff" | awk -F '\t' '{ print "  of   " $1 "\n  want " $2 "\n  have " $3 }'
	[ $((differ * 1000)) -le "$count" ] || bad=1
done
[ "$total" -gt 0 ] || exit 77

# Raw and short side by side; what heft could not read is no short name.
for scheme in cxx legacy v0 d; do
	"$dump" short < "$tmp/$scheme.raw" | paste "$tmp/$scheme.raw" - | awk -F '\t' '$1 != $2' \
		> "$tmp/$scheme.short"
done
cat "$tmp"/legacy.short "$tmp"/v0.short "$tmp"/d.short "$tmp"/cxx.short | awk -F '\t' '
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
	END { print NR " short names, " odd + 0 " odd"; exit odd > 0 }' || bad=1

# Of C++: no parameters and no arguments, but for the types of type infos and conversions.
if grep -vE '^_ZT[IS]' "$tmp/cxx.short" | cut -f 2 | grep -v 'operator ' |
	sed 's/(anonymous namespace)//g; s/operator()//g; s/operator[<>=-]*//g' |
	grep -E '\([^)]|<[^>]' | head -n 5 > "$tmp/left" && [ -s "$tmp/left" ]; then
	echo "parameters or arguments left:"
	cat "$tmp/left"
	bad=1
fi
exit $bad
