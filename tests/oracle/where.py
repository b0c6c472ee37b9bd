#!/usr/bin/env python3
"""Addresses of code, and answers held against each other.  Usage:
where.py pick FILE COUNT SEED       random addresses in executable sections, one a line
where.py compare FILE ADDRS WANT GOT   the answers of llvm-symbolizer and of heft where --terse
"""
import collections
import random
import subprocess
import sys


def code_sections(path):
    out = subprocess.run(["readelf", "-SW", path], capture_output=True, text=True).stdout
    for line in out.splitlines():
        f = line[6:].split()
        if len(f) > 8 and f[1] in ("PROGBITS", "NOBITS") and "X" in f[6]:
            yield int(f[2], 16), int(f[4], 16)


def pick(path, count, seed):
    sections = list(code_sections(path))
    rng = random.Random(seed)
    total = sum(size for _, size in sections)
    for _ in range(count):
        at = rng.randrange(total)
        for start, size in sections:
            if at < size:
                print(hex(start + at))
                break
            at -= size


def tidy(path):
    """The path by the rule of debug/path.h."""
    if path == "??" or path.startswith("<"):
        return path
    out = []
    for part in path.split("/"):
        if part in ("", "."):
            continue
        if part == ".." and out and out[-1] != "..":
            out.pop()
        elif part != ".." or not path.startswith("/"):
            out.append(part)
    return ("/" if path.startswith("/") else "") + "/".join(out)


def answers(path):
    with open(path, errors="surrogateescape") as f:
        blocks = f.read().split("\n\n")
    for block in blocks:
        lines = block.strip("\n").split("\n")
        if lines == [""]:
            continue
        frames = []
        for name, place in zip(lines[::2], lines[1::2]):
            file, line, column = place.rsplit(":", 2)
            frames.append((name, tidy(file), line, column))
        yield frames


def sections(path):
    """(number, start, end) of what takes room in memory."""
    out = subprocess.run(["readelf", "-SW", path], capture_output=True, text=True).stdout
    for line in out.splitlines():
        f = line[6:].split()
        if line[:4].strip() == "[" and len(f) > 8 and "A" in f[6]:
            yield line[3:5].strip(), int(f[2], 16), int(f[2], 16) + int(f[4], 16)


def symbol_places(path):
    """Names to the addresses, and the numbers of the sections, that have them."""
    places = collections.defaultdict(set)
    homes = collections.defaultdict(set)
    out = subprocess.run(["readelf", "-sW", path], capture_output=True, text=True).stdout
    for line in out.splitlines():
        f = line.split()
        if len(f) >= 8 and f[0].endswith(":") and f[6] not in ("UND", "ABS", "Ndx"):
            places[f[7].split("@")[0]].add(int(f[1], 16))
            homes[f[7].split("@")[0]].add(f[6])
    return places, homes


# llvm-symbolizer gives it to the symbol before, which is one of another section.
STUB = "stub of the linker"


def kind_of(addr, want, got, places, homes, section):
    if want == got:
        return "same"
    if len(want) != len(got):
        return "depth"
    if want[:-1] != got[:-1]:
        return "inlined"
    a, b = want[-1][0], got[-1][0]
    if b.endswith("@plt") and section not in homes[a]:
        return STUB
    if b == "??" and section not in homes[a]:
        return "symbol of another section"
    if want[-1][1:] != got[-1][1:]:
        if want[-1][1:] == ("??", "0", "0") and got[-1][2:] == ("0", "0"):
            return "file of a unit without lines there"
        if got[-1][1:] == ("??", "0", "0") and want[-1][2:] == ("0", "0"):
            return "file of another symbol"
        return "place"
    if places[a] & places[b]:
        return "alias"
    inner = any(y < x <= addr for x in places[a] for y in places[b])
    return "symbol inside another" if inner else "function"


EXPLAINED = ("same", "alias", "symbol of another section",
             STUB, "symbol inside another",
             "file of a unit without lines there", "file of another symbol")


def compare(path, addrs, want, got):
    with open(addrs) as f:
        asked = [int(line, 16) for line in f]
    want, got = list(answers(want)), list(answers(got))
    if not len(asked) == len(want) == len(got) > 0:
        print(f"{len(asked)} questions, {len(want)} and {len(got)} answers")
        return 1
    places, homes = symbol_places(path)
    parts = list(sections(path))

    kinds = collections.Counter()
    shown = 0
    for addr, a, b in zip(asked, want, got):
        section = next((n for n, start, end in parts if start <= addr < end), None)
        kind = kind_of(addr, a, b, places, homes, section)
        kinds[kind] += 1
        if kind not in EXPLAINED and shown < 3:
            shown += 1
            print(f"{kind} at {addr:#x}:")
            for frame in a:
                print("    want", frame)
            for frame in b:
                print("    got ", frame)
    good = sum(kinds[k] for k in EXPLAINED)
    lines = sum(len(frames) for frames in want)
    known = sum(frames[0][1] != "??" for frames in want)
    print(f"{len(asked)} addresses, {known} with lines, {lines} frames: "
          + ", ".join(f"{n} {k}" for k, n in kinds.most_common()))
    return good != len(asked) or known * 2 < len(asked) or kinds["same"] * 2 < len(asked)


if __name__ == "__main__":
    if len(sys.argv) == 5 and sys.argv[1] == "pick":
        pick(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
    elif len(sys.argv) == 6 and sys.argv[1] == "compare":
        sys.exit(compare(*sys.argv[2:]))
    else:
        sys.exit(__doc__)
