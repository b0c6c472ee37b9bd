"""`heft heap digest` against `heft heap show`: the same sums of the same dump, and nothing of the memory's contents.

usage: digest.py HEFT RECORDER

A program fills blocks, its environment, its stack and its command with words that no digest may have; it leaks some
blocks and writes past one.  Its dumps are cores of the recorder (--leaks).  Thirty times as many blocks in a dump must not
take more memory."""
import json
import os
import re
import secrets
import subprocess
import sys
import tempfile
import time

heft, recorder = (os.path.realpath(p) for p in sys.argv[1:3])
FAILURES, COUNT = [], [0]

PROGRAM = r'''
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
char *kept[4000];
__attribute__((noinline)) char *customer(const char *word, int i) { char *p = malloc(64 + i % 9); strcpy(p, word); return p; }
__attribute__((noinline)) char *session(const char *word) { char *p = calloc(1, 3000); strcpy(p, word); return p; }
__attribute__((noinline)) void lose(const char *word) { char *volatile p = strcpy(malloc(500), word); p = NULL; }
__attribute__((noinline)) char *overrun(const char *word) { char *volatile p = strcpy(malloc(40), word); p[40] = 1; return p; }
int main(int argc, char **argv)
{
	char local[64];
	const int count = atoi(argv[2]);
	strcpy(local, argv[1]);
	for (int i = 0; i < count; i++)
		kept[i] = customer(local, i);
	for (int i = 0; i < count / 40; i++)
		kept[2000 + i] = session(local);
	for (int i = 0; i < 5; i++)
		lose(local);
	if (argc > 3)
		kept[3999] = overrun(local);
	return 0;
}
'''


MANY = r'''
#include <stdlib.h>
struct block { struct block *next; char rest[16]; } *first;
int main(int argc, char **argv)
{
	for (long i = atol(argv[1]); i > 0; i--) {
		struct block *p = malloc(sizeof *p);
		p->next = first;
		first = p;
	}
	return argc != 2;
}
'''


def check(what, good, shown=''):
    COUNT[0] += 1
    if not good:
        FAILURES.append(what)
        print('FAILED:', what, shown)


def output(*words, status=0):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    check(f'{words}: status {done.returncode}', done.returncode == status, done.stderr)
    return done.stdout


def record(tmp, name, command, *options, env=None):
    """The core of a run."""
    done = subprocess.run([heft, 'heap', 'run', '-q', '--recorder', recorder, '--leaks', *options, '-o', f'{tmp}/{name}.%p', *command],
                          env=env, stderr=subprocess.PIPE)
    cores = [f for f in os.listdir(tmp) if f.startswith(name + '.')]
    if done.returncode != 0 or len(cores) != 1:
        sys.exit(f'digest: no core: {done.returncode} {done.stderr} {cores}')
    return f'{tmp}/{cores[0]}'


def dump(tmp, name, *words):
    """words[0] is the secret, which stands in the environment as well."""
    return record(tmp, name, [f'{tmp}/shop', *words], '--canary', env=os.environ | {'SHOP_KEY': words[0]})


def stacks(core, *words):
    top = json.loads(output(heft, 'heap', 'show', '--json', '-n0', *words, core))['total']
    return top, top.get('children', [])


def agrees(core, digest):
    """What one command says is what the other says."""
    top, rows = stacks(core)
    lost, _ = stacks(core, '--leaks')
    check('live bytes', digest['live_bytes'] == top['live_bytes'], (digest, top['live_bytes']))
    check('live blocks', digest['live_blocks'] == top['live_blocks'])
    check('leaked', (digest['leaked_bytes'], digest['leaked_blocks']) == (lost['live_bytes'], lost['live_blocks']), lost)
    check('something leaked', digest['leaked_blocks'] >= 5)
    most = sorted((r['live_bytes'], r['live_blocks']) for r in rows)[::-1][:10]
    told = [(s['live_bytes'], s['live_blocks']) for s in digest['stacks']]
    check('the stacks that hold most', told == most and len(told) > 2, (told, most))
    document = json.loads(output(heft, 'heap', 'show', '--json', core))
    parts = document.get('heap', document).get('parts') or document['process'].get('parts')
    check('what the bytes are', digest['parts'] == parts, (digest['parts'], parts))


def keeps_secrets(core, text, words):
    """None of the words that the program's blocks, stack, environment and command hold."""
    for word in words:
        check(f'no {word}', word not in text)
    check('no address of the process', not re.search(r'0x7f[0-9a-f]{10}|0x5[56][0-9a-f]{10}', text), text)
    with open(core, 'rb') as f:
        check('the core has the word', words[0].encode() in f.read())


def most_memory(core):
    """The most MB of its own that a digest had, as far as looking at it every millisecond tells, and what it wrote."""
    most = 0
    with subprocess.Popen([heft, 'heap', 'digest', core], stdout=subprocess.PIPE, text=True) as run:
        while run.poll() is None:
            with open(f'/proc/{run.pid}/status', encoding='ascii') as f:
                words = [line.split() for line in f if line.startswith('RssAnon:')]
            most = max([most] + [int(w[1]) / 1000 for w in words])
            time.sleep(.001)
        return most, json.loads(run.stdout.read())


def memory_is_constant(tmp):
    with open(f'{tmp}/many.c', 'w', encoding='ascii') as f:
        f.write(MANY)
    subprocess.run(['cc', '-O1', '-fno-builtin', f'{tmp}/many.c', '-o', f'{tmp}/many'], check=True)
    most = {}
    for count in (20000, 600000):
        most[count], digest = most_memory(record(tmp, f'many-{count}', [f'{tmp}/many', str(count)]))
        check('all blocks are told', digest['live_blocks'] >= count and digest['leaked_blocks'] == 0, digest)
        check('its memory was looked at', most[count] > .1, most)
    check('thirty times the blocks take no more memory', most[600000] < most[20000] + 8, most)


def main():
    with tempfile.TemporaryDirectory() as tmp:
        with open(f'{tmp}/shop.c', 'w', encoding='ascii') as f:
            f.write(PROGRAM)
        subprocess.run(['cc', '-g', '-O1', '-fno-builtin', '-w', f'{tmp}/shop.c', '-o', f'{tmp}/shop'], check=True)
        words = [secrets.token_hex(12) for _ in range(4)]
        cores = [dump(tmp, 'a', words[0], '1000'), dump(tmp, 'b', words[1], '1500'), dump(tmp, 'c', words[2], '40'),
                 dump(tmp, 'd', words[3], '1000', 'overrun')]
        text = output(heft, 'heap', 'digest', *cores)
        digests = [json.loads(line) for line in text.splitlines()]
        check('a line a core', [d['core'] for d in digests] == [os.path.basename(c) for c in cores])
        for core, digest, word in zip(cores, digests, words):
            agrees(core, digest)
            keeps_secrets(core, json.dumps(digest), [word])
        check('the program has no arguments', all(d['program'] == 'shop' for d in digests), digests[0]['program'])
        same = [d['signature'] for d in digests]
        check('the same stacks, the same signature', same[0] == same[1], same)
        holders = [{s['frames'][0] for s in d['stacks'][:2]} for d in digests]
        check('who holds', holders[0] == {'shop!customer', 'shop!session'}, holders)
        check('damage has its kind and holder',
              [(m['kind'], m.get('holder')) for m in digests[3]['damage']] == [('canary', 'shop!overrun')], digests[3]['damage'])
        check('no damage elsewhere', not any(d['damage'] for d in digests[:3]))
        one = output(heft, 'heap', 'digest', '--threads=1', cores[0])
        check('threads change nothing', one == text.splitlines(keepends=True)[0])
        cache = f'{tmp}/cache'
        many = [subprocess.Popen([heft, 'heap', 'digest', '--name-cache', cache, *cores], stdout=subprocess.PIPE, text=True) for _ in range(10)]
        check('ten that keep names at once', all(p.communicate()[0] == text for p in many))
        os.rename(f'{tmp}/shop', f'{tmp}/away')
        check('names of a program that is gone', output(heft, 'heap', 'digest', '--name-cache', cache, *cores) == text)
        check('it is needed without the cache', 'shop!customer' not in output(heft, 'heap', 'digest', *cores))
        check('no writer has left anything', not [f for f in os.listdir(cache) if '.' in f], os.listdir(cache))
        os.rename(f'{tmp}/away', f'{tmp}/shop')
        left = output(heft, 'heap', 'digest', f'{tmp}/shop', cores[0], status=2)
        check('a program, which is no dump, costs its own line alone', left.splitlines() == text.splitlines()[:1], left)
        memory_is_constant(tmp)
    if FAILURES or COUNT[0] < 40:
        sys.exit(f'digest: {len(FAILURES)} of {COUNT[0]} checks failed')
    print(f'digest: {COUNT[0]} checks passed')


main()
