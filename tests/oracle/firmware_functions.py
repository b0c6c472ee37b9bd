#!/usr/bin/env python3
"""Functions of stripped firmware, which has neither symbols nor tables of unwinding: where heft says that some begin,
some do by the symbols before they were stripped; and how many bytes stay without an owner, apart from the room for the
stack.

usage: tests/oracle/firmware_functions.py HEFT

Functions call one another; some are only in the table of vectors, in a table of pointers (which is not looked at on
RISC-V, where tables of jumps look the same) or taken as an address.
"""
import csv
import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

COUNT = 120
SCRIPT = """MEMORY { FLASH (rx) : ORIGIN = @F@, LENGTH = 256K
  RAM (rwx) : ORIGIN = @R@, LENGTH = 64K }
ENTRY(start)
SECTIONS {
  .vectors : { KEEP(*(.vectors)) } > FLASH
  .text : { *(.text*) *(.rodata*) } > FLASH
  .data : { *(.data*) } > RAM AT> FLASH
  .bss : { *(.bss*) *(COMMON) } > RAM
  .user_stack (NOLOAD) : { stack_low = .; . = . + 0x400; } > RAM
}
"""
# What the script sets aside is nobody's, though start() takes its address.
SET_ASIDE = {"[section .user_stack]": 0x400}
# Compiler, what it is told; addresses of flash and RAM; the share of functions that have to be found.
MACHINES = {
    "Thumb-2": ("arm-none-eabi-", ["-mcpu=cortex-m4", "-mthumb"], [], "0x08000000", "0x20000000", 0.97),
    "Thumb-1": ("arm-none-eabi-", ["-mcpu=cortex-m0", "-mthumb"], [], "0x08000000", "0x20000000", 0.97),
    "RISC-V": ("riscv64-unknown-elf-", ["-march=rv32imac", "-mabi=ilp32"], ["-m", "elf32lriscv"], "0x20400000",
               "0x80000000", 0.85),
}
PACKAGES = {"arm-none-eabi-": "gcc-arm-none-eabi", "riscv64-unknown-elf-": "gcc-riscv64-unknown-elf"}
UNSTRIPPED_MOST, STRIPPED_MOST, FALSE_MOST = 0.01, 0.08, 0.03


def source():
    yield "#define N __attribute__((noinline))\ntypedef int fn(int);\ntypedef void vector(void);\n"
    yield "extern int stack_low[];\nint *volatile low;\nvolatile int out;\nstatic int state[64] = { 1, 2, 3 };\n"
    yield "void start(void);\nvoid handler(void) { out++; }\n"
    yield '__attribute__((used, section(".vectors"))) vector *const vectors[16] = '
    yield "{ (vector *)0x20001000, start, handler };\n"
    for i in range(COUNT):
        yield f"N int f{i}(int x);\n"
    for i in range(COUNT):
        calls = [i * 2 + 1, i * 2 + 2]
        body = "".join(f" if (x & {1 << k}) x += f{c}(x * {c});" for k, c in enumerate(calls) if c < COUNT - 20)
        loop = f" for (int i = 0; i < (x & 7); i++) x ^= t{i}[i & 7] << i;" if i % 3 == 0 else ""
        table = f"static const int t{i}[8] = {{ {i * 77777}, {i}, 3, 4, 5, 6, {i ^ 12345}, 8 }};\n" if loop else ""
        yield f"{table}N int f{i}(int x) {{ state[x & 63] += x;{body}{loop} return x + {i}; }}\n"
    yield "static fn *const table[] = { " + ", ".join(f"f{i}" for i in range(COUNT - 20, COUNT - 4)) + " };\n"
    yield "N static void later(fn *f) { out += f(out); }\n"
    yield "void start(void) { low = stack_low; for (;;) { out = f0(out) + table[out & 15](3); " + \
        " ".join(f"later(f{i});" for i in range(COUNT - 4, COUNT)) + " } }\n"


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def owners(heft, path):
    rows = csv.DictReader(run(heft, "size", "--no-map", "-d", "rawsymbols", "--domain=vm", "-n", "0", "--csv",
                              path).splitlines())
    return {row["rawsymbols"]: int(row["vmsize"]) for row in rows if int(row["vmsize"]) > 0}


def unowned(sizes):
    """The share of bytes; that of the room for the stack is not looked at."""
    left = {name: size for name, size in sizes.items() if name not in SET_ASIDE}
    return sum(size for name, size in left.items() if name.startswith("[")) / sum(left.values())


def functions(prefix, path):
    fields = (line.split() for line in run(prefix + "readelf", "-sW", path).splitlines())
    return {int(f[1], 16) & ~1 for f in fields if len(f) == 8 and f[3] == "FUNC"}


def one(heft, name, option):
    prefix, options, linked, flash, memory, least = MACHINES[name]
    with open("x.ld", "w", encoding="utf-8") as f:
        f.write(SCRIPT.replace("@F@", flash).replace("@R@", memory))
    run(prefix + "gcc", *options, option, "-ffreestanding", "-fno-ipa-icf", "-c", "x.c", "-o", "x.o")
    run(prefix + "ld", *linked, "-T", "x.ld", "x.o", "-o", "x.elf")
    run(prefix + "strip", "x.elf", "-o", "stripped")
    whole, stripped = owners(heft, "x.elf"), owners(heft, "stripped")
    theirs = functions(prefix, "x.elf")
    mine = {int(label[4:], 16) for label in stripped if label.startswith("sub_")}
    found, false = len(mine & theirs), len(mine - theirs)
    print(f"{name} {option}: {found} of {len(theirs)} functions, {false} that are none; without an owner "
          f"{unowned(whole):.2%}, stripped {unowned(stripped):.2%}")
    return (len(theirs) > 50 and found >= least * len(theirs) and false <= FALSE_MOST * len(theirs) and
            all(sizes.get(room) == size for sizes in (whole, stripped) for room, size in SET_ASIDE.items()) and
            unowned(whole) <= UNSTRIPPED_MOST and unowned(stripped) <= STRIPPED_MOST)


def main():
    heft = os.path.realpath(sys.argv[1])
    tried = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("x.c", "w", encoding="utf-8") as f:
            f.write("".join(source()))
        for name, (prefix, *_) in MACHINES.items():
            if not shutil.which(prefix + "gcc"):
                print(f"LEFT OUT: {name}: no {prefix}gcc (install {PACKAGES[prefix]})")
                continue
            for option in ("-O0", "-Os", "-O2"):
                tried += 1
                failed += not one(heft, name, option)
    if tried == 0:
        print("SKIP: no compiler for ARM or RISC-V")
        sys.exit(77)
    print(f"{tried} programs, {failed} failed")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
