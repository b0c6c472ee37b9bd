#!/usr/bin/env python3
"""README.md as a code host shows it in a window of 900 pixels: picture and install on the first screen, no line cut off, not too long.

usage: readme_test.py SOURCE [PICTURE.png]    PICTURE.png: what was measured, to be looked at

Exit status 77 where there is no chromium.
"""
import html
import os
import re
import sys
import tempfile

import browser as devtools

TOP = os.path.abspath(sys.argv[1])
WIDTH, FIRST_SCREEN, LONGEST = 900, 700, 4500
STYLE = """
body { margin: 0; padding: 32px; font: 16px/1.5 'Noto Sans', Helvetica, 'Liberation Sans', Arial, sans-serif; overflow-wrap: break-word; }
h1 { font-size: 2em; margin: 0.67em 0; border-bottom: 1px solid; padding-bottom: 0.3em; line-height: 1.25; }
h2 { font-size: 1.5em; margin: 24px 0 16px; border-bottom: 1px solid; padding-bottom: 0.3em; line-height: 1.25; }
body > :first-child { margin-top: 0; }
p, table, pre { margin: 0 0 16px; }
pre { padding: 16px; overflow: auto; font: 13.6px/1.45 'Liberation Mono', 'DejaVu Sans Mono', monospace; background: #f6f8fa; }
code { font: 85% 'Liberation Mono', 'DejaVu Sans Mono', monospace; padding: 0.2em 0.4em; background: #eee; }
table { display: block; width: max-content; max-width: 100%; overflow: auto; border-collapse: collapse; }
td, th { padding: 6px 13px; border: 1px solid; }
"""


def inline(text):
    """Code, links and stress of a line."""
    parts = re.split(r"(`[^`]+`)", text)
    for i, part in enumerate(parts):
        part = html.escape(part, quote=False) if not part.startswith("<img") else part
        parts[i] = f"<code>{part[1:-1]}</code>" if i % 2 else re.sub(r"\*([^*]+)\*", r"<em>\1</em>", part)
    return re.sub(r"\[((?:<code>)?[^]]+)\]\([^)]+\)", r"<a href='#'>\1</a>", "".join(parts))


def block(text):
    if text.startswith("```"):
        return f"<pre>{html.escape(text.split(chr(10), 1)[1].rsplit('```', 1)[0])}</pre>"
    if text.startswith("#"):
        marks, words = text.split(" ", 1)
        return f"<h{len(marks)}>{inline(words)}</h{len(marks)}>"
    if text.startswith("|"):
        rows = [row.strip("|").split("|") for row in text.splitlines() if not row.startswith("|--")]
        return "<table>" + "".join("<tr>" + "".join(f"<td>{inline(cell.strip())}</td>" for cell in row) + "</tr>" for row in rows) + "</table>"
    return f"<p>{inline(text)}</p>"


def blocks(text):
    """Code, which may have empty lines, and what stands between empty lines."""
    for i, part in enumerate(re.split(r"^(```.*?^```)$", text, flags=re.M | re.S)):
        yield from [part] if i % 2 else filter(None, re.split(r"\n\s*\n", part.strip()))


def main():
    program = devtools.find()
    if not program:
        print("SKIP: no chromium (install chromium)")
        sys.exit(77)
    with open(TOP + "/README.md") as f:
        page = "".join(map(block, blocks(f.read())))
    with tempfile.NamedTemporaryFile("w", suffix=".html") as f:
        f.write(f'<!doctype html><meta charset="utf-8"><base href="file://{TOP}/"><style>{STYLE}</style>{page}')
        f.flush()
        b = devtools.Browser(program, WIDTH, 800)
        try:
            b.call("Page.navigate", url="file://" + f.name)
            b.run("new Promise(go => setTimeout(go, 100)).then(() => Promise.all([...document.images].map(i => i.decode())))")
            height, wide, picture, install = b.run("""[document.documentElement.scrollHeight, document.documentElement.scrollWidth,
                document.querySelector('img').getBoundingClientRect().bottom, document.querySelector('h2 ~ pre').getBoundingClientRect().bottom]""")
            cut = b.run("[...document.querySelectorAll('pre, table')].filter(e => e.scrollWidth > e.clientWidth).map(e => e.textContent.slice(0, 60))")
            if sys.argv[2:]:
                b.size(WIDTH, height)
                b.picture(sys.argv[2])
        finally:
            b.close()
    print(f"{height} pixels; the picture ends at {picture:.0f}, install at {install:.0f}; cut off: {cut}")
    good = 2000 < height <= LONGEST and wide == WIDTH and 100 < picture < install <= FIRST_SCREEN and not cut
    sys.exit(0 if good else 1)


main()
