#!/usr/bin/env python3
"""heft advise finds what was planted, and its bytes are those that go when the program is built without it.

Each kind is built twice: with what the proposal is about, and changed as the proposal says.  What the change saves in the
sections concerned is what heft must state, to 1 % or 16 bytes.  A program that has none of the kinds gets no proposal of them.

usage: tests/oracle/advice.py HEFT
"""
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

PLAIN = r"""
#include <stdio.h>
#include <string.h>
int main(int count, char **words) { printf("%d %s\n", count, words[0]); return (int)strlen(words[0]); }
"""
EQUAL = r"""
#define BODY { unsigned s = 17; for (int i = 0; i < n; i++) s = s * 31 + (unsigned)i * (s >> 3) + (unsigned)n; return (int)s; }
__attribute__((noinline)) int first(int n) BODY
__attribute__((noinline)) int second(int n) BODY
__attribute__((noinline)) int third(int n) BODY
int main(int count, char **words) { (void)words; return first(count) + second(count) + third(count); }
"""
ZEROS = r"""
#ifdef CHANGED
int table[4096];
#else
int table[4096] __attribute__((section(".data"))) = { 0 };
#endif
int other = 5;
int main(int count, char **words) { (void)words; table[count] = other; return table[1]; }
"""
NAMES = r"""
#ifdef CHANGED
#define NAME ""
#else
#define NAME __PRETTY_FUNCTION__
#endif
void fail(const char *where) { __builtin_printf("%s\n", where); }
namespace a_namespace_of_some_length { template <class T> struct with_parameters {
__attribute__((noinline)) static void check_something(T v) { if (v == 3) fail(NAME); } }; }
int main(int count, char **) {
	a_namespace_of_some_length::with_parameters<int>::check_something(count);
	a_namespace_of_some_length::with_parameters<long>::check_something(count);
	a_namespace_of_some_length::with_parameters<unsigned char>::check_something((unsigned char)count);
	return 0; }
"""
POINTERS = r"""
extern const char one[] = "one", two[] = "two";
#define FOUR one, two, one, two,
#define MANY FOUR FOUR FOUR FOUR FOUR FOUR FOUR FOUR FOUR FOUR FOUR FOUR FOUR FOUR FOUR FOUR
extern const char *const table[] = { MANY MANY MANY MANY };
int main(int count, char **) { return table[count][0]; }
"""
TEMPLATES = r"""
template <class T> __attribute__((noinline)) T sum(const T *v, int n) { T s = 0; for (int i = 0; i < n; i++) s += v[i] * v[0]; return s; }
template int sum<int>(const int *, int); template long sum<long>(const long *, int);
template double sum<double>(const double *, int); template short sum<short>(const short *, int);
int main() { return 0; }
"""
EXPORTS = PLAIN + "".join(f"int exported_{i}(void) {{ return {i}; }}\n" for i in range(60))
UNREACHED = PLAIN + "".join(f"char dead_{i}[30000] = {{ {i + 1} }}; char *use_{i}(int n) {{ return dead_{i} + n; }}\n" for i in range(9))
passed = failed = 0


def settle(good, what):
    global passed, failed
    passed += good
    failed += not good
    if not good:
        print(f"FAILED: {what}")


def build(name, source, *flags):
    path = pathlib.Path(name + (".cc" if "template" in source or "namespace" in source or "extern const" in source else ".c"))
    path.write_text(source)
    compiler = "g++" if path.suffix == ".cc" else "gcc"
    subprocess.run([compiler, "-O2", "-fno-asynchronous-unwind-tables", "-o", name, path, *flags], check=True)
    return name


def sections(path):
    """Bytes of each section in the file."""
    out = subprocess.run(["readelf", "-SW", path], stdout=subprocess.PIPE, text=True, check=True).stdout
    sizes = {}
    for line in out.splitlines():
        words = line.replace("[ ", "[").split()
        if len(words) > 6 and words[0].startswith("[") and words[0] != "[Nr]" and words[2] != "NOBITS":
            sizes[words[1]] = int(words[5], 16)
    return sizes


def advice(heft, *words):
    out = subprocess.run([heft, "advise", "--json", "-n", "0", *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                         check=True).stdout
    return {row["label"]: row for row in json.loads(out)["total"]["children"]}


def compare(heft, kind, before, after, names, added=0):
    """The bytes of a proposal beside those that sections lose; `added`: bytes of headers that come instead."""
    row = advice(heft, before).get(kind)
    old, new = sections(before), sections(after)
    lost = sum(old.get(n, 0) - new.get(n, 0) for n in names(old)) - added
    settle(row is not None, f"{kind}: nothing is proposed; {lost} bytes go")
    if row:
        settle(lost > 0 and abs(row["bytes"] - lost) <= max(16, lost // 100),
               f"{kind}: heft says {row['bytes']}, {lost} bytes go")
        settle(row["what"] and row["change"] and row["sure"] in ("stated", "proved", "inferred"), f"{kind}: words: {row}")
    settle(kind not in advice(heft, after), f"{kind}: proposed again after the change")


def only(*wanted):
    return lambda have: [n for n in have if n in wanted]


def planted(heft):
    plain = build("debug", PLAIN, "-g")
    subprocess.run(["strip", "--strip-debug", "-o", "no-debug", plain], check=True)
    compare(heft, "debug info", plain, "no-debug", lambda have: [n for n in have if n.startswith(".debug")])
    subprocess.run(["strip", "-o", "bare", plain], check=True)
    compare(heft, "symbol table", "no-debug", "bare", only(".symtab", ".strtab"))
    compare(heft, "relocations kept by --emit-relocs", build("relocs", PLAIN, "-Wl,--emit-relocs"), build("none", PLAIN),
            lambda have: [n for n in have if n.startswith(".rela.") and n not in (".rela.dyn", ".rela.plt")])
    compare(heft, "old hash table beside the GNU one", build("both", EXPORTS, "-rdynamic", "-Wl,--hash-style=both"),
            build("gnu", EXPORTS, "-rdynamic", "-Wl,--hash-style=gnu"), only(".hash"))
    compare(heft, "zeros", build("zeros", ZEROS), build("bss", ZEROS, "-DCHANGED"), only(".data"))
    compare(heft, "function-names", build("names", NAMES), build("no-names", NAMES, "-DCHANGED"), only(".rodata"))
    if shutil.which("ld.lld-19"):
        lld = ("-B.", "-fuse-ld=lld", "-ffunction-sections")
        pathlib.Path("ld.lld").symlink_to(shutil.which("ld.lld-19"))
        compare(heft, "identical-code", build("equal", EQUAL, *lld), build("folded", EQUAL, *lld, "-Wl,--icf=all"),
                only(".text"))
        compare(heft, "relative relocations packed as RELR", build("rela", POINTERS, *lld, "-pie", "-fPIE"),
                build("relr", POINTERS, *lld, "-pie", "-fPIE", "-Wl,--pack-dyn-relocs=relr"), only(".rela.dyn", ".relr.dyn"), added=140)
    else:
        print("LEFT OUT: folded functions, RELR: no ld.lld-19 (install lld-19)")
    settle(any(p["label"].startswith("sum<>, 4 inst") for p in
               advice(heft, build("templates", TEMPLATES)).get("template-instances", {"children": []})["children"]),
           "template-instances: sum<> is not there")
    blob = ", ".join(str(i % 7) for i in range(40000))
    row = advice(heft, build("blob", f"extern const char packable[] = {{ {blob} }}; int main(int c, char **) {{ return packable[c]; }}"))
    settle(row.get("packable-data", {"bytes": 0})["bytes"] > 38000, f"packable-data: {row.get('packable-data')}")


def prove(heft, *link):
    """Links as heft is told, then heft again: its measures are those of links by hand, and the outputs stay."""
    def state():
        return {p.name: (p.read_bytes(), p.stat().st_mtime_ns) for p in pathlib.Path().iterdir()}

    def size(*options):
        subprocess.run(["gcc", "-o", "by-hand", "dead.o", *options], check=True)
        return pathlib.Path("by-hand").stat().st_size

    pathlib.Path("by-hand").unlink(missing_ok=True)
    subprocess.run(link, stdout=subprocess.DEVNULL, check=True)
    before = state()
    rows = advice(heft, "--prove", "--", *link)
    settle(state() == before, f"--prove -- {' '.join(link)}: files of the user changed")
    whole, gc, bare = size(), size("-Wl,--gc-sections"), size("-s")
    for kind, want in ("unreached", whole - gc), ("symbol table", size("-Wl,-S") - bare), ("debug info", whole - size("-Wl,-S")), \
            ("together", whole - size("-s", "-Wl,--gc-sections", "-Wl,-z,noseparate-code")):
        row = rows.get(kind, {})
        settle(row.get("measured") == want, f"{link}: {kind}: measured {row.get('measured')}, by hand {want}")
        # Headers and names of sections are not in the estimate: 64 bytes and more for each section.
        settle(kind == "together" or abs(row.get("bytes", 0) - want) <= max(700, want * 3 // 100),
               f"{link}: {kind}: estimated {row.get('bytes')}, measured {want}")


def proved(heft):
    pathlib.Path("dead.c").write_text(UNREACHED)
    subprocess.run(["gcc", "-g", "-O2", "-ffunction-sections", "-fdata-sections", "-c", "dead.c"], check=True)
    prove(heft, "gcc", "-o", "dead", "dead.o", "-Wl,-Map,dead.map")
    pathlib.Path("inner.rsp").write_text("'-Xlinker' -Map \n-Xlinker \"dead map\"\n")
    pathlib.Path("dead.rsp").write_text("-odead dead.o @inner.rsp")
    prove(heft, "gcc", "@dead.rsp", "-Wl,-Map=-")


def filled(heft):
    """Zeros that a loader replaces cannot go to .bss."""
    pathlib.Path("filled.c").write_text("extern int a(int), b(int); void *table[64] = { a, b, a }; int plain[64] __attribute__((section(\".data\"))); int bss[9];")
    subprocess.run(["gcc", "-shared", "-fPIC", "filled.c", "-o", "filled.so"], check=True)
    rows = [row["label"] for row in advice(heft, "filled.so").get("zeros", {"children": []})["children"]]
    settle(rows == ["plain"], f"zeros that relocations fill: {rows}")


def pages(heft):
    """Where code and constants share a segment, smaller pages help and noseparate-code does nothing."""
    compiler = "aarch64-linux-gnu-gcc"
    if not shutil.which(compiler):
        print(f"LEFT OUT: pages of AArch64: no {compiler} (install gcc-aarch64-linux-gnu)")
        return
    pathlib.Path("pages.c").write_text("int table[9] = { 1 }; int main(void) { return table[1]; }")
    row = advice(heft, "--prove", "--", compiler, "pages.c", "-o", "pages").get("page-alignment", {})
    settle(row.get("link") == "-Wl,-z,max-page-size=4096" and abs(row["measured"] - row["bytes"]) <= 4096, f"pages of AArch64: {row}")


def signed(heft):
    """Whatever changes a signed program costs its signature."""
    if not shutil.which("x86_64-w64-mingw32-gcc"):
        print("LEFT OUT: a signed program: no x86_64-w64-mingw32-gcc (install gcc-mingw-w64-x86-64)")
        return
    pathlib.Path("pe.c").write_text("int main(void) { return 0; }")
    subprocess.run(["x86_64-w64-mingw32-gcc", "pe.c", "-o", "pe.exe"], check=True)
    program = bytearray(pathlib.Path("pe.exe").read_bytes())
    optional = struct.unpack_from("<I", program, 60)[0] + 24
    struct.pack_into("<II", program, optional + 112 + 4 * 8, len(program), 8)
    pathlib.Path("signed.exe").write_bytes(program + bytes(8))
    costs = [advice(heft, name)["symbol table"]["cost"] for name in ("pe.exe", "signed.exe")]
    settle(["signed anew" in cost for cost in costs] == [False, True], f"a signed program: {costs}")


def main():
    heft = pathlib.Path(sys.argv[1]).resolve()
    for program in ("gcc", "g++", "readelf", "strip"):
        if not shutil.which(program):
            print(f"SKIP: no {program} (install g++ binutils)")
            return 77
    with tempfile.TemporaryDirectory() as scratch:

        os.chdir(scratch)
        planted(heft)
        proved(heft)
        filled(heft)
        pages(heft)
        signed(heft)
        clean = advice(heft, build("clean", PLAIN, "-s", "-Wl,--hash-style=gnu"))
        settle(not set(clean) - {"function-alignment", "page-alignment"}, f"a program without any kind: {sorted(clean)}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
