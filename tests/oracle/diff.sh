#!/bin/sh
# The counts of `heft diff --supersize` against SuperSize's four passes written again in Python.
# usage: tests/oracle/diff.sh HEFT
#
# Programs of many objects in C and C++: by other levels of optimisation, another compiler, of other sources, stripped;
# with aliases, debug info and linker maps.
set -u
LC_ALL=C
export LC_ALL
[ -x "${1:-}" ] || { sed -n '2,4s/^# //p' "$0" && exit 2; }
heft=$(realpath "$1")
here=$(realpath "$(dirname "$0")")
# shellcheck source=tests/lib/test.sh
. "$here/../lib/test.sh"
need python3 python3 gcc gcc g++ g++ clang-19 clang-19 strip binutils
scratch
cd "$tmp" || exit 2

# build NAME SOURCES CC CXX FLAGS...
build() {
	name=$1 from=$2 cc=$3 cxx=$4
	shift 4
	mkdir "$name" || exit 2
	for f in "$from"/*.c "$from"/*.cc; do
		case $f in
		*.c) compiler=$cc ;;
		*) compiler=$cxx ;;
		esac
		$compiler -g -w -ffunction-sections "$@" -c "$f" -o "$name/$(basename "$f").o" || exit 1
	done
	$cxx "$name"/*.o -Wl,-Map="$name.elf.map" -o "$name.elf" || exit 1
	"$heft" snapshot "$name.elf" -o "$name.size" 2>/dev/null || exit 1
}

python3 "$here/../fixtures/many_objects.py" from-first 12 1 || exit 2
cp -r from-first from-second
python3 "$here/../fixtures/many_objects.py" from-other 12 2 || exit 2
cp from-other/unit_3.* from-other/unit_7.* from-second/
build o1 from-first gcc g++ -O1
build o2 from-first gcc g++ -O2
build clang from-first clang-19 clang++-19 -O2
build second from-second gcc g++ -O2
build other from-other gcc g++ -O2
strip -o bare.elf o2.elf
"$heft" snapshot --no-map bare.elf -o bare.size 2>/dev/null || exit 1
"$here/diff.py" "$heft" o1.size o2.size o2.size clang.size o2.size second.size second.size other.size o2.size bare.size \
	bare.size o2.size o2.size o2.size
