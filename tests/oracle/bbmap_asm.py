#!/usr/bin/env python3
"""Basic-block maps: `heft blocks` against the assembly a compiler wrote.

usage: bbmap_asm.py HEFT ASSEMBLY OBJECT     OBJECT: that assembly with its local labels kept

The directives of the map's sections are read one by one, a number each; labels get their values from
the object's symbols."""
import json
import re
import subprocess
import sys

MULTI, OMIT, CALLS, HASH = 8, 16, 32, 64
FLAGS = ["return", "tail-call", "landing-pad", "fall-through", "indirect-jump"]


def symbols(path):
    run = subprocess.run(["llvm-readelf-19", "-sW", path], capture_output=True, text=True, check=True)
    found = {}
    for line in run.stdout.splitlines():
        word = line.split()
        if len(word) >= 8 and re.match(r"\d+:$", word[0]) and word[6].isdigit():
            found[word[7]] = (int(word[6]), int(word[1], 16))
    return found


def section_names(path):
    run = subprocess.run(["llvm-readelf-19", "-SW", path], capture_output=True, text=True, check=True)
    return {int(m.group(1)): m.group(2)
            for m in re.finditer(r"^ *\[ *(\d+)\] (\S+)", run.stdout, re.M)}


def numbers(path, values):
    """The numbers of each map section; an address is a (section, offset)."""
    inside, section = False, []
    for line in open(path):
        word = re.split(r"[#@](?!llvm)|\s//", line.strip())[0].strip()
        m = re.match(r"(\.[\w.]+)\s*(.*)$", word)
        if not m or word.endswith(":"):
            continue
        name, value = m.group(1), re.sub(r"[()]", "", m.group(2)).strip()
        if name in (".section", ".text", ".popsection", ".previous", ".pushsection"):
            if section:
                yield section
            inside, section = ".llvm_bb_addr_map" in value, []
        elif inside and re.match(r"-?\d+$", value):
            section.append(int(value))
        elif inside and "-" in value:
            a, b = (values[label.strip()] for label in value.split("-"))
            assert a[0] == b[0]
            section.append(a[1] - b[1])
        elif inside:
            section.append(values[value])
    if section:
        yield section


def functions(section):
    at = iter(section)
    for version in at:
        features = next(at)
        assert not features & (MULTI | OMIT | HASH | 7), features
        address, blocks, end = next(at), [], 0
        for index in range(next(at)):
            number = next(at) if version >= 2 else index
            start = end + next(at)
            calls, call_end = [], 0
            for _ in range(next(at) if features & CALLS else 0):
                call_end += next(at)
                calls.append(start + call_end)
            size, flags = call_end + next(at), next(at)
            end = start + size
            blocks.append((number, start, size, [n for i, n in enumerate(FLAGS) if flags >> i & 1],
                           calls))
        yield (address, version, blocks)


def from_heft(heft, path):
    run = subprocess.run([heft, "blocks", "--json", "-C", "none", path], capture_output=True, text=True)
    for line in run.stdout.splitlines():
        f = json.loads(line)
        yield ((f["section"], f["section_offset"]), f["version"],
               [(b["id"], b["address"] - f["address"], b["size"], b["flags"],
                 [c - f["address"] for c in b.get("calls", [])]) for b in f["blocks"]])


def main():
    heft, assembly, path = sys.argv[1:]
    names = section_names(path)
    want = [((names[f[0][0]], f[0][1]), f[1], f[2])
            for section in numbers(assembly, symbols(path)) for f in functions(section)]
    got = list(from_heft(heft, path))
    good = len(got) > 0 and sorted(got) == sorted(want)
    print("%s %s: %d functions, %d blocks of version %s" % (
        "same" if good else "DIFFERENT", path, len(got), sum(len(f[2]) for f in got),
        sorted({f[1] for f in got})))
    if not good:
        print("  heft    %s" % str(sorted(got)[:1])[:300])
        print("  compiler %s" % str(sorted(want)[:1])[:300])
    return 0 if good else 1


sys.exit(main())
