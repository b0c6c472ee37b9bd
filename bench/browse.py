#!/usr/bin/env python3
"""How long `heft browse` takes to open a program, and to filter: by the clock, user and system time, resident memory.

usage: browse.py HEFT FILE [RUNS [WORD...]]     heft browse -d sections,symbols FILE

Each WORD (first f u n c, then 9) is typed as a filter, letter by letter; the time is that until the screen shows it.
"""
import os
import pty
import select
import sys
import time

TICK = os.sysconf("SC_CLK_TCK")
QUIET = 0.4


class Process:
    def __init__(self, words):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.update(TERM="xterm", LC_ALL="C.UTF-8", LINES="24", COLUMNS="80")
            os.execv(words[0], words)
        self.began = time.monotonic()

    def output(self, seconds):
        """The moment that something came; None: nothing did."""
        if not select.select([self.fd], [], [], seconds)[0]:
            return None
        os.read(self.fd, 1 << 16)
        return time.monotonic()

    def busy(self):
        return len(os.listdir(f"/proc/{self.pid}/task")) > 1

    def waits(self):
        return open(f"/proc/{self.pid}/stat").read().rpartition(")")[2].split()[0] == "S"

    def settled(self):
        """The moment of the last output before nothing came for a while."""
        last = self.began
        while True:
            now = self.output(QUIET)
            if now:
                last = now
            elif not self.busy():
                return last

    def used(self):
        fields = open(f"/proc/{self.pid}/stat").read().rpartition(")")[2].split()
        return [int(fields[11]) / TICK, int(fields[12]) / TICK]

    def memory(self, name):
        for line in open(f"/proc/{self.pid}/status"):
            if line.startswith(name + ":"):
                return int(line.split()[1]) / 1024
        return 0

    def press(self, key):
        before, start = self.used(), time.monotonic()
        os.write(self.fd, key.encode())
        shown = start
        while True:
            now = self.output(QUIET / 2)
            if now:
                shown = now
            elif self.waits():
                break
        after = self.used()
        print(f"  {key!r}: {shown - start:.3f} s, {after[0] - before[0]:.2f} user, {after[1] - before[1]:.2f} system, "
              f"{self.memory('VmRSS'):.0f} MB, most {self.memory('VmHWM'):.0f}", flush=True)


def main():
    heft, path = os.path.abspath(sys.argv[1]), sys.argv[2]
    runs = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    words = sys.argv[4:] or ["func", "9"]
    for run in range(runs):
        p = Process([heft, "browse", "-d", "sections,symbols", path])
        first = p.output(60) - p.began
        rows = p.settled() - p.began
        user, system = p.used()
        print(f"first screen {first:.2f} s, all rows {rows:.2f} s, {user:.2f} user, {system:.2f} system, "
              f"{p.memory('VmRSS'):.0f} MB, most {p.memory('VmHWM'):.0f}, load {os.getloadavg()[0]:.1f}", flush=True)
        for word in words if run == 0 else []:
            for key in "/" + word:
                p.press(key)
            p.press("\x1b")
        os.write(p.fd, b"q")
        while True:
            try:
                if not p.output(5):
                    break
            except OSError:
                break
        os.waitpid(p.pid, 0)


main()
