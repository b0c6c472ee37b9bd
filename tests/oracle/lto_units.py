"""Units of programs that gcc optimised at link time: each function and variable belongs to the unit of its source.

usage: lto_units.py HEFT

The name of each function and variable says its source. `size` and `where` are both asked."""
import csv
import os
import re
import shutil
import subprocess
import sys
import tempfile

heft = os.path.realpath(sys.argv[1])
UNITS = "abcdefgh"
C = """#include <stdio.h>
static int table_u{n}[40] = {{ 1 }};
int zero_u{n}[20];
__attribute__((noinline)) static int inner_u{n}(const char *s, int k) {{ return table_u{n}[k % 40] += s[k % 3] * k; }}
__attribute__((noinline)) int call_u{n}(int x, const char *s)
{{
	for (int k = 0; k < x; k++) zero_u{n}[k % 20] += inner_u{n}(s, k);
	printf("unit {n} %d\\n", zero_u{n}[x % 20]);
	return table_u{n}[3] * x;
}}
"""
CXX = """#include <string>
#include <map>
static std::map<std::string, int> map_u{n};
struct Count_u{n} {{ std::string text; virtual ~Count_u{n}() {{}} virtual int count_u{n}(int x); }};
int Count_u{n}::count_u{n}(int x) {{ map_u{n}[text] += x; return (int)map_u{n}.size(); }}
__attribute__((noinline)) int call_u{n}(int x, const char *s) {{ Count_u{n} c; c.text = s; return c.count_u{n}(x); }}
"""
BUILDS = [("gcc", C, "c", flags) for flags in ("-O2 -g", "-Os -g", "-O1 -gdwarf-4", "-O2 -g -fno-pie -no-pie", "-O2 -g -flto-partition=none")]
BUILDS += [("g++", CXX, "cc", flags) for flags in ("-O2 -g", "-O1 -gdwarf-4")]


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def build(compiler, text, suffix, flags):
    names = []
    for n in UNITS:
        names.append(f"u{n}.{suffix}")
        with open(names[-1], "w") as f:
            f.write(text.format(n=n))
    linkage = "int call_u{0}(int, const char *);"
    with open("main." + suffix, "w") as f:
        f.write("".join(linkage.format(n) for n in UNITS))
        f.write("int main(int c, char **v) { return " + "+".join(f"call_u{n}(c, v[0])" for n in UNITS) + "; }\n")
    subprocess.run([compiler, "-flto", *flags.split(), *names, "main." + suffix, "-o", "program"], check=True)


def thin():
    """Whether what ThinLTO makes global keeps its name, kind and object."""
    os.makedirs("sub", exist_ok=True)
    with open("user.c", "w") as f:
        f.write("int one(int); const char *two(int); int puts(const char *); int main(int n, char **v) { puts(two(n)); return one(n); }")
    with open("used.c", "w") as f:
        f.write("""#include <stdio.h>
static const char *const words[] = { "first text", "second text" };
static int count;
__attribute__((noinline)) static int hidden(int x) { count += x; printf("hidden %d\\n", count); return count; }
int one(int x) { puts("one says hello"); return hidden(x) + hidden(x + 1); }
const char *two(int x) { hidden(x); return words[x & 1]; }
""")
    for name in ("user", "used"):
        run("clang-19", "-O2", "-flto=thin", "-c", name + ".c", "-o", f"sub/{name}.o")
    run("ar", "rcs", "sub/libused.a", "sub/used.o")
    run("clang-19", "-fuse-ld=lld", "-flto=thin", "sub/user.o", "sub/libused.a", "-Wl,-Map=thin.map", "-o", "thin")
    if ".str" not in run("nm", "thin"):
        print("FAIL ThinLTO made no text global")
        return False
    query = "select name, kind, object from symbols where name in ('hidden', 'words', '\"first text\"', '\"one says hello\"') order by name"
    rows = run(heft, "query", "--map", "thin.map", "thin", query, "--format=csv").splitlines()[1:]
    good = [row.split(",")[1] for row in sorted(rows)] == ["literal", "literal", "code", "data"] and rows[-1].endswith("sub/libused.a/used.o")
    print("ok  " if good else "FAIL", "ThinLTO", *([] if good else rows))
    return good


failed = compared = 0
with tempfile.TemporaryDirectory() as work:
    os.chdir(work)
    for compiler, text, suffix, flags in BUILDS:
        build(compiler, text, suffix, flags)
        rows = list(csv.DictReader(run(heft, "size", "-d", "sections,compileunits,symbols", "-C", "full", "--domain=vm", "-n0", "--csv", "program").splitlines()))
        wrong, nobody, all_bytes = [], 0, 0
        for row in rows:
            source = re.search(r"_u([a-h])", row["symbols"])
            if row["sections"] not in (".text", ".data", ".bss") or not source:
                continue
            size = int(row["vmsize"])
            all_bytes += size
            compared += 1
            if "<artificial>" in row["compileunits"]:
                nobody += size
            elif not row["compileunits"].endswith(f"/u{source[1]}.{suffix}"):
                wrong.append((row["symbols"], row["compileunits"]))
        for name in re.findall(r" [tTdDbB] (\S*_u[a-h]\S*)", run("nm", "program")):
            unit = re.search(r"unit +(\S+)", run(heft, "where", "program", name))
            if name.startswith("_ZT") or not unit:
                continue
            compared += 1
            source = re.search(r"_u([a-h])", name)[1]
            if not unit[1].endswith((f"/u{source}.{suffix}", "<artificial>" if "GLOBAL__sub" in name else "\0")):
                wrong.append((name, unit[1], "where"))
        good = not wrong and nobody <= all_bytes * 0.02 and all_bytes > 0
        failed += not good
        print(f"{'ok  ' if good else 'FAIL'} {compiler} {flags}: {all_bytes} bytes, {nobody} in no source's unit", *wrong[:5])
    # Without debug info the partition of the map is the owner, by a name that the next build has as well.
    build("gcc", C, "c", "-O2 -Wl,-Map=program.map")
    objects = {row["objects"] for row in csv.DictReader(run(heft, "size", "-d", "objects", "-n0", "--csv", "program").splitlines())}
    stable = "ltrans0.ltrans.o" in objects and not any("/cc" in name for name in objects)
    failed += not stable
    print(f"{'ok  ' if stable else 'FAIL'} objects of the map", *sorted(objects)[:0 if stable else 9])
    # Symbols name no file that an optimizer made up.
    for words in (["gcc", "-flto", "-fuse-ld=gold"], ["clang-19", "-flto", "-fuse-ld=lld"]):
        if not shutil.which(words[0]) or not shutil.which("ld." + words[-1][9:]):
            print("skip", *words, "is missing")
            continue
        run(*words, "-O2", *[f"u{n}.c" for n in UNITS], "main.c", "-o", "program")
        rows = [row["compileunits"] for row in csv.DictReader(run(heft, "size", "-d", "compileunits", "--no-map", "-n0", "--csv", "program").splitlines())]
        made_up = {"<artificial>", "ld-temp.o"} & set(rows)
        failed += bool(made_up)
        print("FAIL" if made_up else "ok  ", "units of", *words, *made_up)
    # ThinLTO: objects are those that the user gave, names and texts are those of the source.
    if shutil.which("clang-19") and shutil.which("ld.lld"):
        failed += not thin()
    else:
        print("skip ThinLTO: clang-19 or lld is missing")
print(f"{compared} compared, {failed} builds failed")
sys.exit(failed > 0 or compared < 100)
