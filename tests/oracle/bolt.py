#!/usr/bin/env python3
"""Compares profiles of a program with those of what llvm-bolt made of it, brought back.

bolt.py counts INPUT.csv OUTPUT.csv    blocks by the compiler's numbers (heft blocks profile, csv)
bolt.py edges OURS.fdata THEIRS.fdata  jumps and calls; perf2bolt adds what falls through, and knows no returns
bolt.py runs INPUT.afdo OUTPUT.afdo    addresses by how often they ran
"""
import collections
import csv
import sys


def overlap(a, b):
    total_a, total_b = sum(a.values()), sum(b.values())
    return sum(min(a[k] / total_a, b[k] / total_b) for k in a)


def counts(path):
    found = collections.Counter()
    with open(path, encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            found[row["linkage_name"], row["block"]] += int(row["count"])
    return found


def edges(path):
    """From, to: name and offset; perf2bolt adds the source file to names of local functions."""
    found = collections.Counter()
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            word = line.split()
            if len(word) == 8:
                place = [word[1], word[2], word[4], word[5]]
                found[tuple(part.split("/")[0] for part in place)] += int(word[7])
    return found


def runs(path):
    found = collections.Counter()
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            if "-" in line and ">" not in line:
                where, count = line.split(":")
                first, last = (int(end, 16) for end in where.split("-"))
                for addr in range(first, last + 1):
                    found[addr] += int(count)
    return found


def compare_edges(ours, theirs):
    """Every edge of perf2bolt is ours, but for what falls through; of ours, what it lacks are returns."""
    returns = {edge[:2] for edge in ours if edge[3] != "0" and edge[0] != edge[2]}
    lacking = [edge for edge in ours if edge not in theirs and edge[:2] not in returns]
    weight = sum(ours[edge] for edge in lacking)
    shared = sum(ours[edge] for edge in ours if edge in theirs)
    print(f"{len(ours)} edges, {len(theirs)} of perf2bolt; not there: {weight} of {shared + weight}")
    for edge in lacking:
        print("only ours:", *edge, ours[edge])
    return weight * 50 <= shared and shared > 0


def main():
    what, a, b = sys.argv[1:4]
    if what == "edges":
        return compare_edges(edges(a), edges(b))
    read, least = (counts, 0.99) if what == "counts" else (runs, 0.95)
    one, other = read(a), read(b)
    if len(one) < 10 or len(other) < 10:
        print(f"too little to compare: {len(one)} and {len(other)}")
        return False
    same = overlap(one, other)
    print(f"overlap of {what}: {same:.4f}")
    return same >= least


sys.exit(0 if main() else 1)
