#!/usr/bin/env python3
"""Rust without symbols: crates by the places where code can panic, against what the symbols say, by bytes.

usage: tests/oracle/rust_crates.py HEFT [--show] [PROGRAM...]
without PROGRAM: one of crates that Debian has as packages is built, where they are installed (bench/builds.py).  PROGRAM has symbols.

A copy without symbols is measured, address by address.  Of the bytes that are given to a crate there, so many have to be of that crate by
the symbols (code and data of functions, places and names of files together), and so many of the program have to be given to one.
Versions are compared where both state one.  A crate that the symbols call by another name than the folder of its source is in ALIASES;
one's own crate is the one of the program's name.
"""
import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bench"))
import builds

SPAN = re.compile(r"([0-9a-f]+)-([0-9a-f]+)\t\s*\d+\t\t(.*)")
BUILT, ANY = (0.95, 0.28), (0.90, 0.12)  # right, given
UNKNOWN, OWN = "(crate not known)", "(own crates)"
ALIASES = {"rustfmt": "rustfmt_nightly", "librustdoc": "rustdoc"}


def spans(heft, program):
    """(start, end, label) of the VM image."""
    out = subprocess.run([heft, "--raw-map", "-d", "packages", program], capture_output=True, text=True, check=True).stdout
    ret = []
    for line in out[out.index("VM MAP"):].splitlines():
        if m := SPAN.match(line):
            ret.append((int(m[1], 16), int(m[2], 16), m[3]))
    return ret


def pairs(a, b):
    """(bytes, label of a, label of b) where both have one."""
    i = k = 0
    while i < len(a) and k < len(b):
        size = min(a[i][1], b[k][1]) - max(a[i][0], b[k][0])
        if size > 0:
            yield size, a[i][2], b[k][2]
        if a[i][1] < b[k][1]:
            i += 1
        else:
            k += 1


def split(label):
    name, _, version = label.partition(" ")
    return name.replace("-", "_"), version


def same(told, named, own):
    if told == OWN:
        return split(named)[0] in own
    (name, version), (other, versions) = split(told), split(named)
    known = version and versions and not versions.startswith("#")
    return ALIASES.get(name, name) == other and (not known or version in versions.split(","))


def check(heft, program, limits, show):
    own = {os.path.basename(program).replace("-", "_"), "it", "linked", ALIASES.get(os.path.basename(program))}
    with tempfile.TemporaryDirectory() as folder:
        stripped = os.path.join(folder, os.path.basename(program))
        subprocess.run(["strip", "-s", "-o", stripped, program], check=True)
        told, named = spans(heft, stripped), spans(heft, program)
    count, wrong = collections.Counter(), collections.Counter()
    for size, crate, truth in pairs(told, named):
        count["all"] += size
        if crate == UNKNOWN or crate.startswith("[") or ".so" in crate:
            continue
        count["given"] += size
        if same(crate, truth, own):
            count["right"] += size
        else:
            wrong[crate, truth] += size
    right, given = count["right"] / max(count["given"], 1), count["given"] / count["all"]
    print(f"{os.path.basename(program)}: {given:.3f} of {count['all']} bytes are given to a crate, {right:.3f} of these right", flush=True)
    if show:
        for (crate, truth), size in wrong.most_common(12):
            print(f"  {size} {crate}, is of {truth}")
    return right >= limits[0] and given >= limits[1]


def build(folder):
    for name, options in ("plain", []), ("lto", ["--config", "profile.release.lto=true"]):
        os.mkdir(f"{folder}/{name}")
        yield builds.build_crates(f"{folder}/{name}", ["--release", *options], "")


PART = '#[no_mangle] pub extern "C" fn part(n: usize) -> u8 { std::env::args().nth(n).unwrap().as_bytes()[n] }\n'


def is_of_others(heft):
    """A program of C with a part in Rust: nothing calls its code that of a crate that is not known."""
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/part.rs", "w", encoding="utf-8") as f:
            f.write(PART)
        with open(f"{folder}/all.c", "w", encoding="utf-8") as f:
            f.writelines(f"long f{i}(long a, long b) {{ for (long i = 0; i < a; i++) b += (i ^ {i}) * b / (a + {i + 1}); return b; }}\n"
                         for i in range(20000))
            f.write("unsigned char part(unsigned long n); int main(int c, char **v) { return part(c) + v[0][0]; }\n")
        subprocess.run(["rustc", "-O", "--crate-type=staticlib", "-o", f"{folder}/part.a", f"{folder}/part.rs"], check=True)
        subprocess.run(["gcc", "-O0", "-s", "-o", f"{folder}/all", f"{folder}/all.c", f"{folder}/part.a", "-Wl,--gc-sections", "-lpthread", "-ldl"],
                       check=True)
        labels = collections.Counter()
        for start, end, label in spans(heft, f"{folder}/all"):
            labels[label] += end - start
        all_bytes = sum(labels.values())
        print(f"C with a part in Rust: {labels['(no package)']} of {all_bytes} bytes have no package, {labels[UNKNOWN]} no crate", flush=True)
        found = sum(labels[name] for name in ("std", "core", "alloc"))
        return labels[UNKNOWN] == 0 and labels["(no package)"] > 0.8 * all_bytes and found > 0


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("heft")
    ap.add_argument("--show", action="store_true")
    ap.add_argument("given", nargs="*")
    a = ap.parse_args()
    if not a.given and not builds.has_crates():
        print("SKIP: no cargo, or it has fetched no crates (install cargo)")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        results = [check(a.heft, p, ANY if a.given else BUILT, a.show) for p in a.given or build(folder)]
    return 0 if results and all(results) and (a.given or is_of_others(a.heft)) else 1


if __name__ == "__main__":
    sys.exit(main())
