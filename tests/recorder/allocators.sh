#!/bin/sh
# Processes whose memory another allocator than glibc's malloc gave: heft says who that is, and that it does not know what is
# live.
# usage: tests/recorder/allocators.sh HEFT RECORDER PROGRAM     PROGRAM: of unrecorded.c
heft=$(realpath "$1")
recorder=$(realpath "$2")
program=$(realpath "$3")
# shellcheck source=tests/lib/test.sh
. "$(dirname "$0")/../lib/test.sh"
scratch
cd "$tmp" || exit 2
trap 'kill $pid 2>/dev/null; rm -rf "$tmp"' EXIT

# dump COMMAND...: a core of what it runs, once it says that it is ready.
dump() {
	: >said
	"$@" >said &
	pid=$!
	until grep -q ready said; do
		kill -0 $pid || exit 1
		sleep 0.05
	done
	"$heft" heap snapshot -o core $pid 2>denied || {
		! grep -q 'not allowed' denied || skip "other processes may not be looked at here"
		cat denied
		exit 1
	}
	kill $pid
	wait $pid 2>/dev/null
}

# told WHAT NAME: no number is stated, the name is.
told() {
	"$heft" heap show core >shown 2>message
	is "$1: status" 2 $?
	is "$1: nothing is live, it says" 0 "$(grep -c '^live *[0-9]' shown)"
	is "$1: who" 1 "$(grep -c "^live *not known: $2 gave the memory" shown)"
	"$heft" heap show --leaks --exit-code core >leaks 2>>message
	is "$1: leaks" "2 0" "$? $(wc -l <leaks)"
	"$heft" heap digest core >line 2>>message
	is "$1: digest" "2 1" "$? $(grep -c '"live_bytes": null, "live_blocks": null, "unknown": "'"$2"' gave.*"leaked_bytes": null' line)"
	is "$1: layout" 1 "$("$heft" heap show --layout core 2>/dev/null | grep -c "^the layout of the heap is not known: $2 gave")"
	is "$1: layout as JSON" 1 "$("$heft" heap show --layout --json core 2>/dev/null | grep -c '"unknown": "'"$2")"
	is "$1: JSON" 1 "$("$heft" heap show --json core 2>/dev/null | grep -c '"live_bytes": null')"
}

cat >held.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
void *kept[2000];
int main(void)
{
	for (int i = 0; i < 2000; i++) {
		kept[i] = malloc(50 + i);
		free(malloc(70));
	}
	puts("ready");
	fflush(stdout);
	pause();
	return 0;
}
END
while read -r file name; do
	other=$(find /usr/lib -name "$file" 2>/dev/null | head -n 1)
	[ -n "$other" ] || {
		left_out "a heap of $file" "is not installed"
		continue
	}
	dump env LD_PRELOAD="$other" "$program" none
	told "$file" "$name"
done <<'END'
libjemalloc.so.2 jemalloc
libmimalloc.so.2 mimalloc
libtcmalloc_minimal.so.4 tcmalloc
END

if has musl-gcc musl-tools "a heap of musl"; then
	for how in "" -static "-static -s"; do
		# shellcheck disable=SC2086 # words
		must musl-gcc -fno-builtin $how held.c -o musl
		dump ./musl
		told "musl $how" "musl's malloc"
	done
fi
if has go golang-go "a heap of Go"; then
	cat >held.go <<'END'
package main

import (
	"fmt"
	"time"
)

var kept [][]byte

func main() {
	for i := 0; i < 2000; i++ {
		kept = append(kept, make([]byte, 50+i))
	}
	fmt.Println("ready")
	time.Sleep(time.Hour)
}
END
	for how in "" "-s -w"; do
		GOCACHE=$tmp/cache must go build -ldflags "$how" -o goes held.go
		dump ./goes
		told "Go $how" "Go's runtime"
	done
fi

# The program's own.
cat >own.c <<'END'
#include <stddef.h>
static char room[1 << 22], *at = room;
void *malloc(size_t n) { void *p = at; at += (n + 31) & ~(size_t)15; return p; }
void free(void *p) { (void)p; }
void *calloc(size_t a, size_t b) { return malloc(a * b); }
END
must cc -fno-builtin held.c own.c -o own
dump ./own
told "its own malloc" "the malloc of own"

# A program that asks for nothing holds nothing.
cat >none.c <<'END'
#include <unistd.h>
int main(void)
{
	write(1, "ready\n", 6);
	pause();
	return 0;
}
END
must cc none.c -o none
dump ./none
"$heft" heap show core >shown 2>/dev/null
is "nothing at all" "0 1" "$? $(grep -c '^live *0 in 0 blocks' shown)"

# Under the recorder a library that gives malloc its memory is nothing more to tell of; what is linked into the program is.
other=$(find /usr/lib -name libmimalloc.so.2 2>/dev/null | head -n 1)
[ -z "$other" ] || {
	must cc -fno-builtin held.c -Wl,--no-as-needed "$other" -o through
	HEFT_HEAP_OUT='' dump env LD_PRELOAD="$recorder" ./through
	"$heft" heap show core >shown 2>/dev/null
	is "through the recorder" "0 0" "$? $(grep -c 'not known  what' shown)"
}
cat >inside.c <<'END'
char room[4096], *at = room;
void *_rjem_malloc(unsigned long n) { return at += n; }
END
must cc -fno-builtin held.c inside.c -o inside
HEFT_HEAP_OUT='' dump env LD_PRELOAD="$recorder" ./inside
"$heft" heap show core >shown 2>/dev/null
is "past the recorder" "2 1" "$? $(grep -c '^live .*jemalloc gave memory past the recorder' shown)"
finish 20
