#!/usr/bin/env python3
"""What heft says a function retains, against what a linker saves without it.

usage: retained.py HEFT

Links sources of this tree with --gc-sections.  For each of some functions, the program is linked again with an empty stub in
place of the function.  What the link saves has to be what heft said of the first program: all together within 1 %, and
within 32 bytes or 1 % for 90 % of the functions (linkers align constants anew).  FULL=1 takes more of them."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77
ROOTS = ["x86_refs", "arm64_refs", "data_refs", "rollup_add", "rows_build", "rules_add", "unwind_next", "lsda_size", "demangle", "signature_parse",
         "linkmap_parse", "reloc_next", "graph_read", "graph_finish", "view_update", "claims_resolve", "sort_by_key", "flow_decode"]


def output(*words):
    return subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True).stdout


def sources():
    text = (HERE / "graph.py").read_text()
    return re.findall(r'"([a-z_/0-9]+\.c)"', text[text.index("C_SOURCES"):text.index("CXX =")])


def memory(path):
    """Bytes of the sections that take memory."""
    lines = re.findall(r"^ *\[ *\d+\] \S+ +\S+ +[0-9a-f]+ [0-9a-f]+ ([0-9a-f]+) [0-9a-f]+ +([A-Z]*)", output("readelf", "-SW", path), re.M)
    return sum(int(size, 16) for size, flags in lines if "A" in flags)


def link(objects, out):
    subprocess.run(["gcc", "-no-pie", "-Wl,--gc-sections", "-Wl,-z,norelro", *objects, "-o", out], check=True)


def main():
    if not shutil.which("gcc"):
        print("SKIP: no gcc")
        sys.exit(SKIPPED)
    heft, count = sys.argv[1], 100 if os.environ.get("FULL") else 12
    with tempfile.TemporaryDirectory() as folder:
        work, objects, flags = pathlib.Path(folder), [], ["-O2", "-w", "-fno-pie", "-falign-functions=1", "-ffunction-sections", "-fdata-sections"]
        for source in sources():
            out = work / (source.replace("/", "_") + ".o")
            tree = HERE.parent.parent
            subprocess.run(["gcc", *flags, "-std=gnu11", f"-I{tree}/src", f"-I{tree}/include", "-c", tree / "src" / source, "-o", out], check=True)
            objects.append(out)
        names = [line.split() for line in output("nm", "-A", *objects).splitlines()]
        defined = {words[-1]: words[0].split(":")[0] for words in names if words[-2] == "T"}
        undefined = {words[-1] for words in names if words[-2] == "U"} - {words[-1] for words in names if words[-2] != "U"}
        roots = [name for name in ROOTS if name in defined]
        (work / "main.c").write_text("".join(f"void {name}(void);\n" for name in roots) + "int main(void) {" + "".join(f"{name}();" for name in roots) + "}\n" +
                                     "".join(f"void {name}(void) {{}}\n" for name in sorted(undefined)))
        subprocess.run(["gcc", *flags, "-fno-builtin", "-c", work / "main.c", "-o", work / "main.o"], check=True)
        objects.append(work / "main.o")
        link(objects, work / "all")
        base = memory(work / "all")
        sizes = {w[3]: int(w[1], 16) for w in (line.split() for line in output("nm", "-S", work / "all").splitlines()) if len(w) == 4 and w[2] == "T" and w[3] in defined}
        chosen = sorted(sizes, key=lambda name: (-sizes[name], name))
        chosen = chosen[::max(1, len(chosen) // count)]
        said = [json.loads(line) for line in output(heft, "why", "--json", "-C", "none", work / "all", *chosen).splitlines()]
        said = {row["name"]: row["retained_vm"] for row in said}
        good = sums = told = 0
        for name in chosen:
            (work / "stub.c").write_text(f"void {name}(void) {{}}\n")
            subprocess.run(["gcc", *flags, "-fno-asynchronous-unwind-tables", "-c", work / "stub.c", "-o", work / "stub.o"], check=True)
            subprocess.run(["objcopy", "--weaken-symbol=" + name, defined[name], work / "weak.o"], check=True)
            link([work / "weak.o" if str(o) == defined[name] else o for o in objects] + [work / "stub.o"], work / "less")
            saved = base - memory(work / "less") + 1
            close = abs(saved - said[name]) <= max(32, saved / 100)
            good, sums, told = good + close, sums + saved, told + said[name]
            print(f"{'' if close else 'DIFFERS '}{name}: heft {said[name]}, the linker {saved}")
        print(f"{good} of {len(chosen)} within 32 bytes or 1 %; all: heft {told}, the linker {sums}")
        sys.exit(good < 0.9 * len(chosen) or abs(told - sums) > sums / 100 or len(chosen) < 10)


main()
