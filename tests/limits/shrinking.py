#!/usr/bin/env python3
"""An input that becomes shorter while it is read: one line that names it and status 2, never a signal.

usage: tests/limits/shrinking.py HEFT BIG_FILE
"""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

COMMANDS = ["size -d symbols", "size -d compileunits", "blocks", "snapshot --stats", "size -d inlines"]
DELAYS = [0, 0.005, 0.01, 0.02, 0.03, 0.05, 0.07]


def wait_until_mapped(process, path):
    """Returns once the file is in the address space of the process, or the process has ended."""
    while process.poll() is None:
        try:
            with open(f"/proc/{process.pid}/maps", encoding="utf-8") as maps:
                if path in maps.read():
                    return
        except OSError:
            return


def shorten(process, path):
    """Empties the file while the process stands still."""
    process.send_signal(signal.SIGSTOP)
    os.truncate(path, 0)
    process.send_signal(signal.SIGCONT)


def run(heft, command, big, path, delay):
    """Returns the status and what was said of one run whose input is emptied DELAY seconds after it was mapped."""
    shutil.copyfile(big, path)
    with subprocess.Popen([heft, *command.split(), path], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, errors="replace") as process:
        wait_until_mapped(process, path)
        time.sleep(delay)
        shorten(process, path)
        said = process.communicate(timeout=120)[1]
        return process.returncode, said


def main():
    heft, big = sys.argv[1:3]
    caught = runs = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "input")
        for command in COMMANDS:
            for delay in DELAYS:
                status, said = run(heft, command, big, path, delay)
                named = re.search(r"^heft: .*input: ", said, re.M)
                if status not in (0, 2) or (status == 2 and not named):
                    sys.exit(f"heft {command}: status {status} after {delay} s\n{said}")
                caught += "became shorter" in said
                runs += 1
    print(f"{caught} of {runs} times the file became shorter under heft")
    sys.exit(caught == 0)


if __name__ == "__main__":
    main()
