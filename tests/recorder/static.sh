#!/bin/sh
# The link line of docs/heap-recorder.md, for C and C++ by gcc and clang: static programs have whole stacks.
# usage: tests/recorder/static.sh HEFT LIBHEFT-HEAP.A DOCS/HEAP-RECORDER.MD
heft=$(realpath "$1")
archive=$(realpath "$2")
page=$(realpath "$3")
# shellcheck source=tests/lib/test.sh
. "$(dirname "$0")/../lib/test.sh"
scratch
cd "$tmp" || exit 2

cat >a.c <<'END'
#include <stdlib.h>
void *volatile kept;
__attribute__((noinline)) void make(int n)
{
	kept = malloc(n);
	__asm__ volatile("" ::: "memory");
}
int main(void)
{
	make(54321);
	return 0;
}
END
sed 's/malloc(n)/new char[n]/' a.c >a.cc

# What stands behind the compiler in the page.
options=$(sed -n '/^    cc .*libheft-heap.a/,/^$/p' "$page" | tr -d '\\\n' | sed 's/.*\.\.\. *libheft-heap.a//')
is "options are in the page" 1 "$(echo "$options" | grep -c -e '--wrap=malloc,')"

whole() {
	compiler=$1 source=$2 package=$3
	has "$compiler" "$package" "$compiler -static" || return 0
	# shellcheck disable=SC2086 # words
	if ! "$compiler" -g -O1 -static "$source" -o program "$archive" $options 2>said; then
		fail "$compiler: $(head -n 2 said)"
		return
	fi
	rm -f out.*
	HEFT_HEAP_OUT=out.%p ./program
	"$heft" heap show out.* >shown
	is "$compiler: the whole stack" 1 "$(awk '/make/ { m = NR } /main/ && m && NR > m { print 1; exit }' shown)"
}
whole gcc a.c gcc
whole g++ a.cc g++
whole clang a.c clang
whole clang++ a.cc clang
finish 3
