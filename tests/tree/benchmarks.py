#!/usr/bin/env python3
"""Each benchmark of bench/, in a short form: it runs to its end.  What it measures is not looked at.

usage: tests/tree/benchmarks.py HEFT RECORDER BUILD

Those that build or run for minutes are left out; FULL=1 runs them as well.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HEFT, RECORDER, BUILD = (str(pathlib.Path(p).resolve()) for p in sys.argv[1:4])
PROGRAM = "static int t[50] = { 1 };\n__attribute__((noinline)) static int f(int x) { return x > 3 ? t[x % 50] : x; }\n" \
          "int main(int c, char **v) { (void)v; return f(c) - c; }\n"
# Words, what they need, whether they take minutes.  {tmp} is a folder with prog, old and prog.c.
RUNS = [
    ("{build}/bench/bench_bbmap 2000", "", False),
    ("{build}/bench/bb_derive {tmp}/prog", "", False),
    ("{build}/bench/bench_supersize {tmp}/prog", "", False),
    ("{build}/bench/bench_history {tmp}/made.db 3 20000 20", "", False),
    ("bench/run --runs 1 --json {tmp}/bench.json {tmp}/prog", "nm", False),
    ("bench/run --runs 1 --json {tmp}/bench.json --debug {tmp}/prog", "nm llvm-dwarfdump-19", False),
    ("bench/coverage --heft {heft} --min 0 {tmp}/prog", "", False),
    ("bench/linkmap {build}/tests/dump_linkmap 200", "", False),
    ("bench/many.py {heft} --runs 1 --files 20", "nm size readelf", False),
    ("bench/bb-overhead {heft} prog gcc -O2 -- {tmp}/prog.c", "gcc", False),
    ("bench/heap_digest --heft {heft} --recorder {recorder} --blocks 1000 --runs 1", "gcc", False),
    ("bench/heap_dump --build {build} --blocks 1000 --stacks 10 --runs 1", "gdb", False),
    ("bench/snapshots --times {heft} {tmp}/old {tmp}/prog", "", False),
    ("bench/browse.py {heft} {tmp}/prog 1 f", "", False),
    ("tests/fixtures/many_symbols.py {tmp}/many 1000", "", False),
    ("bench/heap --recorder {recorder} --runs 1 --ops 1000 --json {tmp}/heap.json", "gcc", True),
    ("bench/push --heft {heft} --recorder {recorder} --runs 1 --json {tmp}/push.json", "gcc", True),
    ("bench/formats --heft {heft} --objects 1 --runs 1", "clang-19", True),
    ("bench/twins --heft {heft} --only liblua --dir {tmp}/twins", "apt-get", True),
    ("bench/fit --build {build} --dir {tmp}/fit --only CLEAR", "clang-19", True),
    ("bench/page.py {tmp}/prog", "chromium", True),
    ("bench/diet --dir {tmp}/diet {heft}", "apt-get dpkg-source g++ ninja", True),
    ("bench/real_history {heft} {tmp}/real 2 base", "git", True),
]
NO_BENCHMARKS = {"meson.build", "builds.py", "format_builds.py", "heap_blocks.c", "heap_ops.c", "bbmap.c", "bb_derive.c", "machines.py", "supersize.c",
                 "history.c", "__pycache__"}


def main():
    failed = passed = 0
    started = {pathlib.Path(words.split()[0]).name for words, _, _ in RUNS}
    for name in sorted({p.name for p in (ROOT / "bench").iterdir()} - NO_BENCHMARKS - started):
        failed += 1
        print(f"FAILED: bench/{name} is not run here")
    with tempfile.TemporaryDirectory() as tmp:
        pathlib.Path(tmp, "prog.c").write_text(PROGRAM)
        for name, flag in ("old", "-O0"), ("prog", "-O2"):
            subprocess.run(["cc", "-g", flag, f"{tmp}/prog.c", "-o", f"{tmp}/{name}"], check=True)
        for words, needs, is_long in RUNS:
            lacks = [n for n in needs.split() if not shutil.which(n)]
            if lacks or (is_long and not os.environ.get("FULL")):
                print(f"LEFT OUT: {words.split()[0].format(build='build')}: " + (f"no {lacks[0]} (install {lacks[0]})" if lacks else "it takes minutes (FULL=1)"))
                continue
            line = words.format(build=BUILD, tmp=tmp, heft=HEFT, recorder=RECORDER).split()
            line[0] = str(ROOT / line[0])
            done = subprocess.run(line, cwd=tmp, env=os.environ | {"HEFT": HEFT, "TERM": "xterm"}, stdin=subprocess.DEVNULL, capture_output=True,
                                  text=True, errors="replace", timeout=1200, check=False)
            good = done.returncode == 0 and (done.stdout.strip() or words.startswith("tests/"))
            passed, failed = passed + bool(good), failed + (not good)
            if not good:
                print(f"FAILED: {words}: status {done.returncode}\n{done.stdout[-500:]}{done.stderr[-1500:]}")
    print(f"{passed} benchmarks ran, {failed} failed")
    sys.exit(failed > 0 or passed < 5)


main()
