#!/usr/bin/env python3
"""Pictures of reports (--format=svg): XML that needs nothing else, areas as large as the sizes, names that are text.

usage: pictures.py HEFT FIXTURES     FIXTURES: the folder of the recipes golden_*
"""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

HEFT, FIXTURES = (os.path.abspath(p) for p in sys.argv[1:])
SVG = "{http://www.w3.org/2000/svg}"
FAILURES, COUNT = [], [0]


def check(what, good):
    COUNT[0] += 1
    if not good:
        FAILURES.append(what)
        print("FAILED:", what)


def heft(*words):
    done = subprocess.run([HEFT, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    check(f"{words}: exit status {done.returncode}", done.returncode == 0)
    return done.stdout


def references(text, top):
    """What would make a browser ask for another file: attributes that name one, styles, instructions before the picture."""
    found = re.findall(rb"<\?xml-stylesheet|<!DOCTYPE|<!ENTITY", text)
    for e in top.iter():
        found += [f"{k}={v}" for k, v in e.attrib.items() if re.search(r"(^|})(href|src)$", k) or re.search(r"url\(|^\w+://", v)]
        if e.tag == SVG + "style":
            found += re.findall(r"url\(|@import", e.text)
    return found


def picture(*words):
    """The boxes of a picture, from label and size to the rectangle; what holds for each picture is checked."""
    text = heft(*words, "--format=svg")
    top = xml.fromstring(text)
    check(f"{words}: it is an image with a title and a description",
          (top.tag, top.get("role"), top[0].tag, top[1].tag) == (SVG + "svg", "img", SVG + "title", SVG + "desc") and top[0].text)
    check(f"{words}: it is light and dark", b"prefers-color-scheme:dark" in text)
    check(f"{words}: it refers to nothing: {references(text, top)}", not references(text, top))
    names = {e.tag for e in top.iter()} - {SVG + n for n in
             ("svg", "title", "desc", "style", "g", "rect", "text", "path", "polygon", "polyline")}
    check(f"{words}: no other elements: {names}", not names)
    boxes = [(e.find(SVG + "title").text, [float(e.get(k)) for k in ("x", "y", "width", "height")]) for e in top.iter(SVG + "rect")
             if e.find(SVG + "title") is not None]
    inside = all(x >= -0.1 and y >= -0.1 and x + w <= 960.2 and y + h <= float(top.get("height")) + 0.2 for _, (x, y, w, h) in boxes)
    check(f"{words}: all is in sight", inside)
    return boxes, text.decode()


def flat(row, sum_of):
    """What a treemap of one level shows: label to share of the whole."""
    rows = {c["label"]: sum_of(c) for c in row["children"]}
    whole = sum(rows.values())
    return {label: size / whole for label, size in rows.items() if size > 0}


def check_areas(words, table, sum_of):
    boxes, _ = picture(*words)
    shares, seen = flat(json.loads(heft(*table, "-n0", "--json"))["total"], sum_of), 0
    room = 960 * (540 - 18)
    for text, (_, _, w, h) in boxes:
        label = text.rsplit(": ", 1)[0]
        if label in shares:
            seen += 1
            # Sides are written with one decimal.
            check(f"{words}: the area of {label} is {w * h}, not {shares[label] * room}",
                  abs(w * h - shares[label] * room) <= 0.1 * (w + h) + 1)
    check(f"{words}: what has room is there", seen == sum(1 for s in shares.values() if s * room >= 30.5) or
          abs(seen - sum(1 for s in shares.values() if s * room >= 30)) <= 1)


def check_flame(words):
    boxes, _ = picture(*words)
    tree = json.loads(heft("heap", "show", "--by=tree", "-n0", "--json", words[-1]))["total"]
    whole = tree["live_bytes"]
    wanted = []

    def walk(row, depth):
        wanted.append((row["label"], depth, 960 * row["live_bytes"] / whole))
        for child in row["children"]:
            walk(child, depth + 1)
    walk(tree, 0)
    lowest = max(y for _, (_, y, _, _) in boxes)
    got = sorted((text.rsplit(": ", 1)[0], round((lowest - y) / 18), round(w)) for text, (_, y, w, _) in boxes)
    check(f"{words}: bands as wide as they weigh", got == sorted((n, d, round(w)) for n, d, w in wanted if w >= 0.7))


def check_query(file):
    """Areas of what a statement gives: one level, two levels, and what cannot be drawn."""
    sql = "SELECT section, sum(own) AS bytes FROM symbols GROUP BY section"
    boxes, text = picture("query", file, sql)
    rows = {r["section"]: r["bytes"] for r in json.loads(heft("query", file, sql, "--json"))}
    whole, room, seen = sum(round(v) for v in rows.values()), 960 * (540 - 18), 0
    for tip, (_, _, w, h) in boxes:
        label = tip.rsplit(": ", 1)[0]
        if label in rows:
            seen += 1
            check(f"query {file}: the area of {label}", abs(w * h - rows[label] / whole * room) <= 0.1 * (w + h) + 1)
    check(f"query {file}: rows are drawn", seen > 0)
    check(f"query {file}: the title has the sum", f"section: {whole} bytes" in text)
    boxes, text = picture("query", file, "SELECT section, own, name FROM symbols")
    labels = {tip.rsplit(": ", 1)[0] for tip, _ in boxes}
    check(f"query {file}: both levels are there", labels & set(rows) and len(labels - set(rows)) > 0)
    check(f"query {file}: the title has both levels", "section, name: " in text)
    boxes, _ = picture("query", file, "@largest")
    check(f"query {file}: ready-made ones", len(boxes) > 1)
    for sql, said in [("SELECT name FROM symbols", "needs a column of text, the labels, and a column of numbers"),
                      ("SELECT own FROM symbols", "needs a column of text, the labels, and a column of numbers"),
                      ("SELECT name, own FROM symbols; SELECT name, own FROM symbols", "what one statement gives")]:
        done = subprocess.run([HEFT, "query", file, sql, "--format=svg", "-o", "no.svg"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        check(f"query {file}: {sql}: {done.stderr}", done.returncode == 2 and said in done.stderr.decode() and not os.path.exists("no.svg"))


def check_profile(file):
    """Blocks of a profile, from addresses."""
    code = json.loads(heft("where", "--json", file, "main"))["address"]
    with open("samples", "w") as f:
        f.write(f"{code:x} 30\n")
    boxes, text = picture("blocks", "profile", "--addresses", "samples", file)
    check(f"profile of {file}: main is there", any(tip.startswith("main: 30") for tip, _ in boxes))


NAMES = ["<script>alert(1)</script>", "\"'&amp;]]>", "x\x1b[31mred", "bad\udcffutf8", "\u202ereversed", "\uffff", "L" * 1000000]


def check_names(work):
    with open("names.s", "wb") as f:
        f.write(b".text\n")
        for i, name in enumerate(NAMES):
            quoted = name.replace('"', '\\"').encode(errors="surrogateescape")
            f.write(b'.globl "%s"\n.type "%s",@function\n"%s": .fill %d,1,0x90\n.size "%s",%d\n'
                    % (quoted, quoted, quoted, 10000 + i, quoted, 10000 + i))
    if subprocess.run(["cc", "-c", "names.s", "-o", "names.o"]).returncode != 0:
        print("LEFT OUT: odd names: the assembler does not take them")
        return
    boxes, text = picture("-C", "none", "-d", "symbols", "--domain=vm", "names.o")
    tips = [tip.split(": ")[0] for tip, _ in boxes]
    for name in NAMES[:5]:
        shown = name.replace("\x1b", "\\x1b").replace("\udcff", "\\xff").replace("\u202e", "\\xe2\\x80\\xae")
        check(f"names: {name!r}", shown in tips)
    check("names: a long one is cut", len(text) < 20000)
    check("names: no control characters", not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", text))


def check_texts():
    """Paths are cut in front, where their names stay; what grew has a sign beside its colour."""
    boxes, text = picture("-d", "compileunits", "-n0", HEFT)
    paths = [tip.rsplit(": ", 1)[0] for tip, _ in boxes if tip.startswith("/")]
    texts = [e.text for e in xml.fromstring(text.encode()).iter(SVG + "text")]
    check("texts: no path is cut behind", not any(t.startswith("/") and t.endswith("…") for t in texts))
    cut = [t[1:] for t in texts if t.startswith("…")]
    check("texts: their ends stay", not paths or (cut and all(any(path.endswith(t) for path in paths) for t in cut)))
    for words, sign in [(["tiny-grown", "--", "tiny"], "+"), (["tiny", "--", "tiny-grown"], "-")]:
        _, text = picture("-d", "sections", *words)
        check(f"texts: {words} has signs", any(re.search(rf"(^|: )\{sign}", e.text or "") for e in xml.fromstring(text.encode()).iter(SVG + "text")))


def main():
    with tempfile.TemporaryDirectory() as work:
        for recipe in glob.glob(FIXTURES + "/golden_*"):
            subprocess.run([recipe, work], check=True, env={**os.environ, "HEFT": HEFT})
        os.chdir(work)
        for file in "tiny", "tiny-be", "sources", HEFT:
            check_areas(["-d", "sections", file], ["-d", "sections", file], lambda r: r["file"])
            check_areas(["-d", "segments", "--domain=vm", file], ["-d", "segments", file], lambda r: r["vm"])
            picture("-d", "sections,compileunits,symbols", file)
        check_areas(["-d", "sections", "tiny-grown", "--", "tiny"], ["-d", "sections", "tiny-grown", "--", "tiny"],
                    lambda r: abs(r["file"] - r["base_file"]))
        picture("diff", "old.size", "new.size")
        check_flame(["heap", "show", "heap.core"])
        picture("heap", "show", "--by=module", "heap.core")
        picture("heap", "diff", "heap.core", "heap-later.core")
        picture("heap", "show", "--timeline", "heap.core")
        check_query(HEFT)
        check_query("new.size")
        check_profile(HEFT)
        check_names(work)
        check_texts()
    print(f"{COUNT[0]} checks, {len(FAILURES)} failed")
    sys.exit(1 if FAILURES or COUNT[0] < 100 else 0)


main()
