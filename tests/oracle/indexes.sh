#!/bin/sh
# Sections that index others (.debug_aranges, .debug_names, .gdb_index ...) as compilers, linkers
# and gdb write them, element by element: heft against llvm-dwarfdump.
# Usage: indexes.sh DUMP_INDEXES [FILE...]; without files, builds of a fixture by gcc and clang.
set -u
here=$(cd "$(dirname "$0")" && pwd)
dump=$(realpath "$1") || exit 2
shift
dwarfdump=${DWARFDUMP:-llvm-dwarfdump-19}
clang=${CLANG:-clang-19}

# shellcheck source=tests/lib/test.sh
. "$here/../lib/test.sh"
need python3 python3 readelf binutils "$dwarfdump" llvm-19 "$clang" clang-19 gcc gcc ld.lld-19 lld-19
scratch

cat >"$tmp/one.cc" <<'EOF'
#define TWICE(x) ((x) + (x))
namespace outer {
struct base { virtual int area() { return width; } int width; };
struct pair : base { long first, second; enum kind { small, large } kind; };
template <class T> T twice(T x) { return TWICE(x); }
namespace { int hidden = 3; }
int visible = hidden;
pair pairs[4];
}
typedef outer::pair alias;
static int helper(const alias &a) { return outer::twice((int)a.first); }
int one(int i) { return helper(outer::pairs[i & 3]) + outer::twice((short)i); }
EOF
cat >"$tmp/two.cc" <<'EOF'
#define ANSWER 42
#undef ANSWER
namespace outer { struct base { virtual int area() { return width; } int width; }; extern int visible; }
int one(int);
static int spare[3];
struct other : outer::base { int one, two; } others;
extern "C" int start(int i) { return one(i) + outer::visible + spare[i & 1] + others.two; }
EOF
echo 'extern "C" int start(int); int main(int argc, char **) { return start(argc); }' \
	>"$tmp/main.cc"

files=
# name, then compiler and flags
build() {
	name=$1
	shift
	mkdir -p "$tmp/$name.d"
	if (cd "$tmp/$name.d" && for f in one two main; do
		"$@" -w -c "../$f.cc" -o "$f.o" || exit 1
	done && "$@" one.o two.o main.o $link -o "../$name") >"$tmp/log" 2>&1; then
		files="$files $tmp/$name"
	else
		left_out "index sections of $name" "it does not build: $(head -n 1 "$tmp/log")"
	fi
}

cross() { # name, target, flags
	name=$1
	triple=$2
	shift 2
	case $triple in
	powerpc64-*) set -- "$@" -mabi=elfv2 ;;
	esac
	build "$name" "$clang" --target="$triple" -fno-exceptions -fno-rtti -ffreestanding \
		-Wno-unused-command-line-argument -nostdlib -fuse-ld=lld "$@"
}

if [ $# -gt 0 ]; then
	python3 "$here/indexes.py" "$dump" "$dwarfdump" "$@"
	exit
fi

link='-lstdc++'
for v in 2 4 5; do
	build "gcc-$v" gcc -g3 -gdwarf-$v -O1 -gpubnames
	build "gcc-gnu-$v" gcc -g3 -gdwarf-$v -ggnu-pubnames -fdebug-types-section
	build "gcc-strict-$v" gcc -g3 -gdwarf-$v -gstrict-dwarf -gpubnames
	build "clang-$v" "$clang" -g3 -gdwarf-$v -gpubnames -fdebug-macro -gdwarf-aranges
	build "clang-gnu-$v" "$clang" -g -gdwarf-$v -ggnu-pubnames -fdebug-types-section
done
build gcc-64 gcc -g3 -gdwarf-5 -gdwarf64 -gpubnames
build clang-64 "$clang" -g3 -gdwarf-5 -gdwarf64 -gpubnames
build clang-split "$clang" -g -gdwarf-5 -gsplit-dwarf -gpubnames
build clang-split-types "$clang" -g -gdwarf-5 -gsplit-dwarf -gpubnames -fdebug-types-section
build clang-types "$clang" -g -gdwarf-5 -gpubnames -fdebug-types-section
build clang-frame "$clang" -g -fno-asynchronous-unwind-tables -fno-exceptions
build gcc-frame gcc -g -fno-asynchronous-unwind-tables -fno-exceptions
for v in 4 5; do
	build "gold-$v" gcc -g3 -gdwarf-$v -ggnu-pubnames -fuse-ld=gold -Wl,--gdb-index
	build "gold-types-$v" gcc -g3 -gdwarf-$v -ggnu-pubnames -fdebug-types-section \
		-fuse-ld=gold -Wl,--gdb-index
	build "lld-gdb-$v" "$clang" -g -gdwarf-$v -ggnu-pubnames -fuse-ld=lld -Wl,--gdb-index
done
build lld-names "$clang" -g -gpubnames -fuse-ld=lld -Wl,--debug-names
build lld-names-types "$clang" -g -gpubnames -fdebug-types-section -fuse-ld=lld \
	-Wl,--debug-names
if has gdb-add-index gdb "index sections of gdb"; then
	cp "$tmp/gcc-5" "$tmp/gdb-index" && cp "$tmp/gcc-5" "$tmp/gdb-names" || exit 1
	must gdb-add-index "$tmp/gdb-index"
	must gdb-add-index -dwarf-5 "$tmp/gdb-names"
	files="$files $tmp/gdb-index $tmp/gdb-names"
fi
link=-Wl,-estart
for target in powerpc64-linux-gnu aarch64_be-linux-gnu mips-linux-gnu arm-linux-gnueabi \
	i386-linux-gnu; do
	for v in 4 5; do
		cross "$target-$v" "$target" -g3 -gdwarf-$v -gpubnames -fdebug-macro \
			-gdwarf-aranges
	done
	cross "$target-frame" "$target" -g -fno-asynchronous-unwind-tables
	cross "$target-names" "$target" -g -gpubnames -Wl,--debug-names
done
# shellcheck disable=SC2086
python3 "$here/indexes.py" "$dump" "$dwarfdump" $files
