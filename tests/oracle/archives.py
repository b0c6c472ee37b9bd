#!/usr/bin/env python3
"""Archives of GNU ar, llvm-ar and llvm-lib, ordinary, thin, nested, of BSD, Darwin and COFF forms: members and their sizes
as `ar tv`, sections in memory as `size`, symbols as `nm`; all commands open them; rows add up.

usage: tests/oracle/archives.py HEFT
"""
import csv
import io
import os
import re
import shutil
import struct
import sys
import tempfile

from tally import Tally, run

# 14, 15 and 16 characters, more, blanks, dots, a name that looks like a long one, a path.
NAMES = ["a.o", "abcdefghijkl.o", "abcdefghijklm.o", "abcdefghijklmn.o", "a_very_long_name_for_a_member.o", "with space.o",
         "x y z long enough to be apart.o", "1.o", "sub/below.o", "sub/a_long_name_below_a_folder.o"]
CODE = """int shared_%(n)d = %(n)d; static int zeros_%(n)d[%(n)d + 1]; extern int elsewhere;
int twice_%(n)d(int a) { zeros_%(n)d[0]++; return a * 2 + elsewhere + %(n)d; }
int many_%(n)d(int a) { return a > 1 ? twice_%(n)d(a - 1) * many_%(n)d(a - 2) : zeros_%(n)d[a %% (%(n)d + 1)]; }
"""


class Test(Tally):
    def rows(self, path, source):
        """Bytes in the file and in memory by label."""
        done = run(self.heft, "size", "-d", source, "--csv", "-n", "0", path)
        return {r[0]: (int(r[-1]), int(r[-2])) for r in list(csv.reader(io.StringIO(done.stdout)))[1:]}, done.stderr


def compile_objects():
    os.mkdir("sub")
    for n, name in enumerate(NAMES):
        with open("t.c", "w") as out:
            out.write(CODE % {"n": n})
        run("gcc", "-O1", "-g", "-c", "t.c", "-o", name)


def members_by_ar(path, ar="ar"):
    """Bytes by name; several of one name are summed."""
    ret = {}
    for line in run(ar, "tv", path).stdout.splitlines():
        fields = line.split(None, 7)
        # GNU ar puts the archive's folder before what a thin archive has.
        name = fields[7].removeprefix(os.path.dirname(path) + "/") if os.path.dirname(path) else fields[7]
        ret[name] = ret.get(name, 0) + int(fields[2])
    return ret


def outside_bytes(path):
    """What a thin archive has in other files."""
    with open(path, "rb") as f:
        thin = f.read(8) == b"!<thin>\n"
    return sum(members_by_ar(path).values()) if thin else 0


def count_by_ar(path, ar="ar"):
    return len(run(ar, "t", path).stdout.splitlines())


def check_commands(t, what, path, count):
    """Commands that list what is in the members find all of them."""
    done = run(t.heft, "info", path, check=False)
    t.check(f"{what}: info", (done.returncode, done.stdout.split("members")[-1].split()[:1]), (0, [str(count)]))
    blocks = run(t.heft, "blocks", "--csv", path, check=False)
    t.check(f"{what}: blocks", (blocks.returncode, blocks.stdout.count("twice_") > 0), (0, True))
    t.check(f"{what}: snapshot", run(t.heft, "snapshot", path, "-o", "x.size", check=False).returncode, 0)
    again = run(t.heft, "diff", "--exit-code", "x.size", path, check=False)
    t.check(f"{what}: no difference from its snapshot", again.returncode, 0)


def check_symbols(t, what, path, nm="nm"):
    """Sizes of symbols, summed by name."""
    wanted = {}
    for line in run(nm, "-S", "--defined-only", path).stdout.splitlines():
        fields = line.split()
        if len(fields) == 4 and fields[2] in "tTdDbB":
            wanted[fields[3]] = wanted.get(fields[3], 0) + int(fields[1], 16)
    rows, _ = t.rows(path, "symbols")
    t.check(f"{what}: symbols as nm", {n: rows.get(n, (0, 0))[1] >= size for n, size in wanted.items()}, {n: True for n in wanted})
    if not wanted:
        t.check(f"{what}: nm lists symbols", False, True)


def check_archive(t, what, path, ar="ar", nested=None):
    """nested: sizes by name and number of members where archives are inside, for `ar` lists the archives."""
    rows, said = t.rows(path, "armembers")
    wanted = nested[0] if nested else members_by_ar(path, ar)
    got = {n: r[0] for n, r in rows.items() if not n.startswith("[")}
    t.check(f"{what}: members as ar", got, wanted)
    total = sum(r[0] for r in rows.values())
    t.check(f"{what}: bytes", total, os.path.getsize(path) + outside_bytes(path))
    t.check(f"{what}: no note", said, "")
    sized = run("size", "-t", path, check=False).stdout.splitlines()
    if sized and sized[-1].endswith("(TOTALS)") and not nested:
        t.check(f"{what}: memory as size", sum(r[1] for r in rows.values()), int(sized[-1].split()[3]))
    check_commands(t, what, path, nested[1] if nested else count_by_ar(path, ar))
    if not nested:
        check_symbols(t, what, path)


def gnu(t):
    """Every set of letters by which GNU ar writes another form."""
    count = 0
    for letters in ("qc", "qcS", "qcD", "qcU", "qcs", "rcs", "qcT", "qcTS", "qcTP", "rcsT", "qcSD", "rcST", "qcTU"):
        path = f"gnu-{letters}.a"
        run("ar", letters, path, *NAMES)
        check_archive(t, path, path)
        count += 1
    run("ar", "qc", "twice.a", "a.o", "a.o", "sub/below.o", "a.o")
    check_archive(t, "duplicates", "twice.a")
    run("ar", "qcT", "twice-thin.a", "a.o", "abcdefghijklm.o", "a.o")
    check_archive(t, "duplicates of a thin archive", "twice-thin.a")
    run("ar", "qcT", "thin-of-ordinary.a", "gnu-qc.a")
    check_archive(t, "thin of an ordinary archive", "thin-of-ordinary.a")
    run("ar", "qcT", "thin-mixed.a", "1.o", "gnu-qc.a", "abcdefghijklm.o", "twice.a")
    check_archive(t, "thin of archives and objects", "thin-mixed.a")
    run("ar", "qcT", "thin-of-thin.a", "gnu-qcT.a", "abcdefghijklm.o")
    check_archive(t, "thin of a thin archive", "thin-of-thin.a")
    os.mkdir("deep")
    run("ar", "qcT", "deep/up.a", *NAMES)
    check_archive(t, "thin archive in another folder", "deep/up.a")
    run("ar", "qcT", os.path.abspath("absolute.a"), *[os.path.abspath(n) for n in NAMES])
    check_archive(t, "thin archive of absolute paths", "absolute.a")
    run("ar", "qc", "nested.a", "1.o", "twice.a", "gnu-qcS.a")
    inside = {"1.o": os.path.getsize("1.o")}
    for archive in ("twice.a", "gnu-qcS.a"):
        inside.update({f"{archive}({n})": size for n, size in members_by_ar(archive).items()})
    check_archive(t, "an archive in an archive", "nested.a", nested=(inside, 1 + count_by_ar("twice.a") + count_by_ar("gnu-qcS.a")))
    with open("text.txt", "w") as out:
        out.write("no object, of odd size")
    run("ar", "qc", "with-text.a", "a.o", "text.txt", "1.o")
    rows, _ = t.rows("with-text.a", "armembers")
    t.check("a member that is no object", (sum(r[0] for r in rows.values()), rows["1.o"][0]),
            (os.path.getsize("with-text.a"), os.path.getsize("1.o")))
    return count + 9


def missing(t):
    """A thin archive whose member is gone says so; the others are there."""
    shutil.copy("a.o", "gone.o")
    run("ar", "qcT", "gone.a", "gone.o", "1.o")
    os.remove("gone.o")
    rows, said = t.rows("gone.a", "armembers")
    t.check("a missing member is told", ("gone.o" in said, rows.get("1.o", (0, 0))[0]), (True, os.path.getsize("1.o")))
    names = b"self.a/\n"
    with open("self.a", "wb") as f:
        f.write(b"!<thin>\n" + header(b"//", len(names)) + names + header(b"/0", 100) * 9)
    done = run(t.heft, "size", "-d", "armembers", "self.a", check=False)
    t.check("an archive that names itself", (done.returncode, "names self.a more than" in done.stderr), (0, True))
    return 2


def llvm(t):
    if not shutil.which("llvm-ar-19"):
        t.skipped.append("llvm-ar-19 (install llvm-19)")
        return 0
    count = 0
    for form in ("gnu", "bsd", "darwin", "default"):
        path = f"llvm-{form}.a"
        run("llvm-ar-19", f"--format={form}", "qc", path, *NAMES)
        check_archive(t, path, path, "llvm-ar-19")
        count += 1
    run("llvm-ar-19", "qc", "llvm-sym64.a", *NAMES, env={"SYM64_THRESHOLD": "1"})
    with open("llvm-sym64.a", "rb") as f:
        t.check("a symbol table of 64 bits", f.read(16)[8:], b"/SYM64/ ")
    check_archive(t, "/SYM64/", "llvm-sym64.a", "llvm-ar-19")
    run("llvm-ar-19", "--thin", "qc", "llvm-thin.a", *NAMES)
    check_archive(t, "thin of llvm-ar", "llvm-thin.a", "llvm-ar-19")
    run("llvm-ar-19", "--thin", "qcL", "llvm-thin-flat.a", "gnu-qcT.a", "1.o")
    check_archive(t, "thin of llvm-ar, flattened", "llvm-thin-flat.a", "llvm-ar-19")
    run("llvm-ar-19", "--thin", "qc", "llvm-thin-nested.a", "gnu-qc.a", "gnu-qcT.a")
    rows, said = t.rows("llvm-thin-nested.a", "armembers")
    t.check("thin of archives, not flattened", (len(rows) >= 10, said), (True, ""))
    return count + 4 + coff(t) + macho(t)


def coff(t):
    """Of llvm-lib; with symbol tables of ARM64EC as well."""
    count = 0
    for machine, triple in (("x64", "x86_64-pc-windows-msvc"), ("arm64", "aarch64-pc-windows-msvc"), ("arm64ec", "arm64ec-pc-windows-msvc")):
        objects = []
        for n in (1, 2, 3):
            with open("t.c", "w") as out:
                out.write(CODE % {"n": n})
            objects.append(f"coff_{machine}_with_a_long_name_{n}.obj" if n > 1 else "c.obj")
            run("clang-19", f"--target={triple}", "-O1", "-c", "t.c", "-o", objects[-1])
        path = f"coff-{machine}.lib"
        if not shutil.which("llvm-lib-19"):
            run("llvm-ar-19", "--format=coff", "qc", path, *objects)
        else:
            run("llvm-lib-19", f"/machine:{machine}", f"/out:{path}", *objects)
        rows, said = t.rows(path, "armembers")
        # The pad byte at the end of the archive belongs to the last member.
        t.check(f"{path}: members", {n: (r[0] + 1) // 2 for n, r in rows.items() if not n.startswith("[")},
                {n: (size + 1) // 2 for n, size in members_by_ar(path, "llvm-ar-19").items()})
        t.check(f"{path}: bytes, no note", (sum(r[0] for r in rows.values()), said), (os.path.getsize(path), ""))
        count += 1
    return count


def macho(t):
    """Darwin's "__.SYMDEF SORTED"."""
    if not shutil.which("llvm-libtool-darwin-19"):
        t.skipped.append("llvm-libtool-darwin-19 (install llvm-19)")
        return 0
    for n in (1, 2):
        with open("t.c", "w") as out:
            out.write(CODE % {"n": n})
        run("clang-19", "--target=arm64-apple-macos", "-O1", "-c", "t.c", "-o", f"macho_{n}.o")
    run("llvm-libtool-darwin-19", "-static", "-o", "darwin.a", "macho_1.o", "macho_2.o")
    rows, said = t.rows("darwin.a", "armembers")
    t.check("darwin.a: bytes, no note", (sum(r[0] for r in rows.values()), said), (os.path.getsize("darwin.a"), ""))
    t.check("darwin.a: members", sorted(n for n in rows if not n.startswith("[")), ["macho_1.o", "macho_2.o"])
    return 1


def copies(t):
    """Inline functions of several objects: the copies that a linker leaves out, by readelf."""
    with open("c.cc", "w") as out:
        out.write("inline int big(int x) { int s = 0; while (x--) s += x; return s; } struct V { virtual ~V() {} };\n"
                  "int NAME(int x) { V v; int (*p)(int) = big; return p(x); }\n")
    objects = ["copy1.o", "copy2.o", "copy3.o"]
    for n, name in enumerate(objects):
        run("g++", "-O0", f"-DNAME=user{n}", "-c", "c.cc", "-o", name)
    groups = len(re.findall(r"^COMDAT group section", run("readelf", "-gW", objects[0]).stdout, re.M))
    run("ar", "rc", "copies.a", *objects)
    for what, files in ("archive", ["copies.a"]), ("objects", objects):
        done = run(t.heft, "size", "-d", "symbols", "--count", "-n", "0", "--csv", *files)
        told = sum(int(n) for n in re.findall(r"linkers keep one copy \((\d+) times", done.stderr))
        t.check(f"copies in {what}", (groups > 1, told), (True, 2 * groups))
        t.check(f"count of copies in {what}", [r[3] for r in csv.reader(io.StringIO(done.stdout)) if r[0] == "big()"], ["3"])
    return 1


def header(name, size):
    return b"%-16s%-12d%-6d%-6d%-8s%-10d`\n" % (name, 0, 0, 0, b"644", size)


def made(t):
    """Forms that no tool here writes."""
    with open("a.o", "rb") as f:
        data = f.read()
    with open("1.o", "rb") as f:
        other = f.read()

    def write(path, *members):
        with open(path, "wb") as out:
            out.write(b"!<arch>\n")
            for name, contents in members:
                out.write(header(name, len(contents)) + contents + b"\n" * (len(contents) % 2))
        return path

    forms = {
        "old": write("old.a", (b"a.o", data), (b"sixteen-chars.oo", other)),
        "bsd": write("bsd.a", (b"__.SYMDEF", struct.pack("<II", 0, 0)), (b"#1/3", b"a.o" + data), (b"#1/20", b"with blanks in it.o\0" + other)),
        "sorted": write("sorted.a", (b"#1/20", b"__.SYMDEF SORTED\0\0\0\0" + struct.pack("<II", 0, 0)), (b"#1/12", b"a.o\0\0\0\0\0\0\0\0\0" + data)),
        "nul names": write("coff-names.a", (b"/", struct.pack(">I", 0)), (b"//", b"long name of coff.obj\0another.obj\0"), (b"/0", data), (b"/22", other)),
        "ec": write("ec.a", (b"/", struct.pack(">I", 0)), (b"//", b"long name of coff.obj\0"), (b"/<ECSYMBOLS>/", struct.pack("<I", 0)),
                    (b"/<XFGHASHMAP>/", b"abcd"), (b"/0", data)),
    }
    names = {"old": {"a.o", "sixteen-chars.oo"}, "bsd": {"a.o", "with blanks in it.o"}, "sorted": {"a.o"},
             "nul names": {"long name of coff.obj", "another.obj"}, "ec": {"long name of coff.obj"}}
    for what, path in forms.items():
        rows, said = t.rows(path, "armembers")
        t.check(f"form {what}: members", {n for n in rows if not n.startswith("[")}, names[what])
        t.check(f"form {what}: bytes, no note", (sum(r[0] for r in rows.values()), said), (os.path.getsize(path), ""))
    return len(forms)


def main():
    t = Test(os.path.abspath(sys.argv[1]))
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        compile_objects()
        count = gnu(t) + missing(t) + llvm(t) + copies(t) + made(t)
        os.chdir("/")
    for skipped in t.skipped:
        print(f"skipped: {skipped}")
    print(f"{count} archives: {t.good} checks hold, {t.bad} do not")
    return 1 if t.bad or t.good < 50 else 0


sys.exit(main())
