#!/usr/bin/env python3
"""Pairs of functions and data of stripped builds, against the names that their unstripped twins have.

usage: tests/oracle/pairs.py HEFT DUMP_PAIRS SOURCE_ROOT [OLD NEW]

Builds parts of heft as a shared library that exports nothing, in several ways: as it is, with functions changed, added
and removed, by another level, in another folder.  Or takes two programs with symbols.  What both twins call by one name
is one.  FULL=1: more parts and ways.  Checked:
 - of the bytes of functions and variables that both have, 99 % are paired as the twins pair (95 % of other levels),
   0.5 % otherwise at most (1 % of other levels). One function can be 1 % of a build, so builds with random changes are judged by their sum;
 - `heft size NEW -- OLD` and `heft diff OLD NEW` have the same functions on one row, with the same bytes before;
 - a build in another folder makes no row.
Exit status 0 all hold, 1 not, 77 a tool is missing."""
import bisect
import collections
import csv
import glob
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

FULL = os.environ.get("FULL") == "1"
# Percent: of one level of optimisation; of two, where functions are inlined elsewhere.
PAIRED_LEAST, WRONG_MOST = 99.0, 0.5
# -O3 puts a function into all handlers of one table, so that they are alike and three times as long.
OTHERWISE = 95.0, 1.0
SPLIT_MOST = 2.0
# ... and where unwind tables lack functions, so that heft takes two for one.
BOUNDS_GUESSED = 85.0, 2.5
PARTS = ["names", "code", "map", "stack"] + (["base", "debug", "image"] if FULL else [])
SEEDS = range(1, 4)
# Slow to compile, in need of a library, or a second of what another file defines.
LEFT_OUT = {"microsoft", "disasm", "rust", "_without"}

passed = failed = 0


def check(good, text):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print("FAILED:", text)


def run(*args):
    return subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True).stdout


# ---- builds ---------------------------------------------------------------------------------------


def sources(root, parts):
    for part in parts:
        for path in sorted(glob.glob(os.path.join(root, "src", part, "*.c"))):
            if not any(word in os.path.basename(path) for word in LEFT_OUT):
                yield path


def change(text, rng):
    """Statements in some functions, new functions at the end of some files."""
    places = [m.end() for m in re.finditer(r"^\{\n", text, re.M) if rng.random() < 0.05]
    for n, at in reversed(list(enumerate(places))):
        text = (text[:at] + "\t{ extern int twist(int); static int seen; if (twist(%d) > 3) seen += %d; }\n" % (n + 5, n)
                + text[at:])
    if rng.random() < 0.3:
        text += ("\n__attribute__((noinline, used)) static int added(int n, const int *list)\n{\n\tint sum = %d;\n"
                 "\tfor (int i = 0; i < n; i++)\n\t\tsum = sum * 31 ^ list[i] << %d;\n\treturn sum;\n}\n"
                 % (rng.randrange(1000), rng.randrange(1, 9)))
    return text


def build(root, folder, compiler, flags, seed, parts=None):
    """A library of all parts; compiled two at a time."""
    os.makedirs(folder)
    rng, jobs, objects = random.Random(seed), [], []
    for path in sources(root, parts or PARTS):
        name = os.path.relpath(path, root).replace("/", "_")
        with open(path) as f:
            text = f.read()
        with open(os.path.join(folder, name), "w") as f:
            f.write(change(text, rng) if seed else text)
        objects.append(os.path.join(folder, name + ".o"))
        jobs.append(subprocess.Popen(
            [compiler, "-w", "-D_GNU_SOURCE", "-fPIC", "-fvisibility=hidden", "-I", root + "/src", "-I", root + "/include",
             *flags, "-c", os.path.join(folder, name), "-o", objects[-1]], stderr=subprocess.DEVNULL))
        if len(jobs) > 1:
            jobs.pop(0).wait()
    for job in jobs:
        job.wait()
    library = os.path.join(folder, "library.so")
    run(compiler, "-shared", "-Wl,-z,undefs", *[o for o in objects if os.path.exists(o)], "-o", library)
    return library


# ---- what the twins say ---------------------------------------------------------------------------


def symbols(path):
    """{(file, name): (address, size, type)} of what stands once under a name.  gcc numbers static variables of functions by
    their order, which changes if one is added: of several `words.N` in one file the name does not say which is which."""
    found, file = collections.defaultdict(set), ""
    for line in run("readelf", "-sW", path).splitlines():
        f = line.split()
        if len(f) < 8 or not f[0].endswith(":"):
            continue
        if f[3] == "FILE":
            file = f[7]
        elif f[3] in ("FUNC", "OBJECT") and f[6].isdigit() and int(f[2], 0) > 0:
            key = (file if f[4] == "LOCAL" else "", f[7].split("@")[0])
            found[key].add((int(f[1], 16), int(f[2], 0), f[3]))
    stems = collections.Counter((file, re.sub(r"\.[0-9]+$", "", name)) for file, name in found)
    return {(file, name): next(iter(places)) for (file, name), places in found.items()
            if len(places) == 1 and (stems[file, re.sub(r"\.[0-9]+$", "", name)] == 1 or not re.search(r"\.[0-9]+$", name))}


class Pairs:
    """What heft pairs, as lines of dump_pairs."""

    def __init__(self, dump, old, new):
        self.rows = []
        for line in run(dump, old, new).splitlines():
            f = line.split("\t")
            self.rows.append((f[0], int(f[1]), int(f[2], 16), int(f[3]), f[4], int(f[6], 16), int(f[7]), f[8], f[9]))
        self.old = sorted(r for r in ((r[2], r[3], r[5], r[6]) for r in self.rows) if r[0] and r[1])
        self.starts = [r[0] for r in self.old]

    def at(self, addr, size):
        """(bytes, address and size of the partner) of the parts of a range of the older side."""
        i = max(bisect.bisect_right(self.starts, addr) - 1, 0)
        while i < len(self.old) and self.old[i][0] < addr + size:
            start, length, partner, partner_size = self.old[i]
            part = min(start + length, addr + size) - max(start, addr)
            if part > 0:
                yield part, partner, partner_size
            i += 1


def judge(what, kind, sums, least, most):
    all_bytes, good, bad, split = sums
    print("%-24s %-6s %8d bytes  paired %6.2f %%  wrong %5.3f %%  split %5.3f %%" % (
        what, kind, all_bytes, 100 * good / all_bytes, 100 * bad / all_bytes, 100 * split / all_bytes))
    if least is None:
        return
    check(100 * split / all_bytes <= SPLIT_MOST, "%s: %s split" % (what, kind))
    check(100 * good / all_bytes >= least, "%s: %s paired" % (what, kind))
    check(100 * bad / all_bytes <= most, "%s: %s paired wrongly" % (what, kind))


def against_twins(what, pairs, old, new, least, most):
    """Bytes of each kind: all, paired, paired wrongly, split.  A compiler may split a function and leave its name to the smaller part.  The larger part, which then has no twin, is
    the function as well; such bytes are counted apart and have a limit of their own."""
    before, after = symbols(old), symbols(new)
    sums = {kind: [0, 0, 0, 0] for kind in ("FUNC", "OBJECT")}
    alone = {place[0] for key, place in after.items() if key not in before}
    for key, (addr, size, kind) in before.items():
        to, to_size, to_kind = after.get(key, (0, 0, ""))
        if kind != to_kind:
            continue
        sums[kind][0] += size
        for part, partner, partner_size in pairs.at(addr, size):
            if partner and partner < to + to_size and partner + partner_size > to:
                sums[kind][1] += part
            elif partner in alone and 2 * to_size < size and to_size < partner_size:
                sums[kind][1] += part
                sums[kind][3] += part
            elif partner:
                sums[kind][2] += part
    for kind, of in sums.items():
        if of[0] > 0:
            judge(what, kind, of, least, most)
    check(sum(s[0] for s in sums.values()) > 0, what + ": something to compare")
    return sums


# ---- what the commands say ------------------------------------------------------------------------


def table(heft, *args):
    return list(csv.DictReader(run(heft, *args, "--csv", "-n", "0").splitlines()))


def commands_agree(what, heft, pairs, old, new):
    """Rows of functions of .text by size, and of diff: the bytes before are those of the pairs."""
    most_padding = 32
    want = collections.defaultdict(int)
    for _, _, _, size, section, _, _, _, name in pairs.rows:
        if name.startswith("sub_") and " " not in name and section in (".text", ""):
            want[name] += size
    compared = wrong = 0
    for row in table(heft, "size", "-d", "sections,symbols", "--domain=vm", new, "--", old):
        if row["sections"] == ".text" and row["symbols"] in want:
            compared += 1
            wrong += abs(int(row["original_vmsize"]) - want[row["symbols"]]) > most_padding
    check(wrong == 0, "%s: %d of %d rows of size have other bytes before than the pairs" % (what, wrong, compared))
    changed = {r[8]: (r[3], r[6]) for r in pairs.rows
               if r[0] in ("changed", "added") and r[7] == ".text" and r[8].startswith("sub_")}
    rows = {row["symbol"]: row for row in table(heft, "diff", "--section=.text", old, new)}
    for name in changed:
        compared += 1
        check(name in rows, "%s: diff has a row of %s" % (what, name))
    check(compared > 0, what + ": rows were compared")


def same_in_another_folder(heft, root, folder):
    """Sources of one path length, so that debug info has one size."""
    paths = []
    for place in ("one/here", "two/deep"):
        where = os.path.join(folder, place)
        os.makedirs(where)
        for name in ("package_name", "generic"):
            shutil.copy(os.path.join(root, "src/names", name + ".c"), where)
            run("gcc", "-w", "-g", "-O1", "-D_GNU_SOURCE", "-fPIC", "-I", root + "/src", "-I", root + "/include", "-c",
                os.path.join(where, name + ".c"), "-o", os.path.join(where, name + ".o"))
        paths.append(os.path.join(where, "library.so"))
        run("gcc", "-shared", "-Wl,-z,undefs,--build-id=none", os.path.join(where, "package_name.o"),
            os.path.join(where, "generic.o"), "-o", paths[-1])
    for by in ("symbols", "compileunits", "directories", "sourcefiles", "inlines", "packages", "blocks"):
        rows = table(heft, "size", "-d", by, paths[1], "--", paths[0])
        check(not rows, "another folder, by %s: %s" % (by, rows[:2]))
    for by in ("symbol", "source", "directory"):
        rows = [r for r in table(heft, "diff", "--by", by, paths[0], paths[1]) if r.get("change", "unchanged") != "unchanged"]
        check(not rows, "another folder, diff by %s: %s" % (by, rows[:2]))


def compare(what, heft, dump, old, new, least=PAIRED_LEAST, most=WRONG_MOST):
    bare = []
    for path in (old, new):
        bare.append(path + ".bare")
        try:
            run("strip", "-o", bare[-1], path)
        except subprocess.CalledProcessError:  # of another machine
            run("llvm-strip-19", "-o", bare[-1], path)
    pairs = Pairs(dump, *bare)
    sums = against_twins(what, pairs, old, new, least, most)
    commands_agree(what, heft, pairs, *bare)
    return sums


def main():
    if len(sys.argv) not in (4, 6):
        sys.exit(__doc__)
    heft, dump, root = (os.path.abspath(a) for a in sys.argv[1:4])
    for tool in ("gcc", "strip", "readelf"):
        if not shutil.which(tool):
            print("SKIP: no", tool)
            sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        if len(sys.argv) == 6:
            named = [shutil.copy(p, os.path.join(folder, n)) for p, n in zip(sys.argv[4:], ("old", "new"))]
            compare("given", heft, dump, *named)
        else:
            first = build(root, folder + "/first", "gcc", ["-O2"], 0)
            all_sums = {kind: [0, 0, 0, 0] for kind in ("FUNC", "OBJECT")}
            for seed in SEEDS:
                changed = build(root, "%s/changed %d" % (folder, seed), "gcc", ["-O2"], seed)
                for what, sides in (("changed", (first, changed)), ("changed back", (changed, first))):
                    sums = compare("%s %d" % (what, seed), heft, dump, *sides, None)
                    for kind, of in sums.items():
                        all_sums[kind] = [a + b for a, b in zip(all_sums[kind], of)]
            for kind, of in all_sums.items():
                judge("all changed", kind, of, PAIRED_LEAST, WRONG_MOST)
            ways = [("level", "gcc", ["-O3"], 0)]
            if FULL:
                ways += [("changed and level", "gcc", ["-O3"], 2), ("tuned", "gcc", ["-O2", "-march=haswell"], 0),
                         ("aarch64", "aarch64-linux-gnu-gcc", ["-O2"], 3), ("armhf", "arm-linux-gnueabihf-gcc", ["-O2"], 3),
                         ("riscv64", "riscv64-linux-gnu-gcc", ["-O2"], 3), ("i386", "i686-linux-gnu-gcc", ["-O2"], 3)]
            for what, compiler, flags, seed in ways:
                if not shutil.which(compiler):
                    print("skipped: no", compiler)
                    continue
                base = build(root, folder + "/base " + what, compiler, flags if compiler != "gcc" else ["-O2"], 0)
                same = flags == ["-O2"] or what == "tuned"
                limits = BOUNDS_GUESSED if what in ("armhf", "riscv64") else (PAIRED_LEAST, WRONG_MOST) if same else OTHERWISE
                compare(what, heft, dump, base, build(root, folder + "/" + what, compiler, flags, seed), *limits)
            same_in_another_folder(heft, root, folder)
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(failed > 0 or passed == 0)


if __name__ == "__main__":
    main()
