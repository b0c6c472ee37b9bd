#!/usr/bin/env python3
"""owners_walk.py HEFT COUNT FILE...: one answer to "whose byte is this".

At COUNT random addresses of each file, for every data source: the owner that `heft where -d` tells
is the label of the raw map there, and a row of `heft size` has that label and as many
bytes as the raw map gives it.  The claim that is told covers the address.  Of a folder eight ELF
files are taken.  FULL=1: 60 installed programs, libraries and debug files as well, and all sources.
Fails where nothing was compared.
"""
import json
import os
import random
import subprocess
import sys
from bisect import bisect_right
from glob import glob

SLOW = {"blocks", "functions", "blockkinds", "hotness"}
CORES = {"allocations", "mappings", "modules", "threads"}


def output(*words, stdin=None):
    run = subprocess.run(words, input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if run.returncode > 1:
        sys.exit(f"{words}: status {run.returncode}: {run.stderr.decode()}")
    return run.stdout.decode("utf-8", "surrogateescape")


def raw_map(heft, source, path):
    """Of the VM image: sorted [start, end, label]."""
    ranges = []
    text = output(heft, "size", "-d", source, "--raw-map", "--domain=vm", path)
    for line in text.splitlines():
        parts = line.split("\t", 4)
        if len(parts) < 4 or "-" not in parts[0] or parts[-1] == "[-- Nothing mapped --]":
            continue
        start, end = (int(x, 16) for x in parts[0].split("-"))
        ranges.append((start, end, parts[-1]))
    return ranges


def rows(heft, source, path):
    """VM bytes by label."""
    text = output(heft, "size", "-d", source, "-n", "0", "--json", path)
    return {row["label"]: row["vm"] for row in json.loads(text)["total"]["children"]}


def sources_of(heft, core):
    names = [line.split()[0] for line in output(heft, "size", "--list-sources").splitlines()]
    names = [n for n in names if n != "directories" and (core or n not in CORES)]
    return [n for n in names if os.environ.get("FULL") or n not in SLOW]


def is_core(path):
    with open(path, "rb") as file:
        head = file.read(18)
    return head[:4] == b"\x7fELF" and head[16 if head[5] == 1 else 17] == 4


def compare(heft, source, path, addresses, answers, ranges):
    """The number of addresses compared."""
    sizes, charged = rows(heft, source, path), {}
    for start, end, label in ranges:
        charged[label] = charged.get(label, 0) + end - start
    starts = [r[0] for r in ranges]
    for addr, answer in zip(addresses, answers):
        start, end, label = ranges[bisect_right(starts, addr) - 1]
        if not start <= addr < end:
            sys.exit(f"{path}: {source}: the raw map has a hole at {addr:#x}")
        told = answer.get("owners", {}).get(source)
        if told != label:
            sys.exit(f"{path}: {source} at {addr:#x}: where says {told!r}, the raw map {label!r}")
        if sizes.get(label) != charged[label]:
            sys.exit(f"{path}: {source}: {label!r} has {charged[label]} bytes in the raw map, "
                     f"its row {sizes.get(label)}")
        claim = answer["claims"][source]
        if not claim["address"] <= addr < claim["address"] + claim["size"]:
            sys.exit(f"{path}: {source} at {addr:#x}: the claim {claim} is elsewhere")
    return len(addresses)


def check(heft, path, count, rng):
    # With regions asked for, memory between sections is theirs for every other source as well.
    sources = [s for s in sources_of(heft, is_core(path)) if s != "regions"]
    return check_sources(heft, path, count, rng, sources) + check_sources(heft, path, count, rng, ["regions"])


def check_sources(heft, path, count, rng, sources):
    segments = raw_map(heft, "segments", path)
    if not segments:
        return 0
    weights = [min(end - start, 1 << 20) for start, end, _ in segments]
    picked = rng.choices(segments, weights, k=count)
    addresses = [rng.randrange(start, end) for start, end, _ in picked]
    text = output(heft, "where", "--json", "-d", ",".join(sources), path, "-",
                  stdin="".join(f"0x{a:x}\n" for a in addresses).encode())
    answers = [json.loads(line) for line in text.splitlines()]
    if [a["address"] for a in answers] != addresses:
        sys.exit(f"{path}: answers to other questions")
    return sum(compare(heft, s, path, addresses, answers, raw_map(heft, s, path)) for s in sources)


def some_of(count, *patterns):
    """ELF files of less than 8 MiB."""
    found = [p for pattern in patterns for p in sorted(glob(pattern))
             if os.path.isfile(p) and not os.path.islink(p) and os.path.getsize(p) < 8 << 20]
    random.Random(60).shuffle(found)
    picked = []
    for path in found:
        with open(path, "rb") as file:
            if file.read(4) == b"\x7fELF" and len(picked) < count:
                picked.append(path)
    return picked


def main():
    heft, count, files = sys.argv[1], int(sys.argv[2]), []
    for path in sys.argv[3:]:
        files += some_of(8, path + "/*") if os.path.isdir(path) else [path]
    if os.environ.get("FULL"):
        files += some_of(60, "/usr/bin/*", "/usr/lib/*/*.so*", "/usr/lib/debug/.build-id/*/*")
    rng, total = random.Random(7), 0
    for path in files:
        compared = check(heft, path, count, rng)
        print(f"{path}: {compared}", flush=True)
        total += compared
    print(f"{len(files)} files, {total} owners compared")
    if total == 0:
        sys.exit("nothing was compared")


main()
