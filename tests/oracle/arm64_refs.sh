#!/bin/sh
# The AArch64 references of code_refs against two oracles, on code of several compilers and levels:
#  - the relocations the linker keeps with --emit-relocs say which add, ldr and str complete an
#    adrp, and where they point (at most 5 % may be missed, none may be wrong);
#  - llvm-objdump says the targets of every branch, adr and literal load (all must agree).
# usage: arm64_refs.sh CODE_REFS
set -u
code_refs=$(realpath "$1") || exit 2
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
# shellcheck source=tests/lib/test.sh
. "$here/../lib/test.sh"
objdump=llvm-objdump-19 readelf=llvm-readelf-19 lld=ld.lld-19 clang=clang-19
need "$objdump" llvm-19 "$lld" lld-19 "$clang" clang-19
headers=/usr/aarch64-linux-gnu/include
[ -e "$headers/string.h" ] || skip "no headers of AArch64" libc6-dev-arm64-cross
gcc=
! has aarch64-linux-gnu-g++ g++-aarch64-linux-gnu "references in code of gcc" || gcc=aarch64-linux-gnu-gcc
scratch

# Data of every width behind one adrp, switches, hoisted pages, cold paths.
cat > "$tmp/data.c" <<'C'
extern void sink(const void *, ...);
struct big { char c[64]; short h[32]; int w[32]; long x[32]; double d[8]; float f[8]; __int128 q[4]; };
struct big one = { { 1 } }, two;
static volatile int flags[16];
const char *const names[] = { "alpha", "beta", "gamma", "delta" };
static int hidden_counter;
int work(int n, int m)
{
	int sum = 0;
	for (int i = 0; i < n; i++) {
		switch (m + i) {
		case 0: sum += one.c[i]; one.h[2] = (short)sum; break;
		case 1: sum += one.w[i]; sink("first", sum); break;
		case 2: one.d[1] += sum; two.f[1] = (float)sum; break;
		case 3: sink(names[i & 3]); break;
		case 4: two.q[1] += one.q[2]; break;
		case 5: hidden_counter += sum; flags[3] = 1; break;
		case 6: if (__builtin_expect(flags[1], 0)) sink("cold", &hidden_counter, &two); break;
		case 7: one.x[3] = two.x[4] * sum; break;
		default: sum += flags[0]; flags[2]++;
		}
		if (!sum)
			return hidden_counter;
	}
	return sum;
}
double scale(double d) { return d * 3.25 + one.d[0] + 1e300; }
C
printf '%s\n' '#include <map>' '#include <string>' '#include <vector>' \
	'std::map<std::string, std::vector<int>> table;' \
	'int look(const std::string &s) { auto &v = table[s]; v.push_back(1); if (v.size() > 9) throw s;' \
	'  try { return table.at(s + "x")[2]; } catch (const std::exception &e) { return e.what()[0]; } }' \
	> "$tmp/cxx.cc"

# compare NAME FILE: both oracles on one linked file
compare() {
	"$code_refs" "$2" > "$tmp/mine" 2> "$tmp/mine.err" || { fail "$1: $(cat "$tmp/mine.err")"; return; }
	"$readelf" -rW "$2" | awk '
		function hex(s,  i, v) { v = 0; for (i = 1; i <= length(s); i++)
			v = v * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1; return v }
		$3 ~ /^R_AARCH64_(ADD_ABS_LO12_NC|LDST[0-9]+_ABS_LO12_NC)$/ {
			size = 0; kind = "addr"
			if ($3 ~ /LDST/) { kind = "mem"; size = $3; gsub(/R_AARCH64_LDST|_ABS.*/, "", size); size /= 8 }
			at = $1; sub(/^0+/, "", at)
			add = $NF ~ /^[0-9a-f]+$/ && ($(NF-1) == "+" || $(NF-1) == "-") ? hex($NF) : 0
			if ($(NF-1) == "-") add = -add
			printf "%s %s %x %d\n", at, kind, hex($4) + add, size
		}' | sort -u > "$tmp/truth"
	"$objdump" -d --no-show-raw-insn "$2" | awk '
		$2 == "bl" { print substr($1, 1, length($1) - 1), "call", substr($3, 3); next }
		$2 == "b" || $2 ~ /^b\./ { print substr($1, 1, length($1) - 1), "jump", substr($3, 3); next }
		$2 ~ /^cbn?z$/ { print substr($1, 1, length($1) - 1), "jump", substr($4, 3); next }
		$2 ~ /^tbn?z$/ { print substr($1, 1, length($1) - 1), "jump", substr($5, 3); next }
		$2 == "adr" { print substr($1, 1, length($1) - 1), "addr", substr($4, 3); next }
		$2 ~ /^ldr/ && $4 ~ /^0x/ { print substr($1, 1, length($1) - 1), "mem", substr($4, 3) }
	' | sort > "$tmp/direct"
	"$readelf" -rW "$2" | awk '/R_AARCH64/ { sub(/^0+/, "", $1); print $1 }' > "$tmp/any"
	cut -d' ' -f1 "$tmp/direct" >> "$tmp/any"
	least=100
	case $1 in
	*tiny) least=0 ;; # it needs no pairs
	esac
	if awk -v least=$least 'FILENAME == ARGV[1] { want[$1] = $0; n++; next }
		FILENAME == ARGV[2] { any[$1] = 1; next }
		$2 != "mem" && $2 != "addr" { next }
		!($1 in any) { false++; if (false < 4) print "  not a reference: " $0; next }
		!($1 in want) { next }
		{ seen[$1] = 1; if (want[$1] != $0) { wrong++; if (wrong < 6) print "  want " want[$1] ", got " $0 } }
		END { for (a in want) if (!(a in seen)) { missed++; if (missed < 4) print "  missed " want[a] }
			printf "  pairs: %d, missed %d, wrong %d, false %d\n", n, missed, wrong, false
			exit n < least || wrong > 0 || false > 0 || missed * 20 > n }' \
		"$tmp/truth" "$tmp/any" "$tmp/mine"; then
		pass
	else
		fail "$1: pairs"
	fi
	awk 'NR == FNR { want[$1] = $2 " " $3; next } $2 == "call" || $2 == "jump" || $1 in want { print $1, $2, $3 }' \
		"$tmp/direct" "$tmp/mine" | sort > "$tmp/mine.direct"
	if [ "$(wc -l < "$tmp/direct")" -gt 100 ] && cmp -s "$tmp/direct" "$tmp/mine.direct"; then
		pass
		echo "  direct: $(wc -l < "$tmp/direct") branches, adr and literals agree"
	else
		fail "$1: direct references"
		diff "$tmp/direct" "$tmp/mine.direct" | head -5
	fi
}

build() { # NAME COMPILER FLAGS...
	name=$1
	shift
	rm -f "$tmp"/*.o
	for c in "$tmp/data.c" "$root"/src/base/*.c "$root"/src/code/*.c; do
		must "$@" -w -std=gnu11 -D_GNU_SOURCE -I"$root/include" -I"$root/src" -c "$c" -o "$tmp/$(basename "$c").o"
	done
	case $1 in
	*gcc) must "$@" -xc++ -c "$tmp/cxx.cc" -o "$tmp/cxx.o" ;; # clang has no library of C++ for this machine
	esac
	must "$lld" --emit-relocs --no-relax --unresolved-symbols=ignore-all -e 0 -o "$tmp/out" "$tmp"/*.o
	echo "$name"
	compare "$name" "$tmp/out"
}

# QUICK: some seconds, not a minute.
[ -n "${QUICK:-}" ] && levels='-O0 -O2' || levels='-O0 -O1 -O2 -O3 -Os'
for o in $levels; do
	build "clang $o" "$clang" --target=aarch64-linux-gnu -isystem "$headers" "$o"
	build "clang $o -fPIC" "$clang" --target=aarch64-linux-gnu -isystem "$headers" "$o" -fPIC -fvisibility=hidden
	[ -z "$gcc" ] || build "gcc $o" "$gcc" "$o"
done
[ -z "$gcc" ] || build "gcc -O2 tiny" "$gcc" -O2 -mcmodel=tiny
build "clang -O2 armv9" "$clang" --target=aarch64-linux-gnu -isystem "$headers" -O2 -march=armv9-a

# The static libraries of the cross compiler, whole.
[ -n "${QUICK:-}" ] || libs=$(find /usr/aarch64-linux-gnu/lib /usr/lib/gcc-cross/aarch64-linux-gnu \
	-name libc.a -o -name libstdc++.a -o -name libm.a 2> /dev/null || true)
for lib in ${libs:-}; do
	must "$lld" --emit-relocs --no-relax --unresolved-symbols=ignore-all -z muldefs -e 0 -o "$tmp/out" \
		--whole-archive "$lib"
	echo "$(basename "$lib")"
	compare "$lib" "$tmp/out"
done
finish 10
