#!/usr/bin/env python3
"""Stripped kernels of Linux as Debian ships them: what they export has the same names at the same addresses by heft,
which reads kallsyms, as by their own tables of exported symbols; as many relocations as follow the kernel in its image;
and next to nothing is without an owner.

usage: tests/oracle/kernel.py HEFT [VMLINUZ...]      without: one is fetched as a package of Debian, 26 MB
Where the file config-* beside says that kallsyms has no data, as Debian's for i386 does, functions are compared.
"""
import csv
import glob
import json
import lzma
import os
import struct
import subprocess
import sys
import tempfile
import zlib

TOOLS = {b"\x28\xb5\x2f\xfd": "zstd", b"\x02\x21\x4c\x18": "lz4"}
WITHOUT_OWNER = 1.5  # percent of the file, gaps between sections aside


def unpack(path):
    with open(path, "rb") as f:
        b = f.read()
    at = (b[0x1f1] + 1) * 512 + struct.unpack_from("<I", b, 0x248)[0]
    packed = b[at:at + struct.unpack_from("<I", b, 0x24c)[0]]
    if packed[:6] == b"\xfd7zXZ\0":
        return lzma.LZMADecompressor().decompress(packed)
    if packed[:2] == b"\x1f\x8b":
        return zlib.decompressobj(31).decompress(packed)
    return subprocess.run([TOOLS[packed[:4]], "-dc"], input=packed[:-4], capture_output=True, check=True).stdout


def sections(path):
    """{name: (address, offset, size)} as readelf says."""
    out = subprocess.run(["readelf", "-SW", path], capture_output=True, text=True, check=True).stdout
    ret = {}
    for line in out.splitlines():
        words = line.split("]", 1)[-1].split()
        if line.lstrip().startswith("[") and len(words) > 5 and words[0] != "Nr]":
            try:
                ret[words[0]] = tuple(int(w, 16) for w in words[2:5])
            except ValueError:
                pass
    return ret


def exports(path):
    """(address, name) of each; entries are three distances of 4 bytes."""
    with open(path, "rb") as f:
        data = f.read()
    of = sections(path)
    top = 2 ** (32 * data[4])
    strings, off, size = of["__ksymtab_strings"]
    texts = data[off:off + size]
    for table in "__ksymtab", "__ksymtab_gpl":
        addr, off, size = of.get(table, (0, 0, 0))
        for i in range(0, size, 12):
            value, name = struct.unpack_from("<ii", data, off + i)
            start = (addr + i + 4 + name - strings) % top
            yield (addr + i + value) % top, texts[start:texts.index(b"\0", start)].decode()


def only_code(vmlinuz):
    folder, name = os.path.split(vmlinuz)
    try:
        with open(os.path.join(folder, name.replace("vmlinuz-", "config-")), encoding="utf-8", errors="replace") as f:
            return "# CONFIG_KALLSYMS_ALL is not set\n" in f
    except OSError:
        return False


def looked_up(heft, path, places):
    if not places:
        return []
    out = subprocess.run([heft, "where", "--json", path, "-"], input="\n".join(places), check=True,
                         capture_output=True, text=True).stdout
    return [json.loads(line) for line in out.splitlines()]


def relocations(path):
    """How many there are by the file, where words of 0 stand in front of lists, and bytes of them all."""
    with open(path, "rb") as f:
        data = f.read()
    if data[4] == 2:
        end = struct.unpack_from("<Q", data, 40)[0] + 64 * struct.unpack_from("<H", data, 60)[0]
    else:
        end = struct.unpack_from("<I", data, 32)[0] + 40 * struct.unpack_from("<H", data, 48)[0]
    tail = data[end:]
    return sum(word != 0 for (word,) in struct.iter_unpack("<I", tail)), len(tail)


def relocations_told(heft, path):
    info = json.loads(subprocess.run([heft, "info", "--json", path], check=True, capture_output=True).stdout)
    table = subprocess.run([heft, "-d", "sections", "-n", "0", "--csv", path], check=True, capture_output=True,
                           text=True).stdout
    sizes = {r["sections"]: int(r["filesize"]) for r in csv.DictReader(table.splitlines())}
    return info["total"]["relocations"], sizes.get("Relocation Entries", 0)


def without_owner(heft, path):
    out = subprocess.run([heft, "-d", "symbols", "-n", "0", "--csv", path], check=True, capture_output=True, text=True)
    rows = [(r["symbols"], int(r["filesize"])) for r in csv.DictReader(out.stdout.splitlines())]
    left = sum(size for name, size in rows if name.startswith("[section ") or name.startswith("[ELF "))
    return 100 * left / sum(size for _, size in rows)


def check(heft, vmlinuz, folder):
    plain = os.path.join(folder, "plain")
    with open(plain, "wb") as f:
        f.write(unpack(vmlinuz))
    if subprocess.run([heft, "-d", "sections,symbols", "-n", "0", "--csv", plain], capture_output=True).stdout != \
       subprocess.run([heft, "-d", "sections,symbols", "-n", "0", "--csv", vmlinuz], capture_output=True).stdout:
        print(vmlinuz, "packed and unpacked: not the same")
        return False
    known = {}
    code, _, size = sections(plain)[".text"] if only_code(vmlinuz) else (0, 0, 2 ** 64)
    for addr, name in exports(plain):
        if code <= addr < code + size:
            known.setdefault(addr, set()).add(name)
    # Of several names at one address heft chooses one, which may be another than the exported one.
    beside = {a: row["symbol"] for a, row in zip(known, looked_up(heft, vmlinuz, ["%x" % a for a in known]))
              if row.get("symbol") not in known[a] or row["symbol_offset"] != 0}
    places = [row.get("address") for row in looked_up(heft, vmlinuz, [min(known[a]) for a in beside])]
    wrong = sum(a != place for a, place in zip(beside, places))
    left = without_owner(heft, plain)
    own, told = relocations(plain), relocations_told(heft, vmlinuz)
    print("%s: %d exported addresses, %d with another of their names, %d wrong; %d relocations, told %d; "
          "%.2f %% without owner" % (os.path.basename(vmlinuz), len(known), len(beside) - wrong, wrong, own[0],
                                     told[0], left))
    return len(known) > 5000 and wrong == 0 and own[0] > 10000 and own == told and left <= WITHOUT_OWNER


def fetch(folder):
    names = subprocess.run(["apt-cache", "search", "--names-only", r"^linux-image-[0-9].*-cloud-amd64$"],
                           capture_output=True, text=True).stdout.split("\n")
    names = sorted(n.split()[0] for n in names if n)
    if not names or subprocess.run(["apt-get", "download", names[-1]], cwd=folder, capture_output=True).returncode != 0:
        return []
    for package in glob.glob(os.path.join(folder, "*.deb")):
        subprocess.run(["dpkg-deb", "-x", package, folder], check=True)
    return glob.glob(os.path.join(folder, "boot", "vmlinuz-*"))


def main():
    heft = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        files = sys.argv[2:] or fetch(folder)
        if not files:
            print("SKIP: no kernel of Debian can be fetched")
            return 77
        good = [check(heft, path, folder) for path in files]
    return 0 if all(good) else 1


sys.exit(main())
