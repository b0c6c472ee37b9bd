#!/usr/bin/env python3
"""Measures many inputs beside GNU size and nm: archives by symbols and members, thousands of files, a process a file.

usage: bench/many.py HEFT [--runs N] [--files N] ARCHIVE...

Prints medians of N interleaved runs (default 7): seconds of the processor and resident MB.  The files are the
first N (default 2,000) programs of /usr/bin and /usr/lib below 6 MB.  nm reads without LLVM's plugins.
"""
import argparse
import os
import statistics
import subprocess


def once(words):
    """Runs a command. Returns seconds of the processor, and MB."""
    child = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    use = os.wait4(child.pid, 0)[2]
    child.returncode = 0
    return use.ru_utime + use.ru_stime, use.ru_maxrss / 1024


def each(words, files):
    """Runs a command for each of the files."""
    runs = [once([*words, file]) for file in files]
    return sum(r[0] for r in runs), max(r[1] for r in runs)


def programs(count):
    found = []
    for top in "/usr/bin", "/usr/lib":
        for folder, _, names in sorted(os.walk(top)):
            for path in (os.path.join(folder, name) for name in sorted(names)):
                if len(found) == count:
                    return found
                if os.path.isfile(path) and not os.path.islink(path) and 4096 < os.path.getsize(path) < 6000000:
                    with open(path, "rb") as f:
                        if f.read(4) == b"\x7fELF":
                            found.append(path)
    return found


def compare(title, heft, peer, runs, measure=once):
    ours, theirs = [], []
    for _ in range(runs):
        ours.append(measure(heft))
        theirs.append(measure(peer))
    (time, size), (peer_time, peer_size) = ([statistics.median(v) for v in zip(*r)] for r in (ours, theirs))
    print(f"{title:44} {time:8.3f} s {size:6.1f} MB   peer {peer_time:8.3f} s {peer_size:6.1f} MB   {time / peer_time:.2f}", flush=True)


options = argparse.ArgumentParser()
options.add_argument("heft")
options.add_argument("archives", nargs="*")
options.add_argument("--runs", type=int, default=7)
options.add_argument("--files", type=int, default=2000)
given = options.parse_args()
nm = ["nm", "--plugin=/dev/null"]
for path in given.archives:
    name = f"{os.path.basename(path)}, {os.path.getsize(path) / 1e6:.0f} MB"
    compare(name + ", symbols to nm -C -S", [given.heft, "-d", "symbols", path], [*nm, "-C", "-S", path], given.runs)
    compare(name + ", armembers to size", [given.heft, "-d", "armembers", path], ["size", path], given.runs)
files = programs(given.files)
name = f"{len(files)} files"
compare(name + ", sections to size", [given.heft, "size", *files], ["size", *files], given.runs)
compare(name + ", symbols to nm -D", [given.heft, "-d", "symbols", *files], [*nm, "-D", *files], given.runs)
compare(name + ", info to size", [given.heft, "info", *files], ["size", *files], given.runs)
compare("200 files, a process each, to size", [given.heft], ["size"], given.runs, lambda words: each(words, files[:200]))
compare("--version, to readelf --version", [given.heft, "--version"], ["readelf", "--version"], 5 * given.runs)
