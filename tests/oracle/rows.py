#!/usr/bin/env python3
"""`heft rows`: what it says is what `heft size` says, file by file; files that are none are passed over or told.

usage: rows.py HEFT
"""
import json
import pathlib
import subprocess
import sys
import tempfile

passed = failed = 0


def check(name, good, shown=""):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print(f"FAILED: {name}\n{shown}")


def run(*words, **more):
    return subprocess.run(words, capture_output=True, check=False, **more)


def test_sums(heft, files):
    words = (heft, "rows", "-d", "sections,symbols", *files)
    lines = [json.loads(line) for line in run(*words).stdout.splitlines()]
    check("there are rows", len(lines) > 100, len(lines))
    check("columns", all(list(r) == ["program", "build_id", "labels", "file", "vm"] for r in lines))
    for file in files:
        total = json.loads(run(heft, "size", "--json", file).stdout)["total"]
        sums = [sum(r[m] for r in lines if r["program"] == str(file)) for m in ("file", "vm")]
        check(f"rows of {file} add up", sums == [total["file"], total["vm"]], f"{sums} {total['file']}")


def test_others(heft, file, tmp):
    text, out = pathlib.Path(tmp, "text"), pathlib.Path(tmp, "out")
    text.write_text("no program\n" * 1000)
    alone = run(heft, "rows", file)
    done = run(heft, "rows", text, file)
    check("what is no program is passed over", done.returncode == 0 and done.stdout == alone.stdout and b"1 passed over" in done.stderr, done)
    done = run(heft, "rows", f"{tmp}/none", file, "-o", out)
    check("what cannot be read is told", done.returncode == 2 and b"none: No such file" in done.stderr and b"1 failed" in done.stderr, done)
    check("the others have their rows", out.read_bytes() == alone.stdout)
    for word in ("--to=http://127.0.0.1:1/", "--done=x", "--tag=a=b", "--format=rowbinary"):
        done = run(heft, "rows", word, file)
        option = word.split("=")[0]
        check(f"{option} says what does its work", done.returncode == 2 and done.stderr.decode().count("\n") == 1 and
              f"{option} is gone: ".encode() in done.stderr, done)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.split("\n\n")[1])
    heft = str(pathlib.Path(sys.argv[1]).resolve())
    files = [heft, "/bin/ls", "/bin/sh"]
    with tempfile.TemporaryDirectory() as tmp:
        test_sums(heft, files)
        test_others(heft, "/bin/ls", tmp)
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0 or passed < 12)


main()
