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


def packed_program(folder):
    """Builds a program of four units and 40 MB of a unit without code among them. Returns it, and a copy with packed debug info."""
    sources = []
    for name in "abcd":
        sources.append(f"{folder}/{name}.c")
        with open(sources[-1], "w") as f:
            f.write(f"static inline __attribute__((always_inline)) int twice_{name}(int x) {{ return x * x + 7; }}\n"
                    f"__attribute__((noinline)) int f_{name}(int x) {{\n return twice_{name}(x) ^ x; }}\n" +
                    ("int f_b(int); int f_c(int); int f_d(int);\nint main(int c, char **v) { (void)v; return f_a(c) + f_b(c) + f_c(c) + f_d(c); }\n" if name == "a" else ""))
    with open(f"{folder}/noise", "wb") as f:
        for _ in range(160):  # In pieces, because a child begins with this process's memory
            f.write(os.urandom(1 << 17).hex().encode())
    with open(f"{folder}/noise.s", "w") as f:
        f.write('.section .debug_abbrev\nt: .byte 1,0x11,0,0,0,0\n.section .debug_info\n.4byte e-s\ns: .2byte 5\n.byte 1,8\n.4byte t\n.byte 1,0\n'
                f'.incbin "{folder}/noise"\ne:\n.section .note.GNU-stack\n')
    plain, packed = folder + "/plain", folder + "/packed"
    subprocess.run(["gcc", "-g", "-O2", "-o", plain, *sources[:2], f"{folder}/noise.s", *sources[2:]], check=True)
    subprocess.run(["objcopy", "--compress-debug-sections=zlib", plain, packed], check=True)
    return plain, packed


def check_packed(folder):
    """One address in packed debug info does not cost the memory of all. Many addresses have the same answers as in plain debug info."""
    global failed, compared
    plain, packed = packed_program(folder)
    for names in ["f_a"], ["f_d"], ["f_d", "f_c", "f_b", "f_a", "main"]:
        answers = [subprocess.run([heft, "where", p, *names], check=True, stdout=subprocess.PIPE, text=True).stdout for p in (plain, packed)]
        compared += 1
        if answers[0] != answers[1] or "twice_" + names[0][2:] not in answers[0]:
            failed += 1
            print(f"where {' '.join(names)}, plain and packed:\n{answers[0]}\n{answers[1]}")
    check("an address in packed debug info", peak("where", plain, "f_d"), peak("where", packed, "f_d"), 20)


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


for tool in "as", "ld", "ar", "gcc", "objcopy":
    if not shutil.which(tool):
        print(f"SKIP: no {tool} (install gcc and binutils)")
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
    check_packed(folder)
print(f"{compared - failed} passed, {failed} failed")
sys.exit(failed > 0 or compared != 17)
