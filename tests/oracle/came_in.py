#!/usr/bin/env python3
"""Builds pairs of programs in which a known function brings in a library, and reads whom heft names.

usage: tests/oracle/came_in.py HEFT

Builds with -O2 alone, unless FULL=1.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# A library: functions that call each other, with tables, built without debug info.
PACK = "static const short table[400] = {1, 5, 9};\nint pack_step(int n) { return table[n % 400] + n; }\n" + "".join(
    f"int pack_{i}(int n) {{ static int kept[9]; for (int k = 0; k < n; k++) kept[k % 9] += pack_{'step' if i == 0 else i - 1}(k) * {i + 3}; return kept[n % 9]; }}\n"
    for i in range(40)
)
MAIN = """
#include <stdio.h>
int load(int), save(int), show(int), sort(int), find(int);
int main(int n, char **v) { (void)v; printf("%d", load(n) + save(n) + show(n) + sort(n) + find(n)); return 0; }
"""
PARTS = {f"{w}.c": f"extern int pack_39(int), pack_5(int), pack_38(int), pack_step(int);\nint {w}(int n)\n{{\n\treturn n * {i + 7};\n}}\n" for i, w in enumerate(("load", "save", "show", "sort", "find"))}
BASE = {"main.c": MAIN} | PARTS


def calls(**what):
    """The sources with functions that call one of the library's."""
    return {f"{w}.c": PARTS[f"{w}.c"].replace("return n", f"return {f}(n) + n") for w, f in what.items()}


HELPERS = {
    "unpack.c": "int pack_39(int);\nint unpack(int n);\n__attribute__((noinline)) static int helper(int n)\n{\n\treturn pack_39(n) ^ 3;\n}\nint unpack(int n) { return helper(n) + 1; }\n",
    "load.c": "int unpack(int);\nint load(int n) { return unpack(n) + n * 7; }\n",
}
# `load` calls `unpack`, which uses something of the library, or nothing.
UNPACK = "int pack_39(int);\nint unpack(int n);\nint unpack(int n)\n{\n\treturn %s ^ 3;\n}\n"
STUB = {"unpack.c": UNPACK % "n", "load.c": HELPERS["load.c"]}
TABLE = "int pack_39(int);\nextern int (*const ways[])(int);\nint pick(int n) { return n; }\nint (*const ways[])(int) = { pick, %s };\nint load(int n) { return ways[n & 1](n); }\n"
RULES = """
#include <regex>
#include <string>
int load(int);
namespace logsift {
struct Rule { std::string name; int hits; Rule(const std::string &text); };
__attribute__((noinline)) Rule::Rule(const std::string &text) : name(text), hits(0)
{
	std::regex pattern(text);
	hits = std::regex_search(name, pattern);
}
}
int load(int n) { logsift::Rule rule(std::to_string(n)); return rule.hits; }
"""
PLAIN = "#include <string>\nint load(int n) { return (int)std::to_string(n).size(); }\n"
CXXMAIN = "#include <cstdio>\nint load(int);\nint main(int n, char **) { std::printf(\"%d\", load(n)); }\n"
GO = {
    "main.go": "package main\n\nimport \"os\"\n\nfunc main() {\n\tos.Stdout.WriteString(record(len(os.Args)))\n}\n",
    "record.go": "package main\n\nimport \"strconv\"\n\n//go:noinline\nfunc record(n int) string {\n\treturn strconv.Itoa(n)\n}\n",
    "go.mod": "module try\n",
}
GOJSON = "package main\n\nimport (\n\t\"encoding/json\"\n)\n\n//go:noinline\nfunc record(n int) string {\n\tb, _ := json.Marshal(map[string]int{\"n\": n})\n\treturn string(b)\n}\n"
RUST = "#[inline(never)]\nfn record(n: usize) -> String {\n    BODY\n}\n\nfn main() {\n    println!(\"{}\", record(std::env::args().count()));\n}\n"
RUSTMAP = "let mut m = std::collections::BTreeMap::new();\n    for i in 0..n { m.insert(format!(\"{i}\"), i); }\n    format!(\"{:?}\", m)"

C = "{cc} {options} -g -ffunction-sections -Wl,--gc-sections *.c -L. -lpack -o app"
CXX = "g++ {options} -g -static-libstdc++ -static-libgcc *.cc -o app"
# Name: sources before and after, how they are linked, rows by, the row, who brought it in (name, change, file,
# and a text on the line), or none. A function that is the same before and after brings nothing in.
CASES = {
    "a changed function": (BASE, BASE | calls(load="pack_39"), C, "package", "(no package)", [("load", "changed", "load.c", "pack_39(n)")]),
    "two": (BASE, BASE | calls(load="pack_39", save="pack_39"), C, "package", "(no package)", [("load", "changed", "load.c", "pack_39(n)"), ("save", "changed", "save.c", "pack_39(n)")]),
    "two, one more": (BASE, BASE | calls(load="pack_39", save="pack_5"), C, "package", "(no package)", [("load", "changed", "load.c", "pack_39(n)"), ("save", "changed", "save.c", "pack_5(n)")]),
    "another call": (BASE | calls(load="pack_step"), BASE | calls(load="pack_39"), C, "package", "(no package)", [("load", "changed", "load.c", "pack_39(n)")]),
    "an unchanged caller": (BASE | STUB, BASE | STUB | {"unpack.c": UNPACK % "pack_39(n)"}, C, "package", "(no package)", [("unpack", "changed", "unpack.c", "pack_39(n) ^ 3")]),
    "five": (BASE, BASE | calls(load="pack_39", save="pack_39", show="pack_39", sort="pack_39", find="pack_39"), C, "package", "(no package)", []),
    "new functions": (BASE, BASE | HELPERS, C, "package", "(no package)", [("helper", "added", "unpack.c", "pack_39(n) ^ 3")]),
    "a new function": (BASE, BASE | HELPERS, C, "symbol", "unpack", [("load", "changed", "load.c", "unpack(n)")]),
    "a table": (BASE | {"load.c": TABLE % "pick"}, BASE | {"load.c": TABLE % "pack_39"}, C, "symbol", "table", [("ways", "changed", "load.c", "ways[])(int) = {")]),
    "a shared library": ({"load.c": PARTS["load.c"]}, {"load.c": PARTS["load.c"], "api.c": "int pack_39(int);\nint api(int n);\nint api(int n) { return pack_39(n) + 1; }\n"},
                         C + " -shared", "package", "(no package)", [("api", "added", "api.c", "pack_39(n) + 1")]),
    "stripped": (BASE, BASE | calls(load="pack_39"), C + " -s", "package", None, []),
    "a template": ({"main.cc": CXXMAIN, "load.cc": PLAIN}, {"main.cc": CXXMAIN, "load.cc": RULES}, CXX, "namespace", "std::__detail",
                   [("logsift::Rule::Rule()", "added", "load.cc", "regex")]),
}
OTHERS = {
    "go": (GO, GO | {"record.go": GOJSON}, "go build -o app .", "package", "encoding/json", [("main.record", "changed", "record.go", "json.Marshal")]),
    "rustc": ({"main.rs": RUST.replace("BODY", "n.to_string()")}, {"main.rs": RUST.replace("BODY", RUSTMAP)}, "rustc -g -C opt-level=2 main.rs -o app", "package", "alloc",
              [("main::record", "changed", "main.rs", "m")]),
}
BUILDS = [(cc, options) for cc in ("gcc", "clang", "aarch64-linux-gnu-gcc") for options in ("-O0", "-O2", "-Os")
          if shutil.which(cc) and (options == "-O2" or (os.environ.get("FULL") and cc == "gcc"))]


def build(folder, files, command, cc):
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name).write_text(text)
    if "-lpack" in command:
        (folder / "lib").mkdir()
        (folder / "lib/pack.c").write_text(PACK)
        ar = f"{cc} -O2 -fPIC -fvisibility=hidden -ffunction-sections -c lib/pack.c -o lib/pack.o && ar rc libpack.a lib/pack.o"
        subprocess.run(ar, shell=True, cwd=folder, check=True)
    subprocess.run(command, shell=True, cwd=folder, check=True, capture_output=True)


def run(*command):
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, check=True).stdout


def wrong(heft, sides, case):
    """What is wrong with heft's answer, or ""."""
    new, by, row, truth = case[1], *case[3:]
    answer = json.loads(run(heft, "diff", "--why", "--by", by, "-n0", "--format", "json", *sides))
    found = [c for c in answer.get("came_in", []) if row is None or c["what"] == row]
    if sorted(c["by"] for c in found) != sorted(t[0] for t in truth):
        return f"by {[c['by'] for c in found]}, should be {[t[0] for t in truth]}"
    for name, change, file, text in truth:
        c = next(c for c in found if c["by"] == name)
        if c["change"] != change or pathlib.Path(c.get("file", "")).name != file:
            return f"{c}, should be {change} in {file}"
        line = new[file].splitlines()[c.get("line", 0) - 1]
        if text not in line:
            return f"line {c.get('line')} is {line}, should have {text}"
    comment = run(heft, "comment", "--base", *sides).split("<details>")[0]
    named = re.findall("brought in by .*", comment)
    if re.search(r"\.\.inittask`(?! \(start of the package\))", comment):
        return "the comment does not say that Go's compiler made a name"
    if by != "symbol" and truth and not any(f"`{truth[0][0]}`" in line for line in named):
        return f"the comment tells {named}"
    if not truth and row is None and named:
        return f"the comment tells {named} without names"
    return ""


def main():
    heft, failed, tried = pathlib.Path(sys.argv[1]).resolve(), 0, 0
    with tempfile.TemporaryDirectory() as room:
        jobs = [(name, case, cc, options) for name, case in CASES.items() for cc, options in (BUILDS if case[2].startswith("{cc}") else [("g++", "-O0"), ("g++", "-O2")])]
        jobs += [(name, case, name, "") for name, case in OTHERS.items() if shutil.which(name)]
        made = {}
        for name, case, cc, options in jobs:
            command = case[2].format(cc=cc, options=options + " -fPIC" * ("-shared" in case[2]))
            sides = []
            for files in case[:2]:
                folder = made.setdefault((command, *files.items()), pathlib.Path(room, str(len(made))))
                if not folder.exists():
                    build(folder, files, command, cc)
                sides.append(folder / "app")
            what = wrong(heft, sides, case)
            tried += 1
            if what:
                failed += 1
                print(f"{name}, {cc} {options}: {what}")
        # Two lists of symbols have no references.
        lists = [folder / f"{i}.size" for i in range(2)]
        for side, path in zip(sides, lists):
            run(heft, "snapshot", side, "-o", path)
        if "came_in" in json.loads(run(heft, "diff", "--why", "--format", "json", *lists)):
            failed += 1
            print("two lists have an answer")
    print(f"{tried} pairs of programs, {failed} failed")
    return failed > 0


sys.exit(main())
