"""Every fault of tests/recorder/planted.c, in blocks of many sizes and in every form of header, against what
`heft heap check` says of the core: the kind, the block, who allocated it and who freed it.

usage: planted.py HEFT RECORDER PROGRAM

Cores are the system's where it writes them into the folder of the process, else gdb's."""
import concurrent.futures
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile

# meson sets it: the C library would fill freed blocks, and what they say of themselves.
os.environ.pop('MALLOC_PERTURB_', None)

heft, recorder, program = (os.path.realpath(p) for p in sys.argv[1:4])
SIZES = (1, 24, 100, 850, 2000, 70000, 200000)
MAPPED = 200000  # has a mapping of its own, which goes as it is freed
FORMS = {'plain': 'HEFT_HEAP=on', 'wide': 'HEFT_HEAP_WIDE=1', 'canary': 'HEFT_HEAP_CANARY=1',
         'inline': 'HEFT_HEAP_STACKS=inline'}
MADE = ['take', 'make', 'main']


def fail(text):
    sys.exit('planted: ' + text)


def system_writes_cores():
    with open('/proc/sys/kernel/core_pattern') as f:
        pattern = f.read().strip()
    return pattern[:1] != '|' and '/' not in pattern and \
        resource.getrlimit(resource.RLIMIT_CORE)[1] == resource.RLIM_INFINITY


def allow_core():
    resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def die(folder, form, fault, size):
    """The addresses that the program said, and its core."""
    words = [program, fault, str(size)]
    recorded = ['LD_PRELOAD=' + recorder, FORMS[form]] if form else []
    if system_writes_cores():
        env = dict(os.environ, **dict(w.split('=') for w in recorded))
        out = subprocess.run(words, env=env, cwd=folder, preexec_fn=allow_core, text=True,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
        cores = [n for n in os.listdir(folder) if n.startswith('core')]
        core = os.path.join(folder, cores[0]) if cores else ''
    else:
        core = os.path.join(folder, 'core')
        command = ['gdb', '-nx', '-batch', '-ex', 'set startup-with-shell off']
        for word in recorded:
            command += ['-ex', 'set env ' + word]
        command += ['-ex', 'run', '-ex', 'gcore ' + core, '--args']
        out = subprocess.run(command + words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, text=True).stdout
    said = [line.split() for line in out.splitlines() if line.startswith('0x') and len(line.split()) == 2]
    if not said or not os.path.exists(core):
        fail(f'{fault} {size} {form}: no core: {out}')
    return [int(w, 16) for w in said[0]], core


def functions(frames):
    return [f.get('function', '') for f in frames or []][:3]


class Wrong(Exception):
    pass


def want(what, wanted, got):
    if wanted != got:
        raise Wrong(f'{what}: want {wanted}, got {got}')


def check_block(block, addr, size, form, freed):
    want('block', [addr, size], block and [block['address'], block['size']])
    want('freed', freed, block.get('freed', False))
    # Of inline stacks nothing is left where the memory is gone.
    if not (freed and form == 'inline' and size == MAPPED):
        want('allocated by', MADE, functions(block['frames']))
    if freed:
        want('freed by', ['first'], functions(block.get('freed_by')))


def judge(fault, size, form, said, damage):
    """Raises Wrong where the verdict is another."""
    p, before = said
    if fault == 'healthy':
        return want('damage', [], damage)
    want('faults', 1, len(damage))
    d = damage[0]
    block, kind = d.get('block'), d['kind']
    if fault == 'double':
        want('kind', 'double-free', kind)
        check_block(block, p, size, form, True)
        want('again', ['second'], functions(d.get('freed_again_by'))[:1])
    elif fault == 'overflow':
        want('kind', 'canary' if form == 'canary' else 'chunk', kind)
        check_block(block, p, size, form, False)
    elif fault == 'overflow-freed':
        want('kind', 'canary-freed' if form == 'canary' else 'chunk', kind)
        check_block(block, p, size, form, True)
    elif fault in ('underflow', 'underflow-freed'):
        want('kind', 'header', kind)
        check_block(d.get('victim'), p, size, form, False)
        if size != MAPPED:
            check_block(block, before, size, form, False)
    elif fault == 'use':
        want('kind', 'freed-use' if size == MAPPED else 'freed-pointer', kind)
        check_block(block, p, size, form, True)
    else:
        want('kind', 'wild-free', kind)
        want('freed by', ['second'], functions(d.get('freed_by')))
        if fault == 'wild-inside':
            check_block(block, p, size, form, False)
            want('address', p + 16, d['address'])
        else:
            want('place', 'in_data + 64' if fault == 'wild-data' else '[stack of thread',
                 d.get('place', '')[:16 if fault == 'wild-stack' else None])


def is_seen(fault, size, form):
    """Beyond a block's own memory, and in a block that cannot be used so, there is nothing to see."""
    if fault.startswith('wild-') and fault != 'wild-inside':
        return size == 24
    if fault.startswith('overflow') and size == MAPPED:
        return fault == 'overflow' and form == 'canary'
    if fault == 'overflow-freed' and size == 1 and form == 'plain':
        return False  # all that is left of the block was written over
    return not (fault in ('use', 'wild-inside') and size < 24)


def case(fault, size, form):
    folder = tempfile.mkdtemp()
    try:
        said, core = die(folder, form, fault, size)
        r = subprocess.run([heft, 'heap', 'check', '--json', core], stdout=subprocess.PIPE, text=True,
                           stderr=subprocess.PIPE)
        if r.returncode != (0 if fault == 'healthy' else 1):
            raise Wrong(f'status {r.returncode}: {r.stdout}{r.stderr}')
        judge(fault, size, form, said, json.loads(r.stdout)['damage'])
    except Wrong as wrong:
        return f'{fault} {size} {form}: {wrong}'
    finally:
        shutil.rmtree(folder)
    return None


def walked():
    """Threads of cores have the stacks that the program made, recorded or not."""
    for form in ('plain', 'inline', None):
        folder = tempfile.mkdtemp()
        _, core = die(folder, form, 'double', 24)
        r = subprocess.run([heft, 'heap', 'show', '--stacks', '--json', core], stdout=subprocess.PIPE, text=True,
                           stderr=subprocess.DEVNULL, check=True)
        stack = [f.get('function') for f in json.loads(r.stdout)['threads'][0]['frames']]
        at = stack.index('second') if 'second' in stack else len(stack)
        if stack[at:at + 3] != ['second', 'plant', 'main'] or at < 3:
            fail(f'{form}: the stack of the thread: {stack}')
        shutil.rmtree(folder)


def main():
    if not system_writes_cores() and not shutil.which('gdb'):
        print('SKIP: no cores, and no gdb (install gdb)')
        sys.exit(77)
    faults = ('double', 'overflow', 'overflow-freed', 'underflow', 'underflow-freed', 'use', 'wild-inside',
              'wild-data', 'wild-stack', 'healthy')
    cases = [(f, s, form) for f in faults for s in SIZES for form in FORMS if is_seen(f, s, form)]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        wrong = [w for w in pool.map(lambda c: case(*c), cases) if w]
    walked()
    print('\n'.join(wrong))
    print(f'{len(cases)} faults, {len(wrong)} not told as they are')
    sys.exit(len(wrong) > 0 or len(cases) < 190)


main()
