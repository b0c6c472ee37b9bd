#!/usr/bin/env python3
"""Stripped Go programs against the same program that kept its symbols and DWARF: functions against its
symbol table, lines and inlined calls against llvm-symbolizer with its DWARF and against `go tool
addr2line`, packages against its own, those of texts against what the linker says refers to them
(-dumpdep); the same once the section headers, or the names in them, are lost; and how much of the
file has no owner.  FULL=1 builds for all machines, and looks up 100,000 addresses of each program instead of 20,000.

usage: tests/oracle/go.py HEFT
"""
import ast
import csv
import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

SOURCE = """
package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"strings"
)

type pair[K comparable, V any] struct {
	key K
	val V
}

func (p pair[K, V]) String() string { return fmt.Sprint(p.key, "=", p.val) }

func pairs[K comparable, V any](m map[K]V) []pair[K, V] {
	var out []pair[K, V]
	for k, v := range m {
		out = append(out, pair[K, V]{k, v})
	}
	return out
}

// Numbers that look like addresses in it.
var scratch [1 << 25]byte
var settings = struct {
	name   *string
	number uint64
}{&name, 0x1010100}
var name = "settings"

func main() {
	scratch[len(os.Args)] = 1
	var number [4]byte
	binary.LittleEndian.PutUint32(number[:], 0x1637263)
	fmt.Println(settings, number, scratch[3])
	words := map[string]int{"a": 1, "b": 2}
	p := pairs(words)
	sort.Slice(p, func(i, j int) bool { return p[i].key < p[j].key })
	fmt.Println(p, pairs(map[int]float64{1: 2}), strings.Repeat("x", 3))
	json.NewEncoder(os.Stdout).Encode(words)
}
"""
FULL = os.environ.get("FULL") == "1"
# Architecture, build mode, link mode: two sizes of addresses, both orders of bytes, both linkers.
BUILDS = [("amd64", "pie", "external"), ("arm64", "exe", "internal"), ("386", "exe", "internal"), ("s390x", "exe", "internal")]
# Of each of these Go builds its library anew, which takes half a minute.
MORE_BUILDS = [("amd64", "exe", "internal"), ("amd64", "pie", "internal"), ("arm", "exe", "internal"),
               ("mips64le", "exe", "internal"), ("ppc64", "exe", "internal"), ("riscv64", "exe", "internal")]
# Systems with other containers, of which symbols state no sizes.
OTHERS = [("windows", "386"), ("darwin", "arm64")]
MORE_OTHERS = [("windows", "amd64")]
RIGHT = 0.999    # of the bytes of code: name and size
SAME_LINES = 0.998  # of the addresses looked up: all calls with their files and lines
SAME_PACKAGES = 0.99  # of the bytes of the VM image
SAME_STRINGS = 0.96  # of the bytes of texts; of several packages the linker names one
SAME_NAMES = 0.98  # of the names of types, fields and packages
LOOK_UPS = 100000 if FULL else 20000
UNOWNED = 0.015  # of the bytes of the file, alignment between segments aside


def build(folder, out, arch, mode, link, flags, system="linux"):
    with open(os.path.join(folder, "main.go"), "w") as f:
        f.write(SOURCE)
    env = dict(os.environ, GOOS=system, GOARCH=arch, GO111MODULE="off", GOFLAGS="", GOPROXY="off",
               GOCACHE=os.path.join(folder, "cache"), GOPATH=folder,
               CGO_ENABLED="1" if link == "external" else "0")
    return subprocess.run(["go", "build", "-buildmode=" + mode, "-ldflags=-linkmode=%s %s" % (link, flags), "-o", out,
                           os.path.join(folder, "main.go")], check=True, env=env, cwd=folder,
                          capture_output=True, encoding="utf-8", errors="replace").stderr


def plain(name):
    """As the runtime's tables have it: types without what they stand for, no calling convention."""
    first, last = name.find("["), name.rfind("]")
    if 0 <= first < last:
        name = name[:first] + "[...]" + name[last + 1:]
    return re.sub(r"\.abi(0|internal)$", "", name).replace("·", ".")


def functions(path):
    """Address to (names, size), of Go's functions: what C's runtime brings has no entry in Go's tables."""
    ret = {}
    for line in subprocess.run(["readelf", "-sW", path], check=True, capture_output=True,
                               text=True).stdout.splitlines():
        words = line.split(None, 7)
        if len(words) == 8 and words[3] == "FUNC" and words[6].isdigit():
            size = int(words[2], 0)
            if size > 0 and "." in words[7]:
                ret.setdefault(int(words[1], 16), (set(), size))[0].add(plain(words[7]))
    return ret


def looked_up(heft, path, addrs):
    text = "".join("%x\n" % a for a in addrs)
    out = subprocess.run([heft, "where", "--json", path, "-"], input=text, check=True, capture_output=True,
                         text=True).stdout
    return [json.loads(line) for line in out.splitlines()]


def compare(heft, full, stripped):
    truth = functions(full)
    addrs = sorted(truth)
    right = total = 0
    shown = 0
    for addr, at in zip(addrs, looked_up(heft, stripped, addrs)):
        names, size = truth[addr]
        symbol, own = plain(at.get("symbol_linkage_name") or ""), at.get("symbol_own")
        total += size
        if symbol in names and own == size:
            right += size
        elif shown < 5:
            shown += 1
            print("  %x: %s %d, heft has %s" % (addr, sorted(names), size, (symbol, own)))
    return len(addrs), right, total


def names_of_code(path):
    """Address to (names, size) of functions as `go tool nm` has them; the size may have padding."""
    ret = {}
    for line in subprocess.run(["go", "tool", "nm", "-size", path], check=True, capture_output=True,
                               text=True).stdout.splitlines():
        words = line.split(None, 3)
        if len(words) == 4 and words[2] in "Tt" and int(words[1]) > 0 and "." in words[3] and \
                not words[3].endswith("runtime.etext"):
            ret.setdefault(int(words[0], 16), (set(), int(words[1])))[0].add(plain(words[3]))
    return ret


def compare_names(heft, full, stripped):
    truth = names_of_code(full)
    addrs = sorted(truth)
    told = [plain(at.get("symbol_linkage_name") or "") for at in looked_up(heft, stripped, addrs)]
    # Mach-O has an underscore in front.
    right = sum(truth[addr][1] for addr, name in zip(addrs, told)
                if name in truth[addr][0] or (name.startswith("_") and name[1:] in truth[addr][0]))
    return len(addrs), right, sum(size for _, size in truth.values())


def frames_of_heft(at):
    return [(plain(f.get("function") or ""), f.get("file") or "", f.get("line") or 0)
            for f in at.get("frames", [])]


def symbolized(path, addrs):
    """What llvm-symbolizer says of each: a list of (function, file, line), innermost first."""
    tool = shutil.which("llvm-symbolizer-19") or shutil.which("llvm-symbolizer")
    if not tool:
        return None
    text = "".join("0x%x\n" % a for a in addrs)
    out = subprocess.run([tool, "--obj=" + path, "--no-demangle"], input=text, check=True, capture_output=True,
                         text=True).stdout
    ret = []
    for block in out.split("\n\n")[:len(addrs)]:
        lines = block.strip("\n").split("\n")
        frames = []
        for name, place in zip(lines[::2], lines[1::2]):
            file, line, _ = place.rsplit(":", 2)
            frames.append((plain(name), "" if file == "??" else file, int(line)))
        ret.append(frames)
    return ret


def addr2line(path, addrs):
    """What `go tool addr2line` says of each: the innermost place."""
    text = "".join("0x%x\n" % a for a in addrs)
    out = subprocess.run(["go", "tool", "addr2line", path], input=text, check=True, capture_output=True,
                         text=True).stdout.split("\n")
    return [place.rsplit(":", 1) for place in out[1::2]][:len(addrs)]


def compare_lines(heft, full, stripped, mode):
    """Shares of the addresses for which each tool says the same, None where it is not here; how many."""
    rng = random.Random(full)
    starts = [(a, size) for a, (_, size) in functions(full).items()]
    addrs = sorted(a + rng.randrange(size) for a, size in rng.choices(starts, [s for _, s in starts], k=LOOK_UPS))
    told = [frames_of_heft(at) for at in looked_up(heft, stripped, addrs)]
    truth = symbolized(full, addrs)
    shown = same = known = 0
    for addr, mine, other in zip(addrs, told, truth or []):
        # Padding behind the code of a function has no lines; what calls a wrapper makes its DWARF leaves out.
        if not other or not other[0][1] or (mine and mine[-1][1] == "<autogenerated>"):
            continue
        known += 1
        same += mine == other
        if mine != other and shown < 3:
            shown += 1
            print("  %x: llvm-symbolizer %s, heft %s" % (addr, other, mine))
    if mode == "pie":  # which go tool addr2line cannot look up
        return (same / max(known, 1) if truth else None), None, known
    lines = addr2line(full, addrs)
    equal = sum(1 for mine, (file, line) in zip(told, lines)  # which has line -1 for what has none
                if mine and mine[0][1] == file and mine[0][2] == max(int(line), 0))
    return (same / max(known, 1) if truth else None), equal / len(addrs), known + len(lines)


def says_what_it_is_made_of(heft, path):
    """`heft info` against `go version -m`."""
    out = subprocess.run(["go", "version", "-m", path], check=True, capture_output=True, text=True).stdout
    lines = [line.split("\t") for line in out.splitlines()]
    made_by = lines[0][0].rsplit(": ", 1)[1]
    parts = ", ".join(" ".join(w for w in line[2:4] if w) for line in lines if line[1:2] in (["mod"], ["dep"]))
    settings = ", ".join(line[2] for line in lines if line[1:2] == ["build"])
    row = json.loads(subprocess.run([heft, "info", "--json", path], check=True, capture_output=True,
                                    text=True).stdout)["total"]["children"][0]
    told = (row.get("made_by", "").split(", ")[0], row.get("parts", ""), row.get("settings", ""))
    if told != (made_by, parts, settings):
        print("  go version -m: %s, heft: %s" % ((made_by, parts, settings), told))
    return told == (made_by, parts, settings)


def share(part):
    return "nothing (it is not here)" if part is None else "%.3f %%" % (100 * part)


def packages(heft, path, levels="packages"):
    done = subprocess.run([heft, "-d", levels, "-n", "0", "--csv", path], check=True, capture_output=True, text=True)
    ret = {}
    for row in csv.DictReader(done.stdout.splitlines()):
        ret[row["packages"]] = ret.get(row["packages"], 0) + int(row["vmsize"])
    return ret, done.stderr


def with_c_as_one(sizes):
    """Of C a stripped program tells no directories."""
    c = [name for name in sizes if name in ("cgo", "(no package)", "(C)")]
    return {**{k: v for k, v in sizes.items() if k not in c}, "(C)": sum(sizes[k] for k in c)}


def same_packages(heft, full, stripped):
    a, b = (with_c_as_one(packages(heft, path)[0]) for path in (full, stripped))
    return sum(min(size, b.get(name, 0)) for name, size in a.items()) / max(sum(a.values()), sum(b.values()), 1)


def same_beside_symbols(heft, stripped, link):
    """One pass over symbols serves both levels; what is of no Go package is C, where there is any."""
    alone, both = packages(heft, stripped), packages(heft, stripped, "packages,symbols")
    return alone == both and ("(C)" in alone[0] or link == "internal") and "(no package)" not in alone[0]


def package_of(name):
    name = re.sub(r"^(type\.\.(eq|hash)\.|go\.itab\.)?\*?", "", name).split("[")[0]
    return name[:name.find(".", name.rfind("/") + 1)]


def strings_used(dependencies):
    """The texts of the program to the packages that the linker says refer to them: of several it may name one."""
    ret = {}
    for line in dependencies.splitlines():
        found = re.match(r'(\S.*?) -> go[.:]string\.(".*")$', line)
        if found and found.group(2).isascii():
            ret.setdefault(ast.literal_eval("b" + found.group(2)), set()).add(package_of(found.group(1)))
    return ret


def bytes_between(path, first, last):
    """What is between two symbols: the address of the first, the bytes."""
    symbols = {name: int(addr, 16) for addr, name in re.findall(
        r"^ *\d+: ([0-9a-f]+) .* (\S+)$",
        subprocess.run(["readelf", "-sW", path], check=True, capture_output=True, text=True).stdout, re.M)}
    low, high = (symbols.get(name, symbols.get(name.replace(".", ":", 1))) for name in (first, last))
    for addr, off, size in re.findall(r"PROGBITS +([0-9a-f]+) ([0-9a-f]+) ([0-9a-f]+)", subprocess.run(
            ["readelf", "-SW", path], check=True, capture_output=True, text=True).stdout):
        start = low - int(addr, 16)
        if 0 <= start < int(size, 16):
            return low, open(path, "rb").read()[int(off, 16) + start:int(off, 16) + high - int(addr, 16)]
    return low, b""


def same_strings(heft, full, stripped, dependencies):
    """How much of the texts is of a package that the linker says refers to it, and how much was compared."""
    low, data = bytes_between(full, "go.string.*", "go.func.*")
    texts = [(low + data.find(text), len(text), packages) for text, packages in strings_used(dependencies).items()
             if len(text) >= 4 and data.count(text) == 1]
    asked = "".join("%x\n" % addr for addr, _, _ in texts)
    out = subprocess.run([heft, "where", "--json", "-d", "packages", stripped, "-"], input=asked, check=True,
                         capture_output=True, text=True).stdout
    told = [json.loads(line).get("owners", {}).get("packages") for line in out.splitlines()]
    right = sum(size for (_, size, packages), name in zip(texts, told) if name in packages)
    return right, sum(size for _, size, _ in texts)


def same_names(heft, path, dependencies):
    """Share of the names of types and fields that are both Go's linker's (-dumpdep) and at an address that heft tells."""
    of_go = {re.sub(r"[-.](\.embedded)?$", "", name) for line in dependencies.splitlines()
             for name in re.findall(r"^type:?\.+(?:namedata|importpath)\.(.+)", line.split(" -> ")[-1].strip())}
    out = subprocess.run([heft, "where", "--json", path, "type:.namedata.*"], check=True, capture_output=True, text=True)
    with open(path, "rb") as f:
        data = f.read()
    told = set()
    for at in (json.loads(line)["file_offset"] + 1 for line in out.stdout.splitlines()):
        size, at = (data[at], at + 1) if data[at] < 128 else (data[at] - 128 + 128 * data[at + 1], at + 2)
        told.add(data[at:at + size].decode(errors="replace"))
    return len(of_go & told) / max(len(of_go | told), 1)


def header_fields(data):
    """The place and width of the offset of the section headers in an ELF file, the place of their counts and the
    byte order."""
    wide = data[4] == 2
    return (40, 8, 60, "<" if data[5] == 1 else ">") if wide else (32, 4, 48, "<" if data[5] == 1 else ">")


def without_headers(path, out):
    """A copy whose ELF header knows of no section headers."""
    data = bytearray(open(path, "rb").read())
    off, width, counts, _ = header_fields(data)
    data[off:off + width] = bytes(width)
    data[counts:counts + 4] = bytes(4)
    open(out, "wb").write(data)


def without_names(path, out):
    """A copy whose sections have no names."""
    data = bytearray(open(path, "rb").read())
    off, width, counts, order = header_fields(data)
    table = int.from_bytes(data[off:off + width], "little" if order == "<" else "big")
    size, count, names = struct.unpack_from(order + "HHH", data, counts - 2)
    for i in range(count):
        data[table + i * size:table + i * size + 4] = bytes(4)
    data[counts + 2:counts + 4] = bytes(2)
    open(out, "wb").write(data)


def finds_without_sections(heft, full, stripped, folder):
    """The same functions and packages where the section headers or their names are lost."""
    good, told = True, []
    for what, change in (("headers", without_headers), ("names", without_names)):
        bare = os.path.join(folder, "bare")
        change(stripped, bare)
        count, right, total = compare(heft, full, bare)
        same = same_packages(heft, stripped, bare)
        good = good and count > 1000 and right >= RIGHT * total and same >= SAME_PACKAGES
        told.append("without section %s %.3f %% of the code right, %.2f %% in the same package" %
                    (what, 100 * right / max(total, 1), 100 * same))
    return good, ", ".join(told)


def has_scratch(heft, path):
    """Whether a variable that fills a third of what numbers may mean has one owner."""
    out = subprocess.run([heft, "size", "--domain=vm", "-d", "rawsymbols", "--csv", "-n", "1", path], check=True,
                         capture_output=True, text=True).stdout
    rows = [r for r in csv.DictReader(out.splitlines()) if r["rawsymbols"].endswith("main.main")]
    return bool(rows) and int(rows[0]["vmsize"]) >= 1 << 25


def hide_build_info(path):
    """What marks build information is lost, as some builds have none."""
    with open(path, "r+b") as f:
        b = f.read()
        f.seek(b.index(b"\xff Go buildinf:"))
        f.write(bytes(14))


def unowned(heft, path):
    out = subprocess.run([heft, "-d", "symbols", "-n", "0", "--csv", path], check=True, capture_output=True,
                         text=True).stdout
    rows = list(csv.DictReader(out.splitlines()))
    total = sum(int(r["filesize"]) for r in rows)
    return sum(int(r["filesize"]) for r in rows
               if r["symbols"].startswith("[") and r["symbols"] != "[Unmapped]") / total


def proposes_c(heft, program):
    """What heft advise proposes that only compilers and linkers of C can do."""
    out = subprocess.run([heft, "advise", "--json", "-n", "0", program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True).stdout
    return {row["label"] for row in json.loads(out)["total"]["children"]} & {
        "identical-code", "identical-data", "template-instances", "function-alignment", "page-alignment", "unreached"}


def main():
    heft = os.path.abspath(sys.argv[1])
    if not shutil.which("go"):
        print("SKIP: no go (install golang-go)")
        return 77
    if not FULL:
        print("LEFT OUT: %s: Go's library of each takes half a minute (FULL=1)" %
              ", ".join(" ".join(b) for b in MORE_BUILDS + MORE_OTHERS))
    bad = compared = 0
    with tempfile.TemporaryDirectory() as folder:
        full, stripped = os.path.join(folder, "full"), os.path.join(folder, "stripped")
        for arch, mode, link in BUILDS + MORE_BUILDS * FULL:
            dependencies = build(folder, full, arch, mode, link, "-dumpdep")
            build(folder, stripped, arch, mode, link, "-s -w")
            texts, of_texts = same_strings(heft, full, stripped, dependencies)
            count, right, total = compare(heft, full, stripped)
            left = unowned(heft, stripped)
            llvm, go, looked = compare_lines(heft, full, stripped, mode)
            same = same_packages(heft, full, stripped)
            names = same_names(heft, full, dependencies)
            found, told = finds_without_sections(heft, full, stripped, folder)
            good = (count > 1000 and right >= RIGHT * total and left <= UNOWNED and (go is None or go >= SAME_LINES) and
                    (llvm is None or llvm >= SAME_LINES) and same >= SAME_PACKAGES and found and
                    has_scratch(heft, stripped) and texts >= SAME_STRINGS * of_texts > 0 and
                    same_beside_symbols(heft, stripped, link) and names >= SAME_NAMES and
                    says_what_it_is_made_of(heft, stripped))
            print("%s %s %s: %d functions, %.3f %% of their bytes right; of %d look-ups llvm-symbolizer says the same "
                  "for %s, go tool addr2line for %s; %.2f %% in the same package; %.2f %% of %d bytes of texts of a "
                  "package that refers to them (-dumpdep); %.2f %% of the names of types are those of -dumpdep; %.2f %% of the file has no owner; %s%s" %
                  (arch, mode, link, count, 100 * right / max(total, 1), looked, share(llvm), share(go), 100 * same,
                   100 * texts / max(of_texts, 1), of_texts, 100 * names, 100 * left, told, "" if good else ": BAD"))
            bad += not good
            compared += count
        for system, arch in OTHERS + MORE_OTHERS * FULL:
            build(folder, full, arch, "exe", "internal", "", system)
            build(folder, stripped, arch, "exe", "internal", "-s -w", system)
            hide_build_info(stripped)
            count, right, total = compare_names(heft, full, stripped)
            left = unowned(heft, stripped)
            good = count > 1000 and right >= RIGHT * total and left <= UNOWNED
            print("%s %s: %d functions, %.3f %% of their bytes of the same name; %.2f %% of the file has no owner%s" %
                  (system, arch, count, 100 * right / max(total, 1), 100 * left, "" if good else ": BAD"))
            bad += not good
            compared += count
    print("%d functions compared, %d builds bad" % (compared, bad))
    return 1 if bad or compared == 0 else 0


sys.exit(main())
