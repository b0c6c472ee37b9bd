#!/usr/bin/env python3
"""Pictures of the page of `heft report`: every tab and view, light and dark, 1,280 and 400 pixels wide, to be looked at.

usage: looks.py HEFT FOLDER [WORD...]     WORD: only pictures whose names have one of these
       looks.py HEFT docs/pictures readme   those of README.md

Inputs are heft's own: its library, a room of it compiled twice, itself recorded while it measures.
Exit status 77 where there is no chromium.
"""
import glob
import os
import shutil
import subprocess
import sys
import tempfile

import browser as devtools

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SIZES = (1280, 800), (400, 800)


def heft(*words):
    subprocess.run([HEFT, *words], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def compiled(path, *flags):
    """A room of heft as a library; paths in it are those below the top."""
    room = sorted("src/base/" + name for name in os.listdir(TOP + "/src/base") if name.endswith(".c"))
    subprocess.run(["cc", "-std=gnu11", "-g", f"-ffile-prefix-map={TOP}=heft", "-shared", "-fPIC", *flags, "-Isrc", "-Iinclude",
                    "-o", os.path.abspath(path), *room], check=True, cwd=TOP)


def make_pages():
    """Name of a page: its file, all of them here."""
    shutil.copy(os.path.join(os.path.dirname(HEFT), "libheft.so"), "libheft.so")
    compiled("before.so", "-O1")
    compiled("after.so", "-O2")
    heft("diff", "before.so", "after.so", "--save", "changes.sizediff")
    os.symlink(HEFT, "heft")
    heft("heap", "run", "--no-children", "-o", "heft.heap", "./heft", "size", "-d", "symbols", "-o", "/dev/null", "libheft.so")
    os.rename(glob.glob("heft.heap*")[0], "heft.heap")
    pages = {}
    for name, words in {"program": ["-d", "sections,compileunits,symbols", "libheft.so"], "change": ["after.so", "--", "before.so"],
                        "lists": ["changes.sizediff"], "heap": ["heft.heap"]}.items():
        pages[name] = os.path.abspath(name + ".html")
        heft("report", *words, "-o", pages[name])
    return pages


VIEWS = "[...document.querySelectorAll('#tabs [role=tab]')].map(t => t.textContent)", "[...document.querySelectorAll('#view option')].map(o => [o.value, o.textContent])"


def views(b):
    """Every tab and picture of the page that is open."""
    for tab in range(max(1, len(b.run(VIEWS[0])))):
        b.run(f"document.querySelectorAll('#tabs [role=tab]')[{tab}]?.click()")
        for value, title in b.run(VIEWS[1]):
            yield tab, value, title


def choose(b, tab, value):
    b.run(f"""document.querySelectorAll('#tabs [role=tab]')[{tab}]?.click();
        (() => {{ const v = document.getElementById('view'); v.value = {value!r}; v.dispatchEvent(new Event('change', {{ bubbles: true }})); }})();
        new Promise(go => setTimeout(go, 400))""")


def take(b, name, page, folder, wanted):
    b.open(page)
    for tab, value, title in list(views(b)):
        choose(b, tab, value)
        for width, height in SIZES:
            for dark in False, True:
                file = f"{name}-{tab}-{value}-{width}-{'dark' if dark else 'light'}.png"
                if wanted and not any(word in file for word in wanted):
                    continue
                b.size(width, height)
                b.dark(dark)
                b.run("new Promise(go => setTimeout(go, 300))")
                b.picture(os.path.join(folder, file))
                print(file, title)


README = {  # of a page and a picture: the file, whether it is dark, what else is chosen
    ("program", "map"): ("page-sizes.png", False, "filter: { ...heftPage.state.filter, without: '.debug' }"),
    ("lists", "map"): ("page-changes.png", False, ""),
    ("heap", "ice"): ("page-heap.png", True, "m: 4"),
}


def take_readme(b, pages, folder):
    b.size(1280, 800)
    for (name, value), (file, dark, chosen) in README.items():
        b.dark(dark)
        b.open(pages[name])
        choose(b, 0, value)
        b.run(f"Object.assign(heftPage.state, {{ {chosen} }}); heftPage.update(false); new Promise(go => setTimeout(go, 600))")
        b.picture(os.path.join(folder, file))


def main():
    program = devtools.find()
    if not program:
        print("SKIP: no chromium (install chromium)")
        sys.exit(77)
    os.makedirs(FOLDER, exist_ok=True)
    b = devtools.Browser(program)
    with tempfile.TemporaryDirectory() as work:
        try:
            os.chdir(work)
            pages = make_pages()
            if sys.argv[3:] == ["readme"]:
                take_readme(b, pages, FOLDER)
                return
            for name, page in pages.items():
                take(b, name, page, FOLDER, sys.argv[3:])
        finally:
            b.close()


HEFT, FOLDER = (os.path.abspath(p) for p in sys.argv[1:3])
main()
