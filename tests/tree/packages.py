#!/usr/bin/env python3
"""What people install: Debian packages, the static program, what a release has.

Quick: debian/ and the build agree on the version and on the files; debian/rules packs what is built; the packages are
installed, used and removed in a root of their own.  With FULL=1 dpkg-buildpackage builds the packages from a clone, and
lintian judges them; the static program is built and run where nothing else is; a release is made.

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


def build_options(build):
    return {o["name"]: o["value"] for o in json.loads(must(["meson", "introspect", "--buildoptions", build]))}


def installed_files(build):
    """Paths below the prefix that `meson install` makes, as debian/*.install name them."""
    options = build_options(build)
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


class Root:
    """A folder with the essential packages of this machine, into which packages are installed by dpkg."""

    def __init__(self, path):
        self.path, self.there = path, set()
        fields = ("Package", "Essential", "Status", "Provides", "Pre-Depends", "Depends")
        rows = must(["dpkg-query", "-W", "-f", "\t".join(f"${{{field}}}" for field in fields) + "\t${Architecture}\n"])
        machine = must(["dpkg", "--print-architecture"]).strip()
        self.known = {}
        for row in map(lambda line: line.split("\t"), rows.splitlines()):
            if row[2].endswith(" installed") and row[-1] in (machine, "all"):
                self.known[row[0]] = dict(zip(fields, row))
        self.provided = {name: package for package, row in self.known.items() for name in needs_of(row["Provides"])}
        self.provided["awk"] = pathlib.Path("/usr/bin/awk").resolve().name  # mawk or gawk, as /etc/alternatives says
        (path / "var/lib/dpkg/info").mkdir(parents=True)
        for link in filter(pathlib.Path.is_symlink, pathlib.Path("/").iterdir()):
            if os.readlink(link).startswith("usr/"):
                (path / os.readlink(link)).mkdir(parents=True)
                os.symlink(os.readlink(link), path / link.name)
        self.fill([name for name, row in self.known.items() if row["Essential"] == "yes"] + ["base-files"])
        for word in ("passwd", "group", "alternatives"):
            must(["cp", "-a", f"/etc/{word}", path / "etc"])
        for link in pathlib.Path("/usr/bin").iterdir():
            if link.is_symlink() and os.readlink(link).startswith("/etc/alternatives/"):
                os.symlink(os.readlink(link), path / "usr/bin" / link.name)

    def fill(self, names):
        """Copies packages of this machine and what they depend on."""
        wanted, new = list(names), []
        while wanted:
            name = wanted.pop()
            name = name if name in self.known else self.provided.get(name, name)
            if name in self.known and name not in self.there:
                self.there.add(name)
                new.append(name)
                wanted += needs_of(self.known[name]["Pre-Depends"]) + needs_of(self.known[name]["Depends"])
        files = must(["dpkg-query", "-L", *new]).splitlines() if new else []
        info = [str(file) for name in new for file in pathlib.Path("/var/lib/dpkg/info").glob(f"{name}[.:]*")]
        paths = [path for path in files + info if re.match("/(?!.$|usr/share/(doc|info|locale|man)/)", path) and os.path.lexists(path)]
        subprocess.run(["sh", "-c", 'tar -C / --no-recursion -cf - --verbatim-files-from -T - | tar -C "$1" -xf -', "sh", self.path],
                       input="\n".join(path[1:] for path in paths), text=True, check=True)
        with open(self.path / "var/lib/dpkg/status", "a", encoding="utf-8") as status:
            for name in new:
                status.write(must(["dpkg-query", "-s", name]) + "\n")
        self.run("ldconfig")

    def run(self, script):
        inside = f"for part in proc dev; do mount --rbind /$part {self.path}/$part; done; exec chroot {self.path} sh -ec \"$1\""
        return run(["unshare", "--mount", "sh", "-c", inside, "sh", script],
                   env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"})

    def files(self):
        logs = re.compile(r"(tmp|root|proc|dev|run|var/(log|cache)|var/lib/dpkg/(status|available|triggers|lock))")
        return sorted(path for path in (os.path.relpath(os.path.join(folder, name), self.path)
                                        for folder, folders, names in os.walk(self.path) for name in folders + names)
                      if not logs.match(path))


def needs_of(field):
    """The names in a field of dependencies; the first of alternatives."""
    return [re.split(r"[ :(|]", word.strip())[0] for word in field.split(",") if word.strip()]


def packed_of_build(build, folder, names):
    """Packages of what this build has: debian/rules packs, and compiles nothing."""
    clone = folder / "heft"
    machine = must(["dpkg-architecture", "-qDEB_HOST_GNU_TYPE"]).strip()
    prefix = build_options(build)["prefix"]
    (clone / f"obj-{machine}").mkdir()
    (clone / f"obj-{machine}/build.ninja").write_text(f"""
rule install
  command = meson install -C {build} --no-rebuild --quiet --destdir $$DESTDIR.all && mkdir -p $$DESTDIR && $
    mv $$DESTDIR.all{prefix} $$DESTDIR/usr && rm -rf $$DESTDIR/usr/lib/*/heft && $
    sed -i 's|^prefix=.*|prefix=/usr|' $$DESTDIR/usr/lib/*/pkgconfig/*.pc
build install: install
""")
    (clone / "debian/debhelper-build-stamp").write_text("\n".join(names) + "\n")
    must(["nice", "debian/rules", "binary"], cwd=clone,
         env={**os.environ, "DEB_BUILD_OPTIONS": "nocheck noautodbgsym nostrip", "DPKG_DEB_COMPRESSOR_TYPE": "none"})


def links_lead(docs, source):
    """Links between the pages of the package lead somewhere, but those to parts of the source that no package has."""
    pages = [docs / "README.md", *docs.glob("docs/**/*.md")]
    links = 0
    for page in pages:
        for target in re.findall(r"(?:\]\(|src=\")([^)#\"]+)", page.read_text()):
            path = pathlib.Path(os.path.normpath(page.parent / target))
            top = os.path.relpath(path, docs).split("/", 1)[0]
            if top not in ("docs", "examples", "share") and (source / top).exists() or "://" in target or "share/skill" in target:
                continue
            links += 1
            check(f"link of {page.relative_to(docs)}", path.exists(), target)
    check("links of the package's pages", len(pages) > 20 and links > 50, f"{links} links of {len(pages)} pages")


def packages_tried(source, build, folder):
    """Builds the packages, installs, uses and removes them."""
    why = lacks({"dpkg-buildpackage": "dpkg-dev", "dh": "debhelper", "unshare": "util-linux"})
    for words in (["dpkg-checkbuilddeps"], ["unshare", "--mount", "true"]):
        status, said = (0, "") if why else run(words, cwd=source)
        why = why or (said.strip() if status else None)
    if why:
        print(f"LEFT OUT: Debian packages: {why}")
        return
    names = re.findall(r"(?m)^Package: (\S+)", (source / "debian/control").read_text())
    must(["git", "clone", "-q", source, folder / "heft"])
    if os.environ.get("FULL"):
        must(["nice", "dpkg-buildpackage", "-us", "-uc", "-b"], cwd=folder / "heft",
             env={**os.environ, "DEB_BUILD_OPTIONS": "nocheck parallel=2"})
        said = run(["lintian", "--allow-root", *folder.glob("*.changes")])[1]
        check("lintian", not re.search(r"(?m)^[EW]:", said), said)
    else:
        packed_of_build(build, folder, names)
    debs = [package for package in folder.glob("*.deb") if "dbgsym" not in package.name]
    check("packages", sorted(names) == sorted(package.name.split("_")[0] for package in debs), debs)
    must(["dpkg-deb", "-x", next(folder.glob("heft_*.deb")), folder / "heft-files"])
    links_lead(folder / "heft-files/usr/share/doc/heft", source)
    root = Root(folder / "root")
    for package in debs:
        shutil.copy(package, root.path / "tmp")
    shutil.copy(source / "debian/tests/installed", root.path / "tmp")

    def needs(pattern):
        return [name for package in folder.glob(pattern) for name in needs_of(must(["dpkg-deb", "-f", package, "Depends"]).split(": ")[-1])]

    root.fill(needs("heft_*.deb"))
    status, said = root.run("dpkg -i /tmp/heft_*.deb; heft /bin/ls; heft query /bin/ls @largest; dpkg --purge heft")
    check("heft alone", status == 0 and "TOTAL" in said, said[-2000:])
    root.fill(needs("*.deb") + needs_of(re.search(r"(?m)^Depends: (.*)", (source / "debian/tests/control").read_text())[1]))
    before = root.files()
    status, said = root.run("dpkg -i /tmp/*.deb; sh /tmp/installed")
    check("all packages", status == 0 and "the packages work" in said, said[-2000:])
    status, said = root.run("dpkg --purge " + " ".join(names))
    check("removal", status == 0, said[-2000:])
    check("nothing is left", root.files() == before, set(root.files()) ^ set(before))


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
        packages_tried(source, build, pathlib.Path(folder))
        if os.environ.get("FULL"):
            static_tried(source, build, heft, pathlib.Path(folder))
            release_tried(source, pathlib.Path(folder))
        else:
            print("LEFT OUT: static program, release: builds of their own take minutes (FULL=1)")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or passed < 10 else 0


if __name__ == "__main__":
    sys.exit(main())
