#!/bin/sh
# Derived basic blocks against the compilers' own: heft's sources and the fixture of C++, built with a map by
# clang, and by gcc through bench/gcc-blocks; once more stripped.  The map of a file stays when it is.
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

check() { # least precision and recall, file
	strip -o "$2.stripped" "$2"
	for file in "$2" "$2.stripped"; do
		if python3 "$here/derive.py" "$heft" "$1" "$file"; then
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
	check "$least" "$out"
}

for level in -O1 -O2 -O3; do
	build 0.9985 "clang$level" c "$clang" -std=c11 $level -fbasic-block-address-map
	build 0.9985 "gcc$level" c "$top/bench/gcc-blocks" gcc -std=c11 $level
	build 0.98 "clang++$level" c++ "$clang" -std=c++14 $level -fbasic-block-address-map
	# Some 80 blocks of nothing but exceptions: three starts too many of calls that gcc knows not to throw.
	build 0.91 "g++$level" c++ "$top/bench/gcc-blocks" g++ -std=c++14 $level
done

echo "$passed passed, $failed failed"
[ "$passed" -gt 0 ] && [ "$failed" -eq 0 ]
