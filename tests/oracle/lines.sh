#!/bin/sh
# Line programs row by row, with their tables of directories and files: heft against
# llvm-dwarfdump, and the joined paths against what is on disk.
# Usage: lines.sh DUMP_LINES [FILE...]; without files, builds of a fixture by every compiler
# found, in every version of DWARF.
set -u
LC_ALL=C
export LC_ALL
dump=$(realpath "$1") || exit 2
shift
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/lib/test.sh
. "$here/../lib/test.sh"
dwarfdump=${DWARFDUMP:-llvm-dwarfdump-19}
clang=${CLANG:-clang-19}
need "$dwarfdump" llvm-19 "$clang" clang-19 ld.lld-19 lld-19
scratch

# The same words as dump_lines, without sequences that begin at a tombstone.
from_dwarfdump() {
	awk '
	/^debug_line\[/ { split($0, at, /[][]/); program = at[2] }
	$1 == "version:" { print "program " program " version " $2 }
	/^include_directories\[/ {
		number = $0; sub(/^[^[]*\[ */, "", number); sub(/\].*/, "", number)
		sub(/^[^=]*= /, ""); print "dir " number " " $0
	}
	/^file_names\[/ { number = $0; sub(/^[^[]*\[ */, "", number); sub(/\].*/, "", number) }
	$1 == "name:" { sub(/^ *name: /, ""); name = $0 }
	$1 == "dir_index:" { print "file " number " " name " " $2 }
	/^0x/ {
		flags = ""
		for (i = 8; i <= NF; i++)
			if ($i == "is_stmt" || $i == "end_sequence") flags = flags " " $i
		if (count == 0)
			gone = $1 ~ /^0x(000000000000000[01]|(ffffffff|00000000)fffffff[ef])$/
		rows[count++] = $1 " " $2 " " $3 " " $4 " " $7 flags
		if ($0 ~ /end_sequence/) {
			for (i = 0; i < count && !gone; i++) print rows[i]
			count = 0
		}
	}'
}

check_rows() { # file, label
	"$dwarfdump" --debug-line "$1" 2>/dev/null | from_dwarfdump >"$tmp/want"
	"$dump" "$1" >"$tmp/got"
	if grep -q "^${3-0x}" "$tmp/want" && cmp -s "$tmp/want" "$tmp/got"; then
		pass
		echo "$2: $(grep -c ^program "$tmp/got") programs, $(grep -c ^0x "$tmp/got") rows"
	else
		fail "$2"
		diff "$tmp/want" "$tmp/got" | head -6
	fi
}

# Every file that a program names is there, and its name is as short as it gets.
check_paths() { # file, label
	"$dump" paths "$1" | grep -v '[/ ]<' | cut -d ' ' -f 2- | sort -u >"$tmp/paths"
	bad=0
	while read -r path; do
		[ -f "$path" ] && [ "$path" = "$(echo "$path" | sed 's,//*,/,g; s,/\./,/,g')" ] &&
			continue
		echo "no such file: $path"
		bad=1
	done <"$tmp/paths"
	if [ -s "$tmp/paths" ] && [ $bad -eq 0 ]; then
		pass
	else
		fail "$2: paths"
	fi
}

write_fixture() {
	mkdir -p "$tmp/src/inc/deep"
	cat >"$tmp/src/main.c" <<-'C'
		#include "inc/small.h"
		#include "inc/../inc/deep/other.h"
		static int never(int i) { return small(i) * 3; }
		int unused(int i) { return never(i) + other(i); }
		int jump(int i)
		{
			if (i > 3) {
		#line 70000 "main.c"
				i = small(i);
		#line 12 "main.c"
				i += other(i + 2);
			}
			switch (i) {
			case 1: return small(7); case 2: return other(small(8));
			case 3: return 4; default: return i;
			}
		}
		void _start(void) { for (volatile int i = 0; i < 10; i++) jump(i); }
	C
	cat >"$tmp/src/inc/small.h" <<-'C'
		static inline int small(int i)
		{
			int sum = 0;
			for (int k = 0; k < i; k++)
				sum += k * i;
			return sum;
		}
	C
	cat >"$tmp/src/inc/deep/other.h" <<-'C'
		static inline int other(int i) { return i ? small(i - 1) : 7; }
	C
	cp "$tmp/src/main.c" "$tmp/src/second.c"
	sed -i 's/_start/second/; s/jump(/hop(/g; s/unused/idle/' "$tmp/src/second.c"
}

build() { # compiler and flags...
	rm -f out ./*.dwo
	"$@" -w -nostdlib -static -ffreestanding -ffunction-sections -o out main.c \
		"$tmp/src/second.c" 2>"$tmp/log"
}

check_build() {
	label="$*"
	label=${label#"$tmp"}
	if build "$@"; then
		check_rows out "$label"
		check_paths out "$label"
	else
		left_out "lines of $label" "it does not build: $(head -n 1 "$tmp/log")"
	fi
}

check_compiler() { # compiler and flags that all builds share
	for version in 2 3 4 5; do
		for level in -O0 -O2; do
			check_build "$@" -gdwarf-$version $level
		done
	done
	check_build "$@" -gdwarf-5 -O1 -Wl,--gc-sections
	check_build "$@" -gdwarf-4 -O1 -Wl,--gc-sections
	check_build "$@" -gdwarf-5 -gdwarf64 -O2
	check_build "$@" -gdwarf-5 -gsplit-dwarf -O2
	check_build "$@" -gdwarf-4 -O2 -Wl,--compress-debug-sections=zlib
}

cd "$tmp" || exit 2
if [ $# -gt 0 ]; then
	cd "$OLDPWD" || exit 2
	for f in "$@"; do
		check_rows "$f" "$(basename "$f")"
	done
else
	write_fixture
	cd src || exit 2
	check_compiler "${CC:-cc}"
	check_compiler "$clang"
	! has aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu "lines of gcc for AArch64" ||
		check_compiler aarch64-linux-gnu-gcc
	check_build "${CC:-cc}" -gdwarf-4 -O2 -gno-as-loc-support
	check_build "${CC:-cc}" -gdwarf-5 -O2 -gno-as-loc-support
	for target in i386 aarch64_be s390x riscv64 riscv32 mips powerpc; do
		for version in 4 5; do
			check_build "$clang" --target=$target-linux-gnu -fuse-ld=lld -O2 \
				-gdwarf-$version
		done
	done
	check_build "$clang" -fuse-ld=lld -O2 -gdwarf-5 -gembed-source
	check_build "$clang" -fuse-ld=lld -O2 -gdwarf-5 -Wl,--gc-sections
	check_build "$clang" -fuse-ld=lld -O2 -gdwarf-5 -Wl,--gc-sections \
		-Wl,-z,dead-reloc-in-nonalloc=.debug_line=0xffffffffffffffff
	echo 'struct type { int a; struct inner { int b; } i; } global;' >types.cc
	must "$clang" -g -gdwarf-5 -gsplit-dwarf -fdebug-types-section -c -o types.o types.cc
	check_rows types.dwo "split types" file
	least=80
fi
finish "${least:-$#}"
