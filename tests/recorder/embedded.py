"""A raw dump of memory with blocks of the embedded recorder, against what the program said of it.

usage: embedded.py DUMP LOG [NM ELF]    Finds the blocks by their headers alone (docs/heap-format.md).

LOG has lines "base ADDRESS", "live ADDRESS SIZE FRAME<FRAME...", "damaged ADDRESS", "counted WHAT NUMBER";
with ELF, frames are names of functions, and what the dump has may go on outward."""
import bisect
import re
import struct
import subprocess
import sys

M64 = (1 << 64) - 1
INLINE, PAGE = 0x9E51737461636B00, 0x9E52686561700A00
FREED, INLINED, WIDE, CANARY = 1, 2, 4, 8


def check_of(addr, mark, stack, wide):
    h = (addr ^ mark * 0x9E3779B97F4A7C15 & M64) + (stack ^ wide) * 0xC2B2AE3D27D4EB4F & M64
    return (h * 0xD6E8FEB86659FD93 & M64) >> 32


def canary_of(addr):
    return (addr ^ 0x5AFEB10C0DDC0DE5) * 0x9E3779B97F4A7C15 & M64 | 1


class Dump:
    def __init__(self, data, base):
        self.data, self.base = data, base
        self.order, self.word = self.kind_of_machine()
        self.live, self.freed = [], []
        at, end = 16, 0
        while at <= len(data):
            block = self.block(at)
            if block and not block['flags'] & FREED:
                self.live.append(block)
                end = at + block['size']
                at = max(at + 16, end & ~15)
                continue
            if block:
                self.freed.append(block)
            at += 16
        self.process = self.process_page()

    def words(self, at, count, size=8):
        return struct.unpack_from(self.order + str(count) + ('Q' if size == 8 else 'I'), self.data, at)

    def kind_of_machine(self):
        for word in (4, 8):
            for order, name in (('<', 'little'), ('>', 'big')):
                if (INLINE + word).to_bytes(8, name) in self.data:
                    return order, word
        sys.exit('no inline stack anywhere')

    def block(self, at):
        """What lies in front of offset `at`, if it is a header of this address."""
        link, mark = self.words(at - 16, 2)
        flags, size, addr = mark >> 48 & 15, mark & (1 << 48) - 1, self.base + at
        if mark >> 52 != 0x9E5 or at + size > len(self.data):
            return None
        wide = 0
        if flags & (WIDE | FREED) == WIDE:
            sequence, owner = self.words(at - 32, 2)
            wide = sequence ^ owner
        if link >> 32 != check_of(addr, mark, link & 0xFFFFFFFF, wide):
            return None
        block = dict(addr=addr, size=size, flags=flags, damaged=False, frames=None)
        if flags & CANARY and not flags & FREED:
            block['damaged'] = self.words(at + size, 1)[0] != canary_of(addr)
        if flags & INLINED:
            block['front'] = at - (link & 0xFFFFFFFF)
            block['frames'] = self.frames(block['front'])
        return block

    def frames(self, at):
        if at < 0 or at % 8:
            return None
        magic, count = self.words(at, 2)
        if magic != INLINE + self.word:
            return None
        frames = self.words(at + 16, count & 0xFFFFFFFF, self.word)
        check = 0
        for f in frames:
            check = ((check ^ f) * 0x9E3779B97F4A7C15 & M64) + 1 & M64
        return frames if check >> 32 == count >> 32 else None

    def process_page(self):
        for at in range(-self.base % 32768, len(self.data) - 183, 32768):
            magic, own = self.words(at, 2)
            if magic == PAGE + self.word and own == self.base + at:
                kind, _, entry, used = self.words(at + 24, 4, 4)
                assert (kind, entry, used) == (1, 120, 1)
                v = struct.unpack_from(self.order + 'IIQQQIIQQQII6Q', self.data, at + 64)
                return dict(zip('version pid started started_at sample depth flags live peak peak_at epoch '
                                'module_epoch foreign lost double damaged pages updated'.split(), v))
        return None


class Names:
    def __init__(self, nm, elf):
        self.symbols = []
        for line in subprocess.run([nm, elf], capture_output=True, text=True, check=True).stdout.split('\n'):
            m = re.match(r'([0-9a-f]+) [tT] ([^$].*)', line)
            if m:
                self.symbols.append((int(m[1], 16) & ~1, m[2].split('.')[0]))
        self.symbols.sort()

    def of(self, frame):
        return self.symbols[bisect.bisect_right(self.symbols, (frame - 1, '\x7f')) - 1][1]


def main():
    data = open(sys.argv[1], 'rb').read()
    names = Names(*sys.argv[3:5]) if len(sys.argv) > 3 else None
    told, damaged, counted, base = {}, set(), {}, None
    for line in open(sys.argv[2]):
        f = line.split()
        if f[:1] == ['base']:
            base = int(f[1], 16)
        elif f[:1] == ['live']:
            told[int(f[1], 16)] = (int(f[2]), f[3])
        elif f[:1] == ['damaged']:
            damaged.add(int(f[1], 16))
        elif f[:1] == ['counted']:
            counted[f[1]] = int(f[2])
    dump = Dump(data, base)
    bad = []
    found = {b['addr']: b for b in dump.live}
    for addr in sorted(set(told) ^ set(found)):
        bad.append('%x: %s' % (addr, 'not found' if addr in told else 'nobody asked for it'))
    for addr in set(told) & set(found):
        size, path = told[addr]
        b = found[addr]
        text = 'no stack'
        if b['frames']:
            text = '<'.join(names.of(f) if names else '%x' % f for f in b['frames'] if not names or f != 1)
        if b['size'] != size or not (text + '<').startswith(path + '<') or (not names and text != path):
            bad.append('%x: %d bytes from %s; was %d from %s' % (addr, b['size'], text, size, path))
        if b['damaged'] != (addr in damaged):
            bad.append('%x: damaged: %s' % (addr, b['damaged']))
    for what, n in counted.items():
        if dump.process[what] != n:
            bad.append('%s: %d in the page, was %d' % (what, dump.process[what], n))
    if dump.process and dump.process['live'] != sum(b['size'] for b in dump.live):
        bad.append('live bytes of the page: %d' % dump.process['live'])
    # Any piece explains itself.
    some = dump.live[len(dump.live) // 3:len(dump.live) * 2 // 3]
    start, end = some[0]['front'] & ~15, some[-1]['addr'] - base + some[-1]['size'] + 8
    if Dump(data[start:end], base + start).live != [dict(b, front=b['front'] - start) for b in some]:
        bad.append('a piece of the dump has other blocks than the whole')
    if not told or not damaged or not dump.freed:
        bad.append('the log is empty, or nothing was freed')
    print('\n'.join(bad + ['%d live blocks, %d freed, words of %d bits %s-endian, %s' % (
        len(found), len(dump.freed), dump.word * 8, 'little' if dump.order == '<' else 'big',
        'with a process page' if dump.process else 'no process page')]))
    sys.exit(bool(bad))


main()
