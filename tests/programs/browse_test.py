#!/usr/bin/env python3
"""`heft browse` in a real terminal: what it shows is what heft says, every key does what the help tells, in every
size, with and without colour, and names stay text.

usage: browse_test.py HEFT FIXTURES [RECORDER]     FIXTURES: the folder of the recipes golden_*

Exit status 77 where there is no tmux, or heft was built without ncurses.
"""
import collections
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import time

import terminal

FAILURES = []
CHECKS = collections.Counter()
HEAD, FOOT = 3, 1


def check(what, got, wanted):
    CHECKS[what.split(":")[0]] += 1
    if got != wanted:
        FAILURES.append(what)
        print(f"FAILED: {what}\n  got:    {str(got)[:1500]}\n  wanted: {str(wanted)[:600]}")


def heft(*words):
    done = subprocess.run([HEFT, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return done.stdout


def rows_of(*words):
    return json.loads(heft(*words, "-n0", "--json"))["total"]


def browse(*words, **settings):
    t = terminal.Terminal(WORK, [HEFT, "browse", *words], **settings)
    t.wait(lambda lines: re.search(r"q quit|n shows the notes", lines[-1]) and "(soon by" not in lines[0])
    return t


def labels(lines):
    """How deep they are and labels of the rows in sight; they begin where the last title does."""
    start = re.search(r"\S+$", lines[HEAD - 1]).start()
    found = []
    for line in lines[HEAD:-FOOT]:
        m = re.match(r"( *)([-+] )?(\S.*)$", line[start:])
        if m:
            found.append(((len(m[1]) - (0 if m[2] else 2)) // 2, m[3].rstrip()))
    return found


def by_file(rows):
    """Ties are as heft size has them: the larger of both sizes first."""
    return sorted(rows, key=lambda r: (-r["file"], -max(r["file"], r["vm"]), r["label"].encode()))


def chosen(t):
    """The label of the row under the cursor, which is shown in reverse."""
    lines = t.lines("-e")
    for line in lines[HEAD:-FOOT]:
        if re.search(r"\x1b\[(?:[0-9;]*;)?7m", line):
            plain = [re.sub(r"\x1b\[[0-9;]*m|\x0f", "", text) for text in (lines[HEAD - 1], line)]
            return (labels(["", "", *plain, ""]) or [(0, plain[1])])[0][1]
    return None


def card_bytes(lines, name):
    for line in lines:
        m = re.match(rf"^ {name} +([0-9]+) bytes", line)
        if m:
            return int(m[1])
    return None


# ---- what is shown ----------------------------------------------------------------------------------

def check_rows():
    total = rows_of("-d", "sections,symbols", "tiny")
    t = browse("tiny")
    top = by_file(total["children"])
    wanted = [(0, r["label"]) for r in top][:20]
    check("rows: sections", labels(t.lines()), wanted)
    check("rows: the first is chosen", chosen(t), top[0]["label"])
    for row in top[:6]:
        lines = t.press("i")
        check(f"rows: bytes of {row['label']} in the file", card_bytes(lines, "file"), row["file"])
        check(f"rows: bytes of {row['label']} in memory", card_bytes(lines, "vm"), row["vm"])
        t.press("q")
        t.press("Down")
    t.press("q")
    check("rows: exit status", t.status(), 0)
    t.close()
    t = browse("-d", "inputfiles,sections,symbols", "tiny")
    check("rows: a lone row is open", labels(t.lines())[:3], [(0, "tiny")] + [(1, r["label"]) for r in top[:2]])
    t.close()


FILTERS = ["main", "t", "T", "e !t", ".text", "!a", "section", "no such thing"]
FILTERED = [["-d", "sections,symbols", "sources"], ["-d", "symbols", "sources"], ["-d", "compileunits,symbols", "sources"],
            ["-d", "symbols,sections", "tiny"], ["-d", "segments,sections,symbols", "tiny"],
            ["-d", "sections,symbols", "tiny-grown", "--", "tiny"], ["-d", "sections", "tiny"]]
UNITS = {"": 1, "Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30}


def leaves_of(total):
    """Rows without others below them: the labels on the way there, their bytes, in a diff how many more."""
    leaves = []

    def walk(row, path):
        # A level that only says again what the one above says is no row.
        again = [c["label"] in (row["label"], f"[section {row['label']}]") for c in row["children"]]
        if again == [True]:
            row = row["children"][0]
        for child in row["children"]:
            walk(child, path + [child["label"]])
        if not row["children"]:
            leaves.append((path, row["file"] - row.get("base_file", 0)))
    walk(total, [])
    return leaves


def lets_through(path, text):
    def has(word):
        return any(word in (p if word.lower() != word else p.lower()) for p in path)
    return all(not has(w[1:]) if w[0] == "!" else has(w) for w in text.split())


def check_filter(t, words, text, leaves):
    shown = [size for path, size in leaves if lets_through(path, text)]
    lines = t.press("/", text, "Enter")
    check(f"filters: '{text}' is told: {words}", f"filter: {text}" in lines[1], True)
    if not shown:
        check(f"filters: '{text}' has nothing: {words}", "nothing matches" in lines[HEAD], True)
    else:
        number, unit = re.match(r" TOTAL: [+]?(-?[0-9.]+)([KMG]i|) ", lines[1]).groups()
        check(f"filters: '{text}' is summed up: {words}", abs(float(number) * UNITS[unit] - sum(shown)) <= 0.006 * abs(sum(shown)), True)
        count = len(labels(t.press("Home")))
        for _ in range(count):
            t.tmux("send-keys", "-l", " ")
        m = re.search(r"\(([-+]?[0-9]+)\) file", t.rest()[-1])
        if m and count < 20:
            check(f"filters: the sum of '{text}': {words}", int(m[1]), sum(shown))
        t.press("u")
    t.press("Escape")
    check(f"filters: Esc takes '{text}' away: {words}", "filter:" in t.lines()[1], False)


def check_filters():
    for words in FILTERED:
        t = browse(*words)
        leaves = leaves_of(rows_of(*words))
        for text in FILTERS:
            check_filter(t, words, text, leaves)
        t.press("q")
        t.close()
    t = browse("sources", "-d", "sections,symbols")
    t.press("/", "mainX", "BSpace")
    check("filters: Backspace takes a letter", "filter: main" in t.lines()[1], True)
    t.press("C-u")
    check("filters: C-u takes all", "filter:" in t.lines()[1], False)
    t.press("Enter", "q")
    t.close()


def check_filtered_rows():
    """What is opened by a filter closes with it; marks and what somebody opened stay."""
    t = browse("sources", "-d", "sections,symbols")
    before = labels(t.lines())
    lines = t.press("/", "main .text", "Enter", "Home", "Down", "Space")
    row = chosen(t)
    check("filtered rows: the row is there", ("main" in row, "1 marked" in lines[-1]), (True, True))
    own = re.search(r"\(([0-9]+)\) file", lines[-1])[1]
    t.press("Escape")
    check("filtered rows: Esc leaves the cursor where it is", chosen(t), row)
    check("filtered rows: the mark stays", re.search(r"\(([0-9]+)\) file", t.lines()[-1])[1], own)
    t.press("Left", "Left")
    check("filtered rows: nothing else is open", labels(t.press("Home")), before)
    t.press("/", "nothing like it", "Enter")
    check("filtered rows: what is hidden is not summed", re.search(r"1 marked: 0", t.lines()[-1]) is not None, True)
    t.press("Escape")
    check("filtered rows: nor lost", re.search(r"\(([0-9]+)\) file", t.lines()[-1])[1], own)
    t.press("q")
    t.close()


# ---- keys ---------------------------------------------------------------------------------------------

def check_moves():
    top = by_file(rows_of("-d", "sections,symbols", "sources")["children"])
    parents = [i for i, r in enumerate(top) if len(r["children"]) > 1]
    t = browse("sources")
    for keys, at in [(["Down"], 1), (["j"], 2), (["Up"], 1), (["k"], 0), (["Up"], 0), (["End"], len(top) - 1),
                     (["Down"], len(top) - 1), (["Home"], 0), (["G"], len(top) - 1), (["g"], 0), (["j"], 1), (["k"], 0),
                     (["NPage"], min(20, len(top) - 1)), (["PPage"], 0)]:
        t.press(*keys)
        check(f"keys: {keys[0]}", chosen(t), top[at]["label"])
    row = top[parents[0]]
    t.press("Home", *["Down"] * parents[0])
    before = labels(t.lines())
    opened = labels(t.press("Right"))
    check("keys: Right opens", opened != before and (1, by_file(row["children"])[0]["label"]) in opened, True)
    t.press("Down")
    check("keys: the first row below", chosen(t), by_file(row["children"])[0]["label"])
    t.press("Left")
    t.press("h")
    check("keys: l opens", labels(t.press("l")), opened)
    check("keys: Left goes up", chosen(t), row["label"])
    check("keys: Left closes", labels(t.press("h")), before)
    lines = t.press("Enter")
    check("keys: Enter makes it the whole", row["label"] in lines[1], True)
    check("keys: its rows", labels(lines), [(0, r["label"]) for r in by_file(row["children"])][:20])
    lines = t.press("BSpace")
    check("keys: Backspace goes back", (labels(lines), chosen(t)), (before, row["label"]))
    check("keys: * opens all", len([1 for depth, _ in labels(t.press("*")) if depth == 1]) > 0, True)
    check("keys: * closes all", labels(t.press("*")), before)
    t.press("q")
    t.close()


def check_acts():
    top = by_file(rows_of("-d", "sections,symbols", "sources")["children"])
    t = browse("sources", "tiny")
    lines = t.press("s")
    names = sorted((r["label"] for r in top), key=lambda n: n.encode())
    check("keys: s sorts by name", ("sorted by name" in lines[-1], [n for _, n in labels(t.press("Home"))]), (True, names[:20]))
    t.press("r", "Home")
    check("keys: r turns it round", [n for _, n in labels(t.lines())], names[::-1][:20])
    t.press("r", "s")
    lines = t.press("m")
    check("keys: m measures in memory", "measured in vm" in lines[-1] and "vm" in lines[1], True)
    t.press("m", "Home")
    lines = t.press("Space", "Space")
    check("keys: marks are summed", f"({top[0]['file'] + top[1]['file']}) file" in lines[-1], True)
    check("keys: marks are seen", [line[0] for line in lines[HEAD:HEAD + 3]], ["*", "*", " "])
    check("keys: u unmarks", "marked" in t.press("u")[-1], False)
    check("keys: ? shows keys", "Keys" in t.press("?")[0], True)
    check("keys: a key goes back", labels(t.press("q"))[0][1], top[0]["label"])
    check("keys: n shows notes", "Notes" in t.press("n")[0], True)
    t.press("q")
    check("keys: Tab goes to the next input", " tiny  by" in t.press("Tab")[0], True)
    check("keys: Tab goes round", " sources  by" in t.press("Tab")[0], True)
    t.press("d", "C-u", "segments", "Enter")
    check("keys: d groups", labels(t.wait("by segments")), [(0, r["label"]) for r in by_file(rows_of("-d", "segments", "sources")["children"])])
    lines = t.press("d", "C-u", "nonsense", "Enter")
    check("keys: what cannot be is said", ("nonsense" in lines[-1], "by segments" in lines[0]), (True, True))
    t.press("d", "Tab")
    check("keys: Tab offers groups", re.search(r"group by: \S+,\S+", t.lines()[-1]) is not None, True)
    offered = {re.search(r"group by: (\S*)", t.press("Tab")[-1]).group(1) for _ in range(12)}
    check("keys: Tab offers those of firmware", offered >= {"libraries,symbols", "regions,libraries,symbols"}, True)
    t.press("Escape")
    check("keys: Esc changes nothing", "by segments" in t.lines()[0], True)
    t.press("d", "C-u", "sections,symbols", "Enter")
    t.wait("by sections,symbols")
    t.press("o", "C-u", "page.html", "Enter")
    check("keys: o writes a page", t.wait("wrote page.html") is not None, True)
    check("keys: the page is that of heft report", open("page.html", "rb").read() == heft("report", "-d", "sections,symbols", "sources", "tiny"), True)
    with open("sources", "rb") as f:
        before = f.read()
    check("keys: no input is written over", "cannot write" in t.press("o", "C-u", "sources", "Enter")[-1], True)
    check("keys: the input is as it was", open("sources", "rb").read() == before, True)
    t.press("q")
    check("keys: q quits", t.status(), 0)
    t.close()


def check_mouse():
    top = by_file(rows_of("-d", "sections,symbols", "sources")["children"])
    parent = next(i for i, r in enumerate(top) if len(r["children"]) > 1)
    t = browse("sources")
    before = labels(t.lines())
    t.mouse(0, 30, HEAD + 3)
    t.rest()
    check("mouse: a click chooses", chosen(t), top[3]["label"])
    for what, wanted in ("opens", False), ("closes", True):
        t.mouse(0, 30, HEAD + parent)
        t.mouse(0, 30, HEAD + parent)
        check(f"mouse: a double click {what}", labels(t.rest()) == before, wanted)
    t.press("i")
    t.mouse(0, 30, 5)
    t.rest()
    check("mouse: a click is no key", "One row" in t.lines()[0], True)
    t.press("q")
    t.mouse(0, 30, 0)
    t.mouse(0, 79, 23)
    check("mouse: nothing is there to click", labels(t.rest()), before)
    t.press("q")
    t.close()
    t = browse("-d", "symbols", "sources", rows=10)
    first = labels(t.lines())
    t.mouse(65, 30, 5)
    check("mouse: the wheel scrolls", labels(t.rest())[0], first[3])
    check("mouse: the cursor stays in sight", chosen(t), first[3][1])
    t.mouse(64, 30, 5)
    check("mouse: and back", labels(t.rest()), first)
    t.press("?")
    lines = t.lines()
    t.mouse(65, 30, 5)
    check("mouse: the wheel scrolls a text", t.rest()[1], lines[4])
    t.press("q", "q")
    t.close()
    t = browse("--no-mouse", "sources")
    check("mouse: --no-mouse leaves it alone", t.tmux("display-message", "-p", "#{mouse_any_flag}").strip(), "0")
    t.press("q")
    t.close()


def check_card():
    """The card of a function against heft where and heft blocks --disassemble."""
    subprocess.run(["cc", "-g", "-O1", "-x", "c", "-o", "carded", "-"], check=True, input=CARDED)
    t = browse("-d", "sections,symbols", "carded")
    t.press("/", "carded_function .text", "Enter", "Home", "Down")
    check("card: the function is there", chosen(t), "carded_function")
    text = "\n".join(t.press("i"))
    flat = re.sub(r"\s+", " ", text)
    place = json.loads(heft("where", "--json", "carded", "carded_function"))
    where = re.sub(r"\s+", " ", heft("where", "carded", "carded_function").decode())
    check("card: what heft where says", where.strip() in flat, True)
    check("card: a source line", re.search(r"carded_function at \S*<stdin>:[0-9]+", where) is not None, True)
    own = int(re.search(r"own +([0-9]+) bytes", text)[1])
    check("card: own bytes", own, place["symbol_own"])
    padded = int(re.search(r"with padding +([0-9]+) bytes", text)[1])
    check("card: with padding", padded, card_bytes(t.lines(), "vm"))
    all_rows = rows_of("-d", "symbols", "carded")["children"]
    because = next(r["file"] for r in all_rows if r["label"] == "carded_function")
    check("card: because of it", int(re.search(r"because of it +([0-9]+) bytes", text)[1]), because)
    check("card: sizes are told apart", own <= padded < because, True)
    check("card: aliases", "carded_function_by_another_name" in text, True)
    t.press("q")
    lines = t.press("x")
    wanted = heft("blocks", "--disassemble", "-C", "short", "--function", "carded_function", "carded").decode().split("\n")
    if "without a disassembler" in lines[-1]:
        print("LEFT OUT: instructions: heft was built without a disassembler")
    else:
        check("card: instructions", [line.strip()[:60] for line in lines[1:6]], [line.strip()[:60] for line in wanted[1:6]])
    t.press("q", "Escape", "/", "another_name .text", "Enter", "Home", "Down")
    check("card: an alias is found", chosen(t), "carded_function")
    t.press("Escape", "/", ".text", "Enter", "Home")
    check("card: a section has no size of a symbol", "as symbols state" in "\n".join(t.press("i")), False)
    t.press("q")
    lines = t.press("x", "End")
    if "without a disassembler" not in lines[-1]:
        t.press("Home")
        seen = set()
        while len(seen) < 300:
            before = t.lines()
            seen.update(line.split(" at ")[0].strip() for line in before if re.search(r" at 0x[0-9a-f]+ \.text", line))
            if t.press("NPage") == before:
                break
        check("card: instructions of all functions of a section", {"carded_function", "main"} <= seen, True)
        t.press("q")
    t.press("Escape", "/", ".comment", "Enter", "Home")
    check("card: data have no instructions", "no code is known" in t.press("x")[-1], True)
    t.press("q")
    t.close()


def check_merged_card():
    """A short name that several symbols share: the card has all of them."""
    subprocess.run(["c++", "-g", "-O1", "-x", "c++", "-o", "merged", "-"], check=True, input=MERGED)
    t = browse("-d", "sections,symbols", "merged")
    t.press("/", "instance .text", "Enter", "Home", "Down")
    check("merged: the row", chosen(t), "instance<>()")
    t.press("/", "C-u", "instance<7>(int) .text", "Enter", "Home", "Down")
    check("merged: found by the full name of one", chosen(t), "instance<>()")
    t.press("/", "C-u", "instance<8>(int)", "Enter")
    check("merged: no instance has that name", "nothing matches" in t.lines()[HEAD], True)
    t.press("/", "C-u", "instance .text", "Enter", "Home", "Down")
    text = "\n".join(t.press("i"))
    sizes = [s["own"] for s in json.loads(heft("query", "--json", "merged",
             "select own from symbols where full_name like 'instance%' and section = '.text'"))]
    check("merged: there are five", len(sizes), 5)
    check("merged: instances", re.search(r"instances +([0-9]+) symbols", text)[1], "5")
    check("merged: own bytes", int(re.search(r"own +([0-9]+) bytes", text)[1]), sum(sizes))
    t.press("q")
    lines = t.press("x")
    if "without a disassembler" not in lines[-1]:
        check("merged: functions are counted above their code", any(line.strip().startswith("5 functions, ") for line in lines[:4]), True)
    t.press("q")
    t.close()


MERGED = b"""
template <int N> __attribute__((noinline)) int instance(int x) { return x * N + 1; }
int main(int c, char **) {
	return instance<3>(c) + instance<5>(c) + instance<7>(c) + instance<100>(c) + instance<2222>(c);
}
"""

CARDED = b"""
__attribute__((noinline)) int carded_function(int x) { return x * 3 + 1; }
int carded_function_by_another_name(int) __attribute__((weak, alias("carded_function")));
int main(int c, char **v) { (void)v; return carded_function(c); }
"""


# ---- changes, lists, heaps --------------------------------------------------------------------------

def check_changes():
    total = rows_of("-d", "sections,symbols", "tiny-grown", "--", "tiny")
    t = browse("tiny-grown", "--", "tiny")
    wanted = sorted(total["children"], key=lambda r: (-abs(r["file"] - r["base_file"]), r["label"].encode()))
    check("changes: rows", [n for _, n in labels(t.lines())], [r["label"] for r in wanted][:20])
    grown = next(r for r in wanted if r["file"] > r["base_file"])
    line = next(line for line in t.lines() if line.endswith(" " + grown["label"]))
    check("changes: growth has a sign", "+" in line[:12], True)
    check("changes: growth is red", "\x1b[31m" in t.styled(), True)
    for name in "growth", "the old size", "name", "change":
        check(f"changes: sorted by {name}", f"sorted by {name}" in t.press("s")[-1], True)
    t.press("q")
    t.close()
    t = browse("new.size", "--", "old.size")
    check("changes: of lists", any(w in "\n".join(t.lines()) for w in ("added", "changed", "removed")), True)
    t.press("d", "C-u", "section", "Enter")
    check("changes: lists by section", t.wait("by section") is not None, True)
    card = "\n".join(t.press("i"))
    check("changes: a card of several counts what became of them", re.search(r"^ (added|changed|removed) +[1-9]", card, re.M) is not None, True)
    t.press("q", "d", "C-u", "symbol", "Enter")
    t.wait("by symbol")
    card = "\n".join(t.press("i"))
    check("changes: a card of one says what became of it",
          (re.search(r"^ became +changed", card, re.M) is not None, re.search(r"^ own +4096 bytes before, 8192 bytes now", card, re.M) is not None,
           re.search(r"^ added ", card, re.M)), (True, True, None))
    t.press("q")
    t.press("q")
    t.close()


def check_lists():
    t = browse("new.size")
    largest = t.press("i")
    check("lists: a card", card_bytes(largest, "own"), 8192)
    check("lists: where it is", [re.sub(" +", " ", line.strip()) for line in largest if " path " in line or " in_section " in line],
          ["in_section .bss", "path src/net/socket.cc"])
    t.press("q", "q")
    check("lists: exit status", t.status(), 0)
    t.close()


def check_heap():
    t = browse("heap.core")
    functions = rows_of("heap", "show", "--by=function", "heap.core")["children"]
    for by in "callers", "function", "file", "line", "module", "thread", "size", "age", "tree":
        t.press("d", "C-u", by, "Enter")
        check(f"heap: by {by}", t.wait(f"by {by}") is not None, True)
        if by == "function":
            row = max(functions, key=lambda r: r["live_bytes"])
            t.press("Home")
            card = t.press("i")
            check("heap: a card", (card[1].strip(), card_bytes(card, "live"), card_bytes(card, "allocated")),
                  (row["label"], row["live_bytes"], row["alloc_bytes"]))
            t.press("q")
            check("heap: functions", sorted(n for _, n in labels(t.lines())), sorted(r["label"] for r in functions)[:20])
    t.press("q")
    t.close()
    t = browse("heap-later.core", "--", "heap.core")
    check("heap: what changed", "(what changed)" in t.lines()[0], True)
    t.press("q")
    t.close()


LIVING = b"""
#include <stdlib.h>
#include <stdio.h>
#include <unistd.h>
void *kept[100000];
__attribute__((noinline)) void *first_caller(void) { return malloc(1000); }
__attribute__((noinline)) void *second_caller(void) { return malloc(500); }
int main(void)
{
	int n = 0, c;
	kept[n++] = first_caller();
	puts("ready");
	fflush(stdout);
	while (read(0, &c, 1) == 1)
		kept[n++] = second_caller();
	return 0;
}
"""


def live_bytes(lines, name):
    for line in lines:
        if line.endswith(" " + name):
            return line[1:].split()[0]
    return None


def check_living():
    """A process under the recorder: it grows, it ends; what was opened and marked stays so."""
    if not RECORDER:
        print("LEFT OUT: living processes: no recorder was named")
        return
    subprocess.run(["cc", "-O1", "-x", "c", "-o", "living", "-"], check=True, input=LIVING)
    process = subprocess.Popen(["./living"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0,
                               env={**os.environ, "LD_PRELOAD": RECORDER, "HEFT_HEAP_OUT": "living.heap"})
    try:
        process.stdout.readline()
        t = browse("--pid", str(process.pid))
        check("living: it is told", f"process {process.pid}: ./living" in t.lines()[0] and "(runs)" in t.lines()[0], True)
        t.press("d", "C-u", "function", "Enter")
        check("living: what it holds", live_bytes(t.wait(" first_caller$") or [], "first_caller"), "1000")
        t.press("/", "caller", "Enter")
        t.press("Home", "Space")
        process.stdin.write(b"x")
        lines = t.wait(" second_caller$") or []
        check("living: what it asks for is seen", live_bytes(lines, "second_caller"), "500")
        check("living: the mark stays", [line[0] for line in lines if line.endswith(" first_caller")], ["*"])
        check("living: the filter stays", "filter: caller" in lines[1], True)
        process.stdin.write(b"xxxx")
        lines = t.wait(lambda lines: live_bytes(lines, "second_caller") == "2.44Ki") or []
        check("living: what grows goes up", [n for _, n in labels(lines)], ["second_caller", "first_caller"])
        shown = {r["label"]: r["live_bytes"] for r in rows_of("heap", "show", "--by=function", "--pid", str(process.pid))["children"]}
        check("living: heap show says the same", (shown.get("second_caller"), shown.get("first_caller")), (2500, 1000))
        t.press("Escape", "d", "C-u", "tree", "Enter")
        t.wait("by tree")
        t.press("/", "second_caller", "Enter")
        time.sleep(3)  # it was made anew by then
        check("living: what a filter opened stays open", labels(t.lines())[-1][1], "second_caller")
        check("living: a page has the name of the process", f": process {process.pid}.html" in t.press("o")[-1], True)
        t.press("Escape")
        t.press("Escape")
        t.press("d", "C-u", "function", "Enter")
        t.wait("by function")
        t.press("/", "caller", "Enter")
        t.press("?")
        t.press("q")
        process.stdin.close()
        process.wait()
        lines = t.wait(r"\(ended\)")
        check("living: its end is told", lines is not None and "its last state stays" in t.lines()[-1], True)
        check("living: its last state stays", live_bytes(t.lines(), "second_caller"), "2.44Ki")
        t.press("Escape", "d", "C-u", "module", "Enter")
        check("living: and can be grouped", t.wait("by module") is not None, True)
        t.press("q")
        check("living: exit status", t.status(), 0)
        t.close()
    finally:
        process.kill()
        process.wait()
    for words, text in [(["--pid", str(os.getpid())], "nothing in it records its heap"), (["--pid", "999999999"], "No such process"),
                        (["--pid", "0"], "'0' is not a process id"), (["--pid", str(os.getpid()), "tiny"], "--pid goes without files: tiny")]:
        t = terminal.Terminal(WORK, [HEFT, "browse", *words], columns=150)
        check(f"living: {words} ends", t.status(), 2)
        check(f"living: {words} says why", text in "\n".join(t.lines()), True)
        t.close()


def check_regions():
    """Headroom of memory regions is what heft size says of it, also where one has overflowed."""
    words = ["-d", "regions,sections", "--region", "flash=0x400000+1792", "--region", "ram=0x403000+64K", "tiny"]
    said = re.findall(r"^ +[0-9.]+% +(\S+) +\S+ +(\S+) +(\S+)    (\w+)$", heft("size", *words).decode(), re.M)
    check("regions: heft size tells two", sorted(r[3] for r in said), ["flash", "ram"])
    for columns, picture in (40, False), (80, False), (120, True):
        t = browse(*words, columns=columns)
        lines = t.lines()
        wide = columns >= 80
        check(f"regions: titles at {columns}", re.sub(" +", " ", lines[HEAD - 1].strip()).startswith("vm share free % used file" if wide else "vm"), True)
        check(f"regions: the picture at {columns}", "##" in "\n".join(lines), picture)
        for used, free, percent, name in said:
            shown = [line[1:].split() for line in lines if line.endswith(" " + name)]
            wanted = [used, free, percent] if wide else [used]
            check(f"regions: {name} at {columns}", [r[:1] + r[2:4] if wide else r[:1] for r in shown], [wanted])
        t.press("q")
        t.close()


# ---- terminals -----------------------------------------------------------------------------------------

def check_sizes():
    top = by_file(rows_of("-d", "sections,symbols", "sources")["children"])
    for columns, rows in (80, 24), (40, 12), (200, 60), (20, 5), (7, 2):
        t = terminal.Terminal(WORK, [HEFT, "browse", "sources"], columns=columns, rows=rows)
        t.rest()
        if columns >= 40:
            t.wait("sections")
            foot = t.lines()[-1]
            check(f"sizes: keys at {columns}x{rows}", ("? help" in foot, "q quit" in foot), (True, True))
            check(f"sizes: rows at {columns}x{rows}", [n for _, n in labels(t.lines())], [r["label"] for r in top][:rows - HEAD - FOOT])
        check(f"sizes: lines at {columns}x{rows}", max(len(line) for line in t.lines()) <= columns, True)
        lines = t.press("End", "Right", "?")
        if columns == 40:
            wrapped = " ".join(line.strip() for line in lines)
            check("sizes: words of texts stay whole", re.search(r"Home End, g G +the first row, the last one", wrapped) is not None, True)
        t.press("q", "i")
        t.press("q", "q")
        check(f"sizes: {columns}x{rows} quits", t.status(), 0)
        t.close()
    t = browse("tiny-grown", "--", "tiny")
    check("sizes: marks of changes have a sign", re.search(r"\([+-][0-9]+\) file", t.press("Home", "Space")[-1]) is not None, True)
    t.press("q")
    t.close()
    t = browse("sources")
    for columns, rows in (120, 40), (50, 10), (30, 4), (80, 24):
        lines = t.resize(columns, rows)
        check(f"sizes: resized to {columns}x{rows}", (len(lines), "sources" in lines[0]), (rows, True))
    check("sizes: all is as before", [n for _, n in labels(t.lines())], [r["label"] for r in top][:20])
    t.press("?")
    t.resize(60, 15)
    t.press("q", "/", "a")
    check("sizes: resized while typing", "filter: a" in t.resize(90, 20)[-1], True)
    t.press("Escape", "q")
    check("sizes: exit status", t.status(), 0)
    t.close()


def check_colours():
    colour = re.compile(r"\x1b\[(?:[0-9;]*;)?[34][0-7]m")
    for env, wanted in [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "vt100"}, False), ({"LC_ALL": "C"}, True)]:
        t = browse("tiny-grown", "--", "tiny", env=env)
        check(f"colours: {env}", colour.search(t.styled()) is not None, wanted)
        check(f"colours: {env}: the chosen row is seen", chosen(t) is not None, True)
        t.press("Right", "Down", "q")
        check(f"colours: {env}: exit status", t.status(), 0)
        t.close()


def check_no_terminal():
    done = subprocess.run([HEFT, "browse", "tiny"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    check("no terminal: it is said", (done.returncode, b"no terminal" in done.stderr), (2, True))
    for words, env, text in [(["browse", "tiny"], {"TERM": "nonsense"}, "'nonsense' is not known"), (["browse", "nothing"], {}, "nothing: "),
                             (["browse", "-d", "symbolz", "tiny"], {}, "symbolz"), ([], {}, "heft browse FILE")]:
        t = terminal.Terminal(WORK, [HEFT, *words], columns=150, rows=50, env=env)
        check(f"no terminal: {words} ends", t.status(), 2)
        check(f"no terminal: {words} says why", text in "\n".join(t.lines()), True)
        t.close()


# ---- names and many rows -----------------------------------------------------------------------------

NAMES = ["<script>alert(1)</script>", "=cmd()", "x\x1b[31mred", "tab\tand", "bad\udcffutf8", "‮reversed", "wide漢字",
         "L" * 3000000]


def hostile(path):
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


def check_longest():
    if not longest("longest.o"):
        print("LEFT OUT: a name of 50 MB: objcopy does not make it")
        return
    t = browse("-C", "none", "-d", "symbols", "longest.o")
    check("longest: it is cut", [name[:20] for _, name in labels(t.lines())][:1], ["L" * 20])
    check("longest: lines stay within the screen", max(len(line) for line in t.lines()) <= 80, True)
    t.press("i")
    card = "".join(t.wait("One row") or [])
    for _ in range(3):
        card += "".join(t.press("NPage"))
    check("longest: how long it is is told", re.search(r"\( *5[0 ]*bytes *\)", card) is not None, True)
    t.press("q", "/", "LLLL", "Enter")
    check("longest: it is found", t.wait(" LLLL") is not None, True)
    t.press("Escape", "q")
    check("longest: exit status", t.status(), 0)
    t.close()


def check_names():
    path = os.path.join(WORK, "a\x1b[2Jb.o")
    if not hostile(path):
        print("LEFT OUT: odd names: the assembler does not take them")
        return
    for env in {}, {"LC_ALL": "C"}:
        t = browse("-C", "none", "-d", "symbols", path, env=env)
        text = "\n".join(t.lines())
        for name in NAMES[:7]:
            shown = name.replace("\x1b", "\\x1b").replace("\t", "\\t").replace("\udcff", "\\xff").replace("‮", "\\xe2\\x80\\xae")
            if env:
                shown = shown.replace("漢字", "\\u{6f22}\\u{5b57}")
            check(f"names: {name!r} {env}", shown in text, True)
        check("names: a long one is cut", "L" * 20 in text, True)
        t.press("/", "LLL", "Enter")
        t.press("i")
        t.press("NPage", "q")
        check("names: the card of a long one", "L" * 20 in "\n".join(t.lines()), True)
        t.press("x")
        check("names: keys that are typed while something is read are kept", "Instructions" in t.lines()[0] or
              "no code" in t.lines()[-1] or "disassembler" in t.lines()[-1], True)
        if "Instructions" in t.lines()[0]:
            t.press("q")
        t.press("q")
        check("names: exit status", t.status(), 0)
        t.close()


def check_glance():
    """A program that takes a while is shown by sections meanwhile; what was done to them stays."""
    sections = by_file(rows_of("-d", "sections", "many")["children"])
    t = terminal.Terminal(WORK, [HEFT, "browse", "many"])
    lines = t.wait("q quit")
    if "(soon by sections,symbols: " not in lines[0]:
        print("LEFT OUT: sections meanwhile: this machine was done at once")
    else:
        check("glance: sections", [n for _, n in labels(lines)], [r["label"] for r in sections][:20])
        t.tmux("send-keys", "Down", "Space")
        t.wait(lambda lines: "(soon by" not in lines[0])
        check("glance: marks and the cursor stay", (t.lines()[HEAD + 1][0], chosen(t)), ("*", sections[2]["label"]))
        check("glance: rows can be opened then", re.search(r"\+ \.text$", "\n".join(t.lines()), re.M) is not None, True)
    t.press("q")
    check("glance: exit status", t.status(), 0)
    t.close()
    t = terminal.Terminal(WORK, [HEFT, "browse", "many"])
    t.wait("q quit")
    t.press("q")
    check("glance: q does not wait", t.status(), 0)
    t.close()


def check_many():
    subprocess.run([FIXTURES + "/many_symbols.py", "many", "200000"], check=True)
    check_glance()
    t = browse("-d", "symbols", "many")
    lines = t.press("End")
    m = re.search(r"([0-9]+) rows", lines[1])
    check("many: all rows are there", int(m[1]) >= 200000, True)
    t.press("/", "room77::function77", "Enter")
    check("many: one is found", t.wait("room77::function77$") is not None, True)
    t.press("Escape", "Space", "Home", "q")
    check("many: exit status", t.status(), 0)
    t.close()


def main():
    if not terminal.find():
        print("SKIP: no tmux (install tmux)")
        sys.exit(77)
    if b"without ncurses" in subprocess.run([HEFT, "browse", "x"], stderr=subprocess.PIPE).stderr:
        print("SKIP: heft was built without ncurses (install libncurses-dev)")
        sys.exit(77)
    for recipe in glob.glob(FIXTURES + "/golden_*"):
        subprocess.run([recipe, WORK], check=True, env={**os.environ, "HEFT": HEFT})
    os.chdir(WORK)
    try:
        for part in (check_rows, check_filters, check_filtered_rows, check_moves, check_acts, check_mouse, check_card,
                     check_merged_card, check_changes, check_lists, check_heap,
                     check_living, check_regions, check_sizes,
                     check_colours, check_no_terminal, check_names, check_longest, check_many):
            part()
    finally:
        subprocess.run(["tmux", "-S", os.path.join(WORK, "tmux.socket"), "kill-server"], stderr=subprocess.DEVNULL)
        subprocess.run(["rm", "-rf", WORK])
    print(f"{sum(CHECKS.values())} checks, {len(FAILURES)} failed")
    sys.exit(1 if FAILURES or sum(CHECKS.values()) < 100 else 0)


if __name__ == "__main__":
    HEFT, FIXTURES, RECORDER = (os.path.abspath(p) if p else "" for p in (sys.argv[1:] + [""])[:3])
    WORK = tempfile.mkdtemp()
    main()
