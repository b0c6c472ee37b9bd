#!/bin/sh
# The unwind tables of real files, entry by entry: heft against readelf and llvm-dwarfdump.
# Usage: unwind.sh DUMP_UNWIND [FILE...]; without files, libraries of this system and a fixture built
# by clang for both byte orders and both address sizes.
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$here/../..
dump=$(realpath "$1") || exit 2
shift
dwarfdump=${DWARFDUMP:-llvm-dwarfdump-19}
clang=${CLANG:-clang-19}
# shellcheck source=tests/lib/test.sh
. "$here/../lib/test.sh"
need readelf binutils "$dwarfdump" llvm-19 "$clang" clang-19 ld.lld-19 lld-19
scratch

# off:size:addr of a section, or nothing
section() {
	readelf -SW "$1" 2>/dev/null | sed 's/\[ */[/' |
		awk -v name="$2" '$2 == name && $3 != "NOBITS" { print $5 ":" $6 ":" $4; exit }'
}

# "8 le" and the like
shape() {
	readelf -h "$1" | awk '/Class:/ { bits = $2 == "ELF64" ? 8 : 4 }
		/Data:/ { order = /little/ ? "le" : "be" } END { print bits, order }'
}

strip_zeros='function z(s) { sub(/^0+/, "", s); return s == "" ? "0" : s }'

# The tools' lists in the driver's form.  $1: "eh_frame" or "debug_frame" of a file's dump.
from_readelf() {
	awk -v want="$1" "$strip_zeros"'
	/^Contents of the/ { on = index($0, " ." want " ") || index($0, "." want " section") }
	!on { next }
	/ ZERO terminator/ { print z($1) " ZERO" }
	$4 == "CIE" { print z($1) " CIE len=" z($2) }
	$4 == "FDE" { sub(/cie=/, "", $5); sub(/pc=/, "", $6); split($6, pc, /\.\./)
		print z($1) " FDE len=" z($2) " cie=" z($5) " pc=" z(pc[1]) ".." z(pc[2]) }'
}

from_dwarfdump() {
	awk "$strip_zeros"'
	function flush() { if (line != "") print line; line = "" }
	/ ZERO terminator/ { flush(); print z($1) " ZERO" }
	$4 == "CIE" { flush(); line = z($1) " CIE len=" z($2) }
	$4 == "FDE" { flush(); sub(/cie=/, "", $5); sub(/pc=/, "", $6); split($6, pc, /\.\.\./)
		line = z($1) " FDE len=" z($2) " cie=" z($5) " pc=" z(pc[1]) ".." z(pc[2]) }
	/LSDA Address:/ { line = line " lsda=" z($3) }
	END { flush() }'
}

# Of several terminators in a row the tools show the first.
one_zero() {
	awk '!($2 == "ZERO" && before == "ZERO") { print } { before = $2 }'
}

same() { # what, expected, got
	if [ -s "$2" ] && cmp -s "$2" "$3"; then
		pass
	else
		fail "$1"
		diff "$2" "$3" | head -6
	fi
}

check_frames() { # file, name of section, driver's mode, label
	sec=$(section "$1" "$2")
	[ -n "$sec" ] || return 0
	# shellcheck disable=SC2046
	"$dump" "$3" $(shape "$1") "$1" "$sec" >"$tmp/got" 2>"$tmp/notes"
	one_zero <"$tmp/got" >"$tmp/got.one" && mv "$tmp/got.one" "$tmp/got"
	sed 's/ lsda=.*//' "$tmp/got" >"$tmp/got.plain"
	readelf --debug-dump=frames-interp "$1" 2>/dev/null | from_readelf "${2#.}" >"$tmp/want"
	same "$4 $2 against readelf" "$tmp/want" "$tmp/got.plain"
	if [ "$3" = frames ]; then
		"$dwarfdump" --eh-frame "$1" 2>/dev/null | from_dwarfdump >"$tmp/want"
		same "$4 $2 against $dwarfdump" "$tmp/want" "$tmp/got"
	fi
	echo "$4: $2: $(grep -c FDE "$tmp/got") FDEs"
}

# The table must name every FDE of .eh_frame that covers code, sorted.
check_hdr() {
	sec=$(section "$1" .eh_frame_hdr)
	frames=$(section "$1" .eh_frame)
	[ -n "$sec" ] && [ -n "$frames" ] || return 0
	base=${frames##*:}
	# shellcheck disable=SC2046
	"$dump" hdr $(shape "$1") "$1" "$sec" 2>/dev/null | sed 1d |
		awk "$strip_zeros"'{ print z($1) }' | sort -u >"$tmp/want"
	# shellcheck disable=SC2046
	"$dump" frames $(shape "$1") "$1" "$frames" 2>/dev/null |
		sed -n 's/.* pc=\([0-9a-f]*\)\.\..*/\1/p' | sort -u >"$tmp/got"
	same "$2 .eh_frame_hdr names the functions of .eh_frame at $base" "$tmp/want" "$tmp/got"
}

# No area may run over the next one's start; what is between two is padding or the area of
# a function the linker dropped.  Allowed besides: 1 % of the section.
check_coverage() { # mode, file, section, tables, label
	sec=$(section "$2" "$3")
	tables=$(section "$2" "$4")
	[ -n "$sec" ] && [ -n "$tables" ] || return 0
	# shellcheck disable=SC2046
	line=$("$dump" "$1" $(shape "$2") "$2" "$sec" "$tables" 2>/dev/null | tail -n 1)
	echo "$5: $4: $line"
	if echo "$line" | tr ' =' '\n ' | awk '{ v[$1] = $2 } END {
		exit !("areas" in v && v["bad"] == 0 && v["over"] == 0 &&
		v["holes"] * 100 <= v["section"]) }'; then
		pass
	else
		fail "$5 $4"
	fi
}

check_file() { # file, label
	check_frames "$1" .eh_frame frames "$2"
	check_frames "$1" .debug_frame debug "$2"
	check_hdr "$1" "$2"
	check_coverage lsda "$1" .eh_frame .gcc_except_table "$2"
	check_coverage exidx "$1" .ARM.exidx .ARM.extab "$2"
}

build() { # target, flags...
	out=$tmp/$1.so
	target=$1
	shift
	"$clang" --target="$target" -x c++ -std=c++14 -Wno-everything -O1 -fPIC -nostdlib -shared \
		-fuse-ld=lld "$@" -o "$out" "$top/tests/fixtures/unwind.cc" 2>"$tmp/log"
}

check_target() {
	label="$*"
	if build "$@"; then
		check_file "$tmp/$1.so" "$label"
	else
		left_out "unwind tables of $label" "it does not build: $(head -n 1 "$tmp/log")"
	fi
}

# A relocatable object: the addresses come from its relocations.
check_object() {
	obj=$tmp/object.o
	must "$clang" --target="$1" -x c++ -std=c++14 -Wno-everything -O1 -ffunction-sections -c \
		-o "$obj" "$top/tests/fixtures/unwind.cc"
	readelf -rW "$obj" | awk '/^Relocation section/ { on = index($0, ".rela.eh_frame") }
		on && $3 ~ /^R_/ { print $1, $4, $NF }' |
		while read -r off value addend; do
			printf '%x %x\n' "0x$off" $((0x$value + 0x$addend))
		done >"$tmp/fixups"
	# shellcheck disable=SC2046
	"$dump" frames $(shape "$obj") "$obj" "$(section "$obj" .eh_frame)" "$tmp/fixups" |
		sed 's/ lsda=.*//' >"$tmp/got"
	readelf --debug-dump=frames-interp "$obj" 2>/dev/null | from_readelf eh_frame >"$tmp/want"
	same "object for $1 against readelf" "$tmp/want" "$tmp/got"
}

if [ $# -gt 0 ]; then
	for f in "$@"; do
		check_file "$f" "$(basename "$f")"
	done
else
	for t in x86_64 aarch64 aarch64_be powerpc64 powerpc64le powerpc s390x mips mipsel \
		mips64 riscv64 loongarch64 i386; do
		check_target "$t-linux-gnu"
	done
	check_target arm-linux-gnueabi
	check_target armeb-linux-gnueabi
	check_target arm-linux-gnueabi -g -gdwarf-4 -fno-exceptions
	check_target aarch64-linux-android35 -mbranch-protection=pac-ret+b-key \
		-march=armv8.5-a+memtag -fsanitize=memtag-stack
	check_target x86_64-linux-gnu -g -fno-asynchronous-unwind-tables -fno-exceptions
	check_object x86_64-linux-gnu
	check_object s390x-linux-gnu
	for f in libc.so.6 libstdc++.so.6 libcrypto.so.3; do
		for dir in /lib /usr/lib /usr/lib64 "/usr/lib/$(uname -m)-linux-gnu"; do
			[ -f "$dir/$f" ] && check_file "$dir/$f" "$f" && break
		done
	done
fi
finish 4
