#!/usr/bin/env python3
"""Programs and objects that are no ELF files, built here, against what their linkers and LLVM's tools say of them: rows add
up for every source, sections, symbols and the units of functions are the same.

usage: tests/oracle/formats.py HEFT FORMAT     FORMAT: wasm, macho, pe, pdb, or commands: all of
them, and every command
"""
import collections
import csv
import io
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "programs"))
import terminal  # noqa: E402

SOURCES = ["sections", "segments", "symbols", "compileunits", "sourcefiles", "inlines", "inlinestacks", "armembers",
           "inputfiles", "compileunits,symbols", "segments,sections"]
ONE = """
int table[100] = { 1, 2, 3 };
static int counter;
const char msg[] = "hello there";
__attribute__((noinline)) int add(int a, int b) { return a + b + table[a]; }
static inline int square(int x) { return x * x + counter; }
__attribute__((noinline)) int use(int x) { counter++; return add(square(x), msg[x & 7]); }
int other(int i);
int start(void) { table[0] = use(3) + other(5); return table[1]; }
int main(void) { return start(); }
"""
TWO = """
static double weights[50] = { 1.5, 2.5 };
struct pair { int a; double b; };
struct pair pairs[10];
__attribute__((noinline)) static int fold(int k) { return (int)(pairs[k % 10].b + weights[k]); }
int other(int i)
{
	for (int k = 0; k < i; k++)
		pairs[k % 10].b += weights[i] + fold(k);
	return fold(i + 1);
}
"""

# Exported data, whose names end in their sizes, among data and texts without a symbol.
DATA = """
#ifdef _WIN32
#define OUT __declspec(dllexport)
#else
#define OUT __attribute__((visibility("default")))
#endif
struct state { int count; int last; double sum; };
typedef const char *text;
OUT extern const int limit_4, table_400[100], squares_64[16];
OUT extern const text words_32[4];
OUT extern struct state state_16;
OUT extern int visible_8[2];
const int limit_4 = 7;
static const unsigned short hidden[3000] = { 1, 2, 3 };
const int table_400[100] = { 5, 6 };
static const double weights[500] = { 1.5 };
const int squares_64[16] = { 0, 1, 4 };
static const text names[300] = { "first of the names", "second of the names" };
const text words_32[4] = { "a word of the table", "another word", "the third", "the last of the words" };
struct state state_16 = { 1, 2, 3.5 };
static int unseen[700] = { 9 };
int visible_8[2] = { 3, 4 };
static double filled[900] = { 2.5 };
OUT int number(int i) { return hidden[i] + limit_4; }
OUT double weight(int i) { return weights[i] + squares_64[i & 15] + table_400[i]; }
OUT text word(int i) { return words_32[i & 3]; }
OUT text name(int i) { return names[i]; }
OUT int count(int i) { unseen[i] += i; state_16.count++; return state_16.last += unseen[0]; }
OUT double sum(int i) { return state_16.count + (state_16.sum += filled[i]); }
OUT int *seen(int i) { filled[i] = i; return &visible_8[i & 1]; }
"""


class Test:
    def __init__(self, heft, folder):
        self.heft, self.folder = heft, folder
        self.compared = self.bad = 0

    def path(self, name):
        return os.path.join(self.folder, name)

    def check(self, what, mine, theirs):
        self.compared += 1
        if mine != theirs:
            self.bad += 1
            print(f"FAIL {what}: heft says {mine!r}, not {theirs!r}")

    def rows(self, path, sources, *options):
        out = run(self.heft, "size", "-d", sources, "--csv", "-n", "0", "-w", *options, path)
        return list(csv.DictReader(io.StringIO(out)))

    def totals(self, path):
        for source in SOURCES:
            rows = self.rows(path, source)
            self.check(f"{path}: bytes by {source}", sum(int(r["filesize"]) for r in rows), os.path.getsize(path))


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode != 0:
        sys.exit(f"FAILED with status {done.returncode}: {' '.join(words)}\n{done.stderr}")
    return done.stdout


def need(*programs):
    for program, package in programs:
        if not shutil.which(program):
            print(f"SKIP: no {program} (install {package})")
            sys.exit(77)


def write_sources(t):
    for name, text in (("one.c", ONE), ("two.c", TWO)):
        with open(t.path(name), "w", encoding="utf-8") as f:
            f.write(text)


def functions_by_unit(t, path, section):
    """{(file of the unit, symbol): bytes} of the code."""
    found = collections.Counter()
    for r in t.rows(path, "compileunits,sections,rawsymbols"):
        if r["sections"] == section and not r["rawsymbols"].startswith("["):
            found[os.path.basename(r["compileunits"]), r["rawsymbols"]] += int(r["vmsize"])
    return dict(found)


# ---- WebAssembly ------------------------------------------------------------------------------------------------------

WASM_TITLES = {"DATACOUNT": "DataCount", "ELEM": "Element"}
WASM_SOURCES = {"one": "one.c", "two": "two.c", "three": "three.cc"}


def wasm_map(text):
    """Of wasm-ld -Map: sizes of output sections; {(object, function): size}."""
    sections, functions = collections.Counter(), {}
    inside = ""
    for line in text.splitlines()[1:]:
        m = re.match(r" *(\S+) +([0-9a-f]+) +([0-9a-f]+) (\s*)(\S.*)$", line)
        if not m:
            continue
        addr, size, depth, name = m[1], int(m[3], 16), len(m[4]), m[5]
        if depth == 0 and addr == "-":
            inside = name
            custom = re.match(r"CUSTOM\((.*)\)", name)
            sections[custom[1] if custom else WASM_TITLES.get(name, name.capitalize())] += size
        inner = re.match(r"(?:.*/)?(\w+)\.o:\((.*)\)$", name)
        if inside == "CODE" and inner:
            functions[WASM_SOURCES[inner[1]], inner[2]] = size
    return dict(sections), functions


def wasm(t):
    need(("clang-19", "clang-19"), ("wasm-ld-19", "lld-19"), ("llvm-ar-19", "llvm-19"), ("llvm-readobj-19", "llvm-19"))
    with open(t.path("three.cc"), "w", encoding="utf-8") as f:
        f.write(THREE)
    for number, flags in enumerate(["-O1", "-O0 -gdwarf-5", "-O2 -gdwarf-4 -ffunction-sections -fdata-sections"]):
        objects = []
        for name, source in WASM_SOURCES.items():
            objects.append(t.path(f"{name}.o"))
            run("clang-19", "--target=wasm32", "-g", "-fno-exceptions", "-fno-rtti", *flags.split(), "-c", t.path(source),
                "-o", objects[-1])
        linked, stripped = t.path(f"linked{number}.wasm"), t.path(f"stripped{number}.wasm")
        link = ["wasm-ld-19", "--no-entry", "--no-demangle", "--export=start", "--export=more", *objects]
        run(*link, f"-Map={t.path('map')}", "-o", linked)
        run(*link, "--strip-all", "-o", stripped)
        archive = t.path(f"lib{number}.a")
        run("llvm-ar-19", "rc", archive, *objects)
        for path in [linked, stripped, archive, *objects]:
            t.totals(path)
        with open(t.path("map"), encoding="utf-8") as f:
            sections, functions = wasm_map(f.read())
        t.check(f"{linked}: sections", {r["sections"]: int(r["filesize"]) for r in t.rows(linked, "sections")
                                        if not r["sections"].startswith("[")}, sections)
        mine = functions_by_unit(t, linked, "Code")
        t.check(f"{linked}: functions by unit", mine, functions)
        t.check(f"{linked}: units of the map", {unit for unit, _ in functions}, set(WASM_SOURCES.values()))
        wasm_object(t, objects[0])


def wasm_object(t, path):
    """Symbols of an object: names and sizes of its data."""
    text = run("llvm-readobj-19", "--symbols", path)
    data = {m[1]: int(m[2], 16) for m in re.finditer(r"Name: (\S+)\n\s+Type: DATA[^}]*?Size: (0x\w+)", text)}
    mine = {r["rawsymbols"]: int(r["vmsize"]) for r in t.rows(path, "sections,rawsymbols")
            if r["sections"] == "Data" and not r["rawsymbols"].startswith("[")}
    t.check(f"{path}: data", {n: s for n, s in mine.items() if n in data}, {n: s for n, s in data.items() if n in mine})
    t.check(f"{path}: data are there", len(mine) >= 3, True)


# ---- Mach-O -----------------------------------------------------------------------------------------------------------

CPP = """
struct Base { virtual ~Base() {} virtual int f(int x); int k; };
int Base::f(int x) { if (x > 9) throw 3; return x * k; }
namespace app { template<class T> T twice(T t) { return t + t; }
__attribute__((noinline)) int run(Base *b) { try { return b->f(4) + twice(3); } catch (int e) { return e; } } }
static int zeros[5000];
extern "C" int more(int i) { Base b; b.k = 3; zeros[i] = i; return app::run(&b) + zeros[i + 1]; }
void operator delete(void *) noexcept {}
void operator delete(void *, unsigned long) noexcept {}
"""


def plain(name):
    return name[1:] if name.startswith("__Z") else name


def macho_map(text):
    """Of ld64.lld -map: {title: bytes} of sections; {(object, symbol): bytes} of code."""
    sections, functions, names, inside = {}, {}, {}, ""
    code = range(0)
    for line in text.splitlines():
        if line.startswith("#"):
            inside = line
            continue
        m = re.match(r"\[ *(\d+)\] (.*)", line)
        if inside.startswith("# Object") and m:
            names[m[1]] = os.path.basename(m[2])
            continue
        words = line.split("\t", 2)
        addr, size = int(words[0], 16), int(words[1], 16)
        if inside.startswith("# Address") and "Segment" in inside:
            segment, section = words[2].split("\t")
            sections[f"{segment},{section}"] = size
            if section == "__text":
                code = range(addr, addr + size)
        elif addr in code:
            m = re.match(r"\[ *(\d+)\] (.*)", words[2])
            functions[os.path.splitext(names[m[1]])[0], plain(m[2])] = size
    return sections, functions


def macho(t):
    need(("clang-19", "clang-19"), ("ld64.lld-19", "lld-19"), ("dsymutil-19", "llvm-19"), ("llvm-ar-19", "llvm-19"),
         ("llvm-strip-19", "llvm-19"), ("llvm-nm-19", "llvm-19"), ("llvm-dwarfdump-19", "llvm-19"))
    with open(t.path("three.cc"), "w", encoding="utf-8") as f:
        f.write(CPP)
    for arch in ("x86_64", "arm64"):
        for number, flags in enumerate(["-O1", "-O2 -gdwarf-5", "-O0 -gdwarf-4"]):
            macho_build(t, arch, f"{arch}{number}", flags.split())
    macho_frames(t)
    macho_data(t)


def macho_build(t, arch, name, flags):
    objects = []
    for source in ("one.c", "two.c", "three.cc"):
        objects.append(t.path(source.split(".")[0] + ".o"))
        run("clang-19", f"--target={arch}-apple-macos11", "-g", *flags, "-c", t.path(source), "-o", objects[-1])
    link = ["ld64.lld-19", "-arch", arch, "-platform_version", "macos", "11.0", "11.0", "-undefined", "dynamic_lookup",
            *objects]
    linked, library, stripped = t.path(name), t.path(f"{name}.dylib"), t.path(f"{name}.stripped")
    run(*link, "-map", t.path("map"), "-o", linked)
    run(*link, "-dylib", "-dead_strip", "-o", library)
    archive = t.path(f"lib{name}.a")
    run("llvm-ar-19", "--format=darwin", "rc", archive, *objects)
    macho_debug_map(t, linked, [*link[:-len(objects)], "-all_load", archive])
    run("llvm-strip-19", "-x", linked, "-o", stripped)
    for path in [linked, library, stripped, archive, *objects, f"{linked}.dSYM/Contents/Resources/DWARF/{name}"]:
        t.totals(path)
    with open(t.path("map"), encoding="utf-8") as f:
        sections, functions = macho_map(f.read())
    mine = {r["sections"]: int(r["vmsize"]) for r in t.rows(linked, "sections")}
    # Padding of up to 16 bytes goes to what precedes it.
    for title, size in sections.items():
        t.check(f"{linked}: {title} of {size} bytes", 0 <= mine.get(title, 0) - size <= 16, True)
    code = {r["rawsymbols"]: int(r["vmsize"]) for r in t.rows(linked, "sections,rawsymbols")
            if r["sections"] == "__TEXT,__text"}
    t.check(f"{linked}: functions", sorted(code), sorted(n for _, n in functions))
    for (unit, symbol), size in functions.items():
        t.check(f"{linked}: {symbol}", 0 <= code.get(symbol, 0) - size <= 16, True)
    units = {(os.path.splitext(u)[0], s) for (u, s), n in functions_by_unit(t, linked, "__TEXT,__text").items() if n >= 4}
    t.check(f"{linked}: units", sorted(units), sorted(functions))
    t.check(f"{linked}: there are functions", len(functions) >= 8, True)
    macho_object(t, objects[1])
    macho_bundle(t, linked)
    macho_tables(t, linked)
    chained = t.path(f"{name}.chained")
    link[link.index("11.0"):link.index("11.0") + 2] = ["13.0", "13.0"]
    run(*link, "-fixup_chains", "-o", chained)
    t.totals(chained)
    macho_tables(t, chained)
    if arch == "arm64":
        macho_signature(t, chained)


def data_sizes(t, path):
    """Exported data end where they do, up to padding, though no table states their sizes."""
    rows = collections.Counter()
    for r in t.rows(path, "sections,rawsymbols"):
        if "data" in r["sections"] or "const" in r["sections"]:
            rows[r["rawsymbols"].lstrip("_")] += int(r["vmsize"])
    for name in ("limit_4", "table_400", "squares_64", "words_32", "state_16", "visible_8"):
        size = int(name.rsplit("_", 1)[1])
        t.check(f"{path}: {name} has {rows[name]} bytes", size <= rows[name] < size + 16, True)
    t.totals(path)


def data_builds(t, target, suffix, flags, link):
    """Programs of DATA for two architectures at two levels, whose data were looked at; `link` makes one of an object."""
    with open(t.path("data.c"), "w", encoding="utf-8") as f:
        f.write(DATA)
    for arch in ("x86_64", "aarch64"):
        for level in ("-O1", "-O2"):
            path = t.path(f"data-{arch}{level}{suffix}")
            run("clang-19", f"--target={arch}-{target}", level, *flags, "-c", t.path("data.c"), "-o", t.path("data.o"))
            link(arch, t.path("data.o"), path)
            data_sizes(t, path)
            yield path


def macho_data(t):
    def link(arch, obj, path):
        run("ld64.lld-19", "-arch", arch.replace("aarch64", "arm64"), "-platform_version", "macos", "11.0", "11.0",
            "-undefined", "dynamic_lookup", "-dylib", obj, "-o", path)

    for path in data_builds(t, "apple-macos11", ".dylib", [], link):
        run("llvm-strip-19", "-x", path)
        data_sizes(t, path)


def pe_data(t):
    def link(_, obj, path):
        run("lld-link-19", "/dll", "/noentry", "/nodefaultlib", "/force:unresolved", obj, f"/out:{path}")

    for _ in data_builds(t, "pc-windows-msvc", ".dll", ["-ffreestanding", "-Xclang", "-fno-builtin"], link):
        pass


def macho_debug_map(t, linked, link_archive):
    """The bundle that dsymutil makes of the objects tells units; without it, heft says where the debug info is."""
    from_archive = f"{linked}.from-archive"
    run(*link_archive, "-o", from_archive)
    t.check(f"{linked}: debug info in objects", "objects" in run(t.heft, "info", "--csv", linked), True)
    for path in (linked, from_archive):
        run("dsymutil-19", path)
    bundle = f"{linked}.dSYM/Contents/Resources/DWARF/{os.path.basename(linked)}"
    for source in ("compileunits", "rawsymbols"):
        left = sum(int(r["filesize"]) for r in t.rows(bundle, source, "--debug-info=owners") if r[source].startswith("[__DWARF"))
        t.check(f"{bundle}: {left} bytes of debug info of nobody by {source}", left <= 64, True)


def macho_tables(t, path):
    """Exports, function starts and what places pointers go to symbols."""
    rows, left = collections.defaultdict(set), collections.Counter()
    for r in t.rows(path, "sections,rawsymbols"):
        rows[r["sections"]].add(r["rawsymbols"])
        left[r["sections"]] += int(r["filesize"]) if r["rawsymbols"].startswith("[") else 0
    exports = run("llvm-objdump-19", "--macho", "--exports-trie", path)
    names = {plain(m[1]) for m in re.finditer(r"^0x\w+ +(?:\[.*\] +)?(\S+)", exports, re.M)}
    mine = rows["Export Info"] | rows["Exports Trie"]
    names.discard("__mh_execute_header")  # the header, which is in no section
    t.check(f"{path}: exports", sorted(names - mine), [])
    t.check(f"{path}: there are exports", len(names) >= 8, True)
    starts = run("llvm-objdump-19", "--macho", "--function-starts=names", path).split("\n")
    functions = {plain(line) for line in starts if line.startswith("_")}
    t.check(f"{path}: function starts", sorted(functions - rows["Function Start Addresses"]), [])
    t.check(f"{path}: there are function starts", len(functions) >= 8, True)
    for table, most in [("Export Info", 24), ("Exports Trie", 24), ("Function Start Addresses", 8), ("Symbol Table", 0),
                        ("String Table", 16), ("Rebase Info", 16), ("Chained Fixups", 120), ("__TEXT,__init_offsets", 0),
                        ("__TEXT,__unwind_info", 128), ("Code Signature", 600)]:
        t.check(f"{path}: {table} of nobody, {left[table]} bytes", left[table] <= most, True)


def macho_signature(t, path):
    """A piece of a hash goes to what lies in that part of the page, which the raw map tells."""
    with open(path, "rb") as f:
        content = f.read()
    place = re.search(r"LC_CODE_SIGNATURE\n.*?dataoff (\d+)", run("llvm-objdump-19", "--macho", "--private-headers", path), re.S)
    owners = []
    for line in run(t.heft, "size", "-d", "rawsymbols", "-w", "--raw-map", path).splitlines():
        if m := re.match(r"([0-9a-f]+)-([0-9a-f]+)\s+\d+\s+(.*)", line):
            owners.append((int(m[1], 16), int(m[2], 16), m[3]))

    def owner(at):
        return next((name for start, end, name in owners if start <= at < end), None)
    directory = content.index(b"\xfa\xde\x0c\x02", int(place[1]))
    hashes, _, _, count, _ = struct.unpack(">5I", content[directory + 16:directory + 36])
    size, shift = content[directory + 36], content[directory + 39]
    right = total = 0
    for i in range(count):
        for at in range(0, size, 4):
            signed = owner((i << shift) + (at << shift) // size)
            if signed and not signed.startswith("["):
                total += 1
                right += owner(directory + hashes + i * size + at) == signed
    t.check(f"{path}: pieces of hashes with the right owner", (right, total >= 10), (total, True))


def macho_bundle(t, path):
    """Named by --dsym, whole or the file in it."""
    known, bundle = t.rows(path, "compileunits"), t.path("moved.dSYM")
    shutil.move(f"{path}.dSYM", bundle)
    t.check(f"{path}: without its bundle", t.rows(path, "compileunits", "--no-debug-search") == known, False)
    for named in (bundle, f"{bundle}/Contents/Resources/DWARF/{os.path.basename(path)}"):
        t.check(f"{path}: --dsym={named}", t.rows(path, "compileunits", f"--dsym={named}"), known)
    shutil.rmtree(bundle)


THROWING = """
int table[4] = { 1, 2, 3, 4 };
int deep(int x) { if (x > 3) throw x; return table[x]; }
int wide(int x) { try { return deep(x); } catch (int y) { return y; } }
int plain(int x) { return wide(x) + 1; }
"""


def macho_frames(t):
    """Of objects, whose unwind tables have no relocations for it: entries and exception tables go to their functions."""
    path = t.path("throwing.o")
    with open(t.path("throwing.cc"), "w", encoding="utf-8") as f:
        f.write(THROWING)
    for target in ("i386-apple-macos10.12", "x86_64-apple-macos10.12", "arm64-apple-macos11"):
        for level in ("-O0", "-O2"):
            run("clang-19", f"--target={target}", "-g", level, "-c", t.path("throwing.cc"), "-o", path)
            what = f"{path} {target} {level}"
            left = {r["compileunits"] for r in t.rows(path, "compileunits", "--domain=vm") if int(r["vmsize"]) > 8}
            t.check(f"{what}: units", {os.path.basename(unit) for unit in left}, {"throwing.cc"})
            starts = {int(m[1], 16): m[2][1:] for m in
                      re.finditer(r"(?m)^(\w+) T (\w+)$", run("llvm-nm-19", path))}
            theirs, waiting = collections.Counter(), 0
            for m in re.finditer(r"(?m)^\w+ (\w+) \w+ (?:CIE|FDE .*pc=(\w+))", run("llvm-dwarfdump-19", "--eh-frame", path)):
                waiting += int(m[1], 16) + 4  # a CIE goes to the function behind it
                if m[2]:
                    theirs[starts[int(m[2], 16) % (1 << 32)]] += waiting
                    waiting = 0
            mine = {r["rawsymbols"]: int(r["filesize"]) for r in t.rows(path, "sections,rawsymbols")
                    if r["sections"] == "__TEXT,__eh_frame"}
            t.check(f"{what}: unwind entries", mine, dict(theirs))
            t.check(f"{what}: there are some", len(theirs) > 1, "arm64" not in target)


def macho_object(t, path):
    """By symbol and by unit."""
    defined = {l.split()[2] for l in run("llvm-nm-19", path).splitlines() if re.match(r"\w+ [TtDdSsBb] _", l)}
    mine = {r["rawsymbols"] for r in t.rows(path, "rawsymbols")}
    t.check(f"{path}: symbols", sorted(defined - mine), [])
    units = functions_by_unit(t, path, "__TEXT,__text")
    t.check(f"{path}: unit", {u for u, _ in units}, {"two.c"})


# ---- PE/COFF ----------------------------------------------------------------------------------------------------------

def pe_sections(path):
    """Titles and (bytes in memory, in the file), as llvm-readobj tells."""
    text = run("llvm-readobj-19", "--sections", path)
    return {m[1]: (int(m[2], 16), int(m[3])) for m in
            re.finditer(r"Name: (\S+) \([^}]*?VirtualSize: (0x\w+)\n[^}]*?RawDataSize: (\d+)", text)}


def pe(t):
    gcc = "x86_64-w64-mingw32-gcc"
    need((gcc, "gcc-mingw-w64-x86-64"), ("llvm-readobj-19", "llvm-19"), ("llvm-nm-19", "llvm-19"),
         ("clang-19", "clang-19"), ("lld-link-19", "lld-19"))
    for number, flags in enumerate(["-O1", "-O2 -ffunction-sections -gdwarf-4", "-O0"]):
        objects = []
        for name in ("one", "two"):
            objects.append(t.path(f"{name}.o"))
            run(gcc, "-g", *flags.split(), "-c", t.path(f"{name}.c"), "-o", objects[-1])
        program, library, stripped = (t.path(f"{name}{number}") for name in ("program.exe", "library.dll", "stripped.exe"))
        run(gcc, *objects, "-o", program)
        run(gcc, "-shared", *objects, "-o", library)
        run(gcc, "-s", *objects, "-o", stripped)
        archive = t.path(f"lib{number}.a")
        run("x86_64-w64-mingw32-ar", "rc", archive, *objects)
        for path in [program, library, stripped, archive, *objects]:
            t.totals(path)
        for path in [program, library, stripped]:
            pe_layout(t, path)
            pe_base_relocations(t, path)
        pe_names(t, program)
        pe_functions(t, stripped)
        pe_units(t, program, objects)
    pe_resources(t, gcc)
    pe_imports(t)
    pe_data(t)
    for target in ("x86_64-pc-windows-msvc", "aarch64-pc-windows-msvc", "i686-pc-windows-gnu"):
        path = t.path(f"{target}.obj")
        run("clang-19", f"--target={target}", "-g", "-c", t.path("two.c"), "-o", path)
        t.totals(path)
        t.check(f"{path}: symbols", {"other", "_other"} & {r["rawsymbols"] for r in t.rows(path, "rawsymbols")} != set(), True)
        if "i686" not in target:
            linked = t.path(f"{target}.dll")
            run("lld-link-19", "/dll", "/noentry", "/force:unresolved", "/export:other", path, f"/out:{linked}")
            t.totals(linked)
            pe_layout(t, linked)
            pe_functions(t, linked)


RESOURCES = """
1 VERSIONINFO
FILEVERSION 1,2,3,4
BEGIN
END
STRINGTABLE
BEGIN
  7 "a text of the program"
END
LOGO RCDATA
BEGIN
  "thirty-two bytes of something, .."
END
"""


def pe_resources(t, gcc):
    """Each is a symbol, as large as llvm-readobj tells; what else .rsrc holds is little."""
    need(("x86_64-w64-mingw32-windres", "binutils-mingw-w64-x86-64"))
    with open(t.path("it.rc"), "w", encoding="utf-8") as f:
        f.write(RESOURCES)
    run("x86_64-w64-mingw32-windres", t.path("it.rc"), "-O", "coff", "-o", t.path("it.res"))
    path = t.path("resources.exe")
    run(gcc, "-Wl,--no-dynamicbase", "-Wl,--nxcompat", "-g", t.path("one.c"), t.path("two.c"), t.path("it.res"), "-o", path)
    t.totals(path)
    rows = {r["rawsymbols"]: int(r["vmsize"]) for r in t.rows(path, "sections,rawsymbols") if r["sections"] == ".rsrc"}
    t.check(f"{path}: resources", sorted(n for n in rows if n.startswith("resource ")),
            ["resource RCDATA/LOGO", "resource STRING/1", "resource VERSION/1"])
    theirs = sum(int(m[1]) for m in re.finditer(r"Data Size: (\d+)|DataSize: (\d+)", run("llvm-readobj-19", "--coff-resources", path))
                 if m[1])
    t.check(f"{path}: bytes of resources", sum(n for s, n in rows.items() if s.startswith("resource ")) >= theirs, True)
    info = run(t.heft, "info", "--json", path)
    t.check(f"{path}: protection", ('"pie": "no"' in info, '"nx": "yes"' in info), (True, True))


def pe_base_relocations(t, path):
    """As many as llvm-readobj lists, but those that fill a block."""
    listed = re.findall(r"Type: (\w+)", run("llvm-readobj-19", "--coff-basereloc", path))
    theirs = sum(kind != "ABSOLUTE" for kind in listed)
    row = json.loads(run(t.heft, "info", "--json", path))["total"]["children"][0]
    t.check(f"{path}: base relocations", (row["relocations"], theirs > 0), (theirs, True))


def pe_imports(t):
    """An import library: every name it stands for is a row of its member."""
    need(("llvm-dlltool-19", "llvm-19"))
    with open(t.path("it.def"), "w", encoding="utf-8") as f:
        f.write("LIBRARY it.dll\nEXPORTS\n" + "".join(f"function_{i}\n" for i in range(30)))
    path = t.path("it.lib")
    run("llvm-dlltool-19", "-m", "i386:x86-64", "-d", t.path("it.def"), "-l", path)
    t.totals(path)
    mine = {r["rawsymbols"] for r in t.rows(path, "sections,rawsymbols") if r["sections"] == "Import Object"}
    t.check(f"{path}: imports", mine, {f"function_{i}" for i in range(30)})


def pe_layout(t, path):
    mine = {r["sections"]: (int(r["vmsize"]), int(r["filesize"])) for r in t.rows(path, "sections")}
    for name, (vm, size) in pe_sections(path).items():
        if name.startswith("/"):
            continue
        found = mine.get(name, (0, 0))
        # Debug sections take no room in memory; padding of up to 16 bytes goes to what precedes it.
        t.check(f"{path}: {name}", (name.startswith(".debug") or 0 <= found[0] - vm <= 16,
                                    name == ".bss" or 0 <= found[1] - size <= 16), (True, True))


def pe_names(t, path):
    """Every function of the symbol table is a row."""
    names = {l.split()[2] for l in run("llvm-nm-19", path).splitlines() if re.match(r"\w+ [Tt] [a-z]\w+$", l)}
    mine = {r["rawsymbols"] for r in t.rows(path, "rawsymbols")}
    aliases = len(names - mine)
    t.check(f"{path}: functions that are no row", aliases * 10 <= len(names) and len(names) > 20, True)


def pe_units(t, path, objects):
    """Every function of an object belongs to the object's source."""
    units, count = functions_by_unit(t, path, ".text"), 0
    for one in objects:
        source = os.path.basename(one).replace(".o", ".c")
        for name in re.findall(r"(?m)^\w+ [Tt] (\w+)$", run("llvm-nm-19", one)):
            t.check(f"{path}: unit of {name}", [u for u, f in units if f == name], [source])
            count += 1
    t.check(f"{path}: there are functions", count >= 5, True)


def pe_functions(t, path):
    """Sizes of functions by .pdata, where no symbol tells."""
    text = run("llvm-readobj-19", "--unwind", path)
    base = int(re.search(r"ImageBase: (0x\w+)", run("llvm-readobj-19", "--file-headers", path))[1], 16)
    sizes = {f"sub_{int(m[1], 16):x}": int(m[2], 16) - int(m[1], 16) for m in
             re.finditer(r"StartAddress: .*?\((0x\w+)\)\n\s+EndAddress: .*?\((0x\w+)\)", text)}
    mine = {r["rawsymbols"]: int(r["vmsize"]) for r in t.rows(path, "sections,rawsymbols") if r["sections"] == ".text"}
    beyond = 0
    for name, size in sizes.items():
        known = name if int(name[4:], 16) > base else f"sub_{int(name[4:], 16) + base:x}"
        if known in mine:
            t.check(f"{path}: {known} of {size} bytes", mine[known] >= size, True)
            beyond += mine[known] - size > 16
    # Code that no entry is about, as that of leaf functions, goes to who refers to it.
    t.check(f"{path}: functions with more bytes", beyond * 20 <= len(sizes), True)


# ---- PDB --------------------------------------------------------------------------------------------------------------

THREE = """
namespace app {
struct Base { virtual int f(int x); int k; };
int Base::f(int x) { return x * k; }
template<class T> struct Box { T v; int n; T get(T by) const { return v * by + n; } };
static inline int twice(int x) { Box<int> b = { x, 2 }; return b.get(x) + b.get(x + 1); }
__attribute__((noinline)) int run(Base *b, int x) { return b->f(4) + twice(x) + b->f(twice(x + 3)); }
}
static int zeros[5000];
extern "C" int more(int i) { app::Base b; b.k = 3; zeros[i] = i; return app::run(&b, i) + zeros[i + 1]; }
extern "C" { int _fltused; }
"""


def pdb_procedures(path):
    """{(object, function): (offset, bytes)} of the first section, as llvm-pdbutil tells."""
    found, inside = {}, ""
    for line in run("llvm-pdbutil-19", "dump", "--symbols", path).splitlines():
        module = re.match(r" *Mod \d+ \| `(.*)`", line)
        name = re.search(r"S_[GL]PROC32(?:_ID)? \[size = \d+\] `(.*)`", line)
        place = re.search(r"addr = 0001:(\d+), code size = (\d+)", line)
        if module:
            inside = os.path.splitext(os.path.basename(module[1]))[0]
        elif name:
            function = name[1]
        elif place:
            found[inside, function] = (int(place[1]), int(place[2]))
    return found


def plain_names(names):
    """{name: what a compiler calls it}, of decorated names without types."""
    decorated = [n for n in names if n.startswith("?")]
    less = ["--no-access-specifier", "--no-calling-convention", "--no-return-type", "--no-member-type", "--no-variable-type"]
    found = run("llvm-undname-19", *less, *decorated).strip("\n").split("\n\n") if decorated else []
    return {n: n for n in names} | {n: text.splitlines()[1].split("(")[0] for n, text in zip(decorated, found)}


def pdb_frames(text):
    """Of llvm-symbolizer: for each address [(function, file and line)]."""
    found = []
    for block in text.strip("\n").split("\n\n"):
        lines = block.split("\n")
        places = [re.sub(r":\d+$", "", p) for p in lines[1::2]]
        found.append(list(zip(lines[::2], [re.sub(r":0$", "", p) for p in places])))
    return found


def heft_frames(text):
    found = []
    for line in text.splitlines():
        frame = re.match(r" *#\d+ +(.*) at (\S+)(?: \(inlined\))?$", line)
        if re.match(r"0x\w+ ", line):
            found.append([])
        elif frame:
            found[-1].append((frame[1], frame[2]))
    return found


def pdb_build(t, target, name, flags):
    objects = []
    for source in ("one.c", "two.c", "three.cc"):
        objects.append(t.path(source.split(".")[0] + ".obj"))
        run("clang-19", f"--target={target}", "-g", "-gcodeview", "-fno-exceptions", "-fno-rtti", *flags, "-c", t.path(source),
            "-o", objects[-1])
    program, file = t.path(f"{name}.exe"), t.path(f"{name}.pdb")
    run("lld-link-19", "/debug", "/nodefaultlib", "/entry:start", "/subsystem:console", *objects, f"/out:{program}",
        f"/map:{t.path(name + '.txt')}", "/include:more")
    t.totals(program)
    procedures = pdb_procedures(file)
    t.check(f"{program}: there are functions", len(procedures) >= 8, True)
    pdb_units(t, program, procedures)
    pdb_lines(t, program, procedures)
    pdb_map(t, program, name)
    pdb_elsewhere(t, name)


def pdb_units(t, program, procedures):
    """Units and sizes of functions; padding of up to 16 bytes goes to what precedes it."""
    found = functions_by_unit(t, program, ".text")
    plain = plain_names([name for _, name in found])
    mine = {(os.path.splitext(unit)[0], plain[name]): size for (unit, name), size in found.items()}
    t.check(f"{program}: functions by unit", sorted(mine), sorted(procedures))
    for key, (_, size) in procedures.items():
        t.check(f"{program}: {key} of {size} bytes", 0 <= mine.get(key, 0) - size <= 16, True)


def pdb_lines(t, program, procedures):
    """Of every fifth byte of the code: functions, what is inlined, files and lines."""
    text = re.search(r"ImageBase: (0x\w+)", run("llvm-readobj-19", "--file-headers", program))[1]
    base = int(text, 16) + 0x1000
    addrs = [hex(base + off + i) for off, size in procedures.values() for i in range(0, size, 5)]
    theirs = pdb_frames(run("llvm-symbolizer-19", f"--obj={program}", *addrs))
    mine = heft_frames(run(t.heft, "where", program, *addrs))
    t.check(f"{program}: addresses", (len(theirs), len(mine)), (len(addrs), len(addrs)))
    for addr, a, b in zip(addrs, mine, theirs):
        t.check(f"{program}: {addr}", [p for _, p in a], [p for _, p in b])
        t.check(f"{program}: {addr}: functions", [f for f, _ in a[:-1]], [f for f, _ in b[:-1]])


def pdb_map(t, program, name):
    """Public functions of lld-link's map and the objects they are from."""
    with open(t.path(f"{name}.txt"), encoding="utf-8") as f:
        public = f.read().split("Static symbols")[0]
    theirs = {(m[1], m[2]) for m in re.finditer(r"(?m)^ 0001:\w+ +(\S+) +\w+ +(\w+)\.obj$", public)}
    mine = {(name, os.path.splitext(unit)[0]) for unit, name in functions_by_unit(t, program, ".text")}
    t.check(f"{program}: public functions of the map", theirs - mine, set())
    t.check(f"{program}: the map has some", len(theirs) >= 4, True)


def pdb_elsewhere(t, name):
    """By hand, in a folder, of another build."""
    program, file, folder = t.path(f"{name}.exe"), t.path(f"{name}.pdb"), t.path("elsewhere")
    known = t.rows(program, "compileunits")
    os.makedirs(folder, exist_ok=True)
    moved = shutil.move(file, os.path.join(folder, os.path.basename(file)))
    t.check(f"{program}: without its PDB", t.rows(program, "compileunits") == known, False)
    t.check(f"{program}: given", t.rows(program, "compileunits", f"--debug-file={moved}"), known)
    t.check(f"{program}: in a folder", t.rows(program, "compileunits", "-D", folder), known)
    with open(moved, "rb") as f:
        content = f.read()
    with open(file, "wb") as f:
        f.write(content[:len(content) // 2])
    t.totals(program)


def pdb_and_dwarf(t):
    """Both tell of a program whose objects have both: its debug sections belong to the units that the PDB names."""
    objects = []
    for source in ("one.c", "two.c"):
        objects.append(t.path(source.split(".")[0] + ".o"))
        run("clang-19", "--target=x86_64-w64-mingw32", "-g", "-gcodeview", "-gdwarf-5", "-O1", "-Dmain=unused",
            "-c", t.path(source), "-o", objects[-1])
    program, alone = t.path("both.exe"), t.path("alone.exe")
    link = ["ld.lld-19", "-m", "i386pep", "-e", "start", *objects]
    run(*link, f"--pdb={t.path('both.pdb')}", "-o", program)
    run(*link, "-o", alone)
    for path in (program, alone):
        t.totals(path)
    for source in ("compileunits", "sourcefiles"):
        # Sections of the file are filled up to 512 bytes.
        left = {r["sections"] for r in t.rows(program, f"sections,{source}")
                if r["sections"].startswith(".debug_") and r[source].startswith("[") and int(r["filesize"]) >= 512}
        t.check(f"{program}: debug sections of nobody by {source}", left, set())
    for source, object_file, flag in zip(("one.c", "two.c"), objects, ("-gcodeview", "-gdwarf-5")):  # each by one alone
        run("clang-19", "--target=x86_64-w64-mingw32", "-g", flag, "-O1", "-Dmain=unused", "-c", t.path(source), "-o",
            object_file)
    run(*link, f"--pdb={t.path('mixed.pdb')}", "-o", t.path("mixed.exe"))
    for source in ("inlines", "inlinestacks"):
        rows = {r[source] for r in t.rows(t.path("mixed.exe"), f"sections,{source}") if r["sections"] == ".text"}
        seen = [any(name in row for row in rows) for name in (("one.c:", "two.c:") if source == "inlines" else ("use", "other"))]
        t.check(f"mixed.exe: {source}", seen, [True, True])
    mixed_units(t, t.path("mixed.exe"))
    both, dwarf = (functions_by_unit(t, path, ".text") for path in (program, alone))
    t.check(f"{program}: functions by unit", both, dwarf)
    t.check(f"{program}: there are functions", len(both) >= 4, True)
    units = {os.path.basename(r["compileunits"]) for r in t.rows(program, "compileunits,sections") if r["sections"] == ".debug_info"
             and not r["compileunits"].startswith("[")}
    t.check(f"{program}: units of debug info", units, {"one.c", "two.c"})


def mixed_units(t, program):
    """Of each function and variable: its unit and line, by the one of both that knows them."""
    for name, unit in (("use", "one.c"), ("other", "two.c"), ("table", "one.c"), ("pairs", "two.c")):
        told = run(t.heft, "where", "-d", "compileunits", program, name)
        t.check(f"{program}: {name}", re.search(r"unit +\S*?([^/\s]+)$", told, re.M)[1], unit)
        t.check(f"{program}: owner of {name}", re.search(r"owner +\S*?([^/\s]+) \(compileunits", told)[1], unit)
        if name in ("use", "other"):
            t.check(f"{program}: line of {name}", bool(re.search(f"#0 .*/{unit}:", told)), True)


def pdb(t):
    need(("clang-19", "clang-19"), ("lld-link-19", "lld-19"), ("ld.lld-19", "lld-19"), ("llvm-pdbutil-19", "llvm-19"),
         ("llvm-symbolizer-19", "llvm-19"), ("llvm-readobj-19", "llvm-19"))
    with open(t.path("three.cc"), "w", encoding="utf-8") as f:
        f.write(THREE)
    for target in ("x86_64", "aarch64"):
        for number, flags in enumerate(["-O0", "-O1", "-O2 -ffunction-sections", "-Os"]):
            pdb_build(t, f"{target}-pc-windows-msvc", f"{target}{number}", flags.split())
    pdb_and_dwarf(t)


# ---- every command on every format ------------------------------------------------------------------------------------

LITERALS = """
const char *const names[] = { "the first of the texts", "the second of the texts", "the third of the texts" };
const char *name_of(int i) { return names[i % 3]; }
"""


def command_samples(t):
    """{what: (path, whether blocks can be derived)} of each format, linked."""
    with open(t.path("three.c"), "w", encoding="utf-8") as f:
        f.write(LITERALS)
    sources = [t.path(f"{name}.c") for name in ("one", "two", "three")]

    def objects(target, *flags):
        made = []
        for source in sources:
            made.append(f"{source}.{target}.o")
            run("clang-19", f"--target={target}", "-g", "-O1", *flags, "-c", source, "-o", made[-1])
        return made
    found = {}
    for arch in ("x86_64", "arm64"):
        found[f"Mach-O {arch}"] = (t.path(arch), True)
        run("ld64.lld-19", "-arch", arch, "-platform_version", "macos", "13.0", "13.0", "-undefined", "dynamic_lookup",
            *objects(f"{arch}-apple-macos13"), "-o", t.path(arch))
        run("dsymutil-19", t.path(arch))
    found["PE"] = (t.path("gnu.exe"), True)
    run("x86_64-w64-mingw32-gcc", "-g", "-O1", *sources, "-o", t.path("gnu.exe"))
    found["PE and PDB"] = (t.path("pdb.exe"), True)
    run("lld-link-19", "/debug", "/nodefaultlib", "/entry:start", "/subsystem:console", "/include:name_of",
        *objects("x86_64-pc-windows-msvc", "-gcodeview", "-D_fltused=unused"), "/force:unresolved", f"/out:{t.path('pdb.exe')}")
    found["wasm"] = (t.path("it.wasm"), False)
    run("wasm-ld-19", "--no-entry", "--export=start", "--export=name_of", *objects("wasm32"), "-o", t.path("it.wasm"))
    return found


def status(*words):
    done = subprocess.run(words, capture_output=True, text=True, errors="replace", check=False, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout, done.stderr


def commands_of_bytes(t, what, path):
    """Those that ask for no name."""
    size, saved, limits = os.path.getsize(path), t.path("saved.size"), t.path("limits")
    t.check(f"{what}: info", f'"bytes": {size},' in run(t.heft, "info", "--json", path), True)
    t.check(f"{what}: snapshot", status(t.heft, "snapshot", path, "-o", saved)[0], 0)
    for one, other in [(path, path), (path, saved), (saved, saved)]:
        t.check(f"{what}: diff of the same", status(t.heft, "diff", "--exit-code", one, other)[0], 0)
    # Every byte of the file is somebody's: a budget of one less is broken.
    for most, good in [(size, 0), (size - 1, 1)]:
        with open(limits, "w", encoding="ascii") as f:
            f.write(f"file max {most} bytes\n")
        for file in (path, saved):
            t.check(f"{what}: check of {most} bytes", status(t.heft, "check", "--budget", limits, file)[0], good)
    page = t.path("page.html")
    t.check(f"{what}: report", (status(t.heft, "report", path, "-o", page)[0], os.path.getsize(page) > 10000), (0, True))
    for form in ("table", "json", "folded", "svg", "markdown"):
        t.check(f"{what}: {form}", status(t.heft, "size", "-d", "compileunits,symbols", f"--format={form}", path)[0], 0)


def commands_on(t, what, path, derives):
    commands_of_bytes(t, what, path)
    ask = "select address, full_name from symbols where section = '.text' and own > 8 and full_name in ('add', '_add')"
    rows = list(csv.reader(io.StringIO(run(t.heft, "query", "--csv", path, ask))))[1:]
    t.check(f"{what}: query finds a function", len(rows), 1)
    for addr, name in rows:
        said = run(t.heft, "where", path, hex(int(addr) + 2))  # a function of WebAssembly begins with its size
        t.check(f"{what}: where of {name}", (f"symbol  {name}" in said, "one.c:" in said), (True, True))
    texts = run(t.heft, "query", "--csv", path, "select own from symbols where full_name like '%second%of%the%texts%'").split()[1:]
    t.check(f"{what}: a literal of its bytes", texts, [] if what == "wasm" else ["24"])
    code, out, _ = status(t.heft, "blocks", "--csv", path)
    t.check(f"{what}: blocks", (code, len(out.splitlines()) > 10), (0, True) if derives else (1, False))


def more_commands(t, what, path):
    """What keeps sizes, and what tells a change; each byte of the file has a row."""
    store, size = f"{path}.db", os.path.getsize(path)
    for commit, minute in (("a1", "00"), ("b2", "01")):
        words = ["history", "add", "--store", store, "--commit", commit, "--branch=main", f"--time=2026-01-01T00:{minute}", path]
        t.check(f"{what}: history add {commit}", status(t.heft, *words)[0], 0)
    log = run(t.heft, "history", "log", "--store", store)
    t.check(f"{what}: history log", ("a1" in log, "b2" in log), (True, True))
    code, said, _ = status(t.heft, "comment", f"--base={path}", path)
    t.check(f"{what}: comment", (code, ": no change, " in said), (0, True))
    for sources in ("sections", "compileunits,symbols"):
        rows = [json.loads(line) for line in run(t.heft, "rows", "-d", sources, path).splitlines()]
        t.check(f"{what}: rows by {sources}", sum(r["file"] for r in rows), size)
    if not terminal.find():
        return
    largest = [r["sections"] for r in t.rows(path, "sections")][:3]
    seen = terminal.Terminal(t.folder, [t.heft, "browse", "-d", "sections,symbols", path], columns=120)
    lines = seen.wait(lambda lines: all(any(title in line for line in lines) for title in largest))
    t.check(f"{what}: browse shows the largest sections", lines is not None, True)
    seen.press("q")
    t.check(f"{what}: browse ends", seen.status(), 0)
    seen.close()


def commands(t):
    need(("clang-19", "clang-19"), ("ld64.lld-19", "lld-19"), ("dsymutil-19", "llvm-19"), ("llvm-lipo-19", "llvm-19"),
         ("x86_64-w64-mingw32-gcc", "gcc-mingw-w64-x86-64"), ("lld-link-19", "lld-19"), ("wasm-ld-19", "lld-19"))
    samples = command_samples(t)
    for what, (path, derives) in samples.items():
        t.totals(path)
        commands_on(t, what, path, derives)
        more_commands(t, what, path)
    both = t.path("both")
    run("llvm-lipo-19", "-create", t.path("x86_64"), t.path("arm64"), "-output", both)
    t.totals(both)
    t.check(f"{both}: machine", json.loads(run(t.heft, "info", "--json", both))["total"]["children"][0]["machine"], "several")
    for arch in ("x86_64", "arm64"):
        mine = t.rows(both, "sections,rawsymbols", f"--arch={arch}")
        t.check(f"{both}: slice {arch}", mine, t.rows(t.path(arch), "sections,rawsymbols"))
    for command in ("snapshot", "report"):
        t.check(f"{both}: {command}", status(t.heft, command, both, "-o", t.path("it"))[0], 0)
    t.check(f"{both}: where", status(t.heft, "where", both, "0x1000")[0], 2)


FORMATS = {"wasm": (wasm, 100), "macho": (macho, 200), "pe": (pe, 250), "pdb": (pdb, 2000), "commands": (commands, 100)}


def main():
    work, least = FORMATS[sys.argv[2]]
    with tempfile.TemporaryDirectory() as folder:
        t = Test(os.path.abspath(sys.argv[1]), folder)
        write_sources(t)
        work(t)
    print(f"{t.compared} compared, {t.bad} differ")
    sys.exit(t.bad > 0 or t.compared < least)


if __name__ == "__main__":
    main()
