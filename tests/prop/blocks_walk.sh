#!/bin/sh
# Derives the basic blocks of every program and library below a folder, writes them into a copy and holds them
# against the code again: blocks begin at instructions, jumps lead to blocks, what lies between is padding.
# usage: HEFT=heft tests/prop/blocks_walk.sh FOLDER [LIMIT [PER_MILLE]]
#   LIMIT: so many files of at most 16 MiB, spread evenly over the sorted list
#   PER_MILLE: a file with more wrong findings per thousand blocks is a failure (default: 0)
if ! [ -x "$HEFT" ] || ! [ -d "$1" ]; then
	sed -n '2,7s/^# //p' "$0"
	exit 2
fi
exec python3 - "$HEFT" "$1" "${2:-0}" "${3:-0}" <<'END'
import json
import os
import subprocess
import sys
import tempfile

heft, folder, limit, per_mille = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
TIMEOUT = 300  # seconds; a hang is a failure
# What is said of files that are rightly refused.
REFUSED = ("no basic blocks to write", "cannot add a section")
MACHINES = (3, 62, 183)  # i386, x86-64, AArch64


def is_linked(path):
    if os.path.islink(path) or not os.path.isfile(path):
        return False
    try:
        with open(path, "rb") as f:
            head = f.read(20)
    except OSError:
        return False
    order = "big" if head[5:6] == b"\2" else "little"
    kind, machine = int.from_bytes(head[16:18], order), int.from_bytes(head[18:20], order)
    return head[:4] == b"\x7fELF" and kind in (2, 3) and machine in MACHINES


def inputs():
    found = []
    for base, folders, files in os.walk(folder):
        folders.sort()
        found += [p for p in (os.path.join(base, f) for f in files) if is_linked(p)]
    found.sort()
    if limit:
        found = [p for p in found if os.path.getsize(p) <= 16 << 20]
    if limit and len(found) > limit:
        found = [found[i * len(found) // limit] for i in range(limit)]
    return found


def run(*args):
    return subprocess.run([heft, "blocks", *args], stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT)


def check(path, copy):
    """(blocks, wrong, the first that is wrong), or None where there is no code to map."""
    made = run("emit", "--derive", "--replace", path, "-o", copy)
    if made.returncode != 0:
        said = made.stderr.decode("utf-8", "replace").strip()
        if made.returncode == 2 and any(words in said for words in REFUSED):
            return None
        raise ValueError("emit: status %d: %s" % (made.returncode, said[-300:]))
    checked = run("check", "--json", copy)
    lines = [json.loads(line) for line in checked.stdout.splitlines()]
    if checked.returncode != (1 if lines[-1]["wrong"] else 0):
        raise ValueError("check: status %d with %d wrong findings" % (checked.returncode, lines[-1]["wrong"]))
    wrong = [line for line in lines[:-1] if line["wrong"]]
    first = "%(id)s 0x%(address)x: %(text)s" % wrong[0] if wrong else ""
    return lines[-1]["blocks"], lines[-1]["wrong"], first


def main():
    files = blocks = wrong = bad = refused = 0
    with tempfile.TemporaryDirectory() as folder_of_copy:
        for path in inputs():
            try:
                found = check(path, os.path.join(folder_of_copy, "copy"))
            except (subprocess.TimeoutExpired, ValueError, IndexError) as e:
                print("FAIL %s: %r" % (path, e), flush=True)
                bad += 1
                continue
            if found is None:
                refused += 1
                continue
            files, blocks, wrong = files + 1, blocks + found[0], wrong + found[1]
            if found[1]:
                failed = found[1] * 1000 > per_mille * found[0]
                bad += failed
                print("%s %s: %d of %d, %s" % ("FAIL" if failed else "note", path, found[1], found[0], found[2]), flush=True)
    print("%d files, %d without code, %d blocks, %d wrong findings, %d failures" % (files, refused, blocks, wrong, bad))
    return 1 if bad or not blocks or refused > files else 0


sys.exit(main())
END
