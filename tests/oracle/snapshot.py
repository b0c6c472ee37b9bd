#!/usr/bin/env python3
"""A snapshot of `heft snapshot` against readelf's sections, nm's symbols and the objects the program was linked of.

usage: tests/oracle/snapshot.py [--map FILE] [--build FILE] [--symbols FILE] [--text PCT] [--data PCT] [--literals PCT]
                                HEFT PROGRAM [OBJECT...]

Checked, and what is measured printed in one line:
 - PSS of a section is its size, PSS of all sections in the file is the size of the file;
 - each function and variable of nm (of FILE, global ones then, by default of PROGRAM) is there under its address;
 - the shares of .text and of .rodata + .data bytes with a source path;
 - the share of the bytes of mergeable strings of the OBJECTs (SHF_MERGE | SHF_STRINGS, allocated, equal ones and
   tails of others once) that stand in the program as a literal of their size, named by their text."""
import argparse
import collections
import gzip
import itertools
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

Section = collections.namedtuple("Section", "name type flags addr off size link entsize")
Symbol = collections.namedtuple("Symbol", "section name addr size padding source object aliases")
# The segments that SuperSize knows for programs.
NOT_IN_FILE = (".bss", ".bss.rel.ro", ".part.end", ".relro_padding", ".tbss")
SEGMENTS = NOT_IN_FILE + (".text", ".rodata", ".data.rel.ro", ".data.rel.ro.local", ".tdata.rel.ro", ".data", ".tdata",
                          ".other")
MERGED_STRINGS = 0x32  # SHF_ALLOC | SHF_MERGE | SHF_STRINGS
NOBITS = 8


def read_elf(path):
    """Bytes and sections of a 64-bit little-endian ELF file."""
    data = open(path, "rb").read()
    if data[:6] != b"\x7fELF\x02\x01":
        return data, []
    off, = struct.unpack_from("<Q", data, 40)
    size, count, names = struct.unpack_from("<HHH", data, 58)
    raw = [struct.unpack_from("<IIQQQQIIQQ", data, off + i * size) for i in range(count)]
    text = raw[names][4]
    name = lambda i: data[text + i:data.index(b"\0", text + i)].decode()
    return data, [Section(name(r[0]), r[1], r[2], r[3], r[4], r[5], r[6], r[9]) for r in raw]


def read_snapshot(path):
    """Symbols of a v1 .size file."""
    lines = gzip.open(path).read().decode("ascii").split("\n")
    head, size = lines[1], int(lines[2])
    meta = "\n".join(lines[3:])[:size]
    info, at = json.loads(meta), 3 + meta.count("\n") + 1
    rows = iter(lines[at:])
    paths = [next(rows).split("\t") for _ in range(int(next(rows)))]
    if info["has_components"]:
        for _ in range(int(next(rows))):
            next(rows)
    sections, counts = next(rows).split("\t"), [int(n) for n in next(rows).split("\t")]

    def column(deltas):
        out = [[int(v) for v in next(rows).split(" ")] for _ in counts]
        return [list(itertools.accumulate(v)) for v in out] if deltas else out
    addrs, sizes = column(True), column(False)
    pads = column(False) if info["has_padding"] else None
    where = column(True)
    if info["has_components"]:
        column(True)
    out = []
    for k, sec in enumerate(sections):
        end = left = 0
        for i in range(counts[k]):
            words = next(rows).split("\t")
            first = left == 0
            if first:
                members = left = int(([w for w in words[1:] if w[0] == "0"] or ["1"])[0], 16)
            left -= 1
            addr, size, pad = addrs[k][i], sizes[k][i], pads[k][i] if pads else 0
            if words[0].startswith("Overhead: "):
                pad, size = size, 0
            elif not pads and first:
                gap = addr - end if end and addr and sec != ".other" else 0
            if not pads and not words[0].startswith("Overhead: "):
                pad = gap
            end = addr + size if addr else end
            obj, src = paths[where[k][i]]
            out.append(Symbol(sec, words[0], addr, size, pad, src, obj, members))
    return head, info, out


def literal_name(text):
    shown = [c for c in text.rstrip("\0") if c not in "\r\n\t"]
    if any(ord(c) < 32 or ord(c) == 127 for c in shown):
        return "string literal"
    shown = "".join(shown)
    return '"%s"...' % shown[:27] if len(shown) > 30 else '"%s"' % shown


def object_strings(objects):
    """Strings in mergeable sections, with their ends, by their width; those that end others left out."""
    found = set()
    for path in objects:
        data, sections = read_elf(path)
        for s in sections:
            if s.flags & MERGED_STRINGS != MERGED_STRINGS or s.entsize not in (1, 2, 4):
                continue
            at, end, zero = s.off, s.off + s.size, bytes(s.entsize)
            while at < end:
                stop = at
                while stop < end and data[stop:stop + s.entsize] != zero:
                    stop += s.entsize
                found.add((data[at:stop + s.entsize], s.entsize))
                at = stop + s.entsize
    backwards = sorted((text[::-1], width) for text, width in found)
    return [(text[::-1], width) for (text, width), (after, _) in zip(backwards, backwards[1:] + [(b"", 0)])
            if not after.startswith(text)]


def nm(*args):
    if not args:
        return []
    return subprocess.run(["nm", "--defined-only", *args], capture_output=True, text=True, check=True).stdout.splitlines()


def main():
    p = argparse.ArgumentParser()
    for name in ("--map", "--build", "--symbols"):
        p.add_argument(name)
    for name in ("--text", "--data", "--literals"):
        p.add_argument(name, type=float, default=0)
    p.add_argument("--no-symbols", action="store_true", help="nm's are not asked for")
    p.add_argument("-v", action="store_true")
    p.add_argument("heft")
    p.add_argument("program")
    p.add_argument("objects", nargs="*")
    a = p.parse_args()
    with tempfile.NamedTemporaryFile(suffix=".size") as out:
        args = [a.heft, "snapshot", "--no-debug-search", "-o", out.name, a.program]
        args += ["--map", a.map] if a.map else ["--no-map"]
        args += ["--build", a.build] if a.build else []
        subprocess.run(args, check=True, stderr=subprocess.DEVNULL)
        _, info, symbols = read_snapshot(out.name)
    bad = []
    data, sections = read_elf(a.program)

    # Sums.
    pss = collections.Counter()
    for y in symbols:
        pss[y.section] += (y.size + y.padding) / y.aliases
    sizes = info["section_sizes"]
    for name, got in pss.items():
        if name != ".other" and round(got) != sizes[name]:
            bad.append("PSS of %s is %.1f, its size %d" % (name, got, sizes[name]))
    for s in sections:
        if s.name in sizes and s.name in pss and s.name not in (".text", ".rodata", ".data", ".bss") and \
                sizes[s.name] != s.size:
            bad.append("size of %s is %d, not %d" % (s.name, sizes[s.name], s.size))
    whole = sum(v for k, v in pss.items() if k not in NOT_IN_FILE)
    if round(whole) != len(data):
        bad.append("PSS of the file is %.1f, its size %d" % (whole, len(data)))

    # Symbols of nm.
    at = collections.defaultdict(set)
    for y in symbols:
        at[y.addr].add(y.name)
    lines = nm("-S", a.symbols or a.program)
    # mold makes all symbols of a program local.
    public = {f[2] for f in (line.split() for line in nm(*a.objects)) if len(f) == 3 and f[1].isupper()}
    wanted = missing = 0
    ends = [(s.addr, s.addr + s.size) for s in sections if s.name in pss and s.name != ".other"]
    for line in lines:
        m = re.match(r"([0-9a-f]+) ([0-9a-f]+) ([tTwWvVdDbBrRu]) ([^@\s]+)\S*$", line)
        if a.symbols and m and m[3].islower() and m[4] not in public:
            continue  # of these a map tells only where each has a section of its own
        if not m or not int(m[2], 16) or not any(b <= int(m[1], 16) < e for b, e in ends):
            continue
        wanted += 1
        if not at.get(int(m[1], 16)):
            missing += 1
            if a.v:
                print("missing:", line)
        elif not m[4].startswith(("_Z", "_R")) and not any(
                n.split("(")[0].split(" [")[0] == re.sub(r"(\.(isra|part|constprop|cold|llvm|lto_priv)?[.0-9]*)+$", "", m[4])
                or n.split(" [")[0].startswith(m[4].split(".")[0]) for n in at[int(m[1], 16)]):
            missing += 1
            if a.v:
                print("name:", line, at[int(m[1], 16)])
    if not a.no_symbols and (missing > max(1, wanted // 500) or wanted < 5):
        bad.append("%d of %d symbols of nm are not there" % (missing, wanted))

    # Paths.
    def share(names):
        part = total = 0.0
        for y in symbols:
            if y.section in names:
                total += y.size / y.aliases
                part += y.size / y.aliases if y.source else 0
        return 100 * part / total if total else 0
    text, rest = share([".text"]), share([".rodata", ".data"])
    if a.v:
        for y in symbols:
            if y.section in (".text", ".rodata", ".data") and not y.source and y.size > 20:
                print("no source:", y)
    for what, got, least in (("text", text, a.text), ("data", rest, a.data)):
        if got < least:
            bad.append("%.1f %% of %s have a source, not %g" % (got, what, least))

    # Literals.
    names = {}
    for y in symbols:
        if y.section == ".rodata":
            names.setdefault((y.addr, y.size), set()).add(y.name)
    ro = [s for s in sections if s.type != NOBITS and s.name.startswith(".rodata")]
    sum_right = sum_all = 0
    places = set()
    for literal, width in object_strings(a.objects):
        hits = []
        for s in ro:
            i = data.find(literal, s.off, s.off + s.size)
            while i >= 0:
                hits.append(s.addr + i - s.off)
                i = data.find(literal, i + 1, s.off + s.size)
        if not hits:
            continue
        codec = {1: "utf-8", 2: "utf-16-le", 4: "utf-32-le"}[width]
        try:
            name = literal_name(literal.decode(codec))
        except UnicodeDecodeError:
            name = "string literal"
        if not name.isascii():  # \xNN of its bytes, which the cut after 30 counts
            name = None
        sum_all += len(literal)
        places.update((h, len(literal)) for h in hits)
        got = [names[h, len(literal)] for h in hits if (h, len(literal)) in names]
        if any(name in n or (name is None and any(x.startswith(('"', "string l")) for x in n)) for n in got):
            sum_right += len(literal)
        elif a.v:
            near = [y for y in symbols if any(y.addr <= h < y.addr + max(y.size, 1) for h in hits)]
            print("literal:", literal, width, near[:2])
    right = 100 * sum_right / sum_all if sum_all else 0
    if right < a.literals:
        bad.append("%.1f %% of the bytes of literals, not %g" % (right, a.literals))
    odd = sum(y.size for y in symbols if y.section == ".rodata" and y.name.startswith(('"', "string l"))
              and (y.addr, y.size) not in places)
    alone = sum(y.size for y in symbols if y.section == ".rodata" and y.name.startswith(('"', "string l")))
    print("%-44s %-11s text %5.1f %%  data %5.1f %%  literals %5.1f %% of %6d  others' %4.1f %%  symbols %d of %d"
          % (os.path.basename(a.program), info["metadata"]["elf_algorithm"], text, rest, right, sum_all,
             100 * odd / alone if alone and a.objects else 0, wanted - missing, wanted))
    for b in bad:
        print("FAIL: %s: %s" % (a.program, b))
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
