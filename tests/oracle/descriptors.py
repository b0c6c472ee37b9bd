#!/usr/bin/env python3
"""Functions of 64-bit PowerPC with descriptors (ELF ABI 1.9): symbols are those of descriptors in .opd.  Each function
has its code, of the size that nm tells but for what aligns it, and its descriptor: in an object, a shared library, and programs that can be
moved and that cannot.

usage: tests/oracle/descriptors.py HEFT
"""
import csv
import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

PREFIX = "powerpc64-linux-gnu-"
SOURCE = """static int table[40];
static int __attribute__((noinline)) one(int x) { for (int i = 0; i < x; i++) table[i & 31] += x * i; return table[x]; }
static int __attribute__((noinline)) two(int x) { int s = 0; for (int i = 0; i < 9; i++) s += one(x + i) ^ s; return s; }
int __attribute__((noinline)) outer(int (*f)(int), int x) { return f(x) + 1; }
int main(int x) { return outer(two, x) + outer(one, x) + two(x); }
"""
ALIGN = 16
FUNCTIONS = {"one", "two", "outer", "main"}
BUILDS = {"object": ["-c"], "library": ["-shared", "-fPIC", "-nostdlib"],
          "moved": ["-fpie", "-pie", "-nostdlib", "-Wl,-e,main"], "fixed": ["-no-pie", "-nostdlib", "-Wl,-e,main"]}


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def rows(heft, path):
    text = run(heft, "size", "-d", "sections,rawsymbols", "--domain=vm", "-n", "0", "--csv", path)
    return {(r["sections"], r["rawsymbols"]): int(r["vmsize"]) for r in csv.DictReader(text.splitlines())}


def main():
    heft = os.path.realpath(sys.argv[1])
    if not shutil.which(PREFIX + "gcc"):
        print(f"SKIP: no {PREFIX}gcc (install gcc-powerpc64-linux-gnu)")
        sys.exit(77)
    failed = asked = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("x.c", "w", encoding="utf-8") as f:
            f.write(SOURCE)
        for name, options in BUILDS.items():
            run(PREFIX + "gcc", "-O1", *options, "x.c", "-o", name)
            fields = [line.split() for line in run(PREFIX + "nm", "-S", name).splitlines()]
            sizes = {f[3]: int(f[1], 16) for f in fields if len(f) == 4}
            got = rows(heft, name)
            for function in FUNCTIONS:
                asked += 1
                code, descriptor = got.get((".text", function)), got.get((".opd", function), 0)
                if not code or not sizes[function] <= code < sizes[function] + ALIGN or descriptor < 16:
                    failed += 1
                    print(f"{name}: {function} has {code} bytes of code, {descriptor} of .opd; nm {sizes[function]}")
    print(f"{asked} functions, {failed} wrong")
    sys.exit(failed > 0 or asked == 0)


if __name__ == "__main__":
    main()
