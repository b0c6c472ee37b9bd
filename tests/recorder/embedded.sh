#!/bin/sh
# The embedded recorder on one machine: its own account of its blocks, then a raw dump of the
# memory against the program's log.
# usage: tests/recorder/embedded.sh PROGRAM|m32|powerpc|s390x|thumb|thumb-clang|arm
# 77: the compiler or the emulator is not there.
root=$(cd "$(dirname "$0")/../.." && pwd)
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT

have() {
	for tool in "$@"; do
		command -v "$tool" >/dev/null 2>&1 || {
			echo "no $tool here"
			exit 77
		}
	done
}

# built RUNNER: the unit test, and then its dump.
built() {
	[ "$($1 "$dir/program")" = good ] || exit 1
	$1 "$dir/program" "$dir/memory" >"$dir/log" || exit 1
	python3 "$root/tests/recorder/embedded.py" "$dir/memory" "$dir/log"
}

# build COMPILER FLAG
build() {
	echo 'int main(void) { return 0; }' >"$dir/none.c"
	"$1" "$2" "$dir/none.c" -o "$dir/none" 2>/dev/null || {
		echo "$1 $2 does not link here"
		exit 77
	}
	"$1" "$2" -std=c11 -O2 -g -Wall -Wextra -Werror -I"$root/src/heap" -I"$root/recorder/embedded" \
		-I"$root/examples/bare-metal" "$root/tests/recorder/embedded.c" \
		"$root/recorder/embedded/heft_heap.c" "$root/examples/bare-metal/pool.c" -o "$dir/program" || exit 1
}

bare_metal() {
	make -s -C "$root/examples/bare-metal" "TARGET=$1" "OUT=$dir" dump || exit 1
	python3 "$root/tests/recorder/embedded.py" "$dir/memory" "$dir/log" arm-none-eabi-nm "$dir/device.elf" || exit 1
	[ -n "$HEFT" ] || return 0
	# The same by heft: who holds the blocks, by functions and lines, and the damage.
	"$HEFT" heap show "$dir/memory" "$dir/device.elf" >"$dir/shown" && cat "$dir/shown"
	grep -q '474 in 14 blocks' "$dir/shown" && grep -q 'settings_read main.c:[0-9]* \[device.elf\]' "$dir/shown" || exit 1
	"$HEFT" heap check "$dir/memory" --exe "$dir/device.elf" >"$dir/damage" && exit 1
	cat "$dir/damage"
	grep -q 'freed twice, 1 in all' "$dir/damage" && grep -q 'past its end, 1 bytes' "$dir/damage" &&
		grep -q ' name_new at .*main.c' "$dir/damage"
}

case $1 in
m32)
	have gcc
	build gcc -m32
	built ""
	;;
powerpc)
	have powerpc-linux-gnu-gcc qemu-ppc
	build powerpc-linux-gnu-gcc -static
	built qemu-ppc
	;;
s390x)
	have s390x-linux-gnu-gcc qemu-s390x
	build s390x-linux-gnu-gcc -static
	built qemu-s390x
	;;
thumb | arm)
	have make arm-none-eabi-gcc qemu-system-arm
	bare_metal "$1"
	;;
thumb-clang)
	have make arm-none-eabi-gcc qemu-system-arm clang-19
	bare_metal "$1"
	;;
*)
	cp "$1" "$dir/program" || exit 2
	built ""
	;;
esac
