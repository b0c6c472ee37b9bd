#!/usr/bin/env python3
"""PLT stubs have the names that objdump gives them: in `heft where`, `heft blocks` and calls of disassembled code.

usage: tests/oracle/plt.py HEFT
"""
import collections
import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = """
int printf(const char *, ...), puts(const char *);
void *malloc(__SIZE_TYPE__);
void free(void *);
int main(int n, char **v)
{
	char *p = malloc(n * 10);
	printf("%p %d\\n", p, n);
	puts(v[0]);
	free(p);
	return 0;
}
"""
LIBRARY = """
__attribute__((noinline)) int first(int x) { return x * 3; }
__attribute__((noinline)) int second(int x) { return first(x) + 1; }
static __attribute__((noinline)) int hidden(int x) { return second(x) + 2; }
int third(int x) { return hidden(x) + second(x); }
int alias(int) __attribute__((weak, alias("first")));
int fourth(int x) { return alias(x) - 1; }
"""
LIBRARY_CALLS = {("second", "first"), ("hidden", "second"), ("third", "second"), ("third", "hidden"), ("fourth", "first")}
LIBRARIES = [("gcc", []), ("gcc", ["-Wl,-z,now"]), ("gcc", ["-fcf-protection", "-Wl,-z,ibtplt"]), ("gcc", ["-fuse-ld=gold"]),
             ("clang-19", ["-fuse-ld=lld", "-fsemantic-interposition"]), ("aarch64-linux-gnu-gcc", [])]
BUILDS = [("gcc", "", []), ("gcc", "", ["-Wl,-z,now"]), ("gcc", "", ["-no-pie", "-s"]),
          ("gcc", "", ["-fcf-protection", "-Wl,-z,ibtplt"]), ("gcc", "", ["-fuse-ld=gold"]),
          ("clang-19", "", ["-fuse-ld=lld"]), ("clang-19", "", ["-fuse-ld=lld", "-Wl,-z,now", "-s"]),
          ("clang-19", "", ["--target=i686-linux-gnu", "-fPIC", "-shared", "-nostdlib", "-fuse-ld=lld", "-Wl,-z,lazy"]),
          ("aarch64-linux-gnu-gcc", "aarch64-linux-gnu-", []), ("aarch64-linux-gnu-gcc", "aarch64-linux-gnu-", ["-s"]),
          ("s390x-linux-gnu-gcc", "s390x-linux-gnu-", [])]


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: status {done.returncode}\n{done.stderr}")
    return done.stdout


def stubs(objdump, path):
    """Address: name, of each stub."""
    found = re.findall(r"^([0-9a-f]+) <([^>]*@plt)>:$", run(objdump, "-d", path), re.M)
    return {int(at, 16): name for at, name in found if not name.startswith("*ABS*")}


def named(heft, path, addresses):
    rows = map(json.loads, run(heft, "where", "--json", path, *map(hex, addresses)).splitlines())
    return {row["address"]: row.get("symbol") for row in rows}


def compare(heft, objdump, path, what):
    """How many names were compared, and how many differ."""
    theirs = stubs(objdump, path)
    if not theirs:
        sys.exit(f"{what}: objdump knows no stub")
    mine = named(heft, path, theirs)
    wrong = {hex(at): (mine.get(at), name) for at, name in theirs.items() if mine.get(at) != name}
    if wrong:
        print(f"FAIL {what}: heft's and objdump's names: {wrong}")
    return len(theirs), len(wrong)


def calls(heft, path, what):
    """The calls of main, and the stubs among the functions."""
    text = run(heft, "blocks", "--disassemble", "--function=main", path)
    missing = [f for f in ("malloc", "printf", "puts", "free") if f"<{f}@plt>" not in text]
    listed = run(heft, "blocks", path)
    missing += [f"{f} of the list" for f in ("malloc", "puts") if f"\n{f}@plt at " not in listed]
    if missing:
        print(f"FAIL {what}: no name for {', '.join(missing)}")
    return 6, len(missing)


def own_calls(heft, path, what):
    """A library calls functions that it exports through stubs.  References lead to the functions, not to the stubs."""
    rows = list(csv.DictReader(run(heft, "why", "--references", "--csv", path).splitlines()))
    names = {name for pair in LIBRARY_CALLS for name in pair}
    calls_of = collections.defaultdict(set)
    for row in rows:
        if row["kind"] in ("call", "jump"):
            calls_of[row["from"]].add(row["to"])
    # The stub of a function's second name jumps to the function.
    mine = {(a, c) for a in names for b in calls_of[a] for c in (calls_of[b] if b == "alias" else {b}) if c in names}
    good = mine == LIBRARY_CALLS and "referred to by 2" in run(heft, "why", path, "second")
    if not good:
        print(f"FAIL library, {what}: calls {mine}")
    return len(LIBRARY_CALLS), not good


def main():
    heft = sys.argv[1]
    compared = wrong = 0
    skipped = []
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "x.c"), os.path.join(folder, "x")
        with open(source, "w") as f:
            f.write(SOURCE)
        for compiler, prefix, options in BUILDS:
            what = " ".join([compiler, *options])
            if not shutil.which(compiler) or not shutil.which(prefix + "objdump"):
                skipped.append(f"{what} (not installed)")
                continue
            if subprocess.run([compiler, "-O1", source, "-o", program, *options], capture_output=True).returncode != 0:
                skipped.append(f"{what} (does not link here)")
                continue
            results = [compare(heft, prefix + "objdump", program, what)]
            if prefix != "s390x-linux-gnu-" and "-s" not in options:
                results.append(calls(heft, program, what))
            compared += sum(r[0] for r in results)
            wrong += sum(r[1] for r in results)
        with open(source, "w") as f:
            f.write(LIBRARY)
        for compiler, options in LIBRARIES:
            what = " ".join([compiler, *options])
            command = [compiler, "-O2", "-fPIC", "-fno-inline", "-fno-ipa-icf", "-shared", source, "-o", program, *options]
            if not shutil.which(compiler) or subprocess.run(command, capture_output=True).returncode != 0:
                skipped.append(f"library, {what}")
                continue
            n, bad = own_calls(heft, program, what)
            compared, wrong = compared + n, wrong + bad
    for name in ("/bin/ls", "/usr/bin/python3", "/usr/bin/ssh"):
        if os.path.exists(name):
            n, bad = compare(heft, "objdump", name, name)
            compared, wrong = compared + n, wrong + bad
    print(f"{compared} compared, {wrong} differ" + "".join(f"; skipped: {s}" for s in skipped))
    sys.exit(1 if wrong or not compared else 0)


if __name__ == "__main__":
    main()
