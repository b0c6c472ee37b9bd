#!/usr/bin/env python3
"""String literals of `heft snapshot` against the sources that they were written in.

usage: tests/oracle/literals.py HEFT

Programs of C and C++ files whose strings are known, some in one file and some in several, some the end of others, of
1, 2 and 4 bytes a character, in tables of pointers and as arguments, copied by std::string: gcc and clang, -O0 and
-O2, bfd, gold, lld and mold, with the linker's map and without.

Counted are the bytes of the strings that stand in .rodata with a zero or nothing before them, so that they are no end of a
longer one:
 - whole: a symbol of that place and size, named by the text;
 - object: with the map, the objects of these symbols are those of the files that have the string;
 - others': bytes of literals that are no string of any of the files."""
import collections
import concurrent.futures
import itertools
import os
import random
import shutil
import subprocess
import sys
import tempfile

from snapshot import literal_name, read_elf, read_snapshot

WORDS = ("socket buffer cannot open file read write value option missing between header section table name of the a in "
         "to %s %d %zu: [%u] /usr/lib symbol invalid unknown error warning note end begin").split()
FILES, STRINGS, SHARED = 6, 150, 40
CODECS = {1: "ascii", 2: "utf-16-le", 4: "utf-32-le"}
LEAST, MOST_OTHERS = {"whole": 99.0, "object": 99.0}, 6.0


def texts(rng, count):
    """Distinct texts, of which some end others."""
    out = []
    while len(out) < count:
        text = " ".join(rng.choice(WORDS) for _ in range(rng.randint(1, 9))) + rng.choice(["", "\\n", "...", " %s"])
        out.append("%s %x" % (text, rng.getrandbits(20)) if rng.random() < .7 else text)
        if rng.random() < .1:
            out.append(out[-1][len(out[-1]) // 2:].lstrip())
    return list(dict.fromkeys(t for t in out if len(t) > 1))[:count]


def c_file(number, narrow, wide):
    """Each text is an argument, in a table, or returned; nothing of it can become numbers in the code."""
    third = len(narrow) // 3
    lines = ["#include <stddef.h>", "#include <uchar.h>", "extern void take(const void *), *pick(const void *, int);"]
    for name, part in ("table", narrow[:third]), ("more", narrow[third:2 * third]):
        lines.append("static const char *const %s%d[] = { %s };" % (name, number, ", ".join('"%s"' % t for t in part)))
    lines.append("void *file%d(int i) {" % number)
    lines += ['\ttake("%s");' % t for t in narrow[2 * third:]]
    lines += ['\ttake(%s"%s");' % (kind, t) for kind, t in wide]
    lines.append("\ttake(more%d[i]);\n\treturn pick(table%d, i);\n}" % (number, number))
    return "\n".join(lines) + "\n"


def cxx_file(number, narrow):
    lines = ["#include <map>", "#include <string>", 'extern "C" void take(const void *), *pick(const void *, int);',
             "static std::map<std::string, int> known%d;" % number, 'extern "C" void *file%d(int i) {' % number]
    for k, t in enumerate(narrow):
        lines.append(['\tknown%d["%s"] = %d;' % (number, t, k), '\t{ std::string s("%s"); take(s.c_str()); }' % t,
                      '\ttake("%s");' % t][k % 3])
    lines.append("\treturn pick(&known%d, i);\n}" % number)
    return "\n".join(lines) + "\n"


def plain(text):
    return text.replace("\\n", "\n")


def make_sources():
    """{name: text}, {file: set of (bytes, width)}."""
    rng = random.Random(1)
    shared = texts(rng, SHARED)
    sources, strings = {}, {}
    for n in range(FILES):
        own = texts(rng, STRINGS) + rng.sample(shared, SHARED // 4)
        cxx = n % 4 == 3
        rng.shuffle(own)
        own = list(dict.fromkeys(own))[:60 if cxx else None]
        wide = [] if cxx else [(kind, t) for t in texts(rng, 4) for kind in "uL"]
        name = "f%d" % n
        sources[name + (".cc" if cxx else ".c")] = cxx_file(n, own) if cxx else c_file(n, own, wide)
        strings[name] = {((plain(t) + "\0").encode(), 1) for t in own} | \
            {((plain(t) + "\0").encode("utf-16-le" if kind == "u" else "utf-32-le"), 2 if kind == "u" else 4)
             for kind, t in wide}
    sources["main.c"] = "\n".join(
        ["extern void *%s(int);" % n.replace("f", "file") for n in strings] +
        ["void *volatile sink; void take(const void *p) { sink = (void *)p; }",
         "void *pick(const void *p, int i) { sink = (void *)p; return (char *)p + i; }",
         "int main(int c, char **v) { (void)v;"] +
        ["\tsink = %s(c);" % n.replace("f", "file") for n in strings] + ["\treturn sink == 0; }", ""])
    return sources, strings


def standing(data, section, strings):
    """{(address, size): text and width} of strings that begin where nothing goes before them."""
    out = {}
    for text, width in strings:
        at = data.find(text, section.off, section.off + section.size)
        while at >= 0:
            aligned = (section.addr + at - section.off) % width == 0
            if aligned and (at == section.off or not any(data[at - width:at])):
                out[section.addr + at - section.off, len(text)] = text, width
            at = data.find(text, at + 1, section.off + section.size)
    return out


def measure(heft, program, strings, with_map):
    """Bytes: of all, whole, with the right objects; of literals that no file has."""
    with tempfile.NamedTemporaryFile(suffix=".size") as out:
        args = ["--map", program + ".map"] if with_map else ["--no-map"]
        subprocess.run([heft, "snapshot", "--no-debug-search", "-o", out.name, program] + args, check=True,
                       stderr=subprocess.DEVNULL)
        _, _, symbols = read_snapshot(out.name)
    owners = collections.defaultdict(set)
    for name, has in strings.items():
        for s in has:
            owners[s].add(name + ".o")
    found, total = collections.defaultdict(list), collections.Counter()
    for y in symbols:
        if y.section == ".rodata":
            found[y.addr, y.size].append(y)
    data, sections = read_elf(program)
    places = {}
    for s in (s for s in sections if s.name.startswith(".rodata") and s.size > 0):
        places.update(standing(data, s, owners))
    by_text = collections.defaultdict(set)
    for place, s in places.items():
        name = literal_name(s[0].decode(CODECS[s[1]]))
        got = [y for y in found.get(place, []) if y.name == name]
        total["all"] += place[1]
        total["whole"] += place[1] if got else 0
        by_text[s].update(os.path.basename(y.object) for y in got)
    for s, objects in by_text.items():  # gcc -O0 leaves each file its own copy
        size = len(s[0]) * sum(1 for t in places.values() if t == s)
        total["object"] += size if objects == owners[s] else 0
    total["others"] = sum(v[0].size for p, v in found.items()
                          if p not in places and v[0].name.startswith(('"', "string l")))
    return total


def build(jobs, folder, compiler, level):
    cxx = compiler.replace("gcc", "g++").replace("clang", "clang++")
    for name in sorted(os.listdir(".")):
        if name.endswith((".c", ".cc")):
            jobs.append([cxx if name.endswith(".cc") else compiler, level, "-c", name, "-o",
                         "%s/%s.o" % (folder, name.split(".")[0])])
    return cxx


def run_all(pool, jobs):
    for job, done in zip(jobs, pool.map(lambda j: subprocess.run(j, capture_output=True, text=True), jobs)):
        if done.returncode != 0:
            sys.exit("%s: %s" % (" ".join(job), done.stderr))


def main():
    heft = os.path.realpath(sys.argv[1])
    sources, strings = make_sources()
    bad = measured = 0
    with tempfile.TemporaryDirectory() as tmp, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        os.chdir(tmp)
        for name, text in sources.items():
            open(name, "w").write(text)
        linkers = [l for l, path in (("bfd", "ld.bfd"), ("gold", "ld.gold"), ("lld", "ld.lld-19"), ("mold", "mold"))
                   if shutil.which(path)]
        compilers = [c for c in ("gcc", "clang-19") if shutil.which(c)]
        kinds = list(itertools.product(compilers, ("-O0", "-O2")))
        jobs, links = [], []
        for compiler, level in kinds:
            folder = compiler + level
            os.mkdir(folder)
            cxx = build(jobs, folder, compiler, level)
            for linker in linkers:
                flag = "/usr/bin/ld.lld-19" if linker == "lld" and compiler != "gcc" else linker
                flag = "--ld-path=" + flag if flag.startswith("/") else "-fuse-ld=" + flag
                out = "%s.%s" % (folder, linker)
                objects = [folder + "/%s.o" % n.split(".")[0] for n in sources]
                links.append([cxx, flag, *objects, "-o", out, "-Wl,-Map=%s.map" % out])
        run_all(pool, jobs)
        run_all(pool, links)
        for link, with_map in itertools.product(links, (True, False)):
            program = link[link.index("-o") + 1]
            got = measure(heft, program, strings, with_map)
            share = {k: 100.0 * got[k] / got["all"] for k in ("whole", "object", "others")}
            wanted = ("whole", "object") if with_map else ("whole",)
            low = [k for k in wanted if share[k] < LEAST[k]]
            low += ["others'"] if with_map and share["others"] > MOST_OTHERS else []
            print("%-20s %-6s whole %6.2f %%  object %6.2f %%  others' %5.2f %%  of %d bytes %s"
                  % (program, "map" if with_map else "no map", share["whole"], share["object"], share["others"],
                     got["all"], "FAIL: " + " ".join(low) if low else ""))
            bad += len(low)
            measured += got["all"] > 10000
    if measured < 2 * len(links) or len(links) < 4:
        sys.exit("too little was measured: %d of %d" % (measured, 2 * len(links)))
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
