#!/usr/bin/env python3
"""Measures the page of `heft report` in chromium: bytes, time to write it beside --json, to open it, to group and filter its
rows, and the memory of the browser's process for it.

usage: [HEFT=build/src/heft] bench/page.py [FILE...]     without a FILE: a program of a million functions

A quiet machine, please: times are of the clock, the middle of five.  tests/fixtures/many_symbols.py makes the program.
"""
import os
import statistics
import subprocess
import sys
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, TOP + "/tests/page")
import browser as devtools  # noqa: E402

HEFT = os.path.abspath(os.environ.get("HEFT", TOP + "/build/src/heft"))
GROUPS = "sections,compileunits,namespaces,symbols"
FILTERS = ["e", "core", "std::vec", "77", "nothing that is there"]


def seconds(*words):
    start = time.monotonic()
    subprocess.run([HEFT, *words], check=True, stderr=subprocess.DEVNULL)
    return time.monotonic() - start


def in_page(b, script):
    """Milliseconds, the middle of five."""
    return statistics.median(b.run(f"(() => {{ const s = performance.now(); {script}; return performance.now() - s; }})()")
                             for _ in range(5))


ZOOM = """(async () => {
    const page = heftPage, kids = page.view.tree.open(page.view.tree.top), at = page.view.tree.heaviest(kids, page.view.m, 0)[0];
    const frames = [], start = performance.now();
    let last = null, going = true;
    const frame = now => {
        if (last !== null)
            frames.push(now - last);
        last = now;
        if (going)
            requestAnimationFrame(frame);
    };
    page.zoom(kids.node(at));
    const laid = performance.now() - start;
    requestAnimationFrame(frame);
    await new Promise(go => setTimeout(go, 300));
    going = false;
    page.zoom(page.view.tree.top);
    return [laid, frames.length, Math.max(...frames)];
})()"""


def renderer_mb(b, what="VmRSS:"):
    most = 0
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            words = open(f"/proc/{pid}/cmdline").read()
            if "--type=renderer" in words and b.home in words:
                status = open(f"/proc/{pid}/status").read()
                most = max(most, int(status.split(what)[1].split()[0]) // 1024)
        except OSError:
            continue
    return most


def measure(b, file, work):
    page = work + "/page.html"
    wrote = seconds("report", "-d", GROUPS, file, "-o", page)
    json = seconds("size", "-d", GROUPS, "-n0", "--json", file, "-o", work + "/rows.json")
    print(f"{os.path.basename(file)}: {os.path.getsize(page) / 1e6:.2f} MB, written in {wrote:.2f} s, {wrote / json:.2f} x --json")
    start = time.monotonic()
    b.open(page)
    print(f"  opened in {time.monotonic() - start:.2f} s, {b.run('heftPage.view.tab.lines')} lines; of the process"
          f" {renderer_mb(b)} MB, at the most {renderer_mb(b, 'VmHWM:')} MB")
    for by in ["c0", "c3"], ["c2", "c3"], ["c3"]:
        b.run("Object.assign(heftPage.state, { by: ['c1'], zoom: [] }); heftPage.update(false)")
        took = in_page(b, "Object.assign(heftPage.state, { by: ['c1'] }); heftPage.update(false); const t = performance.now();"
                          f"Object.assign(heftPage.state, {{ by: {by} }}); heftPage.update(false); return performance.now() - t")
        print(f"  grouped by {by}: {took:.0f} ms")
    for text in FILTERS:
        took = in_page(b, "heftPage.state.filter.with = ''; heftPage.update(false); const t = performance.now();"
                          f"heftPage.forget(); heftPage.state.filter.with = {text!r}; heftPage.update(false); return performance.now() - t")
        print(f"  filtered by '{text}': {took:.0f} ms")
    b.run("heftPage.state.filter.with = ''; heftPage.state.by = ['c0', 'c3']; heftPage.update(false)")
    for laid, frames, longest in [b.run(ZOOM) for _ in range(3)]:
        print(f"  zoomed in {laid:.0f} ms, then {frames} frames in 300 ms, {longest:.0f} ms the longest")
    b.call("HeapProfiler.collectGarbage")
    print(f"  memory of the process: {renderer_mb(b)} MB")


def main():
    program = devtools.find()
    if not program:
        sys.exit("no chromium (install chromium)")
    devtools.FLAGS.remove("--force-prefers-reduced-motion")
    b = devtools.Browser(program)
    with tempfile.TemporaryDirectory() as work:
        files = sys.argv[1:]
        if not files:
            files = [work + "/million"]
            subprocess.run([TOP + "/tests/fixtures/many_symbols.py", files[0], "1000000"], check=True)
        try:
            for file in files:
                measure(b, file, work)
        finally:
            b.close()


main()
