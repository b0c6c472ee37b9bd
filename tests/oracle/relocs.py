#!/usr/bin/env python3
"""Relocations of debug info in objects of every machine that a compiler or assembler here is for: the
lines of `heft where` against addr2line of the target, or llvm-symbolizer, and against the source itself.

usage: tests/oracle/relocs.py HEFT [MACHINE...]
       FULL=1: every machine and both versions of DWARF; GAS=DIR: also DIR/*-as
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = """int shared;
int one(int a) { return a + 1; }

int two(int a)
{
	shared = a;
	return a + 2;
}

__attribute__((section(".text.away"))) int three(int a)
{
	return a - 3;
}
"""
LINES = {"one": (2, 2), "two": (2, 8), "three": (10, 13)}

# Of clang: the triple, further options, what else addr2line could be; "" where llvm-symbolizer knows.
CLANG = [
    ("x86_64-linux-gnu", ""), ("x86_64-linux-gnux32", ""), ("i686-linux-gnu", ""), ("aarch64-linux-gnu", ""),
    ("aarch64_be-linux-gnu", ""), ("armv7-linux-gnueabihf", ""), ("armeb-none-eabi", ""), ("thumbv7m-none-eabi", ""),
    ("riscv32-unknown-elf", "-mrelax"), ("riscv64-linux-gnu", "-mrelax"), ("powerpc-linux-gnu", ""),
    ("powerpc64-linux-gnu", ""), ("powerpc64le-linux-gnu", ""), ("mips-linux-gnu", ""), ("mipsel-linux-gnu", ""),
    ("mips64-linux-gnuabi64", ""), ("mips64el-linux-gnuabi64", ""), ("mips64-linux-gnuabin32", ""),
    ("s390x-linux-gnu", ""), ("sparc-linux-gnu", ""), ("sparcv9-linux-gnu", ""), ("loongarch32-linux-gnu", ""),
    ("loongarch64-linux-gnu", ""), ("hexagon-unknown-elf", ""), ("m68k-linux-gnu", ""), ("avr", "-mmcu=atmega328"),
    ("bpfel", ""), ("bpfeb", ""), ("msp430-unknown-elf", ""), ("lanai", ""), ("ve-linux-gnu", ""), ("amdgcn-amd-amdhsa", ""),
    ("xtensa", ""), ("csky-linux-gnu", ""), ("arc-linux-gnu", ""),
]
# Of GCC: its prefix, the package, further options.
GCC = [
    ("avr-", "gcc-avr", "-mmcu=atmega328"), ("xtensa-lx106-elf-", "gcc-xtensa-lx106", ""),
    ("arm-none-eabi-", "gcc-arm-none-eabi", ""), ("riscv64-unknown-elf-", "gcc-riscv64-unknown-elf", ""),
    ("riscv64-unknown-elf-", "gcc-riscv64-unknown-elf", "-march=rv32i -mabi=ilp32"),
    ("powerpc-linux-gnu-", "gcc-powerpc-linux-gnu", ""), ("s390x-linux-gnu-", "gcc-s390x-linux-gnu", ""),
    ("aarch64-linux-gnu-", "gcc-aarch64-linux-gnu", ""), ("m68k-linux-gnu-", "gcc-m68k-linux-gnu", ""),
    ("alpha-linux-gnu-", "gcc-alpha-linux-gnu", ""), ("hppa-linux-gnu-", "gcc-hppa-linux-gnu", ""),
    ("hppa64-linux-gnu-", "gcc-hppa64-linux-gnu", ""), ("sh4-linux-gnu-", "gcc-sh4-linux-gnu", ""),
    ("sh4-linux-gnu-", "gcc-sh4-linux-gnu", "-mrelax"), ("sparc64-linux-gnu-", "gcc-sparc64-linux-gnu", ""),
    ("sparc64-linux-gnu-", "gcc-sparc64-linux-gnu", "-m32"), ("mips-linux-gnu-", "gcc-mips-linux-gnu", ""),
    ("mips-linux-gnu-", "gcc-mips-linux-gnu", "-mips16 -msoft-float"),
    ("mips64el-linux-gnuabi64-", "gcc-mips64el-linux-gnuabi64", ""),
    ("mips64el-linux-gnuabi64-", "gcc-mips64el-linux-gnuabi64", "-mabi=n32"),
    ("mipsisa64r6el-linux-gnuabi64-", "gcc-mipsisa64r6el-linux-gnuabi64", ""),
    ("arc-linux-gnu-", "gcc-arc-linux-gnu", ""), ("bpf-", "gcc-bpf", ""), ("h8300-hms-", "gcc-h8300-hms", ""),
    ("or1k-elf-", "gcc-or1k-elf", ""), ("powerpc64-linux-gnu-", "gcc-powerpc64-linux-gnu", ""),
    ("powerpc64le-linux-gnu-", "gcc-powerpc64le-linux-gnu", ""), ("i686-linux-gnu-", "gcc-i686-linux-gnu", ""),
    ("arm-linux-gnueabihf-", "gcc-arm-linux-gnueabihf", ""), ("x86_64-linux-gnux32-", "gcc-x86-64-linux-gnux32", ""),
]
# Assemblers alone; their `-g` describes the lines of the assembly.
ASSEMBLERS = [("ia64-linux-gnu-", "binutils-ia64-linux-gnu"), ("z80-unknown-elf-", "binutils-z80"),
              ("m68hc11-", "binutils-m68hc1x"), ("sh-elf-", "binutils-sh-elf")]
ASSEMBLY = "\n\t.text\n\t.globl one\none:\n\tnop\n\tnop\n\t.globl two\ntwo:\n\tnop\n\tnop\n\tnop\n"
STEP, MOST = 2, 64


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, errors="replace")


def heft_lines(heft, path, places):
    """For each place (function name, line); a frame is two lines, an empty one ends the place."""
    done = run(heft, "where", "--terse", "-C", "none", path, *places)
    blocks = done.stdout.strip("\n").split("\n\n")
    ret = []
    for block in blocks:
        lines = block.split("\n")
        found = re.match(r"(.*?):(\d+)(:\d+)?$", lines[-1])
        ret.append((lines[0], int(found[2]) if found else 0))
    return ret, done.stderr


def symbolizer_lines(path, places):
    words = [f"{place.rpartition('+')[0]}" for place in places]
    if set(words) != {".text"}:
        return None
    done = run("llvm-symbolizer-19", "--relativenames", "--no-inlines", "--functions=linkage", "--no-demangle", f"--obj={path}",
               *[hex(int(p.partition("+")[2], 16)) for p in places])
    ret = []
    for block in done.stdout.strip("\n").split("\n\n"):
        lines = block.split("\n")
        found = re.match(r"(.*):(\d+):\d+$", lines[-1])
        ret.append(int(found[2]) if found else 0)
    return ret


def addr2line_lines(tool, path, section, offsets):
    done = run(tool, "-j", section, "-e", path, *[hex(o) for o in offsets])
    if done.returncode or "File format not recognized" in done.stderr:
        return None
    return [int(m[1]) if (m := re.search(r":(\d+)", line)) else 0 for line in done.stdout.splitlines()]


def sections(path):
    """Sizes of sections of code, by llvm-readelf, which reads the headers of every machine."""
    ret = {}
    for line in run("llvm-readelf-19", "-SW", path).stdout.splitlines():
        m = re.match(r"\s*\[ *\d+\] (\.text\S*|P)\s+PROGBITS\s+\S+ \S+ (\S+) \S+ +AX", line)
        if m and int(m[2], 16):
            ret[m[1]] = int(m[2], 16)
    return ret


class Tally:
    def __init__(self):
        self.good, self.bad, self.skipped, self.compared, self.oracles = 0, 0, [], 0, {}

    def fail(self, what, text):
        self.bad += 1
        print(f"FAIL: {what}: {text}")


def compare(t, heft, what, path, addr2line, known):
    """Whether every address has the line that the oracle gives, and `known` functions are where the source has them."""
    compared, odd, by = 0, [], "the source alone"
    for name, size in sections(path).items():
        offsets = list(range(0, size, STEP))[:MOST]
        ours, said = heft_lines(heft, path, [f"{name}+{o:#x}" for o in offsets])
        if "is not applied" in said:
            odd.append("\n".join(x for x in said.splitlines() if "not applied" in x))
        theirs = addr2line_lines(addr2line, path, name, offsets) if addr2line else None
        if theirs is None and not addr2line:
            theirs = symbolizer_lines(path, [f"{name}+{o:#x}" for o in offsets])
        if theirs and any(theirs):
            by = os.path.basename(addr2line or "llvm-symbolizer-19")
            for o, mine, other in zip(offsets, ours, theirs):
                first, last = known.get(mine[0], (1, 0)) # all sections of an object begin at 0: addr2line may take another
                if other and mine[1] != other and not first <= mine[1] <= last:
                    odd.append(f"{name}+{o:#x}: line {mine[1]}, wanted {other}")
                compared += other != 0
        for o, (function, line) in zip(offsets, ours):
            if line == 0 or function.removeprefix("_") not in LINES and known:
                continue # padding, literals; what the compiler adds
            first, last = known.get(function.removeprefix("_"), (1, 10 ** 6))
            if not first <= line <= last:
                odd.append(f"{name}+{o:#x}: {function} at line {line}, not {first}-{last}")
            compared += 1
    t.compared += compared
    if compared < 3:
        odd.append("no line, or next to none, at code")
    if odd:
        t.fail(what, f"{len(odd)} of {compared}: " + "; ".join(odd[:3]))
    else:
        t.good += 1
        t.oracles.setdefault(by, []).append(what)


def versions():
    return ("4", "5") if os.environ.get("FULL") else ("5",)


def try_clang(t, heft, wanted):
    for triple, more in CLANG:
        if not shutil.which("clang-19"):
            t.skipped.append("clang-19 (install clang-19)")
            return
        for version in versions():
            what = f"clang {triple} DWARF {version}"
            if wanted and not any(w in what for w in wanted):
                continue
            done = run("clang-19", f"--target={triple}", *more.split(), "-O1", "-g", f"-gdwarf-{version}", "-ffreestanding",
                       "-nogpulib", "-c", "a.c", "-o", "a.o")
            if done.returncode:
                t.skipped.append(f"{what} (clang cannot: {(done.stderr.strip().splitlines() or [''])[-1][:60]})")
                continue
            compare(t, heft, what, "a.o", None, LINES)


def try_gcc(t, heft, wanted):
    for prefix, package, more in GCC:
        for version in versions():
            what = f"{prefix}gcc {more} DWARF {version}"
            if wanted and not any(w in what for w in wanted):
                continue
            if not shutil.which(prefix + "gcc"):
                t.skipped.append(f"{prefix}gcc (install {package})")
                break
            done = run(prefix + "gcc", *more.split(), "-O1", "-g", f"-gdwarf-{version}", "-ffreestanding", "-c", "a.c", "-o", "a.o")
            if done.returncode:
                t.skipped.append(f"{what} (gcc cannot: {(done.stderr.strip().splitlines() or [''])[-1][:60]})")
                continue
            compare(t, heft, what, "a.o", shutil.which(prefix + "addr2line"), LINES)


def try_assemblers(t, heft, wanted):
    tools = [(prefix + "as", package, prefix + "addr2line") for prefix, package in ASSEMBLERS]
    tools += [(path, "", os.environ.get("ADDR2LINE", "")) for path in sorted(glob.glob(os.environ.get("GAS", "") + "/*-as"))
              if os.environ.get("GAS")]
    for tool, package, addr2line in tools:
        what = f"{os.path.basename(tool)}"
        if wanted and not any(w in what for w in wanted):
            continue
        if not shutil.which(tool):
            t.skipped.append(f"{tool} (install {package})")
            continue
        if not assemble(tool):
            t.skipped.append(f"{tool} (cannot assemble the test)")
            continue
        compare(t, heft, what, "s.o", shutil.which(addr2line), {})


def assemble(tool):
    """Some have no `nop`, or fill with words."""
    for word in ("nop", ".short 0", ".long 0", ".byte 0"):
        with open("s.s", "w") as out:
            out.write(ASSEMBLY.replace("nop", word))
        if run(tool, "-g", "s.s", "-o", "s.o").returncode == 0 and ".debug_line" in run("llvm-readelf-19", "-SW", "s.o").stdout:
            return True
    return False


def main():
    heft, wanted, t = os.path.abspath(sys.argv[1]), sys.argv[2:], Tally()
    if not shutil.which("llvm-readelf-19"):
        print("SKIP: no llvm-readelf-19 (install llvm-19)")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("a.c", "w") as out:
            out.write(SOURCE)
        try_clang(t, heft, wanted)
        try_gcc(t, heft, wanted)
        try_assemblers(t, heft, wanted)
        os.chdir("/")
    for by, machines in t.oracles.items():
        print(f"ok by {by}: {', '.join(machines)}")
    for skipped in t.skipped:
        print(f"skipped: {skipped}")
    print(f"{t.good} objects hold, {t.bad} do not, {len(t.skipped)} skipped; {t.compared} addresses compared")
    return 1 if t.bad or not t.good else 0


sys.exit(main())
