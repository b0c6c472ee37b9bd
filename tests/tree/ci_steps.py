#!/usr/bin/env python3
"""The templates of share/ci: they are sound YAML with no surprises, and their steps, taken out of them as they stand, do
what they promise in a repository of their own against a forge on loopback: install, onboard, measure, keep, post, replace,
take away, fail on a broken limit, and both stages for a fork.

usage: tests/tree/ci_steps.py HEFT
"""
import gzip
import hashlib
import http.server
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import urllib.parse

CI = pathlib.Path(__file__).resolve().parent.parent.parent / "share" / "ci"
MARKER = "<!-- heft comment: app -->"
PROGRAM = "int table[%d] = { 1 };\nint main(void)\n{\n\treturn table[1];\n}\n"
passed = failed = 0


def check(name, good, shown=""):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print(f"FAILED: {name}\n{shown}")


def need(program, package):
    if not shutil.which(program):
        print(f"SKIP: no {program} (install {package})")
        sys.exit(77)


# ---- the forge ------------------------------------------------------------------------------------------------------


class Forge(http.server.BaseHTTPRequestHandler):
    """Comments of one pull request, as GitHub and GitLab answer about them."""

    comments, calls, me = {}, [], "github-actions[bot]"

    def answer(self):
        path = urllib.parse.urlsplit(self.path)
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.calls.append((self.command, path.path))
        query = urllib.parse.parse_qs(path.query)
        good = "secret" in (self.headers.get("Authorization") or self.headers.get("PRIVATE-TOKEN") or "")
        result = self.act(path.path, query, json.loads(body) if body else None) if good else None
        text = json.dumps(result).encode()
        self.send_response(401 if not good else 404 if result is None else 200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = answer

    def act(self, path, query, body):
        if path.endswith("/user"):
            return {"id": self.me}
        if path == "/repos/o/r/pulls":
            other, own = {"number": 8, "head": {"sha": "other"}}, {"number": 7, "head": {"sha": query["head"][0][2:]}}
            return [other, own]
        found = re.fullmatch(r"/repos/o/r/issues/comments/(\d+)|/projects/5/merge_requests/7/notes/(\d+)", path)
        if found:
            number = int(found[1] or found[2])
            if self.command == "DELETE":
                return self.comments.pop(number) and {}
            self.comments[number]["body"] = body["body"]
            return {}
        if path not in ("/repos/o/r/issues/7/comments", "/projects/5/merge_requests/7/notes"):
            return None
        if self.command == "GET":
            start = (int(query["page"][0]) - 1) * 100
            return list(self.comments.values())[start : start + 100]
        self.add(body["body"], self.me)
        return {}

    @classmethod
    def add(cls, body, who):
        number = max(cls.comments, default=0) + 1
        cls.comments[number] = {"id": number, "body": body, "user": {"login": who}, "author": {"id": who}}

    @classmethod
    def ours(cls):
        return [c["body"] for c in cls.comments.values() if c["body"].startswith(MARKER) and c["user"]["login"] == cls.me]

    def log_message(self, *_):
        pass


# ---- steps ----------------------------------------------------------------------------------------------------------


def value_of(expression, context):
    """An expression of GitHub: names, 'texts', ==, !=, !, && and ||."""
    def term(text):
        text = text.strip()
        if text.startswith("!"):
            return not term(text[1:])
        for operator in ("==", "!="):
            if operator in text:
                left, right = (term(part) for part in text.split(operator))
                return (left == right) is (operator == "==")
        return text[1:-1] if text.startswith("'") else context.get(text, "")

    for alternative in expression.split("||"):
        value = True
        for part in alternative.split("&&"):
            value = term(part) if value else value
        if value:
            return value
    return value


def fill(text, context):
    return re.sub(r"\$\{\{(.*?)\}\}", lambda m: str(value_of(m[1], context) or ""), text)


def run_action(action, inputs, context, env):
    """The steps of the composite action, each as the runner starts it, up to one that fails; stderr is that of all."""
    defaults = {f"inputs.{n}": fill(str(i.get("default", "")), context) for n, i in action["inputs"].items()}
    context = context | defaults | {f"inputs.{n}": v for n, v in inputs.items()}
    said = ""
    for step in action["runs"]["steps"]:
        if value_of(step.get("if", "'yes'"), context):
            told = {n: fill(v, context) for n, v in step["env"].items()}
            done = shell(["bash", "-eo", "pipefail", "-c", step["run"]], env | told)
            done.stderr = said = said + done.stderr
            if done.returncode:
                break
    return done


def shell(command, env, **more):
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False, **more)


def git(*words, **more):
    return subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@localhost", *words], check=True,
                          capture_output=True, text=True, **more).stdout.strip()


def commit(ints):
    pathlib.Path("app.c").write_text(PROGRAM % ints)
    git("add", "app.c")
    git("commit", "-qm", f"{ints} numbers")
    return git("rev-parse", "HEAD")


# ---- tests ----------------------------------------------------------------------------------------------------------


def judge_files(yaml, action):
    for path in sorted(CI.glob("*.yml")):
        text = path.read_text()
        check(f"{path.name} is YAML", isinstance(yaml.safe_load(text), dict))
        check(f"{path.name} runs nothing that a stranger wrote", not re.search(r"run: .*\$\{\{", text))
    used = set(re.findall(r"inputs\.([a-z0-9-]+)", (CI / "action.yml").read_text()))
    check("every input is used, and declared", used == set(action["inputs"]), used ^ set(action["inputs"]))
    for step in action["runs"]["steps"]:
        check(f"step {step['name']} has nothing filled in", "${{" not in step["run"] and step["shell"] == "bash")
    for name in ("size.yml", "size-comment.yml"):
        for job in yaml.safe_load((CI / name).read_text())["jobs"].values():
            for step in job["steps"]:
                if "heft/share/ci" in step["uses"]:
                    check(f"{name} gives inputs there are", set(step["with"]) <= set(action["inputs"]))
    if shutil.which("yamllint"):
        rules = ("{extends: default, rules: {line-length: {max: 125}, document-start: disable, comments-indentation: disable,"
                 " truthy: {check-keys: false}}}")
        done = shell(["yamllint", "-d", rules, str(CI)], os.environ)
        check("yamllint", done.returncode == 0, done.stdout)
    else:
        print("LEFT OUT: style of YAML: no yamllint (install yamllint)")


def github(action, env, first, second):
    def run(stage, head, **more):
        git("checkout", "-q", head)
        context = {"github.token": "secret", "github.event.pull_request.base.sha": first,
                   "github.event.pull_request.number": "7"} | more.pop("context", {})
        inputs = {"stage": stage, "program": "app", "build": "cc -g -o app app.c", "heft": env["HEFT"]} | more
        return run_action(action, inputs, context, env)

    store = f"{env['HOME']}/kept.db"
    done = run("keep", first, store=store, context={"github.event.pull_request.base.sha": ""})
    kept = git("ls-tree", "-r", "--name-only", "heft-sizes", cwd=env["ORIGIN"]).split()
    check("sizes are kept on the branch", kept == [f"app/{first}.size", "app/log"], f"{kept}\n{done.stderr}")
    log = shell([env["HEFT"], "history", "log", "--store", store, "--csv"], env).stdout
    check("keep adds to a history", log.count("\n") == 2 and f",{first[:12]}," in log, f"{log}\n{done.stderr}")
    for _ in range(120):
        Forge.add("chatter", "somebody")
    Forge.add(MARKER + "\nnot by us", "somebody")
    done = run("review", second)
    check("a pull request is commented", done.returncode == 0 and len(Forge.ours()) == 1, done.stderr)
    check("the base comes from the branch", f"{first} is on the branch" in done.stderr, done.stderr)
    check("the comment tells the growth", "+4000 |" in Forge.ours()[0] and "`table`" in Forge.ours()[0], Forge.ours())
    own = Forge.ours()[0].partition("By package")[2]
    check("the program's own code is named after it", "`app`" in own and "heft-tree" not in own, Forge.ours())
    check("its course is that of the branch", "| ▁█ |" in Forge.ours()[0], Forge.ours())
    done = run("review", second, store=store, branch="")
    check("or that of the history", done.returncode == 0 and "| ▁█ |" in Forge.ours()[0], Forge.ours())
    third = commit(2500)
    pathlib.Path("limits.txt").write_text("section .data growth 1 KiB\n")
    done = run("review", third, budget="limits.txt")
    check("a broken limit fails the job", done.returncode == 1, done.stderr)
    check("the comment is replaced", len(Forge.ours()) == 1 and "**1 of 1 limits broken**" in Forge.ours()[0], Forge.ours())
    git("checkout", "-q", first)
    git("commit", "-q", "--allow-empty", "-m", "nothing")
    done = run("review", git("rev-parse", "HEAD"))
    check("what has nothing to say is taken away", done.returncode == 0 and Forge.ours() == [], done.stderr)
    check("comments of others stay", len(Forge.comments) == 121)
    Forge.calls.clear()
    done = run("review", second, branch="", context={"github.event.pull_request.head.repo.fork": True})
    check("a fork posts nothing", done.returncode == 0 and not Forge.calls and MARKER in done.stdout, done.stderr)
    check("without a branch the base is built", f"{first} measured" in done.stderr, done.stderr)
    fork = {"github.event.pull_request.base.sha": "", "github.event.pull_request.number": "",
            "github.event.workflow_run.head_repository.owner.login": "u", "github.event.workflow_run.head_branch": second,
            "github.event.workflow_run.head_sha": second}
    done = run("comment", first, context=fork)
    check("the second stage posts what the fork measured", len(Forge.ours()) == 1, done.stderr)
    distrust(lambda **more: run("comment", first, context=fork, **more), env)
    done = run("review", second, token="wrong")
    check("a token that is refused is told", done.returncode == 1 and "401" in done.stderr and "wrong" not in done.stderr,
          done.stderr)


HOSTILE = "@someone [x](https://e.invalid) ![t](https://e.invalid/t) ``|` <img src=x> #1 \\| &lt;b> https://e.invalid"


def without_code(text):
    """What of a comment is no code span, in which nothing is a mention, a link, an image or HTML."""
    return re.sub(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", "CODE", text)


def distrust(second_stage, env):
    """What the fork's job left: a text of its own, sizes that are none, links to files of this job, names that are markup."""
    sizes = {name: pathlib.Path("heft-sizes", name + ".size").read_bytes() for name in ("base", "head")}
    secret = pathlib.Path(env["HOME"], "secret")
    secret.write_text("secret of this job")
    before = Forge.ours()

    def left(name, head, **more):
        shutil.rmtree("heft-sizes")
        os.mkdir("heft-sizes")
        pathlib.Path("heft-sizes/base.size").write_bytes(sizes["base"])
        pathlib.Path("heft-sizes/comment.md").write_text(f"{MARKER}\n{HOSTILE}\n")
        pathlib.Path("heft-sizes/history.db").write_text("no history")
        head(pathlib.Path("heft-sizes/head.size"))
        done = second_stage(**more)
        check(name, secret.read_text() == "secret of this job" and "@someone" not in without_code("".join(Forge.ours())),
              f"{done.stderr}\n{Forge.ours()}")
        return done

    done = left("a forged text is not posted", lambda path: path.write_bytes(b"no sizes"))
    check("sizes that are none fail the stage", done.returncode == 2 and Forge.ours() == before, done.stderr)
    left("sizes elsewhere are not read", lambda path: path.symlink_to(secret))
    check("and nothing is posted", Forge.ours() == before, Forge.ours())
    text = gzip.decompress(sizes["head"]).replace(b"table\n", f"{HOSTILE}\n".encode())
    left("names are no markup", lambda path: path.write_bytes(gzip.compress(text)))
    body = without_code("".join(Forge.ours()))
    check("they are in the comment", "@someone" in "".join(Forge.ours()), Forge.ours())
    check("as code", not re.search(r"@someone|e\.invalid|<img|!\[", body) and body.count("|") > 10, Forge.ours())
    near = gzip.decompress(sizes["head"]).replace(b".eh_frame_hdr", b"@someone_a[b]")
    pathlib.Path("limits.txt").write_text("section @someone_a[c] max 1 KiB\n")
    left("a name that is near is no markup", lambda path: path.write_bytes(gzip.compress(near)), budget="limits.txt")
    check("it is named", "did you mean `@someone" in "".join(Forge.ours()), Forge.ours())
    long = text.replace(HOSTILE.encode(), HOSTILE.encode() * 1000)
    left("long names are cut", lambda path: path.write_bytes(gzip.compress(long)))
    check("the comment is short", len("".join(Forge.ours())) < 20000, len("".join(Forge.ours())))


def installs(action, env, head):
    """A machine without heft: the release is fetched, or the job fails before it builds."""
    bare = env | {"HEFT": "heft",
                  "PATH": ":".join(p for p in env["PATH"].split(":") if not pathlib.Path(p, "heft").exists())}
    folder = pathlib.Path(env["HOME"], "heft-1.0.0-linux-x86_64")
    folder.mkdir()
    pathlib.Path(folder, "heft").write_text(f"#!/bin/sh\nexec '{env['HEFT']}' \"$@\"\n")
    pathlib.Path(folder, "heft").chmod(0o755)
    archive = pathlib.Path(env["HOME"], "heft.tar.xz")
    subprocess.run(["tar", "-C", env["HOME"], "-cJf", archive, folder.name], check=True)
    good = hashlib.sha256(archive.read_bytes()).hexdigest()
    git("checkout", "-q", head)

    def run(**more):
        built = pathlib.Path(env["HOME"], "built")
        built.unlink(missing_ok=True)
        inputs = {"stage": "review", "program": "app", "build": f"touch {built}; cc -o app app.c", "token": ""} | more
        context = {"github.event.pull_request.base.sha": head}
        done = run_action(action, inputs, context, bare)
        return done, built.exists()

    done, built = run()
    check("a job without heft fails before the build", done.returncode == 2 and not built and "no heft" in done.stderr,
          done.stderr)
    done, built = run(release=archive.as_uri(), sha256="0" * 64)
    check("another checksum fails before the build", done.returncode == 2 and not built and good in done.stderr, done.stderr)
    done, built = run(release=archive.as_uri() + ".gone", sha256=good)
    check("an archive that is not there fails before the build", done.returncode == 2 and not built and "cannot fetch"
          in done.stderr, done.stderr)
    done, built = run(release=archive.as_uri(), sha256=good)
    check("the release is fetched and used", done.returncode == 0 and built and f"{head} measured" in done.stderr,
          done.stderr)
    shutil.rmtree(f"{env['RUNNER_TEMP']}/heft-release")


def onboards(action, env):
    """The first day: the sizes of the last commits, without the one that does not build."""
    git("checkout", "-q", "-B", "past", "HEAD")
    good = [commit(3000)]
    pathlib.Path("app.c").write_text("no C\n")
    git("commit", "-qam", "broken")
    broken = git("rev-parse", "HEAD")
    good += [commit(3100), commit(3200)]
    inputs = {"stage": "onboard", "program": "app", "build": "cc -o app app.c", "heft": env["HEFT"], "commits": "4",
              "branch": "first-day"}
    for again in ("", " once more"):
        done = run_action(action, inputs, {"github.token": "secret"}, env)
        log = git("show", "first-day:app/log", cwd=env["ORIGIN"]).split()
        check(f"the last commits are kept in their order{again}", done.returncode == 0 and log == good, done.stderr)
        check(f"one that does not build is told{again}", f"{broken} is left out" in done.stderr, done.stderr)
    check("what is kept is not built again", not any(f"{sha} measured" in done.stderr for sha in good), done.stderr)


def many_keep(env, commits):
    """Ten jobs at once: nothing is lost, and what is too old goes."""
    jobs = []
    for number, sha in enumerate(commits):
        clone = f"{env['HOME']}/clone{number}"
        git("clone", "-q", env["ORIGIN"], clone)
        git("checkout", "-q", sha, cwd=clone)
        pathlib.Path(clone, "heft-sizes").mkdir()
        shutil.copy("heft-sizes/head.size", f"{clone}/heft-sizes/head.size")
        told = env | {"HEFT_PROGRAM": "app", "HEFT_BRANCH": "heft-sizes"}
        jobs.append(subprocess.Popen([CI / "heft-ci.sh", "keep"], cwd=clone, env=told, stderr=subprocess.DEVNULL))
    check("all of them end well", all(job.wait() == 0 for job in jobs))
    log = git("show", "heft-sizes:app/log", cwd=env["ORIGIN"]).split()
    check("sizes of all of them are kept", set(commits) <= set(log) and len(log) == len(set(log)), log)
    told = env | {"HEFT_PROGRAM": "app", "HEFT_BRANCH": "heft-sizes", "HEFT_KEEP": "2"}
    shell([CI / "heft-ci.sh", "keep"], told)
    names = git("ls-tree", "-r", "--name-only", "heft-sizes", cwd=env["ORIGIN"]).split()
    check("what is too old goes", len(names) == 3, names)


def gitlab(yaml, env, first, second):
    jobs = yaml.safe_load((CI / "gitlab.yml").read_text())
    Forge.comments.clear()
    Forge.me = 42

    def run(name, **more):
        job = jobs[name]
        told = {n: v for n, v in (jobs[".heft"]["variables"] | job.get("variables", {})).items() if v[0] != "$"}
        for line in jobs[".heft"]["before_script"] + job["script"]:
            done = shell(["bash", "-ec", line], env | told | {"HEFT_CI": str(CI), "HEFT_PROGRAM": "app"} | more)
            if done.returncode:
                return done
        return done

    git("checkout", "-q", second)
    done = run("heft measure", HEFT_BUILD="cc -o app app.c", HEFT_BASE=first)
    check("GitLab measures and shows", done.returncode == 0 and MARKER in done.stdout, done.stderr)
    for _ in range(2):
        done = run("heft comment", HEFT_TOKEN="secret")
        check("GitLab has one comment", len(Forge.ours()) == 1, done.stderr)
    check("it is posted once, then replaced", [c for c, _ in Forge.calls if c in ("POST", "PUT")][-2:] == ["POST", "PUT"])


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.split("\n\n")[1])
    need("git", "git")
    need("cc", "gcc")
    try:
        import yaml
    except ImportError:
        print("SKIP: no yaml for Python (install python3-yaml)")
        sys.exit(77)
    action = yaml.safe_load((CI / "action.yml").read_text())
    judge_files(yaml, action)
    heft = str(pathlib.Path(sys.argv[1]).resolve())
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Forge)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as tmp:
        url = f"http://127.0.0.1:{server.server_port}"
        env = {"PATH": os.environ["PATH"], "HOME": tmp, "HEFT": heft, "ORIGIN": f"{tmp}/origin", "GITHUB_ACTION_PATH": str(CI),
               "GITHUB_API_URL": url, "GITHUB_REPOSITORY": "o/r", "CI_API_V4_URL": url, "CI_PROJECT_ID": "5",
               "CI_MERGE_REQUEST_IID": "7", "RUNNER_TEMP": tmp, "GIT_CONFIG_NOSYSTEM": "1"}
        os.environ.update(HOME=tmp, GIT_CONFIG_NOSYSTEM="1")
        git("init", "-q", "--bare", env["ORIGIN"])
        git("clone", "-q", env["ORIGIN"], f"{tmp}/repo")
        os.chdir(f"{tmp}/repo")
        first, second = commit(1000), commit(2000)
        git("push", "-q", "origin", "HEAD:refs/heads/main")
        need("curl", "curl")
        installs(action, env, second)
        github(action, env, first, second)
        git("checkout", "-q", "-B", "more", second)
        more = [commit(2001 + i) for i in range(10)]
        git("push", "-q", "origin", "more")
        many_keep(env, more)
        gitlab(yaml, env, first, second)
        onboards(action, env)
    server.shutdown()
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0 or passed < 30)


main()
