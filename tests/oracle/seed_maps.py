#!/usr/bin/env python3
"""Plants defects in the block map of a program, one at a time, and wants heft blocks check to find each.

usage: seed_maps.py HEFT FILE COUNT      FILE: with a map of version 2 that is right; COUNT of each kind"""
import json
import random
import struct
import subprocess
import sys
import tempfile

OBJCOPY = "llvm-objcopy-19"


def uleb(n):
    out = b""
    while n >= 0x80:
        out += bytes([n & 0x7F | 0x80])
        n >>= 7
    return out + bytes([n])


class Reader:
    def __init__(self, data):
        self.data, self.pos = data, 0

    def byte(self):
        self.pos += 1
        return self.data[self.pos - 1]

    def uleb(self):
        value = shift = 0
        while True:
            b = self.byte()
            value |= (b & 0x7F) << shift
            shift += 7
            if b < 0x80:
                return value


def decode(data):
    r, functions = Reader(data), []
    while r.pos < len(data):
        version, feature = r.byte(), r.byte()
        assert (version, feature) == (2, 0), "not a plain map of version 2"
        address = struct.unpack_from("<Q", data, r.pos)[0]
        r.pos += 8
        blocks, end = [], 0
        for _ in range(r.uleb()):
            ident, gap, size, flags = r.uleb(), r.uleb(), r.uleb(), r.uleb()
            blocks.append([ident, end + gap, size, flags])
            end += gap + size
        functions.append([version, address, blocks])
    return functions


def encode(functions):
    out = b""
    for version, address, blocks in functions:
        out += bytes([version, 0]) + struct.pack("<Q", address) + uleb(len(blocks))
        end = 0
        for ident, start, size, flags in blocks:
            out += (uleb(ident) if version > 1 else b"") + uleb(start - end) + uleb(size) + uleb(flags)
            end = start + size
    return out


def bytes_of(blocks):
    return blocks[-1][1] + blocks[-1][2]


# Each changes the functions and returns the ids of which one has to be found, or None where it does not apply.
def overlap(f, i):
    if i + 1 == len(f) or f[i + 1][1] <= f[i][1]:
        return None
    f[i][2][-1][2] += f[i + 1][1] - f[i][1] - bytes_of(f[i][2]) + 1
    return {"BB03"}


def stale(f, i):
    """Everything behind function i moved."""
    for k in range(i, len(f)):
        f[k][1] += 16
    return {"BB06"}


def elsewhere(f, i):
    f[i][1] += 1 << 40
    return {"BB06"}


def duplicate(f, i):
    f.insert(random.randrange(len(f)), [f[i][0], f[i][1], [list(b) for b in f[i][2]]])
    return {"BB07"}


def tombstone(f, i):
    f[i][1] = 0
    return {"BB08"}


def inside(f, i, code):
    """A block that begins a byte late where its first instruction is longer."""
    for k, (_, start, size, _) in enumerate(f[i][2]):
        if k > 0 and size > 4 and f[i][1] + start + 1 not in code:
            f[i][2][k - 1][2] += f[i][2][k][1] + 1 - f[i][2][k - 1][1] - f[i][2][k - 1][2]
            f[i][2][k][1] += 1
            f[i][2][k][2] -= 1
            return {"BB01"}
    return None


def wrong_flags(f, i):
    k = random.randrange(len(f[i][2]))
    flags = f[i][2][k][3]
    if f[i][2][k][2] == 0:
        return None
    # Whether a call or a plain instruction is the end of a path, the code does not tell.
    bit = random.choice([1, 2, 4] + ([8] if flags & 3 == 1 else []))
    f[i][2][k][3] ^= bit
    return {"BB02", "BB13"} if flags & 3 != 3 or bit != 2 else None


def missing(f, i):
    del f[i]
    return {"BB09"}


def versions(f, i):
    f[i][0] = 1
    return {"BB10"}


def shorter(f, i):
    if f[i][2][-1][2] < 2:
        return None
    f[i][2].pop()
    return {"BB11"} if f[i][2] and bytes_of(f[i][2]) > 0 else None


def instructions(path):
    out = subprocess.run(["llvm-objdump-19", "-d", "--no-show-raw-insn", path], capture_output=True, text=True,
                         check=True).stdout
    return {int(line.split(":")[0], 16) for line in out.splitlines() if line.startswith("   ") and ":" in line}


def check(heft, path):
    out = subprocess.run([heft, "blocks", "check", "--json", path], capture_output=True, text=True, check=False)
    rows = [json.loads(line) for line in out.stdout.splitlines()]
    return out.returncode, [(r["id"], r["address"], r["text"]) for r in rows[:-1]]


def main():
    heft, path, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    random.seed(1)
    with tempfile.TemporaryDirectory() as folder:
        section, seeded = folder + "/map", folder + "/seeded"
        subprocess.run([OBJCOPY, "--dump-section", ".llvm_bb_addr_map=" + section, path, folder + "/same"], check=True)
        with open(section, "rb") as file:
            data = file.read()
        assert encode(decode(data)) == data
        code = instructions(path)
        status, before = check(heft, path)
        failed = status != 0
        passed = 0
        for kind in (overlap, stale, elsewhere, duplicate, tombstone, inside, wrong_flags, missing, versions, shorter):
            done = tries = 0
            while done < count and tries < 50 * count:
                tries += 1
                functions = decode(data)
                i = random.randrange(len(functions))
                want = kind(functions, i, code) if kind is inside else kind(functions, i)
                if want is None:
                    continue
                done += 1
                with open(section, "wb") as file:
                    file.write(encode(functions))
                subprocess.run([OBJCOPY, "--update-section", ".llvm_bb_addr_map=" + section, path, seeded], check=True)
                status, found = check(heft, seeded)
                new = [f for f in found if f not in before]
                wrong = not want & {"BB07", "BB08", "BB09", "BB10"}
                if not want & {f[0] for f in new} or (wrong and status != 1):
                    failed += 1
                    print("MISSED %s in function %d at 0x%x: %s" % (kind.__name__, i, decode(data)[i][1], new[:3]))
                else:
                    passed += 1
            if done < count:
                print("only %d of %s" % (done, kind.__name__))
                failed += done == 0
        print("%s: %d passed, %d failed" % (path, passed, failed))
        return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
