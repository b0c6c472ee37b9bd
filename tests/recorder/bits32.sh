#!/bin/sh
# 32-bit programs: recorded by heft heap run, also as children of 64-bit ones and the other way; malloc and its kin keep
# their promises; stacks are those of libgcc's unwinder.
# usage: tests/recorder/bits32.sh HEFT RECORDER32 VERIFY32 OPTION...   OPTION: -m32 and what it needs
heft=$(realpath "$1") both=$(dirname "$(dirname "$(realpath "$2")")")'/heft/$LIB/libheft-heap.so' verify=$(realpath "$3")
shift 3
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/lib/test.sh
. "$here/../lib/test.sh"
scratch
cd "$tmp" || exit 2

# By the name that both kinds of programs know: this one starts shells.
alone() {
	env "$1" sh -c 'LD_PRELOAD=$0 exec "$@"' "$both" ./api 2>&1
}

cat >a.c <<'END'
#include <stdlib.h>
void *volatile kept;
__attribute__((noinline)) void make(int n) { kept = malloc(n); __asm__ volatile("" ::: "memory"); }
__attribute__((noinline)) void deep(int d) { if (d > 0) deep(d - 1); else make(4321); __asm__ volatile("" ::: "memory"); }
int main(int argc, char **argv)
{
	deep(5);
	return argc > 1 ? system(argv[1]) != 0 : 0;
}
END
if ! cc "$@" -w -O2 -g a.c -o a32 2>said || ! ./a32; then
	left_out "32-bit programs" "cc $* makes none that runs: $(head -n 1 said)" libc6-dev-i386
	finish 0
fi
must cc -w -O2 -g a.c -o a64
"$heft" heap run -o one.%p ./a32 2>said
is "recorded" "0 1" "$? $(grep -c 'wrote .*/one\.[0-9]*; to look' said)"
is "its stack" "make deep deep deep deep deep deep main" "$("$heft" heap show --folded one.* 2>/dev/null |
	sed -n 's/()//g; s/.*\(main;.*;make\) 4321$/\1/p' | tr ';' '\n' | tac | tr '\n' ' ' | sed 's/ $//')"
"$heft" heap run -q -o down.%p ./a64 ./a32
is "of a 64-bit program" 3 "$(find . -name 'down.*' | wc -l)"
"$heft" heap run -q -o up.%p ./a32 "./a64; ./a32"
is "a 64-bit program of it" 4 "$(find . -name 'up.*' | wc -l)"
is "nothing is said" "" "$("$heft" heap run -q -o said.%p ./a32 ./a64 2>&1)"
"$heft" heap run -o kept.%p --leaks ./a32 2>said
is "its memory is not kept" "1 1" "$(grep -c 'to look: heft heap show /' said) $(grep -c 'has no leaks: the memory of ./a32' said)"

must cc "$@" -w -O1 -fno-builtin -D_GNU_SOURCE "$here/api.c" -o api -lpthread
is "plain" "good" "$(./api 2>&1)"
for form in HEFT_HEAP=on HEFT_HEAP_CHECK=1 HEFT_HEAP_WIDE=1 HEFT_HEAP_CANARY=1 HEFT_HEAP_STACKS=inline HEFT_HEAP_SAMPLE=16 \
	HEFT_HEAP_SAMPLE=64K HEFT_HEAP_DEPTH=3 HEFT_HEAP_UNWIND=fp; do
	is "$form" "good" "$(alone $form)"
done

cat >signals.c <<'END'
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
void *volatile kept;
static void plain(int n) { for (int i = 0; i < 20; i++) free(malloc(i)); }
static void full(int n, siginfo_t *i, void *c) { plain(n); }
__attribute__((noinline)) int work(int n) { kept = malloc(n); raise(SIGUSR1); raise(SIGUSR2); free(kept); return n + 1; }
int main(void)
{
	struct sigaction a = { .sa_sigaction = full, .sa_flags = SA_SIGINFO };
	signal(SIGUSR1, plain);
	sigaction(SIGUSR2, &a, NULL);
	for (int i = 0; i < 200; i++)
		work(i);
	puts("done");
	return 0;
}
END
for flags in "-O0" "-O2" "-O2 -fno-omit-frame-pointer" "-Os -fPIE -pie"; do
	# shellcheck disable=SC2086 # options
	must cc "$@" -w $flags signals.c -o signals
	rm -f out
	is "$flags: the same" "done" "$(HEFT_HEAP_UNWIND=tables HEFT_HEAP_CHECK=1 HEFT_VERIFY_EACH=1 HEFT_VERIFY_OUT=$tmp/out \
		sh -c 'LD_PRELOAD=$0 exec ./signals' "$verify")"
	is "$flags: stacks" "yes 0" "$(awk '{ checked += $2; different += $4 } END { print (checked > 100 ? "yes" : checked), different + 0 }' out)"
done
finish 20
