#!/usr/bin/env python3
"""Frames against -fstack-usage: what heft reads from code is what gcc and clang say they made.

usage: stack_frames.py HEFT [SOURCE...]

Compiles sources of this tree for x86-64, Thumb-2 and RISC-V by each compiler that is there, at -O0, -Os and -O2, links
each object alone and compares function by function.  99.5 % have to be equal for each compiler and machine; functions
that grow by what a register says ("dynamic") have to be told as such.  FULL=1 takes twice as many sources."""
import collections
import csv
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

LEAST = 99.5
# Of the sources of the tree; compiling takes nearly all of the time.
EVERY = 8 if os.environ.get("FULL") == "1" else 16
HERE = pathlib.Path(__file__).resolve().parent.parent.parent
SKIPPED = 77

NEWLIB = "/usr/include/newlib"
CROSS = "/usr/riscv64-linux-gnu/include"
ARM64 = "/usr/aarch64-linux-gnu/include"
XTENSA = "/usr/lib/xtensa-lx106-elf/include"
# Name, what has to be there, compiler and flags, flags of the linker.
KITS = [
    ("x86-64 gcc", [], "gcc", "ld", []),
    # What clang says of a frame leaves out arguments that are pushed for a call: here none are pushed.
    ("x86-64 clang", [], "clang-19 -mllvm -no-x86-call-frame-opt", "ld", []),
    ("x86-64 gcc, probes", [], "gcc -fstack-clash-protection", "ld", []),
    ("x86-64 clang, probes", [], "clang-19 -mllvm -no-x86-call-frame-opt -fstack-clash-protection", "ld", []),
    # Registers 16 to 31 by REX2, and pushes of two.
    ("x86-64 clang, APX", [], "clang-19 -mllvm -no-x86-call-frame-opt -mapxf", "ld", []),
    ("thumb gcc", [NEWLIB], "arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16",
     "arm-none-eabi-ld", []),
    ("thumb clang", [NEWLIB], "clang-19 --target=thumbv7em-none-eabihf -mfpu=fpv4-sp-d16 -isystem " + NEWLIB,
     "arm-none-eabi-ld", []),
    ("thumb-1 gcc", [NEWLIB], "arm-none-eabi-gcc -mcpu=cortex-m0 -mthumb", "arm-none-eabi-ld", []),
    ("riscv32 gcc", [NEWLIB], "riscv64-unknown-elf-gcc -march=rv32imac -mabi=ilp32 -isystem " + NEWLIB,
     "riscv64-unknown-elf-ld", ["-melf32lriscv"]),
    ("riscv32 clang", [NEWLIB], "clang-19 --target=riscv32-unknown-elf -march=rv32imac -isystem " + NEWLIB,
     "riscv64-unknown-elf-ld", ["-melf32lriscv"]),
    # Pushes and pops of Zcmp.
    ("riscv32 clang, pushes", [NEWLIB], "clang-19 --target=riscv32-unknown-elf -march=rv32imac_zcmp -isystem " + NEWLIB,
     "riscv64-unknown-elf-ld", ["-melf32lriscv"]),
    # Long numbers and pushes of Qualcomm's. Not Xqcili, whose relocations no linker knows.
    ("riscv32 clang, Xqci", [NEWLIB], "clang-22 --target=riscv32-unknown-elf -menable-experimental-extensions -march=" +
     "rv32imac_xqcia0p7_xqciac0p3_xqcibi0p2_xqcicm0p2_xqcilb0p2_xqciint0p10_xqccmp0p3 -mno-relax -isystem " + NEWLIB,
     "ld.lld-22", []),
    ("aarch64 gcc", [ARM64], "aarch64-linux-gnu-gcc", "aarch64-linux-gnu-ld", []),
    ("aarch64 gcc, probes", [ARM64], "aarch64-linux-gnu-gcc -fstack-clash-protection", "aarch64-linux-gnu-ld", []),
    ("aarch64 clang", [ARM64], "clang-19 --target=aarch64-linux-gnu -isystem " + ARM64, "aarch64-linux-gnu-ld", []),
    ("aarch64 clang, probes", [ARM64], "clang-19 --target=aarch64-linux-gnu -fstack-clash-protection -isystem " + ARM64,
     "aarch64-linux-gnu-ld", []),
    ("avr gcc", ["/usr/lib/avr/include"], "avr-gcc -mmcu=atmega328p", "avr-ld", ["-mavr5", "--defsym=__TEXT_REGION_LENGTH__=0x100000"]),
    ("xtensa gcc", [XTENSA], "xtensa-lx106-elf-gcc -isystem " + XTENSA, "xtensa-lx106-elf-ld", []),
    ("riscv64 gcc", [CROSS], "riscv64-linux-gnu-gcc", "riscv64-unknown-elf-ld", []),
    ("riscv64 clang", [CROSS], "clang-19 --target=riscv64-linux-gnu -isystem " + CROSS, "riscv64-unknown-elf-ld", []),
]


def run(command, folder):
    return subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def compile_one(kit, level, source, folder):
    """The linked program and what the compiler said; None where the source is not for this machine."""
    _, _, compiler, linker, link_flags = kit
    words = compiler.split()
    out = run(words + ["-std=gnu11", level, "-w", "-fstack-usage"] +
              ["-I", HERE / "src", "-I", HERE / "include", "-c", source, "-o", "x.o"], folder)
    if out.returncode != 0:
        return None
    linked = run([linker, *link_flags, "--unresolved-symbols=ignore-all", "-e", "0", "-Ttext=0x10000", "x.o", "-o", "x"], folder)
    if linked.returncode != 0:
        return None
    said = pathlib.Path(folder, "x.su").read_text()
    return pathlib.Path(folder, "x"), said


def bare(name):
    """Copies of functions are numbered in the program and not in what the compiler says."""
    return re.sub(r"\.\d+$", "", name)


def stated(said):
    """Frames by function; a name that stands for several functions has several."""
    frames = collections.defaultdict(list)
    for line in said.splitlines():
        place, size, how = line.split("\t")
        frames[bare(place.split(":")[-1])].append((int(size), how))
    return frames


def saves_arguments(kit, program, name):
    """ARM: whether a function begins with room for arguments that came in registers, which gcc leaves out."""
    if "arm-none-eabi-gcc" not in kit[2]:
        return False
    out = run(["arm-none-eabi-objdump", "-d", "--no-show-raw-insn", "--disassemble=" + name, program], None).stdout
    first = re.search(r"^ +[0-9a-f]+:\t(.*)$", out, re.M)
    return bool(first and re.match(r"sub\s+sp|push\s+\{(r[0-3][-, ]*)+\}", first[1]))


def read(heft, program):
    out = subprocess.run([heft, "stack", "--functions", "--csv", "-n0", "-C", "none", program], stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, text=True)
    if out.returncode != 0:
        sys.exit("heft: %s" % out.stderr)
    frames = collections.defaultdict(list)
    for row in csv.DictReader(io.StringIO(out.stdout)):
        frames[bare(row["functions"])].append((int(row["frame"]), row["besides"]))
    return frames


class Tally:
    def __init__(self, kit):
        self.kit = kit
        # clang leaves the return address out.
        self.word = 8 if kit[0] .startswith("x86-64 clang") else 0
        self.same = self.other = self.dynamic = self.untold = 0
        self.examples = []

    def compare(self, program, name, said, found, where):
        for size, how in said:
            if how.startswith("dynamic") and "bounded" not in how:
                self.dynamic += 1
                if not any("alloca" in besides for _, besides in found):
                    self.untold += 1
                    self.examples.append("%s %s: dynamic, and not told (%s)" % (where, name, found))
            elif any(size + self.word == frame for frame, _ in found) or saves_arguments(self.kit, program, name):
                self.same += 1
            else:
                self.other += 1
                self.examples.append("%s %s: %d %s, heft %s" % (where, name, size, how, found))


def measure(heft, kit, sources, folder):
    tally = Tally(kit)
    for level in "-O0", "-Os", "-O2":
        for source in sources:
            made = compile_one(kit, level, source, folder)
            if not made:
                continue
            said, found = stated(made[1]), read(heft, made[0])
            for name, frames in said.items():
                if name in found:
                    tally.compare(made[0], name, frames, found[name], "%s %s" % (level, source.name))
    return tally


def is_there(kit):
    return all(os.path.exists(path) for path in kit[1]) and shutil.which(kit[2].split()[0]) and shutil.which(kit[3])


def main():
    heft = os.path.abspath(sys.argv[1])
    folders = "base", "code", "debug", "map", "names", "stack"
    given = [pathlib.Path(s).resolve() for s in sys.argv[2:]]
    tree = [s for f in folders for s in sorted((HERE / "src" / f).glob("*.c"))]
    bad, kits = 0, [kit for kit in KITS if is_there(kit)]
    for kit in KITS:
        if kit not in kits:
            print("%s: left out, since the compiler or its headers are not there" % kit[0])
    with tempfile.TemporaryDirectory() as folder:
        for kit in kits:
            small = kit[0] in ("avr gcc", "xtensa gcc")
            sources = [HERE / "tests/oracle/stack_frames.c", *tree[::1 if small else EVERY]]
            t = measure(heft, kit, given or sources, folder)
            count = t.same + t.other
            share = 100 * t.same / count if count else 0
            print("%s: %d functions, %.2f %% of frames equal; %d dynamic, %d not told" %
                  (kit[0], count, share, t.dynamic, t.untold))
            # Little of this tree is for 16 bits, or for a library that has no more than C's.
            if count < (30 if small else 100) or share < LEAST or t.untold:
                bad += 1
            for example in t.examples[:int(os.environ.get("EXAMPLES", 5))]:
                print("   ", example)
    if not kits:
        print("SKIP: no compiler of any machine (install gcc-arm-none-eabi gcc-riscv64-unknown-elf gcc-avr)")
        sys.exit(SKIPPED)
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
