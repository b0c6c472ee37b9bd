#!/usr/bin/env python3
"""Whether the compile units that heft names are right, against the maps of linkers.

usage: units.py [--heft PATH] [--full] [--show N] [--keep DIR]

Builds programs of some 220 objects with debug info (fixtures/many_objects.py), links them by bfd,
gold and lld with -Map, and looks at each byte of .text, .rodata, .data* and .bss: the unit that
-d compileunits names must be the source of the object that the map names there.  Where the
linker merged strings or constants, the unit's object must contain the same bytes.  The
start files of the C library, which have no debug info, are left out.

--full: every compiler, level, version and kind of link; without it two, in about a minute.
Exit status 1 where a target is missed, 77 where a tool is missing."""
import argparse
import bisect
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import truth
from truth import CLANG, HERE, LINKERS, LLD, MERGED, OBJECTS, PACKAGES, SEED, Build, Score, must

OF_DEBUG_FILE = "debug file"


# ---- what is right ----------------------------------------------------------------------------

class Truth:
    """The pieces of a link, and which objects a unit may be."""

    def __init__(self, linked, sources):
        text = pathlib.Path(f"{linked}.map").read_text(errors="surrogateescape")
        pieces, _ = (truth.read_lld_map(text) if "     VMA" in text[:60]
                     else truth.read_gnu_map(text))
        self.pieces = [p for p in pieces if truth.kind_of(p.output) and p.start > 0
                       and (p.obj == MERGED or self.is_ours(p.obj))]
        self.objects = truth.Objects({p.obj for p in self.pieces})
        self.elf = truth.Elf(pathlib.Path(linked).read_bytes())
        self.object_of = {str(s): s.stem + ".o" for s in sources}
        self.symbols = sorted(truth.names_at(linked).items())
        self.merged = {p for p in self.pieces
                       if p.obj == MERGED or (p.obj, p.name) in self.objects.mergeable}
        self.others = sorted(p.start for p in self.pieces if p not in self.merged)

    @staticmethod
    def is_ours(name):
        return re.fullmatch(r"(unit_\d+|main)\.o", name) is not None

    def ranges(self):
        """(start, end, piece), no byte twice: bfd's map repeats merged contents at the address
        of what follows them."""
        done = 0
        for p in sorted(self.pieces, key=lambda p: (p.start, p in self.merged)):
            start, end = max(done, p.start), p.start + p.size
            if p in self.merged:
                i = bisect.bisect_left(self.others, p.start)
                end = min(end, self.others[i]) if i < len(self.others) else end
            done = max(done, end)
            if start < end:
                yield start, end, p

    def common_definers(self, addr):
        i = bisect.bisect_right(self.symbols, (addr, ["\U0010ffff"])) - 1
        names = self.symbols[i][1] if i >= 0 else []
        return {o for n in names for o in self.objects.by_symbol.get(n, ())}

    def judge(self, score, piece, start, end, label):
        obj = self.object_of.get(label)
        names = [] if label.startswith("[") else [label]
        if piece.name == "common":
            good = obj in self.common_definers(start)
            score.add(good, end - start, label, names, piece, start)
        elif piece in self.merged:
            for at, size, data in truth.merged_chunks(self.elf, piece, start, end):
                good = data in self.objects.merge.get(obj, b"")
                score.add(good, size, label, names, piece, at)
        else:
            score.add(obj == piece.obj, end - start, label, names, piece, start)


def compare(rows, facts):
    """Scores by kind of section."""
    starts = [r[0] for r in rows]
    scores = {kind: Score() for kind in truth.KINDS}
    for start, end, piece in facts.ranges():
        at = max(0, bisect.bisect_right(starts, start) - 1)
        while at < len(rows) and rows[at][0] < end:
            first, last, label = rows[at]
            at += 1
            low, high = max(first, start), min(last, end)
            if low < high:
                facts.judge(scores[truth.kind_of(piece.output)], piece, low, high, label)
    return scores


# ---- the builds ---------------------------------------------------------------------------------

def builds(full):
    gcc, clang = ("gcc", "g++"), (CLANG, CLANG.replace("clang", "clang++"))
    if not full:
        return [Build(*gcc, ["-g", "-fPIE"], ["-pie"]),
                Build(*clang, ["-gdwarf-4", "-fno-pie"], ["-no-pie"])]
    found = []
    for tools in gcc, clang:
        for level in "-O0", "-O2", "-Os":
            found.append(Build(*tools, ["-g", "-fPIE"], ["-pie"], [level]))
            found.append(Build(*tools, ["-gdwarf-4", "-fno-pie"], ["-no-pie"], [level]))
        for flags in (["-gdwarf-2"], ["-gdwarf-3"], ["-g", "-gsplit-dwarf"],
                      ["-gdwarf-4", "-gsplit-dwarf"], ["-g", "-fdebug-types-section"]):
            found.append(Build(*tools, [*flags, "-fPIC"], ["-shared"]))
        sections = ["-ffunction-sections", "-fdata-sections"]
        found.append(Build(*tools, ["-g", "-fPIE", *sections], ["-pie", "-Wl,--gc-sections"]))
        found.append(Build(*tools, ["-gdwarf-4", "-fPIE", *sections],
                           ["-pie", "-Wl,--gc-sections"]))
    return found


def check_build(opts, build, sources, folder):
    good = True
    build.compile(sources, folder)
    os.chdir(folder)
    names = sorted([*sources.glob("*.c"), *sources.glob("*.cc")])
    title = " ".join([str(build), *build.compile_flags])
    for linker in LINKERS:
        linked = build.link(linker, folder, folder.parent / "tools")
        facts = Truth(linked, names)
        rows = truth.vm_rows(opts.heft, linked, "compileunits")
        good &= truth.report(linker, title, compare(rows, facts), opts.show)
        # The same with the debug info in a file of its own.
        debug, bare = f"{linked}.debug", f"{linked}.bare"
        must("objcopy", "--only-keep-debug", linked, debug)
        must("objcopy", "--strip-all", linked, bare)
        other = truth.vm_rows(opts.heft, bare, "compileunits", [f"--debug-file={debug}"])
        good &= truth.report(linker, f"{title}, {OF_DEBUG_FILE}", compare(other, facts), opts.show)
    return good


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--heft", default="build/src/heft")
    args.add_argument("--full", action="store_true")
    args.add_argument("--show", type=int, default=0)
    args.add_argument("--keep", metavar="DIR")
    opts = args.parse_args()
    opts.heft = os.path.abspath(opts.heft)
    for tool in "gcc", "g++", CLANG, "ld.bfd", "ld.gold", LLD, "nm", "objcopy":
        if not shutil.which(tool):
            print(f"SKIP: no {tool} (install {PACKAGES.get(tool, 'binutils')})")
            return 77
    good = True
    print("linker / build / section / bytes / right % / wrong % / unowned %")
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(opts.keep or scratch).resolve()
        (folder / "tools").mkdir(parents=True)
        (folder / "tools/ld.lld").symlink_to(shutil.which(LLD))
        subprocess.run([sys.executable, HERE / "../fixtures/many_objects.py", folder / "src",
                        str(OBJECTS), str(SEED)], check=True)
        for i, build in enumerate(builds(opts.full)):
            good &= check_build(opts, build, folder / "src", folder / f"build{i}")
        os.chdir("/")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
