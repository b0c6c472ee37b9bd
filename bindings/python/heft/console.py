"""The words of SuperSize's console, over heft's list of symbols.

    c = heft.Console("app.size")                  # or a program
    c.Print(c.symbols.WhereInSection("t").WhereNameMatches("{{some_name}}").Sorted())
    c.Print(c.symbols.GroupedByPath(depth=2).Sorted())
    print(c.Describe())

`python3 -m heft.console FILE` is the same at a prompt, where these names stand by themselves.
"""
from __future__ import annotations

import code
import csv
import re
import sys
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, TextIO, Union

import heft

_FLAGS = {"anonymous": 1, "startup": 2, "unlikely": 4, "rel": 8, "rel.loc": 16, "gen": 32, "clone": 64, "hot": 128,
          "covered": 256, "uncompressed": 512}
# What the rest follows from.
_COLUMNS = ("section", "address", "own", "padding", "aliases", "alias_group", "name", "template_name", "full_name", "source",
            "object", "component", "container", "flags", "kind")


def expand_regex(pattern: str) -> str:
    """Replaces {{some_name}} by all spellings of the name as a word, {{_some_name_}} also inside of longer ones."""
    def spellings(found: Any) -> str:
        name = found[1]
        inside = name.startswith("_") and name.endswith("_")
        parts = [part.lower() for part in name.strip("_").split("_")]
        camel = "".join(part.capitalize() for part in parts)
        any_of = "|".join(dict.fromkeys(("_".join(parts).upper(), "_".join(parts), "k" + camel, camel,
                                         parts[0] + camel[len(parts[0]):])))
        return f"(?:{any_of})" if inside else rf"\b(?:{any_of})\b"
    return re.sub(r"\{\{(\w+)\}\}", spellings, pattern)


class Symbol:
    """One symbol. Sizes are bytes; `pss` is the part of a symbol whose bytes have several names."""
    __slots__ = ("_row", "_info")

    def __init__(self, row: dict, info: Console) -> None:
        self._row, self._info = row, info

    size = property(lambda self: self._row["own"] + self._row["padding"], doc="with padding")
    size_without_padding = property(lambda self: self._row["own"])
    padding = property(lambda self: self._row["padding"])
    pss = property(lambda self: (self._row["own"] + self._row["padding"]) / self._row["aliases"])
    pss_without_padding = property(lambda self: self._row["own"] / self._row["aliases"])
    padding_pss = property(lambda self: self._row["padding"] / self._row["aliases"])
    address = property(lambda self: self._row["address"])
    end_address = property(lambda self: self._row["address"] + self._row["own"])
    section = property(lambda self: self._info.sections[self._row["section"]][0], doc="letter of the section")
    section_name = property(lambda self: self._row["section"])
    name = property(lambda self: self._row["name"])
    template_name = property(lambda self: self._row["template_name"])
    full_name = property(lambda self: self._row["full_name"])
    source_path = property(lambda self: self._row["source"])
    object_path = property(lambda self: self._row["object"])
    component = property(lambda self: self._row["component"])
    container_name = property(lambda self: self._row["container"])
    flags = property(lambda self: self._row["flags"])
    num_aliases = property(lambda self: self._row["aliases"])
    generated_source = property(lambda self: bool(self._row["flags"] & _FLAGS["gen"]))

    @property
    def aliases(self) -> List[Symbol]:
        """The symbols with the same bytes, this one included."""
        return self._info.alias_groups()[self._row["alias_group"]]

    def IsGroup(self) -> bool:
        return False

    def IsBss(self) -> bool:
        return not self._info.sections[self._row["section"]][1]

    def IsTemplate(self) -> bool:
        return bool(self.name != self.template_name)

    def IsOverhead(self) -> bool:
        return self._row["kind"] == "overhead"

    def IsPlaceholder(self) -> bool:
        return self._row["kind"] == "placeholder"

    def IsStringLiteral(self) -> bool:
        return self._row["kind"] == "literal"

    def __repr__(self) -> str:
        return f"Symbol({self.section}@{self.address:#x} size={self.size} {self.full_name} {self.source_path or self.object_path})"


Item = Union[Symbol, "SymbolGroup"]


class SymbolGroup:
    """A list of symbols, or of groups of them. Filters return a list; Inverted() gives what the last filter left out."""

    def __init__(self, items: Iterable[Item], name: str = "", left_out: Iterable[Item] = ()) -> None:
        self._items, self.name, self._left_out = list(items), name, list(left_out)

    def __iter__(self) -> Iterator[Item]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return SymbolGroup(self._items[key], self.name)
        if isinstance(key, str):
            return next(item for item in self._items if item.name == key)
        return self._items[key]

    def __add__(self, other: SymbolGroup) -> SymbolGroup:
        mine = {id(item) for item in self._items}
        return SymbolGroup(self._items + [item for item in other if id(item) not in mine], self.name)

    def __sub__(self, other: SymbolGroup) -> SymbolGroup:
        theirs = {id(item) for item in other}
        return SymbolGroup((item for item in self._items if id(item) not in theirs), self.name)

    def __repr__(self) -> str:
        return f"Group({self.name or 'symbols'}: {len(self)}, pss={self.pss:.0f})"

    full_name = template_name = property(lambda self: self.name)

    def IsGroup(self) -> bool:
        return True

    def IterLeafSymbols(self) -> Iterator[Symbol]:
        """Each symbol, of groups too."""
        waiting: List[Item] = [self]
        while waiting:
            item = waiting.pop()
            if isinstance(item, SymbolGroup):
                waiting += reversed(item._items)  # pylint: disable=protected-access
            else:
                yield item

    def IterUniqueSymbols(self) -> Iterator[Symbol]:
        """One symbol of those with the same bytes."""
        seen = set()
        for symbol in self.IterLeafSymbols():
            group = symbol._row["alias_group"]  # pylint: disable=protected-access
            if group not in seen:
                seen.add(group)
                yield symbol

    def CountUniqueSymbols(self) -> int:
        return sum(1 for _ in self.IterUniqueSymbols())

    size = property(lambda self: sum(symbol.size for symbol in self.IterUniqueSymbols()))
    pss = property(lambda self: sum(symbol.pss for symbol in self.IterLeafSymbols()))
    pss_without_padding = property(lambda self: sum(symbol.pss_without_padding for symbol in self.IterLeafSymbols()))
    padding = property(lambda self: sum(symbol.padding for symbol in self.IterUniqueSymbols()))
    address = property(lambda self: min((symbol.address for symbol in self.IterLeafSymbols()), default=0))

    def _common(self, read: Callable[[Symbol], str]) -> str:
        found = {read(symbol) for symbol in self.IterLeafSymbols()}
        return found.pop() if len(found) == 1 else ""

    section = property(lambda self: self._common(lambda symbol: symbol.section) or "*")
    section_name = property(lambda self: self._common(lambda symbol: symbol.section_name))
    source_path = property(lambda self: self._common(lambda symbol: symbol.source_path))
    object_path = property(lambda self: self._common(lambda symbol: symbol.object_path))
    component = property(lambda self: self._common(lambda symbol: symbol.component))

    # ---- filters

    def Filter(self, keeps: Callable[[Any], bool]) -> SymbolGroup:
        kept: List[Item] = []
        left_out: List[Item] = []
        for item in self._items:
            (kept if keeps(item) else left_out).append(item)
        return SymbolGroup(kept, self.name, left_out)

    def Inverted(self) -> SymbolGroup:
        return SymbolGroup(self._left_out, self.name, self._items)

    def _matching(self, pattern: str, *reads: str) -> SymbolGroup:
        search = re.compile(expand_regex(pattern)).search
        return self.Filter(lambda item: any(search(getattr(item, read, "") or "") for read in reads))

    def WhereInSection(self, section: str, container: Optional[str] = None) -> SymbolGroup:
        """By name (".text") or by letters ("tr")."""
        inside = (lambda s: s.section_name == section) if section.startswith((".", "_")) else (lambda s: s.section in section)
        return self.Filter(lambda s: inside(s) and (container is None or s.container_name == container))

    def WhereIsInContainer(self, name: str) -> SymbolGroup:
        return self.Filter(lambda s: s.container_name == name)

    def WhereNameMatches(self, pattern: str) -> SymbolGroup:
        return self._matching(pattern, "name")

    def WhereFullNameMatches(self, pattern: str) -> SymbolGroup:
        return self._matching(pattern, "full_name")

    def WhereTemplateNameMatches(self, pattern: str) -> SymbolGroup:
        return self._matching(pattern, "template_name")

    def WhereObjectPathMatches(self, pattern: str) -> SymbolGroup:
        return self._matching(pattern, "object_path")

    def WhereSourcePathMatches(self, pattern: str) -> SymbolGroup:
        return self._matching(pattern, "source_path")

    def WherePathMatches(self, pattern: str) -> SymbolGroup:
        return self._matching(pattern, "source_path", "object_path")

    def WhereComponentMatches(self, pattern: str) -> SymbolGroup:
        return self._matching(pattern, "component")

    def WhereMatches(self, pattern: str) -> SymbolGroup:
        return self._matching(pattern, "source_path", "object_path", "full_name", "component")

    def WhereSizeBiggerThan(self, least: int) -> SymbolGroup:
        return self.Filter(lambda s: s.size >= least)

    def WherePssBiggerThan(self, least: float) -> SymbolGroup:
        return self.Filter(lambda s: s.pss >= least)

    def WhereAddressInRange(self, start: int, end: int) -> SymbolGroup:
        return self.Filter(lambda s: start <= s.address < end)

    def WhereHasFlag(self, flag: Union[int, str]) -> SymbolGroup:
        bit = flag if isinstance(flag, int) else _FLAGS[flag]
        return self.Filter(lambda s: bool(s.flags & bit))

    def WhereHasPath(self) -> SymbolGroup:
        return self.Filter(lambda s: bool(s.source_path or s.object_path))

    def WhereHasComponent(self) -> SymbolGroup:
        return self.Filter(lambda s: bool(s.component))

    def WhereHasAnyAttribution(self) -> SymbolGroup:
        return self.Filter(lambda s: bool(s.full_name or s.source_path or s.object_path))

    def WhereSourceIsGenerated(self) -> SymbolGroup:
        return self.Filter(lambda s: s.generated_source)

    def WhereIsTemplate(self) -> SymbolGroup:
        return self.Filter(lambda s: s.IsTemplate())

    def WhereIsPlaceholder(self) -> SymbolGroup:
        return self.Filter(lambda s: s.IsPlaceholder())

    def WhereIsGroup(self) -> SymbolGroup:
        return self.Filter(lambda s: s.IsGroup())

    # ---- groups

    def GroupedBy(self, key: Callable[[Any], Any], min_count: int = 0) -> SymbolGroup:
        """Groups by what a function says. Fewer than min_count symbols make no group; if it is negative they go."""
        groups: Dict[Any, List[Item]] = {}
        for symbol in self._items:
            groups.setdefault(key(symbol), []).append(symbol)
        items: List[Item] = []
        for name, members in groups.items():
            if len(members) >= abs(min_count):
                items.append(SymbolGroup(members, str(name)))
            elif min_count > 0:
                items += members
        return SymbolGroup(items, self.name)

    def GroupedByName(self, depth: int = 0, min_count: int = 0) -> SymbolGroup:
        """By name, or by its first `depth` parts between "::"; negative: without the last ones."""
        def key(symbol: Any) -> str:
            parts = symbol.name.split("::")
            return "::".join(parts[:depth] if depth else parts) or "{global}"
        return self.GroupedBy(key, min_count)

    def GroupedByFullName(self, min_count: int = 2) -> SymbolGroup:
        return self.GroupedBy(lambda s: s.full_name, min_count)

    def GroupedByPath(self, depth: int = 0, fallback: str = "{no path}", min_count: int = 0) -> SymbolGroup:
        """By source path, else by object path, or by their first `depth` folders."""
        def key(symbol: Any) -> str:
            parts = (symbol.source_path or symbol.object_path or fallback).split("/")
            return "/".join(parts[:depth] if depth else parts)
        return self.GroupedBy(key, min_count)

    def GroupedByComponent(self, min_count: int = 0) -> SymbolGroup:
        return self.GroupedBy(lambda s: s.component or "{no component}", min_count)

    def GroupedByContainer(self, min_count: int = 0) -> SymbolGroup:
        return self.GroupedBy(lambda s: s.container_name, min_count)

    def GroupedBySectionName(self, min_count: int = 0) -> SymbolGroup:
        return self.GroupedBy(lambda s: s.section_name, min_count)

    def GroupedByAliases(self, min_count: int = 2) -> SymbolGroup:
        return self.GroupedBy(lambda s: s._row["alias_group"], min_count)  # pylint: disable=protected-access

    # ---- order

    def Sorted(self, key: Optional[Callable[[Any], Any]] = None, reverse: bool = False) -> SymbolGroup:
        """The largest first."""
        return SymbolGroup(sorted(self._items, key=key or (lambda s: -abs(s.pss)), reverse=reverse), self.name)

    def SortedByName(self, reverse: bool = False) -> SymbolGroup:
        return self.Sorted(lambda s: s.name, reverse)

    def SortedByAddress(self, reverse: bool = False) -> SymbolGroup:
        return self.Sorted(lambda s: s.address, reverse)

    def SortedByCount(self, reverse: bool = False) -> SymbolGroup:
        return self.Sorted(lambda s: -len(s) if s.IsGroup() else -1, reverse)

    def Reversed(self) -> SymbolGroup:
        return SymbolGroup(self._items[::-1], self.name)


class CannedQueries:
    """Ready-made questions."""

    def __init__(self, symbols: SymbolGroup) -> None:
        self._symbols = symbols

    def StaticInitializers(self, symbols: Optional[SymbolGroup] = None) -> SymbolGroup:
        return (symbols or self._symbols).WhereNameMatches(r"^startup$|^_GLOBAL__")

    def TemplatesByName(self, depth: int = 0, symbols: Optional[SymbolGroup] = None) -> SymbolGroup:
        return (symbols or self._symbols).WhereIsTemplate().GroupedByName(depth).Sorted()

    def LargeFiles(self, min_size: int = 50 * 1024, symbols: Optional[SymbolGroup] = None) -> SymbolGroup:
        return (symbols or self._symbols).GroupedByPath().WherePssBiggerThan(min_size).Sorted()


class Console:
    """A .size file or program, with the words of SuperSize's console."""

    def __init__(self, size_file: heft.Path, **options: Any) -> None:
        self.path = size_file
        with heft.Snapshot(size_file, symbols_only=True, **options) as snapshot:
            rows = snapshot.query(f"SELECT {', '.join(_COLUMNS)} FROM symbols")
            self.sections = {row["section"]: (row["letter"], bool(row["in_file"])) for row in
                             snapshot.query("SELECT DISTINCT section, letter, in_file FROM symbols")}
            self.metadata = {row["key"]: row["value"] for row in snapshot.query("SELECT key, value FROM metadata")}
            self.section_sizes = {row["section"]: row["size"] for row in snapshot.query("SELECT section, size FROM section_sizes")}
        self.symbols = SymbolGroup((Symbol(row, self) for row in rows), "symbols")
        self.size_info = self.raw_symbols = self.symbols
        self.canned_queries = CannedQueries(self.symbols)
        self._groups: Dict[int, List[Symbol]] = {}

    def alias_groups(self) -> Dict[int, List[Symbol]]:
        """The symbols of each run of bytes that has several names, by its number."""
        if not self._groups:
            for symbol in self.symbols.IterLeafSymbols():
                self._groups.setdefault(symbol._row["alias_group"], []).append(symbol)  # pylint: disable=protected-access
        return self._groups

    def Diff(self, before: Union[heft.Path, Console], **options: Any) -> heft.Table:
        """What changed since another file: heft.diff()."""
        return heft.diff(before.path if isinstance(before, Console) else before, self.path, **options)

    def ReadStringLiterals(self) -> SymbolGroup:
        """Symbols that are string literals: their names are the texts."""
        return self.symbols.Filter(lambda s: s.IsStringLiteral())

    def Describe(self, what: Optional[Union[SymbolGroup, Symbol]] = None, verbose: bool = False, rows: int = 50) -> str:
        """A text: of the file if nothing is named, else of symbols or groups; at most `rows` of them, 0 for all."""
        if isinstance(what, Symbol):
            return repr(what)
        lines = []
        if what is None:
            what = self.symbols
            lines += [f"{key}={value}" for key, value in sorted(self.metadata.items())]
            total = sum(self.section_sizes.values())
            lines += ["", f"Section Sizes (Total={_size(total)} ({total} bytes)):"]
            lines += [f"    {name}: {_size(size)} ({size} bytes) ({size / max(total, 1):.1%})"
                      for name, size in sorted(self.section_sizes.items(), key=lambda item: -item[1])]
            lines.append("")
        lines.append(f"Showing {len(what)} symbols ({what.CountUniqueSymbols()} unique) with total pss: {what.pss:.0f} bytes")
        lines.append("Index | Running Total | Section@Address | PSS | Path or name")
        running, whole = 0.0, what.pss or 1
        for i, item in enumerate(what):
            if rows and i == rows:
                lines.append(f"... {len(what) - rows} more")
                break
            running += item.pss
            name = f"{item.name or '(no name)'}" + (f" ({len(item)} symbols)" if isinstance(item, SymbolGroup) else "")
            lines.append(f"{i}) {running:>10.0f} ({running / whole:6.1%}) {item.section}@{item.address:<#10x} {_pss(item.pss):<10} "
                         f"{item.full_name if verbose and item.full_name else name}")
            if path := item.source_path or item.object_path:
                lines.append(f"{'':30}{path}")
        return "\n".join(lines)

    def Print(self, what: Any = None, to_file: Optional[TextIO] = None, **options: Any) -> None:
        """Describe(), printed."""
        print(self.Describe(what, **options), file=to_file or sys.stdout)

    def Csv(self, what: Optional[SymbolGroup] = None, to_file: Optional[TextIO] = None) -> None:
        """The columns of SuperSize, a line a symbol or group."""
        writer = csv.writer(to_file or sys.stdout)
        writer.writerow(["GroupCount", "Address", "SizeWithoutPadding", "Padding", "NumAliases", "PSS", "Section", "Name"])
        for item in what or self.symbols:
            count, aliases = (len(item), "") if isinstance(item, SymbolGroup) else ("", item.num_aliases)
            writer.writerow([count, hex(item.address), item.size - item.padding, item.padding, aliases, round(item.pss, 3),
                             item.section, item.name])


def _pss(pss: float) -> str:
    return f"{pss:.0f}" if abs(pss) > 10 or pss == int(pss) else f"{pss:.1f}"


def _size(size: float) -> str:
    """SuperSize's form of a size."""
    if size < 2000:
        return f"{size:.0f} bytes"
    size /= 1024
    if size < 1024:
        return f"{size:.{2 if size < 10 else 1 if size < 100 else 0}f}kb"
    return f"{size / 1024:.{2 if size < 10240 else 1}f}mb"


def main() -> None:
    """The prompt."""
    if len(sys.argv) != 2:
        sys.exit("usage: python3 -m heft.console FILE")
    console = Console(sys.argv[1])
    names = {name: getattr(console, name) for name in dir(console) if not name.startswith("_")}
    code.interact("Names: " + ", ".join(sorted(names)), local={"console": console, "heft": heft, **names})


if __name__ == "__main__":
    main()
