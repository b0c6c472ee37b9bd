#!/bin/sh
# Who owns which byte of code and data by the symbol table alone: heft's raw map against
# readelf's list of symbols, laid out by the rule at the top of src/program/symbol_rule.h.
# A symbol that overlaps no other must own exactly the bytes nm -S gives it.
# usage: tests/oracle/symbols.sh HEFT [FILE...]    without files: what tests/fixtures/samples.sh
#        builds (in $SAMPLES, if that is set) and some of this system
set -u
LC_ALL=C
export LC_ALL
[ -x "${1:-}" ] || { sed -n '2,6s/^# //p' "$0" && exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
heft=$1
shift
# shellcheck source=tests/lib/test.sh
. "$here/../lib/test.sh"
need readelf binutils python3 python3
scratch
least=1
if [ $# -eq 0 ]; then
	least=40
	[ -n "${SAMPLES:-}" ] || "$here/../fixtures/samples.sh" "${SAMPLES:=$tmp}"
	set -- "$SAMPLES"/* /usr/bin/perl /usr/bin/python3 /lib/*/libc.so.6 /lib/*/libm.so.6 \
		/usr/lib/*/libstdc++.so.6 /usr/lib/*/libcrypto.so.3 /usr/lib/*/crt1.o
fi
python3 - "$heft" "$least" "$@" <<'END'
import bisect
import os
import re
import subprocess
import sys

heft, least, files = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
SHOWN = 20
SYMBOL = re.compile(r"^ *(\d+): ([0-9a-f]+) +(0x[0-9a-f]+|\d+) (NOTYPE|OBJECT|FUNC|TLS|IFUNC) +"
                    r"(\S+) +\S+ +(?:\[.*?\] +)?(\d+)(?: (.*))?$")
SECTION = re.compile(r"^ *\[ *(\d+)\] (.*?) +([A-Z0-9_a-z+:. ]+?) +([0-9a-f]{8,16}) ([0-9a-f]{6,}) "
                     r"([0-9a-f]{6,}) [0-9a-f]{2,} *([A-Za-z]*) +\d+ +\d+ +\d+$")
MAP_ROW = re.compile(r"^([0-9a-f]+)-([0-9a-f]+)\t *\d+\t\t(.*)$")


def out(*args):
    done = subprocess.run(args, capture_output=True)
    if done.returncode != 0 and args[0] == heft:
        sys.exit("%s: status %d" % (" ".join(args), done.returncode))
    return done.stdout.decode("utf-8", "surrogateescape")


class Elf:
    def __init__(self, path):
        head = out("readelf", "-hW", path)
        self.object = "REL (" in head
        self.arm = re.search(r"Machine: +ARM$", head, re.M) is not None
        self.sections = {}
        self.tls = None
        for line in out("readelf", "-SlW", path).split("\n"):
            m = SECTION.match(line)
            if m:
                self.sections[int(m.group(1))] = m.groups()
            m = re.match(r"^  TLS +0x[0-9a-f]+ 0x([0-9a-f]+)", line)
            if m:
                self.tls = int(m.group(1), 16)
        self.symbols = self.read_symbols(out("readelf", "-sW", path))

    def read_symbols(self, text):
        tables, symbols = {}, None
        for line in text.split("\n"):
            m = re.match(r"^Symbol table '(.*?)'", line)
            if m:
                symbols = tables.setdefault(m.group(1), [])
            m = SYMBOL.match(line)
            if m and symbols is not None:
                symbols.append(self.place(*m.groups()))
        table = tables.get(".symtab") or tables.get(".dynsym") or []
        return [s for s in table if s]

    def place(self, index, value, size, kind, bind, section, name):
        """(address, -size, rank, name), so that the owner comes first; or None"""
        name = re.sub(r"(.)@.*", r"\1", name or "")
        size, value, section = int(size, 0), int(value, 16), self.sections.get(int(section))
        if size == 0 or not section or "A" not in section[6] or \
                (kind == "NOTYPE" and re.match(r"\$[adtxc]", name)) or \
                (bind == "LOCAL" and name.startswith(".L" if kind == "NOTYPE" else (".L.str", ".L_MergedGlobals"))):
            return None
        number, title, shtype, addr, _, room, flags = section
        if title == ".opd" and kind == "FUNC":
            return None  # a descriptor, and the size is that of the code: descriptors.py asks for both
        addr, room = int(addr, 16), int(room, 16)
        if self.arm and kind in ("FUNC", "IFUNC"):
            value &= ~1
        if self.object:
            addr = int(number) << 40
            value += addr
        elif kind == "TLS":
            if self.tls is None or shtype == "NOBITS":
                return None
            value += self.tls
        if not addr <= value < addr + room:
            return None
        binds = {"LOCAL": 2, "WEAK": 1}
        under = min(15, len(name) - len(name.lstrip("_")))
        rank = (kind == "NOTYPE", binds.get(bind, 0), under, int(index))
        return value, -min(size, addr + room - value), rank, name or "[Anonymous symbol #%s]" % index


def crosses(symbols, i):
    """Whether a symbol ends in the middle of one behind it."""
    start, end = symbols[i][0], symbols[i][0] - symbols[i][1]
    for addr, size, _, _ in symbols[i + 1:]:
        if addr >= end:
            return False
        if addr > start and addr - size > end:
            return True
    return False


def owners(symbols):
    """[(start, end, name)] without overlap: who starts first has the bytes, if its size can be right."""
    spans, end = [], 0
    symbols = sorted(symbols)
    # A later start may reach further than the one that has its first bytes.
    for i, (addr, size, _, name) in enumerate(symbols):
        start, stop = max(addr, end), addr - size
        if crosses(symbols, i):
            stop = next(s[0] for s in symbols[i + 1:] if s[0] > addr)
        if start < stop:
            spans.append((start, stop, name))
            end = stop
    return spans


def raw_map(path):
    """[(start, end, label)] of the VM map"""
    text = out(heft, "size", "--raw-map", "--domain=vm", "-n", "0", "-d", "rawsymbols", path)
    rows = (MAP_ROW.match(line) for line in text.split("\n"))
    return [(int(m.group(1), 16), int(m.group(2), 16), m.group(3)) for m in rows if m]


def check(path):
    """(symbols, bytes, differences) of one file"""
    have = raw_map(path)
    starts = [row[0] for row in have]
    want = owners(Elf(path).symbols)
    bad = 0
    for start, end, name in want:
        at = start
        while at < end:
            i = bisect.bisect_right(starts, at) - 1
            row = have[i] if i >= 0 and have[i][1] > at else (at, end, "nothing")
            if re.sub(r"(.)@.*", r"\1", row[2]) != name:
                bad += 1
                if bad <= SHOWN:
                    print("%s: %x-%x is %s's, heft says %s" % (path, at, min(end, row[1]), name,
                                                               row[2]))
            at = min(end, row[1])
    return len(want), sum(end - start for start, end, _ in want), bad


def main():
    total = [0, 0, 0, 0]
    for path in files:
        if not os.path.isfile(path):
            continue
        with open(path, "rb") as f:
            if f.read(4) != b"\x7fELF":
                continue
        total = [a + b for a, b in zip(total, (1,) + check(path))]
    print("%d files, %d owners of %d bytes, %d differences" % tuple(total))
    return 1 if total[3] or total[0] < least or total[1] < 5 * least else 0


sys.exit(main())
END
