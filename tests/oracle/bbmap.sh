#!/bin/sh
# Basic-block maps: heft against llvm-readobj, over builds of a fixture by clang, and by llc for many
# machines; what readobj does not read, against the compiler's own assembly.
# usage: bbmap.sh HEFT
set -u
LC_ALL=C
export LC_ALL
heft=$(realpath "$1") || exit 2
here=$(cd "$(dirname "$0")" && pwd)
readobj=${READOBJ:-llvm-readobj-19}
clang=${CLANG:-clang-19}
llc=${LLC:-llc-19}
# shellcheck source=tests/lib/test.sh
. "$here/../lib/test.sh"
need "$readobj" llvm-19 "$clang" clang-19 ld.lld-19 lld-19 python3 python3
scratch
cd "$tmp" || exit 2

compare() { # file
	if python3 "$here/bbmap.py" "$heft" "$readobj" "$1"; then
		pass
	else
		fail "$1"
	fi
}

# The name of the output says what it was built with.
build() { # compiler, flags...
	out=$(echo "$*" | tr -c 'A-Za-z0-9=_\n-' .)
	rm -f "$out"
	must "$@" -o "$out"
	compare "$out"
}

cat >a.c <<'C'
int out(const char *);
extern int table[];
static int twice(int x) { return x > 40 ? out("large") : x * 2; }
int same1(int x) { return x > 3 ? out("a") : x + 1; }
int same2(int x) { return x > 3 ? out("a") : x + 1; }
int unused(int x) { while (x-- > 0) out("never"); return twice(x); }
int choose(int x)
{
	switch (x) {
	case 0: return out("zero"); case 1: return 17; case 2: return out("two") + 1; case 3: return x * 9;
	case 4: return twice(x); case 5: out("five"); return 5; case 6: return table[x]; case 7: return 2;
	}
	return -1;
}
int loops(int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++)
		for (int k = i; k < n; k++)
			sum += k & 1 ? choose(k) : twice(i);
	return sum;
}
int deep(int a, int b, int c)
{
	if (a && (b || c)) { if (a > b) return loops(a); else if (b > c) return loops(b); out("c"); }
	do { a += choose(b--); if (a == 99) break; } while (b > 0);
	return a ? same1(a) : same2(b);
}
C
cat >main.c <<'C'
int table[8];
int deep(int, int, int);
int out(const char *s) { int n = 0; while (s[n]) n++; return n; }
void _start(void) { for (volatile int i = 0; i < 9; i++) table[i & 7] = deep(i, i + 1, 3); }
C
cat >throw.cc <<'C'
struct base { virtual ~base() {} virtual int get(int) = 0; };
struct one : base { int get(int x) override { if (x > 4) throw x; return x; } };
template <class T> struct holder { T *p; holder(T *q) : p(q) {} ~holder() { if (p) p->get(0); } };
int use(base *b, int x) { holder<base> h(b); try { return b->get(x); } catch (int y) { return y; } }
inline int shared(int x) { for (int i = 0; i < x; i++) x += i & 3; return x; }
int call(int x) { one o; return use(&o, x) + shared(x); }
int (*keep)(int) = shared;
C

cat >empty.c <<'C'
int g(int);
int f(int a, int b)
{
	if (a > 3) { if (b) return g(a); __builtin_unreachable(); }
	switch (a) { case 0: return 1; case 1: return g(2); default: __builtin_unreachable(); }
}
C

with_map() { # flags...
	build "$clang" -w -fbasic-block-address-map "$@"
}

# What no execution reaches has blocks without bytes.
with_map -O0 -c empty.c
empty=$("$readobj" --bb-addr-map "$out" | grep -c 'Size: 0x0$')
if [ "$empty" -gt 0 ] && [ "$("$heft" blocks --json "$out" | grep -o '"size": 0,' | wc -l)" -eq "$empty" ]; then
	pass
else
	fail "blocks without bytes: readobj has $empty"
fi

for level in -O0 -O1 -O2 -O3 -Os; do
	with_map $level -c a.c
	with_map $level -c throw.cc
	with_map $level -fuse-ld=lld -nostdlib a.c main.c
	with_map $level -fuse-ld=lld -nostdlib -pie -fPIE -ffunction-sections a.c main.c
done
with_map -O2 -ffunction-sections -c a.c
with_map -O2 -ffunction-sections -c throw.cc
with_map -O2 -fbasic-block-sections=all -c a.c
linkers="lld bfd"
! has ld.gold binutils "maps through gold" || linkers="$linkers gold"
! has mold mold "maps through mold" || linkers="$linkers mold"
for ld in $linkers; do
	with_map -O2 -fuse-ld=$ld -nostdlib -static -ffunction-sections a.c main.c
	# gold refuses to drop and to fold functions that maps refer to; GNU ld folds none.
	[ $ld = gold ] || with_map -O2 -fuse-ld=$ld -nostdlib -static -ffunction-sections -Wl,--gc-sections \
		a.c main.c
	[ $ld = bfd ] || [ $ld = gold ] || with_map -O2 -fuse-ld=$ld -nostdlib -static -ffunction-sections -Wl,--icf=all \
		a.c main.c
	with_map -O2 -fuse-ld=$ld -nostdlib -shared -fPIC -Wl,--emit-relocs a.c
	with_map -O2 -fuse-ld=$ld -nostdlib -r -ffunction-sections a.c main.c
done
with_map -O2 -fuse-ld=lld -nostdlib -fbasic-block-sections=all a.c main.c
with_map -O2 -fuse-ld=lld -nostdlib -flto -Wl,--lto-basic-block-address-map a.c main.c
for pgo in func-entry-count bb-freq br-prob func-entry-count,bb-freq,br-prob; do
	with_map -O2 -mllvm -pgo-analysis-map=$pgo -fuse-ld=lld -nostdlib a.c main.c
done

# The same as without: packed sections, another form of relocations.
same_as() { # file, file, name
	"$heft" blocks --csv "$1" >want
	"$heft" blocks --csv "$2" >got
	if cmp -s want got && [ "$(wc -l <want)" -gt 20 ]; then
		pass
	else
		fail "$3 is another map"
	fi
}

must "$clang" -w -fbasic-block-address-map -O2 -fuse-ld=lld -nostdlib -o plain a.c main.c
for how in zlib zstd; do
	must "$clang" -w -fbasic-block-address-map -O2 -fuse-ld=lld -nostdlib -o $how a.c main.c \
		-Wl,--compress-sections=.llvm_bb_addr_map=$how
	same_as plain $how $how
done
must "$clang" -w -fbasic-block-address-map -O2 -ffunction-sections -c -o plain.o a.c
must "$clang" -w -fbasic-block-address-map -O2 -ffunction-sections -Wa,--allow-experimental-crel,--crel -c -o crel.o a.c
same_as plain.o crel.o CREL

# What readobj does not read (REL, versions to come) against the assembly itself.
from_assembly() { # assembly, triple, name
	if llvm-mc-19 -triple "$2" -filetype=obj --save-temp-labels -o "$3.o" "$1" 2>log &&
		python3 "$here/bbmap_asm.py" "$heft" "$1" "$3.o"; then
		pass
	else
		fail "$3: $(grep -m 1 . log)"
	fi
}

# Other machines: 32 and 64 bit, both byte orders, REL and RELA.
for target in x86_64 x86_64-linux-gnux32 i386 aarch64 aarch64_be armv7 armebv7 thumbv7 mips mipsel mips64 \
	mips64el powerpc powerpc64 powerpc64le riscv32 riscv64 s390x sparc sparcv9 loongarch64; do
	case $target in *-*) triple=$target ;; *) triple=$target-linux-gnu ;; esac
	has "$llc" llvm-19 "maps for other machines" || break
	must "$clang" --target=$triple -O1 -S -emit-llvm -w -o $target.ll a.c
	case $target in
	i386 | arm* | thumb* | mips | mipsel)
		must "$llc" -O2 --basic-block-address-map -function-sections -o $target.s $target.ll
		from_assembly $target.s $triple $target
		;;
	*) build "$llc" -O2 --basic-block-address-map -filetype=obj -function-sections $target.ll ;;
	esac
done

# A newer LLVM than ours, in rustc.
if has rustc rustc "maps of rustc"; then
	cat >r.rs <<-'RUST'
		#![crate_type = "lib"]
		#[no_mangle]
		pub fn pick(x: u32, v: &[u32]) -> u32 {
			let mut s = 0;
			for i in 0..x { if v[i as usize] > 7 { s += v[i as usize]; } else { s ^= i; } }
			match s { 0 => 1, 5 => 9, 7 => x * 3, _ => s }
		}
		pub fn say(x: &str) -> String {
			let mut o = String::new();
			for c in x.chars() { if c.is_uppercase() { o.push_str("U"); } else { o.push(c); } }
			o
		}
	RUST
	for level in 1 2 3 s; do
		if rustc -C opt-level=$level -C codegen-units=1 -C llvm-args=-basic-block-address-map \
			--emit asm=rust$level.s r.rs 2>log && grep -q bb_addr_map rust$level.s; then
			from_assembly rust$level.s x86_64-linux-gnu rust$level
		else
			left_out "maps of rustc -C opt-level=$level" "it writes none: $(grep -m 1 . log)"
		fi
	done
fi

# Versions that this readobj does not know: an older one, or the assembly.
if has clang-14 clang-14 "maps of version 1" && has llvm-readobj-14 llvm-14 "maps of version 1"; then
	readobj=llvm-readobj-14
	build clang-14 -w -O2 -fbasic-block-sections=labels -ffunction-sections -c a.c
	build clang-14 -w -O2 -fbasic-block-sections=labels -nostdlib a.c main.c
fi
finish 61
