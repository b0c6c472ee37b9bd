#!/usr/bin/env python3
"""What heft shows of a heap is what the program itself wrote down: bytes and blocks of every stack, and
the stack of each block; functions, lines and inlines as llvm-symbolizer has them.

usage: show.py HEFT RECORDER SOURCES WORK     77: a tool is missing
"""
import collections
import json
import os
import random
import shutil
import signal
import subprocess
import sys

sys.path.insert(0, os.path.dirname(__file__))
import heapfile

heft, recorder, sources, work = sys.argv[1:5]
symbolizer = shutil.which('llvm-symbolizer-19') or shutil.which('llvm-symbolizer')
for tool, there, package in (('llvm-symbolizer', symbolizer, 'llvm-19'), ('gcore', shutil.which('gcore'), 'gdb')):
    if not there:
        print('SKIP: no %s (install %s)' % (tool, package))
        sys.exit(77)


def build(name, compiler, flags):
    path = os.path.join(work, '%s-%s-%s' % (name, compiler, '-'.join(f.strip('-') for f in flags)))
    subprocess.run([compiler, '-g', '-w', '-D_GNU_SOURCE', '-fno-builtin', '-pthread', *flags, '-o', path,
                    os.path.join(sources, name + '.c'), '-ldl'], check=True)
    return os.path.realpath(path)


class Symbols:
    """Frames of addresses in a program, innermost first, by another tool."""

    def __init__(self, program):
        self.program, self.known = program, {}

    def learn(self, addrs):
        new = sorted(set(addrs) - set(self.known))
        r = subprocess.run([symbolizer, '--obj=' + self.program, '--output-style=JSON'],
                           input=''.join('0x%x\n' % a for a in new), stdout=subprocess.PIPE, text=True,
                           check=True)
        for addr, line in zip(new, r.stdout.splitlines()):
            self.known[addr] = tuple((s['FunctionName'], s['Line']) for s in json.loads(line)['Symbol'])

    def stack(self, pcs, bias):
        return sum((self.known[pc - 1 - bias] for pc in pcs), ())


def in_program(frames, program):
    return tuple((f['function'], f['line']) for f in frames if f.get('module') == program)


def without_first(frames, program):
    """The function of the innermost real frame, and the frames of its callers in the program."""
    first = next(i for i, f in enumerate(frames) if not f.get('inlined'))
    return frames[first]['function'], in_program(frames[first + 1:], program)


def show(dump, *options):
    r = subprocess.run([heft, 'heap', 'show', '--json', '-n', '0', *options, dump],
                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    return json.loads(r.stdout)


def sums(program, seed, ops, threads):
    dump = os.path.join(work, 'truth.heap')
    env = dict(os.environ, LD_PRELOAD=recorder, HEFT_HEAP_OUT=dump + '.%n', HEFT_HEAP_UNWIND='tables')
    text = subprocess.run([program, seed, ops, threads], env=env, stdout=subprocess.PIPE, text=True,
                          check=True).stdout
    start, end, bias = next(m[:3] for m in heapfile.load(dump + '.1').modules if m[6] == program)
    symbols = Symbols(program)
    lines = [(words[0], [int(w) for w in words[1:7]],
              [pc for pc in (int(a, 16) for a in words[7].rstrip(',').split(',')) if start <= pc < end])
             for words in (line.split() for line in text.splitlines()) if words[0] != 'peak']
    symbols.learn([pc - 1 - bias for _, _, pcs in lines for pc in pcs] +
                  [int(f, 16) - bias for f, _, _ in lines])
    theirs, ours = (collections.defaultdict(lambda: [0] * 5) for _ in range(2))
    for function, (allocs, size, frees, freed, at_peak, _), pcs in lines:
        key = symbols.known[int(function, 16) - bias][-1][0], symbols.stack(pcs, bias)
        for i, v in enumerate((allocs, size, allocs - frees, size - freed, at_peak)):
            theirs[key][i] += v
    report = show(dump + '.1')
    functions = {k[0] for k in theirs}
    for row in report['total']['children']:
        key = without_first([report['frames'][i] for i in row['stack']], program)
        if key[0] in functions:
            for i, name in enumerate(('allocs', 'alloc_bytes', 'live_blocks', 'live_bytes', 'peak_bytes')):
                ours[key][i] += row[name]
    assert len(theirs) > 20, 'too few stacks'
    columns = 5 if threads == '1' else 4
    wrong = [k for k in set(ours) | set(theirs) if ours[k][:columns] != theirs[k][:columns]]
    for key in wrong[:3]:
        print(key, 'ours', ours[key], 'theirs', theirs[key])
    for name in ('live_bytes', 'alloc_bytes', 'allocs', 'live_blocks'):
        assert sum(r[name] for r in report['total']['children']) == report['total'][name] == report['heap'][name], name
    print('%s: %d stacks, %d differ' % (os.path.basename(program), len(theirs), len(wrong)))
    return not wrong


def blocks(program):
    env = dict(os.environ, LD_PRELOAD=recorder)
    with subprocess.Popen([program, '3000'], env=env, stdout=subprocess.PIPE, text=True) as p:
        log = []
        for line in p.stdout:
            if line == 'done\n':
                break
            log.append(line.split())
        core = os.path.join(work, 'core')
        subprocess.run(['gcore', '-o', core, str(p.pid)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       check=True)
        core += '.%d' % p.pid
        with open('/proc/%d/maps' % p.pid) as maps:
            spans = [line.split() for line in maps if line.rstrip().endswith(program)]
        p.send_signal(signal.SIGKILL)
    start = int(spans[0][0].split('-')[0], 16)
    end = max(int(s[0].split('-')[1], 16) for s in spans)
    with open(program, 'rb') as f:
        bias = 0 if f.read(17)[16] == 2 else start  # ET_EXEC
    chosen = random.Random(1).sample(log, min(len(log), 1500))
    stacks = [[pc for pc in (int(a, 16) for a in words[2].rstrip(',').split(',')) if start <= pc < end]
              for words in chosen]
    symbols = Symbols(program)
    symbols.learn([pc - 1 - bias for pcs in stacks for pc in pcs])
    r = subprocess.run([heft, 'heap', 'at', '--json', core] + [words[0] for words in chosen],
                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    wrong = 0
    for words, pcs, line in zip(chosen, stacks, r.stdout.splitlines()):
        block = json.loads(line)['block']
        same = (block['address'], block['size'], without_first(block['frames'], program)) == (
            int(words[0], 16), int(words[1]), ('take', symbols.stack(pcs, bias)))
        if not same and wrong < 3:
            print(words, block, symbols.stack(pcs, bias))
        wrong += not same
    os.unlink(core)
    print('%s: %d blocks, %d differ' % (os.path.basename(program), len(chosen), wrong))
    return wrong == 0 and len(chosen) >= 1000


os.makedirs(work, exist_ok=True)
good = True
for compiler in ('gcc', 'clang-19'):
    if not shutil.which(compiler):
        print('LEFT OUT: heaps of programs of %s: no %s (install %s)' % (compiler, compiler, compiler))
        continue
    for flags in (['-O2', '-fomit-frame-pointer'], ['-O2', '-fno-omit-frame-pointer'], ['-O0', '-no-pie']):
        good = sums(build('truth', compiler, flags), '1', '50000', '1') and good
        good = blocks(build('log_blocks', compiler, flags)) and good
good = sums(build('truth', 'gcc', ['-O1']), '2', '50000', '4') and good
sys.exit(0 if good else 1)
