#!/bin/sh
# Derived basic blocks against the compilers' own: heft's sources and the fixture of C++, built with a map by
# clang, and by gcc through heft cc-wrap; once more stripped, and the objects of C.  The map of a file stays when it is.
# usage: derive.sh HEFT
set -u
LC_ALL=C
export LC_ALL
heft=$(realpath "$1") || exit 2
here=$(cd "$(dirname "$0")" && pwd)
top=$(realpath "$here/../..")
clang=${CLANG:-clang-19}
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
passed=0
failed=0
cd "$tmp" || exit 2

for tool in "$clang" gcc g++ strip python3; do
	command -v "$tool" >/dev/null || { echo "SKIP: no $tool"; exit 77; }
done

check() { # least precision and recall, files...
	least=$1
	shift
	for file in "$@"; do
		if python3 "$here/derive.py" "$heft" "$least" "$file"; then
			passed=$((passed + 1))
		else
			failed=$((failed + 1))
		fi
	done
}

build() { # least, name, language, command...
	least=$1 out=$2 files=
	case $3 in
	c) sources="$top/src/code/x86.c $top/src/code/bbmap.c $top/src/names/rust_v0.c $top/src/debug/line.c" ;;
	*) sources=$here/../fixtures/unwind.cc ;;
	esac
	shift 3
	for source in $sources; do
		object=$out.$(basename "$source").o
		if ! "$@" -fPIC -I"$top/src" -I"$top/include" -D_GNU_SOURCE -c "$source" -o "$object" 2>log; then
			echo "skipped: $out: $(grep -m 1 . log)"
			return
		fi
		files="$files $object"
	done
	# shellcheck disable=SC2086 # a list
	gcc -shared -o "$out" $files 2>log || { echo "skipped: $out: $(grep -m 1 . log)" && return; }
	strip -o "$out.stripped" "$out"
	check "$least" "$out" "$out.stripped"
	[ ! -f "$out.line.c.o" ] || check "$least" "$out.line.c.o" # its jump tables are relocations
}

for level in -O1 -O2 -O3; do
	build 0.999 "clang$level" c "$clang" -std=c11 $level -fbasic-block-address-map
	build 0.999 "gcc$level" c "$heft" cc-wrap gcc -std=c11 $level
	build 0.98 "clang++$level" c++ "$clang" -std=c++14 $level -fbasic-block-address-map
	# Some 80 blocks of nothing but exceptions: three starts too many of calls that gcc knows not to throw.
	build 0.93 "g++$level" c++ "$heft" cc-wrap g++ -std=c++14 $level
done

echo "$passed passed, $failed failed"
[ "$passed" -gt 0 ] && [ "$failed" -eq 0 ]
