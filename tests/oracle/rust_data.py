#!/usr/bin/env python3
"""Rust: tables of virtual functions and places of panics, one by one, against what the compiler says of them.

usage: tests/oracle/rust_data.py HEFT [--show] [PROGRAM IR...]
without PROGRAM: a small program is built, with optimisation and without, and with FULL=1, where they are installed, one of crates that
Debian has as packages (bench/builds.py).  PROGRAM has debug info and is not
position-independent (rustc -g -Crelocation-model=static), IR are the files of rustc --emit=llvm-ir of all its crates.

The debug info names each table, its address and the size of its type.  A copy without debug info is measured: all of a table must have
one owner, which the IR says to refer to it; of the standard library there is no IR, so there the owner's crate must be one of those in
the table's name.  A place of a panic is a string's address and length, a line and a column: the owner must be a function that refers to
it by the IR, and so must that of its file's name, which other places may share.  Places in files of the standard library whose owner
is no function of the IR are told apart: that library was built with places of its own.  Without symbols the same functions must have
all these bytes, by their addresses.
"""
import argparse
import collections
import glob
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bench"))
import builds

DWARFDUMP = os.environ.get("DWARFDUMP", "llvm-dwarfdump-19")
LEAST = {"tables whole": 1.0, "owners of tables": 0.99, "places": 0.99, "names of files": 0.99,
         "names with an owner": 0.95,
         "the same stripped": 0.99}
FUNCTION, GLOBAL, USE = (re.compile(r) for r in (
    r'^define .*? @("[^"]+"|[\w.$]+)\(', r'^@("[^"]+"|[\w.$]+) = ', r'@("[^"]+"|[\w.$]+)'))
PLACE = re.compile(r'<\{ ptr @([\w.]+), \[16 x i8\] c"((?:\\[0-9A-F]{2}|[^"\\])*)" \}>')
TEXT = re.compile(r'\[\d+ x i8\] c"((?:\\[0-9A-F]{2}|[^"\\])*)"')
TABLE = re.compile(r'^!(\d+) = .*DIGlobalVariable\(name: "(.*::\{vtable\})"')
EXPRESSION = re.compile(r"^!(\d+) = .*DIGlobalVariableExpression\(var: !(\d+)")


def unescaped(text):
    return re.sub(rb"\\([0-9A-F]{2})", lambda m: bytes([int(m[1], 16)]), text.encode())


class Ir:
    """Of one crate: who refers to each constant, in the end."""

    def __init__(self, path):
        self.texts, self.places, self.tables = {}, {}, {}
        self.users = collections.defaultdict(set)
        within, named, pending, variables = None, {}, {}, {}
        with open(path, errors="replace") as f:
            for line in f:
                if m := FUNCTION.match(line):
                    within = m[1].strip('"')
                elif m := GLOBAL.match(line):
                    self.read_global(m[1].strip('"'), line, pending)
                elif line.startswith("}"):
                    within = None
                elif m := TABLE.match(line):
                    named[m[1]] = m[2]
                elif m := EXPRESSION.match(line):
                    variables[m[1]] = m[2]
                elif within and not line.lstrip().startswith("#dbg"):
                    for name in USE.findall(line):
                        self.users[name.strip('"')].add(within)
        for name, number in pending.items():
            if (variable := variables.get(number)) in named:
                self.tables.setdefault(named[variable], []).append(name)
        self.functions = set().union(*self.users.values())

    def read_global(self, name, line, pending):
        body = line.split(" = ", 1)[1]
        if m := re.search(r"!dbg !(\d+)", body):
            pending[name] = m[1]
        if m := PLACE.search(body):
            if len(unescaped(m[2])) == 16:
                self.places[name] = (m[1], *struct.unpack("<QII", unescaped(m[2])))
        elif m := TEXT.search(body):
            self.texts[name] = unescaped(m[1])
        for other in USE.findall(body):
            self.users[other.strip('"')].add("@" + name)

    def referrers(self, name):
        """The functions, through other constants."""
        seen, todo, ret = {name}, [name], set()
        while todo:
            for user in self.users.get(todo.pop(), ()):
                if not user.startswith("@"):
                    ret.add(user)
                elif user[1:] not in seen:
                    seen.add(user[1:])
                    todo.append(user[1:])
        return ret


def tables_of(program):
    """(name, address, size) by the debug info."""
    out = subprocess.run([DWARFDUMP, "--debug-info", program], capture_output=True, text=True, check=True).stdout
    sizes, found, kind, name = {}, [], None, None
    for line in out.splitlines():
        if m := re.match(r"0x[0-9a-f]+:\s+(DW_TAG_\w+)", line):
            kind, name = m[1], None
        elif m := re.match(r'\s+DW_AT_name\t\("(.*::\{vtable(?:_type)?\})"\)', line):
            name = m[1]
        elif name and kind == "DW_TAG_variable" and (m := re.search(r"DW_OP_addrx? (0x[0-9a-f]+)", line)):
            found.append((name, int(m[1], 16)))
        elif name and kind == "DW_TAG_structure_type" and (m := re.search(r"DW_AT_byte_size\t\((0x[0-9a-f]+)\)", line)):
            sizes[name] = int(m[1], 16)
    return sorted({(n, a, sizes[n[:-1] + "_type}"]) for n, a in found if n[:-1] + "_type}" in sizes and a != 0},
                  key=lambda t: t[1])


def loaded(program):
    """(address, bytes) of sections with constants."""
    out = subprocess.run(["readelf", "-SW", program], capture_output=True, text=True, check=True).stdout
    ret = []
    with open(program, "rb") as f:
        data = f.read()
    for line in out.splitlines():
        m = re.match(r"\s*\[ *\d+\] (\.rodata\S*|\.data\.rel\.ro\S*)\s+PROGBITS\s+(\w+) (\w+) (\w+)", line)
        if m:
            addr, off, size = (int(m[i], 16) for i in (2, 3, 4))
            ret.append((addr, data[off:off + size]))
    return ret


def text_at(sections, addr, size):
    for start, data in sections:
        if start <= addr and addr + size <= start + len(data):
            return data[addr - start:addr - start + size]
    return None


def places_of(sections, wanted):
    """{(text, line, column): [(address, address of the text)]} of those wanted."""
    ret = collections.defaultdict(list)
    for start, data in sections:
        for off in range(-start % 8, len(data) - 23, 8):
            addr, size, line, column = struct.unpack_from("<QQII", data, off)
            if (size, line, column) in wanted:
                text = text_at(sections, addr, size)
                if text is not None and text in wanted[size, line, column]:
                    ret[text, line, column].append((start + off, addr))
    return ret


def pointers_to(sections, texts):
    """{address of a text: [addresses of words that point to it]}"""
    ret = collections.defaultdict(list)
    for start, data in sections:
        for off in range(-start % 8, len(data) - 7, 8):
            to = int.from_bytes(data[off:off + 8], "little")
            if to in texts:
                ret[to].append(start + off)
    return ret


def functions_of(program):
    """{address: names} by nm."""
    ret = collections.defaultdict(set)
    for line in subprocess.run(["nm", "--defined-only", program], capture_output=True, text=True, check=True).stdout.splitlines():
        addr, kind, name = line.split(" ", 2)
        if kind in "tTwW":
            ret[int(addr, 16)].add(name)
    return ret


def alike(aliases, names):
    """These and other names of the same functions: equal ones are merged."""
    return names | {n for group in aliases.values() if group & names for n in group}


class Owners:
    def __init__(self, heft, program, addresses):
        wanted = sorted(set(addresses))
        out = subprocess.run([heft, "where", "--json", "-d", "packages,rawsymbols", program, "-"], check=True, text=True,
                             input="\n".join(map(hex, wanted)), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
        self.of = {a: json.loads(line)["owners"] for a, line in zip(wanted, out.splitlines(), strict=True)}

    def symbol(self, addr):
        return self.of[addr]["rawsymbols"]

    def package(self, addr):
        return self.of[addr]["packages"].split(" ")[0].replace("-", "_")


def crates_in(name):
    return set(re.findall(r"(?<![\w:])([A-Za-z_]\w*)::", name))


class Count:
    def __init__(self, show):
        self.good, self.all, self.show = collections.Counter(), collections.Counter(), show

    def add(self, what, good, told):
        self.all[what] += 1
        self.good[what] += good
        if self.show and not good:
            print(f"  {what}: {told}")


def check(heft, program, irs, show):
    """Returns false where too many differ."""
    plain = program + ".plain"
    subprocess.run(["strip", "-g", "-o", plain, program], check=True)
    parsed, aliases = [Ir(p) for p in irs], functions_of(program)
    tables = tables_of(program)
    sections = loaded(program)
    wanted, users, files = (collections.defaultdict(set) for _ in range(3))
    functions, apart = set().union(*(ir.functions for ir in parsed)), 0
    for ir in parsed:
        for name, (text, size, line, column) in ir.places.items():
            content = ir.texts.get(text, b"")[:size]
            if content.endswith(b".rs"):
                wanted[size, line, column].add(content)
                users[content, line, column] |= ir.referrers(name)
                files[content] |= ir.referrers(text)
    places = places_of(sections, wanted)
    by_table = collections.defaultdict(set)
    for ir in parsed:
        for name, globals_ in ir.tables.items():
            by_table[name] |= set().union(*map(ir.referrers, globals_))
    asked = [a + i for _, a, size in tables for i in range(0, size, 8)]
    asked += [p + i for found in places.values() for p, _ in found for i in (0, 8, 16)] + [t for f in places.values() for _, t in f]
    pointers = pointers_to(sections, {t for f in places.values() for _, t in f})
    asked += [p for found in pointers.values() for p in found]
    owners, count = Owners(heft, plain, asked), Count(show)
    for name, addr, size in tables:
        symbols = {owners.symbol(addr + i) for i in range(0, size, 8)}
        count.add("tables whole", len(symbols) == 1, f"{addr:#x} {size} {name}: {symbols}")
        known = by_table.get(name)
        good = owners.symbol(addr) in known if known else False
        good = good or owners.package(addr) in crates_in(name)
        count.add("owners of tables", good, f"{addr:#x} {name}: {owners.of[addr]}, referred to by {sorted(known or ())[:3]}")
    for key, found in places.items():
        for addr, text in found:
            symbols = {owners.symbol(addr + i) for i in (0, 8, 16)}
            if key[0].startswith(b"/rustc/") and not symbols & functions:
                apart += 1
                continue
            good = len(symbols) == 1 and bool(alike(aliases, symbols) & users[key])
            count.add("places", good, f"{addr:#x} {key}: {symbols} not of {sorted(users[key])[:3]}")
        text = found[0][1]
        # "(after X)" says that only distant code refers to the text, so that its owner is not known.
        known = not owners.symbol(text).startswith("(after ")
        count.add("names with an owner", known, f"{text:#x} {key[0]}: {owners.symbol(text)}")
        # Functions of the standard library, which have no IR, share names of files by places of their own.
        own = {owners.symbol(p) for p in pointers[text]} - functions
        if known:
            count.add("names of files", owners.symbol(text) in files[key[0]] | own, f"{text:#x} {key[0]}: {owners.symbol(text)}")
    stripped = program + ".stripped"
    subprocess.run(["strip", "-s", "-o", stripped, program], check=True)
    again = Owners(heft, stripped, asked)
    for addr in sorted(set(asked)):
        name = again.symbol(addr)
        made = re.fullmatch(r"(\(after )?sub_([0-9a-f]+)\)?", name)
        names = {f"(after {n})" if made[1] else n for n in aliases[int(made[2], 16)]} if made else {name}
        count.add("the same stripped", owners.symbol(addr) in names, f"{addr:#x} {name}, is of {owners.symbol(addr)}")
    words = [f"{what} {count.good[what]} of {n}" for what, n in sorted(count.all.items())]
    print(f"{os.path.basename(program)}: {', '.join(words)}; {apart} places of the standard library's own", flush=True)
    return len(count.all) == len(LEAST) and all(count.good[w] >= LEAST[w] * n for w, n in count.all.items())


def build_small(folder):
    """(program, files of IR) of each build."""
    with open(f"{folder}/it.rs", "w") as f:
        f.write(builds.RUST_SOURCE)
    for level in "0", "2", "s":
        out = f"{folder}/opt{level}"
        subprocess.run(["rustc", "--edition=2021", "-g", f"-Copt-level={level}", "-Crelocation-model=static", "-Ccodegen-units=1",
                        "--emit=llvm-ir,link", "--crate-name", f"opt{level}", "--out-dir", folder, f"{folder}/it.rs"], check=True,
                       stderr=subprocess.DEVNULL)
        yield out, [out + ".ll"]


def build_crates(folder):
    for flags in [], ["--release"]:
        program = builds.build_crates(folder, flags, "-g -Crelocation-model=static -Ccodegen-units=1 --emit=llvm-ir,link")
        yield program, glob.glob(os.path.dirname(program) + "/deps/*.ll")


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("heft")
    ap.add_argument("--show", action="store_true")
    ap.add_argument("given", nargs="*")
    a = ap.parse_args()
    if not shutil.which("rustc") or not shutil.which(DWARFDUMP):
        print("SKIP: no rustc or no " + DWARFDUMP + " (install rustc llvm-19)")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        if a.given:
            made = [(a.given[0], a.given[1:])]
        else:
            made = [*build_small(folder), *(build_crates(folder) if os.environ.get("FULL") and builds.has_crates() else ())]
        results = [check(a.heft, program, irs, a.show) for program, irs in made]
    return 0 if results and all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
