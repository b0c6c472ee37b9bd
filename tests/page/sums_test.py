#!/usr/bin/env python3
"""What the page of `heft report` shows equals heft's own rows: every input by every view and every filter.

usage: [FULL=1] sums_test.py HEFT FIXTURES [WORD...]     FIXTURES: the folder of the recipes golden_*

A few inputs, or with FULL=1 those below /usr as well; with words only inputs that have one in their name.  An input that is not here is left out and
told; a comparison is one input by one view and one filter.  Each processor has a browser of its own.  Exit status 77 where there is no chromium.
"""
import collections
import functools
import glob
import json
import multiprocessing
import multiprocessing.util
import os
import re
import subprocess
import sys
import tempfile
import time

import browser as devtools
import page_test as page

COUNT = collections.Counter()
FAILURES = []
LEFT_OUT = []

# Kinds of sections by the page's own rules, of which the first that fits counts; page_test.py holds these against names.
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "src", "page", "filter.js")
KINDS = [(re.compile(rule, re.I if flag else 0), int(kind))
         for rule, flag, kind in re.findall(r"^\t\[/(.+)/(i?), (\d)\],$", open(SOURCE, encoding="utf-8").read(), re.M)]
assert len(KINDS) > 5

# heft applies these itself; none is in the name of a segment, which its filters see as well.
ASKED = [{}, {"with": "^\\.(text|data)", "regex": True}, {"with": "main|free", "regex": True}, {"without": "[0-9]$", "regex": True},
         {"with": "nothing that is there"}, {"with": "pr", "without": "z"}, {"with": "sym"}, {"without": "tab"}]
# These are applied here, to its rows.
COUNTED = [{"with": "t"}, {"without": "e"}, {"with": "T"}, {"with": "r", "without": "z"}, {"with": "[^a-z.]$", "regex": True},
           {"with": "t", "in": 0}, {"with": "a", "in": 3}, {"without": "s", "in": 1}, {"with": "^s", "regex": True, "in": 2}, {"kind": 0},
           {"least": 100}, {"with": "e", "least": 1000}]
LEVELS = ["sections", "compileunits", "packages", "namespaces", "symbols"]
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


# What is below each path; a view of two columns has the four largest rows opened.
SHOWN = """(views => views.map(({ by, filter, paths }) => {
    Object.assign(heftPage.state, { by, filter, zoom: [], m: 0 });
    heftPage.update(false);
    const rows = path => heftPage.rows(path).map(r => [r.label, r.now, r.base || []]);
    const tops = rows([]);
    if (by.length > 1)
        paths = [...tops].sort((a, b) => b[1][0] - a[1][0]).slice(0, 4).map(r => [r[0]]);
    return [tops, paths.map(path => [path[0], rows(path)])];
}))"""


def shown(b, views, f, paths=()):
    """Of each view its rows, label to numbers of now and of the base, and those below some rows."""
    full = {"with": "", "without": "", "in": "", "regex": False, "kind": "", "least": 0, **f}
    wanted = [{"by": by, "filter": full, "paths": paths} for by in views]
    got = b.run(f"{SHOWN}({json.dumps(wanted)})")
    numbers = lambda rows: {label: rounded(now + base) for label, now, base in rows}
    return [(numbers(tops), {top: numbers(rows) for top, rows in opened}) for tops, opened in got]


# ---- filters, as the page means them -------------------------------------------------------------

@functools.lru_cache(maxsize=1000)
def pattern(text, regex):
    return re.compile(text if regex else re.escape(text), 0 if regex or any(c.isupper() for c in text) else re.I)


@functools.lru_cache(maxsize=100000)
def kind_of(section):
    name = re.sub(r"^__(?!DWARF)\w+,", "", section)
    return next((kind for rule, kind in KINDS if rule.search(name)), 8)


def passes(f, labels, numbers, section):
    """labels: those of all columns; numbers: of the measure that is chosen, now and before."""
    searched = [labels[f["in"]]] if "in" in f else labels
    regex = f.get("regex", False)
    return not (("with" in f and not any(map(pattern(f["with"], regex).search, searched)))
                or ("without" in f and any(map(pattern(f["without"], regex).search, searched)))
                or ("kind" in f and kind_of(section) != f["kind"]) or max(numbers) < f.get("least", 0))


def add(sums, label, numbers):
    old = sums.get(label)
    sums[label] = [a + b for a, b in zip(old, numbers)] if old else list(numbers)


# ---- views ---------------------------------------------------------------------------------------

def first_part(label, rows, separator):
    """The row of the page that a label is below."""
    if label in rows or not separator:
        return label or "[none]"
    return next((r for r in rows if label.startswith(r if r == "/" else r + separator)), label or "[none]")


def summed(keyed):
    """Pairs of a key and numbers, added up."""
    sums = {}
    for key, numbers in keyed:
        add(sums, key, numbers)
    return {k: rounded(v) for k, v in sums.items()}


def says_again(top, rows):
    """A row that says again what the one above says has no row of its own."""
    return list(rows) in ([top], [f"[section {top}]"])


def compare_view(what, by, got, lines, splits, drop=()):
    """lines: labels of all columns, numbers."""
    tops, opened = got
    tops = {k: v for k, v in tops.items() if k not in drop}
    first, separator = by[0], splits.get(by[0])
    part = {labels[first]: None for labels, _ in lines}
    part = {label: first_part(label, tops, separator) for label in part}
    compare(what, tops, summed((part[labels[first]], numbers) for labels, numbers in lines))
    if len(by) == 1 or separator or splits.get(by[1]):
        return
    below = {top: {} for top in opened}
    for labels, numbers in lines:
        if labels[first] in below:
            add(below[labels[first]], labels[by[1]] or "[none]", numbers)
    below = {top: {k: rounded(v) for k, v in rows.items()} for top, rows in below.items()}
    for top, rows in below.items():
        if says_again(top, rows) and not opened[top]:
            rows.clear()
    compare(what + " below", opened, below)


def check_views(b, name, views, f, lines_of_view, splits, drop=()):
    for by, got in zip(views, shown(b, [[f"c{i}" for i in by] for by in views], f)):
        compare_view(f"{name}: {by} {f}", by, got, lines_of_view(by), splits, drop)


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
    rows = []
    for first in top["children"]:
        for second in first["children"] or [first]:
            labels = [None] * len(LEVELS)
            labels[levels[1]], labels[levels[0]] = second["label"], first["label"]
            rows.append((labels, [second["file"], second["vm"]]))
    return rows


# One column is the first of two: heft is asked once for both.
ASKED_AS = {(0,): (0, 3), (1,): (1,), (2,): (2,), (3,): (3, 0), (0, 3): (0, 3), (3, 0): (3, 0)}


def check_asked(b, name, views, f, words):
    rows = {by: rows_asked(by, f, words) for by in {ASKED_AS[tuple(by)] for by in views}}
    check_views(b, name, views, f, lambda by: rows[ASKED_AS[tuple(by)]], SPLITS)


def views_offered(b, name, lines):
    """What has one label is nothing to group by."""
    offered = b.run("heftPage.view.tab.specs.map(s => s.id)")
    for i, level in enumerate(LEVELS):
        if f"c{i}" not in offered:
            compare(f"{name}: {level} has one label", {}, dict(collections.Counter(line[0][i] for line in lines).most_common()[1:]))
    return [by for by in VIEWS if all(f"c{i}" in offered for i in by)]


def check_program(b, work, name, words):
    page.heft("report", *words, "-o", work + "/page.html")
    b.open(work + "/page.html")
    everything, top = lines_of(words), page.rows_of("size", *words)
    compare(f"{name}: the map adds up", dict(enumerate(map(sum, zip(*(line[1] for line in everything))))), {0: top["file"], 1: top["vm"]})
    views = views_offered(b, name, everything)
    for f in ASKED:
        check_asked(b, name, views, f, words)
    for f in COUNTED:
        mine = [line for line in everything if passes(f, line[0], line[1][:1], line[0][0])]
        check_views(b, name, views, f, lambda _: mine, SPLITS)


TWINS = """SELECT full_name FROM (SELECT count(*) OVER (PARTITION BY own, contents) copies, full_name FROM symbols
    WHERE alias_group = id AND contents NOT NULL AND kind IN ('code', 'data')) WHERE copies > 1"""


def check_duplicated(b, work, name, words):
    """What is there twice, by the contents that heft query has."""
    page.heft("report", "-C", "full", "-d", "sections,symbols", *words, "-o", work + "/page.html")
    b.open(work + "/page.html")
    names = [row["full_name"] for row in json.loads(page.heft("query", *words, TWINS, "--json"))]
    flags = b.run("[...document.querySelectorAll('#flag option')].map(o => o.value)")
    got = shown(b, [["c1"]], {"flag": "duplicated"})[0][0] if "duplicated" in flags else {}
    compare(f"{name}: duplicated", dict.fromkeys(got, 1), dict.fromkeys(names, 1))


def lines_of_both(words):
    both = {tuple(labels): numbers + [0, 0] for labels, numbers in lines_of(words[:words.index("--")])}
    for labels, numbers in lines_of(words[words.index("--") + 1:]):
        both.setdefault(tuple(labels), [0] * 4)[2:] = numbers
    return [(list(labels), numbers) for labels, numbers in both.items()]


def check_change(b, work, name, words):
    """heft leaves out what did not change, the page does not."""
    page.heft("report", *words, "-o", work + "/page.html")
    b.open(work + "/page.html")
    everything = lines_of_both(words)
    views = views_offered(b, name, everything)
    for f in ASKED:
        rows = page.rows_of("size", "-d", "sections", *page.filter_words(f), *words)["children"]
        wanted = {r["label"]: rounded([r["file"], r["vm"], r["base_file"], r["base_vm"]]) for r in rows}
        got = shown(b, [["c0"]], {**f, "in": 0} if f else f)[0][0]
        compare(f"{name}: [0] asked {f}", {k: v for k, v in got.items() if v[:2] != v[2:]}, wanted)
    for f in ASKED + COUNTED:
        mine = [line for line in everything if passes(f, line[0], line[1][::2], line[0][0])]
        check_views(b, name, views, f, lambda _: mine, SPLITS)
    b.run("document.getElementById('tab1').click()")
    check_symbols(b, f"{name}: symbols", [words[2], words[0]])


# ---- lists of symbols ----------------------------------------------------------------------------

SIZE_FILTERS = [f for f in ASKED + COUNTED if f.get("in") != 3] + [{"with": "src", "in": 2}]


# A file keeps what is overhead as padding of symbols without bytes; rows have it as their own bytes.
OWN = """select full_name, section, path, component, iif(full_name glob 'Overhead: *', padded_pss, own_pss) as own,
    iif(full_name glob 'Overhead: *', 0, padding_pss) as padding from symbols"""


def check_list(b, work, name, words):
    page.heft("report", *words, "-o", work + "/page.html")
    b.open(work + "/page.html")
    rows = json.loads(page.heft("query", words[0], OWN, "--json"))
    lines = [([r["full_name"], r["section"], r["path"], r["component"]], [r["own"] + r["padding"], r["own"], r["padding"]]) for r in rows]
    for f in SIZE_FILTERS:
        mine = [line for line in lines if passes(f, line[0], line[1][:1], line[0][1])]
        check_views(b, name, [[0], [1], [2], [1, 0], [0, 1]], f, lambda _: mine, {2: "/"})


def check_list_change(b, work, name, words):
    page.heft("report", *words, "-o", work + "/page.html")
    b.open(work + "/page.html")
    check_symbols(b, name, [words[0]] if words[0].endswith(".sizediff") else [words[2], words[0]])


def check_symbols(b, name, compared):
    """The tab that is shown has what heft diff says."""
    total = json.loads(page.heft("diff", *compared, "-n0", "--json"))["total"]
    measures = [n for n in ("charged", "vm", "padded", "own", "padding") if n in total]
    names = measures + ["base_" + n for n in measures]
    lines = [([r["label"], *(r.get(n, "") for n in ("in_section", "path", "in_component", "in_container", "was"))], [r[n] for n in names])
             for r in total["children"]]
    for f in SIZE_FILTERS:
        if "without" not in f:
            mine = [line for line in lines if passes(f, line[0], line[1][::len(measures)], line[0][1])]
            check_views(b, name, [[0]], f, lambda _: mine, {}, drop=["[unchanged]"])


# ---- heaps ---------------------------------------------------------------------------------------

HEAP_VIEWS = {"down": "tree", "up": "callers", "c1": "module"}


def heap_numbers(row):
    return rounded([row[prefix + m] for prefix in ("", "base_") for m in page.HEAP if prefix + m in row])


def heap_rows(by, text, words):
    command = ["diff", *words[2:], words[0]] if "--" in words else ["show", *words]
    option = [f"--function={text}"] if text else []
    frames = ["--all-frames", "--helpers=^$"] if by in ("tree", "callers") else []
    return page.rows_of("heap", *command, *frames, f"--by={by}", *option)["children"]


def check_heap_view(b, name, view, text, words):
    rows = heap_rows(HEAP_VIEWS[view], text, words)
    largest = sorted(rows, key=lambda r: -r["live_bytes"])[:3] if view in ("down", "up") else []
    f = {"with": text, "in": 0, "regex": True} if text else {}
    tops, opened = shown(b, [[view]], f, [[r["label"]] for r in largest])[0]
    wanted = {"": {r["label"]: heap_numbers(r) for r in rows}}
    wanted.update({r["label"]: {c["label"]: heap_numbers(c) for c in r["children"]} for r in largest})
    got = {"": tops, **opened}
    for level in got.values():
        level.pop("[itself]", None)
    if view == "c1":  # heft has their names, the page their paths
        got[""] = summed((os.path.basename(k), v) for k, v in tops.items())
    changed = {top: {k: v for k, v in level.items() if "--" not in words or v[:len(v) // 2] != v[len(v) // 2:]} for top, level in got.items()}
    compare(f"{name}: {view} {text}", changed, wanted)


def check_heap(b, work, name, words):
    page.heft("report", *words, "-o", work + "/page.html")
    b.open(work + "/page.html")
    functions = sorted({r["label"] for r in heap_rows("function", "", words)})
    offered = b.run("heftPage.view.tab.specs.map(s => s.id)")
    for text in ["", "nothing that is there", "^main$", "fill", "_start"] + [re.escape(f) for f in functions[:15]]:
        for view in HEAP_VIEWS:
            if view in offered:
                check_heap_view(b, name, view, text, words)


# ---- what ran ------------------------------------------------------------------------------------

def check_samples(b, work, name, words):
    page.heft("report", *words, "-o", work + "/page.html")
    b.open(work + "/page.html")
    b.run("document.getElementById('tab1').click()")
    lines = []
    for line in page.heft("blocks", "profile", "-C", "short", "-n0", "--json", *words).decode().splitlines():
        function = json.loads(line)
        for block in function["blocks"]:
            labels = [function["function"], f"#{block['id']}", function["linkage_name"], "", block["hotness"]]
            if block["count"] > 0:
                lines.append((labels, [block["count"], block["fall_through"], block["size"]]))
    for f in [{**f, "in": i} for i in (0, 1, 4) for f in ASKED + COUNTED if "in" not in f and "kind" not in f]:
        mine = [line for line in lines if passes(f, line[0], line[1][:1], "")]
        check_views(b, name, [[0], [1], [4], [0, 1], [4, 0]], f, lambda _: mine, {})


# ---- inputs --------------------------------------------------------------------------------------

def build(work):
    """Programs, maps, lists, a recording, made here."""
    with open("own.c", "w") as f:
        f.write("#include <stdlib.h>\nstatic int table[500] = {1};\nvoid *keep[9];\n"
                "static void *grow(int n) { return malloc(n * 100); }\nstatic void fill(int n) { keep[n] = grow(n); keep[n + 1] = malloc(70); }\n"
                "int main(int n, char **v) { for (int i = 1; i < 5; i++) fill(i); return table[n] == 7 && v; }\n")
    with open("twins.s", "w") as f:
        f.write(page.TWINS)
    for words in (["cc", "-nostdlib", "-shared", "twins.s", "-o", "twins.so"], ["cc", "-g", "-O1", "own.c", "-o", "own", "-Wl,-Map=own.map"], ["cc", "-O0", "own.c", "-o", "own-o0"],
                  ["cc", "-g", "-c", "own.c", "-o", "own.o"], ["ar", "rcs", "libown.a", "own.o"],
                  [page.HEFT, "diff", "old.size", "new.size", "--save", "own.sizediff"],
                  [page.HEFT, "snapshot", "own", "-o", "own.size"],
                  [page.HEFT, "heap", "run", "-o", "own.heap", "--", "./own"]):
        if subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode > 1:
            print(f"not made: {' '.join(words)}")
    for recording in glob.glob("own.heap.*"):
        os.rename(recording, "own.heap")


SHORT = [(check_program, ["tiny"]), (check_program, ["sources"]), (check_program, ["window.dll"]), (check_program, ["module.wasm"]),
         (check_program, ["machine"]), (check_program, ["own"]), (check_program, ["own.map"]), (check_change, ["own", "--", "own-o0"]), (check_duplicated, ["own-o0"]),
         (check_list, ["new.size"]), (check_list_change, ["new.size", "--", "old.size"]), (check_list_change, ["own.sizediff"]),
         (check_heap, ["heap.core"]), (check_heap, ["own.heap"]), (check_heap, ["heap-later.core", "--", "heap.core"]),
         (check_samples, ["--perf=mapped.data", "mapped"])]

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
    yield from [(check_duplicated, [name]) for name in ("twins.so", "tiny-grown", "sources", "/usr/lib/x86_64-linux-gnu/libz.so.1")]
    for name in USR:
        found = sorted(glob.glob(name))[:1]
        yield check_program, found or [name]


BROWSER = None


def begin():
    """A browser and a folder for this process."""
    global BROWSER
    if BROWSER is None:
        # What is drawn does not matter here: a small window.
        BROWSER = devtools.Browser(devtools.find(), 400, 300)
        multiprocessing.util.Finalize(None, BROWSER.close, exitpriority=10)
        os.mkdir(f"worker-{os.getpid()}")


def is_here(name, words):
    if not all(word.startswith("-") or os.path.exists(word) for word in words):
        LEFT_OUT.append(name + ": not here")
    elif os.path.isabs(words[0]) and subprocess.run([page.HEFT, "size", *words], capture_output=True).returncode == 2:
        LEFT_OUT.append(name + ": a script, no program")
    else:
        return True
    return False


def check_input(job):
    """Whether it was there, how many comparisons, what failed, what was left out."""
    part, words = job
    name = " ".join(words)
    for told in COUNT, FAILURES, LEFT_OUT:
        told.clear()
    here = is_here(name, words)
    if here:
        begin()
        began = time.monotonic()
        try:
            part(BROWSER, f"worker-{os.getpid()}", name, words)
        except SystemExit as end:
            FAILURES.append(f"{name}: {end}")
            print("FAILED:", FAILURES[-1])
        if BROWSER.requests or BROWSER.errors:
            FAILURES.append(f"requests {BROWSER.requests}, errors {BROWSER.errors}")
            print("FAILED:", FAILURES[-1])
        print(f"{name}: {sum(COUNT.values())} compared, {len(FAILURES)} differ, {time.monotonic() - began:.0f} s", flush=True)
    return here, sum(COUNT.values()), list(FAILURES), list(LEFT_OUT)


def check_all():
    jobs = [job for job in inputs() if not ONLY or any(word in " ".join(job[1]) for word in ONLY)]
    with multiprocessing.get_context("fork").Pool(min(4, os.cpu_count() or 1)) as pool:
        told = list(pool.imap_unordered(check_input, jobs))
        pool.close()
        pool.join()
    return told


def main():
    if not devtools.find():
        print("SKIP: no chromium (install chromium)")
        sys.exit(77)
    work = tempfile.mkdtemp()
    for recipe in glob.glob(FIXTURES + "/golden_*"):
        subprocess.run([recipe, work], check=True, env={**os.environ, "HEFT": page.HEFT})
    os.chdir(work)
    try:
        build(work)
        told = check_all()
    finally:
        subprocess.run(["rm", "-rf", work])
    for name in sum((left for _, _, _, left in told), []):
        print(f"LEFT OUT: {name}")
    done = sum(here for here, _, _, _ in told)
    failures = sum((failed for _, _, failed, _ in told), [])
    nothing = [here for here, count, _, _ in told if here and count == 0]
    print(f"{done} inputs, {sum(count for _, count, _, _ in told)} compared, {len(failures)} differ")
    sys.exit(1 if failures or nothing or done < (1 if ONLY else len(SHORT)) else 0)


if __name__ == "__main__":
    page.HEFT, FIXTURES = (os.path.abspath(p) for p in sys.argv[1:3])
    ONLY = sys.argv[3:]
    main()
