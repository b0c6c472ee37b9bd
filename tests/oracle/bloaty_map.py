"""The raw maps that Bloaty makes of ELF files of 64 bits, little-endian: its rules of ranges, written again.

A map has two spaces, VM image and file.  The first claim of a byte wins.  The base map says which bytes there are, and how
the spaces belong together.  Short gaps count for what precedes them."""
import bisect
import struct

PADDING = 16
SYMTAB, RELA, NOBITS, DYNSYM = 2, 4, 8, 11
LOAD, TLS = 1, 7
ALLOC = 2
STT_SECTION, STT_TLS = 3, 6
SYMBOL, RELOCATION = 24, 24


class Space:
    """Ranges [start, end, label, start in the other space or None], sorted."""
    def __init__(self):
        self.starts, self.ranges = [], []

    def find(self, at):
        i = bisect.bisect_right(self.starts, at) - 1
        return self.ranges[i] if i >= 0 and at < self.ranges[i][1] else None

    def label(self, at):
        found = self.find(at)
        return found[2] if found else None

    def add(self, start, size, label, other=None):
        end, at = start + size, start
        while at < end:
            here = self.find(at)
            if here:
                at = here[1]
                continue
            i = bisect.bisect_right(self.starts, at)
            stop = min(end, self.starts[i]) if i < len(self.starts) else end
            self.starts.insert(i, at)
            self.ranges.insert(i, [at, stop, label, None if other is None else other + at - start])
            at = stop

    def covers(self, start, size):
        at = start
        while at < start + size:
            here = self.find(at)
            if not here:
                return False
            at = here[1]
        return True

    def compressed(self):
        out = []
        for start, end, label, _ in self.ranges:
            last = out[-1] if out else None
            if last and last[1] == start and (last[2] == label or (
                    end - start <= PADDING and label[0] == "[" and last[2][0] != "[")):
                last[1] = end
            else:
                out.append([start, end, label])
        return out


class Elf:
    def __init__(self, path):
        self.path = path
        self.bytes = open(path, "rb").read()
        head = struct.unpack_from("<HHIQQQIHHHHHH", self.bytes, 16)
        self.object = head[0] == 1
        self.tables = [(0, 64, "[ELF Header]"), (head[5], head[10] * head[11], "[ELF Section Headers]"),
                       (head[4], head[8] * head[9], "[ELF Program Headers]")]
        raw = [struct.unpack_from("<IIQQQQIIQQ", self.bytes, head[5] + 64 * i) for i in range(head[11])]
        self.sections = [dict(name=self.text(raw[head[12]][4] + r[0]), type=r[1], flags=r[2], addr=r[3], off=r[4],
                              size=r[5], link=r[6], info=r[7]) for r in raw]
        self.segments = [struct.unpack_from("<IIQQQQQQ", self.bytes, head[4] + 56 * i) for i in range(head[9])]

    def text(self, off):
        return self.bytes[off:self.bytes.index(0, off)].decode("latin1")

    def symbols(self, table):
        strings = self.sections[table["link"]]["off"]
        for off in range(table["off"] + SYMBOL, table["off"] + table["size"], SYMBOL):
            name, info, _, section, value, size = struct.unpack_from("<IBBHQQ", self.bytes, off)
            # Thread-local symbols have no address.  Bloaty takes their offset for one, which is an error.
            if section and info & 15 not in (STT_SECTION, STT_TLS):
                yield off, strings + name, self.text(strings + name), section, value, size


class Maps:
    """The base map, and the map of each source by its method."""
    def __init__(self, path):
        self.elf = Elf(path)
        self.base = (Space(), Space())
        self.segment_ranges(self.base, base=True)
        for off, size, label in self.elf.tables:
            self.base[1].add(off, size, label)
        self.bracketed(self.base, base=True)
        self.base[1].add(0, len(self.elf.bytes), "[Unmapped]")

    def address(self, value, section):
        return section << 40 | value if self.elf.object else value

    def both(self, m, base, vm, vm_size, off, file_size, label):
        """A range of both spaces: as much as is in both belongs together."""
        if not base and not (self.base[0].covers(vm, vm_size) and self.base[1].covers(off, file_size)):
            return
        common = min(vm_size, file_size)
        m[0].add(vm, common, label, off)
        m[1].add(off, common, label, vm)
        m[0].add(vm + common, vm_size - common, label)
        m[1].add(off + common, file_size - common, label)

    def one(self, m, space, start, size, label):
        """A range of one space, translated to the other by the base map."""
        base = self.base[space]
        if not base.find(start):
            return
        for first, last, _, other in base.ranges:
            low, high = max(start, first), min(start + size, last)
            if low < high:
                m[space].add(low, high - low, label)
                if other is not None:
                    m[1 - space].add(other + low - first, high - low, label)

    def loads(self, m, base, kind, label):
        for i, (type_, flags, off, vm, _, file_size, vm_size, _) in enumerate(self.elf.segments):
            if type_ == kind:
                letters = "".join(c for bit, c in ((4, "R"), (2, "W"), (1, "X")) if flags & bit)
                self.both(m, base, vm, vm_size, off, file_size, label % (i, letters) if "%" in label else label)

    def all_sections(self, m, base, label):
        for i, s in enumerate(self.elf.sections[1:], 1):
            self.both(m, base, self.address(s["addr"], i), s["size"] if s["flags"] & ALLOC else 0, s["off"],
                      0 if s["type"] == NOBITS else s["size"], label(s))

    def segment_ranges(self, m, base=False):
        if self.elf.object:
            self.all_sections(m, base, lambda s: "Section [%s]" % "".join(
                c for bit, c in ((2, "A"), (1, "W"), (4, "X")) if s["flags"] & bit))
        else:
            self.loads(m, base, LOAD, "LOAD #%d [%s]")
            self.loads(m, base, TLS, "TLS")

    def bracketed(self, m, base=False):
        if not self.elf.object:
            self.loads(m, base, LOAD, "[LOAD #%d [%s]]")

    def rest(self, m):
        self.all_sections(m, False, lambda s: "[section %s]" % s["name"])
        for off, size, label in self.elf.tables:
            self.one(m, 1, off, size, label)
        self.bracketed(m)
        if not self.elf.object:
            self.loads(m, False, TLS, "TLS")
        self.one(m, 1, 0, len(self.elf.bytes), "[Unmapped]")

    def segments(self, m):
        self.segment_ranges(m)
        self.bracketed(m)
        self.one(m, 1, 0, len(self.elf.bytes), "[Unmapped]")

    def sections(self, m):
        self.all_sections(m, False, lambda s: s["name"])
        self.rest(m)

    def inputfiles(self, m):
        for space in (0, 1):
            for start, end, *_ in self.base[space].ranges:
                m[space].add(start, end - start, self.elf.path)

    def armembers(self, m):
        self.all_sections(m, False, lambda s: self.elf.path)
        self.one(m, 1, 0, len(self.elf.bytes), self.elf.path)
        self.rest(m)

    def rawsymbols(self, m):
        """Without what code refers to: that needs a disassembler."""
        for table in self.elf.sections:
            if table["type"] != SYMTAB:
                continue
            for off, _, name, section, value, size in self.elf.symbols(table):
                name = name or "[Anonymous symbol #%d]" % ((off - table["off"]) // SYMBOL)
                inside = self.elf.sections[section] if section < 0xff00 else None
                if inside and not inside["flags"] & ALLOC:
                    self.one(m, 1, inside["off"] + value - inside["addr"], size, name)
                elif size:
                    self.one(m, 0, self.address(value, section), size, name)
        for table in self.elf.sections:
            self.entries(m, table)
        self.rest(m)

    def give(self, m, addr, off, size):
        label = m[0].label(addr)
        if label:
            self.one(m, 1, off, size, label)

    def entries(self, m, table):
        if table["type"] in (SYMTAB, DYNSYM):
            for off, name_off, name, section, value, _ in self.elf.symbols(table):
                self.give(m, self.address(value, section), name_off, len(name) + 1)
                self.give(m, self.address(value, section), off, SYMBOL)
        elif table["type"] == RELA:
            for off in range(table["off"], table["off"] + table["size"], RELOCATION):
                place = struct.unpack_from("<Q", self.elf.bytes, off)[0]
                self.give(m, self.address(place, table["info"]), off, RELOCATION)
        elif table["name"] == ".eh_frame" and not self.elf.object:
            self.frames(m, table)
        elif table["name"] == ".eh_frame_hdr" and not self.elf.object:
            first = table["off"] + 12
            for off in range(first, first + 8 * struct.unpack_from("<I", self.elf.bytes, first - 4)[0], 8):
                self.give(m, table["addr"] + struct.unpack_from("<i", self.elf.bytes, off)[0], off, 8)

    def frames(self, m, table):
        """The form of compilers for x86-64: addresses of 4 bytes, relative to their field."""
        at, end = table["off"], table["off"] + table["size"]
        while at < end:
            size, cie = struct.unpack_from("<II", self.elf.bytes, at)
            if size == 0:
                break
            if cie:
                far = struct.unpack_from("<i", self.elf.bytes, at + 8)[0]
                self.give(m, table["addr"] + at + 8 - table["off"] + far, at, size + 4)
            at += size + 4

    def rows(self, sources):
        """({rows of the VM image}, {rows of the file}): (start, end, labels)."""
        maps = []
        for source in sources:
            maps.append((Space(), Space()))
            getattr(self, source)(maps[-1])
        out = []
        for space in (0, 1):
            lists = [self.base[space].compressed()] + [m[space].compressed() for m in maps]
            cuts = sorted({c for ranges in lists for r in ranges for c in r[:2]})
            rows, at = [], [0] * len(lists)
            for start, end in zip(cuts, cuts[1:]):
                for k, ranges in enumerate(lists):
                    while at[k] < len(ranges) and ranges[at[k]][1] <= start:
                        at[k] += 1
                here = [ranges[i] if i < len(ranges) and ranges[i][0] <= start else None for ranges, i in zip(lists, at)]
                if here[0]:
                    rows.append((start, end) + tuple(r[2] for r in here[1:]))
            out.append(rows)
        return out


def printed(text):
    """The rows of a raw map that was printed."""
    out = {"FILE": [], "VM": []}
    for line in text.splitlines():
        if line.endswith(" MAP:"):
            current = out[line.split()[0]]
        elif "\t" in line and "[-- Nothing mapped --]" not in line:
            fields = line.split("\t")
            start, end = fields[0].split("-")
            current.append((int(start, 16), int(end, 16)) + tuple(fields[3:]))
    return [out["VM"], out["FILE"]]


def sums(rows):
    """{labels: (vm, file)} of the rows of both spaces."""
    total = {}
    for space in (0, 1):
        for start, end, *labels in rows[space]:
            pair = total.setdefault(tuple(labels), [0, 0])
            pair[space] += end - start
    return {k: tuple(v) for k, v in total.items()}
