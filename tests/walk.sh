#!/bin/sh
# Holds heft against every ELF, Mach-O, PE and WebAssembly file and archive below a folder: with each source alone and with a
# pair that changes from file to file, the file column must add up to the file's size and the exit
# status must be 0.
# usage: HEFT=heft tests/walk.sh FOLDER [LIMIT]
#   LIMIT: so many files of at most 16 MiB, spread evenly over the sorted list
if ! [ -x "$HEFT" ] || ! [ -d "$1" ]; then
	sed -n '2,6s/^# //p' "$0"
	exit 2
fi
exec python3 - "$HEFT" "$1" "${2:-0}" <<'END'
import csv
import io
import itertools
import json
import os
import subprocess
import sys

heft, folder, limit = sys.argv[1], sys.argv[2], int(sys.argv[3])
TIMEOUT = 300  # seconds; a hang is a failure
SHOWN = 50  # failures; the others are counted


def magic(path):
    try:
        with open(path, "rb") as f:
            return f.read(8)
    except OSError:
        return b""


MAGICS = b"\x7fELF", b"\0asm", b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe", b"\xfe\xed\xfa\xcf", b"\xfe\xed\xfa\xce"


def is_pe(path):
    with open(path, "rb") as f:
        start = f.read(4096)
    at = int.from_bytes(start[0x3c:0x40], "little")
    return at > 0 and start[at:at + 4] == b"PE\0\0"


def is_input(path):
    if os.path.islink(path) or not os.path.isfile(path):
        return False
    start = magic(path)
    return start[:4] in MAGICS or start in (b"!<arch>\n", b"!<thin>\n") or start[:2] == b"MZ" and is_pe(path)


def inputs():
    found = []
    for base, folders, files in os.walk(folder):
        folders.sort()
        found += [p for p in (os.path.join(base, f) for f in files) if is_input(p)]
    found.sort()
    if limit:
        found = [p for p in found if os.path.getsize(p) <= 16 << 20]
    if limit and len(found) > limit:
        found = [found[i * len(found) // limit] for i in range(limit)]
    return found


def run(*args):
    return subprocess.run([heft, *args], stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=TIMEOUT)


def csv_sum(text):
    rows = csv.DictReader(io.StringIO(text.decode("utf-8", "surrogateescape"), newline=""))
    return sum(int(row["filesize"]) for row in rows)


def json_numbers(text):
    """(total of the file column, sum of the size of the files) as --json has them."""
    report = json.loads(text.decode("utf-8", "surrogateescape"))
    return report["total"]["file"], sum(f["size"] for f in report["files"])


def check(path, sources, form):
    """None, or what is wrong."""
    try:
        done = run("size", "-n", "0", "-d", sources, "--" + form, path)
    except subprocess.TimeoutExpired:
        return "no answer after %d s" % TIMEOUT
    if done.returncode != 0:
        words = done.stderr.decode("utf-8", "replace").strip().splitlines()
        return "exit status %d: %s" % (done.returncode, words[-1] if words else "")
    try:
        return compare(path, done.stdout, form)
    except (KeyError, ValueError) as e:
        return "output that is no %s: %r" % (form, e)


def compare(path, out, form):
    wanted = os.path.getsize(path)
    thin = magic(path) == b"!<thin>\n"
    if form == "json":
        total, files = json_numbers(out)
        if thin:  # its members are files of their own
            wanted = files
    else:
        total = csv_sum(out)
        if thin and total >= wanted:
            return None
    return None if total == wanted else "rows sum to %d, the file has %d" % (total, wanted)


def main():
    listed = run("--list-sources")
    names = [line.split()[0] for line in listed.stdout.decode().split("\n") if line.strip()]
    if listed.returncode != 0 or len(names) < 15:
        sys.exit("heft --list-sources: status %d, %d sources" % (listed.returncode, len(names)))
    pairs = itertools.cycle(itertools.permutations(names, 2))
    files, runs, bad = inputs(), 0, 0
    for number, path in enumerate(files):
        jobs = [(name, "csv") for name in names]
        jobs.append((",".join(next(pairs)), "json" if number % 2 else "csv"))
        for sources, form in jobs:
            runs += 1
            problem = check(path, sources, form)
            if problem:
                bad += 1
                if bad <= SHOWN:
                    print("FAIL %s: -d %s --%s: %s" % (path, sources, form, problem), flush=True)
    print("%d files, %d runs, %d failures" % (len(files), runs, bad))
    return 1 if bad or not runs else 0


sys.exit(main())
END
