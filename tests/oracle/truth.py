#!/usr/bin/env python3
"""Whether the owners that heft names are right, against the maps of linkers.

usage: truth.py [--heft PATH] [--full] [--firmware | --machines | --case NAME=LINKED,MAP |
                --archives NAME=FLAG,..,A,..] [--only TEXT] [--show N] [--keep DIR]

Builds programs of some 220 objects (fixtures/many_objects.py), links them by bfd, gold and
lld with -Map, and looks at each byte of .text, .rodata, .data* and .bss: the owner must be
a symbol that the object defines which the map names there (by nm; several objects may have
a local symbol of that name).  Where the linker merged strings or constants, the owner's
object must contain the same bytes.  Besides, in a stripped copy each function that heft
makes up or takes from .dynsym must be one function of the symbol table.

--firmware: the same of firmware for ARM and RISC-V (fixtures/firmware_builds.py), tables of vectors, of
        unwinding and of constructors among its data.
--machines: programs of C for the machines that Debian has cross compilers for, stripped.
--full: every compiler, level and kind of link; without it two, in well under a minute.
--archives: shared libraries or programs of all members of archives, like
        llvm=-shared,libLLVMCore.a,libLLVMSupport.a
--case: a file linked elsewhere with its map (run where the map's paths hold).
Exit status 1 where a target is missed, 77 where a tool is missing."""
import argparse
import bisect
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parent / "fixtures"))
import firmware_builds  # noqa: E402
CLANG = os.environ.get("CLANG", "clang-19")
LLD = os.environ.get("LLD", "ld.lld-19")
LINKERS = ("bfd", "gold", "lld")
PACKAGES = {"gcc": "gcc", "g++": "g++", CLANG: "clang-19", LLD: "lld-19"}
OBJECTS, SEED = 220, 7
# By kind of section, in percent of its bytes: the least share that has the right owner, and the
# largest that has a wrong one.  With a star: of the stripped file.  "bounds": code of the stripped
# file, right where a range is one function.
TARGETS = {
    "text": (99.5, 0.5), "rodata": (95, 2), "data": (95, 2), "bss": (95, 1),
    "text*": (98.5, 0.5), "rodata*": (95, 3), "data*": (95, 4), "bss*": (95, 1),
    "bounds": (98, 0.5),
}
# Of firmware; at -O0 texts of functions that the linker left out stay, of which nobody knows.  Below SMALL bytes a few words
# would decide.
FIRMWARE_TARGETS = {"text": (99.5, 0.5), "rodata": (96.5, 2.5), "data": (97, 2), "bss": (97, 1), "bounds": (97, 3),
                    "text*": (99, 0.5), "rodata*": (92, 8), "data*": (95, 4), "bss*": (98, 2)}
# With the C library: what `__sf_fake_stdin` and its like hold, 96 of some 1,200 bytes, is compared with by printf before the
# object that defines it is met, and nothing in a stripped file says whose it is.
LIBC_TARGETS = {**FIRMWARE_TARGETS, "rodata*": (90.5, 9.5), "bounds": (92.5, 7.5)}
MACHINE_TARGETS = {**TARGETS, "text": (98, 1), "text*": (95, 1), "rodata*": (95, 3.5), "data*": (89, 8), "bss*": (99, 1),
                   "bounds": (97, 1.5)}
# On 32-bit PowerPC one large common variable that many units use is nobody's.  64-bit PowerPC (ELFv1) has the symbols of functions
# in descriptors, so that no symbol tells their bounds.
PPC_TARGETS = {"ppc": {**MACHINE_TARGETS, "bss*": (0, 2)}, "ppc64": {**MACHINE_TARGETS, "bounds": (0, 100), "text": (0, 100)}}
FIRMWARE_ALL = {"code": 99.5, "data": 97}
SMALL = 1000
# Tables that are there because of code count as data.
TABLES = {".vectors": "rodata", ".ARM.extab": "rodata", ".ARM.exidx": "rodata", ".init_array": "rodata",
          ".fini_array": "rodata", ".eh_frame": None}
KINDS = [k for k in TARGETS if k.isalpha() and k != "bounds"]
SHF_MERGE, SHF_STRINGS = 0x10, 0x20


def run(*args, **more):
    return subprocess.run([str(a) for a in args], capture_output=True, text=True,
                          errors="surrogateescape", **more)


def must(*args, **more):
    done = run(*args, **more)
    if done.returncode != 0:
        sys.exit(f"{' '.join(str(a) for a in args[:6])} ...: {done.stderr[:2000]}")
    return done.stdout


# ---- what linkers say --------------------------------------------------------------------

MERGED = "(merged)"


class Input:
    """A piece of an output section that came from one object, or was merged of many."""

    def __init__(self, start, size, obj, output, name):
        self.start, self.size, self.obj, self.output, self.name = start, size, obj, output, name


def read_gnu_map(text):
    """The maps of bfd and gold."""
    output, name, found = None, None, []
    commons = set(re.findall(r"^(\S+)\s+0x[0-9a-f]+\s+\S+$", text.split("Memory map")[0], re.M))
    line_of = re.compile(r"^ (\*\* [a-zA-Z ]+?|\S+)?(?:\s+0x([0-9a-f]+)\s+0x([0-9a-f]+)(?: (.+))?)?$")
    for line in text[text.find("emory map"):].splitlines():
        if line[:1] in ".":
            output = line.split()[0] if line.split() else None
        m = line_of.match(line)
        if not m or not line.startswith(" "):
            continue
        name = m[1] or name
        if not m[2] or not name or name.startswith("*("):
            continue
        start, size, obj = int(m[2], 16), int(m[3], 16), m[4]
        if name.startswith("*fill*"): # with the bytes that fill
            obj = None
        elif name.startswith("** merge"):
            obj = MERGED
        elif name.startswith("** common"):
            obj, name = MERGED, "common"
        if obj and not obj.startswith("linker ") and size > 0 and output:
            found.append(Input(start, size, obj, output, name))
        name = None
    return found, commons


def read_lld_map(text):
    output, found = None, []
    for line in text.splitlines()[1:]:
        m = re.match(r"^ *([0-9a-f]+) +[0-9a-f]+ +([0-9a-f]+) +\d+ ( *)(.*)$", line)
        if not m:
            continue
        if not m[3]:
            output = m[4]
        elif len(m[3]) == 8:
            obj, _, name = m[4].rpartition(":(")
            name = name.rstrip(")")
            if not obj or obj == "<internal>" and not re.match(r"\.rodata|\.data|\.str", name):
                continue
            if int(m[2], 16) > 0:
                found.append(Input(int(m[1], 16), int(m[2], 16),
                                   MERGED if obj == "<internal>" else obj, output, name))
    return found, set()


def kind_of(output):
    if output in TABLES:
        return TABLES[output]
    for kind in KINDS:
        if output == "." + kind or output.startswith(f".{kind}."):
            return kind
    return None


# ---- what objects say ----------------------------------------------------------------------

# By machine, and bits and byte order where they matter (the bytes 4 and 5 of the file).
MACHINE_TOOLS = {40: "arm-none-eabi-", 83: "avr-", 243: "riscv64-unknown-elf-", 183: "aarch64-linux-gnu-",
                 20: "powerpc-linux-gnu-", 22: "s390x-linux-gnu-", (21, 1): "powerpc64le-linux-gnu-",
                 (21, 2): "powerpc64-linux-gnu-", (8, 1): "mips64el-linux-gnuabi64-", (8, 2): "mips-linux-gnu-"}


def tool_for(name, path):
    """nm or strip for the machine of the file, or of an archive's first member."""
    data = pathlib.Path(path).read_bytes()
    at = max(0, data.find(b"\x7fELF"))
    order = data[at + 5]
    machine = int.from_bytes(data[at + 18:at + 20], "big" if order == 2 else "little")
    return MACHINE_TOOLS.get(machine, MACHINE_TOOLS.get((machine, order), "")) + name


class Elf:
    """Sections of a file: (name, type, flags, addr, bytes)."""

    def __init__(self, data):
        self.sections = []
        wide, order = data[4] == 2, ">" if data[5] == 2 else "<"
        off, = struct.unpack_from(order + ("Q" if wide else "I"), data, 0x28 if wide else 0x20)
        count, names = struct.unpack_from(order + "HH", data, 0x3c if wide else 0x30)
        form, size = (order + "IIQQQQIIQQ", 64) if wide else (order + "10I", 40)
        raw = [struct.unpack_from(form, data, off + size * i) for i in range(count)]
        for h in raw:
            at = raw[names][4] + h[0]
            name = data[at:data.index(b"\0", at)].decode()
            self.sections.append((name, h[1], h[2], h[3],
                                  b"" if h[1] == 8 else data[h[4]:h[4] + h[5]]))

    def load(self, addr, size):
        for _, kind, flags, at, data in self.sections:
            if flags & 2 and kind != 8 and at <= addr < at + len(data):
                return data[addr - at:addr - at + size]
        return b""


class Objects:
    """By the linker's spelling of the name: symbols defined, merged bytes contained."""

    def __init__(self, names):
        self.symbols, self.merge, self.mergeable, self.code = {}, {}, set(), set()
        files = sorted({re.sub(r"\([^()]*\)$", "", n) for n in names if n != MERGED})
        for line in must(tool_for("nm", files[0]), "-A", "--defined-only", "--special-syms", *files).splitlines():
            m = re.match(r"^(.*?):([^:/]*:)?([0-9a-f]{8,16}| +) (\S) (.*)$", line)
            if m and not m[5].startswith("$"):
                key = m[1] + (f"({m[2][:-1]})" if m[2] else "")
                self.symbols.setdefault(key, set()).add(m[5])
                if m[4] in "tTwW":
                    self.code.add(key)
        self.by_symbol = {}
        for key, found in self.symbols.items():
            for s in found:
                self.by_symbol.setdefault(s, []).append(key)
        for f in files:
            for key, data in members(f):
                for name, _, flags, _, content in Elf(data).sections:
                    if flags & SHF_MERGE:
                        self.merge[key] = self.merge.get(key, b"\0") + content + b"\0\0\0\0"
                        self.mergeable.add((key, name))

    def has_code(self, obj):
        return obj in self.code

    def defines(self, obj, names):
        return any(n in self.symbols.get(obj, ()) for n in names)

    def contain(self, names, data):
        return any(data in self.merge.get(o, b"") for n in names
                   for o in self.by_symbol.get(n, ()))


def members(path):
    """(name as linkers spell it, bytes) of an object or of the members of an archive."""
    data = pathlib.Path(path).read_bytes()
    if data[:4] == b"\x7fELF":
        yield path, data
    if data[:8] != b"!<arch>\n":
        return
    at, names = 8, b""
    while at + 60 <= len(data):
        name, size = data[at:at + 16].rstrip(), int(data[at + 48:at + 58])
        body = data[at + 60:at + 60 + size]
        if name == b"//":
            names = body
        elif body[:4] == b"\x7fELF":
            if name.startswith(b"/"):
                start = int(name[1:])
                name = names[start:names.index(b"/\n", start)]
            yield f"{path}({name.rstrip(b'/').decode()})", body
        at += 60 + size + size % 2


# ---- the comparison -------------------------------------------------------------------------

def vm_rows(heft, path, source="rawsymbols", more=()):
    """(start, end, label) of the VM image."""
    text = must(heft, "-d", source, "--raw-map", *more, path)
    rows = []
    for line in text[text.index("VM MAP:"):].splitlines():
        m = re.match(r"^([0-9a-f]+)-([0-9a-f]+)\t *\d+\t\t(.*)$", line)
        if m:
            rows.append((int(m[1], 16), int(m[2], 16), m[3]))
    return rows


def names_at(path):
    """The symbols at each address, by the symbol table."""
    found = {}
    descriptors = pathlib.Path(path).read_bytes()[:20].endswith(b"\0\x15") # 64-bit PowerPC, ELFv1
    synthetic = ["--synthetic"] if descriptors else []
    for line in must(tool_for("nm", path), "--defined-only", *synthetic, path).splitlines():
        addr, _, name = line.split(" ", 2)
        name = name.removeprefix(".") if descriptors else name
        # Marks of ARM and RISC-V that tell code from data are in every object.
        if not name.startswith("$"):
            found.setdefault(int(addr, 16), []).append(name)
    return found


class Owners:
    """The symbols a label stands for; none for fallbacks and what is made up.  In a
    stripped file sub_ADDRESS stands for what the unstripped one has there."""

    def __init__(self, unstripped=None):
        self.at = names_at(unstripped) if unstripped else {}

    def names(self, label):
        if label.startswith(("[", "(after ")):
            return []
        m = re.match(r"sub_([0-9a-f]+)$", label)
        return self.at.get(int(m[1], 16), []) if m else [label]


def merged_chunks(elf, piece, start, end):
    """Splits a range of merged contents into strings that end in NUL or into constants."""
    constant = re.search(r"\.cst(\d+)", piece.name)
    fixed = int(constant[1]) if constant else 4 if "constants" in piece.name else 0
    while start < end:
        data = elf.load(start, 4096)
        stop = fixed - start % fixed - 1 if fixed else data.find(b"\0")
        size = min(stop + 1 if stop >= 0 else 4096, end - start)
        yield start, size, data[:size]
        start += size


class Score:
    def __init__(self):
        self.right = self.wrong = self.none = 0
        self.examples = []

    def add(self, right, size, label, names, piece, at):
        if not names:
            self.none += size
        elif right:
            self.right += size
            return
        else:
            self.wrong += size
        self.examples.append((size, at, label, piece))


def judge_merged(score, objects, commons, elf, piece, start, end, label, names):
    if piece.name == "common":
        score.add(commons.intersection(names), end - start, label, names, piece, start)
        return
    for at, size, data in merged_chunks(elf, piece, start, end):
        score.add(objects.contain(names, data), size, label, names, piece, at)


def compare(heft, linked, link_map, stripped=None):
    """Scores by kind of section; with `stripped` of that copy of the file."""
    text = pathlib.Path(link_map).read_text(errors="surrogateescape")
    pieces, commons = read_lld_map(text) if "     VMA" in text[:60] else read_gnu_map(text)
    pieces = [p for p in pieces if kind_of(p.output) and p.start > 0]
    objects = Objects({p.obj for p in pieces})
    elf = Elf(pathlib.Path(linked).read_bytes())
    owners = Owners(linked if stripped else None)
    # Owners of a stripped file are functions: data of an object without any have no right one.
    if stripped:
        pieces = [p for p in pieces if p.obj == MERGED or objects.has_code(p.obj)]
    rows = vm_rows(heft, stripped or linked)
    starts = [r[0] for r in rows]
    scores = {kind: Score() for kind in KINDS}
    merged = {p for p in pieces
              if p.obj == MERGED or (p.obj, p.name) in objects.mergeable}
    others = sorted(p.start for p in pieces if p not in merged)
    done = 0
    # bfd's map repeats merged contents at the address of what follows them.
    for p in sorted(pieces, key=lambda p: (p.start, p in merged)):
        start, end = max(done, p.start), p.start + p.size
        if p in merged:
            i = bisect.bisect_left(others, p.start)
            end = min(end, others[i]) if i < len(others) else end
        done = max(done, end)
        at = max(0, bisect.bisect_right(starts, start) - 1)
        while at < len(rows) and rows[at][0] < end:
            first, last, label = rows[at]
            at += 1
            low, high = max(first, start), min(last, end)
            if low >= high:
                continue
            score, names = scores[kind_of(p.output)], owners.names(label)
            if p in merged:
                judge_merged(score, objects, commons, elf, p, low, high, label, names)
            else:
                score.add(objects.defines(p.obj, names), high - low, label, names, p, low)
    return scores


def functions_of(path):
    """Start and end of each function with a size, by its symbol table; and labels in code, which have none."""
    found, labels = {}, set()
    for line in must(tool_for("nm", path), "-S", "--defined-only", path).splitlines():
        f = line.split()
        if len(f) == 4 and f[2] in "tTwWiuV":
            start, size = int(f[0], 16), int(f[1], 16)
            found[start] = max(found.get(start, 0), start + size)
        elif len(f) == 3 and f[1] in "tTwW":
            labels.add(int(f[0], 16))
    return found, labels


def compare_bounds(heft, linked, copy):
    """Bytes of code in ranges that are one function each, in others, and of no range."""
    functions, labels = functions_of(linked)
    starts = sorted(functions)
    code = next(s for s in Elf(pathlib.Path(linked).read_bytes()).sections if s[0] == ".text")
    low, high = code[3], code[3] + len(code[4])
    score = Score()
    for first, last, label in vm_rows(heft, copy):
        first, last = max(first, low), min(last, high)
        if first >= last:
            continue
        i = bisect.bisect_right(starts, first)
        limit = starts[i] if i < len(starts) else high
        if first in functions:
            right = functions[first] <= last <= max(limit, functions[first])
        else:
            # Functions of assembly have no size.
            right = first in labels and last <= limit
        if label.startswith("["):
            score.none += last - first
        elif right:
            score.right += last - first
        else:
            score.wrong += last - first
            score.examples.append((last - first, first, label, Input(0, 0, "stripped", "", "")))
    return score


def share(part, score):
    return 100 * part / max(1, score.right + score.wrong + score.none)


def report(linker, what, scores, show, targets=None):
    """Prints the rows of the table; whether the targets are met."""
    good = True
    for kind, s in scores.items():
        right, wrong = (targets or TARGETS)[kind]
        ok = (targets and s.right + s.wrong + s.none < SMALL) or share(s.right, s) >= right and share(s.wrong, s) <= wrong
        good = good and ok
        print(f"{linker:5} {what:26} {'.' + kind:9} {s.right + s.wrong + s.none:9d} "
              f"{share(s.right, s):7.2f} {share(s.wrong, s):7.2f} {share(s.none, s):7.2f}"
              f"{'' if ok else '  MISSED'}")
        for size, at, label, piece in sorted(s.examples, key=lambda e: -e[0])[:show]:
            print(f"      {size:7d} at {at:x}: {label}; map: {piece.obj}:({piece.name})")
    sys.stdout.flush()
    return good


# ---- building ---------------------------------------------------------------------------------

class Build:
    def __init__(self, c, cxx, compile_flags, link_flags, levels=("-O0", "-O2", "-Os")):
        self.c, self.cxx, self.levels = c, cxx, levels
        self.compile_flags, self.link_flags = compile_flags, link_flags

    def __str__(self):
        return f"{self.c} {''.join(self.levels)} {' '.join(self.link_flags)}"

    def compile(self, sources, folder):
        folder.mkdir()
        jobs = []
        for suffix, command in (("c", [self.c]), ("cc", [self.cxx, "-std=c++17"])):
            files = sorted(sources.glob("*." + suffix))
            for i, level in enumerate(self.levels):
                jobs.append([*command, "-w", "-c", level, *self.compile_flags,
                             *files[i::len(self.levels)]])
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda job: must(*job, cwd=folder), jobs))

    def link(self, linker, folder, tools):
        out = folder / f"linked.{linker}"
        must(self.cxx, f"-fuse-ld={linker}", f"-B{tools}", *self.link_flags,
             *sorted(o.name for o in folder.glob("*.o")), "-o", out, f"-Wl,-Map,{out}.map",
             cwd=folder)
        return out


def builds(full):
    gcc, clang = ("gcc", "g++"), (CLANG, CLANG.replace("clang", "clang++"))
    if not full:
        return [Build(*gcc, ["-fPIE"], ["-pie"]), Build(*clang, ["-fno-pie"], ["-no-pie"])]
    found = []
    for tools in gcc, clang:
        for compile_flags, link_flags in ((["-fPIE"], ["-pie"]), (["-fno-pie"], ["-no-pie"]),
                                          (["-fPIC"], ["-shared"])):
            for level in "-O0", "-O2", "-Os":
                found.append(Build(*tools, compile_flags, link_flags, [level]))
        found.append(Build(*tools, ["-fPIE", "-ffunction-sections", "-fdata-sections"],
                           ["-pie", "-Wl,--gc-sections"]))
    return found


def check_linked(opts, linker, what, linked, link_map=None, targets=None):
    copy, link_map = f"{linked}.stripped", link_map or f"{linked}.map"
    must(tool_for("strip", linked), "-s", "-o", copy, linked)
    scores = compare(opts.heft, linked, link_map)
    good = report(linker, what, scores, opts.show, targets)
    bounds = compare_bounds(opts.heft, linked, copy)
    good &= report(linker, what + " stripped", {"bounds": bounds}, opts.show, targets)
    stripped = compare(opts.heft, linked, link_map, copy)
    good &= report(linker, what + " stripped", {k + "*": s for k, s in stripped.items()}, opts.show, targets)
    opts.all.append((scores, stripped))
    return good


def report_all(opts):
    """Code and data of all builds, unstripped and stripped, and the worst of them; whether the unstripped ones meet the target."""
    good = True
    for i, copy in enumerate(("", " stripped")):
        for what, kinds in ("code", ["text"]), ("data", ["rodata", "data", "bss"]):
            found = [(sum(s[i][k].right for k in kinds), sum(s[i][k].right + s[i][k].wrong + s[i][k].none for k in kinds))
                     for s in opts.all]
            shares = [100 * right / max(1, size) for right, size in found if size >= SMALL]
            mean = 100 * sum(right for right, _ in found) / max(1, sum(size for _, size in found))
            print(f"{what}{copy} of {len(opts.all)} builds: right {mean:.2f} %, at least {min(shares, default=100):.2f} %")
            good &= bool(copy) or min(shares, default=100) >= FIRMWARE_ALL[what]
    return good


def check_archives(opts, spec, folder, tools):
    """A library of everything in some archives: NAME=FLAG,..,ARCHIVE,..."""
    name, parts = spec.split("=", 1)
    good = True
    for linker in LINKERS:
        out = folder / f"{name}.{linker}"
        must(CLANG, f"-fuse-ld={linker}", f"-B{tools}", "-w",
             "-Wl,--unresolved-symbols=ignore-all,--allow-multiple-definition", "-Wl,-znotext",
             f"-Wl,-Map,{out}.map", "-o", out, "-Wl,--whole-archive", *parts.split(","),
             "-Wl,--no-whole-archive")
        good &= check_linked(opts, linker, name, out)
    return good


def check_build(opts, build, sources, folder, tools):
    good = True
    build.compile(sources, folder)
    os.chdir(folder)
    for linker in LINKERS:
        linked = build.link(linker, folder, tools)
        good &= check_linked(opts, linker, str(build), linked)
    return good


def firmware_builds_of(full):
    Firmware, levels = firmware_builds.Firmware, ["-O0", "-O2", "-Os"]
    if not full:
        return [Firmware("Thumb-1", "gcc", "bfd", levels), Firmware("RISC-V", "clang", "lld", levels),
                Firmware("Thumb-2", "gcc", "lld", ["-Os"], "libc"), Firmware("RISC-V", "gcc", "lld", ["-O0"], "libc")]
    return [Firmware(machine, compiler, linker, [level], program)
            for machine in ("Thumb-2", "Thumb-1", "RISC-V", "RISC-V 64") for program in ("many", "libc")
            for compiler, linker in (("gcc", "bfd"), ("gcc", "lld"), ("clang", "bfd"), ("clang", "lld")) for level in levels]


def check_firmware(opts, folder):
    """Whether all builds of firmware meet the targets."""
    good, done, compiled = True, 0, {}
    firmware_builds.write_sources(folder / "src", OBJECTS, SEED)
    for build in firmware_builds_of(opts.full):
        if opts.only not in str(build):
            continue
        missing = build.missing()
        if missing:
            print(f"LEFT OUT: {build} (install {missing})")
            continue
        key = (build.machine, build.compiler, *build.levels, build.program)
        if key not in compiled:
            compiled[key] = folder / f"firmware{len(compiled)}"
            build.compile(folder / "src", compiled[key])
        os.chdir(compiled[key])
        linked = build.link(compiled[key])
        targets = LIBC_TARGETS if build.program == "libc" else FIRMWARE_TARGETS
        good &= check_linked(opts, build.linker, str(build), linked, targets=targets)
        done += 1
    if done == 0:
        print("SKIP: no compiler for ARM or RISC-V")
        sys.exit(77)
    return report_all(opts) and good


class Cross:
    """A program of the C sources for another machine, by gcc and bfd."""

    def __init__(self, name, prefix, flags, link_flags=("-pie",)):
        self.name, self.c, self.flags, self.link_flags = name, prefix + "gcc", flags, link_flags

    def __str__(self):
        return " ".join((self.name, *self.flags, *self.link_flags))

    def compile(self, sources, folder):
        folder.mkdir()
        files = sorted(sources.glob("*.c"))
        for i, level in enumerate(("-O0", "-O2", "-Os")):
            must(self.c, "-w", "-c", level, *self.flags, *files[i::3], cwd=folder)

    def link(self, folder):
        out = folder / "linked"
        must(self.c, *self.flags, *self.link_flags, "-nostdlib", "-Wl,-e,main,--unresolved-symbols=ignore-all", *sorted(o.name for o in folder.glob("*.o")), "-o", out,
             f"-Wl,-Map,{out}.map", cwd=folder)
        return out


PIE, SHARED, FIXED = (["-fPIE"], ["-pie"]), (["-fPIC"], ["-shared"]), (["-fno-pie"], ["-no-pie"])
MACHINES = {
    "ppc64el": ("powerpc64le-linux-gnu-", []), "ppc64": ("powerpc64-linux-gnu-", []),
    "ppc": ("powerpc-linux-gnu-", []), "mips64el": ("mips64el-linux-gnuabi64-", []),
    "mips": ("mips-linux-gnu-", []), "armhf": ("arm-linux-gnueabihf-", []),
    "arm": ("arm-linux-gnueabihf-", ["-marm"]), "i386": ("i686-linux-gnu-", []),
    "s390x": ("s390x-linux-gnu-", []), "arm64": ("aarch64-linux-gnu-", []),
    "riscv64": ("riscv64-linux-gnu-", []),
}


def cross_builds(full):
    for name, (prefix, flags) in MACHINES.items():
        for compile_flags, link_flags in (PIE, SHARED, FIXED) if full else (PIE,):
            yield Cross(name, prefix, [*flags, *compile_flags], link_flags)


def check_machines(opts, folder):
    """Whether the data of stripped programs of other machines has the right owners."""
    good, done = True, 0
    must(sys.executable, HERE / "../fixtures/many_objects.py", folder / "src", OBJECTS if opts.full else OBJECTS // 4, SEED)
    entry = folder / "src/main.c"
    there = {int(m[1]) for p in (folder / "src").glob("*.c") if (m := re.match(r"unit_(\d+)", p.name))}
    entry.write_text("\n".join(line for line in entry.read_text().split("\n")
                               if not (m := re.search(r"unit_(\d+)\(", line)) or int(m[1]) in there))
    for i, build in enumerate(cross_builds(opts.full)):
        if opts.only not in str(build):
            continue
        if not shutil.which(build.c):
            print(f"LEFT OUT: {build} (no {build.c})")
            continue
        build.compile(folder / "src", folder / f"machine{i}")
        os.chdir(folder / f"machine{i}")
        good &= check_linked(opts, "bfd", str(build), build.link(folder / f"machine{i}"),
                             targets=PPC_TARGETS.get(build.name, MACHINE_TARGETS))
        done += 1
    os.chdir("/")
    if done == 0:
        print("SKIP: no cross compiler (install gcc-powerpc64le-linux-gnu)")
        sys.exit(77)
    return good


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--heft", default="build/src/heft")
    args.add_argument("--full", action="store_true")
    args.add_argument("--firmware", action="store_true")
    args.add_argument("--machines", action="store_true")
    args.add_argument("--only", default="", help="builds of firmware or machines that have this in their name")
    args.add_argument("--case", metavar="NAME=LINKED,MAP", action="append", default=[])
    args.add_argument("--archives", action="append", default=[])
    args.add_argument("--show", type=int, default=0)
    args.add_argument("--keep", metavar="DIR")
    opts = args.parse_args()
    opts.heft = os.path.abspath(opts.heft)
    opts.all = []
    good = True
    print("linker / build / section / bytes / right % / wrong % / unowned %")
    for case in opts.case:
        name, linked, link_map = re.match(r"([^=]*)=(.*),(.*)", case).groups()
        good &= check_linked(opts, name, "", linked, link_map)
    if opts.case:
        return 0 if good else 1
    if opts.firmware or opts.machines:
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(opts.keep or scratch).resolve()
            folder.mkdir(exist_ok=True)
            good = check_machines(opts, folder) if opts.machines else check_firmware(opts, folder)
            os.chdir("/")
        return 0 if good else 1
    for tool in "gcc", "g++", CLANG, "ld.bfd", "ld.gold", LLD, "nm", "strip":
        if not shutil.which(tool):
            print(f"SKIP: no {tool} (install {PACKAGES.get(tool, 'binutils')})")
            return 77
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(opts.keep or scratch).resolve()
        folder.mkdir(exist_ok=True)
        (folder / "tools").mkdir()
        (folder / "tools/ld.lld").symlink_to(shutil.which(LLD))
        for spec in opts.archives:
            good &= check_archives(opts, spec, folder, folder / "tools")
        if opts.archives:
            return 0 if good else 1
        must(sys.executable, HERE / "../fixtures/many_objects.py", folder / "src", OBJECTS, SEED)
        for i, build in enumerate(builds(opts.full)):
            good &= check_build(opts, build, folder / "src", folder / f"build{i}", folder / "tools")
        os.chdir("/")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
