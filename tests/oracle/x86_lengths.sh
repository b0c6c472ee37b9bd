#!/bin/sh
# Heft's x86 decoder against Zydis: every opcode, code built here for several processors, and the
# files given (default: some of the machine's large ones).
# usage: x86_lengths.sh X86_LENGTHS [FILE...]     X86_LENGTHS: "none" where there is no Zydis
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/lib/test.sh
. "$here/../lib/test.sh"
[ "$1" != none ] || skip "no Zydis" libzydis-dev
x86_lengths=$(realpath "$1") || exit 2
shift
need clang-19 clang-19
scratch

# Loops over every element type, so that compilers use the widest instructions they may.
cat > "$tmp/loops.c" <<'C'
#define LOOPS(T, N) \
	void add_##N(T *restrict a, const T *restrict b, int n) { for (int i = 0; i < n; i++) a[i] += b[i] * (T)3; } \
	T sum_##N(const T *a, int n) { T s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; } \
	void pick_##N(T *a, const T *b, const int *k, int n) { for (int i = 0; i < n; i++) a[i] = b[k[i]]; } \
	void mask_##N(T *a, const T *b, int n) { for (int i = 0; i < n; i++) if (b[i] > (T)7) a[i] = b[i] - (T)1; } \
	void div_##N(T *a, const T *b, int n) { for (int i = 0; i < n; i++) a[i] = a[i] / (b[i] + (T)1); } \
	void to_##N(double *a, const T *b, int n) { for (int i = 0; i < n; i++) a[i] = (double)b[i]; } \
	void from_##N(T *a, const float *b, int n) { for (int i = 0; i < n; i++) a[i] = (T)b[i]; }
LOOPS(signed char, b) LOOPS(unsigned short, w) LOOPS(int, d) LOOPS(long long, q) LOOPS(unsigned, u)
LOOPS(float, f) LOOPS(double, g) LOOPS(long double, l)
#ifdef HALF
LOOPS(_Float16, h)
#endif
unsigned bits(unsigned long long a, unsigned b) { return __builtin_popcountll(a) + __builtin_ctz(b) + __builtin_clz(b | 1); }
void copy(char *a, const char *b) { __builtin_memcpy(a, b, 200); __builtin_memset(a + 300, 1, 77); }
C
built=
build() { # NAME COMPILER FLAGS...
	name=$1
	shift
	if "$@" -c "$tmp/loops.c" -o "$tmp/$name.o" 2> "$tmp/log"; then
		built="$built $tmp/$name.o"
	else
		left_out "lengths in code of $*" "it does not build: $(head -n 1 "$tmp/log")"
	fi
}
n=0
# QUICK: some seconds, not a minute.
[ -n "${QUICK:-}" ] && compilers=clang-19 || compilers='gcc clang-19'
for c in $compilers; do
	has "$c" "$c" "lengths in code of $c" || continue
	for flags in -O0 -Os '-O3 -msse4.2' '-O3 -mavx' '-O3 -march=haswell' '-O3 -march=znver4' \
		'-O3 -march=bdver4' '-O3 -march=skylake-avx512 -mprefer-vector-width=512' \
		'-O3 -march=sapphirerapids -mprefer-vector-width=512 -DHALF' '-O3 -march=native' \
		'-O2 -m32' '-O3 -m32 -march=haswell' '-Os -m32 -mregparm=3' \
		'-O2 -mcmodel=large' '-O2 -fno-pie -mcmodel=kernel'; do
		n=$((n + 1))
		# shellcheck disable=SC2086
		build "$n" "$c" $flags
	done
done

check "every opcode" "$x86_lengths" --opcodes
# shellcheck disable=SC2086
check "code built here" "$x86_lengths" $built
if [ $# -eq 0 ]; then
	for f in /lib/x86_64-linux-gnu/libc.so.6 /usr/lib/x86_64-linux-gnu/libcrypto.so.3 \
		/usr/lib/x86_64-linux-gnu/libLLVM*.so.1 /usr/bin/python3 /usr/bin/node /usr/bin/clang-19; do
		if [ -e "$f" ]; then
			set -- "$@" "$f"
		fi
	done
fi
check "files of this system" "$x86_lengths" "$@"
finish 3
