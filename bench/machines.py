"""Programs of Debian for its release machines, fetched from the mirror that apt knows."""
import lzma
import pathlib
import re
import subprocess
import sys
import urllib.error
import urllib.request

MACHINES = "amd64 arm64 armhf armel i386 mips64el mipsel ppc64el s390x".split()
# Package: what of it is measured.
PROGRAMS = {"bash": "bin/bash", "perl-base": "usr/bin/perl", "python3.11-minimal": "usr/bin/python3.11",
            "git": "usr/bin/git", "gdb": "usr/bin/gdb", "libstdc++6": "usr/lib/*/libstdc++.so.6.0.*",
            "libsqlite3-0": "usr/lib/*/libsqlite3.so.0.*", "libssl3": "usr/lib/*/libcrypto.so.3"}


def site():
    """(URL, suite) of the first source of Debian."""
    text = subprocess.run(["apt-get", "indextargets", "--format", "$(SITE) $(RELEASE) $(COMPONENT)",
                           "Created-By: Packages"], capture_output=True, text=True).stdout
    found = [line.split() for line in text.splitlines()]
    return next(((url, suite) for url, suite, part in found
                 if part == "main" and url.rstrip("/").endswith("/debian") and "-" not in suite), None)


def fetch(url, to):
    if not to.exists():
        with urllib.request.urlopen(url, timeout=120) as answer:
            to.write_bytes(answer.read())
    return to


def programs(folder, machine, url, suite, only=""):
    """(package, path) of each program of a machine; unpacked in the folder, and not installed."""
    index = folder / f"Packages.{machine}.xz"
    fetch(f"{url}/dists/{suite}/main/binary-{machine}/Packages.xz", index)
    text = lzma.decompress(index.read_bytes()).decode()
    for package, pattern in PROGRAMS.items():
        if only not in package:
            continue
        to = folder / machine / package
        entry = re.search(rf"^Package: {re.escape(package)}\n(?:.+\n)*", text, re.M)
        if not to.exists():
            if not entry:
                print(f"left out: no {package} for {machine}", file=sys.stderr)
                continue
            deb = fetch(f"{url}/" + re.search(r"^Filename: (.*)$", entry[0], re.M)[1],
                        folder / f"{machine}-{package}.deb")
            to.parent.mkdir(exist_ok=True) # dpkg-deb makes one folder only
            subprocess.run(["dpkg-deb", "-x", deb, to], check=True)
            deb.unlink()
        yield package, next(p for p in sorted(to.glob(pattern)) if p.is_file() and not p.is_symlink())


def all_programs(folder, only_machine="", only=""):
    """Yields (machine, list of (package, path)).  Ends early, with a reason, if nothing can be fetched."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    where = site()
    if not where:
        print("SKIP: apt knows no source of Debian", file=sys.stderr)
        return
    for machine in MACHINES:
        if only_machine in machine:
            try:
                yield machine, list(programs(folder, machine, *where, only))
            except (urllib.error.URLError, OSError, subprocess.CalledProcessError) as e:
                print(f"left out: {machine}: {e}", file=sys.stderr)
