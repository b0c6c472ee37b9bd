#!/bin/sh
# Lengths, branches and their targets of Thumb-2 and RISC-V code against llvm-objdump, of AVR and Xtensa against GNU's, on
# libraries for these machines; of x86-64 code with Intel's APX on what clang makes of heft's own sources; of RISC-V
# extensions on all their encodings.
# usage: flow_lengths.sh FLOW_LENGTHS     QUICK=1: a few libraries, not five million instructions of each
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/lib/test.sh
. "$here/../lib/test.sh"
flow_lengths=$(realpath "$1") || exit 2
need llvm-objdump-19 llvm-19
scratch

# libraries FOLDER NAME...: paths of those below the folder.
libraries() {
	folder=$1
	shift
	for name in "$@"; do
		find "$folder" -name "$name" -size +100k 2>/dev/null
	done | sort
}

# compare ISA FLAGS FILE: a line of counts to $tmp/counts.
compare() {
	# shellcheck disable=SC2086 # flags are words or none
	"${objdump:-llvm-objdump-19}" -d $2 "$3" 2>/dev/null >"$tmp/lines"
	check "$1 code of $3" "$flow_lengths" "$1" <"$tmp/lines"
	"$flow_lengths" "$1" <"$tmp/lines" | tail -n 1 >>"$tmp/counts.$1"
}

[ -n "${QUICK:-}" ] && most=4 || most=1000
for file in $(libraries /usr/lib/arm-none-eabi/newlib/thumb libc.a libm.a libstdc++.a | grep -v '/v6-m\|base' | head -n "$most"); do
	compare thumb '' "$file"
done
for file in $(libraries /usr/lib/picolibc/riscv64-unknown-elf/lib/release libc.a | grep rv32 | head -n "$most"); do
	compare riscv32 '' "$file"
done
for file in $(libraries /usr/riscv64-linux-gnu/lib 'lib*.so.*' | head -n "$most") \
	$(libraries /usr/lib/picolibc/riscv64-unknown-elf/lib/release libc.a | grep rv64 | head -n "$most") \
	$(libraries /usr/lib/gcc-cross/riscv64-linux-gnu '*.a' | head -n "$most"); do
	compare riscv64 '' "$file"
done
if command -v avr-objdump >/dev/null; then
	objdump=avr-objdump
	for file in $(libraries /usr/lib/avr/lib 'lib[cm].a' | head -n "$most") $(libraries /usr/lib/gcc/avr 'lib*.a' | head -n "$most"); do
		compare avr '' "$file"
	done
fi
if command -v xtensa-lx106-elf-objdump >/dev/null; then
	objdump=xtensa-lx106-elf-objdump
	for file in $(libraries /usr/lib/xtensa-lx106-elf/lib 'lib*.a' | head -n "$most") \
		$(libraries /usr/lib/gcc/xtensa-lx106-elf 'lib*.a' | head -n "$most"); do
		compare xtensa '' "$file"
	done
fi
objdump=llvm-objdump-19
if command -v clang-19 >/dev/null; then
	for source in "$here"/../../src/code/*.c; do
		case $source in
		*_table.c) continue ;; # without code
		esac
		object=$tmp/$(basename "$source" .c).o
		clang-19 -std=gnu11 -O2 -w -mapxf -I"$here/../../include" -I"$here/../../src" -c "$source" -o "$object" || continue
		compare x86-64 '' "$object"
	done
else
	left_out "x86-64 code with APX" "no clang-19" clang-19
fi
# encodings: a line of assembly for every compressed instruction, and some for the opcodes of vendors.
encodings() {
	awk 'BEGIN {
		srand(1)
		for (i = 0; i < 65536; i++)
			if (i % 4 != 3)
				printf ".insn 2, %d\n", i
		for (op = 11; op < 128; op += op == 43 ? 48 : 16) # 0x0b, 0x1b, 0x2b, 0x5b, 0x6b, 0x7b
			for (i = 0; i < 4000; i++)
				printf ".insn 4, 0x%04x%04x\n", int(rand() * 65536), int(rand() * 512) * 128 + op
		for (i = 0; i < 40000; i++)
			printf ".insn 6, 0x%04x%04x%04x\n", int(rand() * 65536), int(rand() * 65536), int(rand() * 512) * 128 + 31
	}' >"$tmp/encodings.s"
}
if command -v llvm-mc-22 >/dev/null && command -v llvm-objdump-22 >/dev/null; then
	encodings
	objdump=llvm-objdump-22
	for set in riscv32-zcmp:+zcmp,+zcmt riscv32-xqci:+xqci,+xqccmp riscv32-xcv:+xcvbi riscv64-xandes:+xandesperf; do
		must llvm-mc-22 -triple="${set%-*}" -mattr=+c,-relax -filetype=obj "$tmp/encodings.s" -o "$tmp/${set%:*}.o"
		compare "${set%:*}" "--mattr=+c,+m,${set#*:}" "$tmp/${set%:*}.o"
	done
else
	left_out "extensions of RISC-V" "no llvm-mc-22" llvm-22
fi
[ -e "$tmp/counts.thumb" ] || left_out "Thumb code" "no libraries" libnewlib-arm-none-eabi
[ -e "$tmp/counts.riscv64" ] || left_out "RISC-V code" "no libraries" libc6-riscv64-cross
for counts in "$tmp"/counts.*; do
	[ -e "$counts" ] || skip "no libraries of these machines" libnewlib-arm-none-eabi
	awk -v isa="${counts##*.}" '{ n += $1; d += $3 } END { print isa ": " n " instructions, " d " differ" }' "$counts"
done
finish 3
