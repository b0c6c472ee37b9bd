#!/bin/sh
# Holds the sources that read debug info against every ELF file and archive below some folders, or
# of the samples of fixtures/debug_samples.sh where none is given: exit status 0, rows that add up
# to the file's size, the same for one thread and two, and no note of damage in healthy files.
# usage: HEFT=heft tests/prop/debug_walk.sh [FOLDER...]
#   EVERY=NUMBER: look at every so many-th file only (default: 1)
#   MAX_LEFT=PERCENT: besides, most of .debug_* that may stay on [section .debug_x] (default: any)
set -u
here=$(cd "$(dirname "$0")" && pwd)
if ! [ -x "${HEFT:-}" ]; then
	sed -n '2,8s/^# //p' "$0"
	exit 2
fi
# shellcheck source=tests/lib/test.sh
. "$here/../lib/test.sh"
need python3 python3
least=1
if [ $# -eq 0 ]; then
	need gcc gcc
	scratch
	"$here/../fixtures/debug_samples.sh" "$tmp" || exit 1
	least=40
	has clang-19 clang-19 "debug info by clang and for other machines" && least=150
	set -- "$tmp"
fi
python3 - "$HEFT" "$least" "$@" << 'END_OF_PYTHON'
import collections
import csv
import io
import os
import re
import subprocess
import sys

heft, folders = sys.argv[1], sys.argv[3:]
every = int(os.environ.get("EVERY", "1"))
least = int(sys.argv[2]) // every
TIMEOUT = 300  # seconds; a hang is a failure
WANTED = ["compileunits", "symbols", "sourcefiles", "inlines", "inlinestacks", "directories",
          "namespaces"]
# What is said of healthy files.
USUAL = re.compile(r"no debug info|functions without a symbol|split units are missing"
                   r"|supplementary debug file .* is missing"
                   r"|debug info without line tables")
OWNERS = ("compileunits", "symbols")  # of debug sections
max_left = float(os.environ.get("MAX_LEFT", "100"))
notes = collections.Counter()


def magic(path):
    try:
        with open(path, "rb") as f:
            return f.read(8)
    except OSError:
        return b""


def inputs():
    for folder in folders:
        for base, below, files in os.walk(folder):
            below.sort()
            for path in sorted(os.path.join(base, f) for f in files):
                start = magic(path)
                if not os.path.islink(path) and (start[:4] == b"\x7fELF"
                                                 or start in (b"!<arch>\n", b"!<thin>\n")):
                    yield path


def run(path, source, threads="2"):
    return subprocess.run([heft, "size", "-n", "0", "-d", source, "--debug-info=owners", "--csv",
                           "--threads=" + threads, path], stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT)


def problem_of(path, source):
    """What is wrong with the report, or None."""
    try:
        done = run(path, source)
    except subprocess.TimeoutExpired:
        return "no answer after %d s" % TIMEOUT
    words = done.stderr.decode("utf-8", "replace").strip().splitlines()
    if done.returncode != 0:
        return "exit status %d: %s" % (done.returncode, words[-1] if words else "")
    for line in words:
        text = line.split(": ", 3)[-1]
        notes[re.sub(r"0x[0-9a-f]+|\d+|/\S+", "#", text)] += 1
        if not USUAL.search(line):
            return "a note: " + line
    rows = list(csv.DictReader(io.StringIO(done.stdout.decode("utf-8", "surrogateescape"),
                                           newline="")))
    total = sum(int(r["filesize"]) for r in rows)
    if total != os.path.getsize(path):
        return "rows sum to %d, the file has %d" % (total, os.path.getsize(path))
    left = sum(int(r["filesize"]) for r in rows if r[source].startswith("[section .debug_"))
    if source in OWNERS and left > total * max_left / 100:
        return "%d of %d bytes stay with debug sections" % (left, total)
    alone = run(path, source, "1")
    if (alone.returncode, alone.stdout) != (0, done.stdout):
        return "another report by one thread"
    return None


def main():
    files, bad = 0, 0
    for path in list(inputs())[::every]:
        files += 1
        for source in WANTED:
            problem = problem_of(path, source)
            if problem:
                bad += 1
                print("FAIL %s: -d %s: %s" % (path, source, problem), flush=True)
    print("%d files by %s: %d failures" % (files, ", ".join(WANTED), bad))
    for text, count in notes.most_common(12):
        print("  %6d %s" % (count, text))
    if files < least:
        print("FAIL: fewer than %d files" % least)
    return 1 if bad or files < least else 0


sys.exit(main())
END_OF_PYTHON
