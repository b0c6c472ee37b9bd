#!/bin/sh
# The link line of docs/heap-recorder.md, for C and C++ by gcc and clang, with glibc and musl: the stacks of static programs
# are those of the same program, linked dynamically.
# usage: tests/recorder/static.sh HEFT LIBHEFT-HEAP.A DOCS/HEAP-RECORDER.MD HEFT-HEAP.PC
heft=$(realpath "$1")
archive=$(realpath "$2")
page=$(realpath "$3")
config=$(realpath "$4")
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
__attribute__((noinline)) void *more(int n)
{
	void *p = calloc(1, n);
	p = realloc(p, n + 100000);
	__asm__ volatile("" : : "r"(p) : "memory");
	return p;
}
__attribute__((noinline)) void deep(int n)
{
	if (n > 0)
		deep(n - 1);
	else
		make(4321);
	__asm__ volatile("" ::: "memory");
}
int main(void)
{
	make(54321);
	kept = more(777);
	deep(20);
	return 0;
}
END
sed 's/malloc(n)/new char[n]/; s/calloc(1, n)/malloc(n)/' a.c >a.cc

# What stands behind the compiler in the page.
options=$(sed -n '/^    cc .*libheft-heap.a/,/^$/p' "$page" | tr -d '\\\n' | sed 's/.*\.\.\. *libheft-heap.a//')
is "options are in the page" 1 "$(echo "$options" | grep -c -e '--wrap=malloc,')"

# words OPTIONS: one a line, in order.
words() {
	echo "$*" | tr ' ' '\n' | sed '/^$/d'
}
if has pkg-config pkg-config "the link line by pkg-config"; then
	is "the link line by pkg-config" "$(words "$options")" \
		"$(words "$(pkg-config --static --libs "$config")" | sed '/libheft-heap.a$/d')"
fi

# musl from 1.2.4 on has none of these.
if [ "$(getconf LONG_BIT)" = 64 ]; then
	is "calls of a second form for large files" "" "$(nm "$archive" 2>/dev/null | grep ' U .*64$')"
fi

# stacks PROGRAM: sizes and stacks of the functions that are the program's, up to main.
stacks() {
	rm -f out.*
	HEFT_HEAP_OUT=out.%p "./$1"
	"$heft" heap show --folded out.* 2>/dev/null | sed -n 's/()//g; s/^\(.*;\)*\(main;.*\)$/\2/p' | sort
}

# same COMPILER SOURCE PACKAGE [FORM]: FORM "" links libstdc++ in, for only then is its operator new recorded.
same() {
	compiler=$1 source=$2 package=$3 dynamic=$4
	has "$compiler" "$package" "$compiler -static" || return 0
	for form in static dynamic; do
		[ $form = static ] && how=-static
		[ $form = dynamic ] && how=$dynamic
		# shellcheck disable=SC2086 # words
		if ! "$compiler" -g -O1 $how "$source" -o $form "$archive" $options 2>said; then
			fail "$compiler: $(head -n 2 said)"
			return
		fi
		stacks $form >$form.stacks
	done
	is "$compiler: stacks of main" 3 "$(wc -l <static.stacks)"
	is "$compiler: one is deep" 1 "$(grep -c '\(deep;\)\{21\}make' static.stacks)"
	"$heft" heap run -q --leaks -o kept.%p ./static
	is "$compiler: run by heft, its memory kept" core "$("$heft" heap show kept.* 2>/dev/null | sed -n 's/^process.*; //p')"
	rm -f kept.*
	is "$compiler: static as dynamic" "$(cat dynamic.stacks)" "$(cat static.stacks)"
}
same gcc a.c gcc ""
same g++ a.cc g++ -static-libstdc++
same clang a.c clang ""
same clang++ a.cc clang -static-libstdc++
same musl-gcc a.c musl-tools ""
finish 13
