#!/usr/bin/env python3
"""Puts a map of gcc's own basic blocks into the objects that gcc makes: the truth for derived blocks.

usage: gcc -dA -wrapper python3,gcc_map.py ARGUMENT...

With -dA, comments of gcc's assembly name its blocks and their edges.  gcc runs its parts under this script, which
puts labels around the instructions of each block, and after each function an entry of .llvm_bb_addr_map, version 2.
Blocks without instructions are left out.  The code stays as it is."""
import os
import re
import subprocess
import sys
import tempfile

COMMENT = r"(?:#|//)\s?"
RETURN, TAIL_CALL, LANDING_PAD, FALL_THROUGH, INDIRECT_JUMP = 1, 2, 4, 8, 16


class Map:
    def __init__(self):
        self.out, self.tail, self.ranges = [], [], []  # tail: lines since the last instruction
        self.section, self.typed, self.name, self.mark = ".text", None, None, "@"
        self.block, self.count, self.inline = None, 0, False

    def close(self):
        if self.block and self.block["code"]:
            self.out.append(f".LHEFTE{self.block['number']}:\n")
        self.out += self.tail
        self.block, self.tail = None, []

    def open(self, number):
        last = self.block
        if last and last["id"] is None and number is not None:
            last["id"] = number
            return
        pad = last["flags"] & LANDING_PAD if last and not last["code"] else 0
        self.close()
        self.block = {"id": number, "number": self.count, "flags": pad, "code": False}
        self.count += 1
        self.ranges[-1][1].append(self.block)

    def end(self):
        self.close()
        ranges = [[b for b in blocks if b["code"] and b["id"] is not None] for _, blocks in self.ranges]
        ranges = [r for r in ranges if r]
        if ranges:
            name, flags, _, group = (self.ranges[0][0].split(",") + [""] * 3)[:4]
            grouped = "G" in flags and group
            self.out.append(f"\t.pushsection .llvm_bb_addr_map,\"o{'G' if grouped else ''}\",{self.mark}0x6fff4c0a,{name}"
                            + (f",{group},comdat\n" if grouped else "\n"))
            self.out.append(f"\t.byte 2, {8 if len(ranges) > 1 else 0}\n")
            self.out += [f"\t.uleb128 {len(ranges)}\n"] if len(ranges) > 1 else []
        for r in ranges:
            before = f"B{r[0]['number']}"
            self.out.append(f"\t.dc.a .LHEFT{before}\n\t.uleb128 {len(r)}\n")
            for b in r:
                n = b["number"]
                self.out.append(f"\t.uleb128 {b['id']}, .LHEFTB{n}-.LHEFT{before}, .LHEFTE{n}-.LHEFTB{n}, {b['flags']}\n")
                before = f"E{n}"
        self.out += ["\t.popsection\n"] if ranges else []
        self.ranges, self.name = [], None

    def edges(self, text, entering):
        flags, leaving = 0, False
        for word in text.split():
            if word == "EXIT":
                leaving = True
                flags |= 0 if entering else RETURN
            elif word[0].isdigit():
                leaving = False
            elif re.match(r"\([A-Z]", word):
                names = word[1:-1].split(",")
                if entering:
                    flags |= LANDING_PAD if "EH" in names else 0
                elif leaving:
                    flags |= TAIL_CALL if "SIBCALL" in names else 0
                else:
                    flags |= FALL_THROUGH if "FALLTHRU" in names else 0
        self.block["flags"] |= flags

    def told(self, line):
        """A line that is no instruction."""
        block = re.match(COMMENT + r"BLOCK (\d+)", line)
        edges = re.match(COMMENT + r"(SUCC|PRED):(.*)", line)
        section = re.match(r"\t(?:\.section\t(.*)|(\.text|\.data|\.bss))$", line)
        typed = re.match(r"\t\.type\t([^,]+), ([@%])function", line)
        if block and self.name:
            self.open(int(block.group(1)))
        elif edges and self.block:
            self.edges(edges.group(2), edges.group(1) == "PRED")
        elif section:
            self.section = section.group(1) or section.group(2)
        elif typed:
            self.typed, self.mark = typed.groups()
        elif self.typed and line.rstrip() == self.typed + ":":
            if not (self.name and self.typed.startswith(self.name + ".cold")):
                self.end()
                self.name = self.typed
            self.typed = None
            self.close()
            self.ranges.append((self.section, []))
            self.open(None)

    def see(self, line):
        inline = re.match(COMMENT + r"(NO_)?APP$", line)
        self.inline |= bool(inline and not inline.group(1))
        here = self.block and self.section.split(",")[0] == self.ranges[-1][0].split(",")[0]
        if here and (self.inline or re.match(r"\t[a-z]", line)):
            self.out += self.tail
            self.tail = []
            if not self.block["code"]:
                self.out.append(f".LHEFTB{self.block['number']}:\n")
            self.block["code"] = True
            self.out.append(line)
            if re.match(r"\t(?:(?:notrack\s+)?jmp\s+\*|br\s)", line) and not self.block["flags"] & RETURN:
                self.block["flags"] |= INDIRECT_JUMP
        else:
            if not self.inline:
                self.told(line)
            self.tail.append(line)
        self.inline &= not (inline and inline.group(1))
        if not self.inline and self.name and line.startswith(f"\t.size\t{self.name},"):
            self.end()


def main():
    words = sys.argv[1:]
    source = next((i for i in reversed(range(len(words))) if words[i].endswith(".s")), None)
    if not re.search(r"(^|[/-])as$", words[0]) or source is None:
        os.execvp(words[0], words)
    mapped = Map()
    with open(words[source], encoding="latin-1") as lines:
        for line in lines:
            mapped.see(line)
    mapped.close()
    with tempfile.NamedTemporaryFile("w", suffix=".s", encoding="latin-1") as made:
        made.writelines(mapped.out)
        made.flush()
        words[source] = made.name
        sys.exit(subprocess.run(words, check=False).returncode)


if __name__ == "__main__":
    main()
