#!/bin/sh
# Holds heft against every ELF, Mach-O, PE and WebAssembly file and archive below a folder: with each source alone and
# with a pair that changes from file to file, the file column must add up to the file's size and the
# exit status must be 0.
# usage: HEFT=heft [FORMATS=others] [PAIRS=all_pairs] [FULL=1] tests/prop/walk.sh FOLDER [LIMIT]
#   LIMIT: so many files of at most 16 MiB, spread evenly over the sorted list
#   FORMATS=others: no ELF files, and of the archives those of other objects
#   PAIRS: the program tests/prop/all_pairs.c, which is asked about every source and every pair of sources of each file
#   FULL=1: all files, whatever LIMIT says; of each, heft itself is run for one source and two pairs only
#   More folders may follow LIMIT.  Exit status 77: there is no such file.
if ! [ -x "$HEFT" ] || [ $# = 0 ]; then
	sed -n '2,11s/^# //p' "$0"
	exit 2
fi
folder=$1 limit=${2:-0}
shift "$(($# > 1 ? 2 : 1))"
exec python3 - "$HEFT" "$limit" "$folder" "$@" <<'END'
import csv
import io
import itertools
import json
import os
import random
import re
import subprocess
import sys

heft, limit, roots = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
full = bool(os.environ.get("FULL"))
limit = 0 if full else limit
pairs_program = os.environ.get("PAIRS")
others = os.environ.get("FORMATS") == "others"
TIMEOUT = 300  # seconds; a hang is a failure
SHOWN = 50  # failures; the others are counted


def magic(path):
    try:
        with open(path, "rb") as f:
            return f.read(8)
    except OSError:
        return b""


MAGICS = (b"\0asm", b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe", b"\xfe\xed\xfa\xcf", b"\xfe\xed\xfa\xce", b"\xca\xfe\xba\xbf")


def begins(path, start):
    """Whether this is how a file of a format of its own begins, no archive."""
    if start[:4] == b"\x7fELF":
        return not others
    if start[:4] in MAGICS or start[:4] == b"\xca\xfe\xba\xbe" and 0 < int.from_bytes(start[4:8], "big") < 20:
        return True
    if start[:2] == b"MZ":
        at = int.from_bytes(start[0x3c:0x40], "little")
        return at > 0 and start[at:at + 4] == b"PE\0\0"
    return False


def has_others(path):
    """Of an archive: the first members that are no tables tell."""
    with open(path, "rb") as f:
        data = f.read(1 << 20)
    at = 8
    while at + 60 < len(data) and data[at + 48:at + 58].strip().isdigit():
        size, name, body = int(data[at + 48:at + 58]), data[at:at + 16], data[at + 60:at + 100]
        if name[:1] != b"/" and not name.startswith(b"__.SYMDEF") or name[1:2].isdigit():
            if name.startswith(b"#1/"):
                body = data[at + 60 + int(name[3:]):][:40]
            if not body.startswith(b"__.SYMDEF"):
                return body[:4] != b"\x7fELF"
        at += 60 + size + size % 2
    return False


def is_input(path):
    if os.path.islink(path) or not os.path.isfile(path):
        return False
    try:
        with open(path, "rb") as f:
            start = f.read(0x10030)
    except OSError:
        return False
    if start[:8] in (b"!<arch>\n", b"!<thin>\n"):
        return not others or has_others(path)
    return begins(path, start)


def inputs():
    found = []
    for base, folders, files in itertools.chain.from_iterable(map(os.walk, roots)):
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
    rows = csv.reader(io.StringIO(text.decode("utf-8", "surrogateescape"), newline=""))
    column = next(rows).index("filesize")
    return sum(int(row[column]) for row in rows)


def json_numbers(text):
    """(total of the file column, sum of the size of the files) as --json has them."""
    report = json.loads(text.decode("utf-8", "surrogateescape"))
    return report["total"]["file"], sum(f["size"] for f in report["files"])


def check(path, sources, form):
    """None, or what is wrong."""
    try:
        done = run("size", "-n", "0", "-w", "-d", sources, "--" + form, path)
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


def check_pairs(path):
    """What is wrong with one source or two of them, all of which are measured at once."""
    try:
        done = subprocess.run([pairs_program, path], stdin=subprocess.DEVNULL, capture_output=True, timeout=4 * TIMEOUT)
    except subprocess.TimeoutExpired:
        return 1, ["no answer after %d s" % (4 * TIMEOUT)]
    lines = (done.stdout + done.stderr).decode("utf-8", "replace").splitlines()
    told = re.match(r"(\d+) choices of sources, (\d+) bad$", lines[-1] if lines else "")
    if done.returncode == 0 and told and int(told[2]) == 0:
        return int(told[1]), []
    return int(told[1]) if told else 1, [l for l in lines if l.startswith("FAIL")] or ["status %d" % done.returncode]


def check_file(path, jobs):
    """Runs, and failures: (path, sources and form, what)."""
    found = [(path, "-d %s --%s" % job, check(path, *job)) for job in jobs]
    runs, bad = len(found), [f for f in found if f[2]]
    if pairs_program:
        more, wrong = check_pairs(path)
        runs, bad = runs + more, bad + [(path, "all pairs", what) for what in wrong]
    return runs, bad


def main():
    listed = run("--list-sources")
    names = [line.split()[0] for line in listed.stdout.decode().split("\n") if line.strip()]
    if listed.returncode != 0 or len(names) < 15:
        sys.exit("heft --list-sources: status %d, %d sources" % (listed.returncode, len(names)))
    pairs = list(itertools.permutations(names, 2))
    random.Random(1).shuffle(pairs)  # neighbours in a folder are of a kind
    pairs, singles = itertools.cycle(pairs), itertools.cycle(names)
    files, runs, bad = inputs(), 0, 0
    for number, path in enumerate(files):
        jobs = [(next(singles), "csv"), (",".join(next(pairs)), "csv")] if full else [(name, "csv") for name in names]
        jobs.append((",".join(next(pairs)), "json" if number % 2 else "csv"))
        more, found = check_file(path, jobs)
        runs += more
        for failure in found[:max(SHOWN - bad, 0)]:
            print("FAIL %s: %s: %s" % failure, flush=True)
        bad += len(found)
        if number % 50 == 49 and full:
            print("%d of %d files, %d runs, %d failures" % (number + 1, len(files), runs, bad), file=sys.stderr, flush=True)
    print("%d files, %d bytes, %d runs, %d failures" % (len(files), sum(map(os.path.getsize, files)), runs, bad))
    if not files:
        print("SKIP: there is no such file below " + " ".join(roots))
        return 77
    return 1 if bad else 0


sys.exit(main())
END
