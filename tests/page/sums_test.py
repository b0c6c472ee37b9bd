#!/usr/bin/env python3
"""What the page of `heft report` shows equals heft's own rows: every input by every view and every filter.

usage: [FULL=1] sums_test.py HEFT FIXTURES [WORD...]     FIXTURES: the folder of the recipes golden_*

A few inputs, or with FULL=1 those below /usr as well; with words only inputs that have one in their name.  An input that is not here is left out and
told; a comparison is one input by one view and one filter.  Exit status 77 where there is no chromium.
"""
import collections
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

import browser as devtools
import page_test as page

COUNT = collections.Counter()
FAILURES = []
LEFT_OUT = []

# Kinds of sections, the first rule that fits: what the page calls code and debug info.
KINDS = [(r"debug|^\.gdb_index|^\.stab|^__DWARF", 7), (r"^\.(eh_frame|gcc_except|ARM\.ex|debug_frame|unwind|pdata|xdata)", 4),
         (r"^\.(rela?|relr)\b|^\.(got|plt)", 5),
         (r"^\.(symtab|strtab|dynsym|dynstr|shstrtab|gnu\.(hash|version)|hash|gnu_hash)|^\.dynamic", 6),
         (r"^\.t?bss|bss$|^COMMON", 3), (r"^\.(rodata|data\.rel\.ro|init_array|fini_array|note|interp|const)|^\.rdata", 1),
         (r"^\.t?data|^\.sdata|^\.tm_clone", 2), (r"^\.(text|init|fini)|^__text", 0)]

# heft applies these itself; none is in the name of a segment, which its filters see as well.
ASKED = [{}, {"with": "^\\.(text|data)", "regex": True}, {"with": "main|free", "regex": True}, {"without": "[0-9]$", "regex": True},
         {"with": "nothing that is there"}, {"with": "pr", "without": "z"}, {"with": "sym"}, {"without": "tab"}]
# These are applied here, to its rows.
COUNTED = [{"with": "t"}, {"without": "e"}, {"with": "T"}, {"with": "r", "without": "z"}, {"with": "[^a-z.]$", "regex": True},
           {"with": "t", "in": 0}, {"with": "a", "in": 3}, {"without": "s", "in": 1}, {"with": "^s", "regex": True, "in": 2}, {"kind": 0},
           {"least": 100}, {"with": "e", "least": 1000}]
LEVELS = ["sections", "compileunits", "namespaces", "symbols"]
SPLITS = {1: "/", 2: "::"}
VIEWS = [[0], [1], [2], [3], [0, 3], [3, 0]]


def compare(what, got, wanted):
    COUNT[what.split(":")[0]] += 1
    if got != wanted:
        FAILURES.append(what)
        odd = [k for k in {**got, **wanted} if got.get(k) != wanted.get(k)][:3]
        print(f"FAILED: {what}\n  page: {[(k, got.get(k)) for k in odd]}\n  heft: {[(k, wanted.get(k)) for k in odd]}")


def rounded(numbers):
    return [round(n, 2) + 0.0 for n in numbers]


def shown(b, by, f, paths=((),)):
    """Of each path what is below it on the page: label to numbers, of now and of the base."""
    state = {"by": by, "zoom": [], "filter": {"with": "", "without": "", "in": "", "regex": False, "kind": "", "least": 0, **f}}
    lists = b.run(f"Object.assign(heftPage.state, {json.dumps(state)}); heftPage.update(false);"
                  f"{json.dumps(paths)}.map(path => heftPage.rows(path))")
    return [{r["label"]: rounded(r["now"] + (r["base"] or [])) for r in rows} for rows in lists]


# ---- filters, as the page means them -------------------------------------------------------------

def pattern(f, key):
    text = f[key] if f.get("regex") else re.escape(f[key])
    return re.compile(text, 0 if f.get("regex") or any(c.isupper() for c in f[key]) else re.I)


def kind_of(section):
    return next((kind for rule, kind in KINDS if re.search(rule, section)), 8)


def passes(f, labels, numbers, section):
    """labels: those of all columns; numbers: of the measure that is chosen, now and before."""
    searched = [labels[f["in"]]] if "in" in f else labels
    return not (("with" in f and not any(pattern(f, "with").search(s) for s in searched))
                or ("without" in f and any(pattern(f, "without").search(s) for s in searched))
                or ("kind" in f and kind_of(section) != f["kind"]) or max(numbers) < f.get("least", 0))


def add(sums, label, numbers):
    old = sums.get(label)
    sums[label] = [a + b for a, b in zip(old, numbers)] if old else list(numbers)


# ---- programs of any format, archives, maps ------------------------------------------------------

NOTHING_MAPPED = "[-- Nothing mapped --]"


def lines_of(words):
    """The parts of both maps: labels of all levels, bytes in the file and in the image.

    Not the rows of all levels: those end at a row whose only child has the label that it has."""
    sums, side = {}, None
    for line in page.heft("size", "--raw-map", "-d", ",".join(LEVELS), *words).decode().splitlines():
        side = {"FILE MAP:": 0, "VM MAP:": 1}.get(line, side)
        part = re.match(r"[0-9a-f]+-[0-9a-f]+\t *(\d+)\t\t(.*)$", line)
        if part and part[2] != NOTHING_MAPPED:
            sums.setdefault(tuple(part[2].split("\t")), [0, 0])[side] += int(part[1])
    return [(list(labels), numbers) for labels, numbers in sums.items()]


def rows_asked(by, f, words):
    """Rows that heft filtered, by the first two of all levels, the ones of the view first: [labels, numbers]."""
    levels = [*by, *(i for i in range(len(LEVELS)) if i not in by)]
    top = page.rows_of("size", "-d", ",".join(LEVELS[i] for i in levels), *page.filter_words(f), *words)
    for first in top["children"]:
        for second in first["children"] or [first]:
            labels = [None] * len(LEVELS)
            labels[levels[1]], labels[levels[0]] = second["label"], first["label"]
            yield labels, [second["file"], second["vm"]]


def first_part(label, rows, separator):
    """The row of the page that a label is below."""
    if label in rows or not separator:
        return label or "[none]"
    return next((r for r in rows if label.startswith(r if r == "/" else r + separator)), label or "[none]")


def check_view(b, what, by, f, lines):
    columns = [f"c{i}" for i in by]
    tops = shown(b, columns, f)[0]
    if len(by) == 1:
        wanted = {}
        for labels, numbers in lines:
            add(wanted, first_part(labels[by[0]], tops, SPLITS.get(by[0])), numbers)
        return compare(what, tops, {k: rounded(v) for k, v in wanted.items()})
    largest = sorted(tops, key=lambda k: -tops[k][0])[:4]
    got, wanted = {}, {}
    for top, rows in zip(largest, shown(b, columns, f, [[k] for k in largest])):
        got.update({(top, k): v for k, v in rows.items()})
    for labels, numbers in lines:
        if labels[by[0]] in largest:
            add(wanted, (labels[by[0]], labels[by[1]]), numbers)
    # A row that says again what the one above says has no row of its own.
    for top in largest:
        below = [k[1] for k in wanted if k[0] == top]
        if below in ([top], [f"[section {top}]"]) and not any(k[0] == top for k in got):
            wanted.pop((top, below[0]))
    return compare(what, got, {k: rounded(v) for k, v in wanted.items()})


def check_program(b, work, name, words):
    page.heft("report", *words, "-o", work + "/page.html")
    b.open(work + "/page.html")
    everything, top = lines_of(words), page.rows_of("size", *words)
    compare(f"{name}: the map adds up", dict(enumerate(map(sum, zip(*(line[1] for line in everything))))), {0: top["file"], 1: top["vm"]})
    offered = b.run("heftPage.view.tab.specs.map(s => s.id)")
    for i, level in enumerate(LEVELS):
        # What has one label is nothing to group by.
        if f"c{i}" not in offered:
            compare(f"{name}: {level} has one label", {}, dict(collections.Counter(line[0][i] for line in everything).most_common()[1:]))
    views = [by for by in VIEWS if all(f"c{i}" in offered for i in by)]
    for f in ASKED + COUNTED:
        mine = [line for line in everything if passes(f, line[0], line[1][:1], line[0][0])]
        for by in views:
            check_view(b, f"{name}: {by} {f}", by, f, list(rows_asked(by, f, words)) if f in ASKED else mine)


def check_change(b, work, name, words):
    """heft leaves out what did not change, the page does not."""
    page.heft("report", *words, "-o", work + "/page.html")
    b.open(work + "/page.html")
    for f in ASKED:
        for i, level in enumerate(LEVELS):
            rows = page.rows_of("size", "-d", level, *page.filter_words(f), *words)["children"]
            if SPLITS.get(i) or f and level != "sections":
                continue  # filters of another view see other names
            wanted = {r["label"]: rounded([r["file"], r["vm"], r["base_file"], r["base_vm"]]) for r in rows}
            got = shown(b, [f"c{i}"], {**f, "in": i} if f else f)[0]
            compare(f"{name}: [{i}] {f}", {k: v for k, v in got.items() if v[:2] != v[2:]}, wanted)


# ---- lists of symbols ----------------------------------------------------------------------------

def check_grouped(b, name, lines, columns, filters, measures, drop=()):
    """lines: labels of the columns, numbers; each column alone, and the first below the second."""
    for f in filters:
        mine = [line for line in lines if passes(f, line[0], [line[1][0]] + line[1][measures:measures + 1], line[0][1])]
        for i, separator in columns.items():
            tops = {k: v for k, v in shown(b, [f"c{i}"], f)[0].items() if k not in drop}
            wanted = {}
            for labels, numbers in mine:
                add(wanted, first_part(labels[i], tops, separator), numbers)
            compare(f"{name}: [{i}] {f}", tops, {k: rounded(v) for k, v in wanted.items()})


SIZE_FILTERS = [f for f in ASKED + COUNTED if f.get("in") != 3] + [{"with": "src", "in": 2}]


# A file keeps what is overhead as padding of symbols without bytes; rows have it as their own bytes.
OWN = """select full_name, section, path, component, iif(full_name glob 'Overhead: *', padded_pss, own_pss) as own,
    iif(full_name glob 'Overhead: *', 0, padding_pss) as padding from symbols"""


def check_list(b, work, name, words):
    page.heft("report", *words, "-o", work + "/page.html")
    b.open(work + "/page.html")
    rows = json.loads(page.heft("query", words[0], OWN, "--json"))
    lines = [([r["full_name"], r["section"], r["path"], r["component"]], [r["own"], r["padding"]]) for r in rows]
    check_grouped(b, name, lines, {0: None, 1: None, 2: "/"}, SIZE_FILTERS, 2)


def check_list_change(b, work, name, words):
    page.heft("report", *words, "-o", work + "/page.html")
    b.open(work + "/page.html")
    compared = [words[0]] if words[0].endswith(".sizediff") else [words[2], words[0]]
    total = json.loads(page.heft("diff", *compared, "-n0", "--json"))["total"]
    names = ["own", "padding", "base_own", "base_padding"]
    lines = [([r["label"], *(r.get(n, "") for n in ("in_section", "path", "in_component", "in_container", "was"))], [r[n] for n in names])
             for r in total["children"]]
    check_grouped(b, name, lines, {0: None}, [f for f in SIZE_FILTERS if "without" not in f], 2, drop=["[unchanged]"])


# ---- heaps ---------------------------------------------------------------------------------------

HEAP_VIEWS = {"down": "tree", "up": "callers"}


def check_heap(b, work, name, words):
    page.heft("report", *words, "-o", work + "/page.html")
    b.open(work + "/page.html")
    functions = sorted({r["label"] for r in page.rows_of("heap", "show", "--by=function", *words)["children"]})
    texts = ["", "nothing that is there", "^main$", "fill", "_start"] + [re.escape(f) for f in functions[:15]]
    for text in texts:
        for view, by in HEAP_VIEWS.items():
            option = [f"--function={text}"] if text else []
            rows = page.rows_of("heap", "show", "--all-frames", "--helpers=^$", f"--by={by}", *option, *words)["children"]
            largest = [[r["label"]] for r in sorted(rows, key=lambda r: -r["live_bytes"])[:3]]
            f = {"with": text, "in": 0, "regex": True} if text else {}
            got = shown(b, [view], f, [[], *largest])
            wanted = [{r["label"]: rounded([r[m] for m in page.HEAP]) for r in level} for level in
                      [rows, *[next(r for r in rows if r["label"] == path[0])["children"] for path in largest]]]
            for level in got:
                level.pop("[itself]", None)
            compare(f"{name}: {view} {text}", dict(enumerate(got)), dict(enumerate(wanted)))


# ---- inputs --------------------------------------------------------------------------------------

def build(work):
    """Programs, maps, lists, a recording, made here."""
    with open("own.c", "w") as f:
        f.write("#include <stdlib.h>\nstatic int table[500] = {1};\nvoid *keep[9];\n"
                "static void *grow(int n) { return malloc(n * 100); }\nstatic void fill(int n) { keep[n] = grow(n); keep[n + 1] = malloc(70); }\n"
                "int main(int n, char **v) { for (int i = 1; i < 5; i++) fill(i); return table[n] == 7 && v; }\n")
    for words in (["cc", "-g", "-O1", "own.c", "-o", "own", "-Wl,-Map=own.map"], ["cc", "-O0", "own.c", "-o", "own-o0"],
                  ["cc", "-g", "-c", "own.c", "-o", "own.o"], ["ar", "rcs", "libown.a", "own.o"],
                  [page.HEFT, "diff", "old.size", "new.size", "--save", "own.sizediff"],
                  [page.HEFT, "snapshot", "own", "-o", "own.size"],
                  [page.HEFT, "heap", "run", "-o", "own.heap", "--", "./own"]):
        if subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode > 1:
            print(f"not made: {' '.join(words)}")
    for recording in glob.glob("own.heap.*"):
        os.rename(recording, "own.heap")


SHORT = [(check_program, ["tiny"]), (check_program, ["sources"]), (check_program, ["window.dll"]), (check_program, ["module.wasm"]),
         (check_program, ["machine"]), (check_program, ["own"]), (check_program, ["own.map"]), (check_change, ["own", "--", "own-o0"]),
         (check_list, ["new.size"]), (check_list_change, ["new.size", "--", "old.size"]), (check_list_change, ["own.sizediff"]),
         (check_heap, ["heap.core"]), (check_heap, ["own.heap"])]

# The first file of each that is there.
USR = ["/usr/bin/ls", "/usr/bin/make", "/usr/bin/ld.bfd", "/usr/bin/tmux", "/usr/bin/git", "/usr/bin/ninja", "/usr/sbin/ldconfig",
       "/usr/bin/c++filt", "/usr/bin/openssl", "/usr/bin/curl", "/usr/lib/x86_64-linux-gnu/libz.so.1", "/usr/lib/x86_64-linux-gnu/libstdc++.so.6",
       "/usr/lib/x86_64-linux-gnu/libm.so.6", "/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2", "/usr/lib/x86_64-linux-gnu/crt1.o",
       "/usr/lib/x86_64-linux-gnu/libz.a", "/usr/lib/x86_64-linux-gnu/libpcre2-8.a", "/usr/lib/rustlib/*/lib/libpanic_unwind*.rlib",
       "/usr/lib/rustlib/*/lib/libadler2*.rlib", "/usr/x86_64-w64-mingw32/lib/zlib1.dll", "/usr/lib/gcc/x86_64-w64-mingw32/*/libatomic-1.dll",
       "/usr/lib/gcc/x86_64-w64-mingw32/*/libobjc-4.dll", "/usr/lib/systemd/boot/efi/systemd-bootx64.efi",
       "/usr/share/doc/wabt/examples/fac/fac.wasm", "/usr/lib/debug/.build-id/*/*.debug", "/usr/bin/wasm-ld*"]


def inputs():
    yield from SHORT
    if os.environ.get("FULL") != "1":
        return
    yield from [(check_program, [name]) for name in ("tiny-be", "tiny-grown", "mapped", "own-o0", "own.o", "libown.a", "unnamed.wasm",
                                                     "window.obj", "machine-fat")]
    yield from [(check_list, ["old.size"]), (check_change, ["tiny-grown", "--", "tiny"]), (check_heap, ["heap-later.core"])]
    for name in USR:
        found = sorted(glob.glob(name))[:1]
        yield check_program, found or [name]


def main():
    program = devtools.find()
    if not program:
        print("SKIP: no chromium (install chromium)")
        sys.exit(77)
    work = tempfile.mkdtemp()
    for recipe in glob.glob(FIXTURES + "/golden_*"):
        subprocess.run([recipe, work], check=True, env={**os.environ, "HEFT": page.HEFT})
    os.chdir(work)
    build(work)
    b = devtools.Browser(program)
    done = 0
    try:
        for part, words in inputs():
            name = " ".join(words)
            if ONLY and not any(word in name for word in ONLY):
                continue
            if not all(word == "--" or os.path.exists(word) for word in words):
                LEFT_OUT.append(name + ": not here")
                continue
            if os.path.isabs(words[0]) and subprocess.run([page.HEFT, "size", *words], capture_output=True).returncode == 2:
                LEFT_OUT.append(name + ": a script, no program")
                continue
            before = len(FAILURES), sum(COUNT.values())
            part(b, work, name, words)
            done += 1
            print(f"{name}: {sum(COUNT.values()) - before[1]} compared, {len(FAILURES) - before[0]} differ", flush=True)
        if b.requests or b.errors:
            FAILURES.append(f"requests {b.requests}, errors {b.errors}")
            print("FAILED:", FAILURES[-1])
    finally:
        b.close()
        subprocess.run(["rm", "-rf", work])
    for name in LEFT_OUT:
        print(f"LEFT OUT: {name}")
    print(f"{done} inputs, {sum(COUNT.values())} compared, {len(FAILURES)} differ")
    sys.exit(1 if FAILURES or done < (1 if ONLY else len(SHORT)) or min(COUNT.values()) == 0 else 0)


if __name__ == "__main__":
    page.HEFT, FIXTURES = (os.path.abspath(p) for p in sys.argv[1:3])
    ONLY = sys.argv[3:]
    main()
