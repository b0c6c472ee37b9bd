#!/usr/bin/env python3
"""Ten jobs add builds to one history at once, and are killed at random moments: what a job said it added is there
once and as it was added, nothing is there twice, and what is there can be read.
usage: tests/programs/history_writers.py HEFT [SEED [STORE [BUILDS]]]

STORE is the address of an empty history; without it, it is a file."""
import pathlib
import random
import subprocess
import sys
import tempfile
import time

HEFT = sys.argv[1]
RANDOM = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
WRITERS, BUILDS, KILLS = 10, int(sys.argv[4]) if len(sys.argv) > 4 else 60, 20


def program(folder, number):
    """A source whose build differs with the number."""
    source = folder / f"p{number}.c"
    body = "".join(f"int f{i}(int x) {{ return x * {i + 3} + {number if i % 7 == number % 7 else 1}; }}\n"
                   + (f"int g{i}[{number % 5 + 1}] = {{ 1 }};\n" if i % 11 == number % 11 else "") for i in range(60))
    source.write_text(body)
    made = folder / f"p{number}.o"
    subprocess.run(["cc", "-c", "-o", made, source], check=True)
    size = folder / f"p{number}.size"
    subprocess.run([HEFT, "snapshot", made, "-o", size], check=True)
    return size


def start(store, size, number):
    return subprocess.Popen(
        [HEFT, "history", "add", "--store", store, "--product", "p", "--commit", f"commit{number:04}", "--time",
         f"@{number + 1}", "--branch", "main", "--machine", "m", size],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def run_all(store, sizes):
    """Adds every build, again where its job was killed; returns how many were killed."""
    waiting = list(range(BUILDS))
    RANDOM.shuffle(waiting)
    running, killed = {}, 0
    while waiting or running:
        while waiting and len(running) < WRITERS:
            number = waiting.pop()
            running[number] = start(store, sizes[number % len(sizes)], number)
        if killed < KILLS:
            time.sleep(RANDOM.random() * 0.03)
            number = RANDOM.choice(list(running))
            if running[number].poll() is None:
                running[number].kill()
                killed += 1
        for number, job in list(running.items()):
            if job.poll() is None and (killed < KILLS or len(running) == WRITERS or not waiting):
                if killed < KILLS:
                    continue
            out, err = job.communicate()
            del running[number]
            if job.returncode < 0:
                waiting.insert(0, number)
            elif job.returncode != 0:
                sys.exit(f"build {number}: {err}")
            elif f"p commit{number:04}: " not in out:
                sys.exit(f"build {number}: it says {out!r}")
    return killed


def main():
    folder = pathlib.Path(tempfile.mkdtemp())
    store = sys.argv[3] if len(sys.argv) > 3 else folder / "history.db"
    sizes = [program(folder, number) for number in range(12)]
    killed = run_all(store, sizes)
    if killed == 0:
        sys.exit("no job was killed: nothing was tried")
    listed = subprocess.run([HEFT, "history", "log", "--store", store, "--csv", "-n", "0"], check=True,
                            capture_output=True, text=True).stdout.splitlines()[1:]
    commits = [line.split(",")[2] for line in listed]
    wanted = [f"commit{number:04}" for number in reversed(range(BUILDS))]
    if commits != wanted:
        sys.exit(f"builds that are there: {commits}")
    for number in range(BUILDS):
        back = folder / "back.size"
        subprocess.run([HEFT, "history", "export", "--store", store, f"commit{number:04}", "-o", back], check=True)
        if back.read_bytes() != sizes[number % len(sizes)].read_bytes():
            sys.exit(f"build {number} is not read back as it was added")
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()
    print(f"{BUILDS} builds by {WRITERS} jobs at once, {killed} killed: all there, each once")


main()
