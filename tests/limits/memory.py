#!/usr/bin/env python3
"""Inputs that are worked off one after the other cost the memory of one: many files in one call, members of an archive.

usage: memory.py HEFT FIXTURES
"""
import os
import shutil
import subprocess
import sys
import tempfile

heft, fixtures = sys.argv[1:3]
MB = 1024  # ru_maxrss is in KB
failed = compared = 0


def peak(*words):
    """Runs heft. Returns its most resident memory in KB."""
    child = subprocess.Popen([heft, *words], stdout=subprocess.DEVNULL)
    _, status, use = os.wait4(child.pid, 0)
    child.returncode = status
    if status != 0:
        sys.exit(f"heft {' '.join(words[:3])} ...: status {status}")
    return use.ru_maxrss


def check(what, one, many, more):
    global failed, compared
    compared += 1
    if many > one + more * MB:
        failed += 1
        print(f"{what}: {many // MB} MB, and {one // MB} MB for one; at most {more} MB more are wanted")


def rows(*words):
    """Returns the rows that are no headers of archives, as csv."""
    out = subprocess.run([heft, "size", "-n", "0", "--format=csv", *words], check=True, stdout=subprocess.PIPE, text=True)
    return [row for row in out.stdout.split("\n") if not row.startswith("[AR Headers]")]


def object_of(path, functions):
    """Assembles functions in sections of their own. Their number is odd, so that a pad byte may follow the object."""
    with open(path + ".s", "w") as f:
        for i in range(functions):
            f.write(f'.section .text.f{i},"ax"\n.globl f{i}\n.type f{i},@function\nf{i}: .fill {1 + i % 31},1,0x90\n.size f{i}, .-f{i}\n')
    subprocess.run(["as", "-o", path, path + ".s"], check=True)
    with open(path, "ab") as f:
        f.write(b"x" * (functions % 2))


def check_portions(folder):
    """An archive of more sections than a portion has: the memory of some, and the rows of its objects as files."""
    global failed, compared
    objects = [f"{folder}/o{i}" for i in range(40)]
    for i, path in enumerate(objects):
        object_of(path, 3000 + i % 7)
    few, many = folder + "/few.a", folder + "/many.a"
    subprocess.run(["ar", "rcS", few, *objects[:8]], check=True)
    subprocess.run(["ar", "rcS", many, *objects], check=True)
    for by in "symbols", "armembers", "sections", "symbols,sections":
        check(f"{by} of 40 members", peak("size", "-d", by, few), peak("size", "-d", by, many), 8)
    for words in ["-d", "symbols"], ["-d", "sections,symbols"], ["-d", "segments"], ["-d", "symbols", "--count", "--code"]:
        compared += 1
        if rows(*words, many) != rows(*words, *objects):
            failed += 1
            print(f"{' '.join(words)}: an archive has other rows than its members")


for tool in "as", "ld", "ar":
    if not shutil.which(tool):
        print(f"SKIP: no {tool} (install binutils)")
        sys.exit(77)
with tempfile.TemporaryDirectory() as folder:
    first = folder + "/program"
    subprocess.run([fixtures + "/many_symbols.py", first, "8000"], check=True)
    copies = [f"{folder}/copy{i}" for i in range(60)]
    for copy in copies:
        shutil.copy(first, copy)
    for words in ["size"], ["size", "-d", "symbols"], ["size", "-d", "sections,symbols", "--format=csv"], ["info"], ["rows"]:
        check(" ".join(words) + " of 60 programs", peak(*words, first), peak(*words, *copies), 12)
    check_portions(folder)
print(f"{compared - failed} passed, {failed} failed")
sys.exit(failed > 0 or compared != 13)
