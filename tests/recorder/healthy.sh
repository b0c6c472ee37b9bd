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
"$heft" heap snapshot "$pid" -o core 2>said || { cat said && exit 1; }
kill $pid
"$heft" heap check core >found
is "an unrecorded process" 2 $?
is "why" 1 "$(grep -c 'could not examine' found)"

LD_PRELOAD="$recorder" "$program" >out &
pid=$!
trap 'kill $pid; rm -rf "$tmp"' EXIT
while ! grep -q ready out; do
	kill -0 $pid || exit 1
	sleep 0.05
done
accused=0
for i in $(seq $snapshots); do
	"$heft" heap snapshot "$pid" -o core >/dev/null 2>said || { cat said && exit 1; }
	"$heft" heap check core >found 2>&1
	case $? in
	0) ;;
	1) accused=$((accused + 1)) && echo "snapshot $i:" && head -n 3 found ;;
	*) cat found && exit 1 ;;
	esac
	grep -q "no damage found in 0 blocks" found && { cat found && exit 1; }
done
is "snapshots of $snapshots in which damage was found" 0 $accused
finish 3
