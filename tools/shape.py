#!/usr/bin/env python3
"""Measures the shape of the C sources: functions, parameters, columns, files and their names, rooms.

usage: tools/shape.py [--slices] [--shared]

Exit status 1 if a limit is passed.  Relies on the layout that clang-format gives: the braces of
a function are alone in column 1.  --slices lists the static functions that are called once and are short,
--shared the names that several functions have.
"""
import collections
import pathlib
import re
import statistics
import sys

LIMITS = {"lines of a function": 70, "lines of a file": 900, "parameters": 6, "columns": 100, "lines of a room": 9000}
# Rooms with a limit of their own: image has a page for each format; api only checks arguments.
OWN_LIMITS = {"image": 14000, "api": 4000}
ROOT = pathlib.Path(__file__).resolve().parent.parent
# A definition or a prototype of a function that begins in column 1 and ends with ")" before "{" or ";".
HEAD = re.compile(r"^(?:[A-Za-z_][\w \t*]*?[\s*])(\w+)\(((?:[^(){};]|\([^()]*\))*)\)(?:\n\{|;)", re.M)


# A definition of a function: whether it is static, its name.
DEFINITION = re.compile(r"^(static )?(?:[A-Za-z_][\w \t*]*?[\s*])(\w+)\((?:[^(){};]|\([^()]*\))*\)\n\{\n", re.M)
COMMENT = re.compile(r"/\*.*?\*/", re.S)
SHORT = 6  # lines of a function that belongs into its only caller


ROOMS = "src", "programs", "include", "recorder", "tests", "fuzz", "bench", "examples"


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


def definitions(text):
    """(is static, name, lines of the body) of each function of a file."""
    for found in DEFINITION.finditer(text):
        yield bool(found[1]), found[2], text.count("\n", found.end(), text.index("\n}", found.end() - 1) + 1)


def slices(text):
    """(name, lines) of the short static functions of a file that are called once, and are no callbacks."""
    bare = COMMENT.sub("", text)
    for static, name, lines in definitions(text):
        uses = len(re.findall(rf"\b{name}\b", bare)) - 1
        if static and lines <= SHORT and uses == 1 and len(re.findall(rf"\b{name}\(", bare)) == 2:
            yield name, lines


def habits(files):
    """Slices, shared names and assertions of the sources: (what to print, lists for the options)."""
    cut, owners, asserts, lines = [], collections.defaultdict(list), collections.Counter(), collections.Counter()
    for path, text in files:
        room = path.parts[1]
        cut += [f"{path}: {name} ({length} lines)" for name, length in slices(text) if path.suffix == ".c"]
        for _, name, _ in definitions(text):
            owners[name].append(str(path))
        asserts[room] += len(re.findall(r"\bASSERT\(", text))
        lines[room] += text.count("\n")
    shared = {name: paths for name, paths in owners.items() if len(paths) > 1}
    share = sum(map(len, shared.values())) / max(1, sum(map(len, owners.values())))
    rate = 1000 * sum(asserts.values()) / max(1, sum(lines.values()))
    none = [room for room in lines if not asserts[room]]
    print(f"{len(cut)} static functions of {SHORT} lines or fewer that are called once; {share:.1%} of the functions share their name")
    print(f"{rate:.2f} assertions per 1,000 lines, none in: {', '.join(sorted(none)) or 'no room'}")
    return cut, [f"{name}: {' '.join(paths)}" for name, paths in sorted(shared.items(), key=lambda kv: -len(kv[1]))]


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
            if name.parts[0] in ("src", "programs"):
                lengths.append(length)
        for number, line in enumerate(lines, 1):
            check("columns", width(line), f"{name}:{number}")
        text = "\n".join(lines)
        # Helpers of tests may have what a table of cases needs.
        for found in HEAD.finditer(text) if name.parts[0] in ("src", "programs", "include", "recorder") else ():
            line = text.count("\n", 0, found.start()) + 1
            check("parameters", parameters(found[2]), f"{name}:{line}: {found[1]}")
        if name.parts[0] in ("src", "programs"):
            rooms[name.parts[1] if name.parts[0] == "src" else "programs/" + name.parts[1]] += len(lines) - 1
        if name.parts[0] == "src":
            names[name.name].append(str(name))
    for room, lines in rooms.items():
        limit = OWN_LIMITS.get(room, LIMITS["lines of a room"])
        if lines > limit:
            beyond.append(f"{room}: {lines} lines with all folders below it (at most {limit})")
    for name, paths in names.items():
        if len(paths) > 1:
            beyond.append(f"{' and '.join(paths)}: one name for two files")
    print(f"{len(lengths)} functions, median {statistics.median(lengths):g} lines, longest {max(lengths)}; "
          f"{sum(rooms.values())} lines in src and programs, {sum(n for room, n in rooms.items() if '/' not in room)} in src")
    print("rooms:", ", ".join(f"{room} {lines}" for room, lines in sorted(rooms.items())))
    texts = [(path, "\n".join(lines)) for path, lines in sources() if path.parts[0] in ("src", "programs")]
    for option, listed in zip(("--slices", "--shared"), habits(texts)):
        if option in sys.argv:
            print("\n".join(listed))
    print("\n".join(beyond))
    return 1 if beyond else 0


if __name__ == "__main__":
    sys.exit(main())
