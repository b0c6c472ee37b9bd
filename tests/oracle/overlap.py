"""The overlap of counts: what both have of each block, as shares of their sums.
usage: overlap.py COUNTS CSV LEAST     COUNTS: "ADDRESS COUNT" a line; CSV: heft blocks profile"""
import csv
import sys

counts, table, least = sys.argv[1:]
exact = {int(a): int(b) for a, b in (line.split() for line in open(counts))}
rows = [r for r in csv.DictReader(open(table)) if int(r["size"]) > 0]
got = {int(r["address"]): int(r["count"]) for r in rows}
if exact.keys() != got.keys() or not sum(got.values()):
    sys.exit("other blocks: %d and %d" % (len(exact), len(got)))
all_exact, all_got = sum(exact.values()), sum(got.values())
overlap = sum(min(exact[a] / all_exact, got[a] / all_got) for a in exact)
print("overlap %.5f over %d blocks, %d runs" % (overlap, len(exact), all_exact))
sys.exit(overlap < float(least))
