#!/usr/bin/env python3
"""Bytes and blocks of every stack, as the recorder counted them, equal the program's own account.

usage: truth.py RECORDER PROGRAM SEED OPS THREADS
"""
import collections
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(__file__))
import heapfile


def run(recorder, command, extra):
    with tempfile.TemporaryDirectory() as d:
        out = os.path.join(d, 'heap')
        env = dict(os.environ, LD_PRELOAD=recorder, HEFT_HEAP_OUT=out + '.%n', HEFT_HEAP_CHECK='1',
                   HEFT_HEAP_UNWIND='tables', **extra)
        r = subprocess.run(command, env=env, stdout=subprocess.PIPE, text=True, check=True)
        return r.stdout, heapfile.load(out + '.1')


def sampled(recorder, program, args):
    """Sums of a sample are near those of all blocks: within many times the expected error."""
    text, heap = run(recorder, [program] + args, {'HEFT_HEAP_SAMPLE': '4096'})
    lines = [line.split() for line in text.splitlines() if not line.startswith('peak')]
    for name, column, most in (('bytes', 2, 0.06), ('allocs', 1, 0.3), ('freed', 4, 0.06)):
        truth = sum(int(w[column]) for w in lines)
        estimate = sum(getattr(s, name) for s in heap.stacks.values())
        print('sampled', name, estimate, 'of', truth)
        if abs(estimate - truth) > most * truth:
            return False
    return True


def compare(recorder, program, args, extra):
    text, heap = run(recorder, [program] + args, extra)
    starts = {}
    for line in subprocess.run(['nm', program], stdout=subprocess.PIPE, text=True,
                               check=True).stdout.splitlines():
        addr, kind, name = line.rsplit(' ', 2)
        if kind in 'tT':
            starts[int(addr, 16)] = name
    bias = next(m[2] for m in heap.modules if m[6] == os.path.realpath(program))
    order = sorted(starts)
    theirs = collections.defaultdict(lambda: [0] * 6)
    peak = None
    for line in text.splitlines():
        words = line.split()
        if words[0] == 'peak':
            peak = int(words[1])
            continue
        key = (int(words[0], 16), words[7])
        for i in range(6):
            theirs[key][i] += int(words[1 + i])
    ours = collections.defaultdict(lambda: [0] * 6)
    functions = {k[0] for k in theirs}
    for s in heap.stacks.values():
        frames = heap.frames(s)
        below = [a for a in order if a <= frames[0] - 1 - bias]
        if not below or below[-1] + bias not in functions:
            continue
        key = (below[-1] + bias, ''.join('%x,' % f for f in frames[1:]))
        for i, v in enumerate((s.allocs, s.bytes, s.frees, s.freed, s.at_peak, s.temporary)):
            ours[key][i] += v
    assert len(theirs) > 20, 'too few stacks'
    columns = 6 if peak is not None else 4
    different = [k for k in set(ours) | set(theirs) if ours[k][:columns] != theirs[k][:columns]]
    for k in different[:5]:
        print(starts.get(k[0] - bias), k[1], 'ours', ours[k], 'theirs', theirs[k])
    allocs = sum(v[0] for v in theirs.values())
    print('%d stacks, %d allocations, %d different' % (len(theirs), allocs, len(different)))
    if peak is not None:
        # The C library's own blocks are live as well, the same from beginning to end.
        most = max(heap.process['peak'], sum(s.live for s in heap.stacks.values()))
        others = most - peak
        print('peak', most, 'own account', peak)
        assert 0 <= others < 65536 + 2048
    assert heap.process['lost'] == 0 and heap.process['damaged'] == 0
    return not different


recorder, program, args = sys.argv[1], os.path.realpath(sys.argv[2]), sys.argv[3:6]
good = True
for extra in ({}, {'HEFT_HEAP_WIDE': '1'}, {'HEFT_HEAP_CANARY': '1', 'HEFT_HEAP_WIDE': '1'}):
    good = compare(recorder, program, args, extra) and good
good = sampled(recorder, program, args) and good
sys.exit(0 if good else 1)
