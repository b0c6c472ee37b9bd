#!/usr/bin/env python3
"""Inputs that are worked off one after the other cost the memory of one: many files in one call.

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


for tool in "as", "ld":
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
print(f"{compared - failed} passed, {failed} failed")
sys.exit(failed > 0 or compared != 5)
