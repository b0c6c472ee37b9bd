#!/bin/sh
# The embedded recorder on one machine: its own account of its blocks, then a raw dump of the
# memory against the program's log.
# usage: tests/recorder/embedded.sh PROGRAM|m32|powerpc|s390x|thumb|thumb-clang|arm
root=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=tests/lib/test.sh
. "$root/tests/lib/test.sh"
scratch
dir=$tmp

# built RUNNER: the unit test, and then its dump.
built() {
	[ "$($1 "$dir/program")" = good ] || { echo "$1: the program is not good" && exit 1; }
	$1 "$dir/program" "$dir/memory" >"$dir/log" || { echo "$1: no dump" && exit 1; }
	python3 "$root/tests/recorder/embedded.py" "$dir/memory" "$dir/log"
}

# build COMPILER FLAG PACKAGES
build() {
	printf '#include <stdio.h>\nint main(void) { return 0; }\n' >"$dir/none.c"
	"$1" "$2" "$dir/none.c" -o "$dir/none" 2>/dev/null || skip "$1 $2 does not link here" "$3"
	# With -m32, Debian has the headers of the kernel in the folder of the machine itself.
	"$1" "$2" -idirafter "/usr/include/$("$1" -print-multiarch)" -std=c11 -O2 -g -Wall -Wextra -Werror -I"$root/src/heap" -I"$root/recorder/embedded" \
		-I"$root/examples/bare-metal" "$root/tests/recorder/embedded.c" \
		"$root/recorder/embedded/heft_heap.c" "$root/examples/bare-metal/pool.c" -o "$dir/program" || exit 1
}

bare_metal() {
	make -s -C "$root/examples/bare-metal" "TARGET=$1" "OUT=$dir" dump || exit 1
	python3 "$root/tests/recorder/embedded.py" "$dir/memory" "$dir/log" arm-none-eabi-nm "$dir/device.elf" || exit 1
	[ -n "$HEFT" ] || { left_out "the dump as heft shows it" "HEFT names no program" && return 0; }
	# The same by heft: who holds the blocks, by functions and lines, and the damage.
	"$HEFT" heap show "$dir/memory" "$dir/device.elf" >"$dir/shown" || exit 1
	cat "$dir/shown"
	grep -q '474 in 14 blocks' "$dir/shown" && grep -q 'settings_read main.c:[0-9]* \[device.elf\]' "$dir/shown" || exit 1
	"$HEFT" heap check "$dir/memory" --exe "$dir/device.elf" >"$dir/damage"
	[ $? -eq 1 ] || exit 1
	cat "$dir/damage"
	grep -q 'freed twice, 1 in all' "$dir/damage" && grep -q 'past its end, 1 bytes' "$dir/damage" &&
		grep -qE ' name_new(\.[a-z0-9.]+)? at .*main.c' "$dir/damage"
}

case $1 in
m32)
	need gcc gcc
	need_x86_64
	build gcc -m32 "libc6-dev-i386 lib32gcc-$(gcc -dumpversion)-dev"
	# A kernel without 32-bit programs needs an emulator.
	if "$dir/none" 2>/dev/null; then
		built ""
	else
		need qemu-i386 qemu-user
		built qemu-i386
	fi
	;;
powerpc)
	need powerpc-linux-gnu-gcc gcc-powerpc-linux-gnu qemu-ppc qemu-user
	build powerpc-linux-gnu-gcc -static libc6-dev-powerpc-cross
	built qemu-ppc
	;;
s390x)
	need s390x-linux-gnu-gcc gcc-s390x-linux-gnu qemu-s390x qemu-user
	build s390x-linux-gnu-gcc -static libc6-dev-s390x-cross
	built qemu-s390x
	;;
thumb | arm)
	need make make arm-none-eabi-gcc gcc-arm-none-eabi qemu-system-arm qemu-system-arm
	bare_metal "$1"
	;;
thumb-clang)
	need make make arm-none-eabi-gcc gcc-arm-none-eabi qemu-system-arm qemu-system-arm clang-19 clang-19
	bare_metal "$1"
	;;
*)
	cp "$1" "$dir/program" || exit 2
	built ""
	;;
esac
