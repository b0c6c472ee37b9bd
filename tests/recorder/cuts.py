"""Dumps that lack memory: whatever is cut off, left out or zeroed, no block is called leaked, freed or damaged for it, and
what is live is not stated.

usage: cuts.py HEFT RECORDER

A healthy program holds all its blocks; its dumps are cut at sixteenths (FULL=1: at sixty-fourths), plain and packed."""
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import time

heft, recorder = (os.path.realpath(p) for p in sys.argv[1:3])
PARTS = 64 if os.environ.get('FULL') else 16
FAILURES, COUNT = [], [0]

PROGRAM = r'''
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
struct node { struct node *next; long words[6]; } *head, *of_thread;
char *large[20];
static void *work(void *arg)
{
	for (int i = 0; i < 3000; i++) {
		struct node *n = calloc(1, 40 + i % 500);
		n->next = of_thread;
		of_thread = n;
	}
	puts("ready");
	fflush(stdout);
	pause();
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t t;
	const char *kind = argv[1];
	if (strstr(kind, "small"))
		for (int i = 0; i < 8000; i++) {
			struct node *n = malloc(sizeof *n + i % 300);
			n->next = head;
			head = n;
			free(malloc(i % 600));
		}
	if (strstr(kind, "large"))
		for (int i = 0; i < 20; i++)
			memset(large[i] = malloc(200000), i, 200000);
	if (strstr(kind, "hidden")) {
		/* What keeps the blocks alive is in memory that is in no core. */
		struct node **m = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		*m = head;
		head = NULL;
		madvise(m, 4096, MADV_DONTDUMP);
	}
	if (strstr(kind, "thread"))
		pthread_create(&t, NULL, work, NULL);
	else
		puts("ready"), fflush(stdout);
	if (argc > 2) {
		sleep(1);
		abort();
	}
	pause();
	return 0;
}
'''


def check(what, good, shown=''):
    COUNT[0] += 1
    if not good:
        FAILURES.append(what)
        print('FAILED:', what, shown)


def run(*words):
    return subprocess.run([heft, 'heap', *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def start(tmp, kind, *words, env=None):
    p = subprocess.Popen([f'{tmp}/held', kind, *words], stdout=subprocess.PIPE, text=True, env=env)
    p.stdout.readline()
    time.sleep(.05)
    return p


def snapshot(tmp, kind, name, env=None):
    p = start(tmp, kind, env=env)
    done = run('snapshot', '-o', name, str(p.pid))
    p.kill()
    p.wait()
    if 'not allowed' in done.stderr:
        print('SKIP: other processes may not be looked at here')
        sys.exit(77)
    return name if done.returncode == 0 else sys.exit(done.stderr)


def verdicts(name, what, live_known=False):
    """Of a dump that lacks something."""
    show = run('show', '--leaks', '--exit-code', name)
    check(f'{what}: leaks are refused', show.returncode == 2 and not show.stdout, (show.returncode, show.stdout))
    digest = run('digest', name)
    if digest.stdout:
        line = json.loads(digest.stdout)
        check(f'{what}: no leak is counted', line['leaked_blocks'] is None and line['leaked_bytes'] is None, line)
        check(f'{what}: no damage', line['damage'] == [], line['damage'])
        check(f'{what}: live', live_known or (line['live_blocks'] is None and 'unknown' in line), line)
        check(f'{what}: it says what it lacks', 'lacks' in line, line)
    check(f'{what}: digest {digest.returncode}', live_known or digest.returncode == 2, digest.stderr)
    healthy = run('check', name)
    check(f'{what}: check {healthy.returncode}', healthy.returncode == 2 and 'suspect' not in healthy.stdout, healthy.stdout)
    shown = run('show', name)
    check(f'{what}: nothing points to the check', 'see heft heap check' not in shown.stdout, shown.stdout)
    check(f'{what}: show {shown.returncode}', live_known or shown.returncode == 2, shown.stdout)


def whole(name, what):
    show = run('show', '--leaks', '--exit-code', name)
    check(f'{what}, whole', show.returncode == 0 and 'no leaks' in show.stdout, (show.stdout, show.stderr))


def cut(tmp, name, part, zeros=False):
    """The first `part` sixteenths; `zeros`: and zeros for the others."""
    size = os.path.getsize(name)
    out = f'{tmp}/cut' + ('.zst' if name.endswith('.zst') else '')
    shutil.copyfile(name, out)
    os.truncate(out, size * part // PARTS)
    if zeros:
        os.truncate(out, size)
    return out


def cuts(tmp, name, what, live_known=False):
    whole(name, what)
    for part in range(1, PARTS):
        verdicts(cut(tmp, name, part), f'{what}, {part}/{PARTS}', live_known)


def snapshots(tmp):
    for kind in ('small', 'large+small', 'thread+small'):
        name = snapshot(tmp, kind, f'{tmp}/{kind}.core')
        cuts(tmp, name, kind)
        for part in range(4, PARTS, 4):
            verdicts(cut(tmp, name, part, True), f'{kind}, zeros from {part}/{PARTS}')
        packed = f'{tmp}/{kind}.core.zst'
        subprocess.run(['zstd', '-q', '-f', '-1', name, '-o', packed], check=True)
        cuts(tmp, packed, f'{kind}, packed')
    for tool, ending in (('gzip', 'gz'), ('xz', 'xz')):
        with open(f'{tmp}/small.core', 'rb') as f, open(f'{tmp}/packed', 'wb') as to:
            subprocess.run([tool, '-1'], stdin=f, stdout=to, check=True)
        verdicts(cut(tmp, f'{tmp}/packed', PARTS // 2), f'half a .{ending}')


def addresses(tmp):
    """Of a block that is lost nothing is told."""
    name = f'{tmp}/small.core'
    rows = json.loads(run('at', '--json', name, hex(top_of_heap(name) - 64)).stdout)
    check('the address is in the heap', rows['state'] in ('live', 'between', 'freed') and 'lacking' not in rows, rows)
    at = run('at', '--json', cut(tmp, name, PARTS // 4), hex(top_of_heap(name) - 64))
    row = json.loads(at.stdout)
    check('of lost memory nothing is told', row['state'] == 'mapped' and row.get('lacking') and 'before' not in row, row)


def top_of_heap(name):
    """The end of the largest writable segment, which has the heap."""
    with open(name, 'rb') as f:
        head = f.read(1 << 16)
    start, count = int.from_bytes(head[32:40], 'little'), int.from_bytes(head[56:58], 'little')
    loads = [struct.unpack_from('<IIQQQQQQ', head, start + 56 * i) for i in range(count)]
    size, addr = max((p[5], p[3]) for p in loads if p[0] == 1 and p[1] & 2)
    return addr + size


def recorded(tmp):
    name = snapshot(tmp, 'small', f'{tmp}/recorded.core', env=os.environ | {'LD_PRELOAD': recorder, 'HEFT_HEAP_OUT': ''})
    whole(name, 'recorded')
    of_half = json.loads(run('show', '--json', cut(tmp, name, PARTS // 2)).stdout)['heap']
    of_whole = json.loads(run('show', '--json', name).stdout)['heap']
    check('half a core of a recorded program has the tables', of_half['counted'] and of_half['live_blocks'] == of_whole['live_blocks'], of_half)
    for part in range(2, PARTS, 2):
        verdicts(cut(tmp, name, part), f'recorded, {part}/{PARTS}', live_known=True)


def left_out(tmp):
    """What the kernel and gdb leave out of cores."""
    for kind, filtered in (('small', '0x30'), ('small+hidden', '0x33')):
        with open('/proc/sys/kernel/core_pattern', encoding='ascii') as f:
            if f.read().strip() != 'core':
                print(f'SKIP: {kind} {filtered}: the kernel writes cores elsewhere')
                continue
        command = f'ulimit -c unlimited && echo {filtered} >/proc/self/coredump_filter && exec {tmp}/held {kind} abort'
        subprocess.run(['sh', '-c', command], cwd=tmp, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        cores = [f for f in os.listdir(tmp) if f == 'core' or f.startswith('core.')]
        if not cores:
            print(f'SKIP: {kind} {filtered}: no core was written')
            continue
        verdicts(f'{tmp}/{cores[0]}', f'{kind}, filter {filtered}')
        os.remove(f'{tmp}/{cores[0]}')


def main():
    with tempfile.TemporaryDirectory() as tmp:
        with open(f'{tmp}/held.c', 'w', encoding='ascii') as f:
            f.write(PROGRAM)
        subprocess.run(['cc', '-g', '-O1', '-fno-builtin', '-w', '-pthread', '-pie', '-fPIE', f'{tmp}/held.c', '-o', f'{tmp}/held'], check=True)
        snapshots(tmp)
        addresses(tmp)
        recorded(tmp)
        left_out(tmp)
    print(f'{COUNT[0]} checks, {len(FAILURES)} failed')
    sys.exit(1 if FAILURES or COUNT[0] < 300 else 0)


main()
