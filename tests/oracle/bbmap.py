#!/usr/bin/env python3
"""Basic-block maps: `heft blocks` against what llvm-readobj reads.

usage: bbmap.py HEFT READOBJ FILE...     one line a file; exit 1 where any differs

In objects readobj gives offsets in sections, which sections it does not say; there heft's addresses are
taken as offsets too."""
import json
import re
import subprocess
import sys

FLAGS = {"HasReturn": "return", "HasTailCall": "tail-call", "IsEHPad": "landing-pad",
         "CanFallThrough": "fall-through", "HasIndirectBranch": "indirect-jump"}


def from_heft(heft, path):
    run = subprocess.run([heft, "blocks", "--json", "-C", "none", path], capture_output=True, text=True)
    functions = [json.loads(line) for line in run.stdout.splitlines()]
    return functions, run.stderr


def key_of_heft(f, is_object):
    mask = (1 << 40) - 1 if is_object else (1 << 64) - 1
    blocks = []
    for b in f["blocks"]:
        blocks.append((b["id"], b["address"] & mask, b["size"], tuple(sorted(b["flags"])),
                       b.get("frequency"), tuple((s["id"], s["probability"])
                                                 for s in b.get("successors", []))))
    at = f["section_offset"] if is_object else f["address"]
    return (at, f.get("entry_count"), tuple(blocks))


def from_readobj(readobj, path):
    run = subprocess.run([readobj, "--bb-addr-map", path], capture_output=True, text=True)
    text, functions, f, b, pgo, base = run.stdout, [], None, None, -1, 0
    for line in text.splitlines():
        word = line.strip()
        m = re.match(r"(\w[\w ]*): (.*)$", word)
        name, value = (m.group(1), m.group(2)) if m else (word, "")
        if word == "Function {":
            f = {"blocks": [], "entry_count": None, "base": []}
            functions.append(f)
            pgo = -1
        elif name == "At":
            f["at"] = int(value, 16)
            base = f["at"]
        elif name == "Base Address":
            base = int(value, 16)
            f["base"].append(base)
        elif name == "ID" and pgo < 0:
            b = {"id": int(value), "flags": [], "base": base, "frequency": None, "successors": []}
            f["blocks"].append(b)
        elif name == "Offset":
            if pgo < 0 and (b is None or "offset" in b or b not in f["blocks"]):
                b = {"id": len(f["blocks"]), "flags": [], "base": base, "frequency": None,
                     "successors": []}
                f["blocks"].append(b)
            b["offset"] = int(value, 16)
        elif name == "Size":
            b["size"] = int(value, 16)
        elif name in FLAGS:
            if value == "Yes":
                b["flags"].append(FLAGS[name])
        elif name == "FuncEntryCount":
            f["entry_count"] = int(value)
            pgo = 0
        elif name.startswith("PGO BB entries") or name.startswith("PGO analyses"):
            pgo = max(pgo, 0)
        elif name == "Frequency":
            b = f["blocks"][pgo]
            pgo += 1
            b["frequency"] = int(value)
        elif word.startswith("Successors") and b is not None and pgo >= 0 and b["frequency"] is None:
            b = f["blocks"][pgo]
            pgo += 1
        elif name == "ID":
            b["successors"].append([int(value), 0])
        elif name == "Probability":
            b["successors"][-1][1] = int(re.match(r"0x[0-9A-Fa-f]+", value).group(0), 16)
    return functions, run.stderr


def key_of_readobj(f):
    blocks = []
    for b in f["blocks"]:
        start = b["base"] + b["offset"]
        blocks.append((b["id"], start, b["size"], tuple(sorted(b["flags"])), b["frequency"],
                       tuple(tuple(s) for s in b["successors"])))
    return (f["at"], f["entry_count"], tuple(blocks))


def kind_of(path):
    with open(path, "rb") as file:
        head = file.read(18)
    return int.from_bytes(head[16:18], "little" if head[5] == 1 else "big")


def check(heft, readobj, path):
    is_object = kind_of(path) == 1
    got, complaints = from_heft(heft, path)
    want, warnings = from_readobj(readobj, path)
    mine = [key_of_heft(f, is_object) for f in got]
    theirs = [key_of_readobj(f) for f in want]
    if not is_object:
        # What linkers leave of functions they threw away or folded.
        theirs = {k[0]: k for k in reversed(theirs) if k[0] != 0}.values()
    good = len(mine) > 0 and sorted(mine) == sorted(theirs)
    print("%s %s: %d functions, %d blocks" % ("same" if good else "DIFFERENT", path, len(mine),
                                             sum(len(k[2]) for k in mine)))
    if not good:
        only_mine, only_theirs = set(mine) - set(theirs), set(theirs) - set(mine)
        print("  readobj has %d; only heft: %d, only readobj: %d %s%s" % (
            len(theirs), len(only_mine), len(only_theirs), complaints[:200], warnings[:200]))
        for k in sorted(only_mine)[:1]:
            print("  heft    %x %s %s" % (k[0], k[1], k[2][:6]))
        for k in sorted(only_theirs)[:1]:
            print("  readobj %x %s %s" % (k[0], k[1], k[2][:6]))
    return good


def main():
    heft, readobj, *files = sys.argv[1:]
    results = [check(heft, readobj, f) for f in files]
    return 0 if results and all(results) else 1


sys.exit(main())
