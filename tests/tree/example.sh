#!/bin/sh
# The example program of docs/ measures a file rightly and finds an address.
# usage: tests/tree/example.sh EXAMPLE FILE
out=$("$1" "$2") || exit 1
echo "$out" | head -n 5
total=$(echo "$out" | sed -n 's/^ *\([0-9]*\) TOTAL$/\1/p')
size=$(wc -c <"$2")
[ "$total" -eq "$size" ] || { echo "TOTAL is $total, the file has $size bytes" && exit 1; }
echo "$out" | grep -q '^0x[0-9a-f]* is in ..*, ..*' || { echo "no address found" && exit 1; }
"$1" /nonexistent 2>/dev/null && { echo "a missing file is no failure" && exit 1; }
exit 0
