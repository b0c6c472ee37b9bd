#!/usr/bin/env python3
"""What people install: Debian packages, the static program, what a release has.

Quick: debian/ and the build agree on the version and on the files.  With FULL=1 builds the packages from a clone, judges
them, installs, uses and removes them in a clean root; builds the static program and runs it where nothing else is;
makes a release.

usage: [FULL=1] tests/tree/packages.py SOURCE BUILD HEFT
"""
import fnmatch
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

STATIC_MOST = 8 << 20
passed = failed = 0


def check(what, good, why=""):
    global passed, failed
    if good:
        passed += 1
    else:
        failed += 1
        print(f"FAILED: {what}: {why}")


def run(words, **more):
    """Status and output of a command."""
    done = subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False, **more)
    return done.returncode, done.stdout


def must(words, **more):
    status, said = run(words, **more)
    if status != 0:
        sys.exit(f"FAILED: {' '.join(map(str, words))}\n{said[-3000:]}")
    return said


def lacks(programs):
    """Says why a part is left out; None: nothing is missing."""
    for program, package in programs.items():
        if not shutil.which(program):
            return f"no {program} (install {package})"
    return None if os.geteuid() == 0 else "a root folder of its own needs root"


# ---- debian/ and the build ------------------------------------------------------------------------


def installed_files(build):
    """Paths below the prefix that `meson install` makes, as debian/*.install name them."""
    options = {o["name"]: o["value"] for o in json.loads(must(["meson", "introspect", "--buildoptions", build]))}
    prefix, libdir = options["prefix"], options["libdir"]
    for path in json.loads(must(["meson", "introspect", "--installed", build])).values():
        path = os.path.relpath(path, prefix)
        if not re.match(rf"{re.escape(libdir)}/(heft|32)/", path):
            yield "usr/" + path.replace(f"{libdir}/", "lib/MACHINE/", 1)


def packages_agree(source, build):
    version = re.search(r"version: '([^']+)'", (source / "meson.build").read_text())[1]
    head = (source / "debian/changelog").read_text().split("\n", 1)[0]
    check("version of debian/changelog", head.startswith(f"heft ({version})"), head)
    control = (source / "debian/control").read_text()
    packages = re.findall(r"(?m)^Package: (\S+)", control)
    patterns = []
    for file in sorted((source / "debian").glob("*.install")):
        check(f"{file.name} belongs to a package", file.stem in packages, packages)
        patterns += [(file.name, line.split()[0]) for line in file.read_text().splitlines()]
    used = set()
    for path in installed_files(build):
        takes = [p for p in patterns if fnmatch.fnmatch(path, p[1]) or path.startswith(p[1] + "/")]
        used.update(takes)
        check(f"{path} is in one package", len(takes) == 1, takes)
    # What the build lacks, such as heft-push without curl, has no file.
    for file, pattern in set(patterns) - used:
        check(f"{file}: {pattern} takes a file", re.search(r"libheft\.so|heft-(push|browse|history|mcp)|heft-heap|python3", pattern), "nothing")


# ---- releases -------------------------------------------------------------------------------------


def recipes_agree(source):
    fills = set(re.findall(r"@(\w+)@", (source / "tools/release.sh").read_text()))
    for recipe in sorted((source / "share/packaging").iterdir()):
        asks = set(re.findall(r"@(\w+)@", recipe.read_text()))
        check(f"{recipe.name} is filled in by make release", asks and asks <= fills, asks - fills)
    for script in ("share/packaging/APKBUILD", "tools/release.sh", "debian/tests/installed"):
        status, said = run(["sh", "-n", source / script])
        check(f"{script} is a script", status == 0, said)


def release_tried(source, folder):
    """All of a release but its tag, into a folder of its own."""
    out = folder / "release"
    said = must([source / "tools/release.sh"], env={**os.environ, "TRIAL": "1", "OUT": out}, cwd=source)
    must(["sha256sum", "-c", "--quiet", "SHA256SUMS"], cwd=out)
    version = re.search(r"version: '([^']+)'", (source / "meson.build").read_text())[1]
    names = must(["tar", "tf", out / f"heft-{version}.tar.xz"]).split()
    for name in ("meson.build", "debian/control", "bindings/python/build.py", "include/heft.h"):
        check(f"the source has {name}", f"heft-{version}/{name}" in names, len(names))
    check("the wheel", (out / f"heft-{version}-py3-none-any.whl").exists(), list(out.iterdir()))
    for kind in ("tgz", "html"):
        check(f"WebAssembly, .{kind}", (out / f"heft-{version}.{kind}").exists() or re.search(r"left out:.* WebAssembly", said), said)
    for recipe in (out / "packaging").iterdir():
        check(f"{recipe.name} is filled in", not re.search(r"@\w+@", recipe.read_text()), recipe.read_text())


# ---- Debian packages in a clean root --------------------------------------------------------------


def chroot(root, script):
    return run(["chroot", root, "sh", "-ec", f"export DEBIAN_FRONTEND=noninteractive\n{script}"])


def known_packages(root):
    return must(["dpkg-query", f"--root={root}", "-W"])


def packages_tried(source, folder):
    why = lacks({"dpkg-buildpackage": "dpkg-dev", "dh": "debhelper", "lintian": "lintian", "mmdebstrap": "mmdebstrap"})
    if why:
        print(f"LEFT OUT: Debian packages: {why}")
        return
    must(["git", "clone", "-q", source, folder / "heft"])
    must(["nice", "dpkg-buildpackage", "-us", "-uc", "-b"], cwd=folder / "heft", env={**os.environ, "DEB_BUILD_OPTIONS": "parallel=2"})
    said = run(["lintian", "--allow-root", *folder.glob("*.changes")])[1]
    check("lintian", not re.search(r"(?m)^[EW]:", said), said)
    root = folder / "root"
    must(["mmdebstrap", "--variant=apt", re.search(r"(?m)^VERSION_CODENAME=(\S+)", pathlib.Path("/etc/os-release").read_text())[1], root])
    before = known_packages(root)
    for package in folder.glob("*.deb"):
        if "dbgsym" not in package.name:
            shutil.copy(package, root / "tmp")
    shutil.copy(source / "debian/tests/installed", root / "tmp")
    for part in ("proc", "dev"):
        must(["mount", "--bind", f"/{part}", root / part])
    try:
        status, said = chroot(root, "apt-get -q update\napt-get -q -y --no-install-recommends install /tmp/heft_*.deb\nheft /bin/ls")
        check("heft alone", status == 0 and "TOTAL" in said, said[-2000:])
        needs = re.search(r"(?m)^Depends: (.*)", (source / "debian/tests/control").read_text())[1].replace(",", " ")
        other = " ".join(word for word in needs.split() if "heft" not in word)
        status, said = chroot(root, f"apt-get -q -y --no-install-recommends install /tmp/*.deb {other}\nsh /tmp/installed")
        check("all packages", status == 0 and "the packages work" in said, said[-2000:])
        names = " ".join(re.findall(r"(?m)^Package: (\S+)", (source / "debian/control").read_text()))
        status, said = chroot(root, f"apt-get -q -y --autoremove purge {names} {other}")
        check("removal", status == 0 and known_packages(root) == before, said[-2000:])
    finally:
        for part in ("proc", "dev"):
            run(["umount", root / part])


# ---- the static program ---------------------------------------------------------------------------


def static_tried(source, build, heft, folder):
    static = build / "static"
    if not (static / "build.ninja").exists():
        must(["meson", "setup", static, source, "--native-file", source / "tools/cross/static.ini"])
    must(["nice", "ninja", "-C", static, "-j2", "src/heft"])
    root = folder / "empty"
    root.mkdir()
    must(["strip", "-o", root / "heft", static / "src/heft"])
    size = (root / "heft").stat().st_size
    recorder = build / "recorder/libheft-heap.so"
    check("size of the static program", size <= STATIC_MOST, size)
    check("no interpreter", "INTERP" not in must(["readelf", "-lW", root / "heft"]), "it has one")
    shutil.copy("/bin/ls", root / "ls")
    alone = ["chroot", root, "/heft"] if os.geteuid() == 0 else ["env", "-i", root / "heft"]
    for words in (["-d", "sections,symbols", "--csv", "-n", "0", "ls"], ["snapshot", "ls", "-o", "x.size"],
                  ["query", "x.size", "@largest"], ["info", "ls"], ["report", "ls", "-o", "ls.html"]):
        here = run([heft, *words], cwd=root)
        check(f"static: heft {' '.join(words)}", here == run([*alone, *words], cwd=root) and here[0] == 0, here[1][-500:])
    if recorder.exists():
        shutil.copy(recorder, root)
        status, said = run([root / "heft", "heap", "run", "-o", root / "ls.heap", "/bin/ls", root])
        check("static: heft heap run", status == 0 and (root / "ls.heap").exists(), said)
    print(f"the static program has {size:,} bytes")


def main():
    source, build, heft = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
    packages_agree(source, build)
    recipes_agree(source)
    with tempfile.TemporaryDirectory() as folder:
        if os.environ.get("FULL"):
            static_tried(source, build, heft, pathlib.Path(folder))
            release_tried(source, pathlib.Path(folder))
            packages_tried(source, pathlib.Path(folder))
        else:
            print("LEFT OUT: packages, static program, release: builds of their own take minutes (FULL=1)")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or passed < 10 else 0


if __name__ == "__main__":
    sys.exit(main())
