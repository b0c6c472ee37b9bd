#!/bin/sh
# Recordings and cores of AArch64 programs, by QEMU's user mode. The recorder follows frame pointers there, and
# notes the files of the frames. The cores hold no file's pages and no list of files.  The program that the user
# names is placed by its entry, its libraries by the dynamic linker's list; the stack is the one that the source has.
# usage: tests/recorder/foreign.sh HEFT
heft=$(realpath "$1")
# shellcheck source=tests/lib/test.sh
. "$(dirname "$0")/../lib/test.sh"
here=$(cd "$(dirname "$0")/.." && pwd) || exit 2
need aarch64-linux-gnu-gcc g++-aarch64-linux-gnu
need qemu-aarch64 qemu-user
scratch
cd "$tmp" || exit 2
# shellcheck disable=SC3045 # a shell without ulimit -c has no test of it
ulimit -c unlimited 2>/dev/null || skip "cores are not allowed"

cat >deep.c <<'END'
#include <stdlib.h>
__attribute__((noinline)) void deep(int n)
{
	if (n > 0)
		deep(n - 1);
	else
		abort();
	__asm__ volatile("" ::: "memory");
}
__attribute__((noinline)) void middle(void)
{
	deep(4);
	__asm__ volatile("" ::: "memory");
}
int main(void)
{
	middle();
	return 0;
}
END
cat >kept.c <<'END'
#include <stdlib.h>
void *kept;
__attribute__((noinline)) void keep(void)
{
	kept = malloc(1000);
}
int main(void)
{
	keep();
	return 0;
}
END
top=$(dirname "$here")
must aarch64-linux-gnu-gcc -shared -fPIC -O1 -std=c11 -D_GNU_SOURCE -DHEFT_VERSION='"0"' "-I$top/src" "-I$top/recorder" \
	"$top"/recorder/*.c -o recorder.so -pthread
must aarch64-linux-gnu-gcc -g -O1 kept.c -o kept
must qemu-aarch64 -L /usr/aarch64-linux-gnu -E "LD_PRELOAD=$PWD/recorder.so" -E "HEFT_HEAP_OUT=$PWD/kept.heap" ./kept
is "recording: the stack of the source" "keep main" \
	"$("$heft" heap show --sysroot /usr/aarch64-linux-gnu kept.heap | sed -n 's/^.* \([a-z]*\) kept.c:[0-9]* \[kept\]$/\1/p' | tr '\n' ' ' | sed 's/ $//')"
is "recording: up to the start" 1 "$("$heft" heap show --sysroot /usr/aarch64-linux-gnu kept.heap 2>/dev/null | grep -c '^ *_start \[kept\]$')"

want="deep deep deep deep deep middle main"
for how in "-O1 -static" "-O1 -pie -fPIE" "-O2 -pie -fPIE -fomit-frame-pointer"; do
	rm -f ./*.core
	# shellcheck disable=SC2086 # words
	must aarch64-linux-gnu-gcc -g $how deep.c -o deep
	qemu-aarch64 -L /usr/aarch64-linux-gnu ./deep 2>/dev/null
	core=$(find . -name 'qemu_deep_*.core')
	"$heft" heap show --stacks --sysroot /usr/aarch64-linux-gnu "$core" ./deep >shown 2>/dev/null
	is "$how: the stack of the source" "$want" "$(sed -n 's/^ *\([a-z]*\) at .*deep.c:[0-9]* \[deep\]$/\1/p' shown | tr '\n' ' ' | sed 's/ $//')"
	is "$how: up to the start" 1 "$(grep -c '^ *_start \[deep\]$' shown)"
done
finish 8
