#!/usr/bin/env python3
"""Measures the shape of the C sources: functions, parameters, columns, files and their names, rooms.

usage: tools/shape.py

Exit status 1 where a limit is passed.  Relies on the layout that clang-format gives: the braces of
a function stand alone in column 1.
"""
import collections
import pathlib
import re
import statistics
import sys

LIMITS = {"lines of a function": 70, "lines of a file": 900, "parameters": 6, "columns": 100, "lines of a room": 9000}
# Rooms that are larger than a room may be, each with the size it must not pass until it is smaller.
TOO_LARGE = {"image": 18800, "source": 13400, "cli": 12400, "api": 11900, "blocks": 13900, "debug": 11400, "report": 9900, "heap": 9400}
MEDIAN = 12  # lines of a function
ROOT = pathlib.Path(__file__).resolve().parent.parent
# A definition or a prototype of a function that begins in column 1 and ends with ")" before "{" or ";".
HEAD = re.compile(r"^(?:[A-Za-z_][\w \t*]*?[\s*])(\w+)\(((?:[^(){};]|\([^()]*\))*)\)(?:\n\{|;)", re.M)


ROOMS = "src", "include", "recorder", "tests", "fuzz", "bench", "examples"


def sources():
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*.[ch]")):
            yield path.relative_to(ROOT), path.read_text().split("\n")


def functions(lines):
    """(line of the opening brace, lines between the braces) of each function."""
    start = None
    for number, line in enumerate(lines, 1):
        if line == "{":
            start = number
        elif line == "}" and start:
            yield start, number - start - 1
            start = None


def parameters(text):
    """How many parameters a list in parentheses has."""
    flat = re.sub(r"\([^()]*\)", "", text).strip()
    return 0 if flat in ("", "void") else flat.count(",") + 1


def width(line):
    return len(line.expandtabs(8))


def main():
    beyond, lengths, rooms, names = [], [], collections.Counter(), collections.defaultdict(list)

    def check(what, value, where):
        if value > LIMITS[what]:
            beyond.append(f"{where}: {value} {what} (at most {LIMITS[what]})")

    for name, lines in sources():
        check("lines of a file", len(lines) - 1, name)
        for number, length in functions(lines):
            check("lines of a function", length, f"{name}:{number}")
            if name.parts[0] == "src":
                lengths.append(length)
        for number, line in enumerate(lines, 1):
            check("columns", width(line), f"{name}:{number}")
        text = "\n".join(lines)
        # Helpers of tests may have what a table of cases needs.
        for found in HEAD.finditer(text) if name.parts[0] in ("src", "include", "recorder") else ():
            line = text.count("\n", 0, found.start()) + 1
            check("parameters", parameters(found[2]), f"{name}:{line}: {found[1]}")
        if name.parts[0] == "src":
            rooms[name.parts[1]] += len(lines) - 1
            names[name.name].append(str(name))
    for room, lines in rooms.items():
        limit = TOO_LARGE.get(room, LIMITS["lines of a room"])
        if lines > limit:
            beyond.append(f"src/{room}: {lines} lines with all folders below it (at most {limit})")
    for name, paths in names.items():
        if len(paths) > 1:
            beyond.append(f"{' and '.join(paths)}: one name for two files")
    median = statistics.median(lengths)
    if median > MEDIAN:
        beyond.append(f"median of the functions' lines: {median} (at most {MEDIAN})")
    print(f"{len(lengths)} functions, median {median:g} lines, longest {max(lengths)}; {sum(rooms.values())} lines in src")
    print("rooms:", ", ".join(f"{room} {lines}" for room, lines in sorted(rooms.items())))
    print("\n".join(beyond))
    return 1 if beyond else 0


if __name__ == "__main__":
    sys.exit(main())
