#!/bin/sh
# elf.sh DUMP_IMAGE - makes ELF files and archives of many kinds and reads them back: readelf.sh
# compares plain files; emptied debug files must not count debug sections as part of a segment;
# archives of every make must be covered by their images and parts.
set -u
dump=$1
here=$(cd "$(dirname "$0")" && pwd)
CLANG=${CLANG:-clang-19}
LLD=${LLD:-ld.lld-19}
# shellcheck source=tests/lib/test.sh
. "$here/../lib/test.sh"
need readelf binutils ar binutils "$CLANG" clang-19 "$LLD" lld-19 llvm-objcopy-19 llvm-19 xz xz-utils
scratch
case $dump in /*) ;; *) dump=$PWD/$dump ;; esac
cd "$tmp" || exit 2

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
	must "$CLANG" --target=$t -fPIC -O1 -g -c a.c -o $t.o
	case $t in
	sparcv9-* | hexagon-*) ;; # lld knows not all of their relocations
	*) must "$LLD" -shared --emit-relocs $t.o -o $t.so ;;
	esac
done
for r in android relr android+relr; do
	for t in x86_64-linux-gnu arm-linux-gnueabihf; do
		must "$LLD" -shared --pack-dyn-relocs=$r $t.o -o pack-$r-$t.so
	done
done
for t in x86_64 i386 riscv64; do
	must "$CLANG" --target=$t-linux-gnu -g -fPIC -c -Wa,--crel,--allow-experimental-crel a.c -o crel-$t.o
done
# More sections than a 16-bit index can count.
awk 'BEGIN { for (i = 0; i < 70000; i++) printf "int v%d = 1;\n", i }' >many.c
must "$CLANG" -O0 -c -fdata-sections many.c -o many.o
check "sections, segments, symbols and relocations" "$here/readelf.sh" "$dump" ./*.o ./*.so

for linker in bfd gold lld; do
	path=$(command -v ld.$linker-19 || command -v ld.$linker) || {
		left_out "debug files of $linker's programs" "no ld.$linker" binutils
		continue
	}
	must "$CLANG" -g "--ld-path=$path" main.c -o main-$linker -Wl,--build-id
	objcopy --only-keep-debug main-$linker main-$linker.gnu.debug
	must llvm-objcopy-19 --only-keep-debug main-$linker main-$linker.llvm.debug
	cp main-$linker stripped
	! has eu-strip elfutils "debug files of eu-strip" || must eu-strip -f main-$linker.eu.debug stripped
	xz -k --stdout main-$linker.gnu.debug >packed.xz
	objcopy --add-section .gnu_debugdata=packed.xz main-$linker
done
check "debug files apart" "$dump" apart ./main-*

printf 'an odd-sized text' >a_name_longer_than_sixteen_letters.txt
members="a_name_longer_than_sixteen_letters.txt x86_64-linux-gnu.o i386-linux-gnu.o main.c"
ar rcs gnu.a $members
ar rcsT thin.a $members
for format in gnu bsd darwin coff; do
	must llvm-ar-19 --format=$format rcs llvm-$format.a $members
done
walked() {
	"$dump" walk ./*.a >walk.out && [ -s walk.out ] && ! grep -E '^(note|error)|covered' walk.out
}
check "archives are covered by their images and parts" walked
members() {
	"$dump" members "$1" >got && printf 'x86_64-linux-gnu.o\ni386-linux-gnu.o\n' | cmp - got
}
for a in gnu llvm-gnu llvm-bsd llvm-darwin llvm-coff; do
	check "members of $a.a" members $a.a
done
finish 8
