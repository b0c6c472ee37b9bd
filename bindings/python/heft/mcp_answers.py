"""The questions that heft-mcp answers: each tool with its description, and the answer in at most LIMIT bytes.

An answer is a table. It is given as text, for a model to read, and as columns and rows, for a program. An answer that is
too long is cut after a row. It then says how many rows and bytes it leaves out, and has a cursor for the next question.
"""
from __future__ import annotations

import collections
import difflib
import hashlib
import json
import os
import re
from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Optional, Sequence

import heft

LIMIT = 16_000          # Bytes of a result. What is beyond is left out, and told.
HEAD = 5_000            # Bytes of a result without rows. Longer headings are cut.
CELL = 400              # Characters of a text in a row. The middle of a longer one is cut.
COLUMNS = 40            # Columns of a row. Further ones are left out, and told.
SQL_ROWS = 20_000       # Rows that are read of a query.
NOTES = 4               # Notes that are shown.
HANDLES = 4             # Files that stay open.
FACTS = 100             # Sentences about files that are kept.
ROWS_KEPT = 500_000     # Rows of earlier answers that are kept for cursors. The oldest answers are made again if asked.
ANSWERS = 200           # Earlier answers that are kept.

# Sources whose labels come from a decision of heft; `sure` says how sure it is.
_SYMBOLIC = {"symbols", "rawsymbols", "fullsymbols", "shortsymbols", "namespaces", "packages", "crates", "generics"}
# Sources that need debug info, or a linker map.
_FROM_DEBUG = {"compileunits", "directories", "inlines", "inlinestacks", "sourcefiles", "objects", "libraries"}
_MOST_USED = ("sections", "symbols", "packages", "compileunits", "sourcefiles", "directories", "namespaces", "generics",
              "armembers", "libraries", "objects", "sure", "regions")
_DIFFS = ("symbol", "source", "directory", "object", "component", "section", "container", "namespace", "library")
_PLURALS = {"symbol": "symbols", "section": "sections", "package": "packages", "namespace": "namespaces",
            "directory": "directories", "object": "objects", "library": "libraries", "source": "compileunits",
            "sources": "compileunits", "files": "sourcefiles", "crate": "crates", "segment": "segments"}
_SINGULARS = {name + "s": name for name in _DIFFS} | {"directories": "directory", "libraries": "library", "compileunits": "source"}


_CHARGED = ("Bytes of a symbol are all that the file holds because of it: also its names, relocations, unwind tables, padding. "
            "query tells its own bytes (own).")


class Mistake(Exception):
    """An argument that a tool does not take: the text says which, and what it takes."""


class Answer:
    """All rows of an answer, before it is cut to size.

    head       lines of text above the rows: what was asked, totals, how sure, what was not read
    sums       columns whose sums over the rows that are left out are told
    records    rows have many columns: the text shows a line a column
    narrower   words for a question that leaves less out
    """

    def __init__(self, head: Iterable[Any], columns: Sequence[str], rows: Iterable[Sequence[Any]], *, sums: Sequence[str] = (),
                 total: Optional[dict] = None, notes: Iterable[dict] = (), records: bool = False,
                 narrower: str = "Fewer rows: ask a narrower question.") -> None:
        self.head, self.rows = [line for line in head if line], [tuple(row) for row in rows]
        self.columns = [_middle_cut(name, CELL // 4) for name in columns]
        self.sums, self.total, self.records, self.narrower = sums, total or {}, records, narrower
        self.notes = [f"{note['path']}: {note['text']}" + (f" ({note['count']} times)" if note["count"] > 1 else "")
                      for note in notes]
        if len(self.columns) > COLUMNS:
            self.head.append(f"The last {len(self.columns) - COLUMNS} columns are left out: name the columns in the question.")
            self.columns, self.rows = self.columns[:COLUMNS], [row[:COLUMNS] for row in self.rows]


# ---- what is kept between questions ---------------------------------------------------------------


class Kept:
    """Files that are open, and earlier answers. A file that changed since is opened again."""

    def __init__(self, progress: Callable[[str, int, int], bool]) -> None:
        self.progress = progress
        self._handles: collections.OrderedDict = collections.OrderedDict()
        self._facts: Dict[tuple, str] = {}
        self._asked: set = set()        # Keys of the handles of this question.
        self._answers: collections.OrderedDict = collections.OrderedDict()

    def handle(self, kind: Any, path: str, find: dict, **how: Any) -> Any:
        """A heft.Snapshot, Where or Heap of a file: the one of an earlier question, if the file is as it was."""
        key = (kind, path, repr(sorted({**find, **how}.items())), stamps([path, *find.values()]))
        if key not in self._handles:
            for old in [old for old in self._handles if old[:3] == key[:3]] or list(self._handles)[:1 - HANDLES]:
                self._handles.pop(old).close()
            self._handles[key] = kind(path, progress=self.progress, **find, **how)
        self._handles.move_to_end(key)
        self._asked.add(key)
        return self._handles[key]

    def answer(self, key: tuple, make: Callable[[], Answer]) -> Answer:
        """The answer to a question; a second page comes from the rows of the first."""
        if key not in self._answers:
            made = make()
            self._answers[key] = made
            rows = sum(len(kept.rows) for kept in self._answers.values())
            while len(self._answers) > ANSWERS or (len(self._answers) > 1 and rows > ROWS_KEPT):
                rows -= len(self._answers.popitem(last=False)[1].rows)
        self._answers.move_to_end(key)
        return self._answers[key]

    def fact(self, key: tuple, make: Callable[[], str]) -> str:
        """A sentence about a file that many answers have."""
        if key not in self._facts:
            while len(self._facts) >= FACTS:
                del self._facts[next(iter(self._facts))]
            self._facts[key] = make()
        return self._facts[key]

    def begin(self) -> None:
        """Begins a question."""
        self._asked.clear()

    def close_asked(self) -> None:
        """Closes the files of this question: after a call that was cancelled or ran out of memory a handle is of no use."""
        for key in self._asked & set(self._handles):
            self._handles.pop(key).close()


def encoded(message: Any) -> bytes:
    """JSON on one line."""
    return json.dumps(message, separators=(",", ":")).encode()


def stamps(paths: Iterable[Any]) -> tuple:
    """What says whether files are as they were."""
    made = []
    for path in paths:
        try:
            found = os.stat(path)
            made.append((found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns))
        except (OSError, TypeError, ValueError):
            made.append((0, 0, 0, 0))
    return tuple(made)


# ---- the tools ------------------------------------------------------------------------------------


def _text(description: str, **more: Any) -> dict:
    return {"type": "string", "description": description, **more}


def _number(description: str, least: int, most: int, default: int) -> dict:
    return {"type": "integer", "description": description, "minimum": least, "maximum": most, "default": default}


def _flag(description: str) -> dict:
    return {"type": "boolean", "description": description, "default": False}


def _list(description: str, most: int) -> dict:
    return {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": most, "description": description}


_DEBUG = {"debug": _text("Path of a separate debug file, or a folder with some, if heft finds none.")}
_FIND = {**_DEBUG, "map": _text("Path of the linker map of the file.")}
_PAGE = {"rows": _number("Most rows that fit into 16,000 bytes.", 1, 500, 25),
         "cursor": _text("next_cursor of the answer before: gives the next rows.")}
_NAMES = _text("Style of names: short (no parameters), full, raw (the linker's).",
               enum=["short", "full", "raw"])
_SORT = _text("Default: by the larger of file and memory.",
              enum=["file", "memory", "name"])


class Tool(NamedTuple):
    """A tool: `answer` makes an Answer from Kept and the arguments; `paths` are the arguments that name files."""
    title: str
    description: str
    required: Sequence[str]
    properties: Dict[str, dict]
    paths: Sequence[str]
    answer: Callable[..., Answer]

    def schema(self) -> dict:
        return {"type": "object", "properties": {**self.properties, **_PAGE}, "required": list(self.required),
                "additionalProperties": False}


def _found(find: dict) -> dict:
    """The keywords of heft's functions for the arguments that say how files are found."""
    debug = find.get("debug")
    made = {"debug_dirs" if debug and os.path.isdir(debug) else "debug_files": debug, "maps": find.get("map"),
            "programs": find.get("program"), "sysroot": find.get("sysroot")}
    return {name: path for name, path in made.items() if path}


def _signed(number: float) -> str:
    return f"{number:+,.0f}" if number else "0"


def _middle_cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most // 2 - 1]}…{text[most // 2 - most:]}"


def _facts(file: str, find: dict) -> dict:
    """What heft.info says of a file; nothing of what it does not read, such as linker maps."""
    try:
        return dict(heft.info(file, **find)[0])
    except (heft.Error, IndexError):
        return {}


def _read_of(file: str, levels: Iterable[str], find: dict) -> str:
    """What labels could be read from, where that is not all."""
    facts = _facts(file, find)
    symbols, debug = facts.get("symbols"), facts.get("debug")
    if debug == "none" and _FROM_DEBUG & set(levels):
        return "Not read: the file has no debug info, so source files and units are known in part at most."
    if symbols in ("none", "dynamic") and debug == "none" and _SYMBOLIC & set(levels):
        return ("Not read: the file is stripped. Names sub_ADDRESS are functions whose bounds are known and whose names are "
                "not. The argument debug names debug info.")
    return ""


def _sureness(file: str, find: dict, progress: Any) -> str:
    """How sure the owners of bytes are."""
    try:
        table = heft.profile(file, by="sure", progress=progress, **find)
    except heft.CanceledError:
        raise
    except heft.Error:
        return ""
    parts = {row["sure"]: row["vm"] for row in table}
    stated, proved, likely = (parts.get(kind, 0) for kind in ("stated", "proved", "inferred"))
    if not stated + proved + likely:
        return ""
    return (f"How sure: of {table.total['vm']:,} bytes in memory, a table of the file states the owner of {stated:,}; facts prove "
            f"the owner of {proved:,}; the owner of {likely:,} is only likely; {table.total['vm'] - stated - proved - likely:,} "
            "have no symbol. by: symbols,sure tells it row by row.")


def _known_sources() -> Dict[str, str]:
    """The data sources, the most used first, described without options of the command."""
    known = {name: re.sub(r", named as -C says|; see --\w+| \(short names unless set\)", "", text)
             for name, text in heft.sources().items()}
    known["symbols"] = "functions and variables"
    return {name: known[name] for name in (*_MOST_USED, *known) if name in known}


def _sources(by: str) -> List[str]:
    known = _known_sources()
    levels = [_PLURALS.get(name.strip(), name.strip()) for name in by.split(",")]
    for level in levels:
        if level not in known:
            near = difflib.get_close_matches(level, known, 1)
            raise Mistake(f"by: '{level}' is no data source" + (f"; did you mean '{near[0]}'?" if near else
                                                              f"; there are {', '.join(known)}"))
    return levels


def _size(kept: Kept, file: str, by: str = "sections", match: Optional[str] = None, exclude: Optional[str] = None,
          sort: str = "", debug_info: bool = False, names: str = "auto", **find: Any) -> Answer:
    levels, find = _sources(by), _found(find)
    table = heft.profile(file, by=levels, include=match, exclude=exclude, debug=debug_info, names=names, progress=kept.progress,
                         **find)
    about, known = table.document["files"][0], _known_sources()
    head = [f"{file}: {about['format']}, {about['size']:,} bytes in the file, {about['vm_size']:,} bytes in memory.",
            *(f"Rows by {level}: {known[level]}." for level in levels),
            about["debug_path"] and f"Debug info is read from {about['debug_path']}.", _read_of(file, levels, find)]
    omitted = table.document.get("omitted", {"file": 0, "vm": 0})
    if omitted["file"] or omitted["vm"]:
        why = "match, exclude and debug_info: false leave" if match or exclude else "debug_info: false leaves"
        head.append(f"{why} out {omitted['file']:,} bytes of the file and {omitted['vm']:,} bytes of memory.")
    if _SYMBOLIC & set(levels):
        head.append(_CHARGED)
        head.append(kept.fact((file, repr(find), stamps([file, *find.values()])), lambda: _sureness(file, find, kept.progress)))
    rows = [(row["file"], row["vm"], *(row.get(level, "") for level in levels)) for row in table]
    if sort == "name":
        rows.sort(key=lambda row: row[2:])
    elif sort or len(levels) > 1:
        rows.sort(key=lambda row: row[1] if sort == "memory" else row[0] if sort == "file" else max(row[:2]), reverse=True)
    return Answer(head, ["file_bytes", "memory_bytes", *levels], rows, sums=("file_bytes", "memory_bytes"), notes=table.notes,
                  total={"file_bytes": table.total["file"], "memory_bytes": table.total["vm"]},
                  narrower="Fewer rows: match takes an expression that labels must match; by takes a coarser source.")


def _frames(frames: Iterable[dict], most: int) -> str:
    """A call stack, the innermost first."""
    frames = list(frames)
    told = []
    for frame in frames[:most]:
        name = frame.get("function") or hex(frame.get("address", 0))
        told.append(f"{name} ({os.path.basename(frame['file'])}:{frame['line']})" if frame.get("file") else
                    f"{name} [{os.path.basename(frame['module'])}]" if frame.get("module") else name)
    return " < ".join(told) + (f" < {len(frames) - most} more" if len(frames) > most else "")


def _place(asked: str, row: dict) -> dict:
    """One place, as it is told."""
    owners, claims, frames = row.get("owners", {}), row.get("claims", {}), row.get("frames", ())
    symbol, declared = claims.get("symbols", {}), row.get("declaration", {})
    inner: dict = next((frame for frame in frames if frame.get("file")), {})
    return {"asked": asked, "address": row.get("address"), "symbol": row.get("symbol"),
            "offset_in_symbol": row.get("symbol_offset"), "symbol_bytes": row.get("symbol_own"),
            "owner": owners.get("symbols"), "owner_known_by": symbol.get("why"), "owner_starts_at": symbol.get("address"),
            "owner_bytes": symbol.get("size"), "how_sure": owners.get("sure"), "package": owners.get("packages"),
            "section": row.get("section"), "offset_in_section": row.get("section_offset"), "segment": row.get("segment"),
            "file_offset": row.get("file_offset"), "member": row.get("member"), "unit": row.get("unit"),
            "source": f"{inner['file']}:{inner['line']}" if inner else None,
            "inlined_calls": _frames(frames, 12) if len(frames) > 1 else None,
            "declared": f"{declared['file']}:{declared['line']}" if declared.get("file") else None,
            "process": json.dumps(row["process"]) if row.get("process") else None}


def _where(kept: Kept, file: str, places: List[str], owners: bool = True, **find: Any) -> Answer:
    find = _found(find)
    by = ["symbols", "packages", "sure"] if owners else []
    try:
        opened = kept.handle(heft.Where, file, find, by=by)
        opened.find("0x0")
    except heft.NotFoundError:
        pass
    except heft.UnsupportedError:
        opened = kept.handle(heft.Where, file, find)
    rows: List[dict] = []
    failed: Dict[str, heft.Error] = {}
    for place in places:
        try:
            rows += (_place(place, row) for row in opened.find(place))
        except (heft.UsageError, heft.NotFoundError, heft.UnsupportedError) as error:
            failed[place] = error
    if not rows and failed:
        raise next(iter(failed.values()))
    head = [f"{file}: {len(rows)} found for {len(places)} asked.",
            *(f"Not found: {place}: {error}." for place, error in failed.items()),
            by and "The owner is the symbol that the size tool charges the byte to; owner_known_by says what made it so."]
    columns = [name for name in _place("", {}) if any(row[name] not in (None, "") for row in rows)]
    return Answer(head, columns, ([row[name] for name in columns] for row in rows), notes=opened.notes, records=True,
                  narrower="Fewer rows: give addresses, or full names with parameters.")


def _diff(kept: Kept, before: str, after: str, by: str = "symbol", section: Optional[str] = None, least: int = 0,
          debug_info: bool = False, names: str = "auto", **find: Any) -> Answer:
    by = _SINGULARS.get(by, by)
    find = _found(find)
    if by not in _DIFFS:
        if section or least:
            raise Mistake(f"section and least go with rows by {', '.join(_DIFFS)}, not by {by}")
        return _diff_of_sources(kept, before, after, by, debug_info, names, find)
    table = heft.diff(before, after, by=by, section=section, least=least, debug=debug_info, names=names, progress=kept.progress,
                      **find)
    told = "charged" if "charged" in table.total else "padded"
    file, total = table.document["file"], table.total
    grown = total[told] - total["base_" + told]
    aside = file["padded"] - file["base_padded"] - grown
    head = [f"{before} -> {after}: the file went from {file['base_padded']:,.0f} to {file['padded']:,.0f} bytes "
            f"({_signed(file['padded'] - file['base_padded'])}).",
            f"Rows by {by}, largest change first. All rows: {_signed(grown)} bytes of the file"
            + (f", {_signed(total['vm'] - total['base_vm'])} bytes of memory." if "vm" in total else "."),
            aside and not section and f"Left out: {_signed(aside)} bytes, debug info above all; debug_info: true shows it.",
            "Symbols: " + ", ".join(f"{total[kind]:,} {kind}" for kind in
                                    ("unchanged", "changed", "added", "removed", "moved", "renamed") if kind in total) + ".",
            told == "charged" and by == "symbol" and _CHARGED,
            told == "padded" and "Bytes are those of symbols with the padding before them; bytes of memory are not told.",
            by in ("symbol", "namespace") and _read_of(after, ["symbols"], find),
            by in ("source", "directory", "object") and _read_of(after, ["compileunits"], find)]
    memory = ["memory_change"] if "vm" in total else []
    columns = ["file_change", "file_before", "file_after", *memory, by]
    rows = [[row[told] - row["base_" + told], row["base_" + told], row[told],
             *(row["vm"] - row["base_vm"] for _ in memory), row[by]] for row in table]
    for name in ("change", "path", "was", "in_section"):
        if any(row.get(name) for row in table):
            columns.append(name)
            for made, row in zip(rows, table):
                made.append(row.get(name, ""))
    return Answer(head, columns, rows, sums=["file_change", *memory], notes=table.notes,
                  total={"file_change": grown, **{name: total["vm"] - total["base_vm"] for name in memory}},
                  narrower="Fewer rows: least leaves out small changes; section takes one section; by takes a coarser kind.")


def _diff_of_sources(kept: Kept, before: str, after: str, by: str, debug_info: bool, names: str, find: dict) -> Answer:
    levels = _sources(by)
    table = heft.profile(after, base=before, by=levels, debug=debug_info, names=names, sort="delta", progress=kept.progress,
                         **find)
    total = table.total
    head = [f"{before} -> {after}, by {by}: {_signed(total['file'] - total['base_file'])} bytes of the file, "
            f"{_signed(total['vm'] - total['base_vm'])} bytes of memory.",
            not debug_info and "Debug info is left out; debug_info: true shows it.", _read_of(after, levels, find)]
    rows = [(row["file"] - row["base_file"], row["base_file"], row["file"], row["vm"] - row["base_vm"],
             *(row.get(level, "") for level in levels)) for row in table]
    rows.sort(key=lambda row: max(abs(row[0]), abs(row[3])), reverse=True)
    return Answer(head, ["file_change", "file_before", "file_after", "memory_change", *levels], rows, notes=table.notes,
                  sums=("file_change", "memory_change"),
                  total={"file_change": total["file"] - total["base_file"], "memory_change": total["vm"] - total["base_vm"]})


def _heap_head(about: dict) -> List[str]:
    """What is known of a process, and what is not."""
    live = about.get("live_bytes")
    sample = about.get("sample")
    lines = [f"{about['path']}: {about['kind']} of {about['command'] or 'a process'}, "
             + ("recorded by heft's heap recorder" if about.get("recorded") else "not recorded: blocks have no call stacks")
             + (f"; {live:,} bytes live in {about['live_blocks']:,} blocks." if live is not None else "."),
             f"Peak {about['peak_bytes']:,} bytes; {about['alloc_bytes']:,} bytes asked for in {about['allocs']:,} calls."
             if about.get("counted") else "",
             f"How sure: estimates, as one block in {sample:,} bytes was recorded." if sample else
             "How sure: exact counts of the recorder." if about.get("counted") and live is not None else
             "How sure: blocks are what glibc's malloc has in use; sizes are what the program can use of them. by: size groups them. "
             "`heft heap run` records who asks for blocks." if about.get("glibc") else ""]
    for name, words in (("unknown", "Not all that is live is known"), ("lacks", "Not in the dump"),
                        ("allocators", "Allocators that heft does not read"), ("beside", "Not recorded, as called directly")):
        if about.get(name):
            lines.append(f"{words}: {about[name]}.")
    if about.get("missing"):
        lines.append(f"Not read: the dump lost {about['missing']:,} bytes at its end.")
    return lines


def _heap(kept: Kept, dump: str, view: str = "holders", by: str = "stack", base: Optional[str] = None, sort: str = "live_bytes",
          function: Optional[str] = None, module: Optional[str] = None, source: Optional[str] = None, least: int = 0,
          frames: int = 6, **find: Any) -> Answer:
    find = _found(find)
    opened = kept.handle(heft.Heap, dump, find)
    if view in _HEAP_PAGES:
        return _HEAP_PAGES[view](opened, dump, frames)
    other = kept.handle(heft.Heap, base, find) if base else None
    table = opened.rows(by, other, sort=sort, function=function, module=module, file=source, min_size=least,
                        leaks=view == "leaks")
    name = "site" if by == "stack" else by
    sorted_by = {"live": "live_blocks", "peak": "peak_blocks"}.get(sort, sort)
    measures = list(dict.fromkeys(["live_bytes", "live_blocks", "peak_bytes", sorted_by]))
    if view == "leaks":
        measures = ["live_bytes", "live_blocks"]
    if base:
        measures = [part for measure in measures for part in (f"{measure}_change", measure)]

    def told(row: dict, measure: str) -> Any:
        plain = measure.removesuffix("_change")
        return row.get(plain, 0) - (row.get("base_" + plain, 0) if plain != measure else 0)

    texts = [text for text in ("reach", "module", "file", "line") if text != name and any(text in row for row in table)
             and not (by == "stack" and text != "reach")]
    columns = [*measures, *texts, name, *(["stack"] if by == "stack" else [])]
    rows = [[*(told(row, measure) for measure in measures), *(row.get(text, "") for text in texts), row.get(name, ""),
             *([_frames(row["frames"], frames)] if by == "stack" else [])] for row in table]
    live = told(table.total, "live_bytes_change" if base else "live_bytes")
    what = (f"{live:,} bytes in blocks that no pointer leads to (leaks)" if view == "leaks" else
            f"{_signed(live)} live bytes since {base}" if base else f"{live:,} live bytes")
    head = [*_heap_head(table.document.get("heap") or {"path": dump, "kind": "dump", "command": ""}),
            f"Rows by {by}: {what}." + (" Stacks begin with the innermost frame." if by == "stack" else "")]
    return Answer(head, columns, rows, sums=[measure for measure in measures if "bytes" in measure], notes=table.notes,
                  total={measure: told(table.total, measure) for measure in measures},
                  narrower="Fewer rows: by takes function, module or file; function, module and source take expressions. More of each "
                           "stack: frames.")


def _heap_timeline(opened: heft.Heap, dump: str, _: int) -> Answer:
    rows = [(moment["at_ns"] // 1_000_000, moment["live_bytes"], moment["peak_bytes"]) for moment in opened.timeline()]
    return Answer([f"{dump}: live bytes over time; at_ms is milliseconds since the start of the process."],
                  ["at_ms", "live_bytes", "peak_bytes_since_row_before"], rows, notes=opened.notes)


def _heap_layout(opened: heft.Heap, dump: str, _: int) -> Answer:
    page = opened.layout()
    return Answer([f"{dump}: what the bytes of the heap's memory are used for.",
                   f"Pages of which less than a quarter is in use: {page['pinned_pages']:,}, with {page['pinned_bytes']:,} free bytes."],
                  ["bytes", "use"], ((size, part) for part, size in page["parts"].items()), sums=["bytes"], notes=opened.notes)


def _heap_damage(opened: heft.Heap, dump: str, frames: int) -> Answer:
    page = opened.damage()
    found = [{name: _frames(value, frames) if isinstance(value, list) and value and isinstance(value[0], dict) else value
              for name, value in row.items()} for row in page["damage"]]
    columns = list(dict.fromkeys(name for row in found for name in row)) or ["damage"]
    return Answer([f"{dump}: damaged places: {len(found)}; blocks looked at: {page['blocks']:,} live, {page['freed_blocks']:,} freed.",
                   "" if page["complete"] else "Not all blocks could be looked at.",
                   "" if page["canaries"] else "The recorder kept no canaries: writes past the end of a block may go unseen."],
                  columns, ([row.get(name) for name in columns] for row in found), notes=opened.notes, records=True)


def _heap_threads(opened: heft.Heap, dump: str, frames: int) -> Answer:
    threads = opened.threads()["threads"]
    return Answer([f"{dump}: the call stacks of {len(threads)} threads, the innermost frame first."], ["thread", "name", "stack"],
                  ((row["thread"], row.get("name", ""), _frames(row.get("frames", ()), frames)) for row in threads),
                  notes=opened.notes)


_HEAP_PAGES: Dict[str, Callable[[heft.Heap, str, int], Answer]] = {
    "timeline": _heap_timeline, "layout": _heap_layout, "damage": _heap_damage, "threads": _heap_threads}


def _query(kept: Kept, file: str, sql: str, **find: Any) -> Answer:
    words = set("".join(c if c.isalnum() or c == "_" else " " for c in sql.lower()).split())
    how = {"contents": bool(words & {"contents", "duplicates"}), "stacks": bool(words & {"stack", "stack_besides"}),
           "sure": "sure" in words}
    opened = kept.handle(heft.Snapshot, file, _found(find), **how)
    table = opened.query(sql, rows=SQL_ROWS)
    head = [f"{file}: {sql if len(sql) < 400 else 'the rows of the query'}",
            len(table) == SQL_ROWS and f"The first {SQL_ROWS:,} rows were read: use LIMIT, WHERE, or sums."]
    columns = table.columns
    return Answer(head, columns, ([row.get(name) for name in columns] for row in table), notes=table.notes,
                  narrower="Fewer rows: use WHERE, GROUP BY or LIMIT.")


def _why_rows(row: dict) -> Iterable[tuple]:
    """The lines of one symbol: its chain, who refers to it, what it keeps."""
    for part, list_ in (("chain", row["chain"]), ("refers to it", row["users"])):
        for r in list_:
            name = r["to"] if part == "chain" else r["from"]
            yield row["name"], part, name, r["kind"], r["count"], f"{r['file']}:{r['line']}" if r.get("file") else f"{r['place']:#x}", None
    for part in row["parts"]:
        yield row["name"], "would go with it", part["name"], "", None, "", part["vm"]


def _why(_: Kept, file: str, names: List[str], **find: Any) -> Answer:
    table = heft.why(file, *names, **_found(find))
    head = [f"{row['name']}: {row['own_vm']:,} bytes in memory; {row['retained_vm']:,} would go with it, {row['retained_file']:,} in the file."
            + ("" if row["chain"] else " No root reaches it: it is dead unless a computed jump leads to it.") for row in table]
    return Answer(head, ["symbol", "part", "name", "kind", "references", "place", "bytes"],
                  (line for row in table for line in _why_rows(row)), notes=table.notes, narrower="Fewer rows: name fewer symbols.")


def _advise(_: Kept, file: str, **find: Any) -> Answer:
    table = heft.advise(file, rows=50, **_found(find))
    lines = ((row["what"], row["bytes"], row["sure"], row["change"], row["cost"],
              ", ".join(f"{part['label']} {part['bytes']}" for part in row["children"][:5])) for row in table)
    return Answer([f"{file}: proposals, the largest first. They overlap, so they do not add up."],
                  ["what", "bytes", "sure", "change", "cost", "largest_owners"], lines, notes=table.notes)


def _info(_: Kept, files: List[str], **find: Any) -> Answer:
    table = heft.info(*files, **_found(find))
    return Answer([f"{len(files)} files."] if len(files) > 1 else [], table.columns,
                  ([row.get(name) for name in table.columns] for row in table), notes=table.notes, records=True,
                  narrower="Fewer rows: name fewer files.")


def tools() -> Dict[str, Tool]:
    """All tools, by name."""
    known = _known_sources()
    sources = ("; ".join(f"{name}: {text}" for name, text in known.items() if name in _MOST_USED)
               + ". Also: " + ", ".join(name for name in known if name not in _MOST_USED) + ".")
    ready = ", ".join(name if text.endswith("by size") else f"{name} ({text})" for name, text in heft.queries().items())
    bys = list(_DIFFS) + ["package"]
    return {
        "info": Tool("What a file is", (
            "Tells what native files are: kind, machine, whether symbols and debug info are there, compiler, hardening, build id, "
            "packages inside, and how many bytes stripping would save. Ask this first about an unknown file."),
            ["files"], {"files": _list("Paths of files.", 50), **_DEBUG}, ["files", "debug"], _info),
        "size": Tool("Where the bytes of a program go", (
            "Tells where the bytes of one program, library, object, archive or firmware image go, largest first: by section, symbol "
            "(function, variable), source file, folder, package. Rows add up to the total. Use it for \"why is this program so "
            "large\", \"which package pays\", \"largest functions\". Labels in brackets are bytes without an owner: [section .data], "
            "[Unmapped] (outside of sections). Two builds: use diff. Conditions on symbols: use query."),
            ["file"], {"file": _text("Path of the program, library, object, archive, core or linker map. Best absolute."), "by": _text(
                "What rows are: a source, or several, outermost first (packages,symbols). " + sources,
                default="sections"),
                "match": _text("Keep only bytes with a label that this regular expression matches."),
                "exclude": _text("Leave out bytes with a label that this regular expression matches."),
                "sort": _SORT, "debug_info": _flag("Also count debug info, which is usually not shipped."), "names": _NAMES, **_FIND},
            ["file", "debug", "map"], _size),
        "diff": Tool("What changed between two builds", (
            "Tells why a program grew or shrank: compares two builds, largest change first. Rows say what was added, removed, "
            "changed, moved or renamed, with bytes before and after. Begin with by: package or source, then symbol."),
            ["before", "after"], {"before": _text("Path of the older program or .size file."),
                                  "after": _text("Path of the newer one."),
                                  "by": _text(f"What rows are: {', '.join(bys)}; or a data source of the size tool.",
                                              default="symbol"),
                                  "section": _text("Only this section, such as .text. Only for rows by one of the listed kinds."),
                                  "least": _number("Sum up rows that changed by fewer bytes than this.", 0, 2**40, 0),
                                  "debug_info": _flag("Also count debug info, which is usually not shipped."), "names": _NAMES,
                                  **_DEBUG},
            ["before", "after", "debug"], _diff),
        "where": Tool("What is at an address or name", (
            "Tells what is at addresses or names of a program, object or core dump: symbol, section, source line, inlined calls, "
            "package, and which symbol owns the byte, why, and how sure that is. Use it for addresses of crashes, profiles and maps."),
            ["file", "places"], {"file": _text("Path of the program, object, archive or core dump. Best absolute."),
                                 "places": _list("Addresses (0x401136), names of functions, variables or sections (main, "
                                                 "ns::f(int), .rodata), or names with an offset (main+8).", 50),
                                 "owners": {"type": "boolean", "default": True, "description":
                                            "Also tell owner, package and how sure. False is quicker at the first question."},
                                 **_FIND}, ["file", "debug", "map"], _where),
        "heap": Tool("Who holds the heap of a process", (
            "Tells who holds the heap memory of a process, from a core dump or a recording of `heft heap run`: call stacks by live "
            "bytes, leaks, growth since another dump, use over time, damage, stacks of threads. No process is stopped or changed."),
            ["dump"], {"dump": _text("Path of the core dump or recording. Best absolute."),
                       "view": _text("holders: who holds live blocks; leaks: blocks that no pointer leads to; timeline: live bytes "
                                     "over time; layout: use of the heap's memory; damage: overwritten or doubly freed blocks; "
                                     "threads: call stacks of all threads.", default="holders",
                                     enum=["holders", "leaks", *_HEAP_PAGES]),
                       "by": _text("What rows of holders and leaks are.", default="stack",
                                   enum=["stack", "function", "module", "file", "line", "thread", "size", "age"]),
                       "base": _text("Path of an older dump of the program: rows tell the change since."),
                       "sort": _text("The measure that sorts the rows.",
                                     default="live_bytes", enum=["live_bytes", "live", "peak_bytes", "peak", "alloc_bytes",
                                                                 "allocs", "temporary"]),
                       "function": _text("Only stacks with a function that this expression matches."),
                       "module": _text("Only stacks with a library or program that this expression matches."),
                       "source": _text("Only stacks with a source file that this expression matches."),
                       "least": _number("Only blocks of at least this many bytes.", 0, 2**40, 0),
                       "frames": _number("Most frames of a call stack that are shown.", 1, 30, 6),
                       "program": _text("Path of the program of the process, if it moved."),
                       "sysroot": _text("Folder with the files of the machine that the dump is from."),
                       **_DEBUG},
            ["dump", "base", "program", "sysroot", "debug"], _heap),
        "why": Tool("Why a symbol is in a program", (
            "Tells why symbols are in a program: the shortest chain of references from a root, who refers to them, and the bytes "
            "that would go with them."),
            ["file", "names"], {"file": _text("Path of the program, library or object."),
                                "names": _list("Names of symbols, or addresses.", 20), **_FIND},
            ["file", "debug", "map"], _why),
        "advise": Tool("What to change so that a program is smaller", (
            "Proposes changes: bytes saved, how sure that is, what to do, what it costs, who owns the bytes."),
            ["file"], {"file": _text("Path of the program, library or object."), **_DEBUG},
            ["file", "debug"], _advise),
        "query": Tool("SQL over the symbols of a program", (
            "Answers SQL (SQLite, read-only) over all symbols of a program or .size file. Use it for counts, sums and conditions "
            "that size cannot say. Table symbols: full_name, name, namespace, kind ('code', 'data', 'literal'), section, address, "
            "own (bytes), padding, aliases, alias_group (equals id once per set of bytes), source, object, path, directory, component, "
            "in_file, in_memory; stack (bytes of stack of a function) and sure if named. Table charges (all bytes that the file holds "
            "because of a symbol): symbol (id in symbols), name, kind, source, directory, package, file (bytes), vm (bytes), debug; a "
            "symbol may have several. Example, largest tables and whose: SELECT s.own, s.full_name, c.package, s.source, max(c.file) "
            "FROM symbols s JOIN charges c ON c.symbol = s.id WHERE s.kind = 'data' AND s.alias_group = s.id GROUP BY s.id ORDER BY "
            "s.own DESC LIMIT 20. Ready-made queries, instead of SQL: " + ready + "."),
            ["file", "sql"], {"file": _text("Path of the program, library, object, archive, linker map or .size file. Best absolute."),
                              "sql": _text("One SELECT statement, or the name of a ready-made query: @largest."),
                              **_FIND}, ["file", "debug", "map"], _query)}


OUTPUT = {  # In the list of tools once a tool, so only what is needed to read an answer
    "type": "object",
    "description": "Sizes are bytes, addresses hexadecimal texts.",
    "properties": {"columns": {"type": "array", "items": {"type": "string"}}, "rows": {"type": "array", "items": {"type": "array"}},
                   "row_count": {"type": "integer"}, "next_cursor": {"type": "string"}},
    "required": ["columns", "rows"],
}


# ---- from a question to a result ------------------------------------------------------------------


def checked(tool: Tool, arguments: dict) -> dict:
    """The arguments of a call, held against the schema of the tool."""
    schema = tool.schema()
    made = {}
    for name, value in arguments.items():
        about = schema["properties"].get(name)
        if about is None:
            near = difflib.get_close_matches(name, schema["properties"], 1)
            raise Mistake(f"unknown argument '{name}'; " + (f"did you mean '{near[0]}'?" if near else
                                                          f"there are {', '.join(schema['properties'])}"))
        if about["type"] == "array" and isinstance(value, str):
            value = [value]
        if value is not None:
            made[name] = _value_checked(name, value, about)
    for name in schema["required"]:
        if name not in made:
            raise Mistake(f"the argument '{name}' is missing: {schema['properties'][name]['description']}")
    for name in tool.paths:
        if isinstance(made.get(name), str):
            made[name] = os.path.expanduser(made[name])
        elif name in made:
            made[name] = [os.path.expanduser(path) for path in made[name]]
    return made


def _value_checked(name: str, value: Any, about: dict) -> Any:
    kinds: Dict[str, Any] = {"string": str, "integer": int, "boolean": bool, "array": list}
    if not isinstance(value, kinds[about["type"]]) or (about["type"] == "integer" and isinstance(value, bool)):
        raise Mistake(f"{name}: {_middle_cut(json.dumps(value), 60)} is no {about['type']}")
    if about["type"] == "array":
        if not about["minItems"] <= len(value) <= about["maxItems"]:
            raise Mistake(f"{name}: takes {about['minItems']} to {about['maxItems']} entries, and {len(value)} are given")
        return [_value_checked(name, item, about["items"]) for item in value]
    if about["type"] == "integer" and not about["minimum"] <= value <= about["maximum"]:
        raise Mistake(f"{name}: takes {about['minimum']} to {about['maximum']}, and {value} is given")
    if about["type"] == "string" and ("\0" in value or any("\ud800" <= c <= "\udfff" for c in value)):
        raise Mistake(f"{name}: has a character that no name has")
    if "enum" in about and value not in about["enum"]:
        raise Mistake(f"{name}: '{_middle_cut(value, 60)}' is not one of {', '.join(about['enum'])}")
    return value


def result(kept: Kept, name: str, tool: Tool, arguments: dict) -> dict:
    """The result of a call: text, and structured content. Mistakes and failures are results with isError."""
    kept.begin()
    try:
        asked = checked(tool, arguments)
        most, cursor = asked.pop("rows", _PAGE["rows"]["default"]), asked.pop("cursor", None)
        named = [asked.get(argument) for argument in tool.paths]
        key = (name, json.dumps(asked, sort_keys=True),
               stamps(path for paths in named for path in (paths if isinstance(paths, list) else [paths])))
        stamp = hashlib.sha1(repr(key).encode()).hexdigest()[:8]
        first = 0
        if cursor is not None:
            number, _, of = cursor.partition(".")
            if of != stamp or not number.isdecimal() or len(number) > 9:
                raise Mistake("cursor: belongs to another question, or a file changed since; ask again without it")
            first = int(number)
        return _paged(kept.answer(key, lambda: tool.answer(kept, **asked)), first, most, stamp)
    except Mistake as error:
        return failure(str(error))
    except (heft.CanceledError, heft.OutOfMemoryError, heft.InternalError, MemoryError) as error:
        kept.close_asked()
        return failure(str(error) or "out of memory")
    except heft.Error as error:
        return failure(f"{error}{_hint(name, error, asked)}")


def failure(text: str) -> dict:
    """A result that says why there is none, in one line."""
    return {"content": [{"type": "text", "text": _middle_cut(" ".join(text.split()), 1200)}], "isError": True}


def _hint(name: str, error: heft.Error, asked: dict) -> str:
    if isinstance(error, heft.FileError) and any(isinstance(value, str) and value and not value.startswith("/")
                                                 for value in (asked.get("file"), asked.get("dump"), asked.get("before"))):
        return f" (relative paths begin at {os.getcwd()}; an absolute path is surer)"
    if name == "size" and str(error).startswith(f"{asked.get('file')} is a .size file"):
        return ". query reads .size files: ask it for @largest or @packages"
    if name == "where" and isinstance(error, heft.UsageError):
        if _facts(asked["file"], {}).get("kind") == "core":
            return ". In a dump only addresses can be looked up; names are looked up in the program"
        return (". To find names, ask query: SELECT full_name, address FROM symbols WHERE full_name LIKE '%PART%' LIMIT 20; or size "
                "with by: symbols and match")
    return ""


def _cell(column: str, value: Any, longest: int = CELL) -> Any:
    """A value as it is told: addresses as text, because many readers round large numbers."""
    if isinstance(value, int) and (column == "address" or column.endswith("_at") or value >= 2**53):
        return hex(value) if value >= 0 else hex(value + 2**64)
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < 2**53 else round(value, 3)
    if isinstance(value, (list, dict)):
        value = json.dumps(value)
    return _middle_cut(value, longest) if isinstance(value, str) else value


def _line(values: Iterable[Any]) -> str:
    return " | ".join("" if value is None else " ".join(str(value).split()) if isinstance(value, str) else str(value)
                      for value in values)


def _rows_text(answer: Answer, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> List[str]:
    if answer.records:
        return [line for row in rows for line in
                ("", *(f"{name}: {_line([value])}" for name, value in zip(columns, row) if value not in (None, "")))]
    return [_line(columns), *map(_line, rows)]


def _bytes(made: Any) -> int:
    return len(encoded(made))


def _paged(answer: Answer, first: int, most: int, stamp: str) -> dict:
    """The rows from `first` on, as many as fit."""
    head = [_middle_cut(line, 1000) for line in answer.head]
    while _bytes(head) > HEAD / 2:
        head = head[:-1]
    for longest in (CELL, CELL // 4, CELL // 20):
        cells = [[_cell(column, value, longest) for column, value in zip(answer.columns, row)]
                 for row in answer.rows[first:first + most]]
        made = _fitting(answer, head, cells, first, stamp)
        if made["structuredContent"]["rows"] or not cells:
            break
    return made


def _fitting(answer: Answer, head: List[str], cells: List[list], first: int, stamp: str) -> dict:
    room, count = LIMIT - HEAD * 2 // 3 - 2 * _bytes(head), 0
    for row in cells:
        room -= _bytes(row) + _bytes("\n".join(_rows_text(answer, answer.columns, [row])[not answer.records:])) + 2
        if room < 0:
            break
        count += 1
    while True:
        made = _result(answer, head, cells[:count], first, stamp)
        if _bytes(made) <= LIMIT or not count:
            return made
        count -= max(count // 16, 1)


def _result(answer: Answer, head: List[str], rows: List[list], first: int, stamp: str) -> dict:
    end, all_rows = first + len(rows), len(answer.rows)
    notes = [_middle_cut(note, 300) for note in answer.notes[:NOTES]]
    if len(answer.notes) > NOTES:
        notes.append(f"{len(answer.notes) - NOTES} more notes are left out.")
    made: Dict[str, Any] = {"about": head, "columns": answer.columns, "rows": rows, "first_row": first + 1, "row_count": all_rows,
                            "notes": notes}
    text = [*head, f"Rows {first + 1} to {end} of {all_rows}:" if rows else f"No rows of {all_rows}.",
            *(_rows_text(answer, answer.columns, rows) if rows else ())]
    if answer.total:
        made["total"] = {name: _cell(name, value) for name, value in answer.total.items()}
        text.append("All rows: " + ", ".join(f"{name} {value}" for name, value in made["total"].items()) + ".")
    if end < all_rows:
        sums = {name: _cell(name, sum(row[answer.columns.index(name)] or 0 for row in answer.rows[end:])) for name in answer.sums
                if name in answer.columns}
        made["left_out"] = {"rows": all_rows - end, **sums}
        text.append(f"Left out after row {end}: {all_rows - end} rows"
                    + "".join(f", {name} {value}" for name, value in sums.items()) + ".")
        if rows:
            made["next_cursor"] = f"{end}.{stamp}"
            text.append(f"The next rows: ask the same with cursor \"{made['next_cursor']}\". {answer.narrower}")
    text += [f"Note: {note}" for note in notes]
    return {"content": [{"type": "text", "text": "\n".join(text)}], "structuredContent": made, "isError": False}
