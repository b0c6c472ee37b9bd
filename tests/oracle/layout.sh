#!/bin/sh
# Sizes of sections and segments, in the file and in memory: heft against readelf.
# usage: tests/oracle/layout.sh HEFT [FILE...]    without files: what tests/fixtures/samples.sh
#        builds (in $SAMPLES, if that is set) and some of this system
#
# The exceptions, all of them written down in docs/design/limits.md or heft(1):
#  - up to 16 bytes that nothing else has are padding of what stands before them (once for what a
#    segment covers and once for what it doesn't), if the next thing with bytes begins there;
#  - .tbss takes no room in the memory of a linked file, nor does what no segment loads;
#  - what leaves the file or lies over an earlier section is cut; such files are left out here.
set -u
LC_ALL=C
export LC_ALL
[ -x "${1:-}" ] || { sed -n '2,4s/^# //p' "$0" && exit 2; }
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
	set -- "$SAMPLES"/* /bin/ls /bin/sh /usr/bin/env /usr/bin/perl /usr/bin/python3 /usr/bin/awk \
		/lib/*/libc.so.6 /lib/*/libm.so.6 /lib/*/ld-linux*.so.* /usr/lib/*/libstdc++.so.6 \
		/usr/lib/*/libcrypto.so.3 /usr/lib/*/crt1.o /usr/lib/*/crti.o /usr/bin/ld.bfd
fi
python3 - "$heft" "$least" "$@" <<'END'
import csv
import io
import os
import re
import subprocess
import sys
from collections import defaultdict

heft, least, files = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
PADDING = 2 * 16
SECTION = re.compile(r"^ *\[ *(\d+)\] (.*?) +([A-Z0-9_a-z+:. ]+?) +([0-9a-f]{8,16}) ([0-9a-f]{6,}) "
                     r"([0-9a-f]{6,}) [0-9a-f]{2,} *([A-Za-z]*) +\d+ +\d+ +\d+$")
LOAD = re.compile(r"^  LOAD +0x([0-9a-f]+) 0x([0-9a-f]+) 0x[0-9a-f]+ 0x([0-9a-f]+) 0x([0-9a-f]+) "
                  r"(...) ")


def out(*args):
    done = subprocess.run(args, capture_output=True)
    if done.returncode != 0 and args[0] == heft:
        sys.exit("%s: status %d" % (" ".join(args), done.returncode))
    return done.stdout.decode("utf-8", "surrogateescape")


def rows(path, source):
    """{label: (vm, file)}"""
    text = out(heft, "size", "--csv", "-n", "0", "-d", source, path)
    return {r[source]: (int(r["vmsize"]), int(r["filesize"]))
            for r in csv.DictReader(io.StringIO(text, newline=""))}


def header(path):
    found = {}
    for line in out("readelf", "-hW", path).split("\n"):
        name, _, value = line.strip().partition(":")
        found[name] = value.strip().split(" ")[0]
    return found


class Elf:
    def __init__(self, path):
        self.path, self.size = path, os.path.getsize(path)
        self.header = header(path)
        self.object = self.header.get("Type") == "REL"
        lines = out("readelf", "-SlW", path).split("\n")
        self.sections = []  # (name, file offset, file size, address or None, memory size)
        self.loads = []  # (label, off, file size, address, memory size)
        number = -1
        for line in lines:
            m = SECTION.match(line)
            if m:
                self.add_section(m)
            if re.match(r"^  [A-Z_0-9+<>:a-z]+ +0x[0-9a-f]+ 0x[0-9a-f]+ 0x", line):
                number += 1
            m = LOAD.match(line)
            if m:
                off, addr, filesz, memsz = (int(x, 16) for x in m.groups()[:4])
                flags = m.group(5).replace(" ", "").replace("E", "X")
                self.loads.append(("LOAD #%d [%s]" % (number, flags), off, min(filesz, memsz),
                                   addr, memsz))

    def add_section(self, m):
        number, name, kind, addr, off, size, flags = m.groups()
        number, addr, off, size = int(number), int(addr, 16), int(off, 16), int(size, 16)
        if kind == "NULL" or number == 0:
            return
        nobits = kind == "NOBITS"
        alloc = "A" in flags and not (nobits and "T" in flags and not self.object)
        if self.object:
            addr = number << 40
        self.sections.append((name or "[section #%d]" % number, off, 0 if nobits else size,
                              addr if alloc else None, size if alloc else 0))

    def tables(self):
        """[(offset, size)] of the header tables"""
        h = self.header
        return [(0, int(h["Size of this header"])),
                (int(h["Start of program headers"]),
                 int(h["Size of program headers"]) * int(h["Number of program headers"])),
                (int(h["Start of section headers"]),
                 int(h["Size of section headers"]) * int(h["Number of section headers"]))]


def overlap(ranges):
    """Whether any two of the (start, size) share bytes."""
    ranges = sorted(r for r in ranges if r[1])
    return any(a[0] + a[1] > b[0] for a, b in zip(ranges, ranges[1:]))


def loaded(elf, addr, size):
    """Bytes of [addr, addr + size) that are part of the memory image."""
    if elf.object or not elf.loads:
        return size
    return sum(max(0, min(addr + size, s[3] + s[4]) - max(addr, s[3])) for s in elf.loads)


def room(starts, end):
    """Bytes from end to the next start; any number where there is none."""
    later = [s for s in starts if s >= end]
    return min(later) - end if later else PADDING


def compare(path, what, want, have):
    """want: {label: (vm, file, most padding in vm, in the file)}"""
    bad = 0
    for label, (vm, file, vm_room, file_room) in sorted(want.items()):
        got_vm, got_file = have.get(label, (0, 0))
        if not (vm <= got_vm <= vm + vm_room and file <= got_file <= file + file_room):
            print("%s: %s %s: readelf has vm %d, file %d; heft %d, %d"
                  % (path, what, label, vm, file, got_vm, got_file))
            bad += 1
    for label in have:
        if label not in want and not label.startswith("[") and label != "TLS":
            print("%s: %s %s is heft's alone" % (path, what, label))
            bad += 1
    return bad


def check_sections(elf):
    tables = elf.tables()
    if overlap([(s[1], s[2]) for s in elf.sections] + tables[:1]) or \
            overlap([(s[3], s[4]) for s in elf.sections if s[3] is not None]) or \
            any(s[1] + s[2] > elf.size for s in elf.sections):
        return None
    starts = [s[1] for s in elf.sections if s[2]] + [t[0] for t in tables] + [elf.size]
    addrs = [s[3] for s in elf.sections if s[3] is not None and s[4]]
    want = defaultdict(lambda: (0, 0, 0, 0))
    for name, off, filesz, addr, memsz in elf.sections:
        memsz = loaded(elf, addr, memsz) if memsz else 0
        file_room = min(PADDING, room(starts, off + filesz)) if filesz else 0
        vm_room = min(PADDING, room(addrs, addr + memsz)) if memsz else 0
        want[name] = tuple(x + y for x, y in zip(want[name], (memsz, filesz, vm_room, file_room)))
    return compare(elf.path, "section", want, rows(elf.path, "sections"))


def check_segments(elf):
    if not elf.loads or overlap([(s[1], s[2]) for s in elf.loads]) or \
            overlap([(s[3], s[4]) for s in elf.loads]) or \
            any(s[1] + s[2] > elf.size for s in elf.loads):
        return None
    starts = [s[1] for s in elf.sections if s[2]] + [s[1] for s in elf.loads] + [elf.size]
    want = {label: (memsz, filesz, 0, min(16, room(starts, off + filesz)) if filesz else 0)
            for label, off, filesz, addr, memsz in elf.loads}
    return compare(elf.path, "segment", want, rows(elf.path, "segments"))


def main():
    counts = {"sections": 0, "segments": 0}
    bad = left_out = 0
    for path in files:
        with open(path, "rb") as f:
            if f.read(4) != b"\x7fELF":
                continue
        elf = Elf(path)
        for what, check in (("sections", check_sections), ("segments", check_segments)):
            found = check(elf)
            if found is None:
                left_out += what == "sections"
                continue
            counts[what] += 1
            bad += found
    print("%(sections)d files by section, %(segments)d by segment" % counts +
          ", %d left out, %d differences" % (left_out, bad))
    return 1 if bad or counts["sections"] < least or counts["segments"] < min(least, 20) else 0


sys.exit(main())
END
