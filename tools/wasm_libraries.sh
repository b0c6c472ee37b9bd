#!/bin/sh
# Builds the libraries of heft.wasm for WebAssembly: zlib, zstd, liblzma, lz4 and pcre2, from the sources that Debian has.
# usage: tools/wasm_libraries.sh DIR
#   DIR gets include/, lib/, licences/, sources/ and libraries.ini, a cross file for meson beside tools/cross/wasi.ini.
#   Archives that are in DIR/sources already are not fetched.  All are checked against their SHA-256.
#   DEBIAN_POOL: address of a mirror's pool/main; the default is the one that apt downloads packages from.
# Exit status 3: a source cannot be fetched.
dir=${1:?usage: tools/wasm_libraries.sh DIR}
mkdir -p "$dir/sources" "$dir/include" "$dir/lib/pkgconfig" "$dir/licences" || exit 2
dir=$(cd "$dir" && pwd) || exit 2
pool=${DEBIAN_POOL:-$(apt-get --print-uris download zlib1g liblz4-1 libzstd1 2>/dev/null | sed -n "s/^'\(.*\/pool\/main\)\/.*/\1/p" | head -n 1)}

stop() {
	echo "wasm_libraries: $*" >&2
	exit 1
}

# fetched NAME FOLDER ARCHIVE SHA256: unpacks the archive to $dir/sources/NAME.
fetched() {
	archive=$dir/sources/$3
	if [ ! -e "$archive" ]; then
		if [ -x /usr/lib/apt/apt-helper ]; then
			/usr/lib/apt/apt-helper download-file "$pool/$2/$3" "$archive" >"$dir/sources/log" 2>&1
		else
			curl -sSfL -o "$archive" "$pool/$2/$3" 2>"$dir/sources/log"
		fi || {
			tail -n 3 "$dir/sources/log" >&2
			rm -f "$archive"
			echo "wasm_libraries: cannot fetch $pool/$2/$3; put the file into $dir/sources" >&2
			exit 3
		}
	fi
	[ "$(sha256sum "$archive" | cut -d' ' -f1)" = "$4" ] || stop "$archive has another SHA-256 than $4"
	rm -rf "$dir/sources/$1"
	mkdir "$dir/sources/$1" && tar -xf "$archive" -C "$dir/sources/$1" --strip-components=1 ||
		stop "cannot unpack $archive"
	cd "$dir/sources/$1" || exit 2
}

# compiled LIBRARY "FLAG..." FILE...: compiles the files to lib/LIBRARY.o, one object.  Around two archives meson puts
# options that wasm-ld does not know.
compiled() {
	library=$dir/lib/$1.o flags=$2
	shift 2
	mkdir -p wasm
	for file in "$@"; do
		# shellcheck disable=SC2086 # a list of words
		clang-19 --target=wasm32-wasi -O3 -mbulk-memory -fvisibility=hidden -w $flags -c "$file" \
			-o "wasm/$(basename "$file" .c).o" || stop "$file does not compile"
	done
	wasm-ld-19 -r -o "$library" wasm/*.o || stop "cannot write $library"
}

# described MODULE LIBRARY VERSION: how pkg-config finds it.
described() {
	printf 'prefix=%s\nName: %s\nDescription: for WebAssembly\nVersion: %s\nCflags: -I${prefix}/include\nLibs: ${prefix}/lib/%s.o\n' \
		"$dir" "$1" "$3" "$2" >"$dir/lib/pkgconfig/$1.pc"
}

fetched zlib z/zlib zlib_1.2.13.dfsg.orig.tar.bz2 71feb7947e3c00ef125f83b79a4e529bde31171e5babe48b391f06758d1ab0a1
compiled libz "" adler32.c crc32.c deflate.c inffast.c inflate.c inftrees.c trees.c zutil.c
cp zlib.h zconf.h "$dir/include/" && cp LICENSE "$dir/licences/zlib"
described zlib libz 1.2.13

fetched zstd libz/libzstd libzstd_1.5.4+dfsg2.orig.tar.xz 8cf4bbb65e77ec348d052c8d6230eba66d435bddf64c8b5be2fcb16880c19953
compiled libzstd "-DZSTD_DISABLE_ASM" lib/common/*.c lib/compress/*.c lib/decompress/*.c
cp lib/zstd.h lib/zstd_errors.h "$dir/include/" && cp LICENSE "$dir/licences/zstd"
described libzstd libzstd 1.5.4

fetched lz4 l/lz4 lz4_1.9.4.orig.tar.gz 0b0e3aa07c8c063ddf40b082bdf7e37a1562bda40a0ff5272957f3e987e0e54b
compiled liblz4 "" lib/lz4.c lib/lz4frame.c lib/lz4hc.c lib/xxhash.c
cp lib/lz4.h lib/lz4frame.h "$dir/include/" && cp lib/LICENSE "$dir/licences/lz4"
described liblz4 liblz4 1.9.4

fetched pcre2 p/pcre2 pcre2_10.42.orig.tar.gz c33b418e3b936ee3153de2c61cc638e7e4fe3156022a5c77d0711bcbb9d64f1f
cd src && cp config.h.generic config.h && cp pcre2.h.generic pcre2.h && cp pcre2_chartables.c.dist pcre2_chartables.c
# What other files include, and programs.
mkdir aside && mv pcre2_dftables.c pcre2_fuzzsupport.c pcre2_jit_test.c aside/
for file in pcre2_jit_match.c pcre2_jit_misc.c pcre2_printint.c pcre2_ucptables.c; do
	mv $file "${file%.c}.h" && sed -i "s/$file/${file%.c}.h/" pcre2_*.c
done
compiled libpcre2-8 "-DHAVE_CONFIG_H -DPCRE2_CODE_UNIT_WIDTH=8 -DPCRE2_STATIC -DSUPPORT_UNICODE -I." pcre2_*.c
cp pcre2.h "$dir/include/" && cp ../LICENCE "$dir/licences/pcre2"
described libpcre2-8 libpcre2-8 10.42

# Of xz the decoder alone; what it asks its system for is given here in place of its configure.
fetched xz x/xz-utils xz-utils_5.4.1.orig.tar.xz 5d9827aa1875b21c288f78864bb26d2650b436ea8d2cad364e4921eb6266a5a5
cd src/liblzma || exit 2
# WASI has no signals to hold back.
sed -i 's/^#if !(defined(_WIN32).*/#if 0/' ../common/mythread.h
xz_has="-DHAVE_STDBOOL_H -DHAVE__BOOL -DHAVE_STDINT_H -DHAVE_INTTYPES_H -DHAVE_STRING_H -DHAVE_LIMITS_H -DSIZEOF_SIZE_T=4
	-DHAVE_CHECK_CRC32 -DHAVE_CHECK_CRC64 -DHAVE_CHECK_SHA256 -DHAVE_DECODERS -DHAVE_DECODER_LZMA1 -DHAVE_DECODER_LZMA2
	-DHAVE_DECODER_DELTA -DHAVE_DECODER_X86 -DHAVE_DECODER_ARM -DHAVE_DECODER_ARMTHUMB -DHAVE_DECODER_ARM64
	-DHAVE_DECODER_POWERPC -DHAVE_DECODER_IA64 -DHAVE_DECODER_SPARC -DTUKLIB_SYMBOL_PREFIX=lzma_ -DLZMA_API_STATIC"
compiled liblzma "$xz_has -I../common -Iapi -Icommon -Icheck -Ilz -Irangecoder -Ilzma -Idelta -Isimple" \
	common/common.c common/block_decoder.c common/block_header_decoder.c common/block_util.c common/filter_common.c \
	common/filter_decoder.c common/filter_flags_decoder.c common/index_hash.c common/stream_decoder.c \
	common/stream_flags_common.c common/stream_flags_decoder.c common/vli_decoder.c common/vli_size.c \
	common/easy_preset.c lzma/lzma_encoder_presets.c check/check.c check/crc32_fast.c check/crc32_table.c \
	check/crc64_fast.c check/crc64_table.c check/sha256.c lz/lz_decoder.c lzma/lzma_decoder.c lzma/lzma2_decoder.c \
	delta/delta_common.c delta/delta_decoder.c simple/simple_coder.c simple/simple_decoder.c simple/x86.c simple/arm.c \
	simple/armthumb.c simple/arm64.c simple/powerpc.c simple/ia64.c simple/sparc.c
cp -r api/lzma.h api/lzma "$dir/include/" && cp ../../COPYING "$dir/licences/xz"
described liblzma liblzma 5.4.1

# Of libiberty the demanglers of C++ and D, without what it does where memory runs out.
fetched iberty libi/libiberty libiberty_20230104.orig.tar.xz f0c873589b983a2e82287d1beea3b230959803121ede290154d44008984013ef
cd libiberty || exit 2
cat >memory.c <<'EOF'
#include <stdlib.h>
#include <string.h>
void *xmalloc(size_t n) { void *p = malloc(n ? n : 1); if (!p) abort(); return p; }
void *xrealloc(void *p, size_t n) { p = realloc(p, n ? n : 1); if (!p) abort(); return p; }
char *xstrdup(const char *s) { return strcpy(xmalloc(strlen(s) + 1), s); }
EOF
compiled libiberty "-DHAVE_STDLIB_H -DHAVE_STRING_H -DHAVE_LIMITS_H -I../include" cp-demangle.c d-demangle.c safe-ctype.c memory.c
mkdir -p "$dir/include/libiberty" && cp ../include/demangle.h ../include/libiberty.h ../include/ansidecl.h "$dir/include/libiberty/"
cp COPYING.LIB "$dir/licences/libiberty"
described iberty libiberty 20230104

# The demangler of LLVM is there for WebAssembly, as an archive.
printf 'Name: c++abi\nDescription: for WebAssembly\nVersion: 19\nLibs: -Wl,--library-path=%s -Wl,--library=c++abi\n' \
	/usr/lib/llvm-19/lib/wasm32-wasi >"$dir/lib/pkgconfig/c++abi.pc"

cat >"$dir/libraries.ini" <<EOF
[binaries]
pkgconfig = 'pkg-config'

[properties]
pkg_config_libdir = '$dir/lib/pkgconfig'
EOF
