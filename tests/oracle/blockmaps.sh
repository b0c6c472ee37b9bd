#!/bin/sh
# Maps of basic blocks that heft writes: into finished programs, which must run as before and be read by
# LLVM's tools; byte for byte what a compiler wrote; checked, with defects planted; gcc's too.
# usage: blockmaps.sh HEFT SAME_MAP
set -u
LC_ALL=C
export LC_ALL
heft=$(realpath "$1") || exit 2
same_map=$(realpath "$2") || exit 2
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/lib/test.sh
. "$here/../lib/test.sh"
need llvm-readobj-19 llvm-19 clang-19 clang-19 ld.lld-19 lld-19 gcc gcc g++ g++ python3 python3
scratch
cd "$tmp" || exit 2

cat >a.c <<'C'
#include <stdio.h>
#include <stdlib.h>
static int table[8];
__attribute__((noinline)) static int odd(int x) { return x & 1 ? x * 3 + 1 : x / 2; }
__attribute__((noinline, cold)) static void die(const char *s) { puts(s); exit(3); }
int choose(int x)
{
	switch (x) {
	case 0: return odd(7); case 1: return 17; case 2: puts("two"); return 1; case 3: return x * 9;
	case 4: return odd(x); case 5: puts("five"); return 5; case 6: return table[x]; case 7: return 2;
	}
	if (__builtin_expect(x < -5, 0))
		die("small");
	return -1;
}
int main(int argc, char **argv)
{
	int sum = argc;
	for (int i = 0; i < 20; i++)
		for (int k = i; k < 12; k++)
			sum += k & 1 ? choose(k % 9) : odd(i);
	for (; *argv; argv++)
		for (char *p = *argv + 2; *p; p++) __asm__ volatile("nop\n1:\tincl %0\n\tjs 1b" : "+r"(sum));
	printf("%d\n", sum > 100);
	return 0;
}
C
cat >b.cc <<'C'
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
struct base { virtual ~base() {} virtual int get(int) = 0; };
struct one : base { std::string s; int get(int x) override { if (x > 4) throw std::runtime_error("x"); return x; } };
struct guard { int &n; ~guard() { n++; } };
static int count;
template <class T> int use(T &b, int x)
{
	guard g{count};
	try { return b.get(x); } catch (std::exception &e) { return (int)std::string(e.what()).size(); }
}
int main()
{
	one o;
	std::map<std::string, int> m;
	for (int i = 0; i < 9; i++) m[std::to_string(i * 7)] += use(o, i);
	for (auto &p : m) std::printf("%s %d\n", p.first.c_str(), p.second);
	return count == 9 ? 0 : 1;
}
C

# ---- into finished programs ----

headers() { readelf -lW "$1" | md5sum; }

# emitted FILE RUN...: the copy runs the same, is read without a warning and says what heft derives.
emitted() {
	file=$1
	shift
	copy=$tmp/copy
	rm -f "$copy"
	"$heft" blocks emit "$file" -o "$copy" || return 1
	before=$("$@" "$file" 2>&1 && echo ran)
	[ "$before" = "$("$@" "$copy" 2>&1 && echo ran)" ] || { echo "runs in another way"; return 1; }
	[ "$(headers "$file")" = "$(headers "$copy")" ] || { echo "program headers"; return 1; }
	[ "$(stat -c %a "$file")" = "$(stat -c %a "$copy")" ] || { echo "mode"; return 1; }
	llvm-readobj-19 --bb-addr-map "$copy" >listed 2>warnings || return 1
	# Functions of a stripped program have no names, whoever wrote the map.
	grep -v 'could not identify function symbol' warnings && return 1
	llvm-objdump-19 -d --symbolize-operands "$copy" 2>&1 >/dev/null | grep -i warning && return 1
	[ "$(grep -c 'ID: ' listed)" -gt 10 ] || return 1
	"$heft" blocks --csv -C none --derive "$file" | sed '1d' | awk -F, '$4 !~ /^\.i?plt/ { print $5, $7, $8, $9 }' >want
	"$heft" blocks --csv -C none "$copy" | sed '1d' | awk -F, '{ print $5, $7, $8, $9 }' | cmp - want || return 1
	"$heft" blocks emit --replace "$copy" -o again && cmp "$copy" again
}
run() { "$(realpath "$1")"; }
run_python() { "$1" -c 'import json, re; print(json.dumps(re.findall("[a-c]", "abcd")))'; }

check "emit: true" emitted "$(realpath /bin/true)" run
check "emit: python" emitted "$(realpath /usr/bin/python3)" run_python
for flags in "" "-static" "-no-pie" "-s" "-g -O0"; do
	# shellcheck disable=SC2086 # several words
	must gcc -O2 $flags -o prog a.c
	check "emit: C $flags" emitted prog run
	# shellcheck disable=SC2086
	must g++ -O2 $flags -o prog b.cc
	check "emit: C++ $flags" emitted prog run
done
must gcc -O2 -o named a.c
check "emit: symbols name all functions" sh -c "'$heft' blocks emit named -o c && ! llvm-readobj-19 --bb-addr-map c 2>&1 | grep -i warning"
sed 's/__asm__.*/sum++;/' a.c >arm.c
if has aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu "maps in AArch64 programs" &&
	has qemu-aarch64 qemu-user "maps in AArch64 programs"; then
	run_arm() { qemu-aarch64 "$1"; }
	must aarch64-linux-gnu-gcc -O2 -static -o prog arm.c
	check "emit: AArch64" emitted prog run_arm
fi
refused() { # wanted words, command...
	words=$1
	shift
	"$@" >out 2>&1
	[ $? -eq 2 ] && grep -q "$words" out && [ "$(wc -l <out)" -eq 1 ] && [ ! -e none ]
}
must gcc -c -O2 a.c
must ar cr lib.a a.o
cp named signed && echo "~Module signature appended~" >>signed
check "refuse an object" refused "still to be linked" "$heft" blocks emit a.o -o none
check "refuse an archive" refused "archive" "$heft" blocks emit lib.a -o none
check "refuse a signature" refused "signature" "$heft" blocks emit signed -o none
check "refuse the file itself" refused "the file itself" "$heft" blocks emit named -o named

# ---- what clang wrote: the same bytes, and right ----

for level in -O0 -O1 -O2 -O3; do
	for how in "" "-no-pie -ffunction-sections -Wl,--gc-sections,--icf=all" "-fsplit-machine-functions"; do
		# shellcheck disable=SC2086
		must clang-19 -w -fbasic-block-address-map $level $how -fuse-ld=lld -o c$level a.c
		# shellcheck disable=SC2086
		must clang++-19 -w -fbasic-block-address-map $level $how -fuse-ld=lld -o cc$level b.cc
		for file in c$level cc$level; do
			check "same bytes: $file $how" "$same_map" $file
			check "check: $file $how" "$heft" blocks check $file
			llvm-strip-19 --strip-all-gnu -o stripped $file
			check "check, stripped: $file $how" "$heft" blocks check stripped
		done
	done
done
must clang-19 -w -O2 -fbasic-block-address-map -mllvm -pgo-analysis-map=func-entry-count,bb-freq,br-prob -fuse-ld=lld -o pgo a.c
check "same bytes: profile" "$same_map" pgo
# Versions that say the same come back.
check "versions" sh -c "for v in 3 4 5; do '$heft' blocks emit --replace --map-version \$v cc-O2 -o v && '$same_map' v &&
	'$heft' blocks emit --replace v -o w && llvm-readobj-19 --bb-addr-map w | tail -n +3 >x; llvm-readobj-19 --bb-addr-map cc-O2 |
	tail -n +3 | cmp - x || exit 1; done"
for file in c-O2 cc-O2; do
	check "seeds: $file" python3 "$here/seed_maps.py" "$heft" $file 4
done
must clang++-19 -w -O2 -fbasic-block-sections=all -fbasic-block-address-map -fuse-ld=lld -Wl,--optimize-bb-jumps -o jumps b.cc
"$heft" blocks check jumps >out
check "jumps that the linker took away" grep -q '^BB03 wrong' out
if has llvm-bolt-19 bolt-19 "code that BOLT moved"; then
	must clang++-19 -w -O2 -fbasic-block-address-map -fuse-ld=lld -Wl,--emit-relocs -o relocs b.cc
	must llvm-bolt-19 relocs -o bolted --reorder-blocks=reverse
	"$heft" blocks check bolted >out
	check "code that BOLT moved" grep -q '^BB06 wrong' out
	check "a map of code that BOLT moved is told" sh -c "'$heft' blocks bolted 2>&1 >/dev/null | grep -q -e --derive"
	check "blocks of code that BOLT moved" sh -c "'$heft' blocks emit --derive --replace bolted -o derived && '$heft' blocks check derived"
fi

# ---- gcc's blocks, as its assembly names them ----

wrapped="-dA -wrapper python3,$here/gcc_map.py"
right() { # compiler and its words
	# shellcheck disable=SC2086 # several words
	"$@" $wrapped -o made && "$heft" blocks check made
}
for level in -O0 -O1 -O2 -O3 -Os "-O2 -g -ffunction-sections" "-O2 -fpic -fcf-protection" "-O2 -m32"; do
	# shellcheck disable=SC2086
	check "gcc $level" right gcc -c a.c $level
	# shellcheck disable=SC2086
	[ "$level" = "-O2 -m32" ] || check "g++ $level" right g++ -c b.cc $level
done
! has aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu "maps of gcc for AArch64" ||
	check "AArch64 gcc" right aarch64-linux-gnu-gcc -c arm.c -O2
for ld in bfd gold lld; do
	check "C++ linked by $ld" right g++ -O2 -ffunction-sections -fuse-ld=$ld b.cc
	check "... runs" ./made
	check "... and LLVM reads it" sh -c "! llvm-readobj-19 --bb-addr-map made 2>&1 | grep -i warning"
done
finish 110
