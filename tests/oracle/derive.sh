#!/bin/sh
# Derived basic blocks against the compilers' own: heft's sources and the fixture of C++, built with a map by
# clang, and by gcc through gcc_map.py; once more stripped, and the objects of C.  The map of a file stays when it is.
# usage: derive.sh HEFT
set -u
LC_ALL=C
export LC_ALL
heft=$(realpath "$1") || exit 2
here=$(cd "$(dirname "$0")" && pwd)
top=$(realpath "$here/../..")
clang=${CLANG:-clang-19}
# shellcheck source=tests/lib/test.sh
. "$here/../lib/test.sh"
need "$clang" clang-19 gcc gcc g++ g++ strip binutils python3 python3
scratch
cd "$tmp" || exit 2

compare() { # least precision and recall, files...
	least=$1
	shift
	for file in "$@"; do
		if python3 "$here/derive.py" "$heft" "$least" "$file"; then
			pass
		else
			fail "$file: less than $least"
		fi
	done
}

build() { # least, name, language, command...
	least=$1 out=$2 files=
	case $3 in
	c) sources="$top/src/code/x86.c $top/src/blocks/bbmap.c $top/src/names/rust_v0.c $top/src/debug/line.c" ;;
	*) sources=$here/../fixtures/unwind.cc ;;
	esac
	shift 3
	for source in $sources; do
		object=$out.$(basename "$source").o
		must "$@" -fPIC -I"$top/src" -I"$top/include" -D_GNU_SOURCE -c "$source" -o "$object"
		files="$files $object"
	done
	# shellcheck disable=SC2086 # a list
	must gcc -shared -o "$out" $files
	must strip -o "$out.stripped" "$out"
	compare "$least" "$out" "$out.stripped"
	[ ! -f "$out.line.c.o" ] || compare "$least" "$out.line.c.o" # its jump tables are relocations
}

wrapped="-dA -wrapper python3,$here/gcc_map.py"
# shellcheck disable=SC2086 # several words
for level in -O1 -O2 -O3; do
	build 0.999 "clang$level" c "$clang" -std=c11 $level -fbasic-block-address-map
	build 0.999 "gcc$level" c gcc -std=c11 $level $wrapped
	build 0.999 "clang++$level" c++ "$clang" -std=c++14 $level -fbasic-block-address-map
done
# Some 80 blocks of nothing but exceptions: with -O2 three starts too many, with -O3 five, behind calls that gcc knows not
# to throw.
# shellcheck disable=SC2086
build 0.999 g++-O1 c++ g++ -std=c++14 -O1 $wrapped
# shellcheck disable=SC2086
build 0.95 g++-O2 c++ g++ -std=c++14 -O2 $wrapped
# shellcheck disable=SC2086
build 0.93 g++-O3 c++ g++ -std=c++14 -O3 $wrapped

# Microcontrollers: clang has no such option there, the code generator behind it has.  ld.lld fills gaps with traps.
firmware() { # least, target, level, flags...
	least=$1 target=$2 level=$3 out=$2$3 files=
	shift 3
	for source in code/x86.c blocks/bbmap.c code/thumb.c names/rust_v0.c names/out.c map/rules.c base/json.c; do
		object=$out.$(basename "$source")
		# Some are not for 32 bits.
		"$clang" --target="$target" "$@" -std=gnu11 "$level" -w -I"$top/src" -I"$top/include" -D_GNU_SOURCE \
			-ffunction-sections -S -emit-llvm "$top/src/$source" -o "$object.ll" 2>/dev/null || continue
		must llc-19 -O2 --basic-block-address-map -function-sections -filetype=obj "$object.ll" -o "$object.o"
		files="$files $object.o"
	done
	# shellcheck disable=SC2086 # a list
	must ld.lld-19 --unresolved-symbols=ignore-all -e 0x10001 -Ttext=0x10000 $files -o "$out" 2>/dev/null
	if python3 "$here/derive.py" "$heft" "$least" "$out" llvm-nm-19; then
		pass
	else
		fail "$out: less than $least"
	fi
}

if command -v llc-19 >/dev/null && command -v ld.lld-19 >/dev/null && [ -d /usr/include/newlib ]; then
	for level in -O1 -O2 -Os; do
		firmware 1 thumbv7em-none-eabihf $level -mfpu=fpv4-sp-d16 -isystem /usr/include/newlib
		firmware 1 riscv32-unknown-elf $level -march=rv32imac -isystem /usr/include/newlib
	done
	# Two jumps to functions that are not linked lead to themselves.
	[ ! -d /usr/riscv64-linux-gnu/include ] ||
		firmware 0.998 riscv64-linux-gnu -O2 -isystem /usr/riscv64-linux-gnu/include
else
	echo "LEFT OUT: blocks of Thumb-2 and RISC-V: no llc-19, ld.lld-19 or newlib"
fi

finish 30
