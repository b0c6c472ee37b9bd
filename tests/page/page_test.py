#!/usr/bin/env python3
"""The page of `heft report` in a real browser: what it shows is what heft says, no request leaves, and names
stay text.

usage: page_test.py HEFT FIXTURES [PART]...    FIXTURES: the folder of the recipes golden_*; PART: check_keys ...

Exit status 77 where there is no chromium.
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

FAILURES = []
CHECKS = collections.Counter()


def check(what, got, wanted):
    CHECKS[what.split(":")[0]] += 1
    if got != wanted:
        FAILURES.append(what)
        print(f"FAILED: {what}\n  page: {str(got)[:600]}\n  heft: {str(wanted)[:600]}")


def heft(*words):
    done = subprocess.run([HEFT, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    if done.returncode > 1:
        sys.exit(f"heft {words}: exit status {done.returncode}")
    return done.stdout


def rows_of(*words):
    return json.loads(heft(*words, "-n0", "--json"))["total"]


def leaves(row, path=()):
    for child in row["children"]:
        if child["children"]:
            yield from leaves(child, path + (child["label"],))
        else:
            yield path + (child["label"],), child


# ---- sizes ---------------------------------------------------------------------------------------

SOURCES = ["sections", "compileunits", "packages", "namespaces", "symbols"]
SYMBOLS = f"c{SOURCES.index('symbols')}"
FILTERS = [
    {}, {"without": "t"}, {"with": "pr", "without": "z"}, {"with": "T"}, {"with": "^\\.(text|data)", "regex": True},
    {"with": "main|free", "regex": True}, {"without": "[0-9]$", "regex": True}, {"with": "nothing that is there"},
    {"with": "e"}, {"with": "."}, {"with": ".", "regex": True},
]


def filter_words(f):
    words = []
    for key, option in ("with", "--source-filter"), ("without", "--exclude-filter"):
        if key in f:
            text = f[key]
            if not f.get("regex"):
                text = "".join("\\" + c if c in ".^$*+?()[]{}|\\" else c for c in text)
                text = text if any(c.isupper() for c in text) else "(?i)" + text
            words.append(f"{option}={text}")
    return words


def page_rows(b, by, f, path=()):
    """What is below a node of the page: label to sums."""
    state = {"by": by, "filter": {"with": "", "without": "", "in": "", "regex": False, "kind": "", "flag": "", "least": 0, **f}}
    rows = b.run(f"Object.assign(heftPage.state, {json.dumps(state)}, {{ zoom: [] }}); heftPage.update(false);"
                 f"heftPage.rows({json.dumps(list(path))})")
    return {r["label"]: [r["now"], r["base"]] for r in rows}


def sums(rows, measures, diff):
    total = [[0] * len(measures), [0] * len(measures) if diff else None]
    for row in rows:
        for i, m in enumerate(measures):
            total[0][i] += row[m]
            if diff:
                total[1][i] += row["base_" + m]
    return total


def covers(label, separator, name):
    return label == name or (separator and label.startswith(name if name == "/" else name + separator))


def check_level(what, page, lines, separator, measures, diff):
    """Every label of the page has what all lines below it have in heft's own report."""
    for name, got in page.items():
        mine = [row for label, row in lines if covers(label or "[none]", separator, name)]
        check(f"{what}: {name}", got, sums(mine, measures, diff))
    everything = sums([row for _, row in lines], measures, diff)
    check(f"{what}: all", [[sum(v[k][i] for v in page.values()) for i in range(len(measures))] if everything[k] else None
                           for k in (0, 1)], everything)


SEPARATORS = {"compileunits": "/", "namespaces": "::"}


def check_profile(b, words, filters):
    for f in filters:
        lines = list(leaves(rows_of("size", "-d", ",".join(SOURCES), *filter_words(f), *words)))
        for i, source in enumerate(SOURCES):
            named = [(path[min(i, len(path) - 1)], row) for path, row in lines]
            check_level(f"{words} {source} {f}", page_rows(b, [f"c{i}"], f), named, SEPARATORS.get(source),
                        ["file", "vm"], False)
    tree = rows_of("size", "-d", "sections,symbols", *words)
    for child in tree["children"]:
        page = page_rows(b, ["c0", SYMBOLS], {}, [child["label"]])
        wanted = {c["label"]: [[c["file"], c["vm"]], None] for c in child["children"]}
        if list(wanted) not in ([child["label"]], [f"[section {child['label']}]"]):
            check(f"{words} sections,symbols: {child['label']}", page, wanted)


def became(b, words):
    """Symbols with a badge, on the page and by heft's own sizes."""
    page_rows(b, [SYMBOLS], {})
    shown = b.run("[...document.querySelectorAll('#table .rows .row')].map(r => [r.querySelector('.text').textContent, r.querySelector('.badge')?.textContent ?? ''])")
    rows = {r["label"]: "added" if r["base_file"] + r["base_vm"] == 0 else "removed" if r["file"] + r["vm"] == 0 else "" for r in rows_of("size", "-d", "symbols", *words)["children"]}
    return [[name, badge] for name, badge in shown if name in rows], [[name, rows[name]] for name, _ in shown if name in rows]


def check_changes(b, words):
    """heft leaves out what did not change, the page does not."""
    for i, source in enumerate(SOURCES):
        wanted = {r["label"]: [[r["file"], r["vm"]], [r["base_file"], r["base_vm"]]]
                  for r in rows_of("size", "-d", source, *words)["children"]}
        page = page_rows(b, [f"c{i}"], {})
        check(f"{words} {source}: changes", {k: v for k, v in page.items() if v[0] != v[1]}, wanted)
    check(f"{words}: what was added and removed", *became(b, words))
    top = rows_of("size", *words)
    check(f"{words}: the whole", b.run("[heftPage.totals('now'), heftPage.totals('base')]"),
          [[top["file"], top["vm"]], [top["base_file"], top["base_vm"]]])


def seen(b):
    """The rows that are elements of the document: name, exact numbers."""
    return b.run("[...document.querySelectorAll('#table .rows .row')].map(r => [r.querySelector('.text').textContent,"
                 "...[...r.querySelectorAll('.number')].map(n => n.title)])")


def check_seen(b, words):
    b.size(1280, 2400)
    b.run("heftPage.state.m = 0")
    page_rows(b, ["c0"], {})
    table = {row[0]: row[1:3] for row in seen(b)}
    top = rows_of("size", "-d", "sections", *words)
    check(f"seen {words}: rows", table, {
        r["label"]: [format(r["file"], ","), format(r["vm"], ",")] for r in [top, *top["children"]]})
    text = b.run("document.getElementById('sum').textContent")
    check(f"seen {words}: the sum", text.startswith(format(top["file"], ",") + " bytes"), True)
    b.size(1280, 800)


def check_sizes(b, work):
    for words, filters in [(["tiny"], FILTERS), (["sources"], FILTERS), (["tiny-be"], FILTERS), ([HEFT], FILTERS[4:8])]:
        heft("report", *words, "-o", work + "/page.html")
        b.open(work + "/page.html")
        check_profile(b, words, filters)
        check_seen(b, words)
    heft("report", "tiny-grown", "-o", work + "/page.html", "--", "tiny")
    b.open(work + "/page.html")
    check_changes(b, ["tiny-grown", "--", "tiny"])


FLAGGED = {"plain": "", "f.cold": "cold", "_ZN12_GLOBAL__N_11gEv": "anonymous namespace", "h.part.0": "clone", "_GLOBAL__sub_I_x": "startup", "lib.so.6": ""}


TWINS = """
        .macro function name, value
        .globl \\name
        .type \\name,@function
\\name:  movl $\\value, %eax
        imull $77, %eax
        ret
        .size \\name, .-\\name
        .endm
        .macro object name, section, value
        .section \\section
        .balign 8
        .globl \\name
        .type \\name,@object
\\name:  .quad \\value, 7
        .size \\name, .-\\name
        .endm
        .text
        function one, 1000
        .balign 16
        function two, 1000
        function other, 1001
        .globl again
        .type again,@function
        .set again, other
        .size again, 11
        object first, .rodata, 77
        object second, .rodata, 77
        object third, .rodata, 78
        object written, .data, 77
        object rewritten, .data, 77
"""


def check_duplicated(b, work):
    """Equal functions and equal constants have a flag, as the contents of a snapshot say; aliases and what is written to have none."""
    with open(work + "/twins.s", "w") as f:
        f.write(TWINS)
    if subprocess.run(["cc", "-nostdlib", "-shared", work + "/twins.s", "-o", "twins.so"]).returncode != 0:
        return print("LEFT OUT: duplicated: no assembler of x86-64")
    heft("report", "-d", "sections,symbols", "twins.so", "-o", work + "/page.html")
    b.open(work + "/page.html")
    asked = heft("query", "twins.so", "SELECT copies, full_name FROM (SELECT count(*) OVER (PARTITION BY own, contents) copies, full_name, kind FROM symbols WHERE alias_group = id AND contents NOT NULL AND kind IN ('code', 'data')) WHERE copies > 1", "--csv", "-n0")
    wanted = {line.split(",")[1] for line in asked.decode().splitlines()[1:]}
    check("duplicated: what contents say", wanted, {"one", "two", "first", "second"})
    check("duplicated: what the page says", set(page_rows(b, ["c1"], {"flag": "duplicated"})), wanted)


def check_flags(b, work):
    """What names and sections say of symbols is a column; a program whose symbols say nothing has none."""
    with open(work + "/flagged.s", "w") as f:
        for i, name in enumerate(FLAGGED):
            f.write(f'.text\n.globl "{name}"\n.type "{name}",@function\n"{name}": .fill {64 + i},1,0x90\n.size "{name}",{64 + i}\n')
        f.write('.section .text.unlikely,"ax",@progbits\n.globl far\n.type far,@function\nfar: .fill 200,1,0x90\n.size far,200\n')
    subprocess.run(["cc", "-c", work + "/flagged.s", "-o", work + "/flagged.o"], check=True)
    heft("report", "-d", "sections,symbols", work + "/flagged.o", "-o", work + "/page.html")
    b.open(work + "/page.html")
    column = b.run("heftPage.view.tab.columns.findIndex(c => c.name === 'flags')")
    by = [f"c{column}", "c1"]
    shown = {flag: list(page_rows(b, by, {}, (flag,))) for flag in page_rows(b, by, {})}
    for name, flag in FLAGGED.items():
        label = {"_ZN12_GLOBAL__N_11gEv": "(anonymous namespace)::g()", "_GLOBAL__sub_I_x": None}.get(name, name)
        if label and flag:
            check(f"flags: {label} is {flag}", label in shown.get(flag, []), True)
    check("flags: of a section", "far" in shown.get("cold", []), True)
    check("flags: they are no names", b.run("heftPage.state.filter.with = 'startup'; heftPage.update(false); heftPage.totals('now')"), [0, 0])
    check("flags: one of them can be chosen", set(page_rows(b, ["c1"], {"flag": "cold"})), set(shown["cold"]))
    check("flags: plain has none", any("plain" in labels for flag, labels in shown.items() if flag != "[none]"), False)
    os.makedirs("out/Release/gen", exist_ok=True)
    for name in "out/Release/gen/made", "written":
        with open(name + ".c", "w") as f:
            f.write(f"int {os.path.basename(name)}(int n) {{ return n + 1; }}\n")
    subprocess.run(["cc", "-g", "-shared", "-fPIC", "out/Release/gen/made.c", "written.c", "-o", "generated.so"], check=True)
    heft("report", "-d", "compileunits,symbols", "generated.so", "-o", work + "/page.html")
    b.open(work + "/page.html")
    column = b.run("heftPage.view.tab.columns.findIndex(c => c.name === 'flags')")
    made = page_rows(b, ["c1"], {"with": "generated", "in": column})
    check("flags: what is generated", ("made" in made, "written" in made), (True, False))
    heft("report", "-d", "sections,symbols", "tiny", "-o", work + "/page.html")
    b.open(work + "/page.html")
    check("flags: no column where there are none", b.run("heftPage.view.tab.columns.length"), 2)


KINDS = {
    "code": [".text.hot", "__TEXT,__text", ".init", ".init.text", ".itcm", ".ramfunc", ".iram0.text", "Code"],
    "constants": [".rodata.str1.8", "__TEXT,__const", "__TEXT,__cstring", ".rdata", ".data.rel.ro", ".isr_vector", ".init_array", ".rsrc", "__typelink", "__bug_table", ".modinfo"],
    "data": [".data", "__DATA,__data", ".init.data", ".ccmram", ".tdata", ".noptrdata", ".dram0.data", "Data"],
    "zeroed data": [".bss", "__DATA,__bss", "__DATA,__common", ".noinit", "._user_heap_stack", ".noptrbss"],
    "unwinding": [".eh_frame", "__TEXT,__unwind_info", ".pdata", ".ARM.exidx", ".orc_unwind"],
    "relocations": [".rela.dyn", "__TEXT,__stubs", "__DATA_CONST,__got", ".reloc", ".plt.sec", "Rebase Info"],
    "symbols": [".gopclntab", "__TEXT,__gopclntab", "String Table", "Export Info", ".edata", "__ksymtab"],
    "debug info": [".zdebug_line", "__DWARF,__debug_info", ".BTF"],
    "other": ["__mystery", "Code Signature", ".qtmetadata"],
}


def check_kinds(b, work):
    """Sections have the colour of what they hold, by the names of all formats."""
    names = [name for kind in KINDS.values() for name in kind]
    with open(work + "/kinds.s", "w") as f:
        f.writelines(f'.section "{name}","a",@progbits\n.skip 16\n' for name in names)
    subprocess.run(["cc", "-Wa,--no-warn", "-c", work + "/kinds.s", "-o", work + "/kinds.o"], check=True)
    heft("report", "-d", "sections", work + "/kinds.o", "-o", work + "/page.html")
    b.open(work + "/page.html")
    for i, (kind, wanted) in enumerate(KINDS.items()):
        shown = page_rows(b, ["c0"], {"kind": str(i)})
        check(f"kinds: {kind}", sorted(set(shown) & set(names)), sorted(wanted))
    with open("small.c", "w") as f:
        f.write("int f(void) { return 1; }")
    subprocess.run(["cc", "-c", "-O1", "-fasynchronous-unwind-tables", "small.c"], check=True)
    heft("report", "-d", "sections,symbols", "small.o", "-o", work + "/page.html")
    b.open(work + "/page.html")
    kinds = [b.run(f"Object.assign(heftPage.state, {{ by: ['c1'], m: {m} }}); heftPage.update(false); [heftPage.view.tree.find(['f']).kind, [...document.querySelectorAll('#legend span')].some(s => s.textContent === 'symbols')]") for m in (0, 1)]
    check("kinds: of the bytes that are shown, in boxes and the legend", kinds, [[8, True], [4, False]])


INFERRED = r"""
static int table[1000] = { 1 };
int main(int c, char **v) { (void)v; return table[c]; }
"""


def check_inferred(b, work):
    """Of a stripped program the leaves whose owner is inferred are hatched, and a legend says so."""
    with open(work + "/inferred.c", "w") as f:
        f.write(INFERRED)
    subprocess.run(["cc", "-O1", work + "/inferred.c", "-o", "inferred"], check=True)
    for strip in [], ["-s"]:
        subprocess.run(["strip", *strip, "inferred", "-o", "shown"] if strip else ["cp", "inferred", "shown"], check=True)
        heft("report", "-d", "sections,symbols", "shown", "-o", work + "/page.html")
        b.open(work + "/page.html")
        hatched = b.run("""(Object.assign(heftPage.state, { by: ['c0', 'c1'], picture: 'map' }), heftPage.update(false),
            heftPage.hatched().map(b => b.node.above().map(n => n.label).filter(l => l !== 'TOTAL')).map(p => [p[0], p.at(-1)]))""")
        rows = [([*path, path[0]][:2], row) for path, row in leaves(rows_of("size", "-d", "sections,symbols", "--how-sure", "shown"))]
        wanted = {tuple(path) for path, row in rows if 2 * row["inferred"] > row["vm"]}
        # A section with one symbol is one box, with the section's name.
        pairs = {(section, symbol) for section, symbol in hatched if section != symbol}
        check(f"inferred: hatched {strip}", len(pairs) > 2 and pairs <= wanted, True)
        check(f"inferred: the table {strip}", any(section == ".rodata" for section, _ in pairs), bool(strip))
        check(f"inferred: legend {strip}", "owner inferred" in b.run("document.getElementById('legend').textContent"), bool(wanted))


# ---- lists of symbols, heaps -----------------------------------------------------------------------

INLINED = """
static inline __attribute__((always_inline)) int square(int x) { return x * x + 3; }
static inline __attribute__((always_inline)) int two(int x) { return square(x) + square(x + 1); }
int caller(int a, int b) { return two(a) * square(b); }
int alone(int a) { return a * 77; }
"""


def check_inlined(b, work):
    """Bytes that inlined calls put into a function have a flag, where the rows tell inlined calls."""
    with open(work + "/inlined.c", "w") as f:
        f.write(INLINED)
    subprocess.run(["cc", "-O2", "-g", "-c", work + "/inlined.c", "-o", "inlined.o"], check=True)
    words = "-d", "inlinestacks,symbols", "inlined.o"
    heft("report", *words, "-o", work + "/page.html")
    b.open(work + "/page.html")
    wanted = {r["label"]: [r["file"], r["vm"]] for r in rows_of("size", *words)["children"] if ";" in r["label"]}
    check("inlined: calls that were", {"caller;square", "caller;two;square"} <= set(wanted), True)
    lines = b.run("(heftPage.state.filter.flag = 'inlined', heftPage.update(false), heftPage.totals('now'))")
    check("inlined: the bytes", lines, [sum(n) for n in zip(*wanted.values())])
    check("inlined: the functions", set(page_rows(b, ["c1"], {"flag": "inlined"})), {"caller"})


def check_lists(b, work):
    heft("report", "new.size", "-o", work + "/page.html", "--", "old.size")
    b.open(work + "/page.html")
    table = json.loads(heft("diff", "old.size", "new.size", "-n0", "--json"))
    top = table["total"]
    got = b.run("[heftPage.view.tree.top.now(0), heftPage.view.tree.top.base(0), heftPage.view.tree.top.now(1)]")
    check("diff: top", [round(v, 3) for v in got], [round(top[k], 3) for k in ("padded", "base_padded", "own")])
    page = page_rows(b, ["c0"], {})
    page.pop("[unchanged]", None)
    check_level("diff: symbols", {k: [[round(v, 2) for v in side] for side in n] for k, n in page.items()},
                [(r["label"], {k: round(r[k], 2) for k in ("padded", "own", "padding", "base_padded", "base_own", "base_padding")})
                 for r in top["children"]], None, ["padded", "own", "padding"], True)


MATCHED = {"old": ["mover", "namer_that_goes", "stays"], "new": ["stays", "namer_that_comes", "mover"]}


def check_matched(b, work):
    """A difference of two programs has a tab of their symbols, with what heft diff says became of each."""
    for side, names in MATCHED.items():
        objects = []
        for name in names:
            source = f"{work}/{side}_{name}.s" if name == "mover" else f"{work}/{name.split('_')[0]}.s"
            with open(source, "w") as f:
                code = {"mover": "xorl %eax, %eax\nret\n", "stays": "ret\n"}.get(name, "movl $1234567, %eax\nimull $77, %eax\nret\n" * 8)
                f.write(f".section .text.{name},\"ax\"\n.globl {name}\n.type {name},@function\n{name}:\n{code}.size {name}, .-{name}\n")
            objects.append(f"{work}/{side}-{name}.o")
            subprocess.run(["cc", "-g", "-c", source, "-o", objects[-1]], check=True)
        subprocess.run(["cc", "-r", "-nostdlib", *objects, "-o", f"matched-{side}.o"], check=True)
    heft("report", "matched-new.o", "-o", work + "/page.html", "--", "matched-old.o")
    b.open(work + "/page.html")
    tabs = b.run("heftPage.view.book.tabs.map(t => [t.title, t.kind])")
    check("matched: the tabs", tabs, [["matched-new.o", "sizes"], ["matched-new.o: symbols", "symbols"]])
    b.run("document.getElementById('tab1').click()")
    rows = page_rows(b, ["c0"], {})
    table = json.loads(heft("diff", "matched-old.o", "matched-new.o", "-n0", "--json"))["total"]["children"]
    table = [r for r in table if not r["label"].startswith("[")]  # rows of the page have both sides
    wanted = {r["label"]: "" if r["change"] == "changed" else r["change"] for r in table}
    check("matched: something was renamed and moved", {"renamed", "moved"} <= set(wanted.values()), True)
    badges = b.run("Object.fromEntries([...document.querySelectorAll('#table .rows .row')].map(r => [r.querySelector('.text').textContent, r.querySelector('.badge')?.textContent ?? '']))")
    check("matched: what became of them", {k: badges.get(k) for k in wanted}, wanted)
    check("matched: both sizes", {k: [[round(v, 2) for v in side] for side in rows.get(k, [])] for k in wanted},
          {r["label"]: [[r["charged"], r["vm"]], [r["base_charged"], r["base_vm"]]] for r in table})
    for words in ["matched-new.o", "tiny", "-o", work + "/page.html", "--", "matched-old.o"], ["-d", "symbols", "matched-new.o", "-o", work + "/page.html", "--", "matched-old.o"]:
        heft("report", *words)
        b.open(work + "/page.html")
        check(f"matched: no tab of symbols of {words}", b.run("heftPage.view.book.tabs.map(t => t.kind)"), ["sizes"])


STORE = "page.db"
# What the files of a history are called, and the product, configuration and branch of each.
BUILDS = [("old.size", "app", "", "main"), ("new.size", "app", "", "main"), ("old.size", "app", "", "<b>side</b>"), ("new.size", "app", "</script>", "main")]


def check_history_tab(b, what, filters, builds):
    """The charts are those of `heft history log`, and what each build changed is what `heft history diff` says."""
    words = ["--store", STORE, "--product", "app", *filters]
    log = {r["build"]: r for r in json.loads(heft("history", "log", "-n0", "--json", *words))}
    ids = sorted(log)
    built = b.run("(({ builds, series }) => ({ builds, series: Object.fromEntries(series.map(s => [s.title, [...s.values]])) }))(heftPage.view.tab.built)")
    check(f"{what}: the builds", [(build["label"], build["branch"]) for build in built["builds"]],
          [(f"#{i} {log[i]['commit']}", BUILDS[i - 1][3]) for i in ids])
    check(f"{what}: files", built["series"]["file"], [float(log[i]["file"]) for i in ids])
    text = {r["build"]: r for r in json.loads(heft("history", "log", "-n0", "--of", ".text", "--json", *words))}
    check(f"{what}: a section", built["series"][".text"], [next(v for k, v in text[i].items() if ".text" in k) for i in ids])
    tops = {r["label"]: r for r in b.run("heftPage.rows([])")}
    steps = [(build["label"], i, ids[at - build["before"]]) for at, (i, build) in enumerate(zip(ids, built["builds"])) if build["before"]]
    check(f"{what}: so many builds are compared", (sorted(tops), len(steps)), (sorted(label for label, *_ in steps), builds - 1))
    for label, now, before in steps:
        total = json.loads(heft("history", "diff", "-n0", "--json", "--store", STORE, f"#{before}", f"#{now}"))["total"]
        size = "charged" if "charged" in total else "padded"  # of lists of SuperSize
        rows = {r["label"]: [r["now"][0], r["base"][0]] for r in b.run(f"heftPage.rows([{json.dumps(label)}])")}
        rows.pop("[unchanged]", None)
        check(f"{what}: symbols of {label}", {k: [round(v, 2) for v in n] for k, n in rows.items()},
              {r["label"]: [round(r[size], 2), round(r["base_" + size], 2)] for r in total["children"]})
        check(f"{what}: the sum of {label}", [round(tops[label][side][0], 2) for side in ("now", "base")],
              [round(total[size], 2), round(total["base_" + size], 2)])


def check_history(b, work):
    """A history has a tab for each product and configuration."""
    for i, (file, product, config, branch) in enumerate(BUILDS):
        heft("history", "add", "--store", STORE, "--product", product, "--config", config, "--branch", branch, "--commit", f"c0{i}", "--time", f"2026-01-0{i + 1}", file)
    heft("history", "page", "--store", STORE, "-o", work + "/page.html")
    b.open(work + "/page.html")
    tabs = b.run("heftPage.view.book.tabs.map(t => [t.title, t.kind])")
    check("history: the tabs", tabs, [["app: history", "history"], ["app </script>: history", "history"]])
    b.run("document.getElementById('tab1').click()")
    check_history_tab(b, "history with a configuration", ["--config", "</script>"], 1)
    b.run("document.getElementById('tab0').click()")
    check_history_tab(b, "history", ["--config", ""], 3)
    b.run("(r => document.getElementById('canvas').dispatchEvent(new MouseEvent('click', { clientX: r.right - 5, clientY: r.top + 40, bubbles: true })))"
          "({ right: document.getElementById('canvas').getBoundingClientRect().left + heftPage.picture().charts[0].w, top: document.getElementById('canvas').getBoundingClientRect().top })")
    check("history: a click shows what the build changed", b.run("heftPage.view.chosen.label"), "#3 c02")
    check("history: nothing became markup", b.run("document.querySelectorAll('#app b b, #app script').length"), 0)
    heft("history", "page", "--store", STORE, "--of", "vm", "-o", work + "/page.html")
    b.open(work + "/page.html")
    check("history: the same tabs with another chart", b.run("heftPage.view.book.tabs.map(t => [t.title, t.kind])"), tabs)
    for i, file in enumerate(["tiny", "tiny-grown", "tiny-grown", "tiny-grown"]):
        heft("history", "add", "--store", STORE, "--product", "steps", "--branch", "", "--commit", f"d0{i}", "--time", f"2026-02-0{i + 1}", file)
    heft("history", "page", "--store", STORE, "--product", "steps", "--steps", "2", "-o", work + "/steps.html")
    b.open(work + "/steps.html")
    first = int(b.run("heftPage.view.tab.built.builds[0].label").split()[0][1:])
    check("history: the latest build and the largest step", sorted(r["label"] for r in b.run("heftPage.rows([])")), [f"#{first + 1} d01", f"#{first + 3} d03"])
    b.open(work + "/page.html")
    check("history: and a chart more", b.run("heftPage.view.tab.built.series.length"), b.run("heftPage.view.tab.built.series.filter(s => s.title !== 'vm').length") + 2)


HEAP = ["live_bytes", "live_blocks", "peak_bytes", "peak_blocks", "alloc_bytes", "allocs", "temporary"]


def below(rows):
    return {r["label"]: ([r[m] for m in HEAP], below(r["children"])) for r in rows}


def page_below(b, path=()):
    rows = b.run(f"heftPage.rows({json.dumps(list(path))})")
    return {r["label"]: (r["now"], page_below(b, path + (r["label"],)) if len(path) < 6 else {}) for r in rows}


def check_memory(b):
    """The strip of pages has the bytes of heft's layout; what nothing points to has a tab."""
    parts = json.loads(heft("heap", "show", "--layout", "--json", "heap.core"))["parts"]
    b.run("heftPage.state.picture = 'memory'; heftPage.update(false)")
    check("memory: it is offered", b.run("document.getElementById('view').value"), "memory")
    live, free, rest, cells = b.run("""(() => {
        const sum = what => heftPage.view.tab.pieces.reduce((n, p) => n + p[what], 0);
        return [sum("live"), sum("free"), sum("other"), heftPage.picture().cells.reduce((n, c) => n + c.live + c.free + c.other, 0)];
    })()""")
    check("memory: bytes", [live, free, live + free + rest], [parts["blocks"], parts["free"], sum(parts.values())])
    check("memory: cells have all of it", cells, live + free + rest)
    b.run("document.getElementById('tab1').click()")
    lost = rows_of("heap", "show", "--leaks", "heap.core")
    check("leaks: a tab of their own", b.run("[document.title, heftPage.totals('now')[0]]"), ["heap.core: leaks · heft", lost["live_bytes"]])


def check_heap(b, work):
    heft("report", "heap.core", "-o", work + "/page.html")
    b.open(work + "/page.html")
    check("heap: tree", page_below(b), below(rows_of("heap", "show", "--by=tree", "heap.core")["children"]))
    check_memory(b)
    heft("report", "heap-damaged.core", "-o", work + "/page.html")
    b.open(work + "/page.html")
    check("heap: damage is on the card", "written past its end" in b.run("document.querySelector('#card pre').textContent"), True)
    check("heap: lines of it are lines", b.run("document.querySelector('#card pre').textContent.split('\\n').length > 5"), True)
    heft("report", "heap-later.core", "-o", work + "/page.html", "--", "heap.core")
    b.open(work + "/page.html")
    top = rows_of("heap", "diff", "heap.core", "heap-later.core")
    check("heap diff: top", b.run("[heftPage.totals('now'), heftPage.totals('base')]"),
          [[top[m] for m in HEAP], [top["base_" + m] for m in HEAP]])


# ---- names -----------------------------------------------------------------------------------------

NAMES = ["<script>alert(1)</script>", "</script><img src=x onerror=alert(2)>", "=cmd()", "\"><b>x", "x\x1b[31mred", "tab\tand",
         "bad\udcffutf8", "‮reversed", "__proto__", "constructor", "L" * 3000000]


def hostile(path):
    """An object with functions of such names."""
    with open(path + ".s", "wb") as f:
        f.write(b".text\n")
        for i, name in enumerate(NAMES):
            quoted = name.replace('"', '\\"').encode(errors="surrogateescape")
            f.write(b'.globl "%s"\n.type "%s",@function\n"%s": .fill %d,1,0x90\n.size "%s",%d\n'
                    % (quoted, quoted, quoted, 100 + i, quoted, 100 + i))
    return subprocess.run(["cc", "-c", path + ".s", "-o", path]).returncode == 0


LONGEST = 50000000


def longest(path):
    """An object with one function, whose name has 50 MB."""
    with open(path + ".s", "w") as f:
        f.write(".text\n.globl f\n.type f,@function\nf: .fill 100,1,0x90\n.size f,100\n")
    with open(path + ".names", "w") as f:
        f.write("f " + "L" * LONGEST + "\n")
    return (subprocess.run(["cc", "-c", path + ".s", "-o", path + ".short"]).returncode == 0
            and subprocess.run(["objcopy", "--redefine-syms=" + path + ".names", path + ".short", path]).returncode == 0)


def check_longest(b, work):
    if not longest(work + "/longest.o"):
        print("LEFT OUT: a name of 50 MB: objcopy does not make it")
        return
    heft("report", "-C", "none", "-d", "symbols", work + "/longest.o", "-o", work + "/page.html")
    check("longest: the page is small", os.path.getsize(work + "/page.html") < 1000000, True)
    b.open(work + "/page.html")
    check("longest: it is there", b.run("heftPage.rows([]).map(r => r.label.length)").count(LONGEST), 1)
    b.run("document.querySelectorAll('#table .rows .row')[1].click()")
    check("longest: it is cut", b.run("document.body.innerText.length < 50000"), True)
    check("longest: no name was cut", b.run("heftPage.view.tab.notes.map(n => n.text).filter(t => t.includes('cut'))"), [])
    check("longest: how long it is is told", b.run("document.getElementById('card').innerText.includes('(50,000,000 characters)')"), True)


def check_names(b, work):
    path = work + "/<img src=x onerror=alert(3)>.o"
    if not hostile(path):
        print("LEFT OUT: names that are markup: the assembler does not take them")
        return
    heft("report", "-C", "none", path, "-o", work + "/page.html")
    b.open(work + "/page.html")
    b.size(1280, 2400)
    page = page_rows(b, [SYMBOLS], {})
    for i, name in enumerate(NAMES):
        shown = name.replace("\x1b", "\\x1b").replace("\t", "\\t").replace("\udcff", "\\xff").replace("‮", "\\xe2\\x80\\xae")
        mine = [n for label, n in page.items() if label == shown]
        check(f"names: {name[:40]!r} is there", [n[0][1] for n in mine], [100 + i])
    b.run("[...document.querySelectorAll('#table .rows .row')].forEach(r => r.click())")
    check("names: nothing became markup", b.run("document.querySelectorAll('img, b b, #app script').length"), 0)
    check("names: no name is in full", b.run("document.body.innerText.length < 50000"), True)
    check("names: csv marks formulas", "\n'=cmd()," in b.run("heftPage.csv()"), True)
    b.size(1280, 800)


# ---- searching and sorting ---------------------------------------------------------------------------

EXPRESSIONS = ["a", "^_", "t$", "^$", "x*", "e.*e", "[^a-z]", "\\W$", "\\s", "^.{3}$", "(?<!_)r", "a|^b|c$", "\\bmain\\b", "o(?!o)", "\\d{2,}",
               "nothing that is there", "é|µ", "\\x5f$", "[A-Z][^A-Z]*$"]


def check_search(b, work):
    """Texts are searched many at once; each alone has to give the same."""
    heft("report", HEFT, "-o", work + "/page.html")
    b.open(work + "/page.html")
    count = b.run("heftPage.view.book.texts.count")
    check("search: there are many texts", count > 300, True)
    for text in EXPRESSIONS:
        for flags in "gm", "gmi":
            wrong, hits = b.run(f"""(() => {{
                const {{ texts }} = heftPage.view.book, found = texts.search(new RegExp({json.dumps(text)}, "{flags}"));
                const alone = new RegExp({json.dumps(text)}, "{flags[2:]}"), wrong = [];
                for (let i = 0; i < texts.count; i++)
                    if (alone.test(texts.get(i)) !== (found[i] === 1))
                        wrong.push(texts.get(i));
                return [wrong.slice(0, 5), found.reduce((n, f) => n + f, 0)];
            }})()""")
            check(f"search: {text} {flags}", wrong, [])
            if text in ("a", "^_", "t$", "\\W$", "e.*e"):
                check(f"search: {text} {flags} is found", 0 < hits < count, True)


def check_sort(b, _work):
    numbers = ("Array.from({ length: 5000 }, (_, i) => (i * 7919 % 4999))", "Array.from({ length: 5000 }, (_, i) => Math.sin(i) * 10 ** (i % 30 - 10))",
               "Array.from({ length: 3000 }, (_, i) => (i % 7 - 3) * 5e9)", "Array.from({ length: 20 }, (_, i) => i * 7 % 20)")
    for number in numbers:
        for up in "true", "false":
            check(f"sort: {number} {up}", b.run(f"""(() => {{
                const keys = Float64Array.from({number}), got = heftPage.sortedBy(keys, {up}), sign = {up} ? 1 : -1;
                const wanted = [...keys.keys()].sort((a, b) => sign * (keys[a] - keys[b]) || a - b);
                return [got.length, wanted.findIndex((n, i) => n !== got[i])];
            }})()"""), [b.run(number + ".length"), -1])


def check_order(b, _work):
    """Of many numbers only the first are sorted until another is asked for; every one has to stand where sorting puts it."""
    many = 150000
    for number in f"i * 7919 % {many - 1}", "i % 61", "7", "Math.sin(i) * 1e6", "i < 3 ? i : -5":
        for up in "true", "false":
            check(f"order: {number} {up}", b.run(f"""(() => {{
                const keys = Float64Array.from({{ length: {many} }}, (_, i) => {number}), order = heftPage.orderBy(keys, {up});
                const wanted = heftPage.sortedBy(keys, {up}), first = order.first.length;
                const places = [0, 1, 2, 50, first - 1, first, {many} - 1].filter(i => i < {many});
                return [wanted.findIndex((n, i) => n !== order.at(i)), order.at({many}) === undefined,
                        places.filter(i => order.indexOf(wanted[i]) !== i), order.head(300).findIndex((n, i) => n !== wanted[i])];
            }})()"""), [-1, True, [], -1])


def check_turns(b, work):
    """What a filter finds is found where an earlier filter kept its own: the third must not see what the first left."""
    b.open(work + "/page.html")
    def sum_of(text):
        b.run(f"heftPage.state.filter.with = {json.dumps(text)}; heftPage.update(false)")
        return b.run("[heftPage.view.tree.order.length, heftPage.totals('now')]")
    alone = {text: sum_of(text) for text in ("e", "t", "main", "")}
    check("turns: the filters differ", len({str(v) for v in alone.values()}), 4)
    for text in "main", "e", "(", "main", "t", "", "main", "e":
        if text == "(":
            b.run("Object.assign(heftPage.state.filter, { without: '(', regex: true }); heftPage.update(false)")
            check("turns: a wrong expression changes nothing", b.run("[heftPage.view.tree.order.length, heftPage.totals('now')]"), alone["e"])
            b.run("Object.assign(heftPage.state.filter, { without: '', regex: false })")
        else:
            check(f"turns: {text}", sum_of(text), alone[text])


CHANGING = """
int table[40] = {1}, sum;
__attribute__((cold, noinline)) void seldom(int n) { sum = n; }
__attribute__((noinline)) int work(int n)
{
    for (int i = 0; i < n; i++) {
        sum += table[i] * 3;
#ifdef MORE
        for (int k = 0; k < i; k++)
            sum ^= k * table[k];
#endif
    }
    return sum;
}
int main(int n, char **v) { if (n > 9) seldom(n); return work(n) + !v; }
"""


def check_instructions(b, work):
    with open("changing.c", "w") as f:
        f.write(CHANGING)
    for words in ["changing-old"], ["changing-new", "-DMORE"]:
        subprocess.run(["cc", "-O2", "-g", "changing.c", "-Wl,-Map=changing.map", "-o", *words], check=True)
    heft("diff", "changing-old", "changing-new", "--save", "changing.sizediff")
    heft("snapshot", "--map=changing.map", "changing-new", "-o", "changing.size")
    heft("report", "changing.sizediff", "changing.size", "-o", work + "/page.html")
    b.open(work + "/page.html")
    page_rows(b, ["c0"], {"with": "work", "in": 0})
    b.run("document.getElementById('table').focus();"
          "[...document.querySelectorAll('#table .rows .row')].find(r => r.textContent.startsWith('work') || / work/.test(r.textContent) || r.querySelector('.text').textContent === 'work').click()")
    lines = (b.run("document.querySelector('#card pre')?.textContent") or "").splitlines()
    # Without Capstone no instruction has a text.
    if rows_of("diff", "changing.sizediff")["children"] and b.run("heftPage.view.tab.columns.some(c => c.name === 'disassembly' && c.count > 1)"):
        check("instructions: the card has the disassembly, before and after", [lines[0], lines[1], lines[2][:2], any(li[0] == "+" for li in lines[3:])],
              ["--- before", "+++ after", "@@", True])
    else:
        print("LEFT OUT: the disassembly of what changed: none is in the .sizediff file")
    check("instructions: they are no names", page_rows(b, ["c0"], {"with": "ret\\\\n", "regex": True}), {})
    b.run("document.getElementById('tab1').click()")
    cold = page_rows(b, ["c0"], {"with": "cold", "in": b.run("heftPage.view.tab.columns.findIndex(c => c.name === 'flags')")})
    check("flags: what is cold", "seldom" in cold and "work" not in cold and len(cold) < 5, True)


def listing(b, name):
    """The lines of the disassembly on the card of a symbol, and how much of the width the bars of blocks take."""
    by = [f"c{b.run('heftPage.view.tab.code?.column ?? 1')}"]
    page_rows(b, by, {})
    b.run(f"heftPage.view.chosen = heftPage.view.tree.find([{json.dumps(name)}]); heftPage.update(false); document.querySelector('#card pre + button')?.click()")
    bars = b.run("[...document.querySelectorAll('#card pre .block')].map(e => +e.style.getPropertyValue('--heat'))")
    return (b.run("document.querySelector('#card pre')?.textContent") or "").splitlines(), bars


def facts(b):
    return dict(b.run("heftPage.view.tab.facts.map(f => [f.name, f.text])"))


def instructions(lines):
    """Address, name and operands, without what heft blocks has in columns beside them."""
    return [re.sub(r"  ran [0-9,]+$", "", " ".join(line.split())) for line in lines]


def check_disassembly(b, work):
    """Cards of functions have what heft blocks --disassemble says, and heat where there are samples."""
    done = subprocess.run([HEFT, "report", "-d", "sections,symbols", "--disassembly", "changing-new", "-o", work + "/page.html"], stderr=subprocess.PIPE, text=True)
    if "without a disassembler" in done.stderr:
        print("LEFT OUT: disassembly: heft was built without Capstone")
        return
    b.open(work + "/page.html")
    for name in "work", "main", "seldom":
        told = heft("blocks", "--disassemble", f"--function={name}", "changing-new").decode().splitlines()[2:]
        told = [re.sub(r"^( +0x\w+ ) ([0-9a-f]{2} )+", r"\1", line) for line in told]
        check(f"disassembly: {name}", instructions(listing(b, name)[0]), instructions(told))
    check("disassembly: how much there is", re.fullmatch(r"of all \d+ functions", facts(b)["disassembly"]) is not None, True)
    heft("report", "-d", "sections,symbols", "--disassembly", "mapped", "--perf=mapped.data", "-o", work + "/page.html")
    b.open(work + "/page.html")
    ran = [json.loads(line) for line in heft("blocks", "profile", "--perf=mapped.data", "--json", "mapped").splitlines()]
    ran = next(f["blocks"] for f in ran if f["function"] == "pages::read(int)")
    lines, bars = listing(b, "pages::read()")
    told = [int(m[1].replace(",", "")) for m in (re.search(r"ran ([0-9,]+)$", line) for line in lines) if m]
    check("disassembly: how often blocks ran", told, [block["count"] for block in ran])
    check("disassembly: heat of blocks", [round(x, 6) for x in bars], [round(n / max(told), 6) for n in told])
    heft("report", "-d", "sections,symbols", "--disassembly", "changing-new", "-o", work + "/page.html", "--", "changing-old")
    b.open(work + "/page.html")
    lines, _ = listing(b, "work")
    check("disassembly: of a diff", [lines[:2], any(li[0] == "+" for li in lines[3:])], [["--- before", "+++ after"], True])
    check("disassembly: what did not change has none", listing(b, "main")[0], [])
    heft("report", "-d", "symbols", "--disassembly", HEFT, os.path.join(os.path.dirname(HEFT), "libheft.so"), "-o", work + "/page.html")
    plain = work + "/plain.html"
    heft("report", "-d", "symbols", HEFT, os.path.join(os.path.dirname(HEFT), "libheft.so"), "-o", plain)
    check("disassembly: it is limited", os.path.getsize(work + "/page.html") - os.path.getsize(plain) < 2 * 2000000, True)
    b.open(work + "/page.html")
    b.run("document.getElementById('tab1').click()")
    check("disassembly: what is left out is said", re.fullmatch(r"of \d+ of \d+ functions: those that ran most, then the largest", facts(b)["disassembly"]) is not None, True)


USED = """
#include <stdio.h>
static const char *const names[] = { "first of them", "second of them" };
int used_by_two(int n) { return n * 3 + (int)(long)names[n & 1]; }
__attribute__((noinline)) static int by_pointer(int n) { return n + 7; }
int (*const pointers[])(int) = { by_pointer, used_by_two };
int one(int n) { puts("this text is of one"); return used_by_two(n) + 1; }
int two(int n) { return used_by_two(n) - one(n + 1); }
int nobody(int n) { printf("%d, and a text that is so long that no card shows all of it: it goes on and on and on, for a hundred and more characters than that\\n", n); return 1; }
int main(int n, char **v) { (void)v; return pointers[n](two(n)); }
"""


def card_of(b, name):
    """What the card of a symbol says: title of a list to its items."""
    page_rows(b, ["c1"], {})
    b.run(f"heftPage.view.chosen = heftPage.view.tree.find([{json.dumps(name)}]); heftPage.update(false)")
    lists = b.run("[...document.querySelectorAll('#card .sums')].map(d => [d.querySelector('h3').textContent, [...d.querySelectorAll('li')].map(l => l.textContent)])")
    return {title: items for title, items in lists if "(" in title}


def check_cards(b, work):
    """Who refers to a symbol, and the texts among its data."""
    with open("used.c", "w") as f:
        f.write(USED)
    for flags in ["-pie", "-fPIE"], ["-no-pie", "-fno-pie"], ["-c", "-fPIC"]:
        subprocess.run(["cc", "-O1", "-fno-inline", "-fno-optimize-sibling-calls", "-w", *flags, "used.c", "-o", "used"], check=True)
        heft("report", "-d", "sections,symbols", "used", "-o", work + "/page.html")
        b.open(work + "/page.html")
        got = {name: card_of(b, name) for name in ("used_by_two", "by_pointer", "one", "two", "nobody", "pointers")}
        what = f"cards {flags[0]}: "
        check(what + "calls, and a pointer", sorted(got["used_by_two"].get("Referred to by (3)", [])), ["one", "pointers", "two"])
        check(what + "a pointer", got["by_pointer"].get("Referred to by (1)"), ["pointers"])
        check(what + "a call", [got["one"].get("Referred to by (1)"), got["two"].get("Referred to by (1)")], [["two"], ["main"]])
        check(what + "nobody", [t for t in got["nobody"] if t.startswith("Ref")], [])
        check(what + "a table", got["pointers"].get("Referred to by (1)"), ["main"])
        if flags[0] != "-c":
            check(what + "a text", got["one"].get("Its texts (1)"), ['"this text is of one"'])
            check(what + "a long one", [len(t) for t in got["nobody"].get("Its texts (1)", [])], [125])


KEPT = """
#include <stdio.h>
static const char text[3000] = "a text";
__attribute__((noinline)) static int leaf(int n) { return n + text[n]; }
__attribute__((noinline)) static int middle(int n) { return leaf(n) * 3; }
__attribute__((noinline)) static int shared(int n) { return n * 5; }
__attribute__((noinline)) static int other(int n) { return shared(n) + 2; }
int dead(int n) { return n + 4; }
int main(int n, char **v) { (void)v; printf("%d", middle(n) + other(n) + shared(n + 1)); return 0; }
"""


def check_kept(b, work):
    """What keeps what is one click away; a card tells the chain from a root."""
    with open("kept.c", "w") as f:
        f.write(KEPT)
    subprocess.run(["cc", "-g", "-O1", "-fno-inline", "-fno-optimize-sibling-calls", "-w", "kept.c", "-o", "kept"], check=True)
    heft("report", "kept", "-o", work + "/page.html")
    b.open(work + "/page.html")
    clicks = Clicks(b)
    clicks.on("document.getElementById('keepers')")
    check("kept: by one click", [b.run("heftPage.state.by"), b.run("document.getElementById('keepers').ariaPressed"), b.run("document.getElementById('kept').hidden")], [["keepers"], "true", False])
    path = "heftPage.view.tree.find(['_start', 'main', 'middle', 'leaf'])"
    wanted = rows_of("size", "-d", "dominators", "kept")["children"]
    below = [r for r in wanted if "main;middle" in r["label"]]
    check("kept: below its keeper", b.run(f"{path}.path()"), ["_start", "main", "middle", "leaf"])
    check("kept: with all that it keeps", b.run(f"{path}.parent.now(0)"), sum(r["file"] for r in below))
    check("kept: shared", b.run("heftPage.view.tree.find(['_start', 'main', 'shared']).path()"), ["_start", "main", "shared"])
    check("kept: nothing lost", b.run("heftPage.totals('now')[0]"), os.path.getsize("kept"))
    b.run(f"heftPage.zoom({path})")
    chain = b.run("[...document.querySelectorAll('#card ol li')].map(l => l.textContent)")
    check("kept: the chain", [re.sub(r", .*/", ", ", hop) for hop in chain[-3:]], ["mainaddress", "middlecall, kept.c:9", "leafcall, kept.c:5"])
    check("kept: from a root", chain[0], "_startentry point")
    check("kept: without which it would go", b.run("document.querySelector('#card .sums p').textContent"), "If middle went, it would go too.")
    b.run("[...document.querySelectorAll('#card ol .link')].find(l => l.textContent === 'main').click()")
    check("kept: a hop leads", b.run("heftPage.view.chosen.path()"), ["_start", "main"])
    facts = "Object.fromEntries([...document.querySelectorAll('#card dl dt')].map(t => [t.textContent, t.nextSibling.textContent]))"
    main = b.run("heftPage.view.chosen.now(heftPage.view.m)")
    check("kept: the fact", b.run(facts)["with all that only it keeps"], f"{main:,} B")
    b.run("document.getElementById('keepers').click()")
    check("kept: back", [b.run("heftPage.state.by.includes('keepers')"), b.run("document.getElementById('kept').hidden")], [False, True])
    heft("report", "kept", "-o", work + "/page.html", "--", "kept")
    b.open(work + "/page.html")
    check("kept: not of a difference", b.run("document.getElementById('keepers').hidden"), True)


def slots(program):
    """By address of a slot of the GOT: the function whose address it holds."""
    symbols = subprocess.run(["nm", program], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    at = {int(line.split()[0], 16): line.split()[2] for line in symbols if line.split()[-2] in "tT"}
    held = {}
    for line in subprocess.run(["objdump", "-s", "-j", ".got", program], stdout=subprocess.PIPE, text=True).stdout.splitlines():
        words = re.match(r" ([0-9a-f]+) ((?:[0-9a-f]{2,8} ?)+) ", line)
        data = bytes.fromhex(words[2].replace(" ", "")) if words else b""
        for i in range(0, len(data) - 7, 8):
            if int.from_bytes(data[i:i + 8], "little") in at:
                held[int(words[1], 16) + i] = at[int.from_bytes(data[i:i + 8], "little")]
    return held


def callers(program):
    """By name of a function that no other symbol has: the functions that objdump shows a call, a jump or an address of it in,
    perhaps by a slot of the GOT."""
    functions, users, at, held = set(), {}, None, slots(program)
    for line in subprocess.run(["objdump", "-d", "--no-show-raw-insn", program], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines():
        head, use = re.match(r"[0-9a-f]+ <(.+)>:$", line), re.search(r"<([^>+]+)(?:\+0x[0-9a-f]+)?>$", line)
        if head:
            at = head[1]
            functions.add(at)
        elif use and at:
            slot = re.search(r"# ([0-9a-f]+) <", line)
            name = held.get(int(slot[1], 16), use[1]) if slot else use[1]
            if name != at:
                users.setdefault(name, set()).add(at)
    named = collections.Counter(line.split()[-1] for line in subprocess.run(["nm", program], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines())
    return {name: {user for user in users.get(name, ()) if named[user] == 1} for name in functions if "@" not in name and named[name] == 1}


def check_users(b, work):
    """Who refers to the functions of a program as objdump says; symbols of data refer to them as well."""
    heft("report", "-d", "symbols", HEFT, "-o", work + "/page.html")
    b.open(work + "/page.html")
    cards = b.run("""(() => {
        const { view: { tab, book } } = heftPage, column = tab.columns[tab.cards.column], text = n => book.texts.get(n);
        return [...column.labels.keys()].map(i => [text(column.labels[i]), tab.cardOf(i).users.map(text), tab.cardOf(i).allUsers]);
    })()""")
    told, wrong, compared = callers(HEFT), [], 0
    for name, users, count in cards:
        if name not in told or any(n.startswith("_") for n in {name, *told[name]}):
            continue
        compared += 1
        if count < len(told[name]) or (count == len(users) and {user for user in users if user in told} != told[name]):
            wrong.append((name, users, told[name]))
    check("users: as objdump says", (wrong, compared > 200), ([], True))


def check_sides(b, work):
    """A byte is as large before as it is now."""
    heft("report", "changing-new", "-o", work + "/page.html", "--", "changing-old")
    b.open(work + "/page.html")
    b.run("heftPage.state.picture = 'both'; heftPage.update(false)")
    check("sides: it is offered", b.run("document.getElementById('view').value"), "both")
    base, now, wide, narrow = b.run("""(() => {
        const { top } = heftPage.view.tree, [was, is] = heftPage.picture().boxes.filter(b => b.depth === 0);
        return [top.base(0) / (was.w * was.h), top.now(0) / (is.w * is.h), is.w, was.w];
    })()""")
    check("sides: the scale is one", abs(base / now - 1) < 0.01 and wide > narrow > 50, True)
    b.run("document.getElementById('save-svg').id; heftPage.state.filter.with = 'work'; heftPage.update(false)")
    shown = b.run("heftPage.picture().boxes.filter(b => b.node.label === 'work').map(b => b.what)")
    check("sides: a function is on both", sorted(set(shown)), ["base", "now"])


def check_heaviest(b, work):
    """Of thousands of rows the picture weighs a part at a time and keeps none; the sums are the table's."""
    subprocess.run([FIXTURES + "/many_symbols.py", "many", "5000"], check=True)
    heft("report", "-d", "symbols", "many", "-o", work + "/page.html")
    b.open(work + "/page.html")
    for least in 0, 100, 1e9:
        check(f"heaviest: at least {least}", b.run(f"""(() => {{
            const {{ tree }} = heftPage.view, kids = tree.split(tree.top), got = tree.heaviest(kids, "now", 0, {least}), kept = kids.sums.size;
            const all = [...kids.values("now", 0)].map((n, i) => [i, n]).filter(([, n]) => n > 0 && n >= {least});
            all.sort((a, b) => b[1] - a[1] || a[0] - b[0]);
            return [kids.count > 2000, kept, [...got.ids].join() === all.map(a => a[0]).join(), [...got.weights].join() === all.map(a => a[1]).join()];
        }})()"""), [True, 0, True, True])


MAP = """             VMA              LMA     Size Align Out     In      Symbol
            8000             8000       40     4 .text
            8000             8000       40     4         main.o:(.text.main)
           20000             8040       20     4 .data
           20000             8040       20     4         data.o:(.data)
           20020             8060      100     4 .bss
           20020             8060      100     4         data.o:(.bss.buffer)
"""
REGIONS = ["--region=FLASH=8000+1K", "--region=RAM=20000+300", "--region=SPARE=40000+16"]


def opened_with(b):
    return b.run("[document.getElementById('view').value, document.getElementById('measure').value, ...[0, 1, 2].map(i => document.getElementById('by' + i).selectedOptions[0].textContent)]")


def check_regions(b, work):
    """What has memory regions opens on them: bars of what is used and free, the treemap below."""
    with open("fw.map", "w") as f:
        f.write(MAP)
    heft("report", *REGIONS, "fw.map", "-o", work + "/page.html")
    b.open(work + "/page.html")
    check("regions: it opens on them", opened_with(b), ["regions", "1", "Memory regions", "Libraries", "Symbols"])
    rows = {r["label"]: r for r in rows_of("size", "-d", "regions,libraries,symbols", *REGIONS, "fw.map")["children"]}
    wanted = {name: [int(r["region_size"]), int(r["region_free"])] for name, r in rows.items() if "region_size" in r}
    check("regions: length and what is free", b.run("Object.fromEntries(heftPage.view.tab.regions.map(r => [r.name, [r.length, r.length - r.used]]))"), wanted)
    check("regions: bars are as long as what is used", b.run("heftPage.picture().bars.every(b => Math.abs(b.bar.w / b.w - b.region.used / b.region.length) < 0.001)"), True)
    parts = b.run("heftPage.picture().boxes.filter(b => b.part).map(b => [b.node.path(), Math.round(b.w / heftPage.picture().w * heftPage.view.tab.regions.find(r => r.name === b.node.path()[0]).length)])")
    told = sorted([[name, child["label"]], child["vm"]] for name, r in rows.items() for child in r["children"] if child["vm"] > 0)
    check("regions: parts of bars are libraries", sorted(parts), told)
    check("regions: a screen reader hears them", "FLASH, " in b.run("document.getElementById('canvas').getAttribute('aria-label')"), True)
    b.run("heftPage.zoom(heftPage.view.tree.find(['RAM']))")
    check("regions: zoomed in, all bars stay", b.run("[heftPage.picture().bars.length, heftPage.view.root.label]"), [3, "RAM"])
    heft("report", "--region=FLASH=8000+80", "--region=RAM=20000+1K", "fw.map", "-o", work + "/page.html", "--", "fw.map")
    b.open(work + "/page.html")
    check("regions: too small", b.run("(b => [b.region.used - b.region.length, b.end < b.bar.w])(heftPage.picture().bars[0])"), [16, True])
    check("regions: what was used before", b.run("heftPage.view.tab.regions.map(r => r.base_used - r.used)"), [0, 0])
    heft("report", "tiny", "-o", work + "/page.html")
    b.open(work + "/page.html")
    check("regions: none of a program without", b.run("[...document.querySelectorAll('#view option')].map(o => o.value).includes('regions')"), False)


NESTED = {"_ZN1a1fEv": 10, "_ZN1a1b1gEv": 20, "_ZN1a1b1c1hEv": 40, "_ZN1z1iEv": 80}


def check_itself(b, work):
    """What is directly in a namespace that has others in it is a row of its own."""
    path = work + "/nested.o"
    with open(path + ".s", "w") as f:
        f.write(".text\n" + "".join(f'.globl {n}\n.type {n},@function\n{n}: .fill {size},1,0x90\n.size {n},{size}\n'
                                    for n, size in NESTED.items()))
    if subprocess.run(["cc", "-c", path + ".s", "-o", path]).returncode != 0:
        print("LEFT OUT: what is directly in a namespace: no assembler")
        return
    heft("report", "-d", "namespaces,symbols", path, "-o", work + "/page.html")
    b.open(work + "/page.html")

    def vm(by, names):
        return {k: v[0][1] for k, v in page_rows(b, by, {"with": "a::", "in": 1}, names).items()}

    check("itself: all", vm(["c0"], []), {"a": 70})
    check("itself: of the last level", vm(["c0"], ["a"]), {"[itself]": 10, "b": 60})
    check("itself: it is a leaf", vm(["c0"], ["a", "[itself]"]), {})
    check("itself: one below", vm(["c0"], ["a", "b"]), {"[itself]": 20, "c": 40})
    check("itself: with symbols", vm(["c0", "c1"], ["a"]), {"a::f()": 10, "b": 60})


SAVED = """(async () => {
    const made = URL.createObjectURL, click = HTMLAnchorElement.prototype.click, saved = [];
    URL.createObjectURL = blob => { saved.push(blob); return made(blob); };
    HTMLAnchorElement.prototype.click = () => {};
    document.getElementById("save-svg").click();
    document.getElementById("save-png").click();
    document.getElementById("save-csv").click();
    for (let i = 0; i < 100 && saved.length < 3; i++)
        await new Promise(go => setTimeout(go, 20));
    Object.assign(URL, { createObjectURL: made });
    HTMLAnchorElement.prototype.click = click;
    const svg = await saved.find(s => s.type === "image/svg+xml").text(), doc = new DOMParser().parseFromString(svg, "image/svg+xml");
    return [!doc.querySelector("parsererror, image, script"), doc.querySelectorAll("rect, path").length > 2, saved.find(s => s.type === "image/png").size > 1000, await saved.find(s => s.type === "text/csv").text() === heftPage.csv()];
})()"""


def check_saved(b, work):
    """What is seen can be taken away: as svg, which is shapes alone, as png, and its rows as csv."""
    heft("report", *REGIONS, "fw.map", "heap.core", "-o", work + "/page.html")
    b.open(work + "/page.html")
    for tab in 0, 1:
        b.run(f"document.getElementById('tab{tab}').click()")
        for picture in b.run("[...document.querySelectorAll('#view option')].map(o => o.value)"):
            b.run(f"heftPage.state.picture = {json.dumps(picture)}; heftPage.update(false)")
            check(f"saved: {picture} of tab {tab}", b.run(SAVED), [True] * 4)


def check_range(b, work):
    """A range of time is in the address; moments are marked."""
    heft("report", "heap.core", "-o", work + "/page.html")
    b.open(work + "/page.html")
    b.run("heftPage.state.picture = 'time'; heftPage.update(false)")
    b.run("""(() => {
        const c = document.getElementById('canvas'), r = c.getBoundingClientRect();
        const at = (x, type) => (type === 'pointerdown' ? c : window).dispatchEvent(new PointerEvent(type, { clientX: r.left + x * r.width, clientY: r.top + 50, bubbles: true }));
        at(0.3, 'pointerdown'); at(0.6, 'pointermove'); at(0.6, 'pointerup');
    })()""")
    there, said, legend = b.run("[location.hash, heftPage.state.range, document.getElementById('legend').textContent]")
    check("range: it is chosen", said is not None and said[0] < said[1], True)
    b.open(work + "/page.html", there)
    check("range: it is in the address", b.run("[heftPage.state.range, document.getElementById('legend').textContent]"), [said, legend])


def check_time_keys(b, work):
    """A range of time is chosen by keys; a screen reader hears where they are."""
    heft("report", "heap.core", "-o", work + "/page.html")
    b.open(work + "/page.html")
    b.run("heftPage.state.picture = 'time'; heftPage.update(false)")
    times = b.run("heftPage.view.tab.moments.map(p => p.at)")
    check("time keys: there are moments", len(times) >= 3 and times == sorted(set(times)), True)

    def press(key, shift=False):
        b.run(f"document.getElementById('canvas').dispatchEvent(new KeyboardEvent('keydown', {{ key: '{key}', shiftKey: {json.dumps(shift)}, bubbles: true }}))")
        return b.run("heftPage.state.range")

    def heard(name):
        return b.run(f"document.getElementById('canvas').getAttribute('{name}')")

    check("time keys: it is a slider", [heard("role"), heard("aria-valuemin"), heard("aria-valuemax")], ["slider", str(times[0]), str(times[-1])])
    check("time keys: an arrow moves", [press("ArrowRight"), heard("aria-valuenow")], [None, str(times[1])])
    check("time keys: the moment is told", bool(re.fullmatch(r"[\d.]+ \S+: [\d.]+ \w+ live, at most [\d.]+ \w+ since the moment before\.", heard("aria-valuetext"))), True)
    check("time keys: the legend tells it", True, b.run("document.getElementById('legend').textContent.startsWith(document.getElementById('canvas').getAttribute('aria-valuetext'))"))
    check("time keys: Shift chooses", press("ArrowRight", True), times[1:3])
    told, there = heard("aria-valuetext"), b.run("location.hash")
    check("time keys: the range is told", bool(re.fullmatch(r"[\d.]+ \S+ to [\d.]+ \S+: from .* live \(.*\), at most .*\.", told)), True)
    check("time keys: Shift goes back past where it began", [press("Home", True), heard("aria-valuenow")], [times[:2], str(times[0])])
    check("time keys: to the end", press("End", True), [times[1], times[-1]])
    check("time keys: Escape chooses all", press("Escape"), None)
    b.open(work + "/page.html", there)
    check("time keys: the range is in the address", [b.run("heftPage.state.range"), heard("aria-valuetext")], [times[1:3], told])
    check("time keys: they go on from it", press("ArrowLeft", True), None)
    check("time keys: at its begin", heard("aria-valuenow"), str(times[1]))
    b.run("heftPage.state.picture = 'map'; heftPage.update(false)")
    check("time keys: other pictures are none", [heard("role"), heard("aria-valuetext")], ["img", None])


def check_heat(b, work):
    """Colours of heat are those of samples, where there are any; a function called hot is not hot for that."""
    heft("report", "-d", "sections,symbols", "mapped", "--perf=mapped.data", "-o", work + "/page.html")
    b.open(work + "/page.html")
    b.run("Object.assign(heftPage.state, { colour: 'heat', by: ['c2'] }); heftPage.update(false)")
    check("heat: what is hot", b.run("Object.fromEntries(heftPage.picture().boxes.filter(b => b.depth === 1 && !b.smaller).map(b => [b.node.label, b.node.heat?.[0]]).filter(([l]) => /^(hot|main|pages::read)/.test(l)))"),
          {"hot": 6, "main": 205, "pages::read()": 205, "main.cold": 220})
    check("heat: the legend says it", b.run("[...document.querySelectorAll('#legend span')].map(s => s.textContent).slice(0, 4)"), ["hot", "warm", "cold", "never"])


def check_memory_goes(b, work):
    """What is large goes with the page; what was unpacked goes when it has been decoded."""
    heft("report", "-d", "sections,symbols", "sources", "-o", work + "/page.html")
    b.open(work + "/page.html")
    left = b.run("""(() => {
        const { book, tab, lines } = heftPage.view, column = tab.columns[0], before = [book.texts.bytes, column.lines, tab.measures[0].now, lines].map(a => a.length > 0);
        dispatchEvent(new PageTransitionEvent("pagehide", { persisted: true }));
        const kept = column.lines.length > 0;
        dispatchEvent(new PageTransitionEvent("pagehide", { persisted: false }));
        return [before, kept, [book.texts.bytes, column.lines, tab.measures[0].now, lines].map(a => a.length), tab.columns.every(c => c.bytes === null)];
    })()""")
    check("memory of the page: it goes", left, [[True] * 4, True, [0] * 4, True])


# ---- what is chosen ----------------------------------------------------------------------------------

def check_address(b, work):
    heft("report", "sources", "heap.core", "-o", work + "/page.html")
    b.open(work + "/page.html")
    page_rows(b, ["c1", SYMBOLS], {"with": "e", "least": 3})
    b.run("document.getElementById('view').value = 'ice';"
          "document.getElementById('view').dispatchEvent(new Event('change', { bubbles: true }))")
    there, text = b.run("location.hash"), b.run("document.getElementById('sum').textContent")
    b.open(work + "/page.html", there)
    check("address: the sum", b.run("document.getElementById('sum').textContent"), text)
    check("address: the address", b.run("location.hash"), there)
    b.run("document.getElementById('tab1').click()")
    check("address: the other tab", b.run("document.title"), "heap.core · heft")
    for bad in "#t=9&by=zz&m=-3&v=q&z=[1", "#z=[\"no such\"]&in=99&kind=77&with=(&regex=1":
        b.open(work + "/page.html", bad)
        check(f"address: {bad} shows something", b.run("document.querySelectorAll('#table .rows .row').length > 1"), True)


def check_keys(b, work):
    heft("report", "tiny-grown", "-o", work + "/page.html")
    b.open(work + "/page.html")
    b.run("document.getElementById('table').focus()")

    def press(key):
        b.run("document.getElementById('table').dispatchEvent(new KeyboardEvent('keydown', "
              f"{{ key: {json.dumps(key)}, bubbles: true }}))")

    first = max(rows_of("size", "-d", "sections,symbols", "tiny-grown")["children"], key=lambda r: r["file"])
    press("ArrowDown")
    check("keys: down", b.run("heftPage.view.chosen.label"), first["label"])
    count = len(seen(b))
    press("ArrowRight")
    check("keys: right opens", len(seen(b)), min(count + len(first["children"]), len(seen(b))))
    check("keys: right shows more", len(seen(b)) > count, True)
    press("ArrowLeft")
    press(" ")
    check("keys: the space bar marks", b.run("document.getElementById('marked').textContent").startswith(
        f"1 marked: {first['file']:,} bytes"), True)
    press("Home")
    press("ArrowDown")
    press("Enter")
    check("keys: enter makes it the whole", b.run("heftPage.view.root.label"), first["label"])
    press("Backspace")
    check("keys: backspace goes up", b.run("heftPage.view.root.label"), "TOTAL")


SPACES = """
namespace outer::inner {
    __attribute__((noinline)) int first(int n) { return n * 3; }
    __attribute__((noinline)) int second(int n) { return first(n) + first(n + 1); }
}
int main(int c, char **) { return outer::inner::second(c) + outer::inner::first(c); }
"""


def said(b, element):
    return b.run(f"document.getElementById('{element}').textContent")


def check_opening(b, work):
    """What is shown before anybody has chosen anything, and the switch that leaves debug info out."""
    with open("spaces.cc", "w") as f:
        f.write(SPACES)
    subprocess.run(["c++", "-g", "-O1", "spaces.cc", "-o", "spaces"], check=True)
    subprocess.run(["strip", "-o", "bare", "spaces"], check=True)
    titles = "heftPage.view.levels.map(l => l.spec.title)"
    heft("report", "bare", "-o", work + "/page.html")
    b.open(work + "/page.html")
    check("opening: stripped", [b.run(titles), b.run("heftPage.view.measure.name"), b.run("document.getElementById('debug').offsetParent === null")],
          [["Sections", "Symbols"], "file", True])
    heft("report", "spaces", "-o", work + "/page.html")
    b.open(work + "/page.html")
    check("opening: with debug info", b.run("heftPage.view.measure.name"), "vm")
    heft("report", HEFT, "-o", work + "/page.html")
    b.open(work + "/page.html")
    check("opening: a program with sources", [b.run(titles), b.run("heftPage.view.measure.name")], [["Source tree", "Symbols"], "vm"])
    with open("packed.cc", "w") as f:
        f.write("namespace maps { int table[9000] = { 1 }; }\nnamespace text { int lines[900] = { 1 }; }\n")
    subprocess.run(["c++", "-c", "packed.cc"], check=True)
    heft("report", "packed.o", "-o", work + "/packages.html")
    b.open(work + "/packages.html")
    check("opening: packages, where sources have no folders", b.run(titles), ["Packages", "Symbols"])
    b.open(work + "/page.html")
    b.run("heftPage.state.m = 0; heftPage.update(false); document.getElementById('debug').click()")
    whole = rows_of("size", "--no-debug", HEFT)
    check("opening: without debug info", said(b, "sum").split(" bytes")[0], f"{whole['file']:,}")
    there = b.run("location.hash")
    b.open(work + "/page.html", there)
    check("opening: the address knows", said(b, "sum").split(" bytes")[0], f"{whole['file']:,}")


def check_names_below(b, work):
    """A name is shown without what stands above it, and in full where it is pointed at."""
    heft("report", "spaces", "-o", work + "/page.html")
    b.open(work + "/page.html")
    page_rows(b, [f"c{SOURCES.index('namespaces')}", SYMBOLS], {})
    b.run("(v => { for (const n of ['outer::inner', 'outer']) { const at = v.tree.find([n]); if (at.parent) v.chosen = at; } heftPage.update(false); })(heftPage.view)")
    b.run("document.getElementById('table').dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }))")
    rows = b.run("[...document.querySelectorAll('#table .rows .row')].map(r => [r.querySelector('.text').textContent, r.querySelector('.name').title])")
    check("names below: short in the row, whole in its title", ["second()", "outer::inner::second()"] in rows, True)


ROWS = "[...document.querySelectorAll('#table .rows .row .text')].map(t => t.textContent)"


def check_cut_names(b, work):
    """Where a name has no room its last part is seen: in rows, and in boxes; arguments of a generic function are no part."""
    name = "outer::very_long_name_of_a_class::" * 4 + "last_part"
    with open("long.s", "w") as f:
        f.writelines(f'.globl "{n}"\n.type "{n}",@function\n"{n}": .fill 900,1,0x90\n.size "{n}",900\n' for n in (name, "crate::path::sort::<>", "lib/net/http.(*Conn).Read"))
    subprocess.run(["cc", "-c", "long.s", "-o", "long.o"], check=True)
    heft("report", "-d", "symbols", "long.o", "-o", work + "/page.html")
    b.open(work + "/page.html")
    rows = b.run("Object.fromEntries([...document.querySelectorAll('#table .rows .row .text')].map(t => [t.textContent, [...t.children].map(c => [c.textContent, c.scrollWidth > c.clientWidth])]))")
    check("cut names: in front", rows.get(name), [[name[:-len("last_part")], True], ["last_part", False]])
    check("cut names: a generic", [part for part, _ in rows.get("crate::path::sort::<>", [])], ["crate::path::", "sort::<>"])
    check("cut names: a path", [part for part, _ in rows.get("lib/net/http.(*Conn).Read", [])], ["lib/net/", "http.(*Conn).Read"])


FREES = "#include <stdlib.h>\nint main(void) { char *all = malloc(1000000), *some = malloc(100); all[9] = some[9] = 1; free(all); return all == some; }"


def check_stacks(b, work):
    """Frames that lead to one other are a row with it; a program that freed its heap is shown at its peak."""
    heft("report", "heap.core", "-o", work + "/page.html")
    b.open(work + "/page.html")
    check("stacks: one row", "sources+0x400149 › sources+0x400184" in b.run(ROWS), True)
    b.run("[...document.querySelectorAll('#table .rows .row')].find(r => r.textContent.includes('›')).click()")
    check("stacks: it is the last frame", [len(b.run("heftPage.view.chosen.path()")) > 1, b.run("document.querySelectorAll('#table .row.chosen').length")], [True, 1])
    b.run("(v => { v.chosen = v.chosen.parent; heftPage.update(false); })(heftPage.view)")
    check("stacks: a frame before it is in the same row", b.run("document.querySelector('#table .row.chosen .text').textContent.includes('›')"), True)
    check("stacks: live", b.run("heftPage.view.measure.name"), "live_bytes")
    with open("frees.c", "w") as f:
        f.write(FREES)
    subprocess.run(["cc", "-O0", "frees.c", "-o", "frees"], check=True)
    if subprocess.run([HEFT, "heap", "run", "--no-children", "-o", "frees.heap", "./frees"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
        print("LEFT OUT: stacks: nothing can be recorded here")
        return
    heft("report", "frees.heap", "-o", work + "/page.html")
    b.open(work + "/page.html")
    check("stacks: at its peak", b.run("heftPage.view.measure.name"), "peak_bytes")


def check_archive(b, work):
    """An archive opens on its members, as they are loaded."""
    for name in "one", "two":
        with open(name + ".c", "w") as f:
            f.write(f"int {name}(int n) {{ return n * 3; }}")
        subprocess.run(["cc", "-c", name + ".c"], check=True)
    subprocess.run(["ar", "rcs", "both.a", "one.o", "two.o"], check=True)
    heft("report", "both.a", "-o", work + "/page.html")
    b.open(work + "/page.html")
    check("archive: members", [b.run("heftPage.view.levels.map(l => l.spec.title)"), b.run("heftPage.view.measure.name"), sorted(b.run(ROWS)[1:3])],
          [["Archive members", "Symbols"], "vm", ["one.o", "two.o"]])


class Clicks:
    """Clicks of somebody who has the page open; a choice of a list is two."""
    def __init__(self, b):
        self.b, self.count = b, 0

    def on(self, element):
        self.b.run(element + ".click()")
        self.count += 1

    def choose(self, what, title):
        self.b.run(f"(s => {{ s.value = [...s.options].find(o => o.textContent === {title!r}).value; s.dispatchEvent(new Event('change', {{ bubbles: true }})); }})(document.getElementById({what!r}))")
        self.count += 2


SHOP = """
namespace shop {
    int prices[SIZE] = { 1 };
    __attribute__((noinline)) int total(int n) { int sum = 0; for (int i = 0; i < n; i++) sum += prices[i]; return sum; }
}
int main(int c, char **) { return shop::total(c); }
"""


def check_tasks(b, work):
    """What is largest, what changed, who refers to it: three clicks at most each."""
    with open("shop.cc", "w") as f:
        f.write(SHOP)
    for name, size in ("shop", 3000), ("grown", 5000):
        subprocess.run(["c++", "-g", "-O1", f"-DSIZE={size}", "shop.cc", "-o", name], check=True)
    row = "document.querySelectorAll('#table .rows .row')[1]"
    users = "[...document.querySelectorAll('#card ul .link')].map(l => l.textContent)"
    for words, wanted in (["shop"], rows_of("size", "-d", "symbols", "--domain=vm", "shop")["children"][0]["label"]), (["grown", "--", "shop"], rows_of("size", "-d", "symbols", "--domain=vm", "grown", "--", "shop")["children"][0]["label"]):
        heft("report", words[0], "-o", work + "/page.html", *words[1:])
        b.open(work + "/page.html")
        clicks = Clicks(b)
        clicks.choose("by0", "Symbols")
        check(f"tasks {words}: the first row", [b.run(ROWS)[1], wanted], ["shop::prices"] * 2)
        clicks.on(row)
        check(f"tasks {words}: who refers to it", [b.run(users), clicks.count <= 3], [["shop::total()"], True])


def check_users_lead(b, work):
    """Who refers to a symbol is a link to it, from wherever one looks."""
    heft("report", "-d", "sections,symbols", "spaces", "-o", work + "/page.html")
    b.open(work + "/page.html")
    b.run("heftPage.zoom(heftPage.view.tree.find(['.text'])); heftPage.view.chosen = heftPage.view.tree.find(['.text', 'outer::inner::first()']); heftPage.update(false)")
    links = b.run("[...document.querySelectorAll('#card ul .link')].map(l => l.textContent)")
    check("users lead: both are there", sorted(links), ["main", "outer::inner::second()"])
    b.run("heftPage.zoom(heftPage.view.chosen)")
    b.run("[...document.querySelectorAll('#card .link')].find(l => l.textContent === 'main').click()")
    check("users lead: there", b.run("heftPage.view.chosen.path()"), [".text", "main"])


def check_frame(b, work):
    """Keys on demand, a divider, one line of the path, rows as columns of csv."""
    heft("report", "heap.core", "-o", work + "/page.html")
    b.open(work + "/page.html")
    b.run("dispatchEvent(new KeyboardEvent('keydown', { key: '?' }))")
    check("frame: keys", b.run("document.getElementById('keys').open && document.querySelectorAll('#keys kbd').length > 5"), True)
    b.run("document.querySelector('#keys button').click()")
    before = b.run("document.getElementById('picture').clientWidth")
    b.run("document.getElementById('divider').dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowLeft', bubbles: true }))")
    check("frame: the divider", b.run("document.getElementById('picture').clientWidth") < before, True)
    b.run("(v => { let n = v.tree.top; for (let k; (k = v.tree.open(n));) n = k.node(0); heftPage.zoom(n.parent); })(heftPage.view)")
    check("frame: one line of the path", b.run("document.getElementById('crumbs').offsetHeight < 40"), True)
    check("frame: a column a level", b.run("heftPage.csv()").split(",")[:1], ["level 1"])


def check_pictures(b, work):
    heft("report", "heap.core", "-o", work + "/page.html")
    for width, height in (1120, 640), (1120, 300), (400, 800):
        b.size(width, height)
        for kind in "time", "flame", "map", "ice":
            b.open(work + "/page.html")
            b.run(f"heftPage.state.picture = {json.dumps(kind)}; heftPage.update(false)")
            room = b.run("(p => [p.scrollTop, p.scrollHeight - p.clientHeight])(document.getElementById('picture'))")
            check(f"pictures: {kind} at {width}x{height} shows where it begins", room[0] if kind != "flame" else room[1] - room[0], 0)
            if kind in ("time", "map") and height > 600:
                check(f"pictures: {kind} at {width}x{height} is in sight as a whole", room[1], 0)
    heft("report", "tiny-grown", "-o", work + "/page.html", "--", "tiny")
    for width in 1280, 960, 400:
        b.size(width, 700)
        b.open(work + "/page.html")
        seen_choices = "document.getElementById('bar').offsetHeight > 0"
        check(f"pictures: the choices are in sight at {width}", b.run(seen_choices), width > 820)
        if width == 400:
            check("pictures: the picture begins in the upper third", b.run("document.getElementById('canvas').getBoundingClientRect().top < 240"), True)
            b.run("document.getElementById('choices').click()")
            check("pictures: the card is as high as what is in it", b.run("(c => c.scrollHeight - c.clientHeight)(document.getElementById('card'))"), 0)
            check("pictures: the choices are behind a button", b.run(seen_choices), True)
        check(f"pictures: names have room at {width}", b.run("document.querySelector('#table .rows .name').clientWidth > 90"), True)
    b.size(1280, 800)


def chosen(*parts):
    """All parts, or those whose names are given behind the folder."""
    return [part for part in parts if not PARTS or part.__name__ in PARTS]


def main():
    program = devtools.find()
    if not program:
        print("SKIP: no chromium (install chromium)")
        sys.exit(77)
    work = tempfile.mkdtemp()
    for recipe in glob.glob(FIXTURES + "/golden_*"):
        subprocess.run([recipe, work], check=True, env={**os.environ, "HEFT": HEFT})
    os.chdir(work)
    b = devtools.Browser(program)
    try:
        for part in chosen(check_sizes, check_flags, check_kinds, check_inferred, check_duplicated, check_inlined, check_lists, check_matched, check_history, check_instructions, check_disassembly, check_cards, check_kept, check_users, check_sides, check_heap, check_names, check_longest, check_search, check_sort, check_order, check_turns, check_heaviest, check_regions, check_itself, check_saved, check_range, check_time_keys, check_heat, check_memory_goes, check_address, check_keys, check_opening, check_names_below, check_cut_names, check_stacks, check_archive, check_tasks, check_users_lead, check_frame, check_pictures):
            part(b, work)
        check("requests: none left", b.requests, [])
        check("errors: none", b.errors, [])
    finally:
        b.close()
        subprocess.run(["rm", "-rf", work])
    print(f"{sum(CHECKS.values())} checks, {len(FAILURES)} failed")
    sys.exit(1 if FAILURES or sum(CHECKS.values()) < (1 if PARTS else 100) else 0)


if __name__ == "__main__":
    HEFT, FIXTURES = (os.path.abspath(p) for p in sys.argv[1:3])
    PARTS = sys.argv[3:]
    main()
