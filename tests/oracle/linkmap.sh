#!/bin/sh
# Linker maps against the linked file (readelf, nm) and the objects it was made of (nm).
# usage: tests/oracle/linkmap.sh DUMP_LINKMAP
#
# Small C and C++ programs, several objects and an archive, are linked by every linker here:
#  - every allocated section has the address and size readelf says, and no other is in the map;
#  - pieces lie in their section and do not overlap; what lies between two is no more than the
#    alignment of the second asks for, and nothing at all where GNU ld states its fill;
#  - every function of an object lies in a piece of that object, of the section it was compiled to;
#    where equal code was folded, in that of an object with a function at the same address;
#  - every symbol of the map has the address nm says.
# For Windows and macOS lld links a little program: sections and symbols are held against llvm-readobj
# and llvm-nm.
set -u
LC_ALL=C
export LC_ALL
[ -x "${1:-}" ] || { sed -n '2,4s/^# //p' "$0" && exit 2; }
dump=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/lib/test.sh
. "$here/../lib/test.sh"
need readelf binutils python3 python3 gcc gcc g++ g++ clang-19 clang-19 ld.gold binutils ld.lld-19 lld-19 \
	llvm-nm-19 llvm-19
scratch
cd "$tmp" || exit 2

cat > main.c <<'END'
#include <stdio.h>
extern int helper(int), from_archive(int);
int common_number;
static int zeros[40];
__thread int thread_zero;
__thread int thread_five = 5;
const int table[10] = { 1, 2, 3 };
int data[4] = { 1 };
static int local(int x) { return x * zeros[x & 7] + thread_zero; }
int twin_a(int x) { return x * 7 + 3; }
int twin_b(int x) { return x * 7 + 3; }
__attribute__((noinline, hot)) int warm(int x) { return x * 3; }
__attribute__((noinline, cold)) int chilly(int x) { return x * 31 + local(x); }
int unused(int x) { return x + 99; }
int main(int argc, char **argv)
{
	printf("a string %d\n", helper(argc) + from_archive(argc) + warm(argc) + chilly(argc));
	puts(argv[0]);
	return twin_a(argc) + twin_b(argc) + thread_five + data[argc] + table[argc] + common_number;
}
END
cat > other.c <<'END'
#include <stdio.h>
extern int common_number;
char common_array[1000] __attribute__((aligned(64)));
int helper(int x) { return puts("string %d\n") + x + common_number; }
int twin_c(int x) { return x * 7 + 3; }
int a_function_whose_name_is_too_long_for_the_column(int x) { return helper(x); }
END
cat > member.c <<'END'
#include <stdio.h>
int from_archive(int x) { return printf("a string %d\n", x) * 2; }
int unused_of_archive(void) { return 3; }
END
cat > plus.cc <<'END'
#include <map>
#include <string>
#include <vector>
namespace ns {
template <class T> struct Box { virtual ~Box() {} T operator()(T x) const; };
template <class T> T Box<T>::operator()(T x) const { return x + 1; }
template struct Box<int>;
template struct Box<long>;
namespace { int anonymous(int x) { if (x > 100) throw x; return x; } }
int call(int x) { try { return anonymous(x); } catch (int &e) { return e; } }
}
struct Static { Static(); ~Static() {} Static &operator=(const Static &) { return *this; } int n; } object;
Static::Static() : n(1) {}
extern "C" int from_archive(int);
int main(int argc, char **)
{
	std::map<std::string, std::vector<int>> m;
	m["a"].push_back(ns::call(argc));
	auto size = [&](int z) { return m.size() + z; };
	object = Static();
	return (int)size(ns::Box<int>()(from_archive(argc)));
}
END
flags="-O1 -g -fcommon -ffunction-sections -fdata-sections"
for f in main other member; do gcc $flags -c $f.c || exit 1; done
g++ $flags -c plus.cc || exit 1
must ar rcs libmember.a member.o
linkers="bfd gold lld"
! has mold mold "maps of mold" || linkers="$linkers mold"

# link NAME COMMAND...: makes NAME and NAME.map
link() {
	out=$1
	shift
	"$@" -o "$out" -Wl,-Map="$out.map" > "$out.log" 2>&1 || { cat "$out.log"; exit 1; }
}
for ld in $linkers; do
	link c-$ld gcc -fuse-ld=$ld main.o other.o libmember.a
	link c-gc-$ld gcc -fuse-ld=$ld -Wl,--gc-sections main.o other.o libmember.a
	link c-static-$ld gcc -fuse-ld=$ld -static main.o other.o libmember.a
	link c-raw-$ld gcc -fuse-ld=$ld -Wl,--no-demangle main.o other.o libmember.a
	link cxx-$ld g++ -fuse-ld=$ld plus.o libmember.a
	link cxx-static-$ld g++ -fuse-ld=$ld -static plus.o libmember.a
	link cxx-shared-$ld gcc -fuse-ld=$ld -shared -fPIC -O1 -ffunction-sections member.c
done
for ld in $linkers; do
	[ $ld != bfd ] || continue # it folds no code
	link c-icf-$ld gcc -fuse-ld=$ld -Wl,--icf=all main.o other.o libmember.a
done
link c-cref-bfd gcc -fuse-ld=bfd -Wl,--cref main.o other.o libmember.a
link lto-bfd gcc -fuse-ld=bfd $flags -flto main.c other.c member.c
link lto-thin-lld clang-19 -fuse-ld=lld $flags -flto=thin main.c other.c member.c
link lto-full-lld clang-19 -fuse-ld=lld $flags -flto main.c other.c member.c

cat > bare.c <<'END'
int number;
static int zeros[4];
const char *text = "hello";
const int table[4] = { 1, 2, 3, 4 };
int callee(int x);
int unused(int x) { return x + zeros[x & 3]; }
int main(void) { return callee(number) + table[number & 3] + text[1]; }
END
echo 'int callee(int x) { return x * 3; }' > callee.c
clang-19 --target=x86_64-pc-windows-msvc -O1 -ffunction-sections -c bare.c callee.c || exit 1
lld-link-19 /debug:symtab /entry:main /subsystem:console /nodefaultlib bare.o callee.o \
	/out:bare-pe /map:bare-pe.map || exit 1
clang-19 --target=x86_64-apple-macos11 -O1 -c bare.c callee.c || exit 1
ld64.lld-19 -arch x86_64 -platform_version macos 11.0 11.0 -dead_strip -undefined dynamic_lookup \
	bare.o callee.o -o bare-macho -map bare-macho.map || exit 1

cat > check.py <<'END'
import os
import re
import subprocess
import sys
from bisect import bisect_right
from collections import defaultdict

dump, outputs = sys.argv[1], [os.path.splitext(path)[0] for path in sys.argv[2:]]
LINKERS = {"bfd": "GNU ld", "gold": "gold", "lld": "lld", "mold": "mold"}
SECTION = re.compile(r"^ *\[ *\d+\] (\S+) +\S+ +([0-9a-f]{16}) [0-9a-f]+ ([0-9a-f]+) [0-9a-f]+ +"
                     r"([A-Za-z]*) +\d+ +\d+ +(\d+)$")
# What lld gives no piece: padding up to a page, the end mark of .eh_frame.
UNLISTED = {".relro_padding": 4096, ".eh_frame": 8}
checked = defaultdict(int)
bad = 0


def out(*args):
    return subprocess.run(args, capture_output=True, text=True, errors="surrogateescape").stdout


def wrong(path, text):
    global bad
    bad += 1
    if bad < 40:
        print("%s: %s" % (path, text))


def read_map(path):
    """{record: [fields]}"""
    found = defaultdict(list)
    for line in out(dump, path).split("\n"):
        fields = [int(f) if f.lstrip("-").isdigit() else f for f in line.split("\t")]
        found[fields[0]].append(fields[1:])
    return found


def read_sections(path):
    """{(name, address): (size, alignment)} of what is allocated"""
    found = {}
    for line in out("readelf", "-SW", path).split("\n"):
        m = SECTION.match(line)
        if m and "A" in m.group(4):
            found[m.group(1), int(m.group(2), 16)] = int(m.group(3), 16), int(m.group(5))
    return found


def read_nm(path):
    """[(address, type, name)] of what is defined; an archive's member by member"""
    found = defaultdict(list)
    member = ""
    for line in out("nm", path).split("\n"):
        fields = line.split(" ", 2)
        if line.endswith(":"):
            member = line[:-1]
        elif len(fields) == 3 and fields[1] not in "UuwNC" and re.match("[0-9a-f]{16}$", fields[0]):
            found[member].append((int(fields[0], 16), fields[1], fields[2]))
    return found


def check_sections(path, m, elf):
    mine = {(s[0], s[1]): s[2] for s in m["section"] if not s[3]}
    for key, (size, _) in elf.items():
        checked["sections"] += 1
        if mine.get(key) != size:
            wrong(path, "section %s at %#x: readelf has size %d, the map %s" % (*key, size, mine.get(key)))
    for key, size in mine.items():
        if key not in elf and key[1] and size:
            wrong(path, "section %s at %#x is in the map alone" % key)


def check_pieces(path, m, elf, states_fill):
    ends = defaultdict(int)
    for section, addr, size, stated, kind, name, obj in m["piece"]:
        s_name, start, s_size, header = m["section"][section]
        if size == 0:
            continue
        checked["pieces"] += 1
        before = ends.get(section, start)
        if not (start <= addr and addr + size <= start + s_size):
            wrong(path, "piece %s at %#x, size %d, leaves section %s" % (name, addr, size, s_name))
        if addr < before:
            wrong(path, "piece %s at %#x overlaps the one before" % (name, addr))
        align = elf.get((s_name, start), (0, 1 << 60))[1]
        if addr - before >= align and addr != before:
            wrong(path, "%d bytes before %s at %#x in %s" % (addr - before, name, addr, s_name))
        if states_fill and addr != before:
            wrong(path, "fill of %d bytes before %s in %s is not stated" % (addr - before, name, s_name))
        ends[section] = addr + size
    for i, (s_name, start, s_size, header) in enumerate(m["section"]):
        rest = start + s_size - ends.get(i, start)
        if rest > UNLISTED.get(s_name, 0) and (s_name, start) in elf:
            wrong(path, "%d bytes at the end of %s have no piece" % (rest, s_name))


class Finder:
    def __init__(self, m):
        self.pieces = sorted(p for p in m["piece"] if p[2] and m["section"][p[0]][1]
                             and m["section"][p[0]][0] != ".tbss")
        self.pieces.sort(key=lambda p: p[1])
        self.starts = [p[1] for p in self.pieces]

    def at(self, addr):
        i = bisect_right(self.starts, addr) - 1
        if i < 0 or addr >= self.pieces[i][1] + self.pieces[i][2]:
            return None
        return self.pieces[i]


def check_functions(path, m):
    """Global functions of our own objects."""
    objects = {"main.o": "main.o", "other.o": "other.o", "plus.o": "plus.o",
               "libmember.a(member.o)": "member.o"}
    objects = {name: {s[2] for s in read_nm(file)[""] if s[1] in "TW"} for name, file in objects.items()}
    linked = {s[2]: s[0] for s in read_nm(path)[""] if s[1] in "TW"}
    finder = Finder(m)
    named = {p[6] for p in m["piece"]}
    for obj in named & set(objects):
        for name in objects[obj] & set(linked):
            p = finder.at(linked[name])
            same = {n for n in linked if linked[n] == linked[name]}
            checked["functions"] += 1
            if p is None or not any(name in objects[o] for o in named & set(objects)):
                wrong(path, "function %s at %#x is in no piece" % (name, linked[name]))
            elif p[6] != obj and not same & objects.get(p[6], set()):
                wrong(path, "function %s is in %s, the map has %s" % (name, obj, p[6]))
            elif not any(p[5].endswith("." + n) or p[5].endswith("[" + n + "]") for n in same):
                wrong(path, "function %s is in a piece called %s" % (name, p[5]))


def check_symbols(path, m):
    tls = [int(f[2], 16) for f in (l.split() for l in out("readelf", "-lW", path).split("\n"))
           if f and f[0] == "TLS"]
    types = {}
    for line in out("readelf", "-sW", path).split("\n"):
        f = line.split(None, 7)
        if len(f) == 8 and f[6] != "UND" and re.match("[0-9a-f]{16}$", f[1]):
            addr = int(f[1], 16) + (tls[0] if f[3] == "TLS" else 0)
            types.setdefault(f[7].split("@")[0], set()).add(addr)
    names = sorted(types)
    plain = subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True)
    known = defaultdict(set)
    for raw, nice in zip(names, plain.stdout.split("\n")):
        known[raw] |= types[raw]
        known[re.sub(r"\[abi:\w+\]", "", nice).replace(" ", "")] |= types[raw]
    for piece, addr, size, name in m["symbol"]:
        name = re.sub(r"\[abi:\w+\]", "", str(name)).split("@")[0].replace(" ", "")
        if name not in known:
            checked["symbols readelf has not"] += 1
            if os.environ.get("VERBOSE"):
                print(path, name)
            continue
        checked["symbols"] += 1
        if addr not in known[name]:
            wrong(path, "symbol %s: the map says %#x, readelf %s"
                  % (name, addr, [hex(a) for a in sorted(known[name])]))
        if piece >= 0:
            p = m["piece"][piece]
            if not p[1] <= addr <= p[1] + max(p[2], p[3]):
                wrong(path, "symbol %s at %#x is outside its piece" % (name, addr))


def check_foreign(path, m):
    """Windows and macOS: every section whose address the map tells, and every symbol."""
    text = out("llvm-readobj-19", "--file-headers", "-S", path)
    base = int((re.findall(r"ImageBase: 0x(\w+)", text) or ["0"])[0], 16)
    elf = {(name, base + int(addr, 16)): int(size, 16) for name, addr, size in
           re.findall(r"Name: (\S+) (?:.*\n)+? *(?:Virtual)?Address: 0x(\w+)\n *Size: 0x(\w+)", text)}
    elf.update({(name, base + int(addr, 16)): int(size, 16) for name, size, addr in
                re.findall(r"Name: (\S+) .*\n *VirtualSize: 0x(\w+)\n *VirtualAddress: 0x(\w+)", text)})
    for name, addr, size, _ in m["section"]:
        checked["foreign sections"] += 1
        if addr and elf.get((name, addr)) != size:
            wrong(path, "section %s at %#x: size %d, not %s" % (name, addr, size, elf.get((name, addr))))
    known = {f[2]: int(f[0], 16) for f in (l.split(None, 2) for l in
                                           out("llvm-nm-19", path).split("\n")) if len(f) == 3}
    mine = {s[3]: s[1] for s in m["symbol"]}
    for name in set(known) - {"__mh_execute_header"}:
        checked["foreign symbols"] += 1
        if mine.get(name) != known[name]:
            wrong(path, "symbol %s: %s in the map, not %#x" % (name, mine.get(name), known[name]))
    objects = {p[6] for p in m["piece"] if p[4] == "object"}
    if objects != {"bare.o", "callee.o"} or m["note"]:
        wrong(path, "objects %s, notes %s" % (objects, m["note"]))


for path in outputs:
    if path.startswith("bare-"):
        check_foreign(path, read_map(path + ".map"))
        continue
    m = read_map(path + ".map")
    elf = read_sections(path)
    linker = LINKERS[path.rsplit("-", 1)[1]]
    if [[linker]] != m["linker"] or m["note"]:
        wrong(path, "linker %s, notes %s" % (m["linker"], m["note"]))
    check_sections(path, m, elf)
    check_pieces(path, m, elf, linker == "GNU ld")
    check_functions(path, m)
    check_symbols(path, m)
print("%d maps: %s; %d wrong" % (len(outputs), ", ".join("%d %s" % (n, w) for w, n in
                                                         sorted(checked.items())), bad))
few = checked["symbols readelf has not"] * 10 < checked["symbols"]  # other demanglers, undefined ones
some = all(checked[w] >= least for w, least in (("sections", 500), ("pieces", 1000), ("functions", 100), ("symbols", 500),
                                                ("foreign sections", 4), ("foreign symbols", 8)))
sys.exit(0 if not bad and few and some else 1)
END
python3 check.py "$dump" *.map
