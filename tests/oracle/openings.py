#!/usr/bin/env python3
"""What is opened for a program: packed files, debug files given by hand or by folder, dwz's supplements in copied trees,
split units that are missing; and machines that headers do not name (ARM64EC).

usage: tests/oracle/openings.py HEFT
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

from tally import Tally, run

SOURCE = """#include "h.h"
int shared;
__attribute__((noinline)) int own(int x)
{
	shared += x;
	return hdr(x) + 1;
}
int main(void) { return own(7); }
"""
HEADER = "static inline __attribute__((noinline)) int hdr(int x) { return x * 5 + 1; }\n"


class Test(Tally):
    def has(self, tool, package):
        if shutil.which(tool):
            return True
        self.skipped.append(f"{tool} (install {package})")
        return False

    def unit(self, path, *options):
        out = run(self.heft, "where", *options, path, "main", check=False).stdout
        return (re.findall(r"^  unit +(.*)", out, re.M) or [""])[0]

    def line(self, path, address, *options):
        out = run(self.heft, "where", "--terse", *options, path, address, check=False).stdout.split("\n")
        return re.sub(r":\d+$", "", out[1]).split("/")[-1] if len(out) > 1 else ""


def packed(t):
    """Every command opens what is packed; what it says is the same."""
    run("gcc", "-g", "-O1", "-c", "m.c", "-o", "mod.ko")
    run("gcc", "-g", "-O1", "m.c", "-o", "prog")
    run("ar", "qc", "lib.a", "mod.ko")
    tools = [("gzip", "gz", "gzip"), ("xz", "xz", "xz-utils"), ("zstd", "zst", "zstd"), ("lz4", "lz4", "lz4")]
    for tool, ending, package in tools:
        if not t.has(tool, package):
            continue
        for path in ("mod.ko", "prog", "lib.a"):
            with open(f"{path}.{ending}", "wb") as out:
                subprocess.run([tool, "-c", path], stdout=out, check=True)
            for words in (["size", "-d", "symbols"], ["blocks"], ["size", "-d", "compileunits,symbols"]):
                theirs, ours = run(t.heft, *words, f"{path}.{ending}", check=False), run(t.heft, *words, path, check=False)
                t.check(f"{words[0]} {path}.{ending}", (theirs.returncode, theirs.stdout), (ours.returncode, ours.stdout))
            t.check(f"snapshot {path}.{ending}", run(t.heft, "snapshot", f"{path}.{ending}", "-o", "x.size", check=False).returncode, 0)
            t.check(f"info {path}.{ending}", f"{path}.{ending}" in run(t.heft, "info", ".").stdout, True)
        t.check(f"where prog.{ending}", t.unit(f"prog.{ending}").endswith("/m.c"), True)


def by_hand(t):
    """Debug files without a build id: by CRC, by sections, not those of another build."""
    build = ["gcc", "-g", "-Wl,--build-id=none", "-no-pie"]
    run(*build, "-O1", "m.c", "-o", "p")
    run(*build, "-O0", "m.c", "-o", "q")
    os.makedirs("dbg/.debug")
    os.mkdir("hidden")
    run("objcopy", "--only-keep-debug", "p", "dbg/p.dbg")
    run("objcopy", "--only-keep-debug", "q", "q.dbg")
    run("strip", "-s", "p", "-o", "bare")
    os.chdir("dbg")
    run("objcopy", "--add-gnu-debuglink=p.dbg", "../bare", "../linked")
    os.chdir("..")
    address = next(l.split()[0] for l in run("nm", "p").stdout.splitlines() if l.endswith(" own"))
    t.check("by hand, by CRC", t.line("linked", address, "--debug-file=dbg/p.dbg"), "m.c:5")
    t.check("by hand, by sections", t.line("bare", address, "--debug-file=dbg/p.dbg"), "m.c:5")
    said = run(t.heft, "where", "--debug-file=dbg/p.dbg", "bare", address).stderr
    t.check("what is missing is told", "no build ids" in said and ".gnu_debuglink" in said, True)
    for path in ("bare", "linked"):
        done = run(t.heft, "where", "--debug-file=q.dbg", path, address, check=False)
        t.check(f"{path}: another build is refused", (done.returncode, "q.dbg" in done.stderr), (2, True))
    t.check("-D: the name of .gnu_debuglink", t.line("linked", address, "-D", "dbg"), "m.c:5")
    os.rename("dbg/p.dbg", "dbg/.debug/p.dbg")
    t.check("-D: in .debug", t.line("linked", address, "-D", "dbg"), "m.c:5")
    path = "dbg" + os.path.dirname(os.path.abspath("linked"))
    os.makedirs(path)
    os.rename("dbg/.debug/p.dbg", f"{path}/p.dbg")
    t.check("-D: in the path of the program", t.line("linked", address, "-D", "dbg"), "m.c:5")
    shutil.copy("q.dbg", "dbg/p.dbg")
    os.remove(f"{path}/p.dbg")
    t.check("-D: not of another build", t.line("linked", address, "-D", "dbg"), "??:0")


def supplements(t):
    """Debian's packages put it in /usr/lib/debug/.dwz; a tree may be a copy elsewhere."""
    if not t.has("dwz", "dwz"):
        return
    os.makedirs("tree/usr/lib/debug/.dwz/x86_64-linux-gnu")
    os.makedirs("tree/usr/bin")
    for name in ("s1", "s2"):
        run("gcc", "-g", "-O1", "-no-pie", "m.c", f"-DNAME={name}", "-o", name)
    run("dwz", "-m", "sup.debug", "-M", "/usr/lib/debug/.dwz/x86_64-linux-gnu/sup.debug", "s1", "s2")
    if not os.path.exists("sup.debug"):
        t.skipped.append("dwz made no supplement")
        return
    os.rename("sup.debug", "tree/usr/lib/debug/.dwz/x86_64-linux-gnu/sup.debug")
    ident = re.findall(r"Build ID: (\w+)", run("readelf", "-nW", "s1").stdout)[0]
    folder = f"tree/usr/lib/debug/.build-id/{ident[:2]}"
    os.makedirs(folder)
    run("objcopy", "--only-keep-debug", "s1", f"{folder}/{ident[2:]}.debug")
    run("strip", "-s", "s1", "-o", "tree/usr/bin/s1")
    address = next(l.split()[0] for l in run("nm", "s1").stdout.splitlines() if l.endswith(" own"))
    for how in ("-D", "--debug-file"):
        where = "tree/usr/lib/debug" if how == "-D" else f"{folder}/{ident[2:]}.debug"
        done = run(t.heft, "where", f"{how}={where}" if how != "-D" else f"-D{where}", "tree/usr/bin/s1", address)
        t.check(f"{how}: the supplement in the tree of the debug file", ("m.c:5" in done.stdout, "supplementary" in done.stderr), (True, False))


def split_units(t):
    """Without its .dwo a unit has its own name, not that of the first file with a line."""
    for compiler, package in (("gcc", "gcc"), ("clang-19", "clang-19")):
        for version in ("4", "5"):
            if not t.has(compiler, package):
                continue
            run(compiler, "-O1", f"-gdwarf-{version}", "-gsplit-dwarf", "-c", "m.c", "-o", "m.o")
            run(compiler, "m.o", "-o", "split")
            t.check(f"{compiler} {version}: with .dwo", t.unit("split").endswith("/m.c"), True)
            os.remove("m.dwo")
            name = t.unit("split").split("/")[-1]
            t.check(f"{compiler} {version}: without .dwo", name in (("m.c", "m.dwo") if version == "5" else ("m.dwo",)), True)


def arm64ec(t):
    if not t.has("clang-19", "clang-19") or not t.has("lld-link-19", "lld-19"):
        return
    with open("ec.c", "w") as out:
        out.write("__declspec(dllexport) int two(int a) { return a * a; }\n")
    with open("lc.s", "w") as out:
        out.write(LOAD_CONFIG)
    run("clang-19", "--target=arm64ec-pc-windows-msvc", "-O1", "-c", "ec.c", "-o", "ec.obj")
    run("clang-19", "--target=arm64ec-pc-windows-msvc", "-c", "lc.s", "-o", "lc.obj")
    run("lld-link-19", "-machine:arm64ec", "-dll", "-noentry", "-nodefaultlib", "-out:ec.dll", "ec.obj", "lc.obj")
    with open("ec.dll", "rb") as f:
        data = bytearray(f.read())
    at = int.from_bytes(data[0x3c:0x40], "little") + 4
    t.check("the header of the DLL says x86-64", data[at:at + 2], b"\x64\x86")
    data[at:at + 2] = b"\x64\xaa"
    with open("x.dll", "wb") as f:
        f.write(data)
    for path, machine in (("ec.obj", "ARM64EC"), ("ec.dll", "ARM64EC"), ("x.dll", "ARM64X")):
        out = run(t.heft, "info", path).stdout
        t.check(f"{path}: machine", (machine in out, "x86-64" in out), (True, False))


# The load configuration and hybrid metadata that Microsoft's runtime has.
LOAD_CONFIG = """
	.section .rdata,"dr"
	.globl _load_config_used
	.p2align 3, 0
_load_config_used:
	.word 0x140
	.fill 0xc4, 1, 0
	.xword __chpe_metadata
	.fill 0x70, 1, 0
	.globl __chpe_metadata
	.p2align 3, 0
__chpe_metadata:
	.word 1
	.rva __hybrid_code_map
	.word __hybrid_code_map_count
	.fill 0x34, 1, 0
	.rva __arm64x_extra_rfe_table
	.word __arm64x_extra_rfe_table_size
	.fill 0x20, 1, 0
	.data
	.globl __os_arm64x_dispatch_ret
__os_arm64x_dispatch_ret: .xword 0
"""


def leb(n):
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def component_section(ident, contents):
    return bytes([ident]) + leb(len(contents)) + contents


def named(text):
    return leb(len(text)) + text


def wasm(t):
    """Components are read module by module; look-ups by name and by what browsers write have lines."""
    if not t.has("clang-19", "clang-19") or not t.has("wasm-ld-19", "lld-19"):
        return
    with open("w.c", "w") as out:
        out.write("extern void out(int);\nint table[100] = { 1 };\nint first(int a)\n{\n\tout(a);\n\treturn table[a];\n}\n"
                  "int loop(int n)\n{\n\tint r = 0;\n\tfor (int i = 0; i < n; i++)\n\t\tr += first(i) ^ n;\n\treturn r;\n}\n")
    # In two steps: clang's own link ends with wasm-opt where that is installed, which takes lines away.
    run("clang-19", "--target=wasm32", "-g", "-O1", "-c", "w.c", "-o", "w.o")
    run("wasm-ld-19", "--no-entry", "--export-all", "--allow-undefined", "w.o", "-o", "core.wasm")
    for name, first, last in (("first", 3, 7), ("loop", 8, 14)):
        out = run(t.heft, "where", "--json", "core.wasm", name).stdout
        line = int((re.findall(r'"line": *(\d+)', out) or [0])[0])
        t.check(f"wasm: {name} has a line", first <= line <= last, True)
        offset = (re.findall(r'"file_offset": *(\d+)', out) or ["0"])[0]
        frame = f"wasm://wasm/0123abcd:wasm-function[2]:{int(offset):#x}"
        t.check(f"wasm: {frame}", t.line("core.wasm", frame), t.line("core.wasm", name))
    with open("core.wasm", "rb") as f:
        module = f.read()
    start = b"\0asm\x0d\0\x01\0"
    names = named(b"\x00\x11" + leb(1) + leb(1) + named(b"main"))
    whole = (start + component_section(7, b"\x01\x40\x00\x01\x00") + component_section(1, module) + component_section(1, module)
             + component_section(4, start + component_section(1, module)) + component_section(0, named(b"component-name") + b"\x01" + names))
    with open("two.wasm", "wb") as f:
        f.write(whole)
    with open("cut.wasm", "wb") as f:
        f.write(whole[:len(whole) - 3 * len(module) // 2])
    for path in ("two.wasm", "cut.wasm"):
        out = run(t.heft, "size", "-d", "armembers", "--csv", path).stdout.splitlines()[1:]
        rows = {line.split(",")[0]: int(line.split(",")[-1]) for line in out}
        t.check(f"{path}: bytes", sum(rows.values()), os.path.getsize(path))
        if path == "two.wasm":
            t.check(f"{path}: modules", [rows.get(n, 0) >= len(module) for n in ("module[0]", "main", "2.module[0]")], [True] * 3)
    t.check("a module of a component", t.line("two.wasm(main)", "loop"), t.line("core.wasm", "loop"))


def members(t):
    """A member of an archive is an input: lib.a(member.o)."""
    run("gcc", "-g", "-O1", "-c", "m.c", "-o", "m.o")
    run("gcc", "-g", "-O0", "-c", "m.c", "-o", "other.o")
    for letters, path in (("qc", "lib.a"), ("qcT", "thin.a")):
        run("ar", letters, path, "other.o", "m.o")
        t.check(f"{path}(m.o)", t.line(f"{path}(m.o)", "own"), t.line("m.o", "own"))
        for words in (["size", "-d", "symbols"], ["blocks"]):
            t.check(f"{words[0]} {path}(m.o)", run(t.heft, *words, f"{path}(m.o)").stdout, run(t.heft, *words, "m.o").stdout)
        done = run(t.heft, "where", f"{path}(none.o)", "own", check=False)
        t.check(f"{path}: no such member", (done.returncode, "no such member" in done.stderr), (2, True))
        done = run(t.heft, "where", path, "10", check=False)
        t.check(f"{path}: how to name a member is told", "(other.o)" in done.stderr, True)


def dwarf6(t):
    """clang 22 writes headers of version 6, which are those of 5; here a file of version 5 is changed."""
    run("gcc", "-O1", "-gdwarf-5", "-c", "m.c", "-o", "five.o")
    with open("five.o", "rb") as f:
        data = bytearray(f.read())
    changed = 0
    for line in run("readelf", "-SW", "five.o").stdout.splitlines():
        m = re.match(r" *\[ *\d+\] (\.debug_\S+) +PROGBITS +\w+ (\w+) ", line)
        if m and m[1] in (".debug_info", ".debug_line", ".debug_rnglists", ".debug_loclists"):
            at = int(m[2], 16) + 4
            changed += data[at:at + 2] == b"\5\0"
            data[at:at + 2] = b"\6\0"
    with open("six.o", "wb") as f:
        f.write(data)
    t.check("DWARF 6: headers changed", changed >= 3, True)
    for words in (["where", "PATH", "own", "main"], ["size", "-d", "compileunits,symbols", "--debug-info=owners", "PATH"]):
        six, five = (run(t.heft, *[p if w == "PATH" else w for w in words]) for p in ("six.o", "five.o"))
        t.check(f"DWARF 6: {words[0]}", six.stdout, five.stdout)
        t.check(f"DWARF 6: {words[0]} notes", [n for n in six.stderr.splitlines() if "read as one of version 5" not in n], five.stderr.splitlines())


def signed_pointers(t):
    """Relocations of pointers that AArch64 signs, packed and not: as many as were written, with the owner of the pointers."""
    if not t.has("llvm-mc-19", "llvm-19") or not t.has("ld.lld-19", "lld-19"):
        return
    with open("pa.s", "w") as out:
        out.write("\t.globl _start\n\t.type _start,@function\n_start:\tret\n\t.size _start, 4\n\t.data\n\t.p2align 4\n"
                  "\t.type tab,@object\ntab:\n\t.rept 64\n\t.quad _start@AUTH(ia,42,addr)\n\t.quad _start@AUTH(da,17)\n\t.endr\n"
                  "\t.size tab, .-tab\n")
    run("llvm-mc-19", "-filetype=obj", "-triple=aarch64-linux-gnu", "-mattr=+pauth", "pa.s", "-o", "pa.o")
    for pack, least in (("relr", 1024 + 24), ("none", 1024 + 128 * 24)):
        run("ld.lld-19", "-pie", f"--pack-dyn-relocs={pack}", "pa.o", "-o", "pa")
        out = run(t.heft, "info", "pa").stdout
        t.check(f"signed pointers, {pack}: relocations", out.splitlines()[1].split()[1:3][0] == "128" or " 128 " in out, True)
        t.check(f"signed pointers, {pack}: kind", "relative 128" in out, True)
        rows = run(t.heft, "size", "-d", "symbols", "--csv", "pa").stdout.splitlines()
        size = next(int(r.split(",")[-1]) for r in rows if r.startswith("tab,"))
        t.check(f"signed pointers, {pack}: owner", size >= least, True)


def startup(t):
    """What starts a program names itself as an object: it is one, no source, with a linker map and without."""
    for options in ([], ["-Wl,-Map=start.map"]):
        run("gcc", "-g", "-O1", "m.c", "-o", "start", *options)
        run(t.heft, "snapshot", "start", "-o", "start.size")
        rows = run(t.heft, "query", "start.size", "select distinct source, object from symbols", "--csv").stdout.splitlines()[1:]
        sources, objects = zip(*[row.split(",") for row in rows])
        t.check(f"start {options}: no object is a source", [s for s in sources if s.endswith(".o")], [])
        t.check(f"start {options}: one object", len({o for o in objects if o.endswith("crt1.o")}), 1)


def servers(t):
    """A server of debug files that cannot be reached, or a library that is missing, is said."""
    if " debuginfod" not in run(t.heft, "--version").stdout:
        t.skipped.append("heft without debuginfod (build with libdebuginfod-dev)")
        return
    run("gcc", "-O1", "-s", "-Wl,--build-id", "m.c", "-o", "prog")
    done = run(t.heft, "-d", "compileunits", "prog", env={"DEBUGINFOD_URLS": "http://127.0.0.1:9"})
    t.check("no server answers", "DEBUGINFOD_URLS" in done.stderr, True)
    t.check("no server is asked", "DEBUGINFOD_URLS" in run(t.heft, "-d", "compileunits", "prog", env={"DEBUGINFOD_URLS": ""}).stderr, False)


def main():
    t = Test(os.path.abspath(sys.argv[1]))
    for part in (packed, by_hand, supplements, split_units, arm64ec, wasm, members, dwarf6, signed_pointers, startup, servers):
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            for name, text in (("m.c", SOURCE), ("h.h", HEADER)):
                with open(name, "w") as out:
                    out.write(text)
            part(t)
            os.chdir("/")
    for skipped in sorted(set(t.skipped)):
        print(f"skipped: {skipped}")
    print(f"{t.good} checks hold, {t.bad} do not")
    return 1 if t.bad or not t.good else 0


sys.exit(main())
