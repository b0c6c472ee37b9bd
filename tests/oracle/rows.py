#!/usr/bin/env python3
"""`heft rows`: both formats say the same, and what `heft size` says; a server that is busy is asked again and a run that was
broken off goes on; workers of share/fleet fill two shards of ClickHouse, whose sums are those of the rows, and the ready-made
questions are answered.

usage: rows.py HEFT
"""
import http.server
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from servers import ask, shards  # noqa: E402

try:
    import yaml
except ImportError:
    yaml = None

FLEET = pathlib.Path(__file__).resolve().parent.parent.parent / "share" / "fleet"
passed = failed = 0


def check(name, good, shown=""):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print(f"FAILED: {name}\n{shown}")


def run(*words, **more):
    return subprocess.run(words, capture_output=True, check=False, **more)


def decode(data, columns):
    """The rows of RowBinary: so many texts, an array of texts, two numbers."""
    at = 0

    def leb():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def text():
        nonlocal at
        size = leb()
        at += size
        return data[at - size : at].decode(errors="replace")

    while at < len(data):
        texts = [text() for _ in range(columns)]
        labels = [text() for _ in range(leb())]
        sizes = [int.from_bytes(data[at + 8 * i : at + 8 * i + 8], "little") for i in range(2)]
        at += 16
        yield (*texts, tuple(labels), *sizes)


def test_formats(heft, files):
    words = (heft, "rows", "-d", "sections,symbols", "--tag", "package=p", *files)
    lines = [json.loads(line) for line in run(*words).stdout.splitlines()]
    binary = list(decode(run(*words, "--format=rowbinary").stdout, 3))
    told = [(r["package"], r["program"], r["build_id"], tuple(r["labels"]), r["file"], r["vm"]) for r in lines]
    check("both formats have the same rows", told == binary and len(told) > 100, f"{len(told)} {len(binary)}")
    for file in files:
        total = json.loads(run(heft, "size", "--json", file).stdout)["total"]
        sums = [sum(r[m] for r in lines if r["program"] == str(file)) for m in ("file", "vm")]
        check(f"rows of {file} add up", sums == [total["file"], total["vm"]], f"{sums} {total['file']}")


class Server(http.server.BaseHTTPRequestHandler):
    """Takes rows; says that it is busy at first, and is gone after so many requests."""

    rows, answers = [], []

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        status = self.answers.pop(0) if self.answers else 200
        if status == 200:
            self.rows.append((self.path, body))
        self.send_response(status)
        self.send_header("Content-Length", "9")
        self.end_headers()
        self.wfile.write(b"so it is\n")

    def log_message(self, *_):
        pass


def test_server(heft, files, tmp):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url, listed = f"http://127.0.0.1:{server.server_port}/in?secret=1", f"{tmp}/done"
    words = (heft, "rows", "--to", url, "--done", listed)
    Server.answers[:] = [503]
    done = run(*words, files[0])
    check("a busy server is asked again", done.returncode == 0 and len(Server.rows) == 1, done.stderr)
    Server.answers[:] = [400]
    done = run(*words, *files)
    check("one that refuses is told", done.returncode == 2 and b"400: so it is" in done.stderr and b"secret" not in done.stderr,
          done.stderr)
    done = run(*words, *files)
    programs = [json.loads(line)["program"] for _, body in Server.rows for line in body.splitlines()]
    check("a run goes on behind what was taken", b"1 done before" in done.stderr and set(programs) == set(map(str, files)),
          done.stderr)
    check("no row came twice", len(Server.rows) == 2 and not Server.rows[1][1].count(str(files[0]).encode() + b'"'))
    done = run(*words, *files)
    check("nothing is left to do", len(Server.rows) == 2 and b"0 files measured" in done.stderr, done.stderr)
    test_large_file(heft, files[1], url, tmp)
    server.shutdown()


def test_large_file(heft, file, url, tmp):
    """Rows of one file that are too many for a request come in several, each of whole rows."""
    tag, listed = "x" * 100000, pathlib.Path(tmp, "done-large")
    words = (heft, "rows", "-d", "sections,symbols", f"--tag=t={tag}", "--to", url, "--done", listed, file)
    wanted = run(heft, "rows", "-d", "sections,symbols", f"--tag=t={tag}", file).stdout
    Server.rows.clear()
    Server.answers[:] = [200, 400]
    done = run(*words)
    check("a refused part of a file is told once", done.returncode == 2 and done.stderr.count(b"400: so it is") == 1 and
          not listed.exists() and len(Server.rows) == 1, done.stderr)
    Server.rows.clear()
    done = run(*words)
    bodies = [body for _, body in Server.rows]
    check("a large file has several requests", done.returncode == 0 and len(bodies) > 1 and max(map(len, bodies)) < 5 << 20,
          f"{done.stderr} {list(map(len, bodies))}")
    check("each of whole rows, all of them", all(body.endswith(b"}\n") for body in bodies) and b"".join(bodies) == wanted)
    check("the list has it at the end", listed.read_text().count(str(file)) == 1)
    Server.rows.clear()
    run(*words[:-3], "--format=rowbinary", file)
    rows = [row for _, body in Server.rows for row in decode(body, 3)]
    check("so has RowBinary", len(Server.rows) > 1 and len(rows) == wanted.count(b"\n") and {row[0] for row in rows} == {tag},
          f"{len(Server.rows)} {len(rows)}")


# ---- ClickHouse -----------------------------------------------------------------------------------------------------

def statements(path):
    text = "\n".join(line for line in path.read_text().splitlines() if not line.startswith("--"))
    return [s.strip() for s in text.split(";") if s.strip()]


PACKAGES = [(release, package) for release in ("11", "12") for package in ("one", "two")]


def is_spread(port, folder):
    """Whether the programs of such a folder go to both shards: the hash of package and path says to which."""
    hashes = {ask(port, f"SELECT cityHash64('{package}', '{folder}/{release}/{package}/lib{package}.so') % 2")[0][0]
              for release, package in PACKAGES}
    return len(hashes) == 2


def make_packages(tmp):
    """Two packages in two releases, with what the questions are about."""
    source = pathlib.Path(tmp).parent / "p.cc"
    common = "extern \"C\" int puts(const char *);\nextern \"C\" int copied(int n) { int s = 0; " + "s += n * s; puts(\"x\"); " * 200 + \
             "return s; }\nstruct B { virtual ~B() {} }; struct D : B {};\nB *make() { return new D; }\n"
    for release, size in (("11", 1000), ("12", 5000)):
        for package in ("one", "two"):
            folder = pathlib.Path(tmp, release, package)
            folder.mkdir(parents=True)
            source.write_text(common + f"int table_{package}[{size}] = {{ 1 }};\n")
            flags = ["-O1", "-fPIC", "-shared", "-Wl,--hash-style=both"]
            subprocess.run(["g++", *flags, str(source), "-o", str(folder / f"lib{package}.so")], check=True)
            (folder / "readme").write_text("no program\n" * 1000)
    return pathlib.Path(tmp)


def by_xargs(mine, env, _):
    return run("xargs", "-P", "2", "-n", "1", FLEET / "worker.sh", input="\n".join(map(str, mine)).encode(), env=env)


def by_make(mine, env, _):
    return run("make", "-s", "-f", FLEET / "Makefile", *(f"measure-{folder.name}" for folder in mine), env=env)


def by_slurm(_, env, node):
    """A task of an array of two, as sbatch --array=0-1 starts it."""
    array = {"SLURM_ARRAY_TASK_ID": str(node), "SLURM_ARRAY_TASK_MIN": "0", "SLURM_ARRAY_TASK_COUNT": "2"}
    return run("sh", FLEET / "slurm.sh", env=env | array)


def by_kubernetes(_, env, node):
    """A pod of the Job: its own command and variables, but for where things are."""
    job = yaml.safe_load((FLEET / "kubernetes.yml").read_text())
    pod = job["spec"]["template"]["spec"]["containers"][0]
    check("a Job of as many pods as its workers think", job["spec"]["completions"] == job["spec"]["parallelism"] and
          str(job["spec"]["completions"]) == {e["name"]: e["value"] for e in pod["env"]}["SLURM_ARRAY_TASK_COUNT"])
    check("its volumes are there", {v["name"] for v in pod["volumeMounts"]} == {v["name"] for v in job["spec"]["template"]["spec"]["volumes"]})
    own = {e["name"]: e["value"] for e in pod["env"]}
    words = [word.replace("/usr/share/heft/fleet", str(FLEET)) for word in pod["command"]]
    here = {"HEFT_WORKER": str(FLEET / "worker.sh"), "SLURM_ARRAY_TASK_COUNT": "2", "JOB_COMPLETION_INDEX": str(node)}
    return run(*words, env=own | env | here)


def fill(name, way, heft, packages, ports):
    """Both releases, on two nodes, of which each has a shard."""
    for port in ports:
        ask(port, "DROP DATABASE IF EXISTS heft")
    for port in ports:
        for statement in statements(FLEET / "schema.sql"):
            ask(port, statement)
    for release in ("11", "12"):
        folders = sorted((packages / release).iterdir())
        for node, port in enumerate(ports):
            env = os.environ | {"HEFT": heft, "HEFT_TO": f"clickhouse://127.0.0.1:{port}/heft", "HEFT_RELEASE": release,
                                "HEFT_DONE": str(packages.parent / f"done-{name}"), "PACKAGES": str(packages / release)}
            done = way(folders[node::2], env, node)
            check(f"{name}, node {node}", done.returncode == 0 and b"measured" in done.stderr, done.stderr)


def check_rows(name, heft, packages, ports):
    for table, sources in (("sections", "sections"), ("rows", "sections,rawsymbols")):
        wanted = sum(len(run(heft, "rows", "-d", sources, str(f)).stdout.splitlines()) for f in packages.glob("*/*/*.so"))
        counts = [int(ask(port, f"SELECT count() FROM heft.{table}_local")[0][0]) for port in ports]
        check(f"{name}: both shards hold {table}, each row once", sum(counts) == wanted and min(counts) > 0, f"{counts} {wanted}")
        check(f"{name}: a shard answers for both", int(ask(ports[1], f"SELECT count() FROM heft.{table}")[0][0]) == wanted)
        sums = {program: int(size) for program, size in ask(ports[0], f"SELECT program, sum(file) FROM heft.{table} GROUP BY program")}
        check(f"{name}: programs add up", all(sums[p] == os.path.getsize(p) for p in sums) and len(sums) == 4, sums)


def test_questions(port):
    answers = [ask(port, question) for question in statements(FLEET / "questions.sql")]
    check("there are six questions", len(answers) == 6)
    check("duplicated code is found", any(row[0] == "copied" and row[2:4] == ["2", "4"] for row in answers[0]), answers[0])
    check("growth is found", len(answers[1]) == 2 and all(15000 < int(row[3]) < 17000 for row in answers[1]), answers[1])
    check("no library is linked statically", answers[2] == [], answers[2])
    check("RELA is found", len(answers[3]) == 2 and all(int(row[2]) > 0 for row in answers[3]), answers[3])
    check("RTTI is found", len(answers[4]) == 2 and all(int(row[1]) >= 4 for row in answers[4]), answers[4])
    check("two hash tables are found", len(answers[5]) == 2, answers[5])


def test_clickhouse(heft, tmp):
    server = shutil.which("clickhouse-server") or shutil.which("/usr/sbin/clickhouse-server")
    if not server:
        print("LEFT OUT: two shards of ClickHouse: no clickhouse-server (install clickhouse-server)")
        return
    ways = {"xargs": by_xargs, "make": by_make, "slurm": by_slurm, "kubernetes": by_kubernetes}
    if not shutil.which("make"):
        print("LEFT OUT: workers by make: no make")
        del ways["make"]
    if not yaml:
        print("LEFT OUT: workers by the Job for Kubernetes: no module yaml (install python3-yaml)")
        del ways["kubernetes"]
    with shards(server, tmp) as ports:
        packages = make_packages(next(folder for folder in (f"{tmp}/packages{i}" for i in range(64)) if is_spread(ports[0], folder)))
        for name, way in ways.items():
            fill(name, way, heft, packages, ports)
            check_rows(name, heft, packages, ports)
        test_questions(ports[0])


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.split("\n\n")[1])
    heft = str(pathlib.Path(sys.argv[1]).resolve())
    if b"without libcurl" in run(heft, "rows", "--to", "http://127.0.0.1:1/", "/bin/sh").stderr:
        print("SKIP: heft was built without libcurl (install libcurl4-openssl-dev)")
        sys.exit(77)
    files = [heft, "/bin/ls", "/bin/sh"]
    with tempfile.TemporaryDirectory() as tmp:
        test_formats(heft, files)
        test_server(heft, files, tmp)
        test_clickhouse(heft, tmp)
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0 or passed < 9)


main()
