"""Holds the pieces of debug/index.h against what llvm-dwarfdump reads in the same sections.

usage: indexes.py DUMP LLVM_DWARFDUMP FILE...

For each index section of each file: every byte is in a piece, no note, and each element that the
tool prints lies in a piece about what the tool says it names.  Prints a line a section.
"""
import bisect
import re
import subprocess
import sys

DUMP, TOOL = sys.argv[1:3]


def run(*args):
    done = subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return done.stdout.decode('utf-8', 'replace')


def numbers(line):
    """Numbers named in a line like "length = 0x2c, version = 0x0002"."""
    return {k: int(v, 0) for k, v in re.findall(r'(\w+) = (0x[0-9a-fA-F]+|\d+)', line)}


def head_size(line):
    return 12 if 'DWARF64' in line else 4


class File:
    def __init__(self, path):
        self.path = path
        self.read = {}
        header = run('readelf', '-hW', path)
        self.width = 4 if 'ELF32' in header else 8
        self.order = 'be' if 'big endian' in header else 'le'
        self.sections = {}
        for line in run('readelf', '-SW', path).splitlines():
            m = re.match(r'\s*\[ *\d+\] (\S+)\s+(\S+)\s+\S+ (\S+) (\S+)', line)
            if m and m.group(2) != 'NOBITS' and re.match(r'\.(debug_|gdb_index)', m.group(1)):
                self.sections[m.group(1)] = (m.group(3), m.group(4))

    def dump(self, walker, version=5, width=None):
        sections = ['%s=%s:%s' % (k, *v) for k, v in self.sections.items()]
        return run(DUMP, walker, str(version), str(width or self.width), self.order, self.path,
                   *sections)

    def bytes(self, section):
        if section not in self.read:
            start, size = (int(v, 16) for v in self.sections.get(section, ('0', '0')))
            with open(self.path, 'rb') as f:
                f.seek(start)
                self.read[section] = f.read(size)
        return self.read[section]

    def string(self, off):
        strings = self.bytes('.debug_str')
        return 'string ' + strings[off:strings.index(b'\0', off)].decode()

    def unit_size(self, off):
        order = {'le': 'little', 'be': 'big'}[self.order]
        info = self.bytes('.debug_info')
        length = int.from_bytes(info[off:off + 4], order)
        if length == 0xffffffff:
            return 12 + int.from_bytes(info[off + 4:off + 12], order)
        return 4 + length

    def tool(self, option):
        return run(TOOL, option, self.path)


class Pieces:
    def __init__(self, text):
        self.list, self.covered, self.section, self.notes = [], 0, -1, -1
        for line in text.splitlines():
            m = re.match(r'covered=(\d+) section=(\d+) notes=(\d+)', line)
            if m:
                self.covered, self.section, self.notes = map(int, m.groups())
            else:
                off, size, about, value = line.split()
                self.list.append((int(off, 16), int(size, 16), about, int(value, 16)))
        self.starts = [p[0] for p in self.list]

    def whole(self):
        return self.covered == self.section and self.notes == 0

    def at(self, off):
        i = bisect.bisect_right(self.starts, off) - 1
        if i < 0 or off >= self.list[i][0] + self.list[i][1]:
            return None
        return self.list[i][2:]


# ---- what the tool says: (offset, about, value) of each element -------------------------------


def die_in(f, unit, die):
    """What names a DIE of a split unit's .dwo is about the skeleton."""
    return unit + die if die < f.unit_size(unit) else unit


def want_aranges(text, _):
    at, end = 0, 0
    for line in text.splitlines():
        if line.startswith('Address Range Header'):
            n, start = numbers(line), end
            width = 2 * n['addr_size'] + n['seg_size']
            fixed = head_size(line) + 2 + (8 if 'DWARF64' in line else 4) + 2
            at = start + -(-fixed // width) * width
            end = start + head_size(line) + n['length']
            yield start, 'info', n['cu_offset']
            yield end - 1, 'info', n['cu_offset']
        elif re.match(r'\[0x', line):
            yield at, 'addr', int(line[1:].split(',')[0], 16)
            at += width


def want_addr(text, _):
    at, end = 0, 0
    for line in text.splitlines():
        if line.startswith('Address table header'):
            n, start = numbers(line), end
            at = start + head_size(line) + 4
            end = start + head_size(line) + n['length']
            yield start, 'next', 0
        elif re.match(r'0x', line):
            yield at, 'addr', int(line, 16)
            at += n['addr_size']


def want_str_offsets(text, _):
    for line in text.splitlines():
        m = re.match(r'0x([0-9a-f]+): ([0-9a-f]+) "', line)
        if m:
            yield int(m.group(1), 16), 'str', int(m.group(2), 16)
        elif 'Contribution' in line:
            yield int(line.split(':')[0], 16), 'next', 0


def want_pubnames(text, f, flags):
    at, end = 0, 0
    for line in text.splitlines():
        if line.startswith('length ='):
            n, start = numbers(line), end
            width = 8 if 'DWARF64' in line else 4
            at = start + head_size(line) + 2 + 2 * width
            end = start + head_size(line) + n['length']
            yield start, 'info', n['unit_offset']
            yield end - 1, 'info', n['unit_offset']
        m = re.match(r'0x([0-9a-f]+) .*?"(.*)"$', line)
        if m:
            yield at, 'info', die_in(f, n['unit_offset'], int(m.group(1), 16))
            at += width + flags + len(m.group(2).encode()) + 1


def want_frame(text, _):
    text = text.split('.eh_frame contents')[0]
    for m in re.finditer(r'^([0-9a-f]{8,16}) \S+ \S+ FDE cie=\S+ pc=([0-9a-f]+)', text, re.M):
        yield int(m.group(1), 16), 'addr', int(m.group(2), 16)


def want_gdb(text, _):
    units, types, vectors, slots = [], [], {}, []
    area = start = 0
    for line in text.splitlines():
        m = re.match(r'\s*(CU list|Types CU list|Address area|Symbol table|Constant pool) offset = '
                     r'(\w+)', line)
        if m:
            area, start, count = m.group(1), int(m.group(2), 16), 0
            continue
        n = numbers(line)
        if area == 'CU list' and 'Offset' in n:
            units.append(n['Offset'])
            yield start + 16 * (len(units) - 1), 'info', units[-1]
        elif area == 'Types CU list' and 'offset' in n:
            types.append(n)
        elif area == 'Address area' and 'Low/High' in line:
            yield start + 20 * count, 'addr', int(re.search(r'\[(\w+)', line).group(1), 16)
            count += 1
        elif area == 'Symbol table' and 'Name offset' in line:
            slot = int(line.split(':')[0])
            name, vector = re.findall(r'offset = (\w+)', line)
            slots.append((start + 8 * slot, int(name, 16), int(vector, 16)))
        elif area == 'Constant pool':
            m = re.match(r'\s*\d+\((\w+)\): (\w+)', line)
            if m:
                vectors[int(m.group(1), 16)] = int(m.group(2), 16) & 0xffffff
    for off, name, vector in slots:
        if vectors[vector] < len(units):
            for place in off, start + name, start + vector:
                yield place, 'info', units[vectors[vector]]


class NameIndex:
    """One name index of the tool's list."""

    def __init__(self, start, text, f):
        def header(name):
            return int(re.search(r'%s: (\w+)' % name, text).group(1), 0)
        self.text = text
        self.file = f
        wide = 'Format: DWARF64' in text
        self.width = 8 if wide else 4
        self.units = [int(v, 16) for v in re.findall(r'^ *CU\[\d+\]: (\w+)', text, re.M)]
        self.local = [int(v, 16) for v in re.findall(r'^ *LocalTU\[\d+\]: (\w+)', text, re.M)]
        self.foreign = header('Foreign TU count')
        augmentation = re.search(r"Augmentation: '(.*)'", text).group(1)
        aligned = -(-len(augmentation) // 4) * 4
        self.lists = start + (12 if wide else 4) + 32 + aligned
        buckets = header('Bucket count')
        self.count = header('Name count')
        lists = (len(self.units) + len(self.local)) * self.width + self.foreign * 8
        self.hashes = self.lists + lists + 4 * buckets
        self.has_hashes = buckets > 0

    def entry(self, text):
        def attr(name):
            m = re.search(r'%s: (0x[0-9a-f]+|\d+)' % name, text)
            return int(m.group(1), 0) if m else None
        unit, kind, die = attr('DW_IDX_compile_unit'), attr('DW_IDX_type_unit'), \
            attr('DW_IDX_die_offset')
        if kind is not None:
            if kind < len(self.local):
                base = self.local[kind]
            elif unit is None and len(self.units) > 1:
                return None
            else:
                return self.units[unit or 0]
        elif unit is None and len(self.units) == 1:
            base = self.units[0]
        else:
            base = self.units[unit]
        return die_in(self.file, base, die or 0)

    def columns(self, i):
        yield self.hashes + 4 * i if self.has_hashes else None
        strings = self.hashes + (4 * self.count if self.has_hashes else 0)
        yield strings + self.width * i
        yield strings + self.width * (self.count + i)

    def want(self):
        for i, unit in enumerate(self.units + self.local):
            yield self.lists + self.width * i, 'info', unit
        for name in re.split(r'^ *Name (?=\d+ \{)', self.text, flags=re.M)[1:]:
            number = int(name.split()[0])
            entries = re.findall(r'Entry @ (\w+) \{(.*?)\}', name, re.S)
            for off, entry in entries:
                value = self.entry(entry)
                if value is not None:
                    yield int(off, 16), 'info', value
            first = self.entry(entries[0][1])
            for place in self.columns(number - 1):
                if place is not None and first is not None:
                    yield place, 'info', first


def want_names(text, f):
    parts = re.split(r'^Name Index @ (\w+) \{', text, flags=re.M)
    for start, part in zip(parts[1::2], parts[2::2]):
        yield from NameIndex(int(start, 16), part, f).want()


# ---- comparing ---------------------------------------------------------------------------------


def compare(label, pieces, want):
    want = list(want)
    wrong = [w for w in want if pieces.at(w[0]) != w[1:]]
    good = pieces.whole() and not wrong and want
    print('%s %s: %d bytes, %d in pieces, %d notes; %d elements, %d differ' % (
        'ok  ' if good else 'FAIL', label, pieces.section, pieces.covered, pieces.notes, len(want),
        len(wrong)))
    for w in wrong[:3]:
        print('     %x: %s %x, not %s' % (*w, pieces.at(w[0])))
    return bool(good)


def want_macros(text, section):
    """Lines as the dump prints them."""
    part = re.search(r'^%s contents:\n(.*?)(?=^\.|\Z)' % re.escape(section), text, re.S | re.M)
    for line in part.group(1).splitlines():
        m = re.match(r'0x(\w+):$', line)
        line_off = re.search(r'debug_line_offset = (\w+)', line)
        imported = re.search(r'(?:import|transparent_include) - import offset: (\w+)', line)
        string = re.search(r'(?:strp|strx|indirect) - lineno: \d+ macro: (.*)', line)
        if m:
            yield 'unit %x' % int(m.group(1), 16)
        elif line_off:
            yield 'line %x' % int(line_off.group(1), 16)
        elif imported:
            yield 'import %x' % int(imported.group(1), 16)
        elif string:
            yield 'string ' + string.group(1)


def compare_macros(label, f, section):
    # clang's strings go through .debug_str_offsets: these of the one unit, behind the header
    got = f.dump(section, 8 if '.debug_str_offsets' in f.sections else 0).splitlines()
    want = list(want_macros(f.tool('--debug-macro'), section))
    m = re.match(r'covered=(\d+) section=(\d+) notes=0', got.pop())
    got = [re.sub(r'^\.debug_str (\w+)', lambda m: f.string(int(m.group(1), 16)), line)
           for line in got]
    good = m and m.group(1) == m.group(2) and got == want and want
    print('%s %s: %d references' % ('ok  ' if good else 'FAIL', label, len(want)))
    return bool(good)


def check(path):
    f = File(path)
    label = path.rsplit('/', 1)[-1]
    wanted = {
        '.debug_aranges': ('aranges', '--debug-aranges', want_aranges),
        '.debug_names': ('names', '--debug-names', want_names),
        '.gdb_index': ('gdb', '--gdb-index', want_gdb),
        '.debug_addr': ('addr', '--debug-addr', want_addr),
        '.debug_str_offsets': ('str_offsets', '--debug-str-offsets', want_str_offsets),
        '.debug_frame': ('frame', '--debug-frame', want_frame),
    }
    results = []
    for section in f.sections:
        name = label + ' ' + section
        if section in wanted:
            walker, option, want = wanted[section]
            results.append(compare(name, Pieces(f.dump(walker)), want(f.tool(option), f)))
        elif 'pub' in section:
            text = f.tool('--' + section[1:].replace('_', '-'))
            want = want_pubnames(text, f, 'gnu' in section)
            results.append(compare(name, Pieces(f.dump(section)), want))
        elif section in ('.debug_macro', '.debug_macinfo'):
            results.append(compare_macros(name, f, section))
    return results


def main():
    results = []
    for path in sys.argv[3:]:
        results += check(path)
    if len(results) < len(sys.argv[3:]):
        print('FAIL: fewer sections than files')
        return 1
    print('%d passed, %d failed' % (sum(results), len(results) - sum(results)))
    return 0 if results and all(results) else 1


sys.exit(main())
