#!/usr/bin/env python3
"""Starts of derived blocks against those of the map in the same file.

usage: derive.py HEFT LEAST FILE [NM]     fails where precision or recall is below LEAST

NM lists marks of data among code (llvm-nm): tables that a compiler's map of ARM has as blocks are none of heft's."""
import csv
import subprocess
import sys


def blocks(heft, path, *options):
    out = subprocess.run([heft, "blocks", "--csv", "-C", "none", *options, path], check=True,
                         stdout=subprocess.PIPE, text=True).stdout
    found = []
    for row in csv.DictReader(out.splitlines()):
        size = int(row["size"])
        if size > 0:
            found.append((int(row["address"], 0), size))
    return sorted(found)


def data_marks(nm, path):
    out = subprocess.run([nm, "--special-syms", path], check=True, stdout=subprocess.PIPE, text=True).stdout
    return {int(line.split()[0], 16) for line in out.splitlines() if line.split()[-1].startswith("$d")}


def main():
    heft, least, path = sys.argv[1], float(sys.argv[2]), sys.argv[3]
    truth = blocks(heft, path)
    end = max(a + s for a, s in truth)
    starts = {a for a, _ in truth}
    if len(sys.argv) > 4:
        starts -= data_marks(sys.argv[4], path)
    covered = set()
    for a, s in truth:
        covered.update(range(a, a + s))
    derived = {a for a, _ in blocks(heft, path, "--derive") if truth[0][0] <= a < end and a in covered}
    both = len(starts & derived)
    precision, recall = both / len(derived), both / len(starts)
    print("%s: %d blocks, precision %.5f, recall %.5f" % (path, len(starts), precision, recall))
    if len(starts) < 50:
        print("too few blocks to say anything")
        return 1
    return 0 if min(precision, recall) >= least else 1


if __name__ == "__main__":
    sys.exit(main())
