#!/bin/sh
# Dumps of processes that nobody recorded: what the C library's chunks tell, against what the program says of itself.
# usage: tests/recorder/unrecorded.sh HEFT PROGRAM     PROGRAM: of unrecorded.c
heft=$(realpath "$1")
program=$(realpath "$2")
# shellcheck source=tests/lib/test.sh
. "$(dirname "$0")/../lib/test.sh"
scratch
cd "$tmp" || exit 2
trap 'kill $pid 2>/dev/null; rm -rf "$tmp"' EXIT
getconf GNU_LIBC_VERSION >libc 2>/dev/null || skip "the C library is not glibc"

# dump KIND: a core of the program, in KIND; what it said, in said.
dump() {
	: >said # else what the program before said counts, until this one begins
	"$program" "$1" >said &
	pid=$!
	until grep -q ready said; do
		kill -0 $pid || exit 1
		sleep 0.05
	done
	# Registers and stack of the output may still lead to blocks, until the program waits.
	until grep -q '^State:.*S' "/proc/$pid/status"; do
		sleep 0.05
	done
	"$heft" heap snapshot -o "$1" $pid 2>denied || {
		! grep -q 'not allowed' denied || skip "other processes may not be looked at here"
		cat denied
		exit 1
	}
	kill $pid
}

# The C library has blocks of its own: a vector of its variables for each thread.
dump none
read -r count bytes large <said
"$heft" heap show --json none >shown 2>/dev/null
"$heft" heap show none >text 2>/dev/null
blocks=$(sed -n 's/^live .* in \([0-9]*\) blocks.*/\1/p' text)
is "blocks: $count and a few of the C library's" yes "$([ $((blocks - count)) -ge 1 ] && [ $((blocks - count)) -le 8 ] && echo yes)"
is "heaps" 1 "$(grep -c "glibc's malloc: 3 heaps; with mappings of their own $large of " text)"
is "it says what is not known" 1 "$(grep -c '^not known *who asked' text)"
sum=$("$heft" heap show --by stack --csv none 2>/dev/null | sed -n '2s/^[^,]*,\([0-9]*\),.*/\1/p')
is "rows are sizes" 1 "$(grep -c '1024..2047' text)"
"$heft" heap check none >text 2>/dev/null
is "nothing is found, and it says what could not be examined" "2 1 0" "$? $(grep -c 'could not examine the blocks' text) $(grep -c suspect text)"
is "also in JSON" 1 "$("$heft" heap check --json none 2>/dev/null | grep -c '"headers": false')"
"$heft" heap show --layout --json none 2>/dev/null >layout
sum=$(sed 's/.*"blocks": \([0-9]*\).*/\1/' layout | grep -x '[0-9]*' | head -n 1)
is "bytes: $bytes and those" yes "$([ $((sum - bytes)) -ge 100 ] && [ $((sum - bytes)) -lt 8000 ] && echo yes)"
free=$(sed 's/.*"free": \([0-9]*\).*/\1/' layout | grep -x '[0-9]*' | head -n 1)
is "heft size agrees" "$sum $free" "$("$heft" size -d allocations --csv -n 0 none 2>/dev/null | awk -F, '
	/^\[unrecorded heap blocks\]/ { blocks = $2 } /^\[free heap\]/ { free = $2 } END { print blocks, free }')"
is "no leak" 0 "$("$heft" heap show --leaks none 2>/dev/null | awk '$NF == "TOTAL" { print $1 }')"
is "and it says so" 1 "$("$heft" heap show --leaks none 2>/dev/null | grep -c "^no leaks: pointers lead to all $blocks blocks")"

dump over
at=$(sed -n 's/^0x//p' said)
"$heft" heap check over >text 2>/dev/null
is "who wrote over the next chunk" "1 1" "$? $(grep -c "suspect *0x$at" text)"
"$heft" heap at over "$at" >text 2>/dev/null
is "the block is known" 1 "$(grep -c "^0x$at: 0 bytes into a live block" text)"

dump leak
"$heft" heap show --leaks --by size leak >text 2>/dev/null
is "what is lost" 1 "$(grep -c '2  32768..65535' text)"
finish 12
