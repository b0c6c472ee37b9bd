#!/usr/bin/env python3
"""Segments and sections that lie over one another: the one that begins last has the bytes, of several the last in the
table, as loaders map them.  Asked by size, by the raw map and by where, the answer is the same.

usage: tests/oracle/layers.py HEFT
"""
import csv
import os
import re
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

BASE, PAGE = 0x400000, 0x1000


def elf(loads, sections):
    """A program of segments (address, bytes, flags), and of sections (name, address, offset in the contents, size)."""
    count = len(loads)
    start = (64 + 56 * count + PAGE - 1) & ~(PAGE - 1)
    body = bytearray()
    headers = b""
    for addr, data, flags in loads:
        body += bytes(-len(body) % PAGE + addr % PAGE)
        headers += struct.pack("<IIQQQQQQ", 1, flags, start + len(body), addr, addr, len(data), len(data), PAGE)
        body += data
    names, table = b"\0", [bytes(64)]
    for name, addr, off, size in sections:
        table.append(struct.pack("<IIQQQQIIQQ", len(names), 1, 2, addr, start + off, size, 0, 0, 1, 0))
        names += name.encode() + b"\0"
    own = len(names)
    names += b".shstrtab\0"
    table.append(struct.pack("<IIQQQQIIQQ", own, 3, 0, 0, start + len(body), len(names), 0, 0, 1, 0))
    body += names
    body += bytes(-len(body) % 8)
    at = start + len(body) if sections else 0
    if sections:
        body += b"".join(table)
    number = len(table) if sections else 0
    first = b"\x7fELF\2\1\1" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 2, 62, 1, BASE, 64, at, 0, 64, 56, count,
                                                      64 if number else 0, number, max(number - 1, 0))
    return first + headers + bytes(start - len(first) - len(headers)) + bytes(body)


# The file, and who has the addresses: (first, end, segment, section).
CASES = {
    "same": (elf([(BASE, b"\xf4" * PAGE, 4), (BASE, b"\xf4" * 0x900, 6)], []),
             [(0, 0x900, "LOAD #1 [RW]", "[LOAD #1 [RW]]"), (0x900, PAGE, "LOAD #0 [R]", "[LOAD #0 [R]]")]),
    "inside": (elf([(BASE, b"\xf4" * PAGE, 4), (BASE + 0x400, b"\xf4" * 0x400, 6)], []),
               [(0, 0x400, "LOAD #0 [R]", "[LOAD #0 [R]]"), (0x400, 0x800, "LOAD #1 [RW]", "[LOAD #1 [RW]]"),
                (0x800, PAGE, "LOAD #0 [R]", "[LOAD #0 [R]]")]),
    "sections": (elf([(BASE, b"\xf4" * PAGE, 4)],
                     [(".outer", BASE, 0, PAGE), (".inner", BASE + 0x400, 0x400, 0x100)]),
                 [(0, 0x400, "LOAD #0 [R]", ".outer"), (0x400, 0x500, "LOAD #0 [R]", ".inner"),
                  (0x500, PAGE, "LOAD #0 [R]", ".outer")]),
}


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def sizes(heft, source, path):
    rows = csv.DictReader(run(heft, "size", "-d", source, "--domain=vm", "-n", "0", "--csv", path).splitlines())
    return {r[source]: int(r["vmsize"]) for r in rows if int(r["vmsize"]) > 0}


def wrong(heft, path, pieces):
    """What is not as it should be."""
    for column, source in ((2, "segments"), (3, "sections")):
        wanted = {}
        for piece in pieces:
            wanted[piece[column]] = wanted.get(piece[column], 0) + piece[1] - piece[0]
        got = sizes(heft, source, path)
        if {k: v for k, v in got.items() if k in wanted} != wanted or sum(got.values()) != PAGE:
            yield f"{source}: {got} instead of {wanted}"
        for piece in pieces:
            for at in (piece[0], piece[1] - 1):
                text = run(heft, "where", "-d", source, path, hex(BASE + at))
                owner = re.search(r"owner +(.*?) \(" + source, text)
                if f"({piece[2]}, file offset" not in text or not owner or owner.group(1) != piece[column]:
                    yield f"where {at:#x} by {source}: {text}"


def main():
    heft = os.path.realpath(sys.argv[1])
    failed = asked = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, (data, pieces) in CASES.items():
            with open(name, "wb") as f:
                f.write(data)
            asked += len(pieces)
            for text in wrong(heft, name, pieces):
                failed += 1
                print(f"{name}: {text}")
    print(f"{asked} pieces asked, {failed} wrong")
    sys.exit(failed > 0 or asked == 0)


if __name__ == "__main__":
    main()
