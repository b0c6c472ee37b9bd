#!/bin/sh
# Where the DWARF is and what its bytes are: objects against lld, which links them with the
# sections where heft puts them; split units against llvm-dwarfdump, in packages of llvm-dwp and
# dwp; supplementary files of dwz.  Usage: debuginfo.sh DUMP [OBJECT...]
set -u
dump=$(realpath "${1:?usage: debuginfo.sh DUMP [OBJECT...]}") && [ -x "$dump" ] || exit 2
shift
clang=${CLANG:-clang-19}
lld=${LLD:-ld.lld-19}
objcopy=${OBJCOPY:-llvm-objcopy-19}
dwarfdump=${DWARFDUMP:-llvm-dwarfdump-19}
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/lib/test.sh
. "$here/../lib/test.sh"
versions="4 5"
[ -n "${QUICK:-}" ] && versions=5

need "$clang" clang-19 "$lld" lld-19 "$objcopy" llvm-19 "$dwarfdump" llvm-19 gcc gcc g++ g++ python3 python3
scratch
start=$PWD
cd "$tmp" || exit 2

cat >code.cc <<'EOF'
namespace lib { template <class T> struct box { T v; int n; T get() const { return v; } }; }
struct shape { virtual ~shape(); virtual int area() const { return 0; } int id; };
struct square : shape { int side; int area() const override; };
int square::area() const { return side * side; }
inline int helper(int x) { int y = x; for (int i = 0; i < x; i++) y += i * x; return y; }
lib::box<int> global_box = { 3, 4 };
lib::box<shape *> shapes[7];
const char *texts[] = { "one", "two", "three" };
extern int elsewhere;
int twice(int a) { return helper(a) + helper(a + 1) + global_box.get() + elsewhere; }
int many(int a, int b)
{
	if (a > b) {
		int c = a;
		for (int i = 0; i < b; i++) { int d = c ^ i; c += d; }
		return c;
	}
	return twice(b);
}
int main(int argc, char **argv)
{
	square s;
	s.side = argc;
	return s.area() + many(argc, 3) + (texts[argc % 3][0] == argv[0][0]);
}
shape::~shape() {}
EOF
cat >library.cc <<'EOF'
#include <map>
#include <string>
#include <vector>
std::map<std::string, std::vector<int>> m;
int elsewhere;
int fill(int argc, char **argv)
{
	for (int i = 0; i < argc; i++)
		m[argv[i]].push_back(i);
	return (int)m.size();
}
EOF
cat >tls.c <<'EOF'
__thread long first = 1, second = 2;
__thread int third[5];
EOF

# ---- objects ---------------------------------------------------------------------------------

# A script that puts each section where heft's DWARF says it is.
link_script() {
	"$dump" windows "$1" | awk '
	BEGIN { print "SECTIONS {" }
	seen[$2]++ { next }
	$2 ~ /eh_frame|note.gnu.property|reginfo|abiflags|MIPS.options|ARM.exidx/ || $2 == ".got" { next }
	{ printf "  %s %s : SUBALIGN(1) { *(%s) }\n", $2, $3, $2 }
	END {
		print "  .got 0x40000000 : { *(.got) }"
		print "  /DISCARD/ : { *(.note.gnu.property) *(.eh_frame) *(.ARM.exidx*) *(.reginfo) *(.MIPS.*) }\n}"
	}'
}

# Every debug section of an object is byte for byte what the linker makes of it.
check_object() { # label, object
	link_script "$2" >lds
	if ! "$lld" -O0 -static -z norelro --no-relax -e 0 --unresolved-symbols=ignore-all \
		--no-gc-sections -T lds -o linked "$2" 2>log; then
		fail "$1: $(head -n 1 log)"
		return
	fi
	same=0
	"$dump" sizes "$2" 2>notes >sizes
	[ -s notes ] && fail "$1: $(head -n 1 notes)"
	while read -r name size _; do
		"$objcopy" --dump-section="$name=want" linked /dev/null 2>/dev/null ||
			{ fail "$1: no $name in what lld made"; continue; }
		"$dump" bytes "$2" "$name" >got 2>notes
		[ -s notes ] && fail "$1: $(head -n 1 notes)"
		if [ "$(wc -c <got)" -eq "$size" ] && cmp -s want got; then
			pass
			same=$((same + 1))
		else
			fail "$1: $name: $(cmp -l want got 2>&1 | wc -l) bytes differ"
		fi
	done <sizes
	[ "$same" -ge 5 ] || fail "$1: only $same sections"
	echo "$1: $same sections"
}

compile_and_check() { # compiler, flags...
	label="$*"
	if "$@" -c -o object.o 2>log; then
		check_object "$label" object.o
	else
		left_out "DWARF of $label" "it does not build: $(head -n 1 log)"
	fi
}

# In objects the offset of a thread-local variable is its address: what lld writes plus where
# .tdata and .tbss, which follow each other there, are.
check_tls() { # label, compile...
	label=$1
	shift
	must "$@" -g -c tls.c -o tls.o
	"$dump" windows tls.o >windows
	"$dump" bytes tls.o .debug_info >got
	python3 - windows got "$label" <<'EOF' && pass || fail "$label: addresses of thread-local variables"
import sys
at = {}
for line in open(sys.argv[1]):
    f = line.split()
    at[f[1]] = int(f[2], 16)
b = open(sys.argv[2], "rb").read()
def has(v):
    return any(v.to_bytes(n, o) in b for n in (4, 8) for o in ("little", "big"))
word = at[".tdata"] + (4 if "32" in sys.argv[3] else 8)
sys.exit(not (has(at[".tdata"]) and has(word) and has(at[".tbss"])))
EOF
}

check_targets() {
	quiet="-x c++ -std=c++14 -O1 -fno-exceptions -Wno-everything"
	for t in x86_64 i386 aarch64 aarch64_be powerpc64 powerpc64le powerpc s390x riscv64 \
		riscv32 loongarch64 mips mipsel mips64 mips64el; do
		for v in $versions; do
			more="-ffunction-sections -fdebug-macro -gdwarf-aranges"
			case $t in mips*) ;; *) more="$more -fdebug-types-section" ;; esac
			# shellcheck disable=SC2086
			compile_and_check "$clang" --target=$t-linux-gnu $quiet -gdwarf-$v $more code.cc
		done
	done
	for v in 4 5; do
		# shellcheck disable=SC2086
		compile_and_check "$clang" --target=arm-linux-gnueabi $quiet -gdwarf-$v code.cc
		# shellcheck disable=SC2086
		compile_and_check "$clang" --target=thumbv7-linux-gnueabi $quiet -gdwarf-$v code.cc
	done
}

check_compilers() {
	for v in $versions; do
		for more in "" -fdebug-types-section -g3 \
			"-g3 -fdebug-types-section -ffunction-sections" -gz "-gz -fdebug-types-section"; do
			# shellcheck disable=SC2086
			compile_and_check g++ -O1 -fno-exceptions -gdwarf-$v $more library.cc
		done
		for more in "" -fdebug-types-section -gz=zstd; do
			# shellcheck disable=SC2086
			compile_and_check "$clang" -O1 -fno-exceptions -gdwarf-$v $more library.cc
		done
		compile_and_check g++ -m32 -O1 -gdwarf-$v -g3 -fdebug-types-section code.cc
		! has aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu "DWARF of gcc for AArch64" ||
			compile_and_check aarch64-linux-gnu-gcc -O1 -gdwarf-$v -g3 tls.c
	done
	check_tls "gcc" gcc
	check_tls "gcc 32 bit" gcc -m32
	check_tls "clang" "$clang"
	check_tls "clang riscv64" "$clang" --target=riscv64-linux-gnu
	check_tls "clang mips64" "$clang" --target=mips64-linux-gnu
	check_tls "clang powerpc64le" "$clang" --target=powerpc64le-linux-gnu
	check_tls "clang mips 32 bit" "$clang" --target=mips-linux-gnu
}

# GNU's older form of compression, which lld does not read: the bytes of an object without it.
check_zdebug() {
	must g++ -gno-record-gcc-switches -g -c code.cc -o plain.o
	must objcopy --compress-debug-sections=zlib-gnu plain.o packed.o
	readelf -SW packed.o | grep -q zdebug_info || { fail "objcopy made no .zdebug_info"; return; }
	"$dump" sizes packed.o >sizes
	while read -r name _; do
		"$dump" bytes plain.o "$name" >want
		"$dump" bytes packed.o "$name" >got
		if cmp -s want got; then pass; else fail "zdebug: $name"; fi
	done <sizes
}

# ---- split units -------------------------------------------------------------------------------

# "name id" of each unit, by llvm-dwarfdump from .dwo files or packages
units_of() {
	"$dwarfdump" --debug-info "$@" 2>/dev/null | awk '
	/Compile Unit:/ { unit = 1; id = "" }
	/Type Unit:/ { unit = 0 }
	/DWO_id = / { sub(/.*DWO_id = 0x/, ""); sub(/[, ].*/, ""); id = $0 }
	unit && /DW_AT_GNU_dwo_id/ { id = $NF; gsub(/[()]|0x/, "", id) }
	unit && /DW_AT_name/ && name == "" { name = $NF; gsub(/[()"]/, "", name) }
	/^$/ && unit && name != "" && id != "" { print name, id; name = ""; unit = 0 }' | sort
}

# The same by heft, from the skeletons.
split_of() {
	"$dump" units "$1" 2>notes | awk '
	/ dwo=/ { id = $0; sub(/.* id=/, "", id) }
	/^  split/ { name = $0; sub(/.* name=/, "", name); sub(/ .*/, "", name); from = $0
		sub(/.* from=/, "", from); sub(/ .*/, "", from)
		print name, id; print from > "from" }' | sort
}

expect_split() { # label, pattern of the files they should come from
	if [ -s want ] && cmp -s want got && ! grep -qv "$2" from && [ ! -s notes ]; then
		pass
	else
		fail "$1"
		diff want got | head -n 4
		head -n 2 notes
	fi
}

check_split() { # label, compile...
	label=$1
	shift
	rm -f ./*.dwo program* from
	for f in code library; do
		must "$@" -gsplit-dwarf -c $f.cc -o $f.o
	done
	g++ code.o library.o -o program 2>log || { fail "$label: $(head -n 1 log)"; return; }
	units_of code.dwo library.dwo >want
	split_of program >got
	expect_split "$label, .dwo files" 'dwo$'
	for dwp in llvm-dwp-19:llvm-19 dwp:binutils; do
		has "${dwp%:*}" "${dwp#*:}" "packages of ${dwp%:*}" || continue
		dwp=${dwp%:*}
		"$dwp" -e program -o program.dwp 2>log || {
			# Debian's dwp crashes on much; llvm-dwp has packed the same.
			[ "$dwp" = dwp ] && command -v llvm-dwp-19 >/dev/null ||
				left_out "$label, $dwp" "it fails: $(head -n 1 log)" llvm-19
			rm -f program.dwp
			continue
		}
		mkdir away && mv ./*.dwo away
		split_of program >got
		expect_split "$label, $dwp" 'program.dwp$'
		objcopy --only-keep-debug program program.debug
		split_of program.debug >got
		expect_split "$label, $dwp, separate debug file" 'program.dwp$'
		mv away/* . && rmdir away && rm -f program.dwp
	done
	rm -f code.dwo
	split_of program >got
	if [ "$(wc -l <got)" -eq 1 ] && grep -q 'code.dwo' notes; then pass; else fail "$label, one missing"; fi
	echo "$label: $(wc -l <want) units"
}

check_single() {
	rm -f ./*.dwo program* from
	must "$clang" -g -gsplit-dwarf=single -c code.cc -o code.o
	must "$clang" -g -c library.cc -o library.o
	must g++ code.o library.o -o program
	split_of program >got
	if grep -q '^code.cc' got && grep -q 'code.o$' from; then pass; else fail "split units in the object"; fi
}

# ---- dwz -----------------------------------------------------------------------------------------

check_dwz() { # label, flag of dwz
	label=$1
	shift
	rm -rf dwz && mkdir dwz
	for n in 1 2; do
		{ cat library.cc; echo "int main(int c, char **v) { return fill(c, v) + $n; }"; } >dwz/p$n.cc
		must g++ -g -Wl,--build-id -o dwz/p$n dwz/p$n.cc
	done
	(cd dwz && dwz "$@" -m common -M common p1 p2) 2>log || {
		left_out "$label" "it fails: $(head -n 1 log)"
		return
	}
	units=$("$dwarfdump" --debug-info dwz/common 2>/dev/null | grep -c 'Unit: length')
	if "$dump" units dwz/p1 2>notes | grep -q "^sup .*/common units=$units\$" && [ ! -s notes ]; then
		pass
	else
		fail "$label: beside the file"
	fi
	mkdir -p debug/.dwz && mv dwz/common debug/.dwz/
	if "$dump" units dwz/p1 debug 2>notes | grep -q "^sup debug/.dwz/common units=$units\$"; then
		pass
	else
		fail "$label: below a folder"
	fi
	cp dwz/p1 debug/.dwz/common
	"$dump" units dwz/p1 debug >got 2>notes
	if ! grep -q '^sup' got && grep -q 'belongs to another build' notes; then pass; else fail "$label: another build"; fi
}

if [ $# -gt 0 ]; then
	for f in "$@"; do
		case $f in /*) ;; *) f=$start/$f ;; esac
		cp "$f" given.o || exit 2
		check_object "$f" given.o
	done
else
	check_targets
	check_compilers
	check_zdebug
	for compiler in g++ "$clang"; do
		for v in 4 5; do
			check_split "$compiler, version $v" "$compiler" -gdwarf-$v
			check_split "$compiler, version $v, type units" "$compiler" -gdwarf-$v \
				-fdebug-types-section
		done
	done
	check_single
	least=300
	if has dwz dwz "supplementary files"; then
		check_dwz "dwz"
		check_dwz "dwz --dwarf-5" --dwarf-5
	fi
fi
finish "${least:-$#}"
