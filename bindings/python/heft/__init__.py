"""Where every byte of a native program goes: on disk, in memory, on its heap.

    import heft
    rows = heft.profile("a.out", by=["compileunits", "symbols"])
    print(rows.total["file"], rows[0])
    pandas.DataFrame(rows)              # each row is a dict

Functions return a Table: a list of rows, each a dict, with `total`, `notes` and `document` beside them. Rows add up to
`total`. docs/json.md describes the members of rows. Sizes are bytes.

All functions take these keywords, which say how files are found and shown:

    names        "auto", "short", "full" or "raw": the style of names
    threads      0: one a processor
    copying      True: read files as a whole, so that they may change meanwhile
    debug_files, debug_dirs, maps, stack_usage, programs
                 lists of paths: debug files, folders of them, linker maps, .su files, programs of a dump
    sysroot, arch, calls
                 root folder of the machine; slice of a universal file; file with facts about calls
    path_map     {from: to} of source paths; strip_prefix: list of prefixes to remove from them
    no_debug_search, no_map
                 True: look for no debug file, no linker map that is not named
    progress     function(what, done, total) that long calls call now and then; False cancels the call

A call that fails raises heft.Error, whose kinds are named after heft.h's codes. The library is libheft.so.1, or what the
environment variable HEFT_LIBRARY names.
"""
from __future__ import annotations

import ctypes
import gc
import json
import os
import sys
import weakref
from ctypes import byref, sizeof
from typing import TYPE_CHECKING, Any, Iterable, Optional, Sequence, TypeVar, Union

from . import _abi

if TYPE_CHECKING:
    from .console import Console

__version__ = _abi.VERSION
__all__ = ["CanceledError", "Console", "Error", "FileError", "FormatError", "Heap", "InternalError", "LimitError",
           "NotFoundError", "OutOfMemoryError", "Snapshot", "Table", "UnsupportedError", "UsageError", "Where", "check", "diff",
           "info", "profile", "queries", "sources", "stack", "version", "where"]

Path = Union[str, bytes, "os.PathLike[str]"]
Names = Union[str, Sequence[str]]


# ---- errors ---------------------------------------------------------------------------------------


class Error(Exception):
    """A call failed. `offset` is the place in the file, None where there is none."""
    offset: Optional[int] = None


class FileError(Error, OSError):
    """The operating system reported an error: see `errno`."""


class FormatError(Error, ValueError):
    """The bytes violate their format."""


class UnsupportedError(Error):
    """A format or version that heft does not read, or a part that the library was built without."""


class UsageError(Error, ValueError):
    """A mistake of the caller: an unknown source, a bad expression."""


class LimitError(Error):
    """A limit of heft was exceeded."""


class NotFoundError(Error, LookupError):
    """Nothing is there."""


class OutOfMemoryError(Error, MemoryError):
    """Memory ran out."""


class CanceledError(Error):
    """The call was cancelled."""


class InternalError(Error):
    """A fault of heft."""


_ERRORS = {_abi.HEFT_EIO: FileError, _abi.HEFT_EFORMAT: FormatError, _abi.HEFT_EUNSUPPORTED: UnsupportedError,
           _abi.HEFT_EARG: UsageError, _abi.HEFT_ELIMIT: LimitError, _abi.HEFT_ENOTFOUND: NotFoundError,
           _abi.HEFT_ENOMEM: OutOfMemoryError, _abi.HEFT_ECANCELED: CanceledError}


def _error(err: Any) -> Error:
    made = _ERRORS.get(err.code, InternalError)(err.text.decode("utf-8", "replace"))
    if isinstance(made, OSError):
        made.errno = err.sys_errno
    made.offset = None if err.offset == _abi.HEFT_NO_OFFSET else err.offset
    return made


# ---- the library ----------------------------------------------------------------------------------


class _Library:
    """libheft: opened when it is first asked, each function bound when it is first called."""
    _opened: Any = None

    def __getattr__(self, name: str) -> Any:
        if self._opened is None:
            self._opened = self._open()
        function = getattr(self._opened, name)
        function.restype, function.argtypes = _abi.FUNCTIONS[name]
        setattr(self, name, function)
        return function

    @staticmethod
    def _open() -> Any:
        major = __version__.split(".", maxsplit=1)[0]
        name = os.environ.get("HEFT_LIBRARY") or (
            f"libheft.{major}.dylib" if sys.platform == "darwin" else f"libheft.so.{major}")
        try:
            opened = ctypes.CDLL(name)
        except OSError as error:
            raise ImportError(f"libheft was not found ({error}): install libheft{major}, or name it in HEFT_LIBRARY") from None
        opened.heft_version.restype = ctypes.c_char_p
        found = opened.heft_version().decode()
        if found.split(".", maxsplit=1)[0] != major:
            raise ImportError(f"{name} is version {found}, and heft needs version {major}")
        return opened



_lib = _Library()


def _do(function: Any, *args: Any) -> Any:
    """Calls a function whose last argument is an error; returns what it returns."""
    err = _abi.heft_err()
    result = function(*args, byref(err))
    if not result:
        raise _error(err)
    return result


def _written(function: Any, *args: Any) -> bytes:
    """What a function writes to a sink."""
    buffer = _abi.heft_buffer()
    try:
        _do(function, *args, byref(_lib.heft_sink_buffer(byref(buffer))))
        return ctypes.string_at(buffer.data, buffer.size) if buffer.size else b""
    finally:
        _lib.heft_buffer_release(byref(buffer))


def _text(text: Union[Path, None]) -> Optional[bytes]:
    return None if text is None else os.fsencode(text)


def _enum(prefix: str, name: str) -> int:
    """The number of an enumerator by the end of its name."""
    value = getattr(_abi, prefix + name.upper(), None)
    if value is None:
        known = ", ".join(k[len(prefix):].lower() for k in vars(_abi) if k.startswith(prefix))
        raise UsageError(f"'{name}' is not one of {known}")
    return int(value)


def _struct(kind: Any, **members: Any) -> Any:
    return kind(size=sizeof(kind), **members)


def _json_opts(**more: Any) -> Any:
    return byref(_struct(_abi.heft_write_opts, format=_abi.HEFT_JSON, **more))


def _listed(names: Any) -> Sequence[Any]:
    return [names] if isinstance(names, (str, bytes, os.PathLike)) else list(names)


def _free_all(frees: list) -> None:
    while frees:
        free, handle = frees.pop()
        free(handle)


class _Work:
    """A session and the handles that were made from it. close() frees them, the last first."""

    def __init__(self, find: dict) -> None:
        self._frees: list = []
        self._closes = weakref.finalize(self, _free_all, self._frees)
        self.session = self.new("session")
        try:
            self._configure(_lib.heft_session_finder(self.session), dict(find))
        except BaseException:
            self.close()
            raise

    def _configure(self, finder: Any, find: dict) -> None:
        _lib.heft_session_set_demangle(self.session, _enum("HEFT_NAMES_", find.pop("names", "auto")))
        _lib.heft_session_set_threads(self.session, find.pop("threads", 0))
        _lib.heft_session_set_copying(self.session, find.pop("copying", False))
        flags = _abi.HEFT_FIND_NO_DEBUG if find.pop("no_debug_search", False) else 0
        _lib.heft_finder_set_flags(finder, flags | (_abi.HEFT_FIND_NO_MAP if find.pop("no_map", False) else 0))
        for name in ("debug_file", "debug_dir", "map", "program"):
            for path in _listed(find.pop(f"{name}s", ())):
                getattr(_lib, f"heft_finder_add_{name}")(finder, _text(path))
        for path in _listed(find.pop("stack_usage", ())):
            _lib.heft_finder_add_stack_usage(finder, _text(path))
        for name in ("sysroot", "arch", "calls"):
            getattr(_lib, f"heft_finder_set_{name}")(finder, _text(find.pop(name, None)))
        for old, new in find.pop("path_map", {}).items():
            _do(_lib.heft_finder_map_path, finder, _text(old), _text(new))
        for prefix in _listed(find.pop("strip_prefix", ())):
            _do(_lib.heft_finder_strip_prefix, finder, _text(prefix))
        if progress := find.pop("progress", None):
            self._progress = _abi.heft_progress_fn(
                lambda _, what, done, total: progress(what.decode(), done, total) is not False)
            _lib.heft_session_set_progress(self.session, self._progress, None)
        if find:
            raise TypeError(f"unknown keyword {next(iter(find))!r}")

    def _kept(self, kind: str, handle: Any) -> Any:
        self._frees.append((getattr(_lib, f"heft_{kind}_free"), handle))
        return handle

    def new(self, kind: str, *args: Any) -> Any:
        """A handle that needs memory alone."""
        handle = getattr(_lib, f"heft_{kind}_new")(*args)
        if not handle:
            raise OutOfMemoryError("out of memory")
        return self._kept(kind, handle)

    def made(self, kind: str, *args: Any) -> Any:
        """A handle that is made from others."""
        return self._kept(kind, _do(getattr(_lib, f"heft_{kind}_new"), *args))

    def notes(self) -> list:
        """What was odd in the inputs."""
        found = []
        for i in range(_lib.heft_session_note_count(self.session)):
            note = _lib.heft_session_note(self.session, i).contents
            found.append({"path": os.fsdecode(note.path), "text": note.text.decode("utf-8", "replace"), "count": note.count,
                          "bytes": note.bytes})
        return found

    def close(self) -> None:
        """Frees all."""
        self._closes()

    def __enter__(self) -> _Work:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


_Self = TypeVar("_Self", bound="_Opened")


class _Opened:
    """What has a handle open until close(), or until the end of a `with` statement."""

    _work: _Work

    @property
    def notes(self) -> list:
        """What was odd in the inputs."""
        return self._work.notes()

    def close(self) -> None:
        """Frees what is open; so does the end of a `with` statement."""
        self._work.close()

    def __enter__(self: _Self) -> _Self:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


# ---- tables ---------------------------------------------------------------------------------------


class Table(list):
    """Rows, each a dict, as pandas.DataFrame takes them.

    total      the row at the root, with the sums
    notes      what was odd in the inputs: dicts with path, text, count, bytes
    document   the rest of heft's JSON document
    """

    def __init__(self, rows: Iterable[dict] = (), total: Optional[dict] = None, notes: Iterable[dict] = (),
                 document: Optional[dict] = None) -> None:
        super().__init__(rows)
        self.total, self.notes, self.document = total or {}, list(notes), document or {}

    @property
    def columns(self) -> list:
        """The members that rows have, each once."""
        return list(dict.fromkeys(name for row in self for name in row))

    def frame(self) -> Any:
        """The rows as a pandas.DataFrame."""
        import pandas  # type: ignore[import]  # pylint: disable=import-outside-toplevel
        return pandas.DataFrame(list(self), columns=self.columns)


def _parsed(text: bytes) -> Any:
    """What JSON says.  The collector of garbage finds none among new rows, and would take as long as the parser."""
    collects = gc.isenabled()
    gc.disable()
    try:
        return json.loads(text)
    finally:
        if collects:
            gc.enable()


def _flat(top: dict, levels: Sequence[str]) -> list:
    """The rows without children, with the labels of the rows above by level; below the last level joined by ';'."""
    rows: list = []
    waiting: list = [((), top)]
    while waiting:
        labels, row = waiting.pop()
        below = row.pop("children", ())
        if below:
            waiting += [((*labels, child.pop("label")), child) for child in reversed(below)]
        elif row is not top:
            last = len(levels) - 1
            named = dict(zip(levels, labels[:last] + (";".join(labels[last:]),)))
            rows.append({**named, **row})
    return rows


def _table(text: bytes, work: _Work, levels: Sequence[str], deep: bool = False) -> Table:
    """The table of a document whose rows have these levels; `deep`: trees are deeper than that."""
    single = len(levels) == 1 and not deep
    # A quote inside of a string has a backslash before it, so these are members of rows. A dict of numbers and texts alone
    # is none of the collector's business.
    text = text.replace(b', "children": []', b"")
    if single:
        text = text.replace(b'{"label": ', b'{"%s": ' % levels[0].encode())
    document = _parsed(text)
    top = document.pop("total")
    document.pop("notes", None)
    levels = document.get("sources", levels)
    if single:
        rows = top.pop("children", [])
    else:
        rows = _flat(top, levels)
    total = {name: value for name, value in top.items() if name not in ("label", "children", *levels)}
    return Table(rows, total, work.notes(), document)


# ---- what one call answers ------------------------------------------------------------------------


def version() -> str:
    """The version of libheft."""
    return str(_lib.heft_version().decode())


def sources() -> dict:
    """The data sources that `by` takes: name and description."""
    found, name, text = {}, ctypes.c_char_p(), ctypes.c_char_p()
    for i in range(_lib.heft_source_count()):
        _lib.heft_source(i, byref(name), byref(text))
        found[(name.value or b"").decode()] = (text.value or b"").decode()
    return found


def profile(*files: Path, base: Union[Path, Sequence[Path]] = (), by: Names = "sections", rows: int = 0, sort: str = "auto",
            include: Optional[str] = None, exclude: Optional[str] = None, depth: int = 0, debug: bool = True,
            count: bool = False, aliases: bool = False, **find: Any) -> Table:
    """Sizes of files by data sources, as `heft size`: a row a leaf, with the label of each source, `file` and `vm` bytes.

    by         a source or several (heft.sources()), from the outermost on
    base       files to compare with: rows then have base_file and base_vm, and those without a change are left out
    rows       most rows a level, the rest summed up; 0 for all
    sort       auto, size, base, delta, growth, name
    include, exclude
               expressions (PCRE2) that one label must match, that none may match
    depth      levels of directories
    debug      False: leave sections of debug info out
    count, aliases
               also the number of symbols; also other names of the same bytes
    """
    flags = _abi.HEFT_PROFILE_COUNT * count | _abi.HEFT_PROFILE_ALIASES * aliases | _abi.HEFT_PROFILE_NO_DEBUG * (not debug)
    with _Work(find) as work:
        handle = work.new("profile", work.session)
        for source in _listed(by):
            _do(_lib.heft_profile_add_source, handle, _text(source))
        for role, paths in ((_abi.HEFT_INPUT, files), (_abi.HEFT_BASE, _listed(base))):
            for path in paths:
                _do(_lib.heft_profile_add_file, handle, _text(path), role)
        for set_filter, expression in ((_lib.heft_profile_include, include), (_lib.heft_profile_exclude, exclude)):
            if expression is not None:
                _do(set_filter, handle, _text(expression))
        _lib.heft_profile_set_flags(handle, flags)
        _lib.heft_profile_set_depth(handle, depth)
        _lib.heft_profile_set_rows(handle, rows)
        _lib.heft_profile_set_sort(handle, _enum("HEFT_SORT_", sort))
        _do(_lib.heft_profile_run, handle)
        return _table(_written(_lib.heft_profile_write, handle, _json_opts()), work, _listed(by), depth > 0)


def info(*files: Path, rows: int = 0, sort: str = "added", **find: Any) -> Table:
    """What files are, as `heft info`: a row a file.

    sort       added, path, or the largest first: size, relocations, savings, copied
    rows       most rows, the rest summed up; 0 for all
    """
    with _Work(find) as work:
        handle = work.new("info", work.session)
        _lib.heft_info_set_sort(handle, _enum("HEFT_INFO_", sort))
        _lib.heft_info_set_rows(handle, rows)
        for path in files:
            _do(_lib.heft_info_add, handle, _text(path))
        return _table(_written(_lib.heft_info_write, handle, _json_opts(full=True)), work, ["path"])


class Where(_Opened):
    """A program or dump that is open for many look-ups. `by` is as of heft.where()."""

    def __init__(self, file: Path, by: Names = (), **find: Any) -> None:
        self._work = _Work(find)
        try:
            self._handle = self._work.new("where", self._work.session)
            for source in _listed(by):
                _do(_lib.heft_where_add_source, self._handle, _text(source))
            _do(_lib.heft_where_open, self._handle, _text(file))
        except BaseException:
            self.close()
            raise

    def find(self, *places: Union[int, str]) -> Table:
        """What is at addresses or names: a row a place that matches."""
        return Table((row for place in places for row in self._places(place)), notes=self.notes)

    def _places(self, place: Union[int, str]) -> Iterable[dict]:
        address, count = ctypes.c_uint64(), ctypes.c_size_t()
        found = _struct(_abi.heft_location)
        text = f"{place:#x}" if isinstance(place, int) else place
        _do(_lib.heft_where_ask, self._handle, _text(text), byref(address), byref(count))
        for i in range(max(count.value, 1)):
            if count.value:
                _do(_lib.heft_where_answer, self._handle, i, byref(found))
            else:
                _do(_lib.heft_where_find, self._handle, address, byref(found))
            yield json.loads(_written(_lib.heft_where_write, self._handle, byref(found), _json_opts()))


def where(file: Path, *places: Union[int, str], by: Names = (), **find: Any) -> Table:
    """What is at addresses or names of a program or dump, as `heft where`: a row a place that matches."""
    with Where(file, by, **find) as opened:
        return opened.find(*places)


def why(file: Path, *names: Union[int, str], by: Optional[str] = None, **find: Any) -> Table:
    """Why symbols are in a program, as `heft why`: a row a symbol, with its chain from a root, users and retained bytes.

    by         a data source such as "packages": the names are its rows, each as a whole
    """
    with _Work(find) as work:
        handle = work.new("graph", work.session)
        _do(_lib.heft_graph_open, handle, _text(file))
        found, count, rows = _struct(_abi.heft_why), ctypes.c_size_t(), []
        for name in names:
            if by:
                _do(_lib.heft_graph_ask_by, handle, _text(by), _text(name))
                count.value = 1
            else:
                _do(_lib.heft_graph_ask, handle, _text(f"{name:#x}" if isinstance(name, int) else name), byref(count))
            for i in range(count.value):
                _do(_lib.heft_graph_why, handle, i, byref(found))
                rows.append(json.loads(_written(_lib.heft_graph_write, handle, byref(found), _json_opts())))
        return Table(rows, notes=work.notes())


def advise(file: Path, rows: int = 0, **find: Any) -> Table:
    """What to change so that a program is smaller, as `heft advise`: a row a proposal, whose `children` own the bytes."""
    with _Work(find) as work:
        opened = work.new("snapshot", work.session)
        _lib.heft_snapshot_set_flags(opened, _abi.HEFT_SNAPSHOT_ALONE | _abi.HEFT_SNAPSHOT_CONTENTS)
        _do(_lib.heft_snapshot_open, opened, _text(file))
        facts = work.new("info", work.session)
        _do(_lib.heft_info_add, facts, _text(file))
        handle = work.made("advice", opened, facts)
        graph = work.new("graph", work.session)
        if _lib.heft_graph_open(graph, _text(file), None):
            _do(_lib.heft_advice_add_graph, handle, graph)
        return Table(_parsed(_written(_lib.heft_advice_write, handle, rows, _json_opts()))["total"]["children"], notes=work.notes())


def stack(file: Path, function: Optional[str] = None, *, every: bool = False, rows: int = 0, **find: Any) -> Table:
    """The most stack that functions of a program may take, as `heft stack`: a row a function.

    function   only functions of this name; every: all, not only those that nothing calls
    """
    query = _struct(_abi.heft_stack_query, rows=rows, flags=_abi.HEFT_STACK_ALL * every, function=_text(function))
    with _Work(find) as work:
        handle = work.new("stack", work.session)
        _do(_lib.heft_stack_open, handle, _text(file))
        return _table(_written(_lib.heft_stack_write, handle, byref(query), _json_opts()), work, ["function"])


# ---- lists of symbols -----------------------------------------------------------------------------


class Snapshot(_Opened):
    """Every symbol of a program, .size file or package, as `heft snapshot` and `heft query` see it.

    components   CODEOWNERS or a folder with DIR_METADATA; builds: compile_commands.json, build.ninja
    metadata     facts to keep in the .size file; literals: False: string literals are no symbols
    contents, stacks, sure
                 also what symbols contain (for @duplicates); how deep stacks get; how sure owners are
    symbols_only True saves time: there are no charges, and differences pair nameless functions less well
    """

    def __init__(self, *files: Path, components: Optional[Path] = None, builds: Union[Path, Sequence[Path]] = (),
                 metadata: Optional[dict] = None, literals: bool = True, contents: bool = False, stacks: bool = False,
                 sure: bool = False, symbols_only: bool = False, **find: Any) -> None:
        self._work = _Work(find)
        flags = (_abi.HEFT_SNAPSHOT_NO_LITERALS * (not literals) | _abi.HEFT_SNAPSHOT_CONTENTS * contents
                 | _abi.HEFT_SNAPSHOT_STACKS * stacks | _abi.HEFT_SNAPSHOT_SURE * sure
                 | (_abi.HEFT_SNAPSHOT_ALONE | _abi.HEFT_SNAPSHOT_UNCHARGED) * symbols_only)
        try:
            self._handle = self._work.new("snapshot", self._work.session)
            _lib.heft_snapshot_set_flags(self._handle, flags)
            if components is not None:
                _lib.heft_snapshot_set_components(self._handle, _text(components))
            for path in _listed(builds):
                _lib.heft_snapshot_add_build(self._handle, _text(path))
            for key, value in (metadata or {}).items():
                _do(_lib.heft_snapshot_add_metadata, self._handle, _text(key), _text(value))
            if len(files) == 1:
                _do(_lib.heft_snapshot_open, self._handle, _text(files[0]))
            else:
                paths = (ctypes.c_char_p * len(files))(*map(_text, files))
                _do(_lib.heft_snapshot_open_all, self._handle, paths, len(files))
        except BaseException:
            self.close()
            raise
        self._query: Any = None

    def query(self, sql: str, rows: int = 0) -> Table:
        """The rows of a statement of SQL, or of a ready-made query ("@largest"): docs/query.md has the tables."""
        if self._query is None:
            self._query = self._work.made("query", self._handle)
        if sql.startswith("@"):
            sql = _named_query(sql)
        opts = _struct(_abi.heft_query_opts, format=_abi.HEFT_JSON, rows=rows)
        written = _written(_lib.heft_query_run, self._query, _text(sql), byref(opts)) or b"[]"
        try:
            return Table(_parsed(written), notes=self.notes)
        except json.JSONDecodeError as error:
            raise UsageError("SQL: several statements: ask one at a time") from error

    @property
    def symbols(self) -> Table:
        """A row a symbol."""
        return self.query("SELECT * FROM symbols")

    def write(self, path: Path) -> None:
        """Writes a .size file."""
        data = _written(_lib.heft_snapshot_write, self._handle)
        with open(path, "wb") as file:
            file.write(data)


def queries() -> dict:
    """The ready-made queries: name, with its "@", and description."""
    return {name: text for name, text, _ in _named_queries()}


def _named_queries() -> Iterable[tuple]:
    found = ctypes.c_char_p(), ctypes.c_char_p(), ctypes.c_char_p()
    for i in range(_lib.heft_named_query_count()):
        _lib.heft_named_query(i, *map(byref, found))
        name, text, sql = ((value.value or b"").decode() for value in found)
        yield f"@{name}", text, sql


def _named_query(name: str) -> str:
    for known, _, sql in _named_queries():
        if known == name:
            return str(sql)
    raise UsageError(f"'{name}' is not one of {', '.join(queries())}")


def diff(before: Union[Path, Snapshot, None], after: Union[Path, Snapshot], *, by: str = "symbol", section: Optional[str] = None,
         least: int = 0, rows: int = 0, sort: str = "auto", debug: bool = False, supersize: bool = False, why: bool = False,
         **find: Any) -> Table:
    """What changed between two programs or .size files, as `heft diff`. `before` is None for a .sizediff file.

    by         symbol, source, directory, object, component, section, container, namespace, library
    least      rows that changed by fewer bytes are summed up; section: only this one, by name or letter
    debug      also rows for sections of debug info; supersize: pair symbols only as SuperSize does
    why        `document["came_in"]` tells by whom what was added came in
    """
    query = _struct(_abi.heft_diff_query, by=_enum("HEFT_DIFF_BY_", by), sort=_enum("HEFT_SORT_", sort), rows=rows,
                    section=_text(section), min=least, debug=debug, came_in=why)
    with _Work(find) as work:
        handles: list = []
        paths: list = []
        for side in (before, after):
            if side is None or isinstance(side, Snapshot):
                handles.append(side._handle if side is not None else None)  # pylint: disable=protected-access
                continue
            handles.append(work.new("snapshot", work.session))
            paths.append((handles[-1], _text(side)))
        if len(paths) == 2:
            _do(_lib.heft_snapshot_open_pair, *paths[0], *paths[1])
        elif paths:
            _do(_lib.heft_snapshot_open, *paths[0])
        made = work.made("diff", *handles, _abi.HEFT_DIFF_SUPERSIZE * supersize)
        _do(_lib.heft_diff_rows, made, byref(query))
        return _table(_written(_lib.heft_diff_write, made, _json_opts()), work, [by])


def check(budget: Path, now: Path, base: Optional[Path] = None, **find: Any) -> Table:
    """Limits of a file held against a program, as `heft check`: a row a limit, with its `state`."""
    with _Work(find) as work:
        limits = work.made("budget", work.session, _text(budget))
        sides = []
        for path in (now, base):
            if path is not None:
                sides.append(work.new("snapshot", work.session))
                _lib.heft_snapshot_set_flags(sides[-1], _lib.heft_budget_flags(limits))
                _do(_lib.heft_snapshot_open, sides[-1], _text(path))
        _do(_lib.heft_budget_check, limits, sides[0], sides[1] if len(sides) == 2 else None)
        document = json.loads(_written(_lib.heft_budget_write, limits, _json_opts()))
        rows = document.pop("total")["children"]
        return Table(({"limit": row.pop("label"), **row} for row in rows), notes=work.notes(), document=document)


# ---- heaps ----------------------------------------------------------------------------------------


class Heap(_Opened):
    """The heap of a core, of a raw image of memory or of a recording, as `heft heap` sees it."""

    def __init__(self, dump: Path, **find: Any) -> None:
        self._work = _Work(find)
        try:
            self._handle = self._work.new("heap", self._work.session)
            _do(_lib.heft_heap_open, self._handle, _text(dump))
        except BaseException:
            self.close()
            raise

    def rows(self, by: str = "stack", base: Optional[Heap] = None, *, sort: str = "live_bytes", rows: int = 0, leaks: bool = False,
             function: Optional[str] = None, module: Optional[str] = None, file: Optional[str] = None, thread: int = 0,
             min_size: int = 0, max_size: int = 0, all_frames: bool = False) -> Table:
        """Who holds the heap: a row a call stack, or what `by` says. With `base`, what changed since that heap.

        by         stack, tree, callers, function, module, file, line, thread, size, age
        sort       live_bytes, live, peak_bytes, peak, alloc_bytes, allocs, temporary
        leaks      only blocks to which no pointer leads
        function, module, file
                   expressions that one frame of the stack must match
        Rows by stack have `site`, the place that allocated, and `frames`, a list of dicts, innermost first.
        """
        query = _struct(_abi.heft_heap_query, by=_enum("HEFT_HEAP_BY_", by), sort=_enum("HEFT_HEAP_", sort), rows=rows,
                        function=_text(function), module=_text(module), file=_text(file), thread=thread, min_size=min_size,
                        max_size=max_size, leaks=leaks, all_frames=all_frames)
        other = base._handle if base is not None else None  # pylint: disable=protected-access
        made = _do(_lib.heft_heap_report_new, self._handle, other, byref(query))
        try:
            table = _table(_written(_lib.heft_heap_report_write, made, _json_opts(full=True)), self._work,
                           ["site" if by == "stack" else by], by in ("tree", "callers"))
        finally:
            _lib.heft_heap_report_free(made)
        frames = table.document.pop("frames", [])
        for row in table:
            if by == "stack":
                row["frames"] = [frames[i] for i in row.pop("stack", ())]
        return table

    def leaks(self, **more: Any) -> Table:
        """Blocks to which no pointer leads."""
        return self.rows(leaks=True, **more)

    def _page(self, page: int) -> dict:
        made = json.loads(_written(_lib.heft_heap_write, self._handle, page, _abi.HEFT_JSON))
        return dict(made)

    def timeline(self) -> Table:
        """Live bytes over time."""
        return Table(self._page(_abi.HEFT_HEAP_TIMELINE)["timeline"])

    def damage(self) -> dict:
        """What is damaged, with the suspects."""
        return self._page(_abi.HEFT_HEAP_CHECK)

    def threads(self) -> dict:
        """The stacks of all threads."""
        return self._page(_abi.HEFT_HEAP_STACKS)

    def layout(self) -> dict:
        """What the bytes of the heap's memory are used for."""
        return self._page(_abi.HEFT_HEAP_LAYOUT)

    def digest(self) -> dict:
        """A summary without contents of memory, to compare many heaps."""
        return dict(json.loads(_written(_lib.heft_heap_digest_write, self._handle)))


def __getattr__(name: str) -> Any:
    """The console takes as long to import as all the rest, so it is imported when it is first used."""
    if name == "Console":
        from . import console  # pylint: disable=import-outside-toplevel
        return console.Console
    raise AttributeError(f"module 'heft' has no attribute {name!r}")
