#!/usr/bin/env python3
"""Runs docs/tutorials/*.md and docs/diet.md as a reader would: all ```sh blocks of a page in order, in one shell and a fresh folder.

A command that fails fails the page.  Below a block stands an excerpt of its output: each line is looked for in what the
block printed, by its words, without numbers, paths and margins.  Debian 12 made the excerpts; with other compilers half
of the lines of an excerpt are enough.

A comment before a block says where it does not run: <!-- not run: REASON --> or <!-- run if: COMMAND -->.

usage: tests/tree/tutorials.py [--show] HEFT SOURCE [PAGE...]      --show prints what each block printed
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# Programs that a page cannot do without.
NEEDS = {
    "app": ["g++", "git", "make", "python3"],
    "firmware": ["arm-none-eabi-gcc"],
    "server": ["g++", "gcore", "pgrep"],
    "performance": ["clang-19", "ld.lld-19"],
    "library": ["g++", "strip", "ar"],
    "packager": ["gcc", "dpkg-deb", "objcopy"],
    "diet": ["g++", "ninja", "python3"],
}
COMMANDS_LEAST, LINES_MOST, EXCERPT_MOST, SECONDS_MOST = 6, 120, 8, 120
NUMBER = re.compile(r"[-+x~]?(0x[0-9a-f]+|[\d.,:/-]*\d[\d.,:/-]*)([KMG]i?B?|B|s|ms)?%?[,;)]*")


def blocks_of(text):
    """Yields [language, body, comment before it] of the fenced blocks."""
    comment = ""
    for part in re.finditer(r"(?ms)^```(\w*)\n(.*?)^```$|^<!-- (.*?) -->$", text):
        if part[3] is not None:
            comment = part[3]
        else:
            yield part[1], part[2], comment
            comment = ""


def words_of(line):
    words = [re.sub(r"\bsub_[0-9a-f]+", "sub_", word) for word in line.split()]
    words = [word.rsplit("/", 1)[-1] for word in words]
    return [word for word in words if word and not NUMBER.fullmatch(word) and not re.fullmatch(r"[-=|.:#▁-█]+", word)]


def is_within(words, line):
    """The words are in the line, in this order; one that ends in '..' was cut."""
    rest = iter(words_of(line))
    return all(any(w.startswith(word[:-2]) if word.endswith("..") else w == word for w in rest) for word in words)


def missing_lines(excerpt, said):
    """Lines of an excerpt that the output lacks, and how many were looked for."""
    lines = [line for line in excerpt.splitlines() if words_of(line)]
    said = said.splitlines()
    return [line for line in lines if not any(is_within(words_of(line), other) for other in said)], len(lines)


def is_excerpts_machine():
    try:
        return "VERSION_CODENAME=bookworm" in pathlib.Path("/etc/os-release").read_text()
    except OSError:
        return False


def is_run(comment, folder, env):
    if comment.startswith("run if: "):
        return subprocess.run(comment[len("run if: "):], shell=True, cwd=folder, env=env, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0
    return not comment.startswith("not run: ")


class Page:
    def __init__(self, path, heft, source, folder):
        self.path, self.folder, self.faults = path, folder, []
        self.blocks = list(blocks_of(path.read_text()))
        (folder / "heft").symlink_to(source)
        self.env = {**os.environ, "HOME": str(folder), "PATH": f"{heft.parent}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8",
                    "DEBUGINFOD_URLS": "", "COLUMNS": "200", "GIT_CONFIG_GLOBAL": "/dev/null",
                    "GIT_AUTHOR_NAME": "n", "GIT_AUTHOR_EMAIL": "e@e", "GIT_COMMITTER_NAME": "n", "GIT_COMMITTER_EMAIL": "e@e"}

    def form(self):
        lines = self.path.read_text().count("\n")
        if lines > LINES_MOST:
            self.faults.append(f"{lines} lines, more than {LINES_MOST}")
        for language, body, _ in self.blocks:
            if language == "" and body.count("\n") > EXCERPT_MOST:
                self.faults.append(f"an excerpt of more than {EXCERPT_MOST} lines:\n{body}")
        commands = sum(len(re.findall(r"\bheft ", body)) for language, body, _ in self.blocks if language == "sh")
        if commands < COMMANDS_LEAST:
            self.faults.append(f"{commands} commands, less than {COMMANDS_LEAST}")

    def run(self):
        """Runs the blocks; returns {number of the block: what it printed}."""
        script, runs = "set -eu\n", []
        for i, (language, body, comment) in enumerate(self.blocks):
            if language == "sh" and is_run(comment, self.folder, self.env):
                runs.append(i)
                script += f"{{\n:\n{body}}} >'{self.folder}/said.{i}' 2>&1\n"
        try:
            done = subprocess.run(["sh"], input=script, text=True, cwd=self.folder, env=self.env, check=False,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS_MOST * (10 if os.environ.get("FULL") else 1))
            why = f"status {done.returncode} {done.stdout}" if done.returncode else ""
        except subprocess.TimeoutExpired:
            why = f"took more than {SECONDS_MOST} s"
        said = {i: (self.folder / f"said.{i}").read_text(errors="replace") for i in runs if (self.folder / f"said.{i}").exists()}
        if why:
            last = max(said, default=0)
            self.faults.append(f"{why}: {self.blocks[last][1]}printed\n{said.get(last, '')[-2000:]}")
        return said

    def compare(self, said):
        looked, strict = 0, is_excerpts_machine()
        for i, (language, body, _) in enumerate(self.blocks):
            if language or i - 1 not in said:
                continue
            lacks, count = missing_lines(body, said[i - 1])
            looked += count
            # What runs on some machines only, samples of perf, is not the same twice.
            exact = strict and not self.blocks[i - 1][2]
            if len(lacks) > (0 if exact else count // 2):
                self.faults.append("not printed any more:\n" + "\n".join(lacks) + "\nbut\n" + said[i - 1][-3000:])
        return looked


def page_tried(path, heft, source, show):
    """Tries a page; returns how many lines it compared, None: the page was skipped."""
    lacks = [tool for tool in NEEDS[path.stem] if not shutil.which(tool)]
    if lacks:
        print(f"SKIPPED: {path.name}: no {', '.join(lacks)}")
        return None, []
    with tempfile.TemporaryDirectory() as folder:
        page = Page(path, heft, source, pathlib.Path(folder).resolve())
        page.form()
        said = page.run()
        looked = page.compare(said)
        for i, text in said.items() if show else ():
            print(f"==== {path.stem}\n{page.blocks[i][1]}----\n{text}")
        left = sum(1 for i, block in enumerate(page.blocks) if block[0] == "sh" and i not in said)
    if looked == 0 and said:
        page.faults.append("nothing was compared")
    print(f"{path.name}: {len(said)} blocks, {looked} lines compared, {left} blocks not run")
    return looked, page.faults


def main():
    show = "--show" in sys.argv
    heft, source, *names = [word for word in sys.argv[1:] if word != "--show"]
    heft, source = pathlib.Path(heft).resolve(), pathlib.Path(source).resolve()
    pages = [*sorted((source / "docs/tutorials").glob("*.md")), source / "docs/diet.md"]
    faults, tried = [], 0
    if {page.stem for page in pages} != set(NEEDS):
        faults.append(f"pages are {[page.name for page in pages]}")
    for page in pages:
        if names and page.stem not in names:
            continue
        looked, found = page_tried(page, heft, source, show)
        tried += looked is not None
        faults += [f"{page.name}: {fault}" for fault in found]
    for fault in faults:
        print(f"FAILED: {fault}")
    return 1 if faults else 77 if tried == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
