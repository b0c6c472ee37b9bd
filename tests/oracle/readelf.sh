#!/bin/sh
# readelf.sh DUMP_IMAGE FILE... - compares what heft reads of ELF files with GNU readelf
# (sections, segments, symbols, plain relocations) and llvm-readelf (packed relocations).
# Prints the first differing lines of each file; exit status 1 if any file differs.
#
# Known differences, taken out here: readelf appends symbol versions and shows the names of
# sections for section symbols; it writes sizes over 99999 in hex; packed relocations are
# compared with llvm-readelf.
set -u
LC_ALL=C
export LC_ALL
dump=$1
shift
llvm=${LLVM_READELF:-llvm-readelf-19}
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/lib/test.sh
. "$here/../lib/test.sh"
need readelf binutils "$llvm" llvm-19
scratch
lines=0

hex='[0-9a-f]+'

# Number, name, address, offset (heft clips it to the file, so not of NOBITS), size, entry size, those flags heft has a word for, link, info,
# alignment.
sections() {
	readelf -SW "$1" 2>/dev/null | sed -nE 's/^ *\[ *([0-9]+)\] /\1 /p' | awk '$1 != 0 {
		for (i = 3; i < NF && !($i ~ /^[0-9a-f]+$/ && length($i) >= 8); i++)
			;
		flags = ""
		if (NF - i == 7) { # address offset size es flags link info align
			n = split("W A X T C", known, " ")
			for (k = 1; k <= n; k++)
				if (index($(i + 4), known[k]))
					flags = flags known[k]
		}
		off = $(i - 1) == "NOBITS" ? "-" : $(i + 1)
		print $1, $2, $i, off, $(i + 2), $(i + 3), flags, $(NF - 2), $(NF - 1), $NF
	}'
}

# GNU_RELRO stays out: lld counts padding that no PT_LOAD backs, which heft clips.
segments() {
	readelf -lW "$1" 2>/dev/null | grep -v '^  GNU_RELRO' | sed -nE \
		"s/^ +[A-Z0-9a-z_+<>:]+.* 0x($hex) 0x($hex) 0x$hex 0x($hex) 0x($hex) (...) (0x)?($hex)\$/\1 \2 \3 \4 [\5] \7/p" |
		awk '{ gsub(/\[/, " ["); while (match($0, /\[[RWE ]*\]/)) { f = substr($0, RSTART + 1, RLENGTH - 2);
			gsub(/ /, "", f); $0 = substr($0, 1, RSTART - 1) f substr($0, RSTART + RLENGTH) } print }'
}

symbols() {
	readelf -sW "$1" 2>/dev/null | sed -nE 's/\[[^]]*\]//g; /^ *[0-9]+: [0-9a-f]+ /p' |
		sed -E 's/@.*//; s/^( *[0-9]+: [0-9a-f]+ +[^ ]+ SECTION +[A-Z]+ +[A-Z]+ +[^ ]+).*/\1/; s/<OS specific>: [0-9]+/?/; s/<processor specific>: [0-9]+/?/'
}

plain_relocs() {
	readelf -rW "$1" 2>/dev/null | reloc_lines
}

packed_relocs() {
	"$llvm" -rW "$1" 2>/dev/null | reloc_lines
}

# Offset, info and the addend (if the table has them), from readelf's and llvm-readelf's lines.
# RELR: readelf gives one address a line, llvm-readelf "index: entry address symbol" and lines of
# "address symbol"; heft knows no type for them.
reloc_lines() {
	awk '/^Relocation section/ { relr = 0; next }
		/^Index: Entry/ { relr = 1; next }
		/^ *Offset / { rela = /Addend/; next }
		{ sub(/unrecognized: /, "") }
		function zeros(n,   z) { while (n-- > 0) z = z "0"; return z }
		NF == 1 && /^[0-9a-f]+$/ { print $1, zeros(length($1)); next }
		relr && /^[0-9a-f]+: / { print $3, zeros(length($3)); next }
		relr && NF >= 1 { print $1, zeros(length($1)); next }
		/^[0-9a-f]+ +[0-9a-f]+ +[^ ]/ {
			a = ""
			if (rela) {
				if ($(NF - 1) == "+" || $(NF - 1) == "-") a = $(NF - 1) $NF
				else if (NF == 4) { a = $NF; if (a !~ /^-/) a = "+" a }
				else a = "+0"
			}
			print $1, $2, a
		}'
}

squeeze() {
	sed -E 's/ +/ /g; s/^ //; s/ $//'
}

# Sizes over 99999 come in hex from readelf.
sizes() {
	awk '$3 ~ /^0x/ { n = 0; h = tolower(substr($3, 3)); for (i = 1; i <= length(h); i++)
		n = n * 16 + index("0123456789abcdef", substr(h, i, 1)) - 1; $3 = sprintf("%.0f", n) } { print }'
}

compare() { # what file
	case $1 in
	sections) sections "$2" ;;
	segments) segments "$2" ;;
	symbols) symbols "$2" | sizes ;;
	relocs) if readelf -SW "$2" 2>/dev/null | grep -Eq ' (ANDROID_RELA?|LOOS\+0xfffff00|LOOS\+0x[12]|40000014:) '; then
		packed_relocs "$2"
	else
		plain_relocs "$2"
	fi ;;
	esac | squeeze >"$tmp/want"
	if ! "$dump" "$1" "$2" >"$tmp/raw"; then
		fail "$2: $1 cannot be read"
		return
	fi
	if [ "$1" = symbols ]; then sed 's/@.*//' "$tmp/raw"; else cat "$tmp/raw"; fi |
		squeeze >"$tmp/got"
	lines=$((lines + $(wc -l <"$tmp/want")))
	if cmp -s "$tmp/want" "$tmp/got"; then
		pass
	else
		fail "$2: $1 differ (readelf <, heft >)"
		diff "$tmp/want" "$tmp/got" | head -n "${LINES_SHOWN:-6}"
	fi
}

for f; do
	for what in sections segments symbols relocs; do
		compare $what "$f"
	done
done
echo "$# files, $lines lines"
[ "$lines" -ge $((10 * $#)) ] || fail "readelf says hardly anything of $# files"
finish $((4 * $#))
