#!/usr/bin/env python3
"""Histories on servers, which the test starts from Debian's packages: the tests of the store, ten writers that are killed, and
what is said when a server is away, when it goes away, and when a password stands in an address.

usage: stores.py HEFT TEST_STORE
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

import servers

TESTS = pathlib.Path(__file__).resolve().parent
failed = 0


def check(name, good, shown=""):
    global failed
    failed += not good
    print(f"{'ok' if good else 'FAILED'}: {name}" + ("" if good else f"\n{shown}"), flush=True)


def run(*words, **more):
    return subprocess.run(words, capture_output=True, text=True, check=False, **more)


def is_one_line(done, *words):
    lines = done.stderr.splitlines()
    return done.returncode == 2 and len(lines) == 1 and not done.stdout and all(word in lines[0] for word in words)


def unit_tests(name, test_store, url):
    done = run(test_store, env=os.environ | {"HEFT_STORE": url})
    check(f"{name}: the tests of the store", done.returncode == 0 and "PASSED" in done.stdout + done.stderr,
          done.stdout + done.stderr)


def writers(name, heft, url, builds=60):
    done = run(sys.executable, TESTS / "history_writers.py", heft, "7", url, str(builds))
    check(f"{name}: {done.stdout.strip()}", done.returncode == 0, done.stdout + done.stderr)


def add(heft, url, program, commit):
    return (heft, "history", "add", "--store", url, "--product", "gone", "--commit", commit, "--time", "@1", program)


def goes_away(name, heft, url, stop, program):
    """Many are added while the server is stopped: each was added, or tells in one line why not."""
    done, threads = [], []
    for i in range(12):
        threads.append(threading.Thread(target=lambda i=i: done.append(run(*add(heft, url, program, f"away{i:04}")))))
        threads[-1].start()
        if i == 5:
            time.sleep(0.1)
            stop()
    for thread in threads:
        thread.join()
    refused = [d for d in done if d.returncode != 0]
    check(f"{name}: a server that goes away is told in a line", refused and all(is_one_line(d, "heft: ") for d in refused),
          [d.stderr for d in done])
    check(f"{name}: one that is away is told in a line", is_one_line(run(heft, "history", "log", "--store", url), "cannot be reached"),
          run(heft, "history", "log", "--store", url).stderr)


def passwords(name, heft, url):
    done = run(heft, "history", "log", "--store", url)
    check(f"{name}: an address with a password is refused and not shown", is_one_line(done, "password") and "geheim" not in done.stderr,
          done.stderr)


def postgres(heft, test_store, tmp):
    with servers.postgres(tmp) as server:
        if not server:
            print("LEFT OUT: PostgreSQL: no server (install postgresql)")
            return 0
        unit_tests("PostgreSQL", test_store, server.url)
        writers("PostgreSQL", heft, server.url)
        for url in ("postgresql://me:geheim@127.0.0.1/db", "postgresql://127.0.0.1/db?password=geheim"):
            passwords("PostgreSQL", heft, url)
        goes_away("PostgreSQL", heft, server.url, server.stop, heft)
    return 1


def main():
    heft, test_store = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:])
    engines = 0
    if "built without" in run(heft, "history", "log", "--store", "postgresql:///x").stderr:
        print("LEFT OUT: PostgreSQL: heft was built without libpq (install libpq-dev)")
    else:
        with tempfile.TemporaryDirectory() as tmp:
            engines += postgres(heft, test_store, tmp)
    if engines == 0:
        print("SKIP: no server of a database is here (install postgresql, libpq-dev)")
        sys.exit(77)
    sys.exit(failed > 0)


main()
