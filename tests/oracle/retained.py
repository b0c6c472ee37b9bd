#!/usr/bin/env python3
"""What heft says a function or variable retains, against what a linker saves without it.

usage: retained.py HEFT [C | C++]

Links programs with --gc-sections: sources of this tree (C), and a program with templates and exceptions (C++).  For each of
some functions and variables, the program is linked again with an empty stub in its place.  What the link saves has to be what
heft said of the first program: within 16 bytes or 1 % for 95 % of them, and all together within 1 %.  FULL=1 takes 200 of each
program, or as many as FULL says.  For one that differs, the sections with other sizes are shown."""
import collections
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TREE = HERE.parent.parent
SKIPPED = 77
ROOTS = ["x86_refs", "arm64_refs", "data_refs", "rollup_add", "rows_build", "rules_add", "unwind_next", "lsda_size", "demangle", "signature_parse",
         "linkmap_parse", "reloc_next", "graph_read", "graph_finish", "view_update", "claims_resolve", "sort_by_key", "flow_decode"]
FLAGS = ["-O2", "-w", "-fno-pie", "-falign-functions=1", "-fno-align-loops", "-fno-align-jumps", "-fno-align-labels", "-malign-data=abi", "-fno-tree-vectorize", "-fno-tree-slp-vectorize", "-ffunction-sections", "-fdata-sections",
         f"-ffile-prefix-map={TREE}=."]  # Texts of assertions name files: the same ones wherever the tree lies.
CXX = r"""
#include <algorithm>
#include <deque>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>
#include <unordered_map>
#include <variant>
struct shape { virtual ~shape() {} virtual double area() const = 0; virtual std::string name() const { return "shape"; } };
template <int N> struct polygon : shape { double a[N] = {}; double area() const override { double s = 0; for (double x : a) s += x * N; return s; }
	std::string name() const override { return "polygon of " + std::to_string(N); } };
struct failure : std::runtime_error { using std::runtime_error::runtime_error; };
int limits[40] = { 1, 2, 3 }, offsets[100], unused[50];
const char *names[] = { "alpha", "beta", "gamma" };
extern const double weights[30]; const double weights[30] = { 1.5, 2.5 };
std::map<std::string, int> counts;
std::vector<std::unique_ptr<shape>> shapes;
std::function<int(int)> callback;
template <class K, class V> struct cache { std::unordered_map<K, V> map; V get(const K &k, V v) { auto [at, fresh] = map.emplace(k, v); if (!fresh) throw failure("twice");
	return at->second; } };
__attribute__((noinline)) int match(const std::string &s) { static const std::regex r("([a-z]+)([0-9]*)"); std::smatch m; return std::regex_match(s, m, r) ? (int)m.length(1) : limits[0]; }
__attribute__((noinline)) int words(const std::string &s) { std::istringstream in(s); std::string w; while (in >> w) counts[w]++; return (int)counts.size() + offsets[3]; }
__attribute__((noinline)) int draw(int n) { switch (n % 5) { case 0: shapes.emplace_back(new polygon<3>); break; case 1: shapes.emplace_back(new polygon<4>); break;
	case 2: shapes.emplace_back(new polygon<5>); break; case 3: shapes.emplace_back(new polygon<6>); break; default: throw std::out_of_range("draw"); }
	return (int)shapes.back()->name().size(); }
__attribute__((noinline)) int sorted(int n) { std::deque<int> d; std::set<long> s; for (int i = 0; i < n; i++) d.push_back(i ^ 5), s.insert(i * 7); std::sort(d.begin(), d.end());
	std::stable_sort(d.begin(), d.end(), std::greater<int>()); return d.empty() ? 0 : d[0] + (int)s.size(); }
__attribute__((noinline)) int choose(int n) { std::variant<int, double, std::string> v; if (n > 3) v = "text"; else if (n > 2) v = 2.5; return std::visit([](auto &&x) { return (int)sizeof x; }, v); }
__attribute__((noinline)) int cached(int n) { static cache<int, std::string> c; static cache<std::string, long> d; try { return (int)c.get(n, names[n % 3]).size() + (int)d.get(names[0], n); }
	catch (const failure &e) { std::cerr << e.what() << weights[n % 30]; return 1; } }
int main(int argc, char **argv)
{
	callback = [argc](int x) { return x + argc; };
	return match(argv[0]) + words(argv[0]) + draw(argc) + sorted(argc) + choose(argc) + cached(argc) + callback(3);
}
"""


def output(*words):
    return subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True).stdout


def sources():
    text = (HERE / "graph.py").read_text()
    return re.findall(r'"([a-z_/0-9]+\.c)"', text[text.index("C_SOURCES"):text.index("CXX =")])


def memory(path):
    """Bytes of the sections that take memory."""
    lines = re.findall(r"^ *\[ *\d+\] (\S+) +\S+ +[0-9a-f]+ [0-9a-f]+ ([0-9a-f]+) [0-9a-f]+ +([A-Z]*)", output("readelf", "-SW", path), re.M)
    return {name: int(size, 16) for name, size, flags in lines if "A" in flags}


def link(compiler, objects, out):
    """GNU ld keeps texts of an object that nothing needs any more.  lld keeps all tables of exceptions."""
    lld = ["-fuse-ld=lld"] if compiler == "gcc" and shutil.which("ld.lld") else []
    subprocess.run([compiler, *lld, "-no-pie", "-Wl,--gc-sections", "-Wl,-z,norelro", *objects, "-o", out], check=True)


def build_c(work):
    objects = []
    for source in sources():
        objects.append(work / (source.replace("/", "_") + ".o"))
        subprocess.run(["gcc", *FLAGS, "-std=gnu11", f"-I{TREE}/src", f"-I{TREE}/include", "-c", TREE / "src" / source, "-o", objects[-1]], check=True)
    names = [line.split() for line in output("nm", "-A", *objects).splitlines()]
    defined = {words[-1] for words in names if words[-2] == "T"}
    undefined = {words[-1] for words in names if words[-2] == "U"} - {words[-1] for words in names if words[-2] != "U"}
    roots = [name for name in ROOTS if name in defined]
    (work / "main.c").write_text("".join(f"void {name}(void);\n" for name in roots) + "int main(void) {" + "".join(f"{name}();" for name in roots) + "}\n" +
                                 "".join(f"void {name}(void) {{}}\n" for name in sorted(undefined) if "GLOBAL_OFFSET" not in name))
    subprocess.run(["gcc", *FLAGS, "-fno-builtin", "-c", work / "main.c", "-o", work / "main.o"], check=True)
    return objects + [work / "main.o"]


def build_cxx(work):
    (work / "main.cc").write_text(CXX)
    subprocess.run(["g++", *FLAGS, "-std=c++17", "-c", work / "main.cc", "-o", work / "cxx.o"], check=True)
    # A linker keeps all sections of a group or none, such as all destructors of a class.
    subprocess.run(["objcopy", "--remove-section=.group", work / "cxx.o"], check=True)
    return [work / "cxx.o"]


def stub(work, names, kind):
    """An object with nothing but the symbols: a return, or one byte."""
    section, byte = ('.text,"ax",@progbits', ".byte 0xc3") if kind in "TW" else ('.bss,"aw",@nobits', ".zero 1")
    labels = "".join(f'\t.globl "{name}"\n\t.type "{name}", @{"function" if kind in "TW" else "object"}\n"{name}":\n' for name in names)
    (work / "stub.s").write_text(f'\t.section {section}\n{labels}\t{byte}\n\t.section .note.GNU-stack,"",@progbits\n')
    subprocess.run(["gcc", "-c", work / "stub.s", "-o", work / "stub.o"], check=True)
    return work / "stub.o"


def choose(work, objects, count):
    """Global functions and variables of the program that the objects define: names, kind, object."""
    where, alike = {}, collections.defaultdict(list)
    for line in output("nm", "-A", "--defined-only", *objects).splitlines():
        words = line.split()
        where[words[-1]] = words[0].split(":")[0]
    # The stub of an exported symbol is exported too.
    for line in output("nm", "-D", "--defined-only", work / "all").splitlines():
        where.pop(line.split()[-1].split("@")[0], None)
    rows = [line.split() for line in output("nm", "-S", work / "all").splitlines()]
    named = {w[3]: w[2] for w in rows if len(w) == 4 and w[2] in "TWVDBR" and w[3] in where and w[3] != "main" and int(w[1], 16) > 1}
    for w in rows:
        if w[-1] in named:
            alike[w[0]].append(w[-1])
    random.seed(40)
    chosen = sorted(alike.values())
    random.shuffle(chosen)
    return [(names, named[names[0]], where[names[0]]) for names in chosen[:count]]


def compare(heft, what, compiler, objects, work, count):
    link(compiler, objects, work / "all")
    base = memory(work / "all")
    chosen = choose(work, objects, count)
    said = [json.loads(line) for line in output(heft, "why", "--json", "-C", "none", work / "all", *(names[0] for names, _, _ in chosen)).splitlines()]
    assert len(said) == len(chosen)
    good = sums = told = 0
    for (names, kind, where), row in zip(chosen, said):
        more = stub(work, names, kind)
        subprocess.run(["objcopy", *("--weaken-symbol=" + name for name in names), where, work / "weak.o"], check=True)
        link(compiler, [work / "weak.o" if str(o) == where else o for o in objects] + [more], work / "less")
        less = memory(work / "less")
        saved, mine = sum(base.values()) - sum(less.values()) + 1, row["retained_vm"]
        close = abs(saved - mine) <= max(16, saved / 100)
        good, sums, told = good + close, sums + saved, told + mine
        if not close:
            sections = {s["name"]: s["vm"] for s in row["sections"]}
            changed = {n: base[n] - less.get(n, 0) for n in base if base[n] != less.get(n, 0)}
            print(f"DIFFERS {kind} {names[0]}: heft {mine} {sections}, the linker {saved} {changed}")
    bad = good < 0.95 * len(chosen) or abs(told - sums) > sums / 100 or len(chosen) < min(count, 60)
    print(f"{'FAILED ' if bad else ''}{what}: {good} of {len(chosen)} within 16 bytes or 1 %; all: heft {told}, the linker {sums}")
    return not bad


def main():
    heft, good, done = sys.argv[1], True, 0
    full = int(os.environ.get("FULL") or 0)
    count = 200 if full == 1 else full or 20
    for what, compiler, build in ("C", "gcc", build_c), ("C++", "g++", build_cxx):
        if not shutil.which(compiler) or sys.argv[2:] not in ([], [what]):
            continue
        with tempfile.TemporaryDirectory() as folder:
            work = pathlib.Path(os.environ.get("KEEP") or folder)
            good = compare(heft, what, compiler, build(work), work, count) and good
            done += 1
    if done == 0:
        print("SKIP: no compiler")
        sys.exit(SKIPPED)
    sys.exit(not good)


if __name__ == "__main__":
    main()
