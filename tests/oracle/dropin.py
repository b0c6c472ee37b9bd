#!/usr/bin/env python3
"""usage: dropin.py HEFT

The commands of the manual of Bloaty, in its order, on small programs, by heft called `bloaty`.  Each is held against what
that manual and readelf and nm of the same file say: rows of sections and segments are worked out here by the rules of
the manual (bloaty_map.py).  Where the tool itself is installed as `bloaty`, or BLOATY names it, its rows and maps are
compared besides, and those that differ are printed.
Exit status 1 where a row is another than it should be."""
import csv
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import bloaty_map  # noqa: E402

UNITS = {"src/main.c": "int one(int); int two(int); int table[64] = { 1 }; int room[500];\n"
                       "static const char *const names[] = { \"first\", \"second\" };\n"
                       "const char *name(int i) { return names[i & 1]; }\n"
                       "int main(int c, char **v) { return one(c) + two(c) + table[c] + room[c] + *name(c) + **v; }\n",
         "src/one.c": "int one(int x) { int s = 0; while (x > 0) s += x--; return s; }\n",
         "lib/two.c": "int two(int x) { return x < 3 ? 7 : x * 5 / 3; }\n"}
CONFIG = """custom_data_source: {
  name: "package"
  base_data_source: "compileunits"
  rewrite: { pattern: "^(\\\\.\\\\./)?src" replacement: "src" }
  rewrite: { pattern: "^(lib)/" replacement: "\\\\1" }
}
"""
PADDING = bloaty_map.PADDING
checks, failures = 0, 0


def check(what, wanted, got):
    global checks, failures
    checks += 1
    if wanted != got:
        failures += 1
        print("FAILED: %s\n  wanted %s\n  got    %s" % (what, wanted, got))


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True, errors="replace")
    return done.returncode, done.stdout, done.stderr


def must(*words):
    status, out, err = run(*words)
    if status != 0:
        sys.exit("FAILED with status %d: %s\n%s" % (status, " ".join(words), err))
    return out


def rows_of(*words):
    """{labels: (vm, file)} of a command that writes csv."""
    table = list(csv.reader(io.StringIO(must(*words, "--csv", "-n", "0"))))
    count = table[0].index("vmsize")
    return {tuple(r[:count]): (int(r[count]), int(r[count + 1])) for r in table[1:]}


# ---- the manual, in its order ---------------------------------------------------------------------

def build(cc):
    for path, text in UNITS.items():
        os.makedirs(os.path.dirname(path), exist_ok=True)
        open(path, "w").write(text)
        must(cc, "-g", "-O1", "-fPIE", "-c", path, "-o", path.replace(".c", ".o"))
    objects = [path.replace(".c", ".o") for path in UNITS]
    must(cc, "-pie", "-Wl,--build-id", *objects, "-o", "prog")
    must("ar", "rc", "libprog.a", *objects)
    must("strip", "-o", "prog.stripped", "prog")
    open("package.bloaty", "w").write(CONFIG)
    return objects


def same_totals(rows, path):
    check("file bytes of " + path, os.path.getsize(path), sum(f for _, f in rows.values()))


def running(bloaty):
    """Running Bloaty; its options."""
    _, out, _ = run(bloaty, "prog")
    lines = out.splitlines()
    check("the head of the table", ["    FILE SIZE        VM SIZE    ", " --------------  -------------- "],
          lines[:2])
    check("rows", True, all(re.match(r" *[ 0-9.]{5}% +[0-9.]+(|[KMG]i) +[ 0-9.]{3,5}% +[0-9.]+(|[KMG]i)    \S", l)
                            for l in lines[2:]))
    check("the last row", "TOTAL", lines[-1].split()[-1])
    told = must(bloaty, "--help")
    for option in ("--csv --tsv -c -d --debug-file --source-map -C --demangle --disassemble --domain -n -s -w --help "
                   "--list-sources --source-filter --debug-vmaddr --debug-fileoff -v").split():
        check("--help knows " + option, True, bool(re.search(r"(^|[ ,])%s\b" % re.escape(option), told, re.M)))


def sizes(bloaty, objects):
    """Sections, segments, hierarchies, input files, archive members."""
    for path in ["prog", "prog.stripped"] + objects:
        maps = bloaty_map.Maps(path)
        for source in ("sections", "segments"):
            check("%s of %s" % (source, path), bloaty_map.sums(maps.rows([source])),
                  rows_of(bloaty, "-d", source, path))
        same_totals(rows_of(bloaty, "-d", "segments,sections", path), path)
    check("input files", {(o,): os.path.getsize(o) for o in objects},
          {k: f for k, (_, f) in rows_of(bloaty, "-d", "inputfiles", *objects).items()})
    members = rows_of(bloaty, "-d", "armembers", "libprog.a")
    check("archive members", {(os.path.basename(o),): os.path.getsize(o) for o in objects},
          {k: f for k, (_, f) in members.items() if k[0][0] != "["})
    same_totals(members, "libprog.a")


def diffs(bloaty):
    """Size diffs."""
    status, out, _ = run(bloaty, "prog", "--", "prog.stripped")
    check("a diff", (0, True), (status, "[NEW]" in out and "[ = ]" in out and " TOTAL" in out))
    table = must(bloaty, "--csv", "prog", "--", "prog.stripped").splitlines()[0]
    check("columns of a diff", "sections,vmsize,filesize,original_vmsize,original_filesize,current_vmsize,"
          "current_filesize", table)


def symbols(bloaty):
    """Symbols, also of stripped programs with a debug file."""
    functions = {}
    for line in must("nm", "-S", "prog").splitlines():
        parts = line.split()
        if len(parts) == 4 and parts[2] in "tT":
            functions[parts[3]] = int(parts[1], 16)
    for words in (["prog"], ["--debug-file=prog", "prog.stripped"]):
        rows = rows_of(bloaty, "-d", "symbols,sections", *words)
        text = {k[0]: vm for k, (vm, _) in rows.items() if k[1] == ".text"}
        for name, size in functions.items():
            if name in ("main", "one", "two", "name"):
                check("code of %s in %s" % (name, words[-1]), True, 0 <= text.get(name, -1) - size <= PADDING)
        same_totals(rows, words[-1])
    debug = sum(f for k, (_, f) in rows_of(bloaty, "-d", "symbols", "prog").items()
                if k[0].startswith("[section .debug_"))
    sections = sum(f for k, (_, f) in rows_of(bloaty, "prog").items() if k[0].startswith(".debug_"))
    check("debug sections by symbol, but for padding", True, 0 <= sections - debug <= 4 * PADDING)


def units(bloaty):
    """Compile units, inlines, custom sources, filters."""
    rows = rows_of(bloaty, "-d", "compileunits", "prog")
    check("names of units", [True] * 3, [(path,) in rows for path in UNITS])
    same_totals(rows, "prog")
    lines = [k[0] for k in rows_of(bloaty, "-d", "inlines", "prog") if re.search(r"\.c:\d+$", k[0])]
    check("lines", True, len(lines) >= 3)
    rows = rows_of(bloaty, "-c", "package.bloaty", "-d", "package", "prog")
    check("packages", [True, True], [("src",) in rows, ("lib",) in rows])
    words = ["-c", "package.bloaty", "-d", "package,compileunits", "--source-filter", "^src", "prog"]
    rows = rows_of(bloaty, *words)
    check("what a filter leaves", {("src", p) for p in UNITS if p.startswith("src")}, set(rows))
    check("what it left out is said", True,
          "Filtering enabled (source_filter); omitted file = " in must(bloaty, *words))


def mistakes(bloaty):
    """Exit status and messages."""
    open("text", "w").write("no program at all\n")
    for words, wanted in ((["nowhere"], "couldn't open file 'nowhere': No such file or directory"),
                          (["text"], "unknown file type for file 'text'"), ([], "must specify at least one file"),
                          (["--nonsense", "prog"], "Unknown option: --nonsense"),
                          (["-d", "nonsense", "prog"], "no such data source: nonsense."),
                          (["prog", "--", "prog", "--"], "'--' option should only be specified once")):
        status, out, err = run(bloaty, *words)
        check("status and message of %s" % words, (1, "", "bloaty: " + wanted), (status, out, err.splitlines()[0]))
    check("--version", True, must(bloaty, "--version").startswith("Bloaty McBloatface 1.1"))


# Files that no linker makes: a segment outside of the file, symbols without a name, outside of memory, and without a
# section; an object whose sections, symbols and relocations have addresses; a program whose sections are in no segment.
ODD = {"odd": """--- !ELF
FileHeader: { Class: ELFCLASS64, Data: ELFDATA2LSB, Type: ET_EXEC, Machine: EM_X86_64 }
ProgramHeaders:
  - { Type: PT_LOAD, Flags: [PF_R, PF_X], VAddr: 0x1000, FirstSec: .text, LastSec: .text }
  - { Type: PT_LOAD, Flags: [PF_R], VAddr: 0x9000, Offset: 0x999999, FileSize: 0, MemSize: 0x20 }
Sections:
  - { Name: .text, Type: SHT_PROGBITS, Flags: [SHF_ALLOC, SHF_EXECINSTR], Address: 0x1000, Size: 16 }
  - { Name: .info, Type: SHT_PROGBITS, Address: 0x1000, Size: 48 }
  - { Name: .after, Type: SHT_PROGBITS, Flags: [SHF_ALLOC], Address: 0x9000, Size: 8 }
Symbols:
  - { Name: f, Type: STT_FUNC, Section: .text, Value: 0x1000, Size: 8 }
  - { Name: "", Type: STT_FUNC, Section: .text, Value: 0x1008, Size: 4 }
  - { Name: i, Type: STT_OBJECT, Section: .info, Value: 0x1008, Size: 0x18 }
  - { Name: a, Type: STT_OBJECT, Index: SHN_ABS, Value: 0x100c, Size: 2 }
""", "odd.o": """--- !ELF
FileHeader: { Class: ELFCLASS64, Data: ELFDATA2LSB, Type: ET_REL, Machine: EM_X86_64 }
Sections:
  - { Name: .text, Type: SHT_PROGBITS, Flags: [SHF_ALLOC, SHF_EXECINSTR], Address: 0x1000, AddressAlign: 16, Size: 13 }
  - { Name: .data, Type: SHT_PROGBITS, Flags: [SHF_ALLOC, SHF_WRITE], Address: 0x2000, AddressAlign: 16, Size: 20 }
  - { Name: .eh_frame, Type: SHT_PROGBITS, Flags: [SHF_ALLOC], Address: 0x3000, AddressAlign: 8, Content:
      "1400000000000000017A5200017810011B0C070890010000140000001C000000E0DFFFFF0D0000000000000000000000" }
  - { Name: .rela.text, Type: SHT_RELA, Info: .text, Relocations: [ { Offset: 0x1004, Symbol: f, Type: R_X86_64_PC32 } ] }
  - { Name: .info, Type: SHT_PROGBITS, Address: 0x1000, Size: 48 }
Symbols:
  - { Name: f, Type: STT_FUNC, Section: .text, Value: 0x1000, Size: 8 }
  - { Name: d, Type: STT_OBJECT, Section: .data, Value: 0x2000, Size: 20 }
  - { Name: i, Type: STT_OBJECT, Section: .info, Value: 0x1008, Size: 0x18 }
""", "outside": """--- !ELF
FileHeader: { Class: ELFCLASS64, Data: ELFDATA2LSB, Type: ET_EXEC, Machine: EM_X86_64 }
Sections:
  - { Name: .text, Type: SHT_PROGBITS, Flags: [SHF_ALLOC, SHF_EXECINSTR], Address: 0x1000, Size: 64 }
  - { Name: .bss, Type: SHT_NOBITS, Flags: [SHF_ALLOC, SHF_WRITE], Address: 0x2000, Size: 64 }
  - { Name: .info, Type: SHT_PROGBITS, Size: 48 }
Symbols:
  - { Name: f, Type: STT_FUNC, Section: .text, Value: 0x1000, Size: 8 }
  - { Name: i, Type: STT_OBJECT, Section: .info, Value: 0x8, Size: 0x18 }
"""}


def odd_files():
    """Paths of the files of ODD."""
    tool = next(filter(None, map(shutil.which, ("yaml2obj-19", "yaml2obj"))), None)
    if not tool:
        print("not done: maps of odd files need yaml2obj")
        return []
    for path, text in ODD.items():
        open(path + ".yaml", "w").write(text)
        must(tool, path + ".yaml", "-o", path)
    return list(ODD)


def raw_maps(bloaty):
    """Where ranges begin and end: of a stripped program, and of objects with and without a section for each function."""
    must("objcopy", "--change-section-address", ".text=0x1000", "src/one.o", "moved.o")
    must(os.environ.get("CC", "cc").split()[-1], "-O1", "-ffunction-sections", "-fdata-sections", "-c", "src/main.c",
         "-o", "apart.o")
    for path in ("prog.stripped", "src/main.o", "lib/two.o", "moved.o", "apart.o", *odd_files()):
        maps = bloaty_map.Maps(path)
        for sources in (["sections"], ["segments"], ["inputfiles"], ["armembers"], ["rawsymbols"],
                        ["segments", "rawsymbols", "sections"]):
            if path == "moved.o" and "rawsymbols" in sources:  # For Bloaty, its symbols are not in the file.
                continue
            told = must(bloaty, "--raw-map", "-d", ",".join(sources), path)
            check("the map of %s by %s" % (path, sources), maps.rows(sources), bloaty_map.printed(told))


# Units written by hand.  An entry: number of its abbreviation, whether it has children, its tag, and (attribute, form)s.
ABBREVIATIONS = [(1, 1, 0x11, [(0x03, 0x08)]),                                            # a unit: name
                 (2, 1, 0x2e, [(0x3c, 0x19), (0x11, 0x01), (0x12, 0x06)]),                # a declared function with code
                 (3, 0, 0x2e, [(0x11, 0x01), (0x12, 0x06)]),                              # a function
                 (4, 0, 0x34, [(0x3c, 0x19), (0x02, 0x18)]),                              # a declared variable
                 (5, 0, 0x39, [(0x11, 0x01), (0x12, 0x06)]),                              # a namespace with code
                 (6, 0, 0x2e, [(0x11, 0x01)]),                                            # a function without an end
                 (7, 0, 0x11, [(0x2130, 0x08), (0x1b, 0x08)]),                            # a skeleton: its file, its folder
                 (8, 1, 0x11, [])]                                                        # a unit without a name
TEXT = 0x401000


def unit(*entries):
    """Assembly of .debug_abbrev and of one unit of version 4."""
    table = "".join(" .uleb128 %d,%d\n .byte %d\n%s .byte 0,0\n" % (
        number, tag, children, "".join(" .uleb128 %d,%d\n" % pair for pair in attributes))
        for number, children, tag, attributes in ABBREVIATIONS)
    return (' .section .debug_abbrev,"",@progbits\n%s .byte 0\n .section .debug_info,"",@progbits\n'
            " .long 2f-1f\n1: .short 4\n .long .debug_abbrev\n .byte 8\n%s2:\n" % (table, "".join(entries)))


def code(number, off, size=None):
    return " .uleb128 %d\n .quad %d\n%s" % (number, TEXT + off, "" if size is None else " .long %d\n" % size)


PROGRAM = " .text\n .globl _start\n_start: .fill 256,1,0x90\n .data\n .globl data\n .type data,@object\n" \
          " .size data,64\ndata: .fill 64,1,1\n"


def assembled(name, text, link=False):
    open(name + ".s", "w").write(text)
    must("as", "--64", name + ".s", "-o", name + ".o")
    if link:
        must("ld", "-Ttext=%#x" % TEXT, name + ".o", "-o", name)


def threads(bloaty):
    """Zeros of threads take no memory: what lies at their addresses is not theirs."""
    open("local.c", "w").write("__thread int zeros[64]; __thread int set = 3;\n"
                               "int main(void) { return zeros[1] + set; }\n")
    must(os.environ.get("CC", "cc").split()[-1], "-O1", "local.c", "-o", "local")
    rows = rows_of(bloaty, "-d", "rawsymbols,sections", "local")
    check("memory of zeros of threads", 0, sum(vm for k, (vm, _) in rows.items() if k[0] == "zeros"))
    check("memory of variables of threads, but for padding", True,
          0 <= rows.get(("set", ".tdata"), (0, 0))[0] - 4 <= PADDING)


def hand_made_units(bloaty):
    """Units of which only some entries have code, and split units whose sections have plain names."""
    if os.uname().machine != "x86_64":
        print("not done: units written by hand are for x86-64")
        return
    assembled("declares", PROGRAM + unit(
        ' .uleb128 1\n .asciz "declares.c"\n', code(2, 0, 32), code(3, 8, 8), " .byte 0\n",
        " .uleb128 4\n .uleb128 9\n .byte 3\n .quad data\n", code(5, 64, 32), code(6, 128), " .byte 0\n"), link=True)
    rows = rows_of(bloaty, "-d", "compileunits,sections", "declares")
    check("code of a unit that declares", 32, rows.get(("declares.c", ".text"), (0, 0))[0])
    check("data of a unit that declares", None, rows.get(("declares.c", ".data")))
    assembled("nameless", PROGRAM + unit(" .uleb128 8\n", code(3, 0, 64), " .byte 0\n"), link=True)
    rows = rows_of(bloaty, "-d", "compileunits", "nameless")
    check("code of a unit without a name", (256, 256), rows.get(("[section .text]",)))
    for folder, name in ((os.getcwd(), "half.dwo"), ("/nowhere", os.getcwd() + "/half.dwo")):
        assembled("whole", PROGRAM + unit(' .uleb128 7\n .asciz "%s"\n .asciz "%s"\n' % (name, folder)), link=True)
        assembled("half", unit(' .uleb128 1\n .asciz "half.c"\n', code(3, 32, 64), " .byte 0\n"))
        os.replace("half.o", "half.dwo")
        rows = rows_of(bloaty, "-d", "compileunits,sections", "whole")
        check("code of a split unit in " + name, 64, rows.get(("half.c", ".text"), (0, 0))[0])


def beside(bloaty, peer, objects):
    """The same by the tool itself."""
    for path in ["prog", "prog.stripped"] + objects:
        for sources in ("sections", "segments", "inputfiles", "armembers", "rawsymbols", "segments,sections"):
            words = ["--raw-map", "-d", sources, path]
            ours, theirs = (set(must(tool, *words).splitlines()) for tool in (bloaty, peer))
            for row in sorted(ours ^ theirs):
                print("  %s: only %s: %s" % (words, "here" if row in ours else "there", row))
            if sources in ("sections", "segments", "inputfiles", "segments,sections"):
                check("the map of %s by %s beside the tool's" % (path, sources), sorted(theirs), sorted(ours))
    for words in (["prog"], ["-d", "segments,sections", "prog"], ["-d", "segments", objects[0]],
                  ["-d", "armembers", "libprog.a"], ["-d", "symbols", "prog"], ["-d", "compileunits", "prog"]):
        ours, theirs = rows_of(bloaty, *words), rows_of(peer, *words)
        check("totals of " + " ".join(words), sum(f for _, f in theirs.values()), sum(f for _, f in ours.values()))
        for key in sorted(set(ours) | set(theirs)):
            if ours.get(key) != theirs.get(key):
                print("  %s: %s: here %s, there %s" % (words, key, ours.get(key), theirs.get(key)))


def main():
    heft = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as tmp:
        os.chdir(tmp)
        os.symlink(heft, "bloaty")
        bloaty = os.path.join(tmp, "bloaty")
        objects = build(os.environ.get("CC", "cc").split()[-1])
        running(bloaty)
        sizes(bloaty, objects)
        diffs(bloaty)
        symbols(bloaty)
        units(bloaty)
        mistakes(bloaty)
        raw_maps(bloaty)
        hand_made_units(bloaty)
        threads(bloaty)
        peer = os.environ.get("BLOATY") or shutil.which("bloaty")
        if peer:
            beside(bloaty, peer, objects)
        else:
            print("not compared with the tool itself: no bloaty is installed, and BLOATY names none")
        os.chdir("/")
    print("%d passed, %d failed" % (checks - failures, failures))
    return 1 if failures or checks < 50 else 0


sys.exit(main())
