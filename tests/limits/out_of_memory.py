#!/usr/bin/env python3
"""Each command where one of its allocations fails, or all from one on: it ends with one line and status 2, or does
without the memory and says the same as ever.

usage: tests/limits/out_of_memory.py HEFT NO_MEMORY.SO RECORDER.SO [WORD...]

With words, only the cases that have all of them.  A few of the allocations are tried; FULL=1: each of the first 4,000.
"""
import concurrent.futures
import glob
import http.server
import os
import pathlib
import pty
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import threading

MOST = 4000
FULL = os.environ.get("FULL")
PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
static int table[%d] = { 1 };
__attribute__((noinline)) static int digits(int n) { char b[40]; return snprintf(b, sizeof b, "%%d", n) + table[n %% 9]; }
int main(int argc, char **argv)
{
	char *volatile kept = malloc(100);
	for (int i = 0; i < 10; i++)
		table[i] += digits(i + argc);
	return kept == NULL || argv == NULL;
}
"""
# What the word in braces stands for is in main(); {out} is a file that is not there, {db} a copy of the history.
CASES = {
    "size": ["{app}", "-d compileunits,symbols {app}", "--format=json {app} -- {old}", "-d symbols,inlines {app}", "--raw-map {app}", "-d sections --map={map} {app}", "-c {config} -d mine {app}"],
    "where": ["{app} main", "-d symbols {app} main+4", "{heap} 0x1000"],
    "info": ["{app} {old}", "--format=json {dir}"],
    "snapshot": ["{app} -o {out}", "{object} -o {out}"],
    "diff": ["{size_old} {size}", "--why {old} {app}", "--format=json {size_old} {size}"],
    "query": ["{size} SELECT+full_name+FROM+symbols+LIMIT+3", "{size} @largest"],
    "check": ["--budget={budget} {size}"],
    "comment": ["--base={size_old} {size}"],
    "history add": ["--store={db} --product=p --commit=c9 --time=@9 {size}", "--store={db} --commit=c9 --time=@9 --by=sections {app}"],
    "history log": ["--store={db}"],
    "history diff": ["--store={db} --product=p c0 c1"],
    "history blame": ["--store={db} --product=p table"],
    "history bisect": ["--store={db} --product=p c0 c1"],
    "history trend": ["--store={db} --product=p"],
    "history top": ["--store={db} --product=p c0 c1"],
    "history page": ["--store={db} --product=p -o {out}"],
    "history import": ["--store={db} --product=q {sizes}"],
    "history export": ["--store={db} --product=p c0 -o {out}"],
    "history gc": ["--store={db} --product=p --keep=1"],
    "rows": ["{app} {old}"],
    "report": ["{app} -o {out}", "{heap} -o {out}", "{app} -o {out} -- {old}"],
    "browse": ["{app}", "{heap}"],
    "stack": ["{app}"],
    "advise": ["{app}", "--format=json {app}", "--prove -- sh {link} -o {out}"],
    "why": ["{app} main", "--format=json {app} main"],
    "blocks": ["{app}", "--format=json {app}"],
    "blocks profile": ["--script={perf} --format=csv {app}"],
    "blocks emit": ["{app} -o {out}"],
    "blocks check": ["{mapped}"],
    "heap show": ["{heap}", "--leaks {core}", "--format=json {heap}"],
    "heap diff": ["{heap} {heap}"],
    "heap at": ["{heap} 0x1000"],
    "heap check": ["{core}"],
    "heap digest": ["{heap} {heap}", "{heap} -o {out}"],
    "heap run": ["--recorder={recorder} -o {out} -- {app}"],
    "push run": ["--recorder={recorder} --to={url} --service=s -o {out} -- {app}"],
    "push profile": ["--to=pyroscope{at_url} {rows}"],
    "push rows": ["--to={url} {rows}"],
    "heap snapshot": ["-o {out} {pid}"],
    "help": ["size", "--words"],
}


class Server(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def program_of(command):
    """The words that run a command; a program beside heft is run itself, since nothing is preloaded into what heft runs."""
    name, *more = command.split()
    beside = pathlib.Path(HEFT).resolve().parent.parent / "programs" / name / f"heft-{name}"
    return [str(beside), *more] if beside.exists() else [HEFT, name, *more]


class Run:
    """One run of a case; fails_at 0: with all the memory there is."""

    def __init__(self, case, things, tmp, fails_at=0, stays=False):
        self.dir = pathlib.Path(tempfile.mkdtemp(dir=tmp))
        count = self.dir / "count"
        count.write_bytes(bytes(8))
        here = dict(things, out=str(self.dir / "out"), db=str(self.dir / "h.db"))
        self.command, words = case
        self.words = [*program_of(self.command), *(w.format(**here).replace("+", " ") if "SELECT" in w else w.format(**here)
                                                   for w in words.split())]
        if "{db}" in words:
            shutil.copy(things["history"], here["db"])
        env = dict(os.environ, LD_PRELOAD=NO_MEMORY, FAIL_COUNT=str(count), FAIL_AT=str(fails_at), TERM="xterm",
                   XDG_CACHE_HOME=str(self.dir), TMPDIR=str(self.dir), **({"FAIL_ON": "1"} if stays else {}),
                   # ncurses crashes without memory; so does what libcurl is linked to.
                   **({"FAIL_BY": "heft"} if case[0] == "browse" or "url}" in words or "{link}" in words else {}))
        self.status, out, err = run_on_terminal(self.words, env) if self.command == "browse" else run_plainly(self.words, env)
        self.out, self.err = (text.replace(str(self.dir), "DIR") for text in (out, err))
        self.asked = struct.unpack("=Q", count.read_bytes())[0]
        self.left = sorted(p.name for p in self.dir.iterdir() if re.match(r"out\.\w{6}$|out$", p.name))
        shutil.rmtree(self.dir, ignore_errors=True)


def run_plainly(words, env):
    try:
        done = subprocess.run(words, env=env, cwd=env["TMPDIR"], stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)
    except subprocess.TimeoutExpired:
        return "no end", "", ""
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


def run_on_terminal(words, env):
    """Goes down, into a row, to its card and away.  Of the output only the error is looked at."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 80))
    with subprocess.Popen(words, env=env, stdin=theirs, stdout=theirs, stderr=subprocess.PIPE, close_fds=True) as job:
        os.close(theirs)
        os.write(ours, b"j\r \x1b[Bi qqqqqqqqq")
        reader = threading.Thread(target=drain, args=(ours,))
        reader.start()
        try:
            err = job.communicate(timeout=60)[1].decode(errors="replace")
            status = job.returncode
        except subprocess.TimeoutExpired:
            job.kill()
            err, status = "", "no end"
    reader.join()
    os.close(ours)
    return status, "", err


def drain(fd):
    try:
        while os.read(fd, 65536):
            pass
    except OSError:
        pass


def judge(run, good):
    """What is wrong with a run that had not all the memory, or None.  Commands of many files go on with the next."""
    said = good.err.splitlines()
    new = [line for line in run.err.splitlines() if line not in said]
    if run.status == good.status and (run.out == good.out or new):
        return None
    if run.status != 2:
        return f"status {run.status}: {run.err[-300:]}"
    if run.command in ("rows", "info", "heap digest"):
        return None if new and all(line.startswith("heft: ") for line in new) else f"says {run.err[-600:]!r}"
    lines = [line for line in new if not line.startswith("heft: note: ")]
    if len(lines) != 1 or not lines[0].startswith("heft: "):
        return "says " + repr(run.err[-600:])
    return "leaves " + " ".join(run.left) if run.left else None


def places(asked):
    last = min(asked, MOST)
    if FULL:
        return [(n, stays) for n in range(1, last + 1) for stays in (False, True)]
    some, n = [], 1
    while n <= last:
        some.append(n)
        n += 1 + n // 3
    return [(n, i % 2 == 1) for i, n in enumerate(some)] + [(n, i % 2 == 0) for i, n in enumerate(some[:8])]


def try_case(pool, case, things, tmp):
    """How many runs, and those that went wrong."""
    good = Run(case, things, tmp)
    if good.status not in (0, 1):
        return 1, [f"with all memory: status {good.status}: {good.err[-500:]}"]
    runs = {pool.submit(Run, case, things, tmp, n, stays): (n, stays) for n, stays in places(good.asked)}
    bad = []
    for job in concurrent.futures.as_completed(runs):
        n, stays = runs[job]
        wrong = judge(job.result(), good)
        if wrong:
            bad.append(f"{n} of {good.asked}{' and on' if stays else ''}: {wrong}")
    return len(runs) + 1, bad


def make(tmp):
    def heft(*words, **more):
        subprocess.run([HEFT, *words], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **more)

    at = {name: f"{tmp}/{name}" for name in ("app", "old", "object", "map", "mapped", "size", "size_old", "sizes", "history",
                                             "budget", "config", "heap", "core", "perf", "source", "rows", "link")}
    for name, numbers in (("old", 100), ("app", 300)):
        pathlib.Path(at["source"] + ".c").write_text(PROGRAM % numbers)
        subprocess.run(["cc", "-g", "-O1", "-Wl,-Map=" + at["map"], at["source"] + ".c", "-o", at[name]], check=True)
    at["source"] += ".c"
    subprocess.run(["cc", "-g", "-O1", "-c", at["source"], "-o", at["object"]], check=True)
    os.mkdir(at["sizes"])
    for i, (program, size) in enumerate((("old", "size_old"), ("app", "size"))):
        heft("snapshot", at[program], "-o", at[size])
        shutil.copy(at[size], f"{at['sizes']}/abcdef{i}.size")
        heft("history", "add", "--store", at["history"], "--product=p", f"--commit=c{i}", f"--time=@{i + 1}", at[size])
    pathlib.Path(at["budget"]).write_text("file max 1 GiB\nsection .text max 1 MiB\n")
    pathlib.Path(at["config"]).write_text('custom_data_source: { name: "mine" base_data_source: "sections" '
                                          'rewrite: { pattern: "^.t" replacement: "t" } }\n')
    pathlib.Path(at["link"]).write_text(f'cp {at["app"]} "$2"\n')
    heft("rows", at["app"], "-o", at["rows"])
    heft("blocks", "emit", at["app"], "-o", at["mapped"])
    heft("heap", "run", "--recorder", RECORDER, "-o", at["heap"] + ".%p", "--", at["app"])
    heft("heap", "run", "--recorder", RECORDER, "--inline", "--leaks", "-o", at["core"] + ".%p", "--", at["app"])
    for name in ("heap", "core"):
        os.rename(glob.glob(at[name] + ".*")[0], at[name])
    start = subprocess.run(["nm", at["app"]], check=True, capture_output=True, text=True).stdout
    main = int(re.search(r"(\w+) T main", start)[1], 16)
    pathlib.Path(at["perf"]).write_text(f"{main + 4:x}\n")
    os.mkdir(f"{tmp}/programs")
    for name in ("app", "old"):
        os.link(at[name], f"{tmp}/programs/{name}")
    return at


def main():
    cases = [(command, words) for command, list_ in CASES.items() for words in list_
             if all(w in f"{command} {words}" for w in sys.argv[4:])]
    known = set(re.findall(r"^(\w[^\t]*)\t", subprocess.run([HEFT, "help", "--words"], check=True, text=True,
                                                          stdout=subprocess.PIPE).stdout, re.M))
    failed = runs = 0
    if known - set(CASES):
        failed += 1
        print(f"FAILED: no case of {', '.join(sorted(known - set(CASES)))}")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as tmp, concurrent.futures.ThreadPoolExecutor(2) as pool:
        things = make(tmp) | {"dir": tmp + "/programs", "recorder": RECORDER, "url": f"http://127.0.0.1:{server.server_port}",
                                "at_url": f"://127.0.0.1:{server.server_port}"}
        with subprocess.Popen(["sleep", "10000"]) as sleeper:
            things["pid"] = str(sleeper.pid)
            for case in cases:
                count, bad = try_case(pool, case, things, tmp)
                runs += count
                failed += len(bad)
                for line in bad:
                    print(f"FAILED: heft {case[0]} {case[1]}: allocation {line}")
            sleeper.kill()
    server.shutdown()
    print(f"{runs} runs of {len(cases)} cases, {failed} failed")
    sys.exit(failed > 0 or runs < 2)


if len(sys.argv) < 4:
    sys.exit(__doc__.split("\n\n")[1])
HEFT, NO_MEMORY, RECORDER = (str(pathlib.Path(p).resolve()) for p in sys.argv[1:4])
main()
