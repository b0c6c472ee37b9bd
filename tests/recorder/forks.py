#!/usr/bin/env python3
"""Forks in signal handlers, at any moment of the recorder: parent and children go on, and what each recorded is whole.

usage: forks.py RECORDER BUMP PROGRAM    forks.c above bump.c
"""
import glob
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(__file__))
import heapfile

TIMES = 100

recorder, bump, program = (os.path.realpath(a) for a in sys.argv[1:4])
with tempfile.TemporaryDirectory() as d:
    env = dict(os.environ, LD_PRELOAD=recorder + ' ' + bump, HEFT_HEAP_OUT=d + '/heap.%p', HEFT_HEAP_CHECK='1')
    try:
        status = subprocess.run([program, str(TIMES)], env=env, timeout=200).returncode
    except subprocess.TimeoutExpired:
        sys.exit('the program does not end')
    if status != 0:
        sys.exit('the program ends with status %d' % status)
    heaps = [heapfile.load(f) for f in glob.glob(d + '/heap.*')]
blocks = sum(s.allocs for h in heaps for s in h.stacks.values())
odd = [s for h in heaps for s in h.stacks.values() if s.blocks != 0 and s.bytes % 48 == 0 and s.bytes // 48 == s.allocs]
print('%d processes, %d stacks, %d blocks; %d stacks hold blocks that were freed' % (
    len(heaps), sum(len(h.stacks) for h in heaps), blocks, len(odd)))
sys.exit(0 if len(heaps) == TIMES + 1 and blocks > 100 * TIMES and len(odd) <= len(heaps) else 1)
