"""What heft charges a static library, against what a program loses when it is linked again without the library.

usage: libraries.py HEFT    FULL=1: more libraries, more linkers and more ways to link

The second link has a stub for each symbol that the program needs of the library. The names of these stubs count as lost.
Sizes are sums of sections: gaps between segments are nobody's."""
import csv
import os
import re
import shutil
import subprocess
import sys
import tempfile

heft = os.path.realpath(sys.argv[1])
full = os.environ.get("FULL") == "1"
MOST = 0.01  # largest part of the loss that may be missing or too much
UNITS = "abcdefgh"
UNIT = """#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>
namespace own {{
static std::map<std::string, std::vector<int>> table_{n};
struct Base {{ virtual ~Base(); virtual int count(int) = 0; }};
struct Count_{n} : Base {{ std::string text; int count(int x) override; ~Count_{n}() override; }};
Count_{n}::~Count_{n}() {{}}
int Count_{n}::count(int x)
{{
	auto &v = table_{n}[text];
	v.push_back(x);
	std::sort(v.begin(), v.end());
	if (v.size() > 10) throw std::runtime_error("too many of {n}");
	return v.size();
}}
int call_{n}(int x, const char *s) {{ Count_{n} c; c.text = s; return c.count(x); }}
}}
"""
BASE = "namespace own { struct Base { virtual ~Base(); virtual int count(int) = 0; }; Base::~Base() {} }\n"
# The program needs the shared libraries of C++ itself: that they are needed is not the library's.
OWN = "#include <iostream>\n#include <stdexcept>\nnamespace own { %s }\nint main(int c, char **v) { if (c > 9) throw std::runtime_error(v[0]); std::cout << c; return %s; }\n" % (
    "".join(f"int call_{n}(int, const char *);" for n in UNITS), "+".join(f"own::call_{n}(c, v[0])" for n in UNITS))
# The program, the library, more words for the linker.
QUICK = {
    "own C++": (OWN, "libown.a", ""),
    "zstd": ("""#include <zstd.h>
int main(int c, char **v) { char b[100]; return ZSTD_compress(b, 100, v[0], 3, 9) + ZSTD_decompress(b, 100, v[0], 3); }
""", "libzstd.a", ""),
}
MORE = {
    "own C++ with -g": (OWN, "libown-g.a", ""),
    "sqlite": ("""#include <sqlite3.h>
int main(int c, char **v) { sqlite3 *d; sqlite3_open(v[0], &d); sqlite3_exec(d, v[1], 0, 0, 0); return sqlite3_close(d); }
""", "libsqlite3.a", "-lm"),
    "leveldb": ("""#include <leveldb/db.h>
#include <leveldb/filter_policy.h>
int main(int c, char **v)
{
	leveldb::DB *db;
	leveldb::Options o;
	o.filter_policy = leveldb::NewBloomFilterPolicy(10);
	leveldb::DB::Open(o, v[0], &db);
	delete db;
}
""", "libleveldb.a", "-lsnappy"),
    "re2": ("""#include <re2/re2.h>
#include <re2/set.h>
int main(int c, char **v) { std::string s; RE2::Set q(RE2::Options(), RE2::UNANCHORED); q.Compile(); return RE2::FullMatch(v[0], "a(.*)b", &s); }
""", "libre2.a", ""),
    "pugixml": ("""#include <pugixml.hpp>
#include <iostream>
int main(int c, char **v) { pugi::xml_document d; d.load_file(v[0]); d.select_nodes(v[1]); d.save(std::cout); }
""", "libpugixml.a", ""),
    "protobuf": ("""#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>
int main(int c, char **v) { google::protobuf::Struct s; google::protobuf::util::JsonStringToMessage(v[0], &s); return s.fields_size(); }
""", "libprotobuf.a", "-lz"),
    "yaml-cpp": ("""#include <yaml-cpp/yaml.h>
int main(int c, char **v) { YAML::Node n = YAML::Load(v[0]); YAML::Emitter e; e << n; return e.size(); }
""", "libyaml-cpp.a", ""),
    "png": ("""#include <png.h>
int main(int c, char **v)
{
	png_structp p = png_create_read_struct(PNG_LIBPNG_VER_STRING, 0, 0, 0);
	png_read_png(p, png_create_info_struct(p), 0, 0);
	return c;
}
""", "libpng.a", "-lz -lm"),
}
# A line of readelf -SW: name, type, size, flags
SECTION = re.compile(r"^ *\[ *\d+\] (\S+) +([A-Z0-9_a-z+:.]+) +[0-9a-f]{16} [0-9a-f]{6,} ([0-9a-f]{6,}) ")


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(" ".join(words) + "\n" + done.stderr[:1500])
    return done.stdout


def symbols(path, *flags):
    lines = (line.split() for line in run("nm", *flags, path).splitlines())
    return {words[-1]: words[-2] for words in lines if len(words) > 1}


def size(path):
    found = (SECTION.match(line) for line in run("readelf", "-SW", path).splitlines())
    return sum(int(m[3], 16) for m in found if m and m[2] not in ("NOBITS", "NULL"))


def charges(path, source):
    text = run(heft, "size", "-d", source, "-n0", "--csv", "--map", path + ".map", path)
    return {row[source]: int(row["filesize"]) for row in csv.DictReader(text.splitlines())}


def stub(needed, named):
    """Writes an object that defines the symbols. Returns the bytes of it and of its names in a program."""
    with open("stub.s", "w") as f:
        for name, kind in needed.items():
            what = ("text", "function") if kind in "TtWi" else ("data", "object")
            f.write(f"\t.{what[0]}\n\t.globl {name}\n\t.type {name}, @{what[1]}\n{name}:\n")
        f.write("\t.text\n\tret\n\t.section .note.GNU-stack\n")
    run("gcc", "-c", "stub.s", "-o", "stub.o")
    return 1 + sum(24 + len(name) + 1 for name in needed if named)


def compare(name, program, linker, flags):
    """Returns whether charges hold."""
    text, library, more = program
    with open("main.cc", "w") as f:
        f.write(text)
    run("g++", "-O2", *(["-g"] if "-g" in name else []), "-c", "main.cc", "-o", "main.o")
    path = library if os.path.exists(library) else run("g++", "-print-file-name=" + library).strip()
    defined = symbols(path, "--defined-only", "-g")
    lost = stub({s: defined[s] for s in sorted(symbols("main.o", "-u").keys() & defined.keys())}, "-s" not in flags)
    compiler = "clang++-19" if linker == "lld" and shutil.which("clang++-19") else "g++"
    for made, what in (("with", path), ("without", "stub.o")):
        run(compiler, f"-fuse-ld={linker}", *flags, "main.o", what, *more.split(), f"-Wl,-Map={made}.map", "-o", made)
    lost += size("with") - size("without")
    by_library = charges("with", "libraries").get(library, 0)
    by_object = sum(v for k, v in charges("with", "objects").items() if library + "(" in k)
    wrong = max(abs(by_library - lost), abs(by_object - lost)) / lost
    good = wrong <= MOST and lost > 10000
    print(f"{'ok  ' if good else 'FAIL'} {name}, {linker} {' '.join(flags)}: lost {lost}, charged {by_library}, {by_object} by object: {wrong:.2%}")
    return good


def own_libraries():
    for name, flags in (("libown.a", []), ("libown-g.a", ["-g"]))[:1 + full]:
        objects = []
        for n, text in [(n, UNIT.format(n=n)) for n in UNITS] + [("base", BASE)]:
            with open(n + ".cc", "w") as f:
                f.write(text)
            objects.append(n + ".o")
            run("g++", "-O2", *flags, "-c", n + ".cc", "-o", n + ".o")
        run("ar", "rcs", name, *objects)


failed = compared = 0
programs = {**QUICK, **(MORE if full else {})}
linkers = [name for name in ("bfd", "gold", "lld") if shutil.which("ld." + name)]
ways = [[], ["-s"], ["-no-pie"], ["-Wl,--gc-sections"]] if full else [[]]
with tempfile.TemporaryDirectory() as work:
    os.chdir(work)
    own_libraries()
    for name, program in programs.items():
        path = run("g++", "-print-file-name=" + program[1]).strip()
        if not os.path.exists(program[1]) and not os.path.isabs(path):
            print(f"skip {name}: there is no {program[1]}")
            continue
        for linker in linkers if full or "own" in name else linkers[:1]:
            for flags in ways:
                compared += 1
                failed += not compare(name, program, linker, flags)
print(f"{compared} compared, {failed} failed")
sys.exit(failed > 0 or compared < 3)
