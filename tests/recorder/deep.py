#!/usr/bin/env python3
"""Stacks around and far beyond the frames that the recorder keeps are whole, or cut at the outer end and marked, in a time
that does not grow with the depth; also those of HEFT_HEAP_DEPTH and HEFT_HEAP_UNWIND=fp.

usage: deep.py RECORDER PROGRAM    PROGRAM: deep.c
"""
import collections
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(__file__))
import heapfile

KEPT = 16383  # frames of a stack that is not cut: FRAMES_MAX - 1 of recorder.h
DEEP = range(1023, 4096)  # frames of one that is, with the mark: DEEP_LEAST - 1 to DEEP_MOST - 1
COMPARED = 1000  # innermost frames that are compared of a long stack: it may be cut, after a deeper one
CUT = 1
TIMES = 2  # allocations of a size at each place: deep.c


def run(recorder, program, args, **options):
    with tempfile.TemporaryDirectory() as d:
        out = os.path.join(d, 'heap')
        env = dict(os.environ, LD_PRELOAD=recorder, HEFT_HEAP_OUT=out, HEFT_HEAP_CHECK='1',
                   **(options or {'HEFT_HEAP_UNWIND': 'tables'}))
        r = subprocess.run([program] + [str(a) for a in args], env=env, stdout=subprocess.PIPE, text=True)
        if r.returncode != 0:
            sys.exit('%s: status %d' % (args, r.returncode))
        return [int(w) for w in r.stdout.split()], heapfile.load(out)


def recorded(heap, takes):
    """Allocations and bytes by frames, of the stacks of the program's own blocks."""
    out = collections.Counter(), collections.Counter()
    for s in heap.stacks.values():
        frames = tuple(heap.frames(s))
        if len(frames) > 1 and frames[1] in takes:
            out[0][frames] += s.allocs
            out[1][frames] += s.bytes
    return out


def shortened(counters):
    out = collections.Counter(), collections.Counter()
    for c, o in zip(counters, out):
        for frames, n in c.items():
            o[frames if len(frames) < COMPARED else frames[:COMPARED]] += n
    return out


def wanted(depths, calls, takes, leaf, tail):
    out = collections.Counter(), collections.Counter()
    for depth in depths:
        path = tuple(calls[i % 3 == 0] for i in range(depth - 1, -1, -1))
        for take in takes:
            frames = (leaf, take) + path + tail
            out[0][frames] += TIMES
            out[1][frames] += TIMES * (depth + 1)
    return out


def compare(recorder, program, deepest, each, start, end, **options):
    addresses, heap = run(recorder, program, [deepest, each, start, end], **options)
    calls, takes = addresses[:2], addresses[2:]
    ours = recorded(heap, takes)
    shallow = min(ours[0], key=len)
    depths = [d for d in range(deepest + 1) if d % each == 0 or start <= d < end]
    theirs = wanted(depths, calls, takes, shallow[0], shallow[2:])
    assert heap.process['lost'] == 0
    cut = [f for f in ours[0] if f[-1] == CUT]
    whole = [f for f in ours[0] if f[-1] != CUT]
    sizes = all(len(f) in DEEP for f in cut) and all(len(f) <= KEPT for f in whole)
    longest = max(len(f) for f in theirs[0])
    ours, theirs = shortened(ours), shortened(theirs)
    different = [f for f in set(ours[0]) | set(theirs[0]) if any(o[f] != t[f] for o, t in zip(ours, theirs))]
    for f in different[:5]:
        print('%d frames, the outermost %#x: %s allocations and bytes, wanted %s' % (
            len(f), f[-1], [o[f] for o in ours], [t[f] for t in theirs]))
    print('depth %d: %d stacks of up to %d frames, %d allocations; %d stacks recorded, %d of them cut%s; %d different' % (
        deepest, len(theirs[0]), longest, sum(theirs[0].values()), len(cut) + len(whole), len(cut),
        '' if sizes else ', wrongly', len(different)))
    return not different and sizes and (len(cut) > 0) == (longest > KEPT) and len(shallow) < 16


def stacks(recorder, program, **options):
    """The stacks of the program's own blocks at depths 0 to 9, each without its addresses that vary."""
    addresses, heap = run(recorder, program, [9, 1, 0, 0], **options)
    return sorted(set(recorded(heap, addresses[2:])[0]), key=lambda f: (len(f), f))


def few(recorder, program, whole, depth, more):
    """What HEFT_HEAP_DEPTH leaves of whole stacks."""
    found = stacks(recorder, program, HEFT_HEAP_DEPTH=str(depth), **more)
    cut = [f for f in found if f[-1] == CUT]
    good = all(len(f) == depth + 1 for f in cut) and all(len(f) <= depth for f in found if f not in cut)
    print('HEFT_HEAP_DEPTH=%d %s: %d stacks, %d of them cut%s' % (
        depth, more, len(found), len(cut), '' if good else ', wrong'))
    return good and len(cut) > 0 and {len(f) for f in found if f not in cut} == {
        len(f) for f in whole if len(f) <= depth}


recorder, program = (os.path.realpath(a) for a in sys.argv[1:3])
good = compare(recorder, program, 16500, 500, 16360, 16400)
good = compare(recorder, program, 40000, 250, 0, 0) and good
good = compare(recorder, program, 21000, 7000, 0, 0) and good
good = compare(recorder, program, 14000, 500, 0, 0) and good
good = compare(recorder, program, 30000, 300, 0, 0, HEFT_HEAP_UNWIND='fp') and good
whole = stacks(recorder, program)
chained = stacks(recorder, program, HEFT_HEAP_UNWIND='fp')
print('frame pointers: %d stacks of %d frames and less, by tables %d of %d' % (
    len(chained), len(chained[-1]), len(whole), len(whole[-1])))
good = [len(f) for f in chained] == [len(f) for f in whole] and all(f[-1] != CUT for f in chained) and good
for limit in len(whole[0]), len(whole[-1]) - 1:
    for more in {}, {'HEFT_HEAP_UNWIND': 'fp'}:
        good = few(recorder, program, whole, limit, more) and good
sys.exit(0 if good else 1)
