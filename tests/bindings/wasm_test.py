#!/usr/bin/env python3
"""heft as WebAssembly says of files what heft says here: in node the same bytes, in chromium the same page.

Builds the package of bindings/wasm, runs it on files of all formats, opens its page in a browser and drops programs there,
and installs it into an empty folder.  FULL=1 also takes a program of at least 50 MB, which has to be shown within 10 s and
1 GB.

usage: tests/bindings/wasm_test.py HEFT SOURCE
"""
import base64
import glob
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent.parent / room) for room in ("tree", "page")]
import browser as devtools  # noqa: E402
import elsewhere  # noqa: E402

NEEDS = "clang-19 lld-19 llvm-19 wasi-libc libclang-rt-19-dev-wasm32 libc++abi-19-dev-wasm32 nodejs"
FILES = 40
INSTALLED = ["/usr/lib/wasm32-wasi/libc.a", "/usr/lib/x86_64-linux-gnu/libz.so.1", "/usr/lib/x86_64-linux-gnu/crt1.o", "/bin/bash",
             "/usr/lib/x86_64-linux-gnu/libstdc++.so.6", "/usr/bin/gpgv", "/usr/lib/gcc/x86_64-w64-mingw32/12-posix/libgcc_s_seh-1.dll",
             "/usr/lib/gcc/x86_64-linux-gnu/12/libgcov.a"]
LARGE = 50_000_000


class Node(elsewhere.Comparison):
    """Runs of one node process, which has the package loaded."""

    def __init__(self, heft, package, folder):
        super().__init__("node", heft, None, folder)
        driver = pathlib.Path(__file__).parent / "wasm_driver.mjs"
        self.process = subprocess.Popen(["node", driver, package], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.lock = threading.Lock()

    def there(self, words):
        with self.lock:
            self.process.stdin.write(json.dumps([str(word) for word in words]) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        if not line:
            sys.exit(f"FAILED: node ended at heft {words}")
        got = json.loads(line)
        return got["status"], base64.b64decode(got["out"]), got["err"].encode()

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def lacks():
    for program in ("clang-19", "wasm-ld-19", "ld.lld-19", "llvm-ar-19", "meson", "node", "pkg-config"):
        if not shutil.which(program):
            return f"no {program} (install {NEEDS})"
    for path in ("/usr/lib/wasm32-wasi/libc.a", "/usr/lib/llvm-19/lib/wasm32-wasi/libc++abi.a"):
        if not pathlib.Path(path).exists():
            return f"no {path} (install {NEEDS})"
    return None


def package_make(source, out):
    """Builds the package.  The reason, if the sources of its libraries cannot be had."""
    quick = {} if os.environ.get("FULL") else {"BUILD": str(source / "build-npm-quick"), "OPTIMIZATION": "1"}
    done = subprocess.run([source / "bindings/wasm/build.sh", out], env={**os.environ, **quick, "JOBS": "2"}, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode not in (0, 3):
        sys.exit(f"FAILED: bindings/wasm/build.sh\n{done.stdout[-3000:]}")
    return done.stdout.splitlines()[-1] if done.returncode != 0 else None


def fixtures_make(source, folder):
    """The files of the golden cases that need no compiler; all that heft has to say of odd ones."""
    folder.mkdir()
    for name in ("bundles", "dex", "formats", "go", "kernel", "packed", "pascal"):
        for recipe in glob.glob(str(source / f"tests/fixtures/golden_{name}.*")):
            elsewhere.must([sys.executable if recipe.endswith(".py") else "sh", recipe, folder])
    return sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


# ---- node ----------------------------------------------------------------------------------------


def check_node(heft, package, folder, files, more):
    c = Node(heft, package, folder)
    elsewhere.compare(c, files, True)
    paths = [path.name for some in files.values() for path in some] + more
    for path in paths:
        here = elsewhere.answer([heft], ["size", "--json", "-d", "sections,symbols", "-n", "0", path], folder)
        c.settle([path, "--json"], here, c.there(["size", "--json", "-d", "sections,symbols", "-n", "0", path]), here[0])
    for path in ("/bin/bash", files["PE"][-1].name, files["Mach-O"][-1].name, files["Wasm"][-1].name):
        c.same_file(["report", path], elsewhere.page_read)
    c.same_file(["report", files["ELF"][1].name, "--", files["ELF"][0].name], elsewhere.page_read)
    c.close()
    if len(paths) < FILES:
        sys.exit(f"FAILED: only {len(paths)} files")
    print(f"node: {c.passed} answers the same, of {len(paths)} files")
    return c.failed


def check_install(heft, archive, folder):
    """The package in an empty folder: its program, and ten lines that use its library."""
    empty = folder / "empty"
    empty.mkdir()
    if shutil.which("npm"):
        elsewhere.must(["npm", "install", "--offline", "--no-audit", "--no-fund", "--prefix", empty, archive])
        program = [empty / "node_modules/.bin/heft"]
    else:
        (empty / "node_modules").mkdir()
        elsewhere.must(["tar", "-xzf", archive, "-C", empty / "node_modules"])
        (empty / "node_modules/package").rename(empty / "node_modules/heft")
        program = ["node", empty / "node_modules/heft/heft.mjs"]
    words = ["size", "-d", "symbols", "/bin/ls"]
    (empty / "use.mjs").write_text("""
import { readFile } from 'node:fs/promises';
import { load, HeftError } from 'heft';
const heft = await load(), ls = await readFile('/bin/ls');
const rows = heft.size(ls, { name: 'ls', by: 'sections' }).total;
const diff = heft.diff(ls, await readFile('/bin/cat')).total;
const written = heft.run(['snapshot', 'ls', '-o', 'ls.size'], { files: { ls } }).files['ls.size'];
let error = null;
try { heft.size('no program'); } catch (e) { error = e instanceof HeftError && e.status; }
console.log(JSON.stringify([rows.file, diff.base_charged, written[0], error, heft.report(ls).slice(0, 15)]));
""")
    failed = 0
    if elsewhere.answer([heft], words, folder) != elsewhere.answer(program, words, folder):
        print("FAILED: the installed program says something else")
        failed += 1
    reader, writer = os.pipe()
    os.close(reader)
    unread = subprocess.run([*program, "help"], stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    if (unread.returncode, unread.stderr) != (141, b""):
        print(f"FAILED: output that nobody reads: status {unread.returncode}, {unread.stderr}")
        failed += 1
    size = os.path.getsize("/bin/ls")
    done = subprocess.run(["node", "use.mjs"], cwd=empty, stdout=subprocess.PIPE, text=True, check=True)
    if json.loads(done.stdout) != [size, size, 0x1f, 2, "<!doctype html>"]:
        print(f"FAILED: the library says {done.stdout}")
        failed += 1
    return failed


# ---- chromium ------------------------------------------------------------------------------------


class Page(devtools.Browser):
    """The page that opens a file."""

    def load(self, path):
        self.call("Page.navigate", url=path.as_uri())
        self.until("document.getElementById('choose')?.hidden === false")

    def until(self, condition, seconds=60):
        end = time.time() + seconds
        while not self.run(condition):
            if time.time() > end:
                raise TimeoutError(f"{condition}: {self.run('document.body.innerText.slice(0, 300)')}")
            time.sleep(0.02)

    def choose(self, zone, *paths):
        root = self.call("DOM.getDocument")["root"]["nodeId"]
        node = self.call("DOM.querySelector", nodeId=root, selector="#" + zone)["nodeId"]
        self.call("DOM.setFileInputFiles", nodeId=node, files=[str(path) for path in paths])

    def drop(self, path):
        """Drops a file onto the page, by a script."""
        text = base64.b64encode(path.read_bytes()).decode()
        self.run(f"""{{ const all = new DataTransfer();
            all.items.add(new File([Uint8Array.from(atob("{text}"), c => c.charCodeAt(0))], {json.dumps(path.name)}));
            document.body.dispatchEvent(new DragEvent("drop", {{ dataTransfer: all, bubbles: true, cancelable: true }})); }}""")

    def report(self):
        """The report, or what was said instead."""
        self.until("!document.getElementById('shown').hidden || !document.getElementById('trouble').hidden")
        if self.run("document.getElementById('shown').hidden"):
            return self.run("document.getElementById('trouble').textContent")
        return self.run("heftOpened.text()")

    def frame_sum(self, wanted):
        """What the report in the frame says of its sum, once that begins as wanted: the frame is another target of the browser."""
        own, said, end = self.session, "", time.time() + 20
        while not said.startswith(wanted) and time.time() < end:
            self.session = None
            frames = [t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "iframe"]
            for frame in frames:
                self.session = self.call("Target.attachToTarget", targetId=frame["targetId"], flatten=True)["sessionId"]
                said = self.run("document.querySelector('#sum')?.textContent ?? ''")
            time.sleep(0.05)
        self.session = own
        return said


class Shown:
    """Reports of the page beside those of heft here."""

    def __init__(self, heft, page, folder):
        self.heft, self.page, self.folder, self.failed, self.passed = heft, page, folder, 0, 0

    def same(self, what, got, wanted):
        self.passed += got == wanted
        self.failed += got != wanted
        if got != wanted:
            print(f"FAILED: chromium: {what}:\n  page: {got[:300]!r}\n  heft: {wanted[:300]!r}")

    def same_report(self, words):
        out = self.folder / "here.html"
        done = subprocess.run([self.heft, "report", *words, "-o", out], cwd=self.folder, stderr=subprocess.DEVNULL, check=False)
        if done.returncode != 0:
            sys.exit(f"FAILED: heft report {words}")
        self.same(words, elsewhere.page_read(self.page.report().encode()), elsewhere.page_read(out.read_bytes()))


def check_chromium(heft, source, out, folder, files, more):
    program = devtools.find()
    if not program:
        print("LEFT OUT: the page in a browser: no chromium (install chromium)")
        return 0
    b = Page(program)
    try:
        b.load(next(out.glob("heft-*.html")))
        s = Shown(heft, b, folder)
        dropped = [some[-1] for some in files.values()] + [files["ELF"][0], files["PE"][0], files["Mach-O"][0]]
        for path in dropped:
            b.drop(path)
            s.same_report([path.name])
        check_json(b, s, source, out / "package", [path.name for some in files.values() for path in some] + more)
        check_more(b, s, folder, files["ELF"])
        s.same("requests and errors", f"{b.requests} {b.errors}", "[] []")
        print(f"chromium: {s.passed} reports and answers the same")
        return s.failed
    finally:
        b.close()


def check_json(b, s, source, package, paths):
    """The library in the browser: the same JSON of all files."""
    sys.path.insert(0, str(source / "bindings/wasm"))
    import build_page
    wasm = base64.b64encode((package / "heft.wasm").read_bytes()).decode()
    files = {path: base64.b64encode((s.folder / path).read_bytes()).decode() for path in paths}
    b.run(f"""(async () => {{ {build_page.script_joined("api.mjs", set()).replace("import.meta.url", "location.href")}
        const bytes = text => Uint8Array.from(atob(text), c => c.charCodeAt(0)), heft = await load({{ wasm: bytes("{wasm}") }});
        const files = Object.fromEntries(Object.entries({json.dumps(files)}).map(([name, text]) => [name, bytes(text)]));
        globalThis.heftRun = words => {{ const {{ status, out, err }} = heft.run(words, {{ files }}); return [status, out, err]; }}; }})()""")
    for path in paths:
        words = ["size", "--json", "-d", "sections,symbols", "-n", "0", path]
        here = elsewhere.answer([s.heft], words, s.folder)
        there = b.run(f"heftRun({json.dumps(words)})")
        s.same(words, json.dumps(there), json.dumps([here[0], here[1].decode(errors="replace"), here[2].decode(errors="replace")]))
    print(f"chromium: the JSON of {len(paths)} files")


def check_more(b, s, folder, elf):
    """A base, a debug file, a file that is no program, the button that stops."""
    old, new = elf[0], elf[1]
    (folder / "base").mkdir()
    shutil.copy(old, folder / "base")
    b.run("document.getElementById('again').click(); document.getElementById('more').open = true")
    b.choose("base", old)
    b.choose("program", new)
    b.run("document.getElementById('show').click()")
    s.same_report([new.name, "--", f"base/{old.name}"])
    bare, debug = folder / "bare.so", folder / "bare.debug"
    shared = next(path for path in elf if path.suffix == ".so")
    elsewhere.must(["llvm-objcopy-19", "--only-keep-debug", shared, debug])
    elsewhere.must(["llvm-objcopy-19", "--strip-all", shared, bare])
    b.run("document.getElementById('again').click()")
    b.choose("beside", debug)
    b.choose("program", bare)
    b.run("document.getElementById('show').click()")
    s.same_report([f"--debug-file={debug.name}", bare.name])
    junk = folder / "-junk"
    junk.write_bytes(b"no program at all")
    b.run("document.getElementById('again').click(); document.getElementById('more').open = false")
    b.drop(junk)
    s.same("junk", b.report()[:49], "heft: ./-junk is of no kind that heft knows; heft")
    b.choose("program", "/bin/bash")
    b.run("document.getElementById('stop').click()")
    s.same("stopped", str(b.run("document.getElementById('choose').hidden || document.activeElement.id")), "show")
    b.run("document.getElementById('show').click()")
    s.same("again", b.report()[:15], "<!doctype html>")
    wanted = f"{os.path.getsize('/bin/bash'):,} bytes"
    s.same("the frame", b.frame_sum(wanted)[:len(wanted)], wanted)


def check_large(page):
    """A large program, in node and in chromium: seconds and memory."""
    found = [path for path in glob.glob("/usr/lib/x86_64-linux-gnu/*.so*") if os.path.getsize(path) >= LARGE]
    if not found or not devtools.find():
        print(f"LEFT OUT: a program of {LARGE:,} bytes: there is none (install libclang-cpp14), or no chromium")
        return 0
    path = min(found, key=os.path.getsize)
    b, most, at_work = Page(devtools.find()), 0, True
    try:
        b.load(page)
        start = time.time()
        b.choose("program", path)
        while at_work:
            at_work = not b.run("!document.getElementById('shown').hidden || !document.getElementById('trouble').hidden")
            most = max(most, max(memory_of(b.process.pid)))
        seconds = time.time() - start
        print(f"chromium: {os.path.basename(path)}, {os.path.getsize(path):,} bytes: {seconds:.1f} s, {most >> 20} MiB in its largest process")
        return int(seconds > 10 or most > 1 << 30)
    finally:
        b.close()


def memory_of(browser):
    """Resident bytes of the processes of a browser."""
    rows = subprocess.run(["ps", "-e", "-o", "pid=,ppid=,rss="], stdout=subprocess.PIPE, text=True, check=True).stdout
    all_ = [tuple(map(int, row.split())) for row in rows.splitlines()]
    inside = {browser}
    for _ in range(4):
        inside |= {pid for pid, parent, _ in all_ if parent in inside}
    return [rss << 10 for pid, _, rss in all_ if pid in inside]


def main():
    heft, source = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    os.environ["DEBUGINFOD_URLS"] = ""
    failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        folder, out = pathlib.Path(scratch) / "files", pathlib.Path(scratch) / "out"
        folder.mkdir()
        why = lacks() or package_make(source, out)
        if why:
            print(f"SKIP: {why}")
            return 77
        files = elsewhere.files_make(folder)
        more = [str(path.relative_to(folder)) for path in fixtures_make(source, folder / "golden")]
        failed += check_node(heft, out / "package", folder, files, more + [path for path in INSTALLED if os.path.exists(path)])
        failed += check_install(heft, next(out.glob("heft-*.tgz")), folder)
        failed += check_chromium(heft, source, out, folder, files, more)
        if os.environ.get("FULL"):
            failed += check_large(next(out.glob("heft-*.html")))
    print(f"{failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
