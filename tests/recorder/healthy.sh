#!/bin/sh
# Nothing is found in snapshots of a healthy process, at whatever moment its threads were stopped; of one that is not
# recorded, that it could not be examined.
# usage: tests/recorder/healthy.sh HEFT RECORDER PROGRAM    PROGRAM: churn.c
heft=$(realpath "$1")
recorder=$(realpath "$2")
program=$(realpath "$3")
# shellcheck source=tests/lib/test.sh
. "$(dirname "$0")/../lib/test.sh"
scratch
cd "$tmp" || exit 2
snapshots=40

"$program" >out &
pid=$!
while ! grep -q ready out; do
	kill -0 $pid || exit 1
	sleep 0.05
done
# It loses nothing, wherever its threads are in the allocator; a snapshot between two writes may tell nothing.
told=0
leaks=0
for i in $(seq 12); do
	"$heft" heap snapshot "$pid" -o core >/dev/null 2>said || { cat said && exit 1; }
	"$heft" heap show --leaks --exit-code core >found 2>&1
	case $? in
	0) told=$((told + 1)) ;;
	1) leaks=$((leaks + 1)) && cat found ;;
	esac
done
is "snapshots of an unrecorded process with leaks" 0 $leaks
is "most of them tell ($told of 12)" yes "$([ $told -ge 6 ] && echo yes)"
kill $pid
"$heft" heap check core >found
is "an unrecorded process" 2 $?
is "why" 1 "$(grep -c 'could not examine' found)"

# What cannot be examined: processes that are not recorded, whole dumps and cut-off ones.
unexamined=0
for other in "sleep 99" "tail -f /dev/null" cat sort "sed -n p"; do
	mkfifo in.$unexamined
	# shellcheck disable=SC2086 # words
	$other <in.$unexamined >/dev/null &
	exec 9>in.$unexamined
	pid=$!
	sleep 0.1
	"$heft" heap snapshot "$pid" -o other.core >/dev/null 2>said || { cat said && exit 1; }
	exec 9>&-
	kill $pid 2>/dev/null
	head -c $(($(wc -c <other.core) / 2)) other.core >half.core
	for dump in other.core half.core; do
		"$heft" heap check $dump >found 2>&1
		is "$other, $dump" 2 $?
		grep -q 'could not examine' found && unexamined=$((unexamined + 1))
	done
done
is "dumps that cannot be examined" 10 $unexamined

rm out
LD_PRELOAD="$recorder" "$program" >out &
pid=$!
trap 'kill $pid; rm -rf "$tmp"' EXIT
while ! grep -q ready out 2>/dev/null; do
	kill -0 $pid || exit 1
	sleep 0.05
done
accused=0
for i in $(seq $snapshots); do
	"$heft" heap snapshot "$pid" -o core >/dev/null 2>said || { cat said && exit 1; }
	# Its threads would have all processors.
	kill -STOP $pid
	"$heft" heap check core >found 2>&1
	status=$?
	kill -CONT $pid
	case $status in
	0) ;;
	1) accused=$((accused + 1)) && echo "snapshot $i:" && head -n 20 found ;;
	*) cat found && exit 1 ;;
	esac
	grep -q "no damage found in 0 blocks" found && { cat found && exit 1; }
done
is "snapshots of $snapshots in which damage was found" 0 $accused
finish 15
