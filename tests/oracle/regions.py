#!/usr/bin/env python3
"""Memory regions: used bytes and sizes equal what ld --print-memory-usage says of each, the bytes stored in a region
are those that objcopy writes of it, and of a link that overflowed the map alone says by how much.

usage: tests/oracle/regions.py HEFT

A small program is linked for ARM, RISC-V and AVR by the scripts of regions_scripts.py.
"""
import csv
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from regions_scripts import SCRIPTS  # noqa: E402

SOURCE = """
#define IN(x) __attribute__((used, section(x)))
extern int other(int), third(int), more[];
void start(void);
IN(".vectors") void (*const vectors[40])(void) = { start, start };
IN(".table") const char table[777] = { 1, 2, 3 };
IN(".ramfunc") int fast(int x) { return x * 3 + other(x); }
IN(".ov_one") int first(int x) { return x * 31 + more[x & 3]; }
IN(".ov_two") int second(int x) { int i; for (i = 0; i < 9; i++) x += more[i & 3] << i; return x ^ 77; }
IN(".ccm") int quick[33] = { 4, 5 };
IN(".noinit") int kept[100];
const int constants[50] = { 5, 6, 7 };
int values[21] = { 1, 2, 3 }, zeros[300];
char odd[13] = "odd", bytes[1001];
void start(void)
{
	zeros[0] = constants[values[1] & 15] + fast(first(second(third(odd[1])))) + quick[0] + kept[1] + bytes[3] + table[4];
	for (;;)
		;
}
"""
OTHER = """int more[4] = { 9, 8 };
static char own[57];
int other(int x) { own[x & 7]++; return own[3] + more[x & 3]; }
__attribute__((used, section(".ov_three"))) int third(int x) { return x * 99 + more[x & 3] * (more[1] ^ x); }
"""
# Compiler, its prefix, what it is told; addresses of flash, RAM and the second RAM.
MACHINES = {
    "arm": ("arm-none-eabi-", ["-mcpu=cortex-m4", "-mthumb"], "0x08000000", "0x20000000", "0x10000000"),
    "riscv": ("riscv64-unknown-elf-", ["-march=rv32imac", "-mabi=ilp32"], "0x20400000", "0x80000000", "0x40000000"),
    "avr": ("avr-", ["-mmcu=atmega2560"], "0x0", "0x800200", "0x810000"),
}
PACKAGES = {"arm": "gcc-arm-none-eabi", "riscv": "gcc-riscv64-unknown-elf", "avr": "gcc-avr"}
UNITS = {"B": 1, "KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30}
LEAST_LINKS = 12

failed = []


def run(*command, status=0):
    done = subprocess.run(command, capture_output=True, text=True)
    if status is not None and done.returncode != status:
        sys.exit(f"{' '.join(command)}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def check(good, what):
    if not good:
        failed.append(what)
        print(f"FAIL {what}")


def usage(text):
    """Region: (used, size), as ld prints them."""
    found = re.findall(r"^ *(\S+): +(\d+) (B|KB|MB|GB) +(\d+) (B|KB|MB|GB) +[\d.]+%$", text, re.M)
    return {name: (int(used) * UNITS[a], int(size) * UNITS[b]) for name, used, a, size, b in found}


def regions(heft, *args):
    """Region: its row; and what heft said beside."""
    done = run(heft, "size", "-d", "regions", "--domain=both", "-n", "0", "--csv", *args)
    return {row["regions"]: row for row in csv.DictReader(done.stdout.splitlines())}, done.stderr


def compare_usage(what, theirs, mine):
    """Regions of which nothing is used have no row."""
    for name, (used, size) in theirs.items():
        row = mine.get(name)
        if used == 0:
            check(row is None or row["vmsize"] == "0", f"{what}: {name} is empty for ld: {row}")
            continue
        check(row is not None, f"{what}: no region {name}")
        if row is None:
            continue
        check(int(row["vmsize"]) == used, f"{what}: {name} uses {row['vmsize']}, ld says {used}")
        check(int(row["region_size"]) == size, f"{what}: {name} has {row['region_size']}, ld says {size}")
        check(int(row["region_free"]) == size - used, f"{what}: {name} has {row['region_free']} free")
    extra = set(mine) - set(theirs) - {"[in no region]"}
    check(not extra, f"{what}: regions {extra}")


def stored(prefix, program):
    """Bytes of all sections that objcopy writes, by address: start, size."""
    lines = run(prefix + "objdump", "-h", program).stdout.splitlines()
    for line, flags in zip(lines, lines[1:]):
        fields = line.split()
        if len(fields) == 7 and fields[0].isdigit() and "CONTENTS" in flags and "LOAD" in flags:
            yield fields[1], int(fields[4], 16), int(fields[2], 16)


def compare_stored(what, prefix, program, layout, mine):
    """What objcopy writes of a region is what heft has in the file for it, and what lies between."""
    for name, (origin, size) in layout.items():
        inside = sorted((at, n, section) for section, at, n in stored(prefix, program) if origin <= at < origin + size)
        options = [f"--only-section={section}" for _, _, section in inside]
        if not inside:
            check(name not in mine or mine[name]["filesize"] == "0", f"{what}: {name} stores nothing")
            continue
        run(prefix + "objcopy", "-O", "binary", *options, program, "out.bin")
        gaps = sum(max(0, b[0] - (a[0] + a[1])) for a, b in zip(inside, inside[1:]))
        written = os.path.getsize("out.bin")
        kept = int(mine[name]["filesize"]) if name in mine else 0
        # Fill inside a segment is in the file, and objcopy writes it.
        check(written - gaps <= kept <= written, f"{what}: {name} stores {kept}, objcopy writes {written}, gaps {gaps}")


def compare_overlays(heft, what, prefix):
    """Functions of overlays, which run at one address, have the bytes of their own sections."""
    theirs = {}
    for line in run(prefix + "readelf", "-sSW", "x.elf").stdout.splitlines():
        section = re.match(r" *\[ *(\d+)\] (\.ov_\w+) +PROGBITS", line)
        symbol = re.match(r" *\d+: \w+ +(\d+) FUNC +\w+ +\w+ +(\d+) (\w+)$", line)
        if section:
            theirs[section[1]] = (section[2], {})
        elif symbol and symbol[2] in theirs:
            theirs[symbol[2]][1][symbol[3]] = int(symbol[1])
    check(len(theirs) == 3, f"{what}: {len(theirs)} overlays")
    for option, column in (("-dregions,sections,symbols", "filesize"), ("-dsections,symbols", "vmsize")):
        rows = csv.DictReader(run(heft, "size", "--no-map", option, "--domain=both", "-n", "0", "--csv",
                                  "x.elf").stdout.splitlines())
        mine = {(row["sections"], row["symbols"]): int(row[column]) for row in rows if int(row[column])}
        for section, functions in theirs.values():
            for name, size in functions.items():
                got = mine.get((section, name), 0)
                # Padding up to the end of its section is charged to a function.
                check(size <= got < size + 16, f"{what}: {name} in {section} has {got} of {size} bytes, {option}")
    for source in "compileunits", "sourcefiles":
        rows = csv.DictReader(run(heft, "size", "--no-map", "-dsections," + source, "--domain=vm", "-n", "0", "--csv",
                                  "x.elf").stdout.splitlines())
        units = {(row["sections"], os.path.basename(row[source])) for row in rows if row["sections"].startswith(".ov_")}
        check(units == {(".ov_one", "a.c"), (".ov_two", "a.c"), (".ov_three", "b.c")}, f"{what}: {source} of overlays {units}")


def compare_fill(heft, what):
    """What is in no section is fill."""
    rows = csv.DictReader(run(heft, "size", "-d", "regions,sections", "-n", "0", "--csv", "--domain=both", "--map=x.map",
                              "x.elf").stdout.splitlines())
    other = {row["sections"] for row in rows if row["regions"] != "[in no region]" and row["sections"].startswith("[")}
    check(other <= {"[fill]", "[ELF Header]", "[ELF Program Headers]"}, f"{what}: rows {other}")


def layout_of(map_path):
    """Region: (origin, size) of the map's memory table."""
    with open(map_path, encoding="utf-8") as f:
        table = f.read().split("Memory Configuration")[1].split("Linker script and memory map")[0]
    found = re.findall(r"^(\S+) +0x([0-9a-f]+) +0x([0-9a-f]+)", table, re.M)
    return {name: (int(at, 16), int(size, 16)) for name, at, size in found if name != "*default*"}


def stated(layout):
    """The options that say the same."""
    return [f"--region={name}={origin:x}+{size}" for name, (origin, size) in layout.items() if size > 0]


# Of bytes that are stored at an address of the script's own, AT (...), ld counts none.
BY_HAND = {"overlays by hand", "addresses", "reserved ends", "copy tables"}
# A map does not say NOLOAD and COPY.
NOT_BY_MAP = {"external flash", "copy tables"}


def reach(prefix, program, layout):
    """Region: (used, size), by the last byte that a section has there where it runs or is stored."""
    ends = {}
    lines = run(prefix + "objdump", "-h", program).stdout.splitlines()
    for line, flags in zip(lines, lines[1:]):
        fields = line.split()
        if len(fields) != 7 or not fields[0].isdigit() or "ALLOC" not in flags:
            continue
        for address in {fields[3]} | ({fields[4]} if "CONTENTS" in flags else set()):
            at, size = int(address, 16), int(fields[2], 16)
            for name, (origin, length) in layout.items():
                if origin <= at < origin + length and size > 0:
                    ends[name] = max(ends.get(name, 0), at + size - origin)
    return {name: (ends.get(name, 0), length) for name, (_, length) in layout.items() if length > 0}


def link(machine, script, linker=None, options=None, objects=("a.o", "b.o")):
    linker = linker or MACHINES[machine][0] + "ld"
    text = SCRIPTS[script]
    for mark, value in zip(("@F@", "@R@", "@C@"), MACHINES[machine][2:]):
        text = text.replace(mark, value)
    with open("x.ld", "w", encoding="utf-8") as f:
        f.write(text)
    return subprocess.run([linker, *(options or LD_OPTIONS[machine]), "-T", "x.ld", "-Map=x.map", "--print-memory-usage",
                           "-e", "start", *objects, "-o", "x.elf"], capture_output=True, text=True)


LLD_MACHINES = {"arm": "armelf", "riscv": "elf32lriscv"}
LD_OPTIONS = {"arm": [], "riscv": ["-m", "elf32lriscv"], "avr": ["-m", "avr6"]}


def one_link(heft, machine, script):
    what = f"{machine}, {script}"
    done = link(machine, script)
    if done.returncode != 0:
        sys.exit(f"{what}: {done.stderr}")
    theirs = usage(done.stdout)
    check(theirs, f"{what}: ld prints no usage")
    by_address = reach(MACHINES[machine][0], "x.elf", layout_of("x.map"))
    if script in BY_HAND:
        theirs = by_address
    check(theirs == by_address, f"{what}: ld says {theirs}, by addresses it is {by_address}")
    mine, _ = regions(heft, "--map=x.map", "x.elf")
    compare_usage(what, theirs, mine)
    compare_stored(what, MACHINES[machine][0], "x.elf", layout_of("x.map"), mine)
    compare_fill(heft, what)
    if script.startswith("overlays"):
        compare_overlays(heft, what, MACHINES[machine][0])
    mine, _ = regions(heft, "--no-map", *stated(layout_of("x.map")), "x.elf")
    compare_usage(what + ", regions stated", theirs, mine)
    if script not in NOT_BY_MAP:
        mine, _ = regions(heft, "x.map")
        compare_usage(what + ", map alone", theirs, mine)
    if script.startswith("overlays"):
        link(machine, script, objects=("b.o", "a.o"))
        compare_overlays(heft, what + ", units in another order", MACHINES[machine][0])


# lld knows no NOCROSSREFS and counts "." from the first byte of the memory, and regions of sections otherwise.
NOT_BY_LLD = {"overlays", "overlays by hand", "fill", "copy tables", "generated", "banks", "heap of the rest"}


def lld_link(heft, machine, script):
    what = f"{machine}, {script}, lld"
    layout = layout_of("x.map")
    done = link(machine, script, "ld.lld-19", ["-m", LLD_MACHINES[machine]])
    if done.returncode != 0:
        sys.exit(f"{what}: {done.stderr}")
    theirs = usage(done.stdout)
    by_address = reach(MACHINES[machine][0], "x.elf", layout)
    if script in BY_HAND:
        theirs = by_address
    check(theirs == by_address, f"{what}: lld says {theirs}, by addresses it is {by_address}")
    mine, _ = regions(heft, "--map=x.map", *stated(layout), "x.elf")
    compare_usage(what, theirs, mine)
    compare_stored(what, MACHINES[machine][0], "x.elf", layout, mine)


def one_overflow(heft, machine, script, name):
    """The script with a region that is too small: nothing but the map is left."""
    what = f"{machine}, {script}, overflow"
    done = link(machine, script)
    if done.returncode == 0:
        sys.exit(f"{what}: it fits")
    found = re.search(r"region `(\w+)' overflowed by (\d+) bytes", done.stderr)
    check(found is not None, f"{what}: {done.stderr}")
    mine, said = regions(heft, "x.map")
    compare_usage(what, usage(done.stdout), mine)
    check(f"{name} by {found[2]} bytes" in said, f"{what}: ld says {found[0]}, heft {said}")


def main():
    heft = os.path.realpath(sys.argv[1])
    links = 0
    left = []
    has_lld = shutil.which("ld.lld-19")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, text in (("a.c", SOURCE), ("b.c", OTHER)):
            with open(name, "w", encoding="utf-8") as f:
                f.write(text)
        for machine, (prefix, options, *_) in MACHINES.items():
            if not shutil.which(prefix + "gcc"):
                left.append(f"LEFT OUT: links for {machine}: no {prefix}gcc (install {PACKAGES[machine]})")
                continue
            for source in "ab":
                run(prefix + "gcc", *options, "-Os", "-gdwarf-4", "-ffreestanding", "-fno-common", "-ffunction-sections",
                    "-fdata-sections", "-c", f"{source}.c", "-o", f"{source}.o")
            for script in (s for s in SCRIPTS if not s.startswith("small")):
                one_link(heft, machine, script)
                links += 1
                if has_lld and machine in LLD_MACHINES and script not in NOT_BY_LLD:
                    lld_link(heft, machine, script)
                    links += 1
            for script, name in (("small FLASH", "FLASH"), ("small RAM", "RAM")):
                one_overflow(heft, machine, script, name)
                links += 1
    if not has_lld:
        left.append("LEFT OUT: links by lld: no ld.lld-19 (install lld-19)")
    print("\n".join(left))
    if links == 0:
        print("SKIP: no compiler for ARM, RISC-V or AVR (install gcc-arm-none-eabi)")
        sys.exit(77)
    print(f"{links} links, {len(failed)} differences")
    sys.exit(bool(failed) or links < LEAST_LINKS)


if __name__ == "__main__":
    main()
