"""Heap faults that a program makes, and says so, against what is found in dumps of it.

usage: finding.py RECORDER PROGRAM HEAP_CHECK

tests/recorder/finding.c runs under gdb, which dumps it (gcore) at every SIGTRAP and when it dies."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

# meson sets it: the C library would fill freed blocks, and what they say of themselves.
os.environ.pop("MALLOC_PERTURB_", None)

recorder, program, check = (os.path.realpath(p) for p in sys.argv[1:4])
STOPS = 40


def fail(text):
    sys.exit('finding: ' + text)


def run(folder, mode, env):
    """What the program said, and what is found in each dump."""
    command = ['gdb', '-nx', '-batch', '-ex', 'set startup-with-shell off', '-ex', 'set confirm off']
    for word in ['LD_PRELOAD=' + recorder] + env:
        command += ['-ex', 'set env ' + word]
    command += ['-ex', 'run']
    for i in range(STOPS if mode in ('overflow', 'nul', 'header') else 1):
        command += ['-ex', 'gcore %s/core.%d' % (folder, i), '-ex', 'signal 0']
    out = subprocess.run(command + ['--args', program, mode], stdin=subprocess.DEVNULL, text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300).stdout
    said = [(w[0], int(w[1], 16), int(w[2]), int(w[3], 16)) for w in map(str.split, out.splitlines())
            if len(w) == 4 and re.fullmatch('0x[0-9a-f]+', w[1]) and w[2].isdigit()]
    found = []
    for i in range(STOPS):
        core = '%s/core.%d' % (folder, i)
        if not os.path.exists(core):
            break
        r = subprocess.run([check, core], stdout=subprocess.PIPE, text=True)
        if r.returncode != 0:
            fail('%s %s, dump %d: status %d\n%s' % (mode, env, i, r.returncode, r.stdout))
        found.append(r.stdout.splitlines())
        os.remove(core)
    if not said or not found:
        fail('%s %s: no dump\n%s' % (mode, env, out))
    return said, found


def value(line, name):
    """The address and size, or number, behind a word."""
    m = re.search(r'\b%s (-?[0-9a-fx]+)(?:\+(\d+))?' % name, line)
    return (int(m.group(1), 0), int(m.group(2) or 0)) if m else None


def damage(lines):
    kinds = ('canary', 'header', 'chunk', 'double-free', 'canary-freed', 'fault', 'freed-use', 'freed-pointer')
    return [l for l in lines if l.split()[0] in kinds]


def expect_one(where, lines, kinds, block, word='block'):
    got = damage(lines)
    if len(got) != 1 or got[0].split()[0] not in kinds or value(got[0], word) != block:
        fail('%s: want one of %s with %s %#x+%d, got\n%s' % (where, kinds, word, *block, '\n'.join(got)))
    return got[0]


def main():
    if not shutil.which('gdb'):
        print('SKIP: no gdb (install gdb)')
        sys.exit(77)
    dumps = 0
    with tempfile.TemporaryDirectory() as folder:
        for env in ([], ['HEFT_HEAP_WIDE=1'], ['HEFT_HEAP_CANARY=1'],
                    ['HEFT_HEAP_WIDE=1', 'HEFT_HEAP_CANARY=1'], ['HEFT_HEAP_STACKS=inline']):
            for mode in ('overflow', 'nul'):
                said, found = run(folder, mode, env)
                if len(said) != len(found) or len(said) != 18:
                    fail('%s %s: %d faults, %d dumps' % (mode, env, len(said), len(found)))
                for i, (s, lines) in enumerate(zip(said, found)):
                    canary = 'HEFT_HEAP_CANARY=1' in env
                    expect_one('%s %s %d' % (mode, env, i), lines, ['canary' if canary else 'chunk'], s[1:3])
                dumps += len(found)
            said, found = run(folder, 'header', env)
            for i, (s, lines) in enumerate(zip(said, found)):
                line = expect_one('header %s %d' % (env, i), lines, ['header'], (s[3], s[2]))
                if value(line, 'was')[0] != s[2]:
                    fail('header %s: %s' % (env, line))
            said, found = run(folder, 'healthy', env)
            if damage(found[0]):
                fail('healthy %s:\n%s' % (env, '\n'.join(damage(found[0]))))
            said, found = run(folder, 'behind', env)
            line = expect_one('behind', found[0], ['fault'], said[0][1:3])
            if value(line, 'distance')[0] != 5000:
                fail('behind %s: %s' % (env, line))
            said, found = run(folder, 'leak', env)
            want = sorted('%s %#x+%d' % s[:3] for s in said if s[0] != 'reached')
            got = sorted(l for l in found[0] if l.split()[0] in ('lost', 'indirect', 'inside'))
            if want != got:
                fail('leak %s: want\n%s\ngot\n%s' % (env, '\n'.join(want), '\n'.join(got)))
            dumps += 5
        said, found = run(folder, 'moved', [])
        line = expect_one('moved', found[0], ['double-free'], said[0][1:3], 'freed')
        if not value(line, 'stack')[0]:
            fail('moved: who allocated it is not known: %s' % line)
        dumps += 2
        said, found = run(folder, 'double4', [])
        expect_one('double4', found[0], ['double-free'], said[0][1:3], 'freed')
        for mode in ('below2', 'below5', 'below7'):
            said, found = run(folder, mode, [])
            line = expect_one(mode, found[0], ['header'], (said[0][3], said[0][2]))
            if value(line, 'was')[0] != said[0][2]:
                fail('%s: %s' % (mode, line))
            dumps += 1
    if dumps < 5 * (2 * 18 + 5) + 5:
        fail('only %d dumps' % dumps)
    print('%d dumps' % dumps)


main()
