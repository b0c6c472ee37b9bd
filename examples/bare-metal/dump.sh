#!/bin/sh
# Runs a program in qemu until its serial line says "done" and saves a range of its memory.
# usage: dump.sh QEMU MACHINE ELF START SIZE DUMP LOG
qemu=$1 machine=$2 elf=$3 start=$4 size=$5 dump=$6 log=$7
export QEMU_AUDIO_DRV=none
rm -f "$dump" "$log"
{
	tries=0
	while ! grep -qs '^done' "$log" && [ $((tries += 1)) -lt 300 ]; do
		sleep 0.1
	done
	echo "pmemsave $start $size \"$dump\""
	echo quit
} | "$qemu" -M "$machine" -kernel "$elf" -display none -serial "file:$log" -monitor stdio >/dev/null || exit 1
grep -q '^done' "$log" && [ -s "$dump" ]
