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
	python3 "$root/tests/recorder/embedded.py" "$dir/memory" "$dir/log" arm-none-eabi-nm "$dir/device.elf"
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
