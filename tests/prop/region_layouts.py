#!/usr/bin/env python3
"""Memory regions of random linker scripts: regions and what is in none add up to the VM image, each uses what the linker says, and
what objcopy writes of a region, as plain bytes and as records, is what heft has in the file for it.

usage: tests/prop/region_layouts.py HEFT [COUNT [SEED]]

The scripts have two to four regions, sections that run in one and are stored in another, NOLOAD ones, fill, alignment, overlays and
room set aside; bfd and lld link the program of oracle/regions.py by them."""
import os
import pathlib
import random
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "oracle"))
import regions  # noqa: E402
from regions import MACHINES, OTHER, PACKAGES, SOURCE, run  # noqa: E402
from regions_scripts import SPARE  # noqa: E402

CODE = [".vectors", ".text", ".rodata", ".table"]
DATA = [".data", ".ramfunc", ".ccm"]
OVERLAYS = [".ov_one", ".ov_two", ".ov_three"]


def contents(rng, names):
    """What an output section holds: its inputs, alignment and fill between them."""
    parts = []
    for name in names:
        parts.append(f"KEEP(*({name}*))")
        if rng.random() < 0.3:
            parts.append(f". = ALIGN({2 ** rng.randrange(2, 8)});")
        if rng.random() < 0.2:
            parts.append(rng.choice(["LONG(0x12345678)", "BYTE(7) . = ALIGN(4);", f". += {4 * rng.randrange(1, 40)};"]))
    return "{ " + " ".join(parts) + " . = ALIGN(4); }"


def split(rng, names):
    """The names in groups, each an output section."""
    groups = [[]]
    for name in names:
        if groups[-1] and rng.random() < 0.6:
            groups.append([])
        groups[-1].append(name)
    return groups


def layout(rng, with_overlays):
    """A script, with marks for addresses as those of regions_scripts.py."""
    flash = ["FLASH"] + (["BOOT"] if rng.random() < 0.4 else [])
    ram = ["RAM"] + (["CCM"] if rng.random() < 0.6 else [])
    where = {"FLASH": "@F@", "BOOT": "@F@ + 0x20000", "RAM": "@R@", "CCM": "@C@"}
    lines = [f"  {name} : ORIGIN = {where[name]}, LENGTH = {rng.choice([64, 96, 128])}K" for name in flash + ram]
    out = ["MEMORY {", *lines, "}", "SECTIONS {"]
    code = CODE + ([] if with_overlays else OVERLAYS)
    for group in split(rng, code):
        align = rng.choice(["", f"ALIGN({2 ** rng.randrange(3, 9)}) "])
        fill = rng.choice(["", " =0xff", " =0xdeadbeef"])
        out.append(f"  {group[0]}_out : {align}{contents(rng, group)} > {rng.choice(flash)}{fill}")
    for group in split(rng, DATA):
        out.append(f"  {group[0]}_out : {contents(rng, group)} > {rng.choice(ram)} AT> {rng.choice(flash)}")
    if with_overlays:
        parts = " ".join(f"{name} {{ *({name}*) }}" for name in OVERLAYS)
        out.append(f"  OVERLAY : {{ {parts} }} > {rng.choice(ram)} AT> {rng.choice(flash)}")
    out.append(f"  .noinit (NOLOAD) : {{ *(.noinit*) }} > {rng.choice(ram)}")
    out.append(f"  .bss (NOLOAD) : {{ *(.bss*) *(COMMON) . = ALIGN({2 ** rng.randrange(2, 6)}); }} > {rng.choice(ram)}")
    if rng.random() < 0.5:
        out.append(f"  .room (NOLOAD) : {{ . += {8 * rng.randrange(1, 200)}; }} > {rng.choice(ram)}")
    return "\n".join(out) + "\n" + SPARE + "}\n"


def check_sums(heft, what, stated, mine):
    """Regions and what is in none are all of the image, however else it is divided."""
    total = sum(int(row["vmsize"]) for row in mine.values())
    for source in "regions,sections", "regions,symbols":
        rows = regions.csv.DictReader(run(heft, "size", "-d", source, "--domain=both", "-n", "0", "--csv", *stated,
                                          "--map=x.map", "x.elf").stdout.splitlines())
        whole = sum(int(row["vmsize"]) for row in rows)
        regions.check(whole == total, f"{what}: regions have {total} of {whole} bytes by {source}")


def one(heft, machine, linker, text, what):
    """False where the linker refuses the script."""
    regions.SCRIPTS[what] = text
    options = ["-m", regions.LLD_MACHINES[machine]] if linker else None
    done = regions.link(machine, what, linker, options)
    if done.returncode != 0:
        print(f"{what}: {done.stderr.strip()[:300]}")
        return False
    prefix = MACHINES[machine][0]
    table = regions.layout_of("x.map") if not linker else one.table
    one.table = table
    stated = regions.stated(table)
    mine, said = regions.regions(heft, "--map=x.map", *stated, "x.elf")
    before = len(regions.failed)
    regions.compare_usage(what, regions.reach(prefix, "x.elf", table), mine)
    regions.compare_stored(what, prefix, "x.elf", table, mine)
    check_sums(heft, what, stated, mine)
    if len(regions.failed) > before:
        print(text, said)
    return True


def main():
    heft = os.path.realpath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 6
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    links = refused = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        pathlib.Path("a.c").write_text(SOURCE, encoding="utf-8")
        pathlib.Path("b.c").write_text(OTHER, encoding="utf-8")
        for machine in "arm", "riscv":
            prefix, options, *_ = MACHINES[machine]
            if not shutil.which(prefix + "gcc"):
                print(f"LEFT OUT: layouts for {machine}: no {prefix}gcc (install {PACKAGES[machine]})")
                continue
            for source in "ab":
                run(prefix + "gcc", *options, "-Os", "-ffreestanding", "-fno-common", "-ffunction-sections", "-fdata-sections",
                    "-c", f"{source}.c", "-o", f"{source}.o")
            for i in range(count):
                rng = random.Random(seed * 1000 + i)
                overlays = rng.random() < 0.3
                text = layout(rng, overlays)
                good = one(heft, machine, None, text, f"{machine}, layout {i}")
                links, refused = links + good, refused + (not good)
                if good and shutil.which("ld.lld-19") and not overlays:
                    good = one(heft, machine, "ld.lld-19", text, f"{machine}, layout {i}, lld")
                    links, refused = links + good, refused + (not good)
    if links == 0:
        print("SKIP: no compiler for ARM or RISC-V (install gcc-arm-none-eabi)")
        sys.exit(77)
    print(f"{links} links, {refused} refused by the linker, {len(regions.failed)} differences")
    sys.exit(bool(regions.failed) or refused > links)


if __name__ == "__main__":
    main()
