#!/usr/bin/env python3
"""Whether the map in an object is what gcc -dA says of its blocks.

usage: gcc_truth.py OBJECT ASSEMBLY     ASSEMBLY: of gcc -S -dA with the options of the object

Counts what the assembly tells: for each function and part of one the numbers of its blocks in order,
those without instructions left out; whether they return, tail-call, fall through, are landing pads.  Sizes: the
blocks must not overlap, and what no block claims must be padding in the assembly too, so that the last
block ends where the function does."""
import json
import re
import subprocess
import sys


def truth(path):
    functions, current, block, typed, inline, aliases = {}, None, None, None, False, {}
    with open(path, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if re.match(r"(#|//)\s?(NO_)?APP", line):
                inline = "NO_APP" not in line
                if block:
                    block["code"] = True
                continue
            found = re.match(r"\t\.set\t([^,]+),(\S+)", line)
            if found:
                aliases[found.group(1)] = found.group(2)
            found = re.match(r'\t\.type\t([^,]+), [@%]function', line)
            typed = found.group(1) if found else typed
            if not inline and re.match(r"[^\s#/].*:$", line) and line.rstrip()[:-1] == typed:
                current, block, typed = functions.setdefault(typed, []), None, None
            found = re.match(r"(?:#|//) BLOCK (\d+)", line)
            if found and current is not None and not inline:
                block = {"id": int(found.group(1)), "flags": 0, "code": False}
                current.append(block)
            if block and re.match(r"(#|//) SUCC:", line) and not inline:
                edges = re.findall(r"(?<= )(EXIT|\d+)(?= )(?: \[[^\]]*\])?(?:\s+count:\S+)?(?:\s+\([a-z][^)]*\))?"
                                   r"\s*(\([A-Z_,]+\))?", line.rstrip() + " ")
                for where, flags in edges:
                    if where == "EXIT":
                        block["flags"] |= 3 if "SIBCALL" in flags else 1
                    elif re.search(r"\bFALLTHRU\b", flags):
                        block["flags"] |= 8
            if block and re.match(r"(#|//) PRED:", line) and re.search(r"[(,]EH[,)]", line) and not inline:
                block["flags"] |= 4
            if block and re.match(r"\t[a-z]", line):
                block["code"] = True
            if line.startswith("\t.size\t") or re.match(r"\t\.(text|section|data)", line):
                block = None if line.startswith("\t.size\t") else block
    return {name: [(b["id"], b["flags"]) for b in blocks if b["code"]] for name, blocks in functions.items()}, aliases


def found_in(path):
    out = subprocess.run(["llvm-readobj-19", "--bb-addr-map", "--elf-output-style=JSON", path], check=True,
                         capture_output=True, text=True).stdout
    functions = []

    def keep(pairs):  # a map section each has the same key
        made = dict(pairs)
        if "BB Ranges" in made:
            functions.append(made)
        return made
    json.loads(out, object_pairs_hook=keep)
    return functions


def main():
    want, aliases = truth(sys.argv[2])
    bad = blocks = 0
    seen = set()
    for f in found_in(sys.argv[1]):
        name = aliases.get(f["Name"], f["Name"])
        ranges = [r.get("BB Range", r) for r in f["BB Ranges"]]
        parts = [name] + sorted(n for n in want if n.startswith(name + ".cold"))
        if not want.get(name) and len(parts) > 1:
            parts = parts[1:]
        for part, r in zip(parts, ranges):
            entries = r["BB Entries"]
            got = [(e["ID"], e["HasReturn"] | e["HasTailCall"] << 1 | e["IsEHPad"] << 2 |
                    e["CanFallThrough"] << 3) for e in entries]
            seen.add(part)
            blocks += len(got)
            end = 0
            for e in entries:
                bad += e["Offset"] < end
                end = e["Offset"] + e["Size"]
            if got != want[part]:
                bad += 1
                print("DIFFERENT %s: %s instead of %s" % (part, got, want[part]))
    missing = {n for n, b in want.items() if b} - seen
    if missing:
        print("missing: %s" % sorted(missing))
    print("%s: %d blocks, %d bad" % (sys.argv[1], blocks, bad))
    return 1 if bad or missing or not blocks else 0


if __name__ == "__main__":
    sys.exit(main())
