#!/usr/bin/env python3
"""Builds pairs of programs and compares what commands count: `heft size`, `heft size NEW -- OLD`, `heft diff`, `heft comment`,
`heft report`, `heft history diff`, `heft query @...` and .size files have the same sums, row by row, to the byte.
usage: tests/prop/one_accounting.py HEFT      FULL=1 in the environment: 70 pairs"""
import base64
import collections
import gzip
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HEFT = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.environ["HEFT"])
FULL = os.environ.get("FULL")

FILES = {
    "c": {
        "main.c": '#include <stdio.h>\nint grow(int); const char *word(int); int helper_of_old(int); extern int table[];\n'
                  'static int twice(int x) { return x * 2; }\nint main(int c, char **v) { (void)v; printf("%s %d\\n", word(c), twice(grow(c)) + helper_of_old(c) + table[c]); return 0; }\n',
        "lib/grow.c": "int table[100]; static int twice(int x) { return x + x; }\nint grow(int x) { int s = twice(x); for (int i = 0; i < x; i++) s += table[i] * i; return s; }\n"
                      "int helper_of_old(int x) { int s = 0; for (int i = 0; i < x; i++) s ^= (s << 3) + i * 17; return s; }\nint goes(int x) { return x ^ 77; }\n",
        "lib/word.c": 'static const char *words[] = { "nothing at all", "something else", "more than that" };\nconst char *word(int i) { return words[i % 3]; }\n',
    },
    "c++": {
        "main.cc": '#include <string>\n#include <vector>\n#include <map>\nnamespace app { int run(int); struct base { virtual int f(int); virtual ~base(); }; int helper_of_old(std::string); }\n'
                   'int main(int c, char **v) { std::vector<std::string> a(v, v + c); app::base b; return app::run(c) + b.f((int)a.size()) + app::helper_of_old(a[0]); }\n',
        "lib/run.cc": "#include <map>\n#include <string>\nnamespace app { struct base { virtual int f(int); virtual ~base(); }; int base::f(int x) { return x; } base::~base() {}\n"
                      "int table[200]; template <class T> T twice(T x) { return x + x; }\nint run(int x) { std::map<int, int> m; for (int i = 0; i < x; i++) m[i] = twice(i) + table[i]; return (int)m.size() + (int)twice(2.5); }\n"
                      "int run(long x) { return (int)x; }\nint helper_of_old(std::string s) { int n = 0; for (char c : s) n = n * 31 + c; return n; } }\n",
    },
}

# What the newer side has instead.
EDITS = {
    "grown": [("s += table[i] * i", "s += table[i] * i + (s >> 3) * table[i + 1]"), ("twice(i) + table[i]", "twice(i) + table[i] * (i - 7) + run((long)i)"),
              ("more than that", "more than that, and a new message"), ("table[100]", "table[300]"), ("table[200]", "table[900]"),
              ("int goes(int x) { return x ^ 77; }", "int comes(int x, int y) { return x ^ y * 3 - 1; }"), ("int run(long x) { return (int)x; }", "int run(long x) { return (int)x * 5; } int run(char c) { return c; }")],
    "renamed": [("helper_of_old", "helper_of_new")],
}

CFLAGS = {"plain": ["-O1"], "debug": ["-O1", "-g"], "lto": ["-O2", "-flto"], "sections": ["-O2", "-ffunction-sections", "-Wl,--gc-sections"], "static": ["-O1", "-static"]}


class Pair:
    """Two programs, and how rows of one call the same thing as rows of the other."""
    def __init__(self, work, language, compiler, flags, edit, folders, stripped, mapped):
        self.name = " ".join([compiler, flags, edit] + [w for w, on in (("folders", folders), ("stripped", stripped), ("map", mapped)) if on])
        self.dirs = [os.path.join(work, d) for d in (("old", "new") if folders else ("tree", "tree"))]
        self.sides = []
        for side, directory in zip(("old", "new"), self.dirs):
            for path, text in FILES[language].items():
                if side == "new":
                    for before, after in EDITS[edit]:
                        text = text.replace(before, after)
                os.makedirs(os.path.dirname(os.path.join(directory, path)), exist_ok=True)
                with open(os.path.join(directory, path), "w") as f:
                    f.write(text)
            out = os.path.join(work, f"{side}-program")
            objects = []
            for path in FILES[language]:
                objects.append(os.path.join(directory, path.replace("/", "_") + ".o"))
                run([compiler, *[f for f in CFLAGS[flags] if f[:4] != "-Wl,"], "-c", os.path.join(directory, path), "-o", objects[-1]])
            archive = os.path.join(directory, "libparts.a")
            run(["gcc-ar" if compiler[0] == "g" else "llvm-ar-19", "rcs", archive, *objects[1:]])
            run([compiler, *CFLAGS[flags], objects[0], archive, "-o", out] + ([f"-Wl,-Map={out}.map"] if mapped else []))
            if stripped:
                run(["strip", out])
            for path in objects + [archive]:
                os.remove(path)
            self.sides.append(out)

    def same(self, label):
        for directory in self.dirs:
            label = "." if label in (directory, os.path.basename(directory)) else label.replace(directory + "/", "")
        label = re.sub(r" \(in the base\)$", "", label)  # of a made-up name that both sides have for different things
        label = re.sub(r"\.a\((.*)\)$", r".a/\1", label)  # lists have paths of members
        label = re.sub(r"/tmp/[A-Za-z0-9_.]*\.(o|ltrans[^ ]*)$", "(temporary)", label)
        return re.sub(r"\bsub_[0-9a-f]+\b", "sub_ADDRESS", label)


def run(words, **more):
    return subprocess.run(words, check=True, capture_output=True, text=True, **more).stdout


def summed(rows):
    sums = {}
    for label, file, vm in rows:
        sum_ = sums.setdefault(label, [0, 0])
        sum_[0] += file
        sum_[1] += vm
    return {label: tuple(v) for label, v in sums.items() if any(v)}


def size_rows(pair, program, source):
    rows = json.loads(run([HEFT, "size", "-n0", "--json", "-d", source, program]))["total"]["children"]
    return [(r["label"], r["file"], r["vm"]) for r in rows]


def change(old, new, label=lambda text: text):
    return summed([(label(t), f, v) for t, f, v in new] + [(label(t), -f, -v) for t, f, v in old])


def diff_rows(pair, by, sides=None):
    rows = json.loads(run([HEFT, "diff", "-n0", "--json", "--debug", "--by", by, *(sides or pair.sides)]))["total"]["children"]
    moved = [(r["label"], r["charged"], r["vm"]) for r in rows]
    return moved + [(r["was"] if r.get("change") != "moved" and r.get("was") else r["label"], -r["base_charged"], -r["base_vm"]) for r in rows]


def grown(rows, label):
    """By how much each row changed, under the name that it has now."""
    return summed((label(r["label"]), r.get("charged", r.get("file")) - r.get("base_charged", r.get("base_file")), r["vm"] - r["base_vm"]) for r in rows)


def numbers(data):
    """Numbers of seven bits a byte, the lowest first: docs/page.md."""
    value = shift = 0
    for byte in data:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            yield value
            value = shift = 0


def page_rows(path, column):
    """{label: [file, vm]} of the first tab of a page: what changed."""
    with open(path, encoding="utf-8") as f:
        data = gzip.decompress(base64.b64decode(re.search('id="data">([^<]*)<', f.read()).group(1)))
    at = 4 + int.from_bytes(data[:4], "little")
    head = json.loads(data[4:at])

    def take(size):
        nonlocal at
        at += size
        return data[at - size : at]

    texts = take(head["text_bytes"]).decode().split("\n")
    tab, sums = head["tabs"][0], collections.defaultdict(lambda: [0, 0])
    parts = {part["name"]: [list(numbers(take(size))) for size in part["sizes"]] for part in tab["columns"] + tab["measures"]}
    labels, lines = parts[column]
    known = 0
    for line, back in enumerate(lines):
        known += back == 0
        label = texts[labels[known - 1 if back == 0 else known - back]]
        for i, measure in enumerate(("file", "vm")):
            sums[label][i] += parts[measure][0][line] - parts[measure][1][line]
    return {label: tuple(v) for label, v in sums.items()}


FAILURES = []
COUNTS = {"rows": 0, "unequal": 0}


def compare(pair, what, got, wanted):
    COUNTS["rows"] += len(got.keys() | wanted.keys())
    unequal = {k: (got.get(k), wanted.get(k)) for k in got.keys() | wanted.keys() if got.get(k) != wanted.get(k)}
    if unequal:
        COUNTS["unequal"] += len(unequal)
        FAILURES.append(f"{pair.name}: {what}: " + "; ".join(f"{k}: {g}, not {w}" for k, (g, w) in sorted(unequal.items())[:4]))


LEVELS = {"symbol": "symbols", "source": "compileunits", "object": "objects", "library": "libraries", "namespace": "namespaces", "package": "packages"}


def directory(label):
    return label if label.startswith("[") else os.path.dirname(label) or "."


def check_comment(pair):
    """The rows of the comment are those of the diff that changed most."""
    told = [line for line in run([HEFT, "comment", "--base", *pair.sides]).splitlines() if line.startswith("| ")]
    rows = [[cell.strip(" `") for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in told]
    start = max([i for i, row in enumerate(rows) if row[:4] == ["VM delta", "file delta", "file old", "file new"]], default=len(rows))
    rows = json.loads(json.dumps(rows[start + 1:]))
    diff = json.loads(run([HEFT, "diff", "-n20", "--json", *pair.sides]))["total"]
    wanted = [(r["vm"] - r["base_vm"], r["charged"] - r["base_charged"], r["base_charged"], r["charged"]) for r in diff["children"] + ([diff] if diff["children"] else [])]
    got = [tuple(int(n) for n in row[:4]) for row in rows if re.fullmatch(r"[+-]?[0-9]+", row[0])]
    compare(pair, "comment", dict(enumerate(got)), dict(enumerate(wanted)))


def check_changes(pair, work, builds):
    """Two lists side by side, whoever shows them."""
    for by, source in LEVELS.items():
        diff = json.loads(run([HEFT, "diff", "-n0", "--json", "--debug", "--by", by, *pair.sides]))["total"]["children"]
        wanted = grown(diff, pair.same)
        size = json.loads(run([HEFT, "size", "-n0", "--json", "-d", source, pair.sides[1], "--", pair.sides[0]]))["total"]["children"]
        compare(pair, f"size NEW -- OLD by {by}", grown(size, pair.same), wanted)
        page = os.path.join(work, "page.html")
        run([HEFT, "report", "-d", source, "-o", page, pair.sides[1], "--", pair.sides[0]])
        compare(pair, f"report by {by}", summed((pair.same(t), *v) for t, v in page_rows(page, source).items()), wanted)
        if builds:
            kept = json.loads(run([HEFT, "history", "diff", "--store", builds, "-n0", "--json", "--debug", "--by", by, "old", "new"]))["total"]["children"]
            wanted = grown(json.loads(run([HEFT, "diff", "-n0", "--json", "--debug", "--by", by, *lists_of(work)]))["total"]["children"], pair.same)
            compare(pair, f"history diff by {by}", grown(kept, pair.same), wanted)
    if builds:
        check_steps(pair, work, builds)


def check_steps(pair, work, builds):
    """The rows that a build changed add up to the change of the file and of the VM image, and by source to the rows of diff."""
    steps = [json.loads(line) for line in run([HEFT, "history", "export", "--store", builds, "--format=ndjson"]).splitlines()]
    steps = [s for s in steps if s["commit"] == "new"]
    total = json.loads(run([HEFT, "diff", "-n0", "--json", "--debug", *lists_of(work)]))["total"]
    grew = (total["charged"] - total["base_charged"], total["vm"] - total["base_vm"])
    compare(pair, "steps of a history", {"all": tuple(sum(s[now] - s[was] for s in steps) for was, now in (("was", "now"), ("vm_was", "vm_now")))}, {"all": grew})
    if not any(s["name"] == "[debug info]" for s in steps):
        got = summed((pair.same(s["source"]), s["now"] - s["was"], s["vm_now"] - s["vm_was"]) for s in steps)
        rows = json.loads(run([HEFT, "diff", "-n0", "--json", "--debug", "--by", "source", *lists_of(work)]))["total"]["children"]
        compare(pair, "steps by source", got, grown(rows, pair.same))


def lists_of(work):
    return [os.path.join(work, side + ".size") for side in ("old", "new")]


def history(work):
    """A store of both lists; None where heft was built without."""
    store = os.path.join(work, "builds.db")
    try:
        for side, path in zip(("old", "new"), lists_of(work)):
            run([HEFT, "history", "add", "--store", store, "--product", "p", "--commit", side, "--time", "2026-01-0" + str(1 + (side == "new")), path])
    except subprocess.CalledProcessError as error:
        if "heft-history" not in error.stderr:
            raise
        print("history diff was not compared: heft-history is missing")
        return None
    return store


def check(pair, work):
    lists = lists_of(work)
    for program, path in zip(pair.sides, lists):
        run([HEFT, "snapshot", program, "-o", path])
    for by, source in LEVELS.items():
        sides = [size_rows(pair, program, source) for program in pair.sides]
        wanted = change(*sides, pair.same)
        compare(pair, f"diff by {by}", change([], diff_rows(pair, by), pair.same), wanted)
        if by == "symbol":
            compare(pair, "diff of .size files", change([], diff_rows(pair, by, lists), pair.same), wanted)
            rows = [json.loads(run([HEFT, "query", "--json", p, "SELECT name, sum(file) file, sum(vm) vm FROM charges GROUP BY name"])) for p in lists]
            for side, asked in zip(sides, rows):
                compare(pair, "query", summed((r["name"], int(r["file"]), int(r["vm"])) for r in asked), summed(side))
        if by == "source":
            units = [[(directory(t), f, v) for t, f, v in side] for side in sides]
            compare(pair, "diff by directory", change([], diff_rows(pair, "directory"), pair.same), change(*units, pair.same))
    check_comment(pair)
    check_changes(pair, work, history(work))


def pairs():
    short = [("c", "gcc", "plain", "grown", False, False, False), ("c", "gcc", "debug", "grown", True, False, False), ("c", "gcc", "plain", "renamed", False, False, True),
             ("c", "gcc", "lto", "grown", False, False, True), ("c", "gcc", "plain", "grown", False, True, False), ("c++", "g++", "debug", "grown", True, False, False)]
    if not FULL:
        return short
    both = (False, True)
    every = [(language, compiler, *rest) for language, compilers in (("c", ["gcc", "clang-19"]), ("c++", ["g++", "clang++-19"])) for compiler in compilers
             for rest in itertools.product(CFLAGS, EDITS, both, both, both)
             if not (rest[0] == "static" and language == "c++") and not (rest[2] and rest[3]) and not (compiler[0] == "c" and rest[0] == "lto")]
    return short + every[::3]


def main():
    done = 0
    for spec in pairs():
        if not shutil.which(spec[1]):
            print(f"skipped: {spec[1]} is missing")
            continue
        with tempfile.TemporaryDirectory() as work:
            check(Pair(os.path.realpath(work), *spec), work)
        done += 1
        if FULL:
            print(f"{done}: {' '.join(map(str, spec))}: {COUNTS['rows']} rows, {COUNTS['unequal']} unequal", flush=True)
    for failure in FAILURES:
        print("FAILED:", failure)
    print(f"{done} pairs, {COUNTS['rows']} rows compared, {COUNTS['unequal']} unequal")
    sys.exit(bool(FAILURES) or done == 0 or COUNTS["rows"] < 100 * done)


main()
