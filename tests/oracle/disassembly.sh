#!/bin/sh
# Instructions of `heft blocks --disassemble` against llvm-objdump: all start where it says, and what is not listed is
# padding.  Of programs of clang with maps, and of heft-browse, whose blocks are derived.
# usage: disassembly.sh HEFT
set -u
LC_ALL=C
export LC_ALL
heft=$(realpath "$1") || exit 2
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/lib/test.sh
. "$here/../lib/test.sh"
need llvm-objdump-19 llvm-19 clang-19 clang-19 ld.lld-19 lld-19
scratch
cd "$tmp" || exit 2
"$heft" blocks --disassemble "$heft" >/dev/null 2>err || {
	! grep -q 'without a disassembler' err || skip "no disassembler in heft" libcapstone-dev
	cat err
	exit 1
}

cat >a.c <<'C'
int table[64];
double scale(double x, int n) { return n > 3 ? x * 2.5 : x / n; }
static int odd(int x) { return x & 1 ? x * 3 + 1 : x / 2; }
int choose(int x, unsigned long long y)
{
	switch (x) {
	case 0: return odd(7); case 1: return 17; case 2: return table[x + 1]; case 3: return x * 9;
	case 4: return odd(x); case 5: return table[y % 64]; case 6: return (int)(y >> 33); case 7: return 2;
	}
	for (int i = 0; i < x; i++)
		table[i & 63] += odd(i) ^ (int)y;
	return -1;
}
int _start(int n) { return choose(n, (unsigned long long)n << 32) + (int)scale(n, n); }
C

compare() { # what, program
	"$heft" blocks --disassemble "$2" |
		sed -n 's/^          0x0*\([0-9a-f]*\)  .*/\1/p' | sort -u >ours
	llvm-objdump-19 -d --no-show-raw-insn "$2" |
		awk -F '[:\t]' '/^ *[0-9a-f]+: *\t/ { gsub(/ /, "", $1); print $1, $3 }' | sort -u >all
	cut -d ' ' -f 1 all | sort -u >theirs
	wrong=$(comm -23 ours theirs | wc -l)
	left=$(join -v 2 ours all | grep -cvE ' (cs )?(nop|int3|xchg|udf|data16)')
	if [ "$(wc -l <ours)" -gt 50 ] && [ "$wrong" -eq 0 ] && [ "$left" -eq 0 ]; then
		pass
	else
		fail "$1: of $(wc -l <ours) instructions $wrong start elsewhere, $left are not listed"
	fi
}

for target in x86_64-linux-gnu i386-linux-gnu aarch64-linux-gnu; do
	for level in -O0 -O2; do
		map=-fbasic-block-address-map
		[ $target = i386-linux-gnu ] && map=
		# shellcheck disable=SC2086 # or no word
		must clang-19 --target=$target $level $map -ffreestanding -c a.c -o a.o
		must ld.lld-19 -o prog a.o
		compare "$target $level" prog
	done
done
browse=$(dirname "$heft")/../programs/browse/heft-browse
if [ -x "$browse" ]; then
	compare "heft-browse" "$(realpath "$browse")"
else
	left_out "a program with derived blocks" "heft was built without heft-browse" libncurses-dev
fi

# Where no blocks are derived, of each function: instructions begin where llvm-objdump has them, but for words of data.
# Capstone 4 does not know every instruction that clang writes; such bytes are listed as none.
cat >b.c <<'C'
int table[64];
int odd(int x) { return x & 1 ? x * 3 + 1 : x / 2; }
int far_away(int *p, int n) { int s = 0; for (int i = 0; i < n; i++) s += p[i] ^ odd(i); return s; }
unsigned long wide(unsigned long a, unsigned long b) { return (a ^ b) >> 3 | a << 5; }
int choose(int x) { return x > 123456 ? table[x & 63] : far_away(table, x) + 0x1234567; }
C
listed() { # what, target, flags
	what=$1 target=$2
	shift 2
	must clang-19 "--target=$target" "$@" -O1 -ffreestanding -c "${source:-b.c}" -o b.o
	: >ours
	for function in odd far_away wide choose; do
		"$heft" --disassemble="$function" b.o >out 2>err || { cat err && fail "$what: $function" && return; }
		grep -c '(bad)' out >>bad
		sed -n "s/^          0x0*\\([0-9a-f]*\\)  .*/$function \\1/p" out >>ours
	done
	# Addresses in objects of heft are those of the section's own room: the low ones are the offset.
	awk '{ print $1, substr("000000" $2, length("000000" $2) - 5) }' ours | sort -u >ours.low
	# What follows a function up to the next is padding, which COFF does not tell; so is a nop in front of data.
	{
		llvm-nm-19 -S b.o | awk '$2 !~ /^0*$/ && $3 ~ /[tT]/ { print "end " $4, $1, $2 }'
		llvm-objdump-19 -d -z --no-show-raw-insn b.o
	} | python3 -c '
import re, sys
ends, inside, lines = {}, "", list(sys.stdin)
for line, after in zip(lines, lines[1:] + [""]):
    size = re.match(r"end (\S+) (\w+) (\w+)$", line)
    name = re.match(r"\w+ <(.*)>:$", line)
    insn = re.match(r" *(\w+): *\t(?!\.(?:word|long|short))", line)
    if size:
        ends[size[1]] = int(size[2], 16) // 2 * 2 + int(size[3], 16)
    elif name:
        inside = name[1]
    elif line.endswith("nop\n") and "\t.word" in after:
        continue
    elif insn and int(insn[1], 16) < ends.get(inside, 1 << 63):
        print(inside, insn[1].rjust(6, "0"))
' | sort -u >theirs
	if [ "$(wc -l <theirs)" -gt 20 ] && cmp -s ours.low theirs; then
		pass
	else
		diff ours.low theirs | head -n 5
		fail "$what: $(wc -l <ours.low) instructions, llvm-objdump has $(wc -l <theirs)"
	fi
}
listed ARM armv7-linux-gnueabi -marm
listed Thumb armv7-linux-gnueabi -mthumb
# Each function by its own set of instructions.
sed 's/^unsigned long wide\|^int odd/__attribute__((target("arm"))) &/' b.c >both.c
source=both.c listed "ARM among Thumb" armv7-linux-gnueabi -mthumb
sed 's/^int odd/__attribute__((target("thumb"))) &/' b.c >both.c
source=both.c listed "Thumb among ARM" armv7-linux-gnueabi -marm
listed "Thumb, COFF" thumbv7-pc-windows-msvc
listed "MIPS, 32 bit" mips-linux-gnu
listed "MIPS, little-endian" mipsel-linux-gnu
listed "MIPS, 64 bit" mips64-linux-gnuabi64
listed PowerPC powerpc-linux-gnu
listed "PowerPC, 64 bit" powerpc64le-linux-gnu
listed SPARC sparc-linux-gnu
listed "SPARC, 64 bit" sparcv9-linux-gnu
listed z/Architecture s390x-linux-gnu

# A .sizediff file of programs has the code of what changed: of each side as many instructions as llvm-objdump.
cat >code1.c <<'C'
int g(int x) { return x ^ 5; }
int f(int x) { return g(x) + 1; }
void _start(void) { f(3); }
C
cat >code2.c <<'C'
int g(int x) { return x ^ 5; }
int f(int x) { int s = 0; for (int i = 0; i < x; i++) s += g(i) * x; return s + 1; }
void _start(void) { f(3); }
C
instructions() { # program: of f
	llvm-objdump-19 -d --no-show-raw-insn --disassemble-symbols=f "$1" | grep -c '^ *[0-9a-f]*:'
}
code_of_changes() { # target
	for i in 1 2; do
		must clang-19 --target="$1" -Oz -fno-inline -ffreestanding -c "code$i.c" -o code.o
		must ld.lld-19 -o "code$i" code.o
	done
	"$heft" diff --save code.sizediff code1 code2 >out 2>&1 || return 1
	"$heft" query --csv code.sizediff "SELECT disassembly FROM symbols WHERE full_name LIKE 'f%'" >code.diff || return 1
	old=$(sed '1,/^@@/d; /^"/d' code.diff | grep -c '^[- ]')
	new=$(sed '1,/^@@/d; /^"/d' code.diff | grep -c '^[+ ]')
	echo "$1: $old and $new instructions" >>out
	[ "$old" -gt 1 ] && [ "$old" -eq "$(instructions code1)" ] && [ "$new" -eq "$(instructions code2)" ]
}
for target in x86_64-linux-gnu aarch64-linux-gnu; do
	check "code of what changed, $target" code_of_changes $target
done
finish 20
