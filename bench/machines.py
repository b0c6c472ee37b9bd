"""Programs of Debian for its release machines, fetched by apt-get."""
import pathlib
import subprocess
import sys

MACHINES = "amd64 arm64 armhf armel i386 mips64el mipsel ppc64el s390x".split()
# Package: what of it is measured.
PROGRAMS = {"bash": "bin/bash", "perl-base": "usr/bin/perl", "python3.11-minimal": "usr/bin/python3.11",
            "git": "usr/bin/git", "gdb": "usr/bin/gdb", "libstdc++6": "usr/lib/*/libstdc++.so.6.0.*",
            "libsqlite3-0": "usr/lib/*/libsqlite3.so.0.*", "libssl3": "usr/lib/*/libcrypto.so.3"}
# Not looked at before the model stood (--held).
HELD = {"busybox": "bin/busybox", "openssh-client": "usr/bin/ssh-keygen", "libcurl4": "usr/lib/*/libcurl.so.4.*",
        "libxml2": "usr/lib/*/libxml2.so.2.*", "libfreetype6": "usr/lib/*/libfreetype.so.6.*",
        "libavutil57": "usr/lib/*/libavutil.so.57.*", "nano": "bin/nano", "tmux": "usr/bin/tmux"}


def apt(folder, machine, *words):
    """Runs apt-get for a machine, with lists of its own."""
    state = (folder / "apt" / machine).resolve()
    for part in "state/lists/partial", "cache/archives/partial":
        (state / part).mkdir(parents=True, exist_ok=True)
    options = (f"APT::Architecture={machine}", f"APT::Architectures={machine}", f"Dir::State={state}/state",
               f"Dir::Cache={state}/cache", "Dir::State::status=/dev/null")
    subprocess.run(["apt-get", "-qq", *(word for o in options for word in ("-o", o)), *words], cwd=folder,
                   check=True, capture_output=True)


def programs(folder, machine, wanted):
    """(package, path) of each program of a machine; unpacked in the folder, and not installed."""
    if not (folder / "apt" / machine).exists():
        apt(folder, machine, "update")
    for package, pattern in wanted.items():
        to = folder / machine / package
        if not to.exists():
            try:
                apt(folder, machine, "download", package)
            except subprocess.CalledProcessError:
                print(f"left out: no {package} for {machine}", file=sys.stderr)
                continue
            deb = next(folder.glob(f"{package}_*_{machine}.deb"))
            to.parent.mkdir(exist_ok=True) # dpkg-deb makes one folder only
            subprocess.run(["dpkg-deb", "-x", deb, to], check=True)
            deb.unlink()
        found = [p for p in sorted(to.glob(pattern)) if p.is_file() and not p.is_symlink()]
        if found:
            yield package, found[0]
        else:
            print(f"left out: {machine}: no {pattern} in {package}", file=sys.stderr)


def all_programs(folder, only_machine="", held=False):
    """Yields (machine, list of (package, path)).  Machines that cannot be fetched are left out, with a reason."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for machine in MACHINES:
        if only_machine in machine:
            try:
                yield machine, list(programs(folder, machine, HELD if held else PROGRAMS))
            except (OSError, subprocess.CalledProcessError) as e:
                print(f"left out: {machine}: {e}", file=sys.stderr)
