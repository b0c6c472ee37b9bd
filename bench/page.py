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
GROUPS = "sections,compileunits,packages,namespaces,symbols"
FILTERS = ["e", "core", "std::vec", "77", "nothing that is there"]


def seconds(*words):
    start = time.monotonic()
    subprocess.run([HEFT, *words], check=True, stderr=subprocess.DEVNULL)
    return time.monotonic() - start


def main_thread_ms(b):
    """Processor time of the thread that runs the page."""
    pid = renderer(b)[0]
    return int(open(f"/proc/{pid}/task/{pid}/schedstat").read().split()[0]) / 1e6


def in_page(b, before, script):
    """Milliseconds by the clock and of the processor, the middle of five; what is drawn afterwards is in the second."""
    clock, processor = [], []
    for _ in range(5):
        b.run(f"(() => {{ {before} }})()")
        time.sleep(0.15)
        start = main_thread_ms(b)
        clock.append(b.run(f"(() => {{ const s = performance.now(); {script}; return performance.now() - s; }})()"))
        processor.append(main_thread_ms(b) - start)
    return f"{statistics.median(clock):.0f} ms, processor {statistics.median(processor):.0f} ms"


ZOOM = """(async () => {
    const page = heftPage, kids = page.view.tree.open(page.view.tree.top), at = page.view.tree.heaviest(kids, "now", page.view.m, 0).ids[0];
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


def renderer(b):
    """The largest process that renders: its number, resident MB now and at the most."""
    largest = (0, 0, 0)
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            words = open(f"/proc/{pid}/cmdline").read()
            if "--type=renderer" in words and b.home in words:
                status = open(f"/proc/{pid}/status").read()
                now, most = (int(status.split(what)[1].split()[0]) // 1024 for what in ("VmRSS:", "VmHWM:"))
                largest = max(largest, (int(pid), now, most), key=lambda r: r[1])
        except OSError:
            continue
    return largest


def measure(b, file, work):
    page = work + "/page.html"
    wrote = seconds("report", "-d", GROUPS, file, "-o", page)
    json = seconds("size", "-d", GROUPS, "-n0", "--json", file, "-o", work + "/rows.json")
    print(f"{os.path.basename(file)}: {os.path.getsize(page) / 1e6:.2f} MB, written in {wrote:.2f} s, {wrote / json:.2f} x --json")
    start = time.monotonic()
    b.open(page)
    opened = time.monotonic() - start
    print(f"  opened in {opened:.2f} s, {b.run('heftPage.view.tab.lines')} lines; resident {renderer(b)[1]} MB, at the most {renderer(b)[2]} MB")
    for by in ["c0", "c3"], ["c2", "c3"], ["c3"]:
        took = in_page(b, "Object.assign(heftPage.state, { by: ['c1'], zoom: [] }); heftPage.update(false);",
                       f"heftPage.state.by = {by}; heftPage.update(false)")
        print(f"  grouped by {by}: {took}")
    for text in FILTERS:
        took = in_page(b, "heftPage.state.filter.with = ''; heftPage.update(false); heftPage.forget();",
                       f"heftPage.state.filter.with = {text!r}; heftPage.update(false)")
        print(f"  filtered by '{text}': {took}")
    b.run("heftPage.state.filter.with = ''; heftPage.state.by = ['c0', 'c3']; heftPage.update(false)")
    for laid, frames, longest in [b.run(ZOOM) for _ in range(3)]:
        print(f"  zoomed in {laid:.0f} ms, then {frames} frames in 300 ms, {longest:.0f} ms the longest")
    print(f"  resident after that: {renderer(b)[1]} MB, at the most {renderer(b)[2]} MB")
    for time_ in "second", "third":
        b.open(page)
        print(f"  opened a {time_} time: resident {renderer(b)[1]} MB, at the most {renderer(b)[2]} MB")
    b.call("HeapProfiler.collectGarbage")
    print(f"  resident when garbage is collected: {renderer(b)[1]} MB")


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
