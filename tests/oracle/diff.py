#!/usr/bin/env python3
"""The counts of `heft diff --supersize` against a restatement of SuperSize's four passes in Python.

usage: tests/oracle/diff.py HEFT OLD.size NEW.size...     each pair

Reads the .size files, cuts their names, makes padding and alias lists, and pairs symbols, all by itself; then compares how
many of each section and in all are unchanged, changed, added and removed, and the changes of PSS.
One line a pair; exit status 1 where they differ."""
import collections
import gzip
import itertools
import json
import re
import subprocess
import sys

Section = collections.namedtuple("Section", "container name letter")
LETTERS = {".text": "t", ".rodata": "r", ".data.rel.ro": "R", ".data.rel.ro.local": "R", ".tdata.rel.ro": "R", ".data": "d",
           ".tdata": "d", ".bss": "b", ".bss.rel.ro": "b", ".part.end": "b", ".relro_padding": "b", ".tbss": "b",
           "google_malloc_bss": "b", ".dex": "x", ".dex.method": "m", ".pak.nontranslated": "P",
           ".pak.translations": "p", ".arsc": "a"}
NATIVE = "trRdb"
ANONYMOUS = "(anonymous namespace)"


class Symbol:
    """size is without padding; count: members of the alias list."""

    def __init__(self, section, full, addr, size, padding, path, count):
        self.section, self.addr, self.size, self.padding = section, addr, size, padding
        self.path, self.count = path, count
        self.full, self.name = names_of(full, section.letter)
        self.padding_only = size == 0

    pss = property(lambda self: (self.size + self.padding) / self.count)
    own_pss = property(lambda self: self.size / self.count)
    padding_pss = property(lambda self: self.padding / self.count)


# ---- names ------------------------------------------------------------------------------------

def is_literal(full):
    return full.startswith('"') or full == "string literal"


def is_overhead(full):
    return full.startswith("Overhead: ")


def balances(text):
    """For each place the depth of <> and () in front of it; brackets of operator<, <<, > and >> are none."""
    operators = {i for m in re.finditer(r"(?<![\w$])operator(<<|>>|<|>)", text) for i in range(*m.span(1))}
    angle = paren = 0
    for i, c in enumerate(text):
        yield i, c, angle, paren
        if i not in operators:
            angle += (c == "<") - (c == ">")
            paren += (c == "(") - (c == ")")


def parameter_paren(text):
    for i, c, angle, paren in balances(text):
        if c == "(" and angle == 0 and paren == 0 and not text.startswith(ANONYMOUS, i) and \
                not text[:i].endswith((" ", "{lambda")):
            return i
    return -1


def name_start(text, paren):
    end = paren - 6 if text[:paren].endswith(" const") else paren
    # From the end, as brackets in front may be of another kind.
    operators = {i for m in re.finditer(r"(?<![\w$])operator(<<|>>|<|>)", text) for i in range(*m.span(1))}
    angle = paren_depth = 0
    for i in range(end - 1, -1, -1):
        c = text[i]
        if i not in operators:
            angle += (c == ">") - (c == "<")
            paren_depth += (c == ")") - (c == "(")
        if c == " " and angle == 0 and paren_depth == 0 and not text[:i].endswith(("operator", "operator<", "operator<<")):
            return i + 1
    return 0


def split_signature(text):
    """(full, template) of a demangled name."""
    paren = parameter_paren(text)
    if paren <= 0:
        return text, text
    start = name_start(text, paren)
    name = text[start:paren]
    for end, number in (("}::_FUN", r"^(.*)\{[^{]*#([^#{]*)\}::_FUN$"), ("::__invoke", r"^(.*)\$_([^$]*)::__invoke$")):
        m = re.match(number, name, re.S) if name.endswith(end) else None
        if m:
            name = m.group(1) + "$lambda#" + m.group(2)
            return name + text[paren:], name
    return text[start:], name + text[text.rindex(")") + 1:] if ")" in text[paren:] else name


def without_arguments(text):
    operators = {i for m in re.finditer(r"(?<![\w$])operator(<<|>>|<|>)", text) for i in range(*m.span(1))}
    out, depth = [], 0
    for i, c in enumerate(text):
        bracket = i not in operators
        depth -= bracket and c == ">" and depth > 0
        if depth == 0:
            out.append(c)
        depth += bracket and c == "<"
    return "".join(out)


def names_of(full, letter):
    """(full, plain) as SuperSize has them after loading."""
    if full.startswith("**") or is_overhead(full) or is_literal(full) or letter not in NATIVE:
        return full, full.rsplit(" ", 1)[-1] if letter in "pP" and not is_overhead(full) else full
    full = full.split(" [clone ")[0]
    m = re.match(r"^(.+)\.\d+$", full, re.S) if letter == "t" else None
    if m and m.group(1) not in ("__tcf_0", "startup"):
        full = re.sub(r"(?<=.)\.(constprop|isra|part|lto_priv)$", "", m.group(1))
    for word in (" for ", " to "):
        at = full.find(word, 0, 30)
        if at >= 0:
            full = "%s [%s]" % (full[at + len(word):], full[:at])
    full, template = split_signature(full)
    plain = without_arguments(re.sub(r"\[abi:[^\]]*\]", "", template))
    return full.replace(ANONYMOUS + "::", ""), plain.replace(ANONYMOUS + "::", "")


# ---- the file ---------------------------------------------------------------------------------

def read(path):
    lines = gzip.open(path).read().decode("ascii").split("\n")
    size = int(lines[2])
    meta = "\n".join(lines[3:])[:size]
    info, rows = json.loads(meta), iter(lines[3 + meta.count("\n") + 1:])
    paths = [next(rows).split("\t") for _ in range(int(next(rows)))]
    for _ in range(int(next(rows)) if info["has_components"] else 0):
        next(rows)
    segments, counts = next(rows).split("\t"), [int(n) for n in next(rows).split("\t")]

    def column(deltas):
        out = [[int(v) for v in next(rows).split(" ")] for _ in counts]
        return [list(itertools.accumulate(v)) for v in out] if deltas else out
    addrs, sizes = column(True), column(False)
    pads = column(False) if info["has_padding"] else None
    where = column(True)
    if info["has_components"]:
        column(True)
    out, before = [], None
    for k, segment in enumerate(segments):
        index, name = re.match(r"^(?:<(\d+)>)?(.*)$", segment).groups()
        container = info["containers"][int(index)]["name"] if index else ""
        section = Section(container, name, LETTERS.get(name, "o"))
        left = count = 0
        for i in range(counts[k]):
            full, *fields = next(rows).split("\t")
            new_list = left == 0
            if new_list:
                count = left = min(int(([f for f in fields if f[:1] == "0"] or ["1"])[0], 16), counts[k] - i)
            left -= 1
            obj, source = paths[where[k][i]]
            y = Symbol(section, full, addrs[k][i], sizes[k][i], pads[k][i] if pads else 0, source or obj, count)
            if is_overhead(full):
                y.size, y.padding, y.padding_only = 0, sizes[k][i], True
            elif not pads and before and before.section == section and y.addr > 0 and before.addr > 0 and \
                    section.letter in NATIVE:
                if not new_list and y.addr == before.addr:
                    y.size, y.padding = before.size, before.padding
                else:
                    y.padding = y.addr - before.addr - before.size
            out.append(y)
            before = y
    return out


# ---- passes -----------------------------------------------------------------------------------

def stable(text):
    return re.sub(r"[0-9.]+$", "", re.sub(r"\$\d+", "", text))


def star_cluster(name):
    m = re.match(r"^(\*.*?) +\d+(?: \(.*\))?$", name)
    return m.group(1) + "s" if m else name


def unique(y):
    return not (is_literal(y.full) or is_overhead(y.full) or y.full.startswith("*") or
                (y.section.letter in NATIVE and "." in y.full))


def key1(y):
    return (y.section.container, y.section.letter, stable(y.full), y.path, y.size)


def key2(y):
    return key1(y)[:-1]


def key3(y):
    return (y.section.container, y.section.letter, star_cluster(stable(y.name).split(" [clone ")[0]), y.path)


def key4(y):
    if y.full.startswith('"'):
        return (y.section.container, y.section.letter, y.full, y.size)
    return (y.section.container, y.section.letter, y.full) if unique(y) else None


def pair(old, new):
    pairs = []
    for key in (key1, key2, key3, key4):
        queues, left = collections.defaultdict(collections.deque), []
        for y in old:
            if key(y) is not None:
                queues[key(y)].append(y)
        taken = set()
        for y in new:
            queue = queues.get(key(y)) if key(y) is not None else None
            if queue:
                pairs.append((queue.popleft(), y))
                taken.add(id(pairs[-1][0]))
            else:
                left.append(y)
        old, new = [y for y in old if id(y) not in taken], left
    return pairs + [(None, y) for y in new] + [(y, None) for y in old]


def pss_change(old, new):
    if not old or not new:
        return new.pss if new else -old.pss
    return new.pss - old.pss if old.padding_only else new.own_pss - old.own_pss


def change(old, new):
    if not old or not new:
        return "added" if new else "removed"
    size = new.padding - old.padding if old.padding_only else new.size - old.size
    return "changed" if size != 0 or pss_change(old, new) != 0 else "unchanged"


def compare(old, new):
    """Counts by section, and the change of PSS of all, which that of the paddings is part of."""
    counts, paddings, total = collections.defaultdict(collections.Counter), collections.Counter(), 0.0
    for a, b in pair(old, new):
        counts[(b or a).section.name][change(a, b)] += 1
        total += pss_change(a, b)
        if a and b and not a.padding_only:
            paddings[a.section] += b.padding_pss - a.padding_pss
            total += b.padding_pss - a.padding_pss
    for section, padding in paddings.items():
        if round(padding) != 0:
            counts[section.name]["added"] += 1
    return counts, total


def main():
    if len(sys.argv) < 4 or len(sys.argv) % 2:
        sys.exit(__doc__)
    heft, ok = sys.argv[1], True
    for a, b in zip(sys.argv[2::2], sys.argv[3::2]):
        counts, total = compare(read(a), read(b))
        run = subprocess.run([heft, "diff", "--supersize", "-n", "1", "--format", "json", a, b], capture_output=True)
        if run.returncode:
            sys.exit("heft diff %s %s: %s" % (a, b, run.stderr.decode()))
        said = json.loads(run.stdout)
        kinds = ("unchanged", "changed", "added", "removed", "moved", "renamed")
        theirs = {s["section"]: {k: s[k] for k in kinds if s[k]} for s in said["sections"]}
        all_of_it = said["total"]
        delta = all_of_it["own"] + all_of_it["padding"] - all_of_it["base_own"] - all_of_it["base_padding"]
        same = theirs == counts and abs(delta - total) < 1 and sum(sum(c.values()) for c in counts.values()) > 250
        ok &= same
        print("%s %s: %s%s" % (a, b, ", ".join("%d %s" % (sum(c[k] for c in counts.values()), k) for k in
                                               ("unchanged", "changed", "added", "removed")), "" if same else "  DIFFER"))
        for name in [] if same else sorted(set(theirs) | set(counts)):
            if theirs.get(name) != dict(counts[name]):
                print("  %s: heft %s, here %s" % (name, theirs.get(name), dict(counts[name])))
        if not same:
            print("  PSS: heft %s, here %.3f" % (delta, total))
    sys.exit(0 if ok else 1)


main()
