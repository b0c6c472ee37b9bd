#!/usr/bin/env python3
"""What no root reaches, against what a linker removes.

usage: roots.py HEFT [KIT]

Links sources of this tree (C), a C++ program and a PE program by mingw, with --gc-sections and without.  In the first, nothing
may be unreached but 0.1 % of the bytes.  In the second, the symbols that heft does not reach have to be those that the first
lacks: 99 % of their bytes, and 1 % may be others."""
import collections
import csv
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import retained

SKIPPED = 77
SPLIT = ["-O2", "-w", "-ffunction-sections", "-fdata-sections"]
PE = r"""
#include <stdio.h>
static int table[] = { 1, 2, 3 };
int helper(int x) { return table[x % 3]; }
__attribute__((noinline)) int used(int x) { return helper(x) + 1; }
int (*fp)(int) = used;
int dead_function(int x) { return x * 7 + table[0]; }
int dead_variable[100] = { 1 };
int (*dead_pointers[])(int) = { dead_function, helper };
__attribute__((constructor)) static void first(void) { table[0]++; }
__attribute__((destructor)) static void last(void) { puts("last"); }
int main(int c, char **v) { return fp(c); }
"""


def output(*words):
    return subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True, stderr=subprocess.DEVNULL).stdout


def sizes(nm, path, only):
    """Symbols whose name is theirs alone, with their bytes.  `only`: names; PE states no sizes, so each counts as one byte."""
    rows = [line.split() for line in output(nm, "-S", "--defined-only", path).splitlines()]
    count = collections.Counter(w[-1] for w in rows)
    if only:
        return {w[-1]: 1 for w in rows if w[-1] in only}
    return {w[3]: int(w[1], 16) for w in rows if len(w) == 4 and w[2] in "TtDdBbRrWVu" and count[w[3]] == 1}


def reached(heft, path):
    """Names of what a root reaches, and of all nodes."""
    out, seen, line = collections.defaultdict(set), {""}, [""]
    for row in csv.DictReader(output(heft, "why", "--references", "--csv", "-C", "none", path).splitlines()):
        out[row["from"].split("@")[0]].add(row["to"].split("@")[0])
    while line:
        for name in out[line.pop()] - seen:
            seen.add(name)
            line.append(name)
    return seen


def compare(heft, what, nm, small, large, only):
    kept, all_of = sizes(nm, small, only), sizes(nm, large, only)
    lives, has = reached(heft, small), reached(heft, large)
    lost = {n: s for n, s in kept.items() if n.split("@")[0] not in lives}
    removed = {n: s for n, s in all_of.items() if n not in kept}
    dead = {n: s for n, s in all_of.items() if n.split("@")[0] not in has}
    both, truth = sum(s for n, s in dead.items() if n in removed), sum(removed.values())
    others = sum(dead.values()) - both
    bad = sum(lost.values()) > sum(kept.values()) / 1000 or both < 0.99 * truth or others > truth / 100 or truth == 0
    print(f"{'FAILED ' if bad else ''}{what}: {sum(lost.values())} of {sum(kept.values())} bytes unreached with --gc-sections; "
          f"without, {both} of {truth} bytes that a linker removes, and {others} others")
    if bad:
        missed = {n: s for n, s in removed.items() if n not in dead}
        extra = {n: s for n, s in dead.items() if n not in removed}
        for title, names in ("unreached", lost), ("reached", missed), ("others", extra):
            print("    ", title, *(f"{n} ({s})" for n, s in sorted(names.items(), key=lambda row: -row[1])[:8]))
    return not bad


GO = r"""
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"text/template"
)

type shape interface{ Area() float64 }
type square struct{ A float64 }

func (s square) Area() float64   { return s.A * s.A }
func (s *square) Name() string   { return "square" }
func (s square) Unused() []byte  { return nil }

func main() {
	shapes := []shape{square{2}, square{1}}
	sort.Slice(shapes, func(i, k int) bool { return shapes[i].Area() < shapes[k].Area() })
	json.NewEncoder(os.Stdout).Encode(shapes)
	template.Must(template.New("t").Parse("{{range .}}{{.Area}}{{end}}")).Execute(os.Stdout, shapes)
	fmt.Println(len(shapes))
}
"""


def compare_go(heft):
    """Go's linker removes what nothing reaches: methods that no interface and no reflection needs, too."""
    with tempfile.TemporaryDirectory() as folder:
        source, program = pathlib.Path(folder) / "main.go", pathlib.Path(folder) / "main"
        source.write_text(GO)
        subprocess.run(["go", "build", "-o", program, source], check=True, env={**os.environ, "GOCACHE": folder + "/cache", "GO111MODULE": "off"})
        kept, lives = sizes("nm", program, None), reached(heft, program)
    lost = {n: s for n, s in kept.items() if n not in lives and not n.startswith(("runtime.", "go:", "go."))}
    bad = sum(lost.values()) > sum(kept.values()) / 1000
    print(f"{'FAILED ' if bad else ''}Go: {sum(lost.values())} of {sum(kept.values())} bytes unreached", *sorted(lost)[:8])
    return not bad


CALLS = r"""
static __attribute__((noinline)) int leaf(int x) { __asm__ volatile(""); return x * 3; }
static __attribute__((noinline)) int middle(int x) { return leaf(x) + leaf(x + 1); }
int _start(int x) { return middle(x) + 1; }
"""
MIPS = "-nostdlib -mno-abicalls -fno-pic -no-pie -G0 -fuse-ld=lld -Wl,-e,_start"
LABELS = """
.globl _start
_start: %s first
first: %s leaf
second: %s
last: %s
leaf: %s
"""
# Name, source, compiler and flags.  Every function of the program lives.
LIVING = [
    ("ARM", CALLS, "arm-linux-gnueabihf-gcc -marm -nostdlib"), ("Thumb", CALLS, "arm-linux-gnueabihf-gcc -mthumb -nostdlib"),
    ("PowerPC", CALLS, "powerpc-linux-gnu-gcc -nostdlib"), ("s390x", CALLS, "s390x-linux-gnu-gcc -nostdlib"),
    ("MIPS", CALLS, "clang-19 --target=mipsel-linux-gnu " + MIPS),
    ("MIPS, big-endian", CALLS, "clang-19 --target=mips-linux-gnu " + MIPS),
    # The entry is at 0, and control runs on from label to label.
    ("AVR, labels", LABELS % ("rjmp", "rcall", "mov r1, r2", "ret", "ret"), "avr-gcc -nostdlib -Wl,-e,_start"),
    ("x86-64, labels", LABELS % ("jmp", "call", "mov %eax, %ebx", "ret", "ret"), "gcc -nostdlib -static -Wl,-Ttext=0"),
    ("Thumb, labels", ".syntax unified\n.thumb" + LABELS % ("b", "bl", "mov r1, r2", "bx lr", "bx lr"), "arm-none-eabi-gcc -nostdlib -mthumb -mcpu=cortex-m4 -Wl,-Ttext=0"),
]

# Pointers at odd addresses, which base relocations state, and an import that only its slot reaches.
POINTERS = r"""
__declspec(dllimport) unsigned long __stdcall GetTickCount(void);
static __attribute__((noinline)) int one(int x) { return x * 7; }
static __attribute__((noinline)) int two(int x) { return x * 9; }
struct __attribute__((packed)) { char n; int (*f)(int); } table[2] = { { 1, one }, { 2, two } };
int _start(int x) { return table[x].f(x) + (int)GetTickCount(); }
"""
LIVING += [("PE", POINTERS, "x86_64-w64-mingw32-gcc -nostdlib -Wl,-e,_start -lkernel32")]
POOL = """
.globl _start
_start: ldr x1, =first
br x1
.align 4
first: ret
"""
LIVING += [("AArch64, pool", POOL, "aarch64-linux-gnu-gcc -nostdlib -static"), ("x86-64, large", CALLS, "gcc -nostdlib -mcmodel=large -fPIE -pie"),
           ("x86-64, large and fixed", CALLS, "gcc -nostdlib -mcmodel=large -fno-pie -no-pie")]
# In objects, an assembler resolves calls in a section without relocations, or hides the distance in the instruction.
LIVING += [(f"object, {name}", CALLS, f"{command} -c") for name, command in (
    ("x86-64", "gcc"), ("i386", "i686-linux-gnu-gcc"), ("AArch64", "aarch64-linux-gnu-gcc"), ("ARM", "arm-linux-gnueabihf-gcc -marm"),
    ("Thumb", "arm-linux-gnueabihf-gcc -mthumb"), ("PowerPC", "powerpc-linux-gnu-gcc"), ("s390x", "s390x-linux-gnu-gcc"), ("RISC-V", "riscv64-linux-gnu-gcc"),
    ("AVR", "avr-gcc"), ("PE", "x86_64-w64-mingw32-gcc"), ("MIPS", "clang-19 --target=mipsel-linux-gnu -mno-abicalls -fno-pic"), ("BPF", "clang-19 --target=bpf"))]


def compare_living(heft, what, source, command):
    """Nothing may be dead in a small program in which everything is called."""
    with tempfile.TemporaryDirectory() as folder:
        suffix = ".s" if source.lstrip().startswith(".") else ".c"
        path, program = pathlib.Path(folder) / ("main" + suffix), pathlib.Path(folder) / "main.out"
        path.write_text(source)
        compiler, *flags = command.split()
        built = subprocess.run([compiler, path, "-O2", "-w", *flags, "-o", program], stderr=subprocess.PIPE, text=True)
        if built.returncode:
            print(f"LEFT OUT: {what}: not built: {built.stderr[:200]!r}")
            return True
        names = {line.split()[-1] for line in output("nm", "--defined-only", program).splitlines() if line.split()[-2] in ("tTdD" if "PE" in what else "tTdDwW")}
        lost = sorted(n for n in names - reached(heft, program) if not n.startswith(("$", ".", "__CTOR", "__DTOR", "_edata", "__data_start", "_fdata", "_ftext", "_gp")))
    print(f"{'FAILED ' if lost else ''}{what}: of {len(names)} symbols, unreached are", *lost or ["none"])
    return not lost


MIXED = """
#define F(n) __attribute__((noinline)) int f##n(int x) { for (int i = 0; i < x + n; i++) x ^= x * n; return g ? f(x, n) : x; }
int g; int f(int, int); void __aeabi_unwind_cpp_pr0(void) {}
%s
int (*all[])(int) = { %s };
int f(int x, int n) { return all[(x + n) & 31](x); }
__attribute__((target("thumb"))) int _start(int x) { return all[x & 31](x); }
""" % ("\n".join(f"F({n})" for n in range(1, 33)), ", ".join(f"f{n}" for n in range(1, 33)))


def compare_mixed(heft, compiler):
    """A stripped program of ARM code that Thumb code starts has the functions of its unwind table, and no others."""
    with tempfile.TemporaryDirectory() as folder:
        path, program = pathlib.Path(folder) / "main.c", pathlib.Path(folder) / "main.out"
        path.write_text(MIXED)
        subprocess.run([compiler, "-O2", "-marm", "-funwind-tables", "-nostdlib", "-static", path, "-o", program], check=True)
        named = {int(line.split()[0], 16) & ~1 for line in output("nm", program).splitlines() if line.split()[-2] in "tT"}
        subprocess.run([compiler.replace("gcc", "strip"), program], check=True)
        rows = output(heft, "size", "--csv", "-d", "symbols", "-n", "0", program).splitlines()
        found = {int(row[4:].split(",")[0], 16) for row in rows if row.startswith("sub_") and "[" not in row}
    wrong = sorted(found - named)
    print(f"{'FAILED ' if wrong or not found else ''}ARM code that Thumb code starts, stripped: {len(found)} functions, {len(wrong)} of them are none")
    return not wrong and len(found) > 20


def main():
    heft, good, done = sys.argv[1], True, 0
    kits = [("C", "gcc", "nm", ["-no-pie"]), ("C, moving", "gcc", "nm", ["-pie"]), ("C++", "g++", "nm", ["-no-pie"]), ("PE", "x86_64-w64-mingw32-gcc", "x86_64-w64-mingw32-nm", [])]
    for what, compiler, nm, flags in kits:
        if not shutil.which(compiler) or sys.argv[2:] not in ([], [what]):
            if not shutil.which(compiler):
                print(f"LEFT OUT: {what}: no {compiler}")
            continue
        with tempfile.TemporaryDirectory() as folder:
            work, only = pathlib.Path(folder), None
            if what == "PE":
                (work / "main.c").write_text(PE)
                subprocess.run([compiler, *SPLIT, "-c", work / "main.c", "-o", work / "main.o"], check=True)
                objects = [work / "main.o"]
                # mingw's own objects are not split, and GNU ld lets .pdata keep all functions.
                only = {"used", "fp", "table", "dead_variable", "dead_pointers", "first", "last", "main", "__C_specific_handler"}
            else:
                retained.FLAGS[:] = [f for f in retained.FLAGS if f not in ("-fno-pie", "-fPIE")] + ["-fPIE" if "-pie" in flags else "-fno-pie"]
                objects = (retained.build_cxx if compiler == "g++" else retained.build_c)(work)
            for name, more in ("small.exe", ["-Wl,--gc-sections"]), ("large.exe", []):
                subprocess.run([compiler, *flags, *more, *objects, "-o", work / name], check=True)
            good = compare(heft, what, nm, work / "small.exe", work / "large.exe", only) and good
            done += 1
    if shutil.which("go") and sys.argv[2:] in ([], ["Go"]):
        good = compare_go(heft) and good
        done += 1
    if shutil.which("arm-linux-gnueabihf-gcc") and sys.argv[2:] in ([], ["living"]):
        good = compare_mixed(heft, "arm-linux-gnueabihf-gcc") and good
        done += 1
    for what, source, command in LIVING:
        if shutil.which(command.split()[0]) and sys.argv[2:] in ([], ["living"]):
            good = compare_living(heft, what, source, command) and good
            done += 1
    if done == 0:
        print("SKIP: no compiler")
        sys.exit(SKIPPED)
    sys.exit(not good)


main()
