#!/usr/bin/env python3
"""usage: sources.py HEFT LLVM-SYMBOLIZER FILE

Takes ranges of FILE with a line or a stack from heft's raw map, asks the symbolizer about an address
in each, and compares: inlines with file and line of the innermost frame, sourcefiles with its
file, inlinestacks with the functions of all frames.  Names are compared as the linker's, constructors
of all kinds as one.  Exit status 1 where less than 99.5 % agree."""
import json
import posixpath
import random
import re
import subprocess
import sys

LIMIT = 4000  # ranges a source
SHOWN = 5
TARGET = 0.995


def spans(heft, source, path):
    """(address, label) of the code in the VM map: one address a range."""
    out = subprocess.run([heft, "size", "-d", "sections," + source, "-C", "none", "--raw-map", "--domain=vm",
                          path], capture_output=True, check=True).stdout.decode("utf-8", "replace")
    rng, found = random.Random(1), []
    for line in out.splitlines():
        m = re.match(r"([0-9a-f]+)-([0-9a-f]+)\t *\d+\t\t\.text[^\t]*\t(.*)$", line)
        if m and not m[3].startswith("["):
            start, end = int(m[1], 16), int(m[2], 16)
            found.append((rng.randrange(start, end), m[3]))
    return rng.sample(found, LIMIT) if len(found) > LIMIT else found


def frames(symbolizer, path, addrs):
    """By address: [(function, file, line)], innermost first."""
    asked = "".join("%#x\n" % a for a in addrs)
    out = subprocess.run([symbolizer, "--obj=" + path, "--no-demangle", "--functions=linkage",
                          "--inlines", "--output-style=JSON"], input=asked.encode(),
                         capture_output=True, check=True).stdout.decode()
    answers = {}
    for line in out.splitlines():
        entry = json.loads(line)
        answers[int(entry["Address"], 16)] = [
            (s["FunctionName"], s["FileName"], s["Line"]) for s in entry["Symbol"]]
    return answers


def plain(name):
    """One name for the kinds of a constructor or destructor, and no clone suffix."""
    return re.sub(r"([CD])[0-9](?=E|I)", r"\1x", name.split(".")[0])


def expected(source, answer):
    function, file, line = answer[0]
    file = posixpath.normpath(file) if file else ""
    if source == "inlines":
        return "%s:%d" % (file, line)
    if source == "sourcefiles":
        return file
    return ";".join(plain(f) for f, _, _ in reversed(answer))


def compare(heft, symbolizer, path, source):
    asked = spans(heft, source, path)
    answers = frames(symbolizer, path, [a for a, _ in asked])
    same, other, unknown = 0, [], 0
    for addr, label in asked:
        answer = answers.get(addr)
        if not answer or not answer[0][0] or not answer[0][1]:
            unknown += 1  # padding between functions goes with the one before it
            continue
        wanted = expected(source, answer)
        seen = ";".join(map(plain, label.split(";"))) if source == "inlinestacks" else label
        if seen == wanted:
            same += 1
        else:
            other.append("  %#x: %s, not %s" % (addr, seen, wanted))
    total = same + len(other)
    good = total >= 20 and unknown <= total and same >= TARGET * total
    print("%s %s %s: %d of %d agree, %d not asked" % (
        "ok  " if good else "FAIL", posixpath.basename(path), source, same, total, unknown))
    for line in other[:SHOWN]:
        print(line)
    return good


def main():
    heft, symbolizer, path = sys.argv[1:]
    good = [compare(heft, symbolizer, path, source)
            for source in ("inlines", "sourcefiles", "inlinestacks")]
    return 0 if all(good) else 1


sys.exit(main())
