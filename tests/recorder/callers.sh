#!/bin/sh
# Blocks that go between callers who find different functions under one name: modules opened with RTLD_DEEPBIND, handles
# of the C library, programs and preloaded libraries with a malloc of their own.  All end as they do without the recorder.
# usage: tests/recorder/callers.sh HEFT RECORDER
heft=$1 recorder=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/lib/test.sh
. "$here/../lib/test.sh"
need cc gcc
getconf GNU_LIBC_VERSION >/dev/null 2>&1 || skip "this is not glibc"
scratch

build() {
	out=$tmp/$1
	shift
	must cc -D_GNU_SOURCE -w -O1 -fno-builtin "$@" "$here/callers.c" -o "$out" -ldl
}
build b.so -shared -fPIC -DPLUGIN
build a.so -shared -fPIC -DPLUGIN "-DNEXT=\"$tmp/b.so\""
build step.so -shared -fPIC -DSTEP
build step_free.so -shared -fPIC -DSTEP -DONLY_FREE
build libc_step.so -shared -fPIC -DOWN -DSTEP_LIBC -DNO_MAIN
build plain
build own -DOWN
build own_free -DOWN -DONLY_FREE
build own_lazy -DOWN -Wl,-z,lazy
build own_now -DOWN -Wl,-z,now

# try NAME PRELOAD PROGRAM...: the same as without the recorder, in every form.
try() {
	name=$1 preload=$2
	shift 2
	without=$(echo "$preload" | sed "s|[^:]*libheft-heap[^:]*||")
	LD_PRELOAD=$without "$@" >"$tmp/plain.out" 2>&1
	status=$?
	[ "$status" -eq 5 ] || fail "$name: status $status without the recorder"
	for form in HEFT_HEAP=on HEFT_HEAP_WIDE=1 HEFT_HEAP_CANARY=1 HEFT_HEAP_STACKS=inline HEFT_HEAP_SAMPLE=4K; do
		timeout 60 env "$form" HEFT_HEAP_OUT="$tmp/heap" LD_PRELOAD="$preload" "$@" >"$tmp/out" 2>&1
		got=$?
		if [ "$got" -ne "$status" ] || ! cmp -s "$tmp/out" "$tmp/plain.out"; then
			fail "$name, $form: status $got, not $status"
			head -n 5 "$tmp/out"
		elif [ ! -s "$tmp/heap" ]; then
			fail "$name, $form: nothing was recorded"
		else
			pass
		fi
		[ "$form" != HEFT_HEAP=on ] || cp "$tmp/heap" "$tmp/$name.heap"
		rm -f "$tmp/heap"
	done
}

for program in plain own own_free own_lazy own_now; do
	try "$program" "$recorder" "$tmp/$program" "$tmp/a.so" "$tmp/b.so"
	export LD_BIND_NOW=1
	try "$program-now" "$recorder" "$tmp/$program" "$tmp/a.so" "$tmp/b.so"
	unset LD_BIND_NOW
done
for step in step step_free libc_step; do
	try "before-$step" "$tmp/$step.so:$recorder" "$tmp/plain" "$tmp/a.so"
	try "after-$step" "$recorder:$tmp/$step.so" "$tmp/plain"
done

# What modules ask for in their own scope is recorded as well.
"$heft" heap show --by module --csv "$tmp/plain.heap" >"$tmp/shown" 2>&1
check "blocks of a module with a scope of its own are recorded" grep -q '12345' "$tmp/shown"
# Where a C library of its own gets a recorded block, it aborts or reads at random; the core tells the block.
for size in 10 100; do
	has gdb gdb "the core of a free past the recorder" || break
	gdb -nx -batch -ex 'set debuginfod enabled off' -ex 'set startup-with-shell off' \
		-ex "set environment LD_PRELOAD $recorder" -ex run -ex "gcore $tmp/core" \
		--args "$tmp/plain" "$size" "$tmp/b.so" >"$tmp/gdb.out" 2>&1
	"$heft" heap check "$tmp/core" >"$tmp/shown" 2>&1
	check "a block of $size bytes that was freed past the recorder" sh -c '
		grep -q "own free or realloc, past the recorder" "$1" && grep -q "block .*, $2 bytes" "$1" || { cat "$1"; exit 1; }' \
		sh "$tmp/shown" "$size"
	rm -f "$tmp/core"
done
finish 70
