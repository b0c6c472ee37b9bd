#!/usr/bin/env python3
"""heft built for other systems says of files what it says here: the same bytes.

Builds heft for Windows, and with FULL=1 for 32-bit x86 and ARM, each where its compiler is there, and runs it on files of
five formats, which clang and lld make.  Builds stay in BUILDS, so that the next run compiles what changed.
tests/bindings/wasm_test.py does the same for WebAssembly.

usage: tests/tree/elsewhere.py HEFT SOURCE BUILDS
"""
import base64
import contextlib
import gzip
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zlib
from concurrent.futures import ThreadPoolExecutor

PER_FORMAT = 10
SOURCE = r"""
struct node { struct node *next; long value; char text[24]; };
static const int table[] = { 1, 1, 2, 3, 5, 8, 13, 21, 34, 55 };
const char greeting[] = "one, two, three";
struct node nodes[7];
int count = 5;
static long sum(const struct node *n) { long s = 0; for (; n; n = n->next) s += n->value * table[n->value & 7]; return s; }
int lookup(int i) { switch (i) { case 0: return 9; case 1: return table[2]; case 2: return count; case 5: return 77;
	case 6: return 12; case 7: return i * count; default: return table[i & 7]; } }
long NAME(long v) { nodes[v & 3].value = v; nodes[v & 3].next = v & 4 ? &nodes[5] : 0; return sum(nodes) + lookup((int)v); }
"""


class Build:
    """heft for another system: how it is built and run."""

    def __init__(self, name, compiler, packages, runner, what="src/heft"):
        self.name, self.compiler, self.packages, self.runner, self.what = name, compiler, packages, runner, what

    def lacks(self):
        """Why it cannot be built or run here; None: it can."""
        if self.name in ("armhf", "i686") and os.environ.get("FULL") != "1":
            return "beside WebAssembly a second build for 32 bits takes minutes (FULL=1)"
        for program in (self.compiler, *self.runner[:1]):
            if program and not shutil.which(program):
                return f"no {program} (install {self.packages})"
        return None

    def make(self, source, builds):
        """Builds it; returns the words that run it."""
        folder = builds / f"elsewhere-{self.name}"
        cross = source / "tools/cross"
        if not (folder / "build.ninja").exists():
            shutil.rmtree(folder, ignore_errors=True)
            must(["meson", "setup", folder, source, "--cross-file", cross / f"{self.name}.ini",
                  "--cross-file", cross / "small.ini", "-Doptimization=0"])
        must(["nice", "ninja", "-C", folder, "-j2", self.what])
        program = folder / self.what
        return [*self.runner, program]


def must(words):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"FAILED: {' '.join(map(str, words))}\n{done.stdout[-3000:]}")


def builds_of(machine):
    native = machine in ("x86_64", "i686")
    return [
        Build("i686", "i686-linux-gnu-gcc", "gcc-i686-linux-gnu libc6-dev-i386-cross", [] if native else ["qemu-i386"]),
        Build("armhf", "arm-linux-gnueabihf-gcc", "gcc-arm-linux-gnueabihf libc6-dev-armhf-cross qemu-user", ["qemu-arm"]),
        Build("mingw64", "x86_64-w64-mingw32-gcc-posix", "gcc-mingw-w64-x86-64 wine", ["wine"], "src/heft.exe"),
    ]


# ---- files ---------------------------------------------------------------------------------------


def objects_make(folder, prefix, targets, flags):
    """Compiles the source for each target; returns the objects."""
    made = []
    for target in targets:
        for number, flag in enumerate(flags):
            path = folder / f"{prefix}-{target}-{number}.o"
            c = path.with_suffix(".c")
            c.write_text(SOURCE.replace("NAME", f"entry_{number}"))
            must(["clang-19", f"--target={target}", "-ffreestanding", *flag.split(), "-c", c, "-o", path])
            made.append(path)
    return made


def link_make(words, objects, suffix):
    """Links each object by itself; returns what came out."""
    made = []
    for path in objects:
        out = path.with_suffix(suffix)
        must([word.replace("OUT", str(out)) for word in words] + [path])
        made.append(out)
    return made


def elf_make(folder):
    targets = ["x86_64-linux-gnu", "i686-linux-gnu", "aarch64-linux-gnu", "armv7-linux-gnueabihf", "riscv64-linux-gnu",
               "powerpc64le-linux-gnu", "s390x-linux-gnu"]
    objects = objects_make(folder, "elf", targets, ["-O2 -g -fPIC"])
    return objects + link_make(["ld.lld-19", "-shared", "-o", "OUT"], objects, ".so")


def pe_make(folder):
    objects = []
    made = []
    for target, machine in (("x86_64-windows-msvc", "x64"), ("i686-windows-msvc", "x86"), ("aarch64-windows-msvc", "arm64")):
        some = objects_make(folder, "pe", [target], ["-O2 -g", "-O0"])
        objects += some
        made += link_make(["lld-link-19", "/dll", "/noentry", "/nodefaultlib", f"/machine:{machine}", "/safeseh:no",
                           "/out:OUT"], some, ".dll")
    return objects + made


def macho_make(folder):
    objects = []
    made = []
    for arch in ("x86_64", "arm64"):
        some = objects_make(folder, "macho", [f"{arch}-apple-macos11"], ["-O2 -g", "-O0", "-Os"])
        objects += some
        made += link_make(["ld64.lld-19", "-arch", arch, "-platform_version", "macos", "11", "11", "-dylib",
                           "-undefined", "dynamic_lookup", "-o", "OUT"], some, ".dylib")
    return objects + made


def wasm_make(folder):
    objects = objects_make(folder, "wasm", ["wasm32", "wasm64"], ["-O2 -g", "-O0", "-Os"])
    return objects + link_make(["wasm-ld-19", "-mwasm64", "--no-entry", "--export-all", "-o", "OUT"],
                               [o for o in objects if "64" in o.name], ".wasm") + \
        link_make(["wasm-ld-19", "--no-entry", "--export-all", "-o", "OUT"], [o for o in objects if "32" in o.name], ".wasm")


def archives_make(folder, files):
    made = []
    for format_, objects in files.items():
        objects = [o for o in objects if o.suffix == ".o"]
        for kind in {"ELF": ["gnu", "bsd"], "Mach-O": ["darwin", "bsd"], "PE": ["coff", "gnu"], "Wasm": ["gnu"]}[format_]:
            for some in (objects, objects[:1]):
                out = folder / f"{format_}-{kind}-{len(some)}.a"
                must(["llvm-ar-19", f"--format={kind}", "rcs", out, *some])
                made.append(out)
    return made


def files_make(folder):
    files = {"ELF": elf_make(folder), "PE": pe_make(folder), "Mach-O": macho_make(folder), "Wasm": wasm_make(folder)}
    files["archives"] = archives_make(folder, files)
    return files


# ---- runs ----------------------------------------------------------------------------------------


def answer(program, words, folder):
    """Status, output and messages of a run, without the messages of wine's own services."""
    for _ in range(3):
        done = subprocess.run([*program, *words], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False, timeout=300)
        said = re.sub(rb"(?m)^wine.*\n| +You probably need to kill that process.*\n", b"", done.stderr)
        # heft says why it fails. Where heft says nothing, wine did not start it, as happens under load.
        if done.returncode == 0 or done.stdout or said:
            break
    return done.returncode, done.stdout, said


@contextlib.contextmanager
def wine_kept(build, program):
    """Keeps one server of wine: a program that starts while the server of the last one ends finds none."""
    server = build.runner[:1] == ["wine"] and shutil.which("wineserver")
    if server:
        os.environ["WINEPREFIX"] += "-kept"  # meson has run programs in the other
        os.mkdir(os.environ["WINEPREFIX"])
        subprocess.run([server, "-p"], check=False)
        # The first program starts wine's services, which keep its output open: a pipe would never end.
        subprocess.run([*program, "--version"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, check=False, timeout=300)
    try:
        yield
    finally:
        if server:
            subprocess.run([server, "-k", "-w"], check=False)


class Comparison:
    """Answers of one build beside those of heft here."""

    def __init__(self, build, heft, program, folder):
        self.build, self.heft, self.program, self.folder = build, [heft], program, folder
        self.passed = self.failed = 0

    def settle(self, words, here, there, status=0):
        if here == there and here[0] == status:
            self.passed += 1
            return
        self.failed += 1
        print(f"FAILED: {self.build}: heft {' '.join(words)}: here {here[0]}, there {there[0]}")
        for name, a, b in zip(("output", "messages"), here[1:], there[1:]):
            if a != b:
                print(f"  {name}:\n    {a[:400]!r}\n    {b[:400]!r}")

    def there(self, words):
        return answer(self.program, words, self.folder)

    def same(self, words, status=0):
        self.settle(words, answer(self.heft, words, self.folder), self.there(words), status)

    def same_file(self, words, read):
        """What both write to a file, as READ sees it."""
        got = []
        for name in ("here.out", "there.out"):
            said_all = [*words, "-o", name]
            status, said, messages = answer(self.heft, said_all, self.folder) if name == "here.out" else self.there(said_all)
            path = self.folder / name
            got.append((status, said + (read(path.read_bytes()) if path.exists() else b"no file"), messages))
        self.settle(words, *got)


def page_read(page):
    """A page with its packed data unpacked: packers of one format differ."""
    def unpacked(found):
        packed = base64.b64decode(found.group(0))
        for bits in (-15, 15, 31):
            try:
                return zlib.decompress(packed, bits)
            except zlib.error:
                continue
        return found.group(0)
    return re.sub(rb"[A-Za-z0-9+/]{200,}={0,2}", unpacked, page)


def compare(c, files, has_zlib):
    """The commands on the files; names are relative to the folder.  Without zlib no .size file and no page is written."""
    jobs = []
    for paths in files.values():
        for path in paths:
            jobs.append(["-C", "none", "-d", "sections,symbols", "-n", "0", path.name])
    for paths in files.values():
        jobs.append(["info", *(path.name for path in paths)])
    for format_ in ("ELF", "PE", "Mach-O", "Wasm"):
        old, new = [p for p in files[format_] if p.suffix == ".o"][:2]
        jobs.append(["size", "--csv", "-d", "segments,compileunits", "-C", "none", new.name, "--", old.name])
        jobs.append(["diff", old.name, new.name])
        under = "_" if format_ == "Mach-O" else ""
        jobs.append(["where", "-C", "none", "-d", "symbols", old.name, f"{under}lookup", f"{under}nodes+8"])
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(c.same, jobs))
    some = files["ELF"][-1].name
    c.same(["size", "no such file"], 2)
    c.same(["heap", "show", some], 2)
    if has_zlib:
        c.same_file(["snapshot", some], gzip.decompress)
        c.same_file(["report", some], page_read)


def main():
    heft, source, builds = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
    for program in ("clang-19", "ld.lld-19", "llvm-ar-19", "meson"):
        if not shutil.which(program):
            print(f"SKIP: no {program} (install clang-19 lld-19 llvm-19)")
            return 77
    os.environ.update(WINEDEBUG="-all", WINEDLLOVERRIDES="mscoree,mshtml,winemenubuilder.exe=", DEBUGINFOD_URLS="")
    passed = failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        os.environ["WINEPREFIX"] = str(folder / "wine")
        files = files_make(folder)
        for format_, paths in files.items():
            if len(paths) < PER_FORMAT:
                sys.exit(f"FAILED: only {len(paths)} files of the format {format_}")
        for build in builds_of(os.uname().machine):
            why = build.lacks()
            if why:
                print(f"LEFT OUT: heft for {build.name}: {why}")
                continue
            program = build.make(source, builds)
            with wine_kept(build, program):
                version = answer(program, ["--version"], folder)
                if version[1].splitlines()[:1] != answer([heft], ["--version"], folder)[1].splitlines()[:1]:
                    sys.exit(f"FAILED: heft for {build.name} does not run: {version}")
                c = Comparison(build.name, heft, program, folder)
                compare(c, files, build.name == "mingw64" and pathlib.Path("/usr/x86_64-w64-mingw32/lib/libz.a").exists())
            print(f"{build.name}: {c.passed} answers the same")
            passed += c.passed
            failed += c.failed
    if passed + failed == 0:
        print("SKIP: no compiler for another system (install gcc-i686-linux-gnu)")
        return 77
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
