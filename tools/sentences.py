#!/usr/bin/env python3
"""Counts the words of sentences in documents, manual and change log.

Nine of ten sentences in each group have at most LIMIT words.  Tables, code, headings and pictures do not count; entries of a
list are sentences of their own.

usage: tools/sentences.py [-v]     -v: print the sentences above the limit
"""
import pathlib
import re
import shutil
import subprocess
import sys

LIMIT = 25
GROUPS = {
    "documents": "docs/*.md docs/design/*.md",
    "tutorials": "docs/tutorials/*.md",
    "pages of rooms": "src/*/README.md programs/*/README.md",
    "README": "README.md",
    "change log": "CHANGELOG.md",
    "manual": "man/*.1",
}
def plain_markdown(text):
    text = re.sub(r"(?s)```.*?```|<!--.*?-->|<[^>]*>", "\n\n", text)
    text = re.sub(r"(?m)^(\||#|    |\t|!\[|\[!).*$", "\n\n", text)
    text = re.sub(r"(?m)^\s*([-*]|\d+\.) ", "\n\n", text)
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)


def plain_manual(path):
    """The text of a manual page without its synopsis and examples, a paragraph a line."""
    shown = subprocess.run(["mandoc", "-Tutf8", "-Owidth=1000", path], stdout=subprocess.PIPE, text=True, check=True).stdout
    shown = re.sub(r".\x08", "", shown)
    shown = re.sub(r"(?ms)^SYNOPSIS$.*?(?=^[A-Z])", "", shown)
    return "\n\n".join(line for line in shown.splitlines() if len(line.split()) > 4 and not re.search(r"\S  +\S.*  +\S", line))


def sentences(path):
    text = plain_manual(path) if path.suffix == ".1" else plain_markdown(path.read_text())
    for paragraph in re.split(r"\n\s*\n", text):
        for sentence in re.split(r"(?<=[.!?:])\s+(?=[A-Z`\"(*])", " ".join(paragraph.split())):
            if len(sentence.split()) > 2:
                yield sentence


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    broken = False
    for name, globs in GROUPS.items():
        if name == "manual" and not shutil.which("mandoc"):
            print("manual: skipped: no mandoc (install mandoc)")
            continue
        found = sorted(((len(s.split()), str(p.relative_to(root)), s)
                        for g in globs.split() for p in sorted(root.glob(g)) for s in sentences(p)))
        if not found:
            sys.exit(f"{name}: no sentence found")
        most = found[len(found) * 9 // 10][0]
        print(f"{name}: {len(found)} sentences, nine of ten have at most {most} words, the longest {found[-1][0]}")
        broken |= most > LIMIT
        if "-v" in sys.argv[1:]:
            for words, path, sentence in found:
                if words > LIMIT:
                    print(f"  {words} {path}: {sentence}")
    if broken:
        sys.exit(f"more than one of ten sentences has more than {LIMIT} words")


if __name__ == "__main__":
    main()
