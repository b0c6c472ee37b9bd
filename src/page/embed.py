#!/usr/bin/env python3
"""Puts the html page together, as two C strings: what stands in front of its data, and what behind.

usage: embed.py PAGE.html STYLE.css SCRIPT.js... OUT.h

In PAGE.html @STYLE@, @SCRIPT@ and @DATA@ are replaced, and @STYLE_HASH@ and @SCRIPT_HASH@ by what
its Content-Security-Policy needs to know of them.
"""
import base64
import hashlib
import pathlib
import re
import sys


LIMIT = 150000


def digest(text):
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def for_browsers(text):
    """A script or style without the comments that begin a line, and without indentation: they are for its readers here, and
    each page would have them.  No text of a script goes on in the next line."""
    return re.sub(r"^[ \t]+", "", re.sub(r"^\s*/\*.*?\*/\n", "", text, flags=re.MULTILINE | re.DOTALL), flags=re.MULTILINE)


def c_string(name, text):
    print(f"#define {name} \\")
    lines = text.splitlines(keepends=True)
    for number, line in enumerate(lines):
        quoted = line.replace("\\", "\\\\").replace('"', '\\"').replace("?", "\\?").replace("\n", "\\n")
        print(f'"{quoted}"' + (" \\" if number + 1 < len(lines) else ""))


def main():
    page, style, *scripts, out = (pathlib.Path(p) for p in sys.argv[1:])
    css = for_browsers(style.read_text())
    script = '"use strict";\n{\n' + "".join(for_browsers(p.read_text()) for p in scripts) + "}\n"
    if any(word in (script + css).lower() for word in ("</script", "</style", "<!--")):
        sys.exit("embed.py: the script or style would end the element it stands in")
    text = page.read_text().replace("@STYLE_HASH@", digest(css)).replace("@SCRIPT_HASH@", digest(script))
    head, tail = text.replace("@STYLE@", css).replace("@SCRIPT@", script).split("@DATA@")
    if len(head) + len(tail) > LIMIT:
        sys.exit(f"embed.py: the page's own code has {len(head) + len(tail)} bytes; {LIMIT} are allowed")
    with open(out, "w") as f:
        sys.stdout = f
        print("/* Made by src/page/embed.py. */")
        c_string("PAGE_HEAD", head)
        c_string("PAGE_TAIL", tail)


if __name__ == "__main__":
    main()
