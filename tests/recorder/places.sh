#!/bin/sh
# Where the parts of a process are: its modules, the stacks of its threads, the callers of functions without a frame.
# usage: tests/recorder/places.sh HEFT RECORDER
heft=$(realpath "$1")
recorder=$(realpath "$2")
# shellcheck source=tests/lib/test.sh
. "$(dirname "$0")/../lib/test.sh"
scratch
cd "$tmp" || exit 2
trap 'kill $pid 2>/dev/null; rm -rf "$tmp"' EXIT

# start COMMAND...: in the background, until it says that it is ready.
start() {
	: >said
	"$@" >said &
	pid=$!
	until grep -q ready said; do
		kill -0 $pid || exit 1
		sleep 0.05
	done
}

# dump NAME OPTION... -- COMMAND...
dump() {
	name=$1 options=
	shift
	while [ "$1" != -- ]; do
		options="$options $1"
		shift
	done
	shift
	start "$@"
	[ -z "$gone" ] || rm "$gone"
	# shellcheck disable=SC2086 # words
	"$heft" heap snapshot $options -o "$name" $pid 2>denied || {
		! grep -q 'not allowed' denied || skip "other processes may not be looked at here"
		cat denied
		exit 1
	}
	kill $pid
	wait $pid 2>/dev/null
}
gone=

# ---- modules by relative paths -------------------------------------------------------------------
mkdir there elsewhere other
cat >there/plug.c <<'END'
#include <stdlib.h>
__attribute__((noinline)) void *plugged(void) { void *volatile p = malloc(3000); return p; }
void *make(void) { void *p = plugged(); __asm__(""); return p; }
END
cat >there/main.c <<'END'
#include <dlfcn.h>
void *kept;
int main(void)
{
	void *h = dlopen("./plug.so", RTLD_NOW);
	kept = ((void *(*)(void))dlsym(h, "make"))();
	return dlclose(h);
}
END
must cc -g -O1 -fno-builtin -shared -fPIC there/plug.c -o there/plug.so
must cc -g -O1 there/main.c -o there/main -ldl
(cd there && "$heft" heap run -q --recorder "$recorder" -o "$tmp/plug.%p" ./main 2>/dev/null)
mv plug.[0-9]* elsewhere/recording

# named WHAT OPTION...: the plug-in's function has its name.
named() {
	what=$1
	shift
	is "$what" 1 "$("$heft" heap show --by function "$@" elsewhere/recording 2>/dev/null | grep -c ' plugged \[plug.so\]')"
}
named "beside the program"
cp there/plug.so other/plug.so
mv there/plug.so plug.so
named "where heft runs"
mv plug.so elsewhere/
named "beside the recording"
rm elsewhere/plug.so
is "nowhere" 0 "$("$heft" heap show --by function elsewhere/recording 2>/dev/null | grep -c plugged)"
named "in a folder of debug files" -D other
named "below a sysroot" --sysroot other
named "as a program" --exe other/plug.so
named "by a rule for paths" --path-map .=other
cp other/plug.so wrong.so
must cc -g -shared -fPIC there/plug.c -o plug.so -DX -Wl,-z,noseparate-code
is "another build is not used" 0 "$("$heft" heap show --by function elsewhere/recording 2>/dev/null | grep -c 'plugged')"
rm plug.so

# ---- a root of its own ---------------------------------------------------------------------------
cat >inside.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
__attribute__((noinline)) void *contained(void) { void *volatile p = malloc(3000); return p; }
void *kept;
int main(void)
{
	kept = contained();
	puts("ready");
	fflush(stdout);
	pause();
	return 0;
}
END
cat >enter.c <<'END'
#define _GNU_SOURCE
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	if (chroot(argv[1]) != 0 || chdir("/") != 0)
		return 77;
	setenv("LD_PRELOAD", "/recorder.so", 1);
	setenv("HEFT_HEAP_OUT", "", 1);
	execv(argv[2], argv + 2);
	return argc;
}
END
must cc -g -O1 -fno-builtin inside.c -o inside
must cc enter.c -o enter
mkdir root
cp "$recorder" root/recorder.so
cp inside root/inside
for file in $(ldd inside "$recorder" | grep -o '/[^ ]* (' | tr -d ' ('); do
	mkdir -p "root/$(dirname "$file")"
	cp -L "$file" "root/$file"
done
if ./enter root /nothing 2>/dev/null; [ $? -eq 77 ]; then
	left_out "a process with a root of its own" "chroot is not allowed"
else
	start ./enter root /inside
	"$heft" heap show --by function --pid $pid >shown 2>message
	is "through the root of the process" 1 "$(grep -c ' contained ' shown)"
	"$heft" heap snapshot -o chroot.core $pid 2>/dev/null
	kill $pid
	wait $pid 2>/dev/null
	rm root/inside
	is "its core, with the program named" 1 "$("$heft" heap show --by function chroot.core inside 2>/dev/null | grep -c ' contained ')"
fi

# ---- stacks --------------------------------------------------------------------------------------
cat >coroutine.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>
struct node { struct node *next; char rest[100]; } *head;
static ucontext_t outer, inner;
static void held(void)
{
	for (int i = 0; i < 300; i++) {
		struct node *n = malloc(sizeof *n);
		n->next = head;
		head = n;
	}
}
static void *waits(void *arg)
{
	puts("ready");
	fflush(stdout);
	pause();
	return arg;
}
static void run(void) { waits(NULL); }
static void *switches(void *arg)
{
	held();
	getcontext(&inner);
	inner.uc_stack.ss_size = 100000;
	inner.uc_stack.ss_sp = malloc(100000);
	inner.uc_link = &outer;
	makecontext(&inner, run, 0);
	swapcontext(&outer, &inner);
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t t;
	pthread_attr_t own;
	pthread_attr_init(&own);
	if (strcmp(argv[1], "main") == 0)
		switches(NULL);
	if (strcmp(argv[1], "given") == 0) {
		held();
		pthread_attr_setstack(&own, (void *)(((size_t)malloc(400000) + 4095) & ~(size_t)4095), 196608);
	}
	pthread_create(&t, &own, strcmp(argv[1], "thread") == 0 ? switches : waits, NULL);
	return pthread_join(t, NULL);
}
END
must cc -g -O1 -fno-builtin -pthread coroutine.c -o coroutine
# stacks KIND: the threads with a stack, and the heap's own label.
stacks() {
	dump stacks.core -- ./coroutine "$1"
	"$heft" size -d mappings -n 0 --csv stacks.core 2>/dev/null | sed -n 's/^\[\(stack of\|heap\).*/\1/p' | sort | uniq -c | tr -d '\n' | sed 's/  */ /g'
}
is "a coroutine of the first thread" " 1 heap" "$(stacks main)"
is "a coroutine of a thread in its arena" " 1 heap 1 stack of" "$(stacks thread)"
is "a plain thread" " 1 heap 2 stack of" "$(stacks plain)"
is "a stack that the program gave" " 1 heap 2 stack of" "$(stacks given)"
dump given.core -- ./coroutine given
most=$("$heft" size -d mappings -n 0 --csv given.core 2>/dev/null | awk -F, '/stack of thread/ { if ($2 > m) m = $2 } END { print m <= 196608 }')
is "it is no larger than it was given" 1 "$most"
for kind in main thread given; do
	dump leaks.core -- ./coroutine $kind
	is "$kind: no leak" 1 "$("$heft" heap show --leaks leaks.core 2>/dev/null | grep -c '^no leaks')"
done

# ---- callers -------------------------------------------------------------------------------------
cat >deep.c <<'END'
#include <stdio.h>
#include <unistd.h>
__attribute__((noinline)) void third(int n) { char b[200]; b[n] = 1; puts("ready"); fflush(stdout); pause(); __asm__ volatile("" ::"r"(b)); }
__attribute__((noinline)) void second(int n) { char b[300]; b[n] = 1; third(n); __asm__ volatile("" ::"r"(b)); }
int main(int argc, char **argv) { second(argc); (void)argv; return 0; }
END
for how in "-pie -fPIE" -no-pie; do
	# shellcheck disable=SC2086 # words
	must cc -O2 -fomit-frame-pointer $how deep.c -o deep
	gone=deep
	dump deep.core --full -- ./deep
	gone=
	"$heft" heap show --stacks deep.core 2>/dev/null >shown
	is "$how: through a file that is gone" "4 1" "$(grep -c 'deep (deleted)' shown) $(grep -c __libc_start_main shown)"
done

if has go golang-go "callers of Go's functions without a frame"; then
	cat >leaf.go <<'END'
package main

import "fmt"

func main() {
	fmt.Println("ready")
	select {}
}

func init() { go func() { select {} }() }
END
	sed -i 's/select {}$/<-make(chan int)/; s/^func init.*//; s/^import "fmt"/import ("fmt"; "time")/' leaf.go
	sed -i 's/<-make(chan int)/time.Sleep(time.Hour)/' leaf.go
	for how in "" "-s -w"; do
		GOCACHE=$tmp/cache must go build -ldflags "$how" -o leaf leaf.go
		dump leaf.core -- ./leaf
		"$heft" heap show --stacks leaf.core 2>/dev/null >shown
		is "Go $how: who called futex" yes "$([ "$(grep -c 'runtime.futexsleep' shown)" -eq "$(grep -c 'runtime.futex[. ]' shown)" ] && grep -q futexsleep shown && echo yes)"
	done
fi

# ---- threads that ran one after another ------------------------------------------------------------
cat >turns.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
void *kept[50];
int count;
static void *turn(void *arg)
{
	for (int i = 0; i < 10; i++)
		kept[count++] = malloc(1000);
	printf("%d %p\n", (int)syscall(SYS_gettid), kept[count - 1]);
	return arg;
}
int main(void)
{
	pthread_t t;
	for (int i = 0; i < 5; i++) {
		pthread_create(&t, NULL, turn, NULL);
		pthread_join(t, NULL);
	}
	return 0;
}
END
must cc -g -fno-builtin -pthread turns.c -o turns
"$heft" heap run -q --wide --leaks --recorder "$recorder" -o turns.core ./turns >turns.said 2>/dev/null
mv turns.core* turns.dump
"$heft" heap show --by thread --csv turns.dump 2>/dev/null >shown
while read -r thread addr; do
	is "thread of $addr" "$thread" "$("$heft" heap at turns.dump "$addr" 2>/dev/null | grep -o 'thread [0-9]*' | grep -o '[0-9]*' | head -n 1)"
	is "rows by thread have $thread" 1 "$(grep -c "^$thread," shown)"
done <turns.said

# ---- modules that only frame pointers lead to --------------------------------------------------------
cat >middle.c <<'END'
#include <stdlib.h>
void *middle(void)
{
	void *p = malloc(1000);
	__asm__ volatile("" ::: "memory");
	return p;
}
END
cat >outer.c <<'END'
void *middle(void), *kept;
int main(void)
{
	kept = middle();
	return 0;
}
END
must cc -g -fno-omit-frame-pointer -shared -fPIC middle.c -o libmiddle.so
must cc -g -fno-omit-frame-pointer outer.c ./libmiddle.so -o outer
must env HEFT_HEAP_UNWIND=fp "$heft" heap run -q --recorder "$recorder" -o outer.heap ./outer
is "the library between" 1 "$("$heft" heap show outer.heap | grep -c 'middle middle.c:4 \[libmiddle.so\]$')"

# ---- what is no dump -----------------------------------------------------------------------------
while read -r magic words; do
	{
		printf '%b' "$magic"
		head -c 4096 /dev/zero
	} >strange
	for command in "show" "check" "digest"; do
		is "$words: heap $command" "2 1" "$("$heft" heap $command strange >shown 2>message; echo $?) $(grep -c "strange is .*$words.*; heft heap reads cores and recordings" message)"
	done
done <<'END'
MDMP minidump
PAGEDU64 Windows kernel
KDUMP\040\040\040 kdump
EMiL LiME
\0317\0372\0355\0376\007\0\0\01\03\0\0\0\04\0\0\0 Mach-O core
JAVA\0040PROFILE\00401.0.2 Java VM
END
is "a pipe" "2 1" "$(head -c 5000 turns.dump | "$heft" heap show /dev/stdin 2>message; echo $?) $(grep -c 'a pipe' message)"
is "standard input" "2 1" "$("$heft" heap show - 2>message; echo $?) $(grep -c 'no standard input' message)"
is "two dumps" "2 1" "$("$heft" heap show turns.dump given.core 2>message; echo $?) $(grep -c 'heap diff compares two' message)"
head -c 100000 /dev/urandom >noise
is "noise" 2 "$("$heft" heap digest noise >shown 2>message; echo $?)"
finish 51
