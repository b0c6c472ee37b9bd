#!/bin/sh
# elf.sh DUMP_IMAGE - makes ELF files and archives of many kinds and reads them back: readelf.sh
# compares plain files; emptied debug files must not count debug sections as part of a segment;
# archives of every make must be covered by their images and parts.
# What a tool here lacks (a target of clang, eu-strip, llvm-ar) is passed over.
set -eu
dump=$1
here=$(cd "$(dirname "$0")" && pwd)
CLANG=${CLANG:-clang-19}
LLD=${LLD:-ld.lld-19}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
case $dump in /*) ;; *) dump=$PWD/$dump ;; esac
cd "$tmp"
bad=0

cat >a.c <<'END'
extern int ext; extern void extf(void);
static int s1 = 3; int g2; const char *names[] = {"a", "b", "c"}; __thread int tl = 4; __thread int tz;
int *pe = &ext; int *ps = &s1; void (*pf)(void) = extf;
static int helper(int x) { return x * s1 + tl; }
int (*ph)(int) = helper;
int func(int a) { extf(); tz++; return a + ext + g2 + helper(a) + names[a & 1][0]; }
END
cat >main.c <<'END'
int big[10000]; int data[1000] = {1}; __thread int t = 3; __thread int t2;
int main(void) { return data[3] + t + t2 + big[4]; }
END

for t in x86_64-linux-gnu i386-linux-gnu aarch64-linux-gnu aarch64_be-linux-gnu \
	arm-linux-gnueabihf armeb-linux-gnueabi thumbv7-linux-gnueabihf riscv32-linux-gnu \
	riscv64-linux-gnu powerpc64-linux-gnu powerpc64le-linux-gnu powerpc-linux-gnu \
	s390x-linux-gnu mips-linux-gnu mips64el-linux-gnuabi64 mips64-linux-gnuabi64 \
	loongarch64-linux-gnu sparcv9-linux-gnu hexagon-linux; do
	$CLANG --target=$t -fPIC -O1 -g -c a.c -o $t.o 2>/dev/null || continue
	$LLD -shared --emit-relocs $t.o -o $t.so 2>/dev/null || true
done
for r in android relr android+relr; do
	for t in x86_64-linux-gnu arm-linux-gnueabihf; do
		$LLD -shared --pack-dyn-relocs=$r $t.o -o pack-$r-$t.so
	done
done
for t in x86_64 i386 riscv64; do
	$CLANG --target=$t-linux-gnu -g -fPIC -c -Wa,--crel,--allow-experimental-crel a.c \
		-o crel-$t.o 2>/dev/null || true
done
# More sections than a 16-bit index can count.
awk 'BEGIN { for (i = 0; i < 70000; i++) printf "int v%d = 1;\n", i }' >many.c
$CLANG -O0 -c -fdata-sections many.c -o many.o
"$here/readelf.sh" "$dump" ./*.o ./*.so || bad=1

for linker in bfd gold lld; do
	$CLANG -g "--ld-path=$(command -v ld.$linker || command -v ld.$linker-19)" main.c \
		-o main-$linker -Wl,--build-id 2>/dev/null || continue
	objcopy --only-keep-debug main-$linker main-$linker.gnu.debug
	llvm-objcopy-19 --only-keep-debug main-$linker main-$linker.llvm.debug || true
	cp main-$linker stripped
	eu-strip -f main-$linker.eu.debug stripped || true
	xz -k --stdout main-$linker.gnu.debug >packed.xz
	objcopy --add-section .gnu_debugdata=packed.xz main-$linker
done
"$dump" apart ./main-* || bad=1

printf 'an odd-sized text' >a_name_longer_than_sixteen_letters.txt
members="a_name_longer_than_sixteen_letters.txt x86_64-linux-gnu.o i386-linux-gnu.o main.c"
ar rcs gnu.a $members
ar rcsT thin.a $members
for format in gnu bsd darwin coff; do
	llvm-ar-19 --format=$format rcs llvm-$format.a $members 2>/dev/null || true
done
"$dump" walk ./*.a >walk.out
if grep -E '^(note|error)|covered' walk.out; then
	bad=1
fi
for a in gnu llvm-gnu llvm-bsd llvm-darwin llvm-coff; do
	[ -f $a.a ] || continue
	"$dump" members $a.a >got
	printf 'x86_64-linux-gnu.o\ni386-linux-gnu.o\n' | cmp - got || bad=1
done
exit $bad
