#!/usr/bin/env python3
"""Snapshots of every ELF file below a folder, held against what else says how large they are.

usage: tests/prop/snapshot_walk.py HEFT FOLDER [LIMIT]
  LIMIT: so many files of at most 16 MiB, spread evenly over the sorted list; FULL=1 in the environment: all

Of each file a snapshot is written and its text read by the rules of SuperSize's own reader:
 - symbols and rests add up to the size of the file; those of sections in memory to what the segments of
   the program load (of an object: to its allocated sections);
 - each segment adds up to the size that is stated for it, as SuperSize's quality check wants it, and has
   a name that SuperSize knows;
 - each symbol of `nm -S` with a size is there under its name and address; local labels of texts (.L.str.1)
   and of merged variables (.L_MergedGlobals) are no names of anything: the text is there, or each variable;
 - `heft diff --exit-code` of the snapshot and the file finds no difference.
Exit status 0 all hold, 1 not, 77 a tool is missing."""
import collections
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from bisect import bisect_left

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "oracle"))
from snapshot import NOT_IN_FILE, SEGMENTS, read_snapshot  # noqa: E402

SHOWN = 50  # failures; the others are counted
SMALL = 16 << 20
LOAD, TLS, NOBITS = 1, 7, 8
ALLOC, IS_TLS = 2, 0x400
# Labels that clang gives to texts and to variables that it put together.
PRIVATE = (".L.str", ".L_MergedGlobals")
# What a compiler hangs on a name, and heft takes off again.
SUFFIX = re.compile(r"(\.(isra|part|constprop|cold|llvm|lto_priv|localalias)?[.0-9]*)+$")


def is_elf(path):
    if os.path.islink(path) or not os.path.isfile(path):
        return False
    try:
        with open(path, "rb") as f:
            return f.read(4) == b"\x7fELF"
    except OSError:
        return False


def inputs(folder, limit):
    found = []
    for base, folders, files in os.walk(folder):
        folders.sort()
        found += [p for p in (os.path.join(base, f) for f in files) if is_elf(p)]
    found.sort()
    if limit:
        found = [p for p in found if os.path.getsize(p) <= SMALL]
    if limit and len(found) > limit:
        found = [found[i * len(found) // limit] for i in range(limit)]
    return found


def loaded(path):
    """Bytes of the VM image: what PT_LOAD covers, PT_TLS where no PT_LOAD is; of objects, allocated sections."""
    with open(path, "rb") as f:
        data = f.read()
    wide, e = data[4] == 2, "<" if data[5] == 1 else ">"
    kind, = struct.unpack_from(e + "H", data, 16)
    if kind == 1:
        off, = struct.unpack_from(e + ("Q" if wide else "I"), data, 40 if wide else 32)
        size, count = struct.unpack_from(e + "HH", data, 58 if wide else 46)
        form = e + ("IIQQQQ" if wide else "IIIIII")
        rows = [struct.unpack_from(form, data, off + i * size) for i in range(count)]
        return sum(r[5] for r in rows if r[2] & ALLOC)
    off, = struct.unpack_from(e + ("Q" if wide else "I"), data, 32 if wide else 28)
    size, count = struct.unpack_from(e + "HH", data, 54 if wide else 42)
    ranges = []
    for i in range(count):
        if wide:
            type_, _, _, addr, _, _, room, _ = struct.unpack_from(e + "IIQQQQQQ", data, off + i * size)
        else:
            type_, _, addr, _, _, room, _, _ = struct.unpack_from(e + "IIIIIIII", data, off + i * size)
        if type_ in (LOAD, TLS):
            ranges.append((addr, addr + room))
    total = end = 0
    for a, b in sorted(ranges):
        total += max(0, b - max(a, end))
        end = max(end, b)
    return total


def sums(info, symbols):
    """By section: bytes with padding, each byte once; and whether it is in the file, in memory."""
    names, of_segment = [], collections.Counter()
    for sec in info["heft"]["sections"]:
        names += [sec] * sec["symbols"]
    if len(names) != len(symbols):
        raise ValueError("%d symbols in the sections, %d in the list" % (len(names), len(symbols)))
    file = memory = 0.0
    for sec, y in zip(names, symbols):
        pss = (y.size + y.padding) / y.aliases
        of_segment[y.section] += pss
        file += pss if sec["in_file"] else 0
        memory += pss if sec["in_memory"] else 0
        if (y.section in NOT_IN_FILE) == sec["in_file"]:
            raise ValueError("%s is in %s" % (sec["name"], y.section))
    return file, memory, of_segment


def plain(name):
    """The last word of a name without parameters and arguments: "f" of "int a::b<c>::f(int)"."""
    name = name.replace("(anonymous namespace)", "{anonymous}")
    name = re.sub(r"\{lambda\(.*?\)#\d+\}", "{lambda}", name)
    name = re.sub(r" (\[.*\]|const)$", "", name)
    return "operator" if "operator" in name else re.split(r"::|\s", re.split(r"[(<\[@]", name)[0])[-1]


def identifier(mangled, shown):
    """The innermost word of a name that heft has to show as well: as the mangled form begins (Itanium C++ ABI,
    5.1.3), a length and so many letters a word; else as c++filt shows it."""
    rest, word = re.sub(r"^_Z(GR)?N?K?(St)?", "", mangled), None
    while m := re.match(r"\d+", rest):
        inner, rest = rest[m.end():m.end() + int(m[0])], rest[m.end() + int(m[0]):]
        # Behind a name of Rust's older scheme a hash stands, which is not shown.
        word = word if word and re.fullmatch("h[0-9a-f]{16}", inner) else inner
    if word and "$" in word:
        return shown.split("::")[-1]
    return word if word and not word.startswith("_GLOBAL__N") else plain(shown)


def read_kind(path):
    """The type of an ELF file (1: an object), and its machine (40: ARM)."""
    with open(path, "rb") as f:
        head = f.read(20)
    return struct.unpack_from("<HH" if head[5] == 1 else ">HH", head, 16)


def module_word(name):
    """The last word of a name of a language with modules, which heft writes as people do; None for another name."""
    if "_$$_" in name:  # Free Pascal
        word = re.search(r"\w+", name.split("_$$_", 1)[1])
    elif name.startswith("_$"):
        word = re.search(r"Ld\d+$", name)
    elif re.match("caml[A-Z]", name):
        return re.sub(r"\$([2-7][0-9a-f])", lambda m: chr(int(m[1], 16)), re.split(r"__|\.", name)[-1])
    else:  # Fortran
        word = re.match("__.*_MOD_(.+)$", name)
        return word and word[1]
    return word and word[0]


def is_there(name, shown, versioned, here):
    """Whether a symbol of nm has one of the names `here`."""
    if name.startswith(("_Z", "_R")):
        return any(identifier(name, shown) in n for n in here)
    word = module_word(name)
    if word and any(word in n for n in here):
        return True
    bare = SUFFIX.sub("", name)
    return bool({name, bare, versioned} & here) or any(
        SUFFIX.sub("", n.split(" [")[0]) == bare or n.split("(")[0] == name for n in here)


def names_within(at, starts, start, size):
    return {n for addr in starts[bisect_left(starts, start):bisect_left(starts, start + size)] for n in at[addr]}


def missing_names(path, symbols):
    """Those of nm -S that are not there, and how many it has."""
    at = collections.defaultdict(set)
    for y in symbols:
        at[y.addr].add(y.name)
    starts = sorted(at)
    rows = {}
    for mangled in (True, False):
        args = ["nm", "-S", "--defined-only"] + ([] if mangled else ["-C"]) + [path]
        text = subprocess.run(args, capture_output=True).stdout.decode("utf-8", "replace")
        rows[mangled] = text.splitlines()
    known = {n for names in at.values() for n in names}
    # nm has variables of threads at offsets.
    of_threads = {y.name for y in symbols if y.section in (".tdata", ".tbss")}
    kind, machine = read_kind(path)
    bad, count, anywhere = [], 0, kind == 1
    thumb = 1 if machine == 40 else 0  # nm has it in the addresses of functions
    for line, shown in zip(rows[True], rows[False]):
        m = re.match(r"([0-9a-f]+) ([0-9a-f]+) (\S) (.+)$", line)
        if not m or int(m[2], 16) == 0 or m[3] in "aA" or (m[3].islower() and m[4].startswith(PRIVATE)):
            continue
        count += 1
        name = m[4].split("@")[0]
        text = shown.split(" ", 3)[3]
        # Sections of objects stand at addresses of their own here.
        here = known if anywhere else at.get(int(m[1], 16) & ~thumb, set()) | of_threads
        if not anywhere and not is_there(name, text, m[4], here):
            # Another symbol may have its first bytes, if it begins before.
            here = names_within(at, starts, int(m[1], 16), int(m[2], 16))
        if not is_there(name, text, m[4], here):
            bad.append(line)
    return bad, count


def check(heft, path, work):
    """What is wrong, as a list of texts, and how many names were looked for."""
    size = os.path.join(work, "x.size")
    options = ["--no-debug-search", "--no-map"]
    done = subprocess.run([heft, "snapshot", *options, "-o", size, path], capture_output=True, text=True,
                          errors="replace")
    if done.returncode:
        return ["exit status %d: %s" % (done.returncode, done.stderr[-200:].strip())], 0
    _, info, symbols = read_snapshot(size)
    file, memory, of_segment = sums(info, symbols)
    bad = []
    if round(file) != os.path.getsize(path):
        bad.append("the file has %d bytes, its symbols %.1f" % (os.path.getsize(path), file))
    if round(memory) != loaded(path):
        bad.append("%d bytes are loaded, the symbols have %.1f" % (loaded(path), memory))
    for segment, pss in of_segment.items():
        if segment not in SEGMENTS or round(pss) != info["section_sizes"].get(segment):
            bad.append("%s: %s stated, %.1f in symbols" % (segment, info["section_sizes"].get(segment), pss))
    missing, names = missing_names(path, symbols)
    bad += ["no symbol for " + line for line in missing]
    same = subprocess.run([heft, "diff", "--exit-code", *options, size, path], capture_output=True, text=True,
                          errors="replace")
    if same.returncode:
        bad.append("differs from its own snapshot: " + same.stdout[-300:].strip())
    return bad, names


def main():
    if len(sys.argv) < 3 or not os.access(sys.argv[1], os.X_OK):
        print(__doc__)
        return 2
    if not shutil.which("nm"):
        print("SKIP: no nm (install binutils)")
        return 77
    heft = os.path.abspath(sys.argv[1])
    limit = 0 if os.environ.get("FULL") == "1" or len(sys.argv) < 4 else int(sys.argv[3])
    files, failed, names = inputs(sys.argv[2], limit), 0, 0
    with tempfile.TemporaryDirectory() as work:
        for path in files:
            try:
                bad, count = check(heft, path, work)
            except (ValueError, KeyError, IndexError, StopIteration, struct.error) as e:
                bad, count = ["%s: %s" % (type(e).__name__, e)], 0
            names += count
            if bad:
                failed += 1
                if failed <= SHOWN:
                    print("FAIL %s: %s" % (path, "; ".join(bad[:3])), flush=True)
    print("%d files, %d symbols of nm, %d files fail" % (len(files), names, failed))
    return 1 if failed or not files or not names else 0


sys.exit(main())
