#!/usr/bin/env python3
"""Puts heft.html together: the page that opens a file, with heft.wasm and the worker inside.

usage: build_page.py HEFT.wasm PAGE_PARTS.h VERSION OUT.html
   PAGE_PARTS.h: what src/page/embed.py made of heft's report, for the page has to allow the report's script and style.
"""
import base64
import gzip
import hashlib
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).parent
REPORT_STYLE = HERE.parent.parent / "src/page/page.css"


def script_joined(name, seen):
    """A module with those that it imports in front, as one script."""
    path = (HERE / name).resolve()
    if path in seen:
        return ""
    seen.add(path)
    text = path.read_text()
    before = "".join(script_joined(path.parent / found, seen) for found in re.findall(r"^import .* from '(\..*)';$", text, re.M))
    return before + re.sub(r"^import .*\n", "", re.sub(r"^export (?=(async )?(function|class|const))", "", text, flags=re.M), flags=re.M)


def digest(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def main():
    wasm, parts, version, out = sys.argv[1:]
    report = pathlib.Path(parts).read_text()
    # Colours, buttons and texts of the report; its layout begins with "#app".
    style = REPORT_STYLE.read_text()
    buttons = re.findall(r"^(?:button|\.actions|\.brand|:focus-visible).*\n", style, re.M)
    style = style[:style.index("#app {")] + "".join(buttons) + (HERE / "page/page.css").read_text()
    script = '"use strict";\n{\n' + script_joined("page/page.mjs", set()) + "}\n"
    worker = '"use strict";\n' + script_joined("page/worker.mjs", set()).replace("import.meta.url", "location.href")
    if any(word in (script + style + worker).lower() for word in ("</script", "</style", "<!--")):
        sys.exit("build_page.py: a script or style would end the element it stands in")
    page = (HERE / "page/page.html").read_text()
    for word, own, text in (("script", script, script), ("style", style, style)):
        of_report = re.search(f"{word}-src ('sha256-[^']+')", report).group(1)
        page = page.replace(f"@{word.upper()}_HASHES@", f"{digest(own)} {of_report}").replace(f"@{word.upper()}@", text)
    packed = base64.b64encode(gzip.compress(pathlib.Path(wasm).read_bytes(), 9, mtime=0)).decode()
    page = page.replace("@VERSION@", version).replace("@WORKER@", worker).replace("@WASM@", packed)
    pathlib.Path(out).write_text(page)


if __name__ == "__main__":
    main()
