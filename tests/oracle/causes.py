#!/usr/bin/env python3
"""Builds pairs of programs whose difference is known, and reads which cause `heft comment` names.

usage: tests/oracle/causes.py HEFT
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

CC = shutil.which("g++")
FUNCTIONS = "".join(
    f"""
struct Error{i} {{ int code; }};
int parse{i}(const char *s) {{ if (!s) throw Error{i}{{{i}}}; Guard g; return use(s, {i}) + use(s + 1, {i}); }}
"""
    for i in range(24)
)
HEAD = """
int use(const char *s, int n);
void done();
struct Guard { ~Guard() { done(); } };
"""
BASE = {
    "main.cc": HEAD + "int parse3(const char *);\nint main(int n, char **v) { return use(v[0], n) + parse3(v[0]); }\n",
    "parse.cc": HEAD + FUNCTIONS,
    "use.cc": "int sink; int use(const char *s, int n) { while (*s) n += *s++ * 3; return n; }\nvoid done() { sink++; }\n",
}
TABLE = "extern const unsigned table[2000] = {" + ",".join(str(i * 7919) for i in range(2000)) + "};\n"
WHEN = 'extern const char built[]; const char built[] = "Nov 26 2026"; const char *version() { return "1.0.2"; }\n'
# Texts in two sources, which are longer in a later build.
DATES = {f"say{i}.cc": HEAD + f'int say{i}() {{ return use("{i}: built on Mar 4 2024", {i}); }}\n' for i in range(2)}
# Two sources with another implementation of formatted output each.
PRINTF = {
    name: {f"{name}printf.cc": "".join(f"int {word}{i}(const char *s) {{ int n = {i}; while (*s) n = n * {i + 3} + *s++; return n; }}\n" for i in range(n))}
    for name, word, n in (("tiny", "emit", 4), ("big", "vxprintf_state_", 40))
}
CLASSES = "struct Shape { virtual int area(); virtual ~Shape(); }; int Shape::area() { return 0; } Shape::~Shape() {}\n" + "".join(
    f"struct Box{i} : Shape {{ int a; int area(); }}; int Box{i}::area() {{ return a * {i}; }}\n" for i in range(9)
)
# A library: more code than the program has, built without debug info.
LIBRARY = "".join(f"int lib_{i}(const char *s) {{ int n = {i}; while (*s) n = n * {i + 3} + *s++; return n; }}\n" for i in range(60))
# Four functions, each with a helper, that link-time optimization moves into main.
PARTS = {"main.cc": "int a(int), b(int), c(int), d(int);\nint main(int n, char **v) { (void)v; return a(n) + b(n) + c(n) + d(n); }\n"} | {
    f"{k}.cc": f"""__attribute__((noinline)) static int help_{k}(int n) {{ return n * n + {i}; }}
static int s[100];
int {k}(int n) {{ for (int i = 0; i < 100; i++) s[i] = s[(i + n) % 100] * {i + 3} + n; return help_{k}(s[n % 100]) + help_{k}(n); }}
"""
    for i, k in enumerate("abcd")
}
# The same with larger helpers, so that a function that takes one in grows.
HELPED = {
    name: text.replace("return n * n", "for (int i = 0; i < n; i++) t[i] = t[n - i] / 7 + n % (i + 3); return n * n").replace("__attr", "static int t[99];\n__attr")
    for name, text in PARTS.items()
}
# A helper that three functions take in, and the same helper in another source.
TWIST = "int twist(int n) { for (int i = 0; i < 9; i++) n ^= (n << 13) + (n >> 7) * i; return n % 77 + (n & 5); }\n"
INLINED = {"main.cc": "int a(int), b(int), c(int);\nint main(int n, char **v) { (void)v; return a(n) + b(n) + c(n); }\n",
           "all.cc": f"static {TWIST}int a(int n) {{ return twist(n) + 1; }}\nint b(int n) {{ return twist(n) * 3; }}\nint c(int n) {{ return twist(n + 7) - n; }}\n"}
AWAY = {"main.cc": INLINED["main.cc"], "twist.cc": TWIST, "all.cc": INLINED["all.cc"].replace(f"static {TWIST}", "int twist(int);\n")}
# A source with a table of functions of that library, which it refers to by data alone.
WRAPPER = HEAD + "extern \"C\" int lib_3(const char *), lib_20(const char *), lib_40(const char *);\n" + """
extern int (*const methods[])(const char *); int (*const methods[])(const char *) = { lib_3, lib_20, lib_40 };
int wrap(const char *s, int n) { int sum = 0; for (int i = 0; i < n; i++) { sum += use(s, i) * methods[i % 3](s); done(); } return sum; }
int wrap_many(const char *s, int n) { int sum = 0; for (int i = 0; i < n; i++) { sum += use(s + 1, i) + wrap(s, i) * 7; done(); } return sum; }
"""
TEMPLATE = HEAD + """
template <class T> __attribute__((noinline)) T series(T n) { T s = 0; for (T i = 0; i < n; i += 1) { s += i * i / (n + 1); done(); s -= s / 3 + i; done(); } return s; }
int few(int n) { return series<int>(n); }
"""
SAY = HEAD + "".join(f'int say{i}(int n) {{ return n > {i} ? use("said in one/say.cc at {i}", __LINE__) : n * {i}; }}\n' for i in range(20))
MANY = "".join(f"int many{i}(int n) {{ return n * {i} + 7; }}\n" for i in range(240))


def big(calls):
    return HEAD + "int big(const char *s) { int n = 0; " + "n += use(s, n);" * calls + " return n; }\n"


def edit(old, new):
    return {name: text.replace(old, new) for name, text in BASE.items()}


def within(folder):
    return {(f"{folder}/{name}" if name == "parse.cc" else name): text for name, text in BASE.items()}


def build(folder, files, options, after=""):
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    options = options.replace("FOLDER", str(folder))
    sources = " ".join(name for name in files if not name.startswith("lib"))
    if "lib.cc" in files:
        subprocess.run(f"{CC} -O2 -c lib.cc -o lib.o", shell=True, cwd=folder, check=True)
        sources += " lib.o"
    subprocess.run(
        f"{CC} -ffile-prefix-map={folder}=. {options} {sources} -o app && {after or 'true'}", shell=True, cwd=folder, check=True
    )


DEBUG, PLAIN = "-O2 -g", "-O2"
# Name: sources and options before; sources, options and a command after; what the first sentence has; what it lacks.
CASES = {
    "options, with debug info": (BASE, DEBUG, BASE, "-Os -g", "", r"options changed in 3 of 3 units, new: `-Os`", "likely"),
    "options, without": (BASE, PLAIN, BASE, "-O0", "", r"likely.*other options of the compiler", ""),
    "one unit": (PARTS, PLAIN, PARTS, "-O2 -flto", "", r"likely.*compiled as one.* 4 functions are gone", ""),
    "exceptions off": (BASE, PLAIN, BASE | {"parse.cc": re.sub(r"throw \w+\{\d+\};", "__builtin_trap();", BASE["parse.cc"])}, "-O2 -fno-exceptions", "", r"`-fno-exceptions`", ""),
    "type information off": (BASE | {"box.cc": CLASSES}, PLAIN, BASE | {"box.cc": CLASSES}, PLAIN + " -fno-rtti", "",
                             r"Cause:.*type information \(RTTI\) of 10 classes is gone, as with `-fno-rtti`", "exceptions"),
    "exceptions and type information off": (BASE | {"box.cc": CLASSES}, PLAIN, BASE | {"parse.cc": re.sub(r"throw \w+\{\d+\};", "__builtin_trap();", BASE["parse.cc"]), "box.cc": CLASSES},
                                            "-O2 -fno-exceptions -fno-rtti", "", r"exceptions any longer, and type information.*`-fno-exceptions -fno-rtti`", ""),
    "another linker": (BASE, PLAIN, BASE, PLAIN + " -fuse-ld=lld", "", r"Cause:.*another linker made it: `Linker: ", ""),
    "another linker, with debug info": (BASE, DEBUG, BASE, DEBUG + " -fuse-ld=lld", "", r"another linker made it", ""),
    "a linker without a name, and options": (BASE, PLAIN + " -fuse-ld=lld", BASE, "-O0", "", r"likely.*other options of the compiler", "linker"),
    "stripped": (BASE, PLAIN, BASE, PLAIN, "strip app", r"Cause:.*stripped", ""),
    "stripped of all": (BASE, DEBUG, BASE, DEBUG, "strip app", r"Cause:.*stripped.* Debug info is no longer in the file", ""),
    "debug info": (BASE, "-O2 -g1", BASE, "-O2 -g3", "", r"only debug info changed.*`-g3`.*What loads is the same", ""),
    "options of debug info": (BASE, "-O2 -g", BASE, "-O2 -g1", "", r"`-g1` is new, before `-g`", ""),
    "a version of DWARF": (BASE, "-O2 -g -gdwarf-5", BASE, "-O2 -g -gdwarf-4", "", r"only debug info changed, from DWARF version 5 to 4: `.*`\.debug_ranges` \(new", ""),
    "debug info of one source": (BASE, DEBUG, BASE, DEBUG, f"{CC} -O2 -c parse.cc && {CC} -O2 -g -ffile-prefix-map=$PWD=. main.cc parse.o use.cc -o app",
                                 r"1 source lost debug info \(`-g`\): `parse.cc`", ""),
    "unwind tables off": (PARTS, PLAIN, PARTS, "-O2 -fno-asynchronous-unwind-tables -fno-unwind-tables -fno-exceptions", "", r"unwind tables were turned off", "other options"),
    "debug info compressed": (BASE, "-O2 -g", BASE, "-O2 -g -gz=zlib", "", r"only debug info changed. It is compressed now", "debug_"),
    "debug info removed": (BASE, DEBUG, BASE, PLAIN, "", r"debug info is no longer in the file", ""),
    "renamed": (BASE, DEBUG, edit("parse", "read"), DEBUG, "", r"symbols were renamed, such as `parse\d+\(.*` to `read", "option"),
    "renamed to unlike names": (BASE, DEBUG, edit("parse1(", "fetch_first(") | {"main.cc": BASE["main.cc"]}, DEBUG, "", r"symbols? (was|were) renamed.*`parse1\(.*` to `fetch_first", "option"),
    "moved": (within("one"), DEBUG, within("two"), DEBUG, "", r"Cause:.* `one/parse.cc` moved to `two/parse.cc` \(\d+ symbols\)\.$", ""),
    "moved in a stranger's folder": (within("one"), DEBUG + " -ffile-prefix-map=FOLDER=/home/anna/x/proj", within("two"), DEBUG + " -ffile-prefix-map=FOLDER=/home/anna/x/proj", "",
                                     r"Cause:.* `one/parse.cc` moved to `two/parse.cc` \(\d+ symbols\)\.$", "anna"),
    "many moved": (BASE | {"one/many.cc": MANY}, DEBUG, BASE | {"two/many.cc": MANY}, DEBUG, "", r"Cause:.* `one/many.cc` moved to `two/many.cc` \(240 symbols\)\.$", "option"),
    "a second instance": (BASE | {"few.cc": TEMPLATE}, DEBUG, BASE | {"few.cc": TEMPLATE + "long more(long n) { return series<long>(n); }\n"}, DEBUG, "",
                          r"another instance of a generic function, `series<long>`, is new", "option"),
    "inlined": (HELPED, DEBUG, {name: text.replace("__attribute__((noinline)) ", "") for name, text in HELPED.items()}, DEBUG, "",
                r"likely.* 4 functions such as `help_.\(\)` are gone, and .* grew, as inlining does", "option"),
    "no longer inlined": (INLINED, DEBUG, {name: text.replace("static int twist", "__attribute__((noinline)) static int twist") for name, text in INLINED.items()}, DEBUG, "",
                          r"likely.* `twist\(\)` is new, and 3 functions such as `.*` shrank, as if its code is no longer inlined into them", "option"),
    "moved away from its callers": (INLINED, DEBUG, AWAY, DEBUG, "", r"likely.* `twist\(\)` (is new|moved to `twist.cc`), and 3 functions such as", "option"),
    "inlined by an option": (PARTS, "-O1 -g -fno-inline", {name: text.replace("__attribute__((noinline)) ", "") for name, text in PARTS.items()}, "-O2 -g", "",
                             r"options changed.*4 functions are gone, most likely inlined", ""),
    "a library behind a table": (BASE, DEBUG, BASE | {"wrap.cc": WRAPPER, "lib.cc": LIBRARY.replace("int lib_", "extern \"C\" int lib_")}, DEBUG, "",
                                 r"without debug info are new \(.*\), most with names such as `lib_`.* own code: .*wrap", "own code:.*lib_"),
    "gaps of the file": (BASE, DEBUG, BASE | {"use.cc": BASE["use.cc"] + TABLE}, DEBUG + " -Wl,-z,max-page-size=0x2000", "",
                         r": \+\d.* KiB without gaps of the file; with them .*\n.*table", ""),
    "a table that is made at run time": (BASE | {"use.cc": BASE["use.cc"] + TABLE}, DEBUG, BASE | {"use.cc": BASE["use.cc"] + "unsigned table[2000]; void fill() { for (unsigned i = 0; i < 2000; i++) table[i] = i * 7919; }\n"}, DEBUG, "",
                                         r"`table` moved from `.rodata` to `.bss`, which shrinks the file by 7.8 KiB", "belong"),
    "moved, with other line numbers": (BASE | {"one/say.cc": SAY}, DEBUG, BASE | {"two/say.cc": SAY.replace("__LINE__", "1000")}, DEBUG, "", r"`one/say.cc` moved to `two/say.cc`", "rebuild"),
    "one function and many": (BASE | {"big.cc": big(4)}, DEBUG, edit("+ use(s + 1,", "+ 700 * use(s + 200,") | {"big.cc": big(300)}, DEBUG, "",
                              r"one function, `big\(\)`, grew by .*\. 2\d functions have another size\.$", "option"),
    "a table": (BASE, DEBUG, BASE | {"use.cc": BASE["use.cc"] + TABLE}, DEBUG, "", r"one table of data, `table`, is new", "option"),
    "classes": (BASE, DEBUG, BASE | {"box.cc": CLASSES}, DEBUG, "", r"10 classes \(.*are new", "option"),
    "another printf": (BASE | PRINTF["tiny"], DEBUG, BASE | PRINTF["big"], DEBUG, "", r"formatted output \(`printf`\) was replaced", "came in"),
    "a library": (BASE, DEBUG, BASE | {"lib.cc": LIBRARY}, DEBUG, "", r"without debug info are new", "option"),
    "linked statically": (BASE, DEBUG, BASE, "-O2 -g -static", "", r"linked statically now", ""),
    "a fixed address": (BASE, PLAIN, BASE, "-O2 -fno-pie -no-pie", "", r"no longer position-independent", ""),
    "alignment": (BASE, PLAIN, BASE, "-O2 -Wl,-z,max-page-size=0x40000", "", r"padding between segments", ""),
    "appended data": (BASE, PLAIN, BASE, PLAIN, "head -c 50000 app > more && cat more >> app", r"data after the last section of the file grew", "padding"),
    "contents": (BASE, DEBUG, edit("* 3", "* 5"), DEBUG, "", r"contents differ in 1 of \d+ functions.*: function `use\(\)` in `use.cc`\.$", "likely"),
    "a time stamp": (BASE | {"when.cc": WHEN}, DEBUG, BASE | {"when.cc": WHEN.replace("26", "27")}, DEBUG, "", r"contents differ in 1 of .*: table `built` in `when.cc`\.$", ""),
    "a version": (BASE | {"when.cc": WHEN}, PLAIN, BASE | {"when.cc": WHEN.replace("1.0.2", "1.0.3")}, PLAIN, "", r"text `\"1.0.2\"` is now `\"1.0.3\"` in `.rodata`\.$", ""),
    "a rebuild": (BASE | DATES, DEBUG, BASE | {name: text.replace("4 2024", "20 2024, 14:22") for name, text in DATES.items()}, DEBUG, "",
                  r"Cause:.*a rebuild: code and tables have the same sizes, and \d\d bytes of texts and padding differ, as with another date, path or version, in `say0.cc`, `say1.cc`.*\.$", "belong"),
    "nothing else": (BASE, PLAIN + " -Wl,--build-id=0x" + 20 * "01", BASE, PLAIN + " -Wl,--build-id=0x" + 20 * "02", "", r"only the build id differs", "contents differ"),
    "a table and options": (BASE, DEBUG, BASE | {"use.cc": BASE["use.cc"] + TABLE}, "-O3 -g", "",
                            r"one table of data, `table`.*; the compiler's options changed .*`-O3`", "Cause"),
    # All functions change, but the compiler and its options are the same.
    "a header": (BASE, DEBUG, edit("~Guard() {", "~Guard() { done(); done(); done();"), DEBUG, "", r"", "option|likely"),
}


def sentence(comment):
    """The heading and the sentence under it, "" without a sentence."""
    lines = [line for line in comment.split("<details>")[0].splitlines() if line]
    found = [line for line in lines[2:] if line.startswith("**")]
    return lines[1] + "\n" + found[0] if found else ""


def links_with(linker):
    """True if the compiler has the linker."""
    source = "int main(void) { return 0; }"
    done = subprocess.run([CC, "-x", "c++", "-", f"-fuse-ld={linker}", "-o", "/dev/null"], input=source, text=True, capture_output=True)
    return done.returncode == 0


def main():
    heft, failed = pathlib.Path(sys.argv[1]).resolve(), 0
    with tempfile.TemporaryDirectory() as room:
        for i, (name, case) in enumerate(CASES.items()):
            if "lld" in case[1] + case[3] and not links_with("lld"):
                print(f"not run, there is no lld: {name}")
                continue
            old, new = pathlib.Path(room, f"{i}", "old"), pathlib.Path(room, f"{i}", "new")
            build(old, case[0], case[1])
            build(new, case[2], case[3], case[4])
            done = subprocess.run([heft, "comment", "--base", old / "app", new / "app"], capture_output=True, text=True)
            text = sentence(done.stdout)
            good = done.returncode == 0 and re.search(case[5], text) and not (case[6] and re.search(case[6], text))
            if name == "moved in a stranger's folder":
                # Files that only say their side are called after the folder of the sources.
                shutil.copy(old / "app", old / "old")
                shutil.copy(new / "app", new / "new")
                named = subprocess.run([heft, "comment", "--base", old / "old", new / "new"], capture_output=True, text=True)
                good = good and "### Size of `proj`: " in named.stdout
            if name == "a table":
                rows = json.loads(subprocess.run([heft, "diff", "--json", old / "app", new / "app"], capture_output=True).stdout)
                good = good and [cause["kind"] for cause in rows["causes"]] == ["symbol"] and rows["causes"][0]["share"] > 0.9
            failed += not good
            if not good:
                print(f"FAILED: {name}: {text or done.stdout[:300] + done.stderr}")
    print(f"causes: {len(CASES) - failed} named, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    if CC is None:
        print("SKIP: no g++ (install g++)")
        sys.exit(77)
    sys.exit(main())
