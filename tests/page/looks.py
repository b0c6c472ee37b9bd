#!/usr/bin/env python3
"""Pictures of the page of `heft report`: every tab and view, light and dark, 1,280 and 400 pixels wide, to be looked at.

usage: looks.py HEFT FOLDER [WORD...]     WORD: only pictures whose names have one of these
       looks.py HEFT docs/pictures readme   those of README.md

Inputs are heft's own: its library, a room of it compiled twice, itself recorded while it measures; and what tests/fixtures makes:
a heap with leaks, one that is damaged, samples; firmware that is built here, where there is a compiler for it.
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


FIRMWARE = """
#define ROOM(name, kind, size) kind unsigned char name[size]
ROOM(font, const, 7000) = { 1 }; ROOM(gamma_table, const, 512) = { 2 }; ROOM(log_ring, static volatile, 4096); ROOM(settings, static, 300) = { 3 };
__attribute__((section(".ccm"))) ROOM(frame, volatile, 12288);
unsigned checksum(const unsigned char *p, unsigned n) { unsigned sum = 0; while (n--) sum = sum * 31 + *p++; return sum; }
void draw(unsigned x) { for (unsigned i = 0; i < sizeof frame; i++) frame[i] = font[(i * x) % sizeof font] ^ gamma_table[i & 511]; }
int main(void) { for (unsigned i = 0;; i++) { draw(i); log_ring[i & 4095] = (unsigned char)checksum(settings, sizeof settings); settings[i % 300]++; } }
void reset(void) { main(); }
"""
SCRIPT = """
ENTRY(reset)
MEMORY { FLASH (rx) : ORIGIN = 0x08000000, LENGTH = 64K  RAM (rwx) : ORIGIN = 0x20000000, LENGTH = 4K  CCM : ORIGIN = 0x10000000, LENGTH = 16K }
SECTIONS { .text : { *(.text*) *(.rodata*) } > FLASH  .data : { *(.data*) } > RAM AT > FLASH  .bss : { *(.bss*) } > RAM  .ccm (NOLOAD) : { *(.ccm) } > CCM }
"""


def firmware():
    """fw.map of a link whose RAM is too small; false where nothing builds firmware."""
    if not shutil.which("arm-none-eabi-gcc"):
        return False
    for name, text in ("fw.c", FIRMWARE), ("fw.ld", SCRIPT):
        with open(name, "w") as f:
            f.write(text)
    subprocess.run(["arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mthumb", "-O1", "-w", "-ffunction-sections", "-fdata-sections", "-nostartfiles", "-T", "fw.ld", "-Wl,-Map=fw.map", "fw.c", "-o", "fw.elf"],
                   stderr=subprocess.DEVNULL)
    return os.path.exists("fw.map")


def make_pages():
    """Name of a page: its file, all of them here."""
    for recipe in glob.glob(TOP + "/tests/fixtures/golden_*"):
        subprocess.run([recipe, os.getcwd()], check=True, env={**os.environ, "HEFT": HEFT})
    shutil.copy(os.path.join(os.path.dirname(HEFT), "libheft.so"), "libheft.so")
    compiled("before.so", "-O1")
    compiled("after.so", "-O2")
    heft("diff", "before.so", "after.so", "--save", "changes.sizediff")
    for day, name in enumerate(("before.so", "after.so", "before.so", "after.so"), 1):
        heft("history", "add", "--store", "kept.db", "--product", "heft", "--commit", f"c0{day}", "--time", f"2026-01-0{day}", name)
    os.symlink(HEFT, "heft")
    heft("heap", "run", "--no-children", "-o", "heft.heap", "./heft", "size", "-d", "symbols", "-o", "/dev/null", "libheft.so")
    os.rename(glob.glob("heft.heap*")[0], "heft.heap")
    pages = {}
    for name, words in {"program": ["-d", "sections,compileunits,symbols", "libheft.so"], "change": ["after.so", "--", "before.so"],
                        "lists": ["changes.sizediff"], "heap": ["heft.heap"], "dump": ["heap.core"], "damaged": ["heap-damaged.core"],
                        "ran": ["-d", "sections,symbols", "--disassembly", "--perf=mapped.data", "mapped"], "code": ["-d", "sections,symbols", "--disassembly", "after.so"],
                        "changed-code": ["-d", "symbols", "--disassembly", "after.so", "--", "before.so"],
                        **({"firmware": ["fw.map"]} if firmware() else {})}.items():
        pages[name] = os.path.abspath(name + ".html")
        heft("report", *words, "-o", pages[name])
    pages["history"] = os.path.abspath("history.html")
    heft("history", "page", "--store", "kept.db", "-o", pages["history"])
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


# The card of the function with the longest text that is no longer than a screen or two.
CODE_CARD = """(() => {
    const { tab, book } = heftPage.view, column = tab.columns[tab.code.column];
    const long = [...tab.codeOf].map(([label, text]) => [label, book.texts.get(text).length]).filter(c => c[1] < 3000).sort((a, b) => b[1] - a[1]);
    Object.assign(heftPage.state, { by: ["c" + tab.code.column], zoom: [] });
    heftPage.update(false);
    heftPage.view.chosen = heftPage.view.tree.find([book.texts.get(column.labels[long[0][0]])]);
    heftPage.update(false);
})()"""
HEAT = "Object.assign(heftPage.state, { colour: 'heat', picture: 'map' }); heftPage.update(false)"
RANGE = """(() => {
    const c = document.getElementById('canvas'), r = c.getBoundingClientRect(), at = (x, type) => (type === 'pointerdown' ? c : window).dispatchEvent(new PointerEvent(type, { clientX: r.left + x * r.width, clientY: r.top + 50, bubbles: true }));
    at(0.35, 'pointerdown'); at(0.7, 'pointermove'); at(0.7, 'pointerup');
})()"""
# What else is looked at: of a page and a tab, its name, the picture, what is done, and to what is scrolled.
MORE = [("ran", 0, "code-heat", "map", CODE_CARD, "#card pre"), ("code", 0, "code", "map", CODE_CARD, "#card pre"), ("changed-code", 0, "code-diff", "map", CODE_CARD, "#card pre"),
        ("ran", 0, "heat", "map", HEAT, ""), ("ran", 1, "heat-of-blocks", "map", HEAT, ""), ("damaged", 0, "damage", "ice", "", "#card pre"), ("heap", 0, "range", "time", RANGE, ""),
        ("program", 0, "owner", "map", "Object.assign(heftPage.state, { colour: 'owner' }); heftPage.update(false)", ""),
        ("program", 0, "choices", "map", "document.getElementById('choices').click()", ""), ("damaged", 0, "notes", "ice", "document.getElementById('notes-button').click()", "")]


def take_all_ways(b, name, folder, wanted):
    for width, height in SIZES:
        for dark in False, True:
            file = f"{name}-{width}-{'dark' if dark else 'light'}.png"
            if wanted and not any(word in file for word in wanted):
                continue
            b.size(width, height)
            b.dark(dark)
            b.run("new Promise(go => setTimeout(go, 300))")
            yield
            b.picture(os.path.join(folder, file))
            print(file)


def take(b, name, page, folder, wanted):
    b.size(*SIZES[0])
    b.open(page)
    for tab, value, title in list(views(b)):
        choose(b, tab, value)
        for _ in take_all_ways(b, f"{name}-{tab}-{value}", folder, wanted):
            pass
    for of, tab, what, value, script, place in MORE:
        if of == name:
            b.size(*SIZES[0])
            b.open(page)
            choose(b, tab, value)
            b.run(script)
            for _ in take_all_ways(b, f"{name}-{tab}-{what}", folder, wanted):
                b.run(f"document.querySelector({(place or '#app')!r})?.scrollIntoView(); new Promise(go => setTimeout(go, 100))")


README = {  # of a page and a picture: the file, how high, whether it is dark, what else is chosen; paths of this machine are below the edge
    ("program", "map"): ("page-sizes.png", 580, False, "by: ['c0', 'c2']"),
    ("lists", "map"): ("page-changes.png", 800, False, ""),
    ("heap", "ice"): ("page-heap.png", 580, True, "m: 4"),
}


def take_readme(b, pages, folder):
    for (name, value), (file, height, dark, chosen) in README.items():
        b.size(1280, height)
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
