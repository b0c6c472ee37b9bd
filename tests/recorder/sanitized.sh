#!/bin/sh
# Programs that recorded ones start, and that cannot bear another allocator or another C library: they do what they do
# without the recorder, and so does who started them.
# usage: tests/recorder/sanitized.sh RECORDER
recorder=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/lib/test.sh
. "$here/../lib/test.sh"
need cc gcc
getconf GNU_LIBC_VERSION >/dev/null 2>&1 || skip "this is not glibc"
scratch
cd "$tmp" || exit 2
built=''

# build NAME COMPILER PACKAGE FLAG...
build() {
	name=$1 cc=$2 package=$3
	shift 3
	has "$cc" "$package" "$name" || return 0
	if "$cc" -w -g -O1 "$@" "$here/sanitized.c" -o "$name" -pthread 2>/dev/null && ./"$name" >/dev/null 2>&1 || [ $? -eq 7 ]; then
		built="$built $name"
	else
		left_out "$name" "$cc does not build it, or it does not run here" "$package"
	fi
}
for kind in address thread leak ${FULL:+undefined}; do
	build "gcc-$kind" gcc gcc "-fsanitize=$kind"
done
for kind in thread memory ${FULL:+address leak dataflow scudo}; do
	build "clang-$kind" clang-19 libclang-rt-19-dev "-fsanitize=$kind"
done
if command -v clang-19 >/dev/null 2>&1; then
	library=$(clang-19 -print-file-name=libclang_rt.asan-x86_64.so)
	build clang-shared clang-19 libclang-rt-19-dev -fsanitize=address -shared-libasan "-Wl,-rpath,${library%/*}"
fi
build musl musl-gcc musl-tools
[ -z "$FULL" ] || build static cc gcc -static
build plain cc gcc

# What addresses, process ids and times are is not compared.
tidy() {
	sed -E 's/==[0-9]+==/==PID==/; s/0x[0-9a-f]+/ADDR/g; s/pid=[0-9]+/PID/; s/==[0-9]+==/==PID==/g' "$1"
}

# try NAME COMMAND...: the same as without the recorder.
try() {
	title=$1
	shift
	"$@" >plain.out 2>plain.err
	status=$?
	HEFT_HEAP_OUT="$tmp/heap.%p" LD_PRELOAD="$recorder" timeout 60 "$@" >out 2>err
	got=$?
	tidy err >err.tidy
	tidy plain.err >plain.tidy
	if [ "$got" -ne "$status" ] || ! cmp -s out plain.out || ! cmp -s err.tidy plain.tidy; then
		fail "$title: status $got, not $status"
		diff plain.out out | head -n 5
		diff plain.tidy err.tidy | head -n 5
	else
		pass
	fi
}

export OTHER=kept
for name in $built; do
	ln -s "$name" "link-$name"
	printf '#!%s one argument\n' "$tmp/$name" >"script-$name"
	chmod +x "script-$name"
	try "$name from a shell" sh -c './"$0" "two words" "" "*" && echo never; echo $?; ./"$0" leak; echo $?
		./"link-$0" x; echo $?; ./"script-$0" x; echo $?' "$name"
	if has python3 python3 "$name by other calls"; then
		try "$name by other calls" python3 -c '
import os, subprocess, sys
name = "./" + sys.argv[1]
print(subprocess.run([name, "by vfork"], capture_output=True, env=dict(os.environ, OTHER="other")))
print(os.waitpid(os.posix_spawn(name, ["other name", "spawned"], os.environ), 0)[1])
print(os.system(name + " by system"))
sys.stdout.flush()
if os.fork() == 0:
	os.execve(name, [], os.environ)
print(os.wait()[1])' "$name"
	fi
done
check "the recorder was there" test -n "$(find "$tmp" -name 'heap.*')"
# What else is preloaded stays.
for name in gcc-thread plain; do
	LD_PRELOAD="libm.so.6 $recorder" ./"$name" >out 2>&1
	check "$name keeps what else is preloaded" grep -qx 'LD_PRELOAD=libm.so' out
done
finish 15
