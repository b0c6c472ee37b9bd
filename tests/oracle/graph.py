#!/usr/bin/env python3
"""References between symbols against the relocations that `ld --emit-relocs` keeps.

usage: graph.py HEFT [KIT]

Only -O2 by gcc for x86-64 and Thumb, unless FULL=1.

Builds sources of this tree (C) and a program with classes and exceptions (C++) by each compiler that is there, at -O0, -O2
and -Os.  Each program is linked twice: with relocations, which tell the truth, and without, for heft.  99.9 % of the true
references have to be found, 99 % of those between functions in the stripped program, and 0.5 % may be none."""
import bisect
import collections
import csv
import functools
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent.parent.parent
SKIPPED = 77
FOUND, STRIPPED, FALSE = 99.9, 99.0, 0.5
C_SOURCES = ["code/x86.c", "code/x86_refs.c", "code/arm64.c", "code/thumb.c", "code/riscv.c", "code/flow.c", "code/data_refs.c", "code/data_refs_arm.c",
             "map/rules.c", "map/rows.c", "map/space.c", "map/resolve.c", "map/rollup.c", "map/view.c", "base/sort.c", "base/arena.c", "unwind/unwind.c",
             "unwind/lsda.c", "names/signature.c", "names/demangle.c", "names/rust_v0.c", "linkmap/linkmap.c", "image/elf/elf_reloc.c", "graph/graph.c",
             "graph/edges.c"]
CXX = r"""
#include <map>
#include <stdexcept>
#include <string>
#include <vector>
struct shape { virtual ~shape() {} virtual double area() const = 0; virtual const char *name() const { return "shape"; } };
struct square : shape { double a; explicit square(double x) : a(x) {} double area() const override { return a * a; } };
struct circle : shape { double r; explicit circle(double x) : r(x) {} double area() const override { return 3.14 * r * r; }
	const char *name() const override { return "circle"; } };
struct bad : std::runtime_error { using std::runtime_error::runtime_error; };
static std::map<std::string, double> sums;
static shape *(*const makers[])(double) = { [](double x) -> shape * { return new square(x); }, [](double x) -> shape * { return new circle(x); } };
int calls;
template <class T> __attribute__((noinline)) T twice(T x) { calls++; return x + x; }
static int pick(int k) { switch (k) { case 0: return twice(k); case 1: return (int)twice(2.0); case 2: throw bad("two"); case 3: return calls;
	case 4: return (int)twice(3L); default: return -1; } }
int main(int argc, char **argv)
{
	std::vector<shape *> all;
	for (int i = 0; i < argc; i++)
		all.push_back(makers[i % 2](i));
	for (auto *s : all)
		sums[s->name()] += s->area();
	try {
		return pick(argc) + (int)sums.size();
	} catch (const bad &e) {
		return e.what()[0];
	} catch (const std::exception &) {
		return 1;
	}
}
"""
NEWLIB, ARM64 = "/usr/include/newlib", "/usr/aarch64-linux-gnu/include"
ALL = "-Wl,--unresolved-symbols=ignore-all"
# Name, compiler of C, compiler of C++ or None, flags for both.
KITS = [
    ("x86-64 gcc", "gcc", "g++", "-fPIE -pie"),
    ("x86-64 gcc, fixed", "gcc", "g++", "-fno-pie -no-pie"),
    ("x86-64 clang", "clang-19", "clang++-19", "-fPIE -pie"),
    ("x86-64 clang, fixed", "clang-19", "clang++-19", "-fno-pie -no-pie"),
    ("aarch64 gcc", "aarch64-linux-gnu-gcc", "aarch64-linux-gnu-g++", "-fPIE -pie"),
    ("thumb gcc", "arm-none-eabi-gcc", None, "-mcpu=cortex-m4 -mthumb -nostdlib -Wl,-e,0 -D_GNU_SOURCE"),
]
GOT = re.compile(r"GOT|LD64_GOT|LD_PREL")
AFTER = {"R_X86_64_PC32", "R_X86_64_PLT32"}  # The addend counts from the end of a field of 4 bytes


def output(*words):
    return subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True).stdout


class Symbols:
    """Symbols with sizes; several at one place are one."""

    def __init__(self, path):
        self.by_start = collections.defaultdict(dict)
        for line in output("nm", "-S", "--defined-only", path).splitlines():
            words = line.split(None, 3)
            if len(words) == 4 and words[2].upper() not in "AN" and not words[3].startswith((".L", "$")):
                self.by_start[int(words[0], 16) & ~self.thumb(path)][words[3].split("@")[0]] = (int(words[1], 16), words[2])
        self.starts = sorted(self.by_start)

    @staticmethod
    def thumb(path):
        return 1 if path.suffix == ".thumb" else 0

    def at(self, addr):
        """The start of the symbol that has an address."""
        i = bisect.bisect_right(self.starts, addr) - 1
        if i >= 0 and addr < self.starts[i] + max(size for size, _ in self.by_start[self.starts[i]].values()):
            return self.starts[i]
        return None

    def names(self, start):
        return set(self.by_start[start])

    def is_function(self, start):
        return all(kind in "tTwW" for _, kind in self.by_start[start].values())


def kind_of_code(symbols, addr):
    """1 if an address is that of Thumb code."""
    start = symbols.at(addr & ~1)
    return 1 if start is not None and symbols.is_function(start) else 0


@functools.lru_cache(None)
def sections_of(path):
    """Address, offset and size of the sections of a little-endian file of 32 bits."""
    data = path.read_bytes()
    first, = struct.unpack_from("<I", data, 32)
    size, count = struct.unpack_from("<HH", data, 46)
    return data, [struct.unpack_from("<IIII", data, first + i * size + 8) for i in range(count)]


def word(path, addr):
    data, sections = sections_of(path)
    for flags, start, off, size in sections:
        if flags & 2 and start <= addr < start + size:
            return int.from_bytes(data[off + addr - start:off + addr - start + 4], "little")
    return 0


def truth(path, symbols):
    """References by start of symbol, and those that may be."""
    sections = {m[1]: m[2] for m in re.finditer(r"^ *\[ *\d+\] (\S+) +\S+ +[0-9a-f]+ [0-9a-f]+ [0-9a-f]+ [0-9a-f]+ +([A-Z]*)", output("readelf", "-SW", path), re.M)}
    sure, maybe, section = set(), set(), None
    for line in output("readelf", "-rW", path).splitlines():
        if line.startswith("Relocation section"):
            section = re.sub(r"^\.rela?", "", line.split("'")[1])
            continue
        words = line.split()
        if "A" not in sections.get(section, "") or len(words) < 5 or not re.fullmatch("[0-9a-f]+", words[0]):
            continue
        kind, value, name = words[2], int(words[3], 16), words[4].split("@")[0]
        place = symbols.at(int(words[0], 16))
        if section in (".eh_frame", ".gcc_except_table", ".ARM.exidx") or place is None or re.search("TLS|TPREL|TPOFF|GOTTP|NONE|V4BX|ABS32_NOI", kind):
            continue
        addend = int(words[5] + words[6], 16) if len(words) > 6 else 0
        anonymous = name.startswith((".", "$"))
        value &= ~symbols.thumb(path)
        if value == 0 and not anonymous:
            continue  # Not defined
        if GOT.search(kind) or (not anonymous and symbols.at(value) is not None):
            targets = {symbols.at(value)}
        elif ".rela" + section not in line and kind in AFTER:
            targets = {symbols.at(value + addend + rest) for rest in (4, 5, 6, 8)}
        else:
            targets = {symbols.at(value + addend)}
        if symbols.thumb(path) and anonymous and kind == "R_ARM_ABS32":  # The place has the sum.
            targets = {symbols.at(word(path, int(words[0], 16)) & ~(kind_of_code(symbols, word(path, int(words[0], 16)))))}
        elif symbols.thumb(path) and anonymous:
            continue  # The addend is in the place
        for target in targets - {None, place}:
            # A linker may put a text into the end of another constant.
            (maybe if len(targets) > 1 or name.startswith(".L") else sure).add((place, target))
    return sure, maybe


def references(heft, path):
    rows = list(csv.DictReader(output(heft, "why", "--references", "--csv", "-C", "none", path).splitlines()))
    assert rows, path
    return {(re.sub("^data of |@.*", "", r["from"]), re.sub("^data of |@.*", "", r["to"])): r for r in rows if r["kind"] not in ("part", "personality", "type")}


def compare(heft, what, path, kept):
    symbols = Symbols(kept)
    sure, maybe = truth(kept, symbols)
    mine = references(heft, path)
    named = {name: start for start in symbols.starts for name in symbols.names(start)}
    double = {name for name, n in collections.Counter(n for s in symbols.starts for n in symbols.names(s)).items() if n > 1}
    missed = [(a, b) for a, b in sure if not symbols.names(a) & symbols.names(b) and
              not any((x, y) in mine for x in symbols.names(a) for y in symbols.names(b))]
    told = {(x, y) for a, b in sure | maybe for x in symbols.names(a) for y in symbols.names(b)}
    false = [pair for pair, row in mine.items() if pair not in told and pair[0] in named and pair[1] in named and pair[0] != pair[1] and
             not row["to"].startswith("data of") and not row["from"].startswith("data of") and not double & set(pair)]
    stripped = path.with_suffix(".stripped" + path.suffix)
    tool = {".thumb": "arm-none-eabi-strip", ".arm64": "aarch64-linux-gnu-strip"}.get(path.suffix, "strip")
    subprocess.run([tool, "-o", stripped, path], check=True)
    bare = references(heft, stripped)
    calls = [(a, b) for a, b in sure if symbols.is_function(a) and symbols.is_function(b)]

    def known(start):
        return symbols.names(start) | {f"sub_{start:x}"}

    lost = [(a, b) for a, b in calls if not any((x, y) in bare for x in known(a) for y in known(b))]
    shares = [100 * len(missed) / max(1, len(sure)), 100 * len(false) / max(1, len(mine)), 100 * len(lost) / max(1, len(calls))]
    bad = shares[0] > 100 - FOUND or shares[1] > FALSE or shares[2] > 100 - STRIPPED or len(sure) < 40
    print(f"{'FAILED ' if bad else ''}{what}: {len(sure)} references, {shares[0]:.2f} % missed, {shares[1]:.2f} % are none; "
          f"stripped: {len(calls)} of functions, {shares[2]:.2f} % missed")
    for a, b in (missed if shares[0] > 100 - FOUND else [])[:8]:
        print("    missed", min(symbols.names(a)), "->", min(symbols.names(b)))
    for pair in (false if shares[1] > FALSE else [])[:8]:
        print("    none", *pair, mine[pair]["kind"], mine[pair]["place"])
    for a, b in (lost if shares[2] > 100 - STRIPPED else [])[:8]:
        print("    stripped", f"{a:x}", min(symbols.names(a)), "->", f"{b:x}", min(symbols.names(b)))
    return not bad


def build(kit, work, level):
    """Pairs of programs: without relocations, with them."""
    name, cc, cxx, flags = kit
    suffix = ".thumb" if "thumb" in name else ".arm64" if "aarch64" in name else ".x86"
    flags = flags.split() + ["-ffunction-sections", "-fdata-sections", level, "-w"]
    link = [f for f in flags if f.startswith(("-m", "-pie", "-no-pie", "-nostdlib", "-Wl", "-static"))]
    include = ["-I" + str(HERE / "src"), "-I" + str(HERE / "include"), "-std=gnu11"]
    compile_flags = [f for f in flags if f not in ("-pie", "-no-pie", "-nostdlib") and not f.startswith("-Wl")]
    objects = []
    for source in C_SOURCES:
        out = work / (source.replace("/", "_") + ".o")
        if subprocess.run([cc, *compile_flags, *include, "-c", HERE / "src" / source, "-o", out], stderr=subprocess.DEVNULL).returncode == 0:
            objects.append(out)
    names = output("nm", "-A", *objects).splitlines() if objects else []
    undefined = {line.split()[-1] for line in names if " U " in line} - {line.split()[-1] for line in names if " U " not in line}
    (work / "main.c").write_text("int main(void) { return 0; }\n" + "".join(f"int {name}(void) {{ return 0; }}\n" for name in sorted(undefined) if "$" not in name and "GLOBAL_OFFSET" not in name))
    (work / "main.cc").write_text(CXX)
    jobs = [("C", [cc, *link, "-fno-builtin", "-ffunction-sections", "-w", work / "main.c", *objects, ALL])]
    if cxx:
        jobs.append(("C++", [cxx, *flags, work / "main.cc"]))
    for language, command in jobs:
        pair = [work / (language + kind + suffix) for kind in ("plain", "kept")]
        for path, more in zip(pair, ([], ["-Wl,--emit-relocs"])):
            subprocess.run([*command, *more, "-o", path], check=True)
        yield language, pair[0], pair[1]


def main():
    heft, done, good = sys.argv[1], 0, True
    for kit in KITS:
        if not shutil.which(kit[1]) or (sys.argv[2:] and sys.argv[2] not in kit[0]):
            print(f"{kit[0]}: not compared")
            continue
        if not os.environ.get("FULL") and not sys.argv[2:] and kit[0] not in ("x86-64 gcc", "thumb gcc"):
            continue
        for level in ("-O0", "-O2", "-Os") if os.environ.get("FULL") else ("-O2",):
            with tempfile.TemporaryDirectory() as folder:
                for language, path, kept in build(kit, pathlib.Path(folder), level):
                    good = compare(heft, f"{kit[0]} {level} {language}", path, kept) and good
                    done += 1
    if done == 0:
        print("SKIP: no compiler")
        sys.exit(SKIPPED)
    sys.exit(not good)


main()
