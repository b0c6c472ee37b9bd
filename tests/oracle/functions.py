#!/usr/bin/env python3
"""Functions of stripped programs without unwind tables: where heft says that some begin, by symbol and by function,
against the symbols before they were stripped.  Both sources own the same bytes of code, and derived blocks begin at the same
functions.

usage: tests/oracle/functions.py HEFT SOURCE_ROOT [KEPT_FOLDER]

Programs: one that is made up here (switches, tail calls, calls that do not return, functions that only pointers lead
to), heft's own decoders as a shared library, and a static program with musl's library.  FULL=1 builds all machines by
all compilers at all levels; otherwise a few.  A function counts as found where a row begins at its address; a row is
false where no symbol stands at its address.
"""
import csv
import glob
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

FULL = os.environ.get("FULL") == "1"
BARE = ["-fno-asynchronous-unwind-tables", "-fno-unwind-tables", "-fno-ident"]
RECALL_LEAST, PRECISION_LEAST, LARGEST_MOST = 0.97, 0.99, 1.2
COUNT = 160
LEVELS = ["-O0", "-O1", "-O2", "-O3", "-Os"]

# name, compiler, options, link options, what is built of: p the made-up program, s the shared library
MACHINES = [
    ("x86-64 gcc", "gcc", [], ["-no-pie"], "ps"),
    ("x86-64 gcc pie", "gcc", ["-fpie"], ["-pie"], "p"),
    ("x86-64 clang", "clang-19", [], ["-no-pie"], "ps"),
    ("x86-64 musl static", "musl-gcc", [], ["-static"], "p"),
    ("x86-64 glibc static", "gcc", [], ["-static"], "p"),
    ("x86-64 gcc gold", "gcc", ["-ffunction-sections"], ["-no-pie", "-fuse-ld=gold"], "p"),
    ("x86-64 gcc lld", "gcc", ["-fpie"], ["-pie", "-fuse-ld=lld"], "p"),
    ("x86-64 gcc patchable", "gcc", ["-fpatchable-function-entry=5"], ["-no-pie"], "p"),
    ("i386 static", "i686-linux-gnu-gcc", [], ["-static"], "p"),
    ("i386 gcc", "i686-linux-gnu-gcc", [], ["-no-pie"], "ps"),
    ("i386 gcc pie", "i686-linux-gnu-gcc", ["-fpie"], ["-pie"], "p"),
    ("AArch64 gcc", "aarch64-linux-gnu-gcc", [], ["-no-pie"], "ps"),
    ("AArch64 static", "aarch64-linux-gnu-gcc", [], ["-static"], "p"),
    ("AArch64 clang", "clang-19", ["--target=aarch64-linux-gnu"], ["-fuse-ld=lld", "-pie"], "ps"),
    ("Thumb clang", "clang-19", ["--target=arm-linux-gnueabihf", "-mthumb"], ["-fuse-ld=lld", "-pie"], "p"),
    ("Thumb gcc", "arm-linux-gnueabihf-gcc", ["-mthumb"], ["-no-pie"], "ps"),
    ("RISC-V gcc", "riscv64-linux-gnu-gcc", [], ["-no-pie"], "ps"),
    ("PE x86-64", "x86_64-w64-mingw32-gcc", [], ["-Wl,--no-insert-timestamp"], "p"),
    ("PE i386", "i686-w64-mingw32-gcc", [], ["-Wl,--no-insert-timestamp"], "p"),
]
SHORT = {"x86-64 gcc": ["-O1", "-O2"], "x86-64 clang": ["-Os"], "i386 gcc": ["-O2"], "AArch64 gcc": ["-O2"],
         "x86-64 glibc static": ["-O2"], "x86-64 gcc gold": ["-O2"], "AArch64 clang": ["-O2"], "Thumb clang": ["-O2"],
         "Thumb gcc": ["-Os"], "RISC-V gcc": ["-O1"], "PE x86-64": ["-O2"], "x86-64 musl static": ["-O1"]}
DECODERS = ["base/*.c", "code/arm64.c",
            "blocks/derive.c", "blocks/derive_[abctx]*.c", "blocks/derive_flow.c", "blocks/derive_guess.c",
            "code/disasm.c", "code/flow.c", "code/riscv.c", "code/thumb.c", "code/x86*.c",
            "code/xtensa.c", "debug/lsda*.c", "debug/unwind*.c", "image/elf/elf*.c", "names/*.c", "map/*.c"]


def source():
    """Functions that call one another; some are only in a table, taken as an address, called last, or by nobody."""
    yield "#include <stdlib.h>\n#include <string.h>\n#define N __attribute__((noinline))\n#define U __attribute__((used))\n"
    yield "typedef int fn(int);\nvolatile int out, sink;\nint state[64] = { 1, 2, 3 };\nchar text[256];\n"
    yield "N __attribute__((noreturn)) static void die(int x) { out = x; exit(x); }\n"
    yield "N __attribute__((noreturn)) static void fail(int x) { sink = x + 3; die(x + 1); }\n"
    yield "N __attribute__((noreturn)) static void spin(int x) { for (;;) out += x; }\n"
    for i in range(COUNT):
        yield f"N static int f{i}(int x);\n"
    for i in range(COUNT):
        a, b = i * 2 + 1, i * 2 + 2
        call = "".join(f" if (x & {1 << k}) x += f{c}(x * {c});" for k, c in enumerate((a, b)) if c < COUNT - 48)
        loop = f" for (int i = 0; i < (x & 7); i++) x ^= state[i & 63] << {i & 7};" if i % 3 == 0 else ""
        cases = "".join(f" case {k}: x = x * {k + i} + state[{k}]; out = x; break;" for k in range(5 + i % 9))
        switch = f" switch (x & 15) {{{cases} default: x -= {i}; }}" if i % 5 == 0 else ""
        check = f" if (x == {i * 977}) {('die', 'fail', 'abort', 'spin')[i // 4 % 4]}({'' if i // 4 % 4 == 2 else 'x'});" \
            if i % 4 == 0 else ""
        last = f" if (x > {i}) die(x); fail({i});" if i % 23 == 7 else \
            f" return f{COUNT - 1 - i % 8}(x ^ {i});" if i % 7 == 3 and i < COUNT - 48 else f" return x + {i};"
        strings = f" memcpy(text, &x, sizeof x); x += (int)strlen(text + {i % 100});" if i % 11 == 2 else ""
        yield f"N static int f{i}(int x) {{ state[x & 63] += x;{check}{call}{loop}{switch}{strings}{last} }}\n"
    yield "static fn *const table[] = { " + ", ".join(f"f{i}" for i in range(COUNT - 48, COUNT - 16)) + " };\n"
    for i in range(6):
        yield f"U N static int lost{i}(int x) {{ out += x * {i + 3}; return f{i}(out) - {i}; }}\n"
    yield "N static int later(fn *f) { return f(out); }\n"
    yield "int main(int argc, char **argv) { (void)argv; out = f0(argc) + table[argc & 31](3); "
    yield " ".join(f"sink += later(f{i});" for i in range(COUNT - 16, COUNT - 8)) + " return out; }\n"


def run(*command, **more):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **more)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)[:300]}: status {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def tool(compiler, name):
    prefix = compiler[:-len("gcc")] if compiler.endswith("-gcc") and not compiler.startswith("musl") else ""
    return (prefix + name) if prefix else {"objcopy": "llvm-objcopy-19"}.get(name, name) if "clang" in compiler else name


def rows(heft, source_name, path):
    """Sizes of code by the addresses that rows are named after."""
    text = run(heft, "size", "--no-map", "-d", f"sections,{source_name}", "--domain=vm", "-n", "0", "--csv", path)
    found = {}
    for r in csv.DictReader(text.splitlines()):
        if re.fullmatch(r"sub_[0-9a-f]+", r[source_name]) and r["sections"].startswith(".text"):
            found[int(r[source_name][4:], 16)] = int(r["vmsize"])
    return found


def derived(heft, path):
    """Addresses of the functions without a name whose blocks heft derives from the code of .text."""
    text = run(heft, "blocks", "--derive", "--csv", "-n", "0", path)
    return {int(r["function_address"]) for r in csv.DictReader(text.splitlines())
            if re.fullmatch(r"sub_[0-9a-f]+", r["function"]) and r["section"].startswith(".text")}


def owners(heft, source_name, path, section=".text"):
    """Bytes of a section by owner."""
    text = run(heft, "size", "--no-map", "-C", "none", "-d", f"sections,{source_name}", "--domain=vm", "-n", "0", "--csv", path)
    return {r[source_name]: int(r["vmsize"]) for r in csv.DictReader(text.splitlines()) if r["sections"] == section}


# Functions of 16 bytes with padding.  Labels without a size: in the nops after a function, between functions, on a trap.
# A constant among the code belongs to the function that reads it.  Nops at the start of a section belong to no function.
LABELS = """
.text
.globl first, second, third, in_nops, on_trap, after_trap
.type first, @function
.type second, @function
.type third, @function
first: .cfi_startproc
 movsd number(%rip), %xmm0
 ret
 .cfi_endproc
.size first, . - first
in_nops: .balign 16
second: .cfi_startproc
 call first@PLT
 ret
 .cfi_endproc
.size second, . - second
.balign 32
hidden: .cfi_startproc
 call third@PLT
 ret
 .cfi_endproc
.balign 64
number: .quad 0x3ff123456789abcd, 1
third: .cfi_startproc
 mov $1, %eax
on_trap: int3
 .cfi_endproc
after_trap: .balign 16
last: .cfi_startproc
 call hidden
 ret
 .cfi_endproc
.balign 16
tail: .cfi_startproc
 mov %eax, %eax
 ret
 nop
 .cfi_endproc
.section .zcode, "ax"
.balign 4
 .byte 0x90, 0x90, 0x90, 0x90
zed: .cfi_startproc
 ret
 .cfi_endproc
.section .data.rel.ro, "aw"
.globl table
.type table, @object
table: .quad in_nops, after_trap
.size table, 16
"""


def judge_labels(heft):
    """What is wrong with the owners of LABELS."""
    with open("labels.s", "w", encoding="ascii") as f:
        f.write(LABELS)
    run("gcc", "-shared", "-nostdlib", "-s", "labels.s", "-o", "labels.so")
    symbols, functions = owners(heft, "symbols", "labels.so"), owners(heft, "functions", "labels.so")
    wrong = [f"{k}: {symbols.get(k)} by symbol, {functions.get(k)} by function"
             for k in sorted(set(symbols) | set(functions)) if symbols.get(k) != functions.get(k)]
    wrong += [f"{label} owns nops" for label in ("in_nops", "after_trap") if label in symbols]
    if symbols.get("first") != 16 + 16:
        wrong.append(f"first has {symbols.get('first')} bytes, not 16 and 16 of the number")
    other = {k: v for k, v in owners(heft, "symbols", "labels.so", ".zcode").items() if not k.startswith("sub_")}
    if other != {"[section .zcode]": 4}:
        wrong.append(f"nops at the start of .zcode belong to {other}")
    return wrong + [f"{k} stays" for k in symbols if k.startswith("[")]


def elf_truth(path):
    """Addresses of functions that have a size; of all symbols in code; the largest size."""
    wide = run("readelf", "-sSW", path)
    code = {int(f[1]) for f in re.findall(r"(\[ *(\d+)\] \.(?:text|init|fini)\S*) ", wide)}
    kept = {int(m, 16) for m in re.findall(r"^ *\d+: ([0-9a-f]+) .*", run("readelf", "--dyn-syms", "-W", path), re.M)}
    sized, every = set(), set()
    arm = "ARM" in run("readelf", "-h", path).split("Machine:")[1].splitlines()[0]
    plt = largest = 0
    for f in (line.split() for line in wide.splitlines()):
        if len(f) == 8 and f[6].isdigit() and int(f[6]) in code and f[3] in ("FUNC", "NOTYPE", "IFUNC"):
            addr = int(f[1], 16)
            if f[3] != "NOTYPE" and arm:
                if not addr & 1:
                    kept.add(addr) # of the other set
                addr &= ~1
            every.add(addr)
            size = int(f[2], 0)
            largest = max(largest, size)
            if f[3] != "NOTYPE" and size > plt:
                sized.add(addr)
    return sized - kept, every, largest


def pe_truth(path):
    text = run("objdump", "-t", path)
    section = {int(m[0]) + 1: int(m[1], 16)
               for m in re.findall(r"^ *(\d+) \S+ +[0-9a-f]+ +([0-9a-f]+) ", run("objdump", "-h", path), re.M)}
    sized, every = set(), set()
    for number, kind, value in re.findall(r"\(sec +(\d+)\).*\(ty +([0-9a-f]+)\).*0x([0-9a-f]+) ", text):
        if int(number) == 1:
            addr = section[1] + int(value, 16)
            every.add(addr)
            if kind == "20":
                sized.add(addr)
    return sized, every, 0


def compile_all(compiler, options, level, sources, out):
    objects = []
    for i, path in enumerate(sources):
        o = f"{out}.{i}.o"
        try:
            run(compiler, *options, level, *BARE, "-w", "-c", path, "-o", o)
        except RuntimeError:
            if len(sources) == 1: # some want numbers of 128 bits
                raise
            continue
        objects.append(o)
    return objects


def build(machine, level, kind, root, name):
    _, compiler, options, link, _ = machine
    if kind == "p":
        objects = compile_all(compiler, options, level, ["made.c"], name)
        run(compiler, *[o for o in options if o.startswith(("--target", "-m"))], *objects, *link, "-o", name)
    else:
        files = [p for pattern in DECODERS for p in sorted(glob.glob(os.path.join(root, "src", pattern)))]
        more = [*options, "-fPIC", "-fvisibility=hidden", "-std=gnu11", "-I", os.path.join(root, "src"), "-I",
                os.path.join(root, "include")]
        objects = compile_all(compiler, more, level, files, name)
        run(compiler, *[o for o in options if o.startswith(("--target", "-m"))], "-shared", "-nostdlib",
            *[o for o in link if "fuse" in o], *objects, "-o", name)
    for o in objects:
        os.unlink(o)
    run(tool(compiler, "objcopy"), "-R", ".eh_frame", "-R", ".eh_frame_hdr", "-R", ".ARM.exidx", "-R", ".ARM.extab",
        "-R", ".pdata", "-R", ".xdata", "-S", name, name + ".stripped")


def judge(heft, name, pe):
    sized, every, largest = pe_truth(name) if pe else elf_truth(name)
    mine, theirs = rows(heft, "rawsymbols", name + ".stripped"), rows(heft, "functions", name + ".stripped")
    found, false = sized & set(mine), set(mine) - every
    same = len(set(mine.items()) ^ set(theirs.items())) + len(set(mine) ^ derived(heft, name + ".stripped"))
    return {"truth": len(sized), "found": len(found), "rows": len(mine), "false": len(false), "differ": same,
            "largest": max(mine.values(), default=0) / max(largest or max(theirs.values(), default=0), 1),
            "missing": sorted(sized - set(mine)), "wrong": sorted(false)}


def main():
    heft, root = os.path.realpath(sys.argv[1]), os.path.realpath(sys.argv[2])
    only = os.environ.get("ONLY", "")
    tried = failed = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = sys.argv[3] if len(sys.argv) > 3 else temporary
        os.chdir(folder)
        with open("made.c", "w", encoding="utf-8") as f:
            f.write("".join(source()))
        if not only and shutil.which("gcc") and platform.machine() == "x86_64":
            wrong = judge_labels(heft)
            tried += 1
            failed += bool(wrong)
            print(f"{'FAIL' if wrong else 'ok  '} labels", *wrong, sep="\n  ")
        for machine in MACHINES:
            title, compiler, _, _, kinds = machine
            levels = LEVELS if FULL else SHORT.get(title, [])
            if only not in title:
                continue
            if levels and not shutil.which(compiler):
                print(f"LEFT OUT: {title}: no {compiler}")
                continue
            for level in levels:
                for kind in kinds if FULL and level in ("-O2", "-Os") else "p":
                    name = f"{title} {level} {kind}".replace(" ", "_") + (".exe" if title.startswith("PE") else "")
                    try:
                        if not os.path.exists(name + ".stripped"):
                            build(machine, level, kind, root, name)
                    except RuntimeError as e:
                        print(f"LEFT OUT: {name}: {str(e).splitlines()[-1]}")
                        continue
                    r = judge(heft, name, title.startswith("PE"))
                    recall = r["found"] / max(r["truth"], 1)
                    precision = 1 - r["false"] / max(r["rows"], 1)
                    good = (recall >= RECALL_LEAST and precision >= PRECISION_LEAST and r["truth"] > 50 and
                            r["largest"] <= LARGEST_MOST and r["differ"] == 0)
                    tried += 1
                    failed += not good
                    print(f"{'ok  ' if good else 'FAIL'} {name}: {r['truth']} functions, recall {recall:.2%}, precision "
                          f"{precision:.2%}, {r['differ']} rows differ, largest {r['largest']:.2f}")
                    if not good and "VERBOSE" in os.environ:
                        print("  missing", *[f"{a:x}" for a in r["missing"][:40]])
                        print("  wrong", *[f"{a:x}" for a in r["wrong"][:40]], flush=True)
    if tried == 0:
        print("SKIP: no compiler")
        sys.exit(77)
    print(f"{tried} programs, {failed} failed")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
