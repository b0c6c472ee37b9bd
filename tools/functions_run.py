#!/usr/bin/env python3
"""Counts the functions of heft, and their files, that run for a command, as valgrind's callgrind sees them:
functions_run.py [BUILD] [ARGUMENT ...]; by default `size -d symbols` of a program of about 17 kB.  --list names them by
files, those with the fewest functions first.  More than LIMITS in BUILD's default command are an error.

A build by -O2 with debug info is what the limits are for: inlined functions are counted under their callers."""
import collections
import pathlib
import re
import subprocess
import sys
import tempfile

LIMITS = {"functions": 520, "files": 90}
ROOT = pathlib.Path(__file__).resolve().parent.parent
# As ninja names it from within the build; a cache of the compiler may have another one's folder in front.
SOURCE = re.compile(r"(?:^|/)\.\./src/(.+)")
NAME = re.compile(r"\((\d+)\)(?: (.*))?")
PROGRAM = "\n".join(["#include <stdio.h>"] + [f"int f{i}(int a) {{ return a * {i} + 1; }}" for i in range(40)] +
                    ["int main(int c, char **v) { (void)v; printf(\"%d\", f1(c)); return 0; }", ""])


def functions(text):
    """The (file, function) pairs whose own instructions ran."""
    known = {"fl": {}, "fn": {}}
    ran, file, name = set(), None, None
    for line in text.splitlines():
        key, _, value = line.partition("=")
        if key in ("fl", "fn", "cfi", "cfl", "cfn", "fi", "fe"):
            number, word = NAME.match(value).groups()
            table = known["fn" if key.endswith("fn") else "fl"]
            if word is not None:
                table[number] = word
            if key == "fl":
                file = table[number]
            if key == "fn":
                name = table[number]
                ran.add((file, name))
    return ran


def home(file, name):
    """The file that defines a function: code inlined from a header may come first, and its file is then named."""
    if not file.endswith(".h") or re.search(rf"\b{name}\(", (ROOT / "src" / file).read_text()):
        return file
    found = subprocess.run(["git", "-C", ROOT, "grep", "-lE", rf"^static .*\b{name}\(", "src/*.c"],
                           capture_output=True, text=True, check=False).stdout.split()
    return found[0].removeprefix("src/") if len(found) == 1 else file


def main(words):
    """False, or true for more than the limits."""
    listed = "--list" in words
    words = [w for w in words if w != "--list"]
    build = pathlib.Path(words.pop(0) if words else ROOT / "build").resolve()
    with tempfile.TemporaryDirectory() as work:
        out, program = pathlib.Path(work, "out"), pathlib.Path(work, "program")
        if not words:
            pathlib.Path(work, "program.c").write_text(PROGRAM)
            subprocess.run(["cc", "-g", "-O1", "-o", program, f"{program}.c"], check=True)
        run = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", build / "src/heft"]
        subprocess.run(run + (words or ["size", "-d", "symbols", program]), check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        files = collections.defaultdict(set)
        for file, name in functions(out.read_text()):
            ours = SOURCE.search(file or "")
            if ours:
                name = re.sub(r"'\d+$", "", name)
                files[home(ours[1], name.split(".")[0])].add(name)
    counts = {"functions": sum(map(len, files.values())), "files": len(files)}
    print(", ".join(f"{count} {what}" for what, count in counts.items()))
    if listed:
        for file, names in sorted(files.items(), key=lambda f: (len(f[1]), f[0])):
            print(f"{len(names):4} {file}: {' '.join(sorted(names))}")
    return not words and any(counts[what] > LIMITS[what] for what in LIMITS)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
