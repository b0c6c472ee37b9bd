#!/usr/bin/env python3
"""`heft info` against readelf and nm, for programs built here and installed files; and what it says that
RELR would save against what the linker saves.

usage: tests/oracle/info.py HEFT
"""
import csv
import glob
import io
import json
import os
import re
import subprocess
import sys
import tempfile

SOURCE = """
#include <stdio.h>
#include <string.h>
extern char **environ;
static const char *words[] = { "a", "b", "c", "d", "e", "f", "g" };
static const char **tables[] = { words, words + 3, words + 5 };
int print(int n, const char *s)
{
	char room[64];
	strcpy(room, s);
	return printf("%s %s %d\\n", room, tables[n % 3][0], environ != NULL);
}
int main(int argc, char **argv) { return print(argc, argv[0]); }
"""
BUILDS = [
    "-pie -fPIE", "-no-pie", "-no-pie -static", "-static-pie -fPIE", "-shared -fPIC",
    "-pie -fPIE -Wl,-z,now", "-pie -fPIE -Wl,-z,lazy -Wl,-z,norelro", "-pie -fPIE -z execstack",
    "-pie -fPIE -O2 -D_FORTIFY_SOURCE=2", "-pie -fPIE -fno-stack-protector", "-pie -fPIE -g",
    "-pie -fPIE -g -gdwarf-4", "-pie -fPIE -s", "-shared -fPIC -s -Wl,-rpath,/opt/lib",
    "-pie -fPIE -fcf-protection=full", "-c", "-c -fPIC -g", "-pie -fPIE -Wl,--hash-style=both",
    "-pie -fPIE -Wl,--emit-relocs", "-pie -fPIE -Wl,-z,lazy",
]


def run(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True, errors="replace").stdout


def wanted(path):
    """What readelf says of the file, in the words of heft."""
    header, dynamic = run("readelf", "-hW", path), run("readelf", "-dW", path)
    segments, sections = run("readelf", "-lW", path), run("readelf", "-SW", path)
    linked = "Type:                              REL" not in header
    interp = " INTERP " in segments
    pie = "Type:                              DYN" in header and (
        re.search(r"Flags:.*\bPIE\b", dynamic) is not None or (interp and "(SONAME)" not in dynamic))
    program = linked and (pie or "Type:                              EXEC" in header)
    now = re.search(r"BIND_NOW|Flags:.*\bNOW\b", dynamic) is not None
    ret = {
        "kind": "object" if not linked else "program" if program else "library",
        "linked": "" if not linked else "dynamic" if interp or not program else "static",
        "symbols": "all" if ".symtab" in sections else "packed" if ".gnu_debugdata" in sections
                   else "go" if ".gopclntab" in sections
                   else "dynamic" if ".dynsym" in sections else "none",
        "build_id": (re.findall(r"Build ID: (\w+)", run("readelf", "-nW", path)) or [""])[0],
        "runpath": (re.findall(r"(?:RPATH|RUNPATH)\).*\[(.*)\]", dynamic) or [""])[0],
    }
    said = re.search(r"Packaging Metadata: (.*)", run("readelf", "-nW", path))
    package = json.loads(said.group(1)) if said else {}
    ret["package"] = " ".join(package[k] for k in ("type", "name", "version", "architecture", "os") if k in package)
    if " .comment " in sections and ".go.buildinfo" not in sections:
        tools = re.findall(r"^ +\[ *\w+\]  (.*)$", run("readelf", "-p", ".comment", path), re.M)
        ret["made_by"] = ", ".join(dict.fromkeys(tools))
    if linked:
        lazy = interp or "Type:                              DYN" in header
        ret["relro"] = ("no" if " GNU_RELRO " not in segments else
                        "partial" if lazy and not now else "yes")
        ret["pie"] = "" if not program else "yes" if pie else "no"
        stack = re.search(r"GNU_STACK .* (R[W ][E ]) ", segments)
        ret["nx"] = "yes" if stack and "E" not in stack.group(1) else "no"
    names = run("readelf", "-sW", path)
    if linked and (interp or not program or ".symtab" in sections):
        ret["canary"] = "yes" if re.search(r" __stack_chk_fail", names) else "no"
    counts = re.findall(r"Relocation section '([^']*)' at offset \S+ contains (\d+) entr", run("readelf", "-rW", path))
    alloc = set(re.findall(r"\] (\S+)\s+RELA?\s.* [A-Z]*A[A-Z]* ", sections))
    if ".relr.dyn" not in sections:
        ret["relocations"] = sum(int(n) for name, n in counts if not linked or name in alloc)
    return ret


def compare(heft, paths):
    rows = list(csv.DictReader(io.StringIO(run(heft, "info", "--no-debug-search", "--csv", *paths))))
    if len(rows) != len(paths):
        sys.exit(f"{len(paths)} files, {len(rows)} rows")
    bad = compared = 0
    for path, row in zip(paths, rows):
        if row["bytes"] != str(os.path.getsize(path)):
            bad += 1
            print(f"FAIL {path}: {row['bytes']} bytes")
        for key, value in wanted(path).items():
            compared += 1
            if row[key] != str(value):
                bad += 1
                print(f"FAIL {path}: {key} is {row[key]!r}, readelf says {value!r}")
    return compared, bad


def relr(heft, folder, source):
    """What heft says that RELR would save is what it saves."""
    plain, packed = os.path.join(folder, "plain"), os.path.join(folder, "packed")
    table = os.path.join(folder, "table.c")
    with open(table, "w", encoding="utf-8") as f:
        f.write("int v[9];\n")
        for i in range(400):
            gap = "" if i % 7 else f"int gap{i}[{i % 90 + 1}] = {{ 1 }};\n"
            f.write(f"{gap}int *p{i} = &v[{i % 9}];\n")
    build = ["cc", "-shared", "-fPIC", "-fuse-ld=lld", table, source]
    if subprocess.run(build + ["-o", plain], capture_output=True, check=False).returncode != 0:
        print("LEFT OUT: savings by RELR: no lld (install lld)")
        return 0, 0
    run(*build, "-Wl,--pack-dyn-relocs=relr", "-o", packed)
    kinds = next(csv.DictReader(io.StringIO(run(heft, "info", "--csv", plain))))["saving_kinds"]
    said = int(re.search(r"RELR (\d+)", kinds).group(1))
    size = {p: sum(int(n, 16) for n in re.findall(r"\.relr?a?\.dyn\s+\S+\s+\S+ \S+ (\S+)",
                                                  run("readelf", "-SW", p))) for p in (plain, packed)}
    if said != size[plain] - size[packed]:
        print(f"FAIL RELR: heft says {said} bytes, the linker saves {size[plain] - size[packed]}")
        return 1, 1
    return 1, 0


def opened(heft, folder):
    """Notes about packages and dlopen; damaged ones add what comes before the damage."""
    notes = ['[{"soname":["libidn2.so.0","libidn.so.1"],"feature":"idn","priority":"suggested","x":{"soname":["no"]}},'
             '{"priority":"required","soname":["libz.so.1",7]}]', '{"soname":["no"]}', '[{"soname":["liba.so"]},{"soname":["li']
    source, path = os.path.join(folder, "notes.s"), os.path.join(folder, "notes.o")
    with open(source, "w", encoding="utf-8") as f:
        f.write('.section .note.dlopen,"a",@note\n')
        for i, note in enumerate(notes):
            text = note.replace('"', '\\"')
            f.write(f'.balign 4\n.long 4, 2{i}f - 1{i}f, 0x407c0c0a\n.asciz "FDO"\n1{i}: .asciz "{text}"\n2{i}:\n')
        f.write('.section .note.package,"a",@note\n.long 4, 4f - 3f, 0xcafe1a7e\n.asciz "FDO"\n'
                '3: .ascii "{\\"os\\":\\"Z\\",\\"name\\":\\"p\\",\\"more\\":{\\"name\\":\\"no\\"},\\"type\\":\\"rpm\\"}"\n4:\n')
    run("cc", "-c", source, "-o", path)
    row = next(csv.DictReader(io.StringIO(run(heft, "info", "--csv", path))))
    bad = 0
    for key, text in (("opens", "libidn2.so.0 or libidn.so.1 (idn: suggested), libz.so.1 (required), liba.so"),
                      ("package", "rpm p Z")):
        if row[key] != text:
            bad += 1
            print(f"FAIL notes: {key} is {row[key]!r}, not {text!r}")
    return 2, bad


def main():
    heft = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "prog.c")
        with open(source, "w", encoding="utf-8") as f:
            f.write(SOURCE)
        paths = []
        for number, flags in enumerate(BUILDS):
            path = os.path.join(folder, f"build{number}" + (".o" if "-c" in flags.split() else ""))
            run("cc", "-fstack-protector-all", *flags.split(), source, "-o", path)
            paths.append(path)
        installed = sorted(glob.glob("/usr/bin/*") + glob.glob("/usr/lib/*/*.so*"))
        elf = [p for p in installed if os.path.isfile(p) and not os.path.islink(p) and
               open(p, "rb").read(4) == b"\x7fELF"]
        compared, bad = compare(heft, paths + elf[:: max(1, len(elf) // 100)])
        for check in (lambda: relr(heft, folder, source), lambda: opened(heft, folder)):
            more, worse = check()
            compared, bad = compared + more, bad + worse
    print(f"{compared} facts compared, {bad} differ")
    sys.exit(bad > 0 or compared < 300)


if __name__ == "__main__":
    main()
