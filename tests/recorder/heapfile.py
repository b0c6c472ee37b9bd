"""Reads the recorder's pages (docs/heap-format.md) from a snapshot file or any raw bytes."""
import struct

PAGE, HEADER = 32768, 64
MAGIC = 0x9E52686561700A00
PROCESS, MODULES, THREADS, NODES, STACKS, REMOTE, TIMELINE = range(1, 8)
M64 = (1 << 64) - 1


def page_check(magic, self_, process, kind, number, entry, version, slot):
    h = magic ^ self_ * 0x9E3779B97F4A7C15 & M64
    for word, factor in ((process, 0xD6E8FEB86659FD93), (kind << 32 | number, 0xC2B2AE3D27D4EB4F),
                         (entry << 32 | version, 0x9E3779B97F4A7C15), (slot, 0xD6E8FEB86659FD93)):
        h = (h ^ word) * factor & M64
    return h >> 32


class Stack:
    pass


class Heap:
    def __init__(self, data):
        self.pages, self.nodes, self.stacks, self.modules, self.moments = [], {}, {}, [], []
        self.process = None
        remote = {}
        for at in range(0, len(data) - PAGE + 1, PAGE):
            (magic, self_, process, kind, number, entry, used, slot, epoch, version, check,
             _) = struct.unpack_from('<QQQ8IQ', data, at)
            if magic != MAGIC + 8:
                continue
            assert check == page_check(magic, self_, process, kind, number, entry, version, slot)
            assert used * entry <= PAGE - HEADER
            self.pages.append((kind, number, self_))
            for i in range(used):
                self.entry(data, at + HEADER + i * entry, kind, number, i, slot, remote)
        for key, (frees, freed) in remote.items():
            if key in self.stacks:
                self.stacks[key].frees += frees
                self.stacks[key].freed += freed
        for s in self.stacks.values():
            s.live = s.bytes - s.freed
            s.blocks = s.allocs - s.frees
            if s.epoch != self.process['epoch']:
                s.at_peak = s.live
        # Now is the peak, where more is live than ever before.
        if sum(s.live for s in self.stacks.values()) > self.process['peak']:
            for s in self.stacks.values():
                s.at_peak = s.live

    def entry(self, data, at, kind, number, i, slot, remote):
        if kind == NODES:
            frame, parent, _ = struct.unpack_from('<QII', data, at)
            self.nodes[number << 11 | i] = (frame, parent)
        elif kind == STACKS:
            s = Stack()
            (s.allocs, s.bytes, s.frees, s.freed, s.peak, s.at_peak, s.at_peak_blocks, s.epoch, s.node,
             s.temporary) = struct.unpack_from('<6Q4I', data, at)
            s.slot = slot
            self.stacks[number << 9 | i] = s
        elif kind == REMOTE:
            remote[number << 9 | i] = struct.unpack_from('<QQ', data, at)
        elif kind == TIMELINE:
            self.moments.append(struct.unpack_from('<QQQ', data, at))
        elif kind == MODULES:
            start, end, bias, first, last, id_size, path_size = struct.unpack_from('<QQQ4I', data, at)
            self.modules.append((start, end, bias, first, last, data[at + 40:at + 40 + id_size].hex(),
                                 data[at + 72:at + 72 + path_size].decode()))
        elif kind == PROCESS:
            v = struct.unpack_from('<IIQQQIIQQQII6Q', data, at)
            names = ('version pid started started_at sample depth flags live peak peak_at epoch '
                     'module_epoch foreign lost double damaged pages updated').split()
            self.process = dict(zip(names, v))

    def frames(self, stack):
        """Innermost first."""
        out, node = [], stack.node
        while node:
            frame, node = self.nodes[node]
            out.append(frame)
        return out


def load(path):
    with open(path, 'rb') as f:
        return Heap(f.read())
