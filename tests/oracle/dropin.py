#!/usr/bin/env python3
"""usage: dropin.py HEFT

The commands of the manual of Bloaty, in its order, on small programs, by heft called `bloaty`.  Each is held against what
that manual and readelf and nm of the same file say: rows of sections and segments are worked out here by the rules of
the manual.  Where BLOATY names the tool itself, its rows are compared besides, and those that differ are printed.
Exit status 1 where a row is another than it should be."""
import csv
import io
import os
import re
import struct
import subprocess
import sys
import tempfile

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
PADDING = 16
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


# ---- what the manual says of sections and segments -------------------------------------------------

class Elf:
    """An ELF file of 64 bits, little-endian."""
    def __init__(self, path):
        self.bytes = open(path, "rb").read()
        head = struct.unpack_from("<HHIQQQIHHHHHH", self.bytes, 16)
        self.object = head[0] == 1
        self.segment_off, self.section_off = head[4], head[5]
        self.segment_size, self.segment_count = head[8] * head[9], head[9]
        self.section_size, self.section_count = head[10] * head[11], head[11]
        raw = [struct.unpack_from("<IIQQQQIIQQ", self.bytes, self.section_off + 64 * i)
               for i in range(self.section_count)]
        names = raw[head[12]][4]
        self.sections = [(self.text(names + r[0]),) + r for r in raw[1:]]
        self.segments = [struct.unpack_from("<IIQQQQQQ", self.bytes, self.segment_off + 56 * i)
                         for i in range(self.segment_count)]

    def text(self, off):
        return self.bytes[off:self.bytes.index(0, off)].decode()

    def loads(self):
        for i, (kind, flags, off, addr, _, filesize, memsize, _) in enumerate(self.segments):
            if kind == 1:
                letters = "".join(c for bit, c in ((4, "R"), (2, "W"), (1, "X")) if flags & bit)
                yield "LOAD #%d [%s]" % (i, letters), off, addr, filesize, memsize


def lay(claims):
    """The first claim of a byte wins: [(start, end, label)], with padding at what precedes it."""
    cuts = sorted({c for s, n, _ in claims for c in (s, s + n)})
    out = []
    for start, end in zip(cuts, cuts[1:]):
        label = next((l for s, n, l in claims if s <= start < s + n), None)
        if label is None:
            continue
        if out and out[-1][1] == start and out[-1][2] == label:
            out[-1][1] = end
        else:
            out.append([start, end, label])
    padded = []
    for start, end, label in out:
        last = padded[-1] if padded else None
        if last and last[1] == start and (last[2] == label or (
                end - start <= PADDING and label[0] == "[" and last[2][0] != "[")):
            last[1] = end
        else:
            padded.append([start, end, label])
    return padded


def sums(vm, file):
    total = {}
    for which, spans in ((0, vm), (1, file)):
        for start, end, label in spans:
            pair = total.setdefault((label,), [0, 0])
            pair[which] += end - start
    return {k: tuple(v) for k, v in total.items()}


def headers(elf):
    return [(0, 64, "[ELF Header]"), (elf.section_off, elf.section_size, "[ELF Section Headers]"),
            (elf.segment_off, elf.segment_size, "[ELF Program Headers]")]


def expected_sections(elf):
    vm, file = [], []
    for i, (name, _, kind, flags, addr, off, size, *_) in enumerate(elf.sections):
        base = (i + 1) << 40 if elf.object else 0
        if flags & 2:
            vm.append((base + addr, size, name))
        if kind != 8:
            file.append((off, size, name))
    for label, off, addr, filesize, memsize in elf.loads():
        for start, size, what in headers(elf):
            if off <= start < off + filesize and size:
                vm.append((addr + start - off, size, what))
    for label, off, addr, filesize, memsize in elf.loads():
        vm.append((addr, memsize, "[%s]" % label))
    file += headers(elf)
    file += [(off, n, "[%s]" % label) for label, off, _, n, _ in elf.loads()]
    file.append((0, len(elf.bytes), "[Unmapped]"))
    return sums(lay(vm), lay(file))


def expected_segments(elf):
    vm = [(addr, memsize, label) for label, _, addr, _, memsize in elf.loads()]
    file = [(off, n, label) for label, off, _, n, _ in elf.loads()]
    for i, (_, _, kind, flags, addr, off, size, *_) in enumerate(elf.sections):
        letters = "".join(c for bit, c in ((2, "A"), (1, "W"), (4, "X")) if flags & bit)
        if elf.object and flags & 2:
            vm.append(((i + 1 << 40) + addr, size, "Section [%s]" % letters))
        if elf.object and kind != 8:
            file.append((off, size, "Section [%s]" % letters))
    file += headers(elf) + [(0, len(elf.bytes), "[Unmapped]")]
    merged = {}
    for (label,), (a, b) in sums(lay(vm), lay(file)).items():
        label = "[Unmapped]" if label.startswith("[ELF ") else label
        old = merged.get((label,), (0, 0))
        merged[(label,)] = (old[0] + a, old[1] + b)
    return merged


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
        elf = Elf(path)
        check("sections of " + path, expected_sections(elf), rows_of(bloaty, "-d", "sections", path))
        check("segments of " + path, expected_segments(elf), rows_of(bloaty, "-d", "segments", path))
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


def beside(bloaty, peer, objects):
    """The same by the tool itself."""
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
        if "BLOATY" in os.environ:
            beside(bloaty, os.environ["BLOATY"], objects)
        os.chdir("/")
    print("%d passed, %d failed" % (checks - failures, failures))
    return 1 if failures or checks < 50 else 0


sys.exit(main())
