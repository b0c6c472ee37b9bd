#!/bin/sh
# Snapshots of small C and C++ programs against readelf's sections, nm's symbols and the strings of their objects.
# usage: tests/oracle/snapshot.sh HEFT
#
# Each compiler and linker here; with map and debug info, with debug info, stripped with the map and the sources of
# the objects, stripped with nothing: see tests/oracle/snapshot.py.  Functions that two objects define get both as
# aliases.  A zip file of the results adds up to its size.
set -u
LC_ALL=C
export LC_ALL
[ -x "${1:-}" ] || { sed -n '2,4s/^# //p' "$0" && exit 2; }
heft=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/lib/test.sh
. "$here/../lib/test.sh"
need nm binutils python3 python3 gcc gcc g++ g++ clang-19 clang-19 ld.lld-19 lld-19
scratch
cd "$tmp" || exit 2

cat > one.c <<'END'
#include <stdio.h>
#include <wchar.h>
extern const char *word(int);
extern const wchar_t *wide(int);
extern int plus(int);
int common_number;
__thread int thread_zero;
__thread int thread_five = 5;
const int table[200] = { 1, 2, 3 };
int data[40] = { 1 };
static const char *const names[] = { "alpha", "beta", "gamma", "a", "bc", "a rather long string that goes beyond thirty" };
static int local(int x) { return x * data[x & 7] + thread_zero; }
int twin_a(int x) { return x * 7 + 3; }
int twin_b(int x) { return x * 7 + 3; }
__attribute__((noinline, hot)) int warm(int x) { return local(x) * 3; }
__attribute__((noinline, cold)) int chilly(int x) { puts("it is cold"); return x * 31; }
int main(int argc, char **argv)
{
	printf("%s: %d of %ls\n\ttabbed\n", word(argc), warm(argc) + chilly(argc), wide(argc));
	puts(names[argc & 3]);
	fputs("yes", stdout);
	return twin_a(argc) + twin_b(argc) + thread_five + table[argc & 127] + common_number + plus(argc);
}
END
cat > two.c <<'END'
#include <stdio.h>
#include <uchar.h>
#include <wchar.h>
static const char16_t *const halves[] = { u"sixteen bits", u"caf\u00e9 au lait", u"ok" };
const char *word(int i)
{
	switch (i) {
	case 0: return "nought";
	case 1: return "the first of several";
	case 2: return "a rather long string that goes beyond thirty";
	case 3: return "\001\002binary\003";
	case 4: return "na\303\257ve";
	default: return (const char *)halves[i % 3];
	}
}
const wchar_t *wide(int i) { return i > 1 ? L"thirty-two bits" : L"wide \u2603 snow"; }
END
cat > plus.cc <<'END'
#include <map>
#include <string>
#include <vector>
#include "shared.h"
namespace { struct Local { virtual ~Local() {} virtual int run(int x) { return x + 41; } }; }
static std::map<std::string, std::vector<int>> all;
extern "C" int plus(int x)
{
	Local l;
	all["from plus"].push_back(x);
	return l.run(x) + both(x) + more(x) + (int)all.size();
}
END
cat > more.cc <<'END'
#include <string>
#include "shared.h"
int more(int x) { return both(x) + (int)std::string("from more").size(); }
END
cat > shared.h <<'END'
template <class T> __attribute__((noinline)) T twice(T x) { asm volatile(""); return x * 2; }
__attribute__((noinline)) inline int both(int x) { asm volatile(""); return twice(x) + 1; }
int more(int);
END
# name, compile flags, link flags, compiler, c++ compiler; flags are words
# shellcheck disable=SC2086
one() {
	(
		mkdir "$1" && cd "$1" || exit 1
		for f in one two; do $4 -g -O1 $2 -I.. -c ../$f.c -o $f.o || exit 1; done
		for f in plus more; do $5 -g -O1 $2 -I.. -c ../$f.cc -o $f.o || exit 1; done
		$5 one.o two.o plus.o more.o $3 -Wl,-Map=p.map -o p || exit 1
		strip -o p.stripped p || exit 1
		printf '[' > commands.json
		for f in one.c two.c plus.cc more.cc; do
			[ $f = one.c ] || printf ','
			printf '{"directory":"%s","file":"../%s","output":"%s"}' "$PWD" "$f" "${f%.*}.o"
		done >> commands.json
		echo ']' >> commands.json
		objects='one.o two.o plus.o more.o' text=90 data=95 literals=90
		case $2 in *flto*) objects='' text=0 data=0 literals=0 ;; esac # of bitcode the map says little
		"$here/snapshot.py" --map p.map --text 90 --data 99 --literals $literals "$heft" p $objects &&
			"$here/snapshot.py" --text 90 --data 80 --literals $literals "$heft" p $objects &&
			"$here/snapshot.py" --map p.map --build commands.json --symbols p --text $text \
				--data $data --literals $literals "$heft" p.stripped $objects &&
			"$here/snapshot.py" --symbols p --no-symbols --literals $literals "$heft" p.stripped $objects
	)
	if [ $? -eq 0 ]; then pass; else fail "snapshots of $1"; fi
}
sections='-ffunction-sections -fdata-sections'
one gcc-bfd "$sections" '-Wl,--gc-sections' gcc g++
one gcc-bfd-plain '' '' gcc g++
! has ld.gold binutils "programs linked by gold" || one gcc-gold "$sections" '-fuse-ld=gold' gcc g++
! has mold mold "programs linked by mold" || one gcc-mold "$sections" '-fuse-ld=mold' gcc g++
one clang-lld "$sections" '-fuse-ld=lld' clang-19 clang++-19
one clang-icf "$sections" '-fuse-ld=lld -Wl,--icf=all' clang-19 clang++-19
one clang-lto "$sections -flto=thin" '-fuse-ld=lld -flto=thin' clang-19 clang++-19

# both() and twice() are in two objects.
cat > aliases.py <<'END'
import gzip, re, sys
lines = gzip.open(sys.argv[1]).read().decode().split("\n")
lists = [l for l in lines if re.match(r"(both|int twice|twice)[(<].*\t02$", l)]
sys.exit(0 if len(lists) == 2 else "%d lists of aliases: %s" % (len(lists), lists))
END
aliases() {
	"$heft" snapshot --path-aliases -o a.size gcc-bfd/p && python3 aliases.py a.size
}
check "aliases of two objects" aliases

# A map alone has the sections of its program, and what is in two of them is compared; 10 sections and more.
cat > alone.py <<'END'
import re, subprocess, sys
heft, program = sys.argv[1:]
def sizes(path):
    out = subprocess.run([heft, "snapshot", "--no-map", "--stats", path], capture_output=True, text=True, check=True)
    return {m[1]: int(m[2]) for m in re.finditer(r"^(\.\S+) +-?\d+ +-?\d+ +(\d+) ", out.stdout, re.M) if m[1] != ".other"}
of_map, of_program = sizes(program + ".map"), sizes(program)
wrong = {k: (v, of_program.get(k)) for k, v in of_map.items() if of_program.get(k) != v}
if wrong or len(of_map) < 10:
    sys.exit("%s: %s of %d sections differ" % (program, wrong, len(of_map)))
grown = subprocess.run([heft, "diff", "--exit-code", program + ".map", program + ".map"], capture_output=True)
named = subprocess.run([heft, "query", "--csv", program + ".map", "SELECT object FROM symbols WHERE full_name LIKE 'warm%'"],
                       capture_output=True, text=True)
sys.exit(0 if grown.returncode == 0 and "one.o" in named.stdout else "%s: %s" % (program, named.stdout + named.stderr))
END
alone() {
	for d in gcc-*/ clang-lld/; do
		python3 alone.py "$heft" "${d}p" || return 1
	done
}
check "maps alone" alone

# In a zip file, one library packed: the note tells how much more it is.
cat > zip.py <<'END'
import os, re, subprocess, sys, zipfile
with zipfile.ZipFile("a.apk", "w") as z:
    z.write("gcc-bfd/p", "lib/x86_64/liba.so", zipfile.ZIP_STORED)
    z.write("gcc-bfd/p.stripped", "lib/x86/liba.so", zipfile.ZIP_DEFLATED)
    z.writestr("odd/libodd.so", b"no program" * 10)
    z.writestr("a.txt", b"text" * 1000, zipfile.ZIP_DEFLATED)
out = subprocess.run([sys.argv[1], "snapshot", "--stats", "a.apk"], capture_output=True, text=True)
more = int(re.search(r"unpacked sizes \((\d+) bytes\)", out.stderr)[1])
total = int(re.search(r"^file +(\d+)$", out.stdout, re.M)[1])
assert total == os.path.getsize("a.apk") + more, (total, os.path.getsize("a.apk"), more)
assert "a.apk/liba.so (x86_64)" in out.stdout and "libodd.so" in out.stderr, out
END
check "a zip file" python3 zip.py "$heft"
finish 8
