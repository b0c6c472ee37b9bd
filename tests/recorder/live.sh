#!/bin/sh
# heft heap snapshot: gdb opens the core, its memory is right, the process goes on and loses no signal.
# usage: tests/recorder/live.sh HEFT PROGRAM     PROGRAM: of live.c
heft=$(realpath "$1")
program=$(realpath "$2")
# shellcheck source=tests/lib/test.sh
. "$(dirname "$0")/../lib/test.sh"
scratch
trap 'kill -9 $pid 2>/dev/null; rm -rf "$tmp"' EXIT
cd "$tmp" || exit 2

"$program" >out &
pid=$!
while ! grep -q ready out; do
	kill -0 $pid || exit 1
	sleep 0.05
done
"$heft" heap snapshot -v -o core $pid 2>said || {
	! grep -q 'not allowed' said || skip "other processes may not be looked at here"
	cat said
	exit 1
}
is "seven threads" 1 "$(grep -c ' 7 threads' said)"
is "its file is not large" yes "$([ "$(du -k core | cut -f1)" -lt 4000 ] && echo yes)"
is "for its owner only" 600 "$(stat -c %a core)"
check "packed" "$heft" heap snapshot -o packed.zst $pid
check "without a stop" "$heft" heap snapshot --no-stop -o loose $pid
check "full" "$heft" heap snapshot --full -o full $pid
for _ in 1 2 3 4 5 6 7 8; do check "again" "$heft" heap snapshot -o again $pid; done
# A snapshot that is killed while the process stands still takes no signal with it.
stood=0 tries=0
while [ $stood -lt 10 ] && [ $tries -lt 400 ]; do
	"$heft" heap snapshot --full --stream -o killed $pid 2>said &
	while kill -0 $! && ! grep -q '^State:.t' /proc/$pid/status; do :; done
	! grep -q '^State:.t' /proc/$pid/status || stood=$((stood + 1))
	kill -KILL $!
	wait $!
	tries=$((tries + 1))
done 2>/dev/null
rm -f killed*
is "some were killed while it stood still" yes "$([ $stood -gt 0 ] && echo yes)"
cut=0
for tenth in 1 2 3 4 5 6 7 8 9; do
	for signal in INT TERM KILL; do
		"$heft" heap snapshot --full -o cut$signal $pid 2>said &
		sleep 0.00$tenth
		kill -$signal $!
		wait $! || cut=$((cut + 1))
	done
done 2>/dev/null
is "some were cut off" yes "$([ $cut -gt 0 ] && echo yes)"
is "nothing is left of them" 0 "$(find . -name 'cutINT.*' -o -name 'cutTERM.*' | wc -l)"
# A whole core has another name for a moment, before it takes the place of the old one.
half=0
"$heft" heap show full >shown 2>said
whole=$?
for left in cutKILL.*; do
	[ -e "$left" ] || continue
	"$heft" heap show "$left" >shown 2>said
	[ $? -eq $whole ] && ! grep -q 'lost at its end' shown || half=$((half + 1))
done
is "nothing half written is left of those killed" 0 $half
rm -f cut*
is "nobody traces it" "TracerPid:	0" "$(grep TracerPid /proc/$pid/status)"

kill -STOP $pid
check "stopped" "$heft" heap snapshot -o stopped $pid
sleep 0.1
check "written while it stands still" "$heft" heap snapshot --stream -o streamed $pid
# A group with little memory left: the copy is not made, and nobody is killed for lack of memory.
group=$(sed -n 's/^[0-9]*:memory:\(.*\)/\/sys\/fs\/cgroup\/memory\1/p' /proc/self/cgroup)
limit=memory.limit_in_bytes
[ -n "$group" ] || { group=/sys/fs/cgroup limit=memory.max; }
small=$group/heft-live-$$
if mkdir "$small" 2>/dev/null && echo 60000000 2>/dev/null >"$small/$limit"; then
	sh -c 'echo $$ >"$1/cgroup.procs" && shift && exec "$@"' sh "$small" "$heft" heap snapshot -v --full -o small $pid 2>said
	is "a snapshot in a small group" "0 1" "$? $(grep -cE 'of [0-5]?[0-9][.][0-9] MB that were free' said)"
	is "it is as large as another" yes "$("$heft" heap snapshot --full -o full2 $pid && [ "$(wc -c <full2)" -eq "$(wc -c <small)" ] && echo yes)"
else
	left_out "a snapshot where memory is short" "no control group of memory can be made here"
fi
rmdir "$small" 2>/dev/null
sleep 0.1
is "a stopped process stays so" T "$(sed -n 's/^State:.\(.\).*/\1/p' /proc/$pid/status)"
kill -CONT $pid
kill -TERM $pid
wait $pid
is "no signal is lost" "80000 of 80000" "$(tail -n 1 out)"

! has zstd zstd "a packed core unpacked" || check "unpacked" zstd -q -d packed.zst -o packed
if has readelf binutils "readelf on a core"; then
	# Registers of threads that were just stopped may differ.
	first=$(readelf -lW streamed | awk '$1 == "LOAD" && $5 != "0x000000" { print $2; exit }')
	is "the same memory" yes "$(cmp -i $((first)) stopped streamed && echo yes)"
	readelf -lnW core >notes 2>&1
	is "readelf has nothing to say" 0 "$(grep -c -i 'warning\|error' notes)"
	is "threads" 7 "$(grep -c NT_PRSTATUS notes)"
	is "the text is in the full one alone" "0 1" "$(readelf -lW core | awk '$1 == "LOAD" && /R E/ && $5 != "0x000000" &&
		$5 != "0x001000" && $5 != "0x002000"' | wc -l) $(readelf -lW full | awk '$1 == "LOAD" && /R E/ && $5 != "0x000000"' |
		awk 'END { print (NR > 2) }')"
fi
if has gdb gdb "gdb on a core"; then
	for core in core packed loose full again stopped; do
		[ $core != packed ] || [ -f packed ] || continue # unpacked where zstd is there
		gdb -nx -batch -ex 'print known' -ex 'print/c known[99999]' -ex 'print/c big[12582912 + 4999]' \
			-ex 'print/c big[12582912 + 5000]' -ex 'print/c big[1]' -ex 'info sharedlibrary' -ex 'thread apply all bt' \
			"$program" $core >said 2>&1
		is "$core: memory" "1 1 1 2" "$(grep -c '"known memory"' said) $(grep -c "107 'k'" said) $(grep -c "98 'b'" \
			said) $(grep -c "= 0 '" said)"
		is "$core: libraries" 1 "$(grep -c 'libc.so' said)"
		# Without a stop only the program counters of those that wait are known.
		[ $core = loose ] || is "$core: stacks" 5 "$(grep -c 'in waits_here' said)"
	done
fi

"$heft" heap snapshot $pid 2>said
is "no such process" "2 heft: process $pid: No such process" "$? $(cat said)"
"$heft" heap snapshot abc 2>said
is "no number" "2 heft: 'abc' is no process id" "$? $(cat said)"
is "nothing else is left" "" "$(find . -name '*.??????' -newer out -name 'core.*')"
finish 20
