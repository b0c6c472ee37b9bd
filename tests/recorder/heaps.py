"""Programs with random heaps, each of which says what it has: heft's account of a dump must be the same.

usage: heaps.py HEFT HEAP_CHECK [SEED...]      FULL=1: 100 programs of each kind, else a few; KEEP=1 keeps the folder

Each program builds lists, trees, maps, arenas and the like, frees some of it, and ends when it knows which blocks it
has and that it can reach all of them.  So a dump has these blocks with these sizes, the C library's own, no freed
one, no leak and no damage.  A heap that heft does not take for certain is counted; few may be."""
import concurrent.futures
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

heft, check = (os.path.realpath(p) for p in sys.argv[1:3])
FULL = os.environ.get('FULL') == '1'
OWN = 12  # blocks that the C library may have beside the program's, and so many a thread:
OWN_THREAD = 2

KINDS = {
    'pie': (['gcc', '-fPIE', '-pie'], []),
    'non-pie': (['gcc', '-fno-pie', '-no-pie'], []),
    'static': (['gcc', '-static'], []),
    'static-pie': (['gcc', '-static-pie', '-fPIE'], []),
    'i386': (['gcc', '-m32'], []),
    'aarch64': (['aarch64-linux-gnu-gcc'], ['qemu-aarch64', '-L', '/usr/aarch64-linux-gnu']),
}
# Other words, orders and alignments; with FULL, or where KINDS names them.
MORE = {
    'armhf': (['arm-linux-gnueabihf-gcc'], ['qemu-arm', '-L', '/usr/arm-linux-gnueabihf']),
    'powerpc': (['powerpc-linux-gnu-gcc'], ['qemu-ppc', '-L', '/usr/powerpc-linux-gnu']),
    's390x': (['s390x-linux-gnu-gcc'], ['qemu-s390x', '-L', '/usr/s390x-linux-gnu']),
}

PRELUDE = r'''
#define _GNU_SOURCE
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define AWAY __attribute__((noinline))
#define MASK ((uintptr_t)0x5a5a5a5a5a5a5a5aULL)
enum { MOST = 400000 };
/* Addresses are kept so that nothing takes them for pointers. */
static uintptr_t has[MOST], had[MOST];
static unsigned has_count, had_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __thread unsigned long long state;

static unsigned rnd(unsigned n)
{
	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (unsigned)(state >> 33) % n;
}

static void note(void *p)
{
	pthread_mutex_lock(&lock);
	if (has_count == MOST)
		_exit(9);
	has[has_count++] = (uintptr_t)p ^ MASK;
	pthread_mutex_unlock(&lock);
}

static void drop(void *p)
{
	pthread_mutex_lock(&lock);
	for (unsigned i = has_count; i-- > 0;)
		if (has[i] == ((uintptr_t)p ^ MASK)) {
			has[i] = has[--has_count];
			break;
		}
	if (had_count < MOST)
		had[had_count++] = (uintptr_t)p ^ MASK;
	pthread_mutex_unlock(&lock);
}

static AWAY void *get(size_t size)
{
	void *p = malloc(size);
	if (p == NULL)
		_exit(8);
	memset(p, (int)rnd(256), size);
	note(p);
	return p;
}

static AWAY void give(void *p)
{
	if (p == NULL)
		return;
	drop(p);
	free(p);
}

static AWAY void *resize(void *p, size_t size)
{
	if (p != NULL)
		drop(p);
	p = realloc(p, size);
	note(p);
	return p;
}

/* What freed blocks left on the stack is no pointer of the program's. */
static AWAY void clear_stack(void)
{
	volatile char words[16384];
	for (size_t i = 0; i < sizeof words; i++)
		words[i] = 0;
}

static void say(int f, char what, uintptr_t a, size_t b)
{
	char line[64];
	const int n = snprintf(line, sizeof line, "%c %llx %llu\n", what, (unsigned long long)a, (unsigned long long)b);
	if (write(f, line, (size_t)n) != n)
		_exit(7);
}

static AWAY void tell(void)
{
	const int f = open("account", O_WRONLY | O_CREAT | O_TRUNC, 0600);
	for (unsigned i = 0; i < has_count; i++)
		say(f, 'L', has[i] ^ MASK, malloc_usable_size((void *)(has[i] ^ MASK)));
	for (unsigned i = 0; i < had_count; i++)
		say(f, 'F', had[i] ^ MASK, 0);
	close(f);
}

struct node { struct node *next, *before; unsigned value; char text[]; };
struct tree { struct tree *left, *right; unsigned key; };
struct map { struct node **buckets; unsigned count, size; };
struct vec { char **texts; unsigned count, cap; };

static AWAY struct node *list_make(unsigned n, unsigned most)
{
	struct node *head = NULL;
	for (unsigned i = 0; i < n; i++) {
		struct node *x = get(sizeof *x + rnd(most));
		x->next = head;
		x->before = NULL;
		x->value = i;
		head = x;
	}
	return head;
}

/* Every so many are freed. */
static AWAY struct node *list_thin(struct node *head, unsigned step)
{
	struct node **at = &head;
	for (unsigned i = 0; *at != NULL; i++) {
		struct node *x = *at;
		if (i % step == 0) {
			*at = x->next;
			give(x);
		} else {
			at = &x->next;
		}
	}
	return head;
}

static AWAY struct node *ring_make(unsigned n)
{
	struct node *head = get(sizeof *head + 8);
	head->next = head->before = head;
	for (unsigned i = 1; i < n; i++) {
		struct node *x = get(sizeof *x + rnd(100));
		x->next = head;
		x->before = head->before;
		head->before->next = x;
		head->before = x;
	}
	return head;
}

static AWAY struct tree *tree_make(unsigned n)
{
	struct tree *root = NULL;
	for (unsigned i = 0; i < n; i++) {
		struct tree *x = get(sizeof *x), **at = &root;
		x->left = x->right = NULL;
		x->key = rnd(1 << 30);
		while (*at != NULL)
			at = x->key < (*at)->key ? &(*at)->left : &(*at)->right;
		*at = x;
	}
	return root;
}

static AWAY void map_grow(struct map *m)
{
	const unsigned size = m->size == 0 ? 8 : m->size * 2;
	struct node **to = get(size * sizeof *to);
	memset(to, 0, size * sizeof *to);
	for (unsigned i = 0; i < m->size; i++)
		while (m->buckets[i] != NULL) {
			struct node *x = m->buckets[i];
			m->buckets[i] = x->next;
			x->next = to[x->value % size];
			to[x->value % size] = x;
		}
	give(m->buckets);
	m->buckets = to;
	m->size = size;
}

static AWAY struct map *map_make(unsigned n)
{
	struct map *m = get(sizeof *m);
	memset(m, 0, sizeof *m);
	for (unsigned i = 0; i < n; i++) {
		if (m->count >= m->size)
			map_grow(m);
		struct node *x = get(sizeof *x + rnd(60));
		x->before = NULL;
		x->value = rnd(1 << 30);
		x->next = m->buckets[x->value % m->size];
		m->buckets[x->value % m->size] = x;
		m->count++;
	}
	return m;
}

static AWAY struct vec *vec_make(unsigned n, unsigned most)
{
	struct vec *v = get(sizeof *v);
	memset(v, 0, sizeof *v);
	for (unsigned i = 0; i < n; i++) {
		if (v->count == v->cap) {
			v->cap = v->cap * 3 / 2 + 4;
			v->texts = resize(v->texts, v->cap * sizeof *v->texts);
			memset(v->texts + v->count, 0, (v->cap - v->count) * sizeof *v->texts);
		}
		v->texts[v->count++] = get(1 + rnd(most));
	}
	for (unsigned i = 0; i < n / 4; i++) {
		const unsigned k = rnd(v->count);
		give(v->texts[k]);
		v->texts[k] = v->texts[--v->count];
		v->texts[v->count] = NULL;
	}
	return v;
}

/* Of each block only its middle is known. */
static AWAY char **inside_make(unsigned n)
{
	char **p = get((n + 1) * sizeof *p);
	for (unsigned i = 0; i < n; i++) {
		const unsigned size = 32 + rnd(3000);
		p[i] = (char *)get(size) + 8 + rnd(size - 8);
	}
	p[n] = NULL;
	return p;
}

static AWAY void **aligned_make(unsigned n, unsigned most)
{
	void **p = get((n + 1) * sizeof *p);
	for (unsigned i = 0; i < n; i++) {
		if (posix_memalign(&p[i], (size_t)16 << rnd(most), 1 + rnd(20000)) != 0)
			_exit(6);
		memset(p[i], 7, 1);
		note(p[i]);
	}
	p[n] = NULL;
	return p;
}

static AWAY void **large_make(unsigned n, unsigned least)
{
	void **p = get((n + 1) * sizeof *p);
	for (unsigned i = 0; i < n; i++)
		p[i] = get(least + rnd(200000));
	p[n] = NULL;
	return p;
}

/* Fills caches, fast bins, and the lists behind them. */
static AWAY void churn(unsigned rounds, unsigned most)
{
	enum { SLOTS = 300 };
	void **slot = calloc(SLOTS, sizeof *slot);
	for (unsigned i = 0; i < rounds; i++) {
		const unsigned k = rnd(SLOTS);
		give(slot[k]);
		slot[k] = rnd(3) == 0 ? NULL : get(rnd(rnd(20) == 0 ? 40 * most : most));
	}
	for (unsigned i = 0; i < SLOTS; i++)
		give(slot[i]);
	free(slot);
}

/* Memory of the program's own, from the system and not from the C library. */
static AWAY void foreign(unsigned size)
{
	char *p = sbrk((intptr_t)size);
	if (p != (char *)-1)
		memset(p, 0x31, size);
}

/* The heap cannot grow where it is. */
static AWAY void wall(void)
{
	char *at = sbrk(0);
	at = (char *)(((uintptr_t)at + 4095) & ~(uintptr_t)4095);
	mmap(at, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

static __thread void *volatile of_thread[8];
static char stack_before[1 << 17];
static void *volatile kept[64];
static char stack_behind[1 << 17];
static pthread_barrier_t at_end;
static pthread_attr_t small_stack;

static void end(int signal)
{
	abort();
}

/* On a stack that lies in the program's data. */
static AWAY void end_on(char *stack)
{
	const stack_t s = { .ss_sp = stack, .ss_size = sizeof stack_before };
	const struct sigaction a = { .sa_handler = end, .sa_flags = SA_ONSTACK };
	sigaltstack(&s, NULL);
	sigaction(SIGUSR1, &a, NULL);
	raise(SIGUSR1);
}

static void stop(void)
{
	clear_stack();
	tell();
	clear_stack();
	@STOP@
}
'''

PIECES = [
    ('list_make({n}, {small})', 4), ('list_thin(list_make({n}, {small}), {step})', 5), ('ring_make({n})', 2),
    ('tree_make({n})', 3), ('map_make({n})', 3), ('vec_make({n}, {small})', 4), ('inside_make({few})', 2),
    ('aligned_make({few}, 10)', 2), ('large_make({some}, 100)', 2), ('large_make({some}, 140000)', 2),
]
ACTS = ['churn({rounds}, {small});', 'churn({rounds}, {small});', 'malloc_trim(0);', 'foreign({odd});']
SETTINGS = [
    {}, {}, {}, {'MALLOC_TOP_PAD_': '1000000'}, {'MALLOC_MMAP_THRESHOLD_': '5000'}, {'MALLOC_ARENA_MAX': '1'},
    {'MALLOC_TRIM_THRESHOLD_': '1'}, {'GLIBC_TUNABLES': 'glibc.malloc.tcache_count=0'},
    {'GLIBC_TUNABLES': 'glibc.malloc.mxfast=0'}, {'GLIBC_TUNABLES': 'glibc.malloc.mxfast=160:glibc.malloc.tcache_count=2'},
    {'GLIBC_TUNABLES': 'glibc.malloc.tcache_count=100'}, {'GLIBC_TUNABLES': 'glibc.malloc.hugetlb=1'},
    {'GLIBC_TUNABLES': 'glibc.malloc.tcache_max=200'}, {'MALLOC_PERTURB_': '85'}, {'MALLOC_MMAP_MAX_': '0'},
]


FAULTS = r'''
static AWAY void lose(void)
{
	list_make(300, 90);
}

int main(int argc, char **argv)
{
	char *p[12];
	state = 99;
	kept[0] = list_thin(list_make(1500, 300), 3);
	for (int i = 0; i < 12; i++)
		p[i] = get(40);
	const int f = open("said", O_WRONLY | O_CREAT | O_TRUNC, 0600);
	say(f, 'P', (uintptr_t)p[3], 0);
	close(f);
	switch (argv[1][0]) {
	case 'l': lose(); break;
	case 'd': free(p[3]); free(p[3]); break;
	case 'f': for (int i = 4; i < 12; i++) free(p[i]); free(p[3]); free(p[3]); break;
	case 'w': free(p[3] + 16); break;
	case 'o': memset(p[3], 'q', 40 + 40); break;
	case 'r': free(p[2]); free(p[3]); memset(p[3], 'q', 16); break;
	case 's': free(p[2]); free(p[3]); *(uintptr_t *)p[3] = (uintptr_t)p[3] >> 12 ^ 0x41414141; get(40); get(40); break;
	}
	stop();
	return argc;
}
'''

# What is done to the block; the kinds of damage that it may be; what glibc says (2.36).
FAULTY = {
    'double': ({'double-free'}, 'free(): double free detected in tcache 2'),
    'fast bin': ({'double-free'}, 'double free or corruption (fasttop)'),
    'wild': ({'allocator'}, '(): invalid '),
    'overflow': ({'chunk'}, ''),
    'read after free and written': ({'freed-written'}, ''),
    'spoilt list': ({'allocator'}, 'malloc(): unaligned tcache chunk detected'),
}


class Program:
    """One program, by its seed."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.threads = self.r.choice([0, 0, 1, 2, 4])
        self.setting = self.r.choice(SETTINGS)
        self.fork = self.r.random() < 0.1

    def fill(self, text):
        r = self.r
        return text.format(n=r.choice([3, 50, 400, 1500]), small=r.choice([20, 90, 300, 1500]), step=r.choice([2, 3, 7]),
                           few=r.choice([2, 20, 60]), some=r.choice([1, 3, 9]), rounds=r.choice([200, 2000, 8000]),
                           odd=r.choice([4096, 100, 70000, 16, 1 << 20]))

    def piece(self):
        return self.fill(self.r.choices([p for p, _ in PIECES], [w for _, w in PIECES])[0])

    def steps(self, count, roots, acts):
        lines = []
        for root in roots:
            for _ in range(self.r.randrange(count)):
                lines.append('\t' + self.fill(self.r.choice(acts)))
            lines.append(f'\t{root} = {self.piece()};')
            if self.r.random() < 0.3:
                lines.append('\t' + self.fill(acts[0]))
        return '\n'.join(lines)

    def text(self, kind):
        r, acts = self.r, ACTS + ['wall();'] * (self.r.random() < 0.15)
        stop = r.choice(['abort();', 'abort();', '*(volatile int *)8 = 1;', 'raise(SIGQUIT);', 'end_on(stack_before);',
                         'end_on(stack_behind);'])
        if KINDS[kind][1]:  # the emulator itself may die of a fault, or where its own heap cannot grow
            stop, acts = 'abort();', ACTS
        out = [PRELUDE.replace('@STOP@', stop)]
        ends = r.random() < 0.5  # some threads end before, and leave what they made to others
        out.append('static AWAY void *work(void *arg)\n{\n\tstate = (uintptr_t)arg + 77;\n\tvoid *volatile held[4] = { 0 };')
        out.append(self.steps(3, [f'of_thread[{i}]' for i in range(r.randrange(1, 4))], ACTS[:3]))
        out.append(self.steps(2, [f'held[{i}]' for i in range(r.randrange(1, 4))], ACTS[:2]))
        out.append('\tpthread_barrier_wait(&at_end);\n\tfor (;;)\n\t\tpause();\n\treturn held[0];\n}')
        out.append('static AWAY void *short_work(void *arg)\n{\n\tvoid *p;\n\tstate = (uintptr_t)arg;')
        out.append(self.steps(3, ['p'], ACTS[:2]))
        out.append('\tchurn(3000, 500);\n\treturn p;\n}')
        out.append('int main(void)\n{\n\tpthread_t t;\n\tvoid *on_stack[8] = { 0 }, *volatile *held = on_stack;')
        out.append(f'\tstate = {r.randrange(1 << 30)};')
        out.append('\tpthread_attr_init(&small_stack);\n\tpthread_attr_setstacksize(&small_stack, 262144);')
        out.append(f'\tpthread_barrier_init(&at_end, NULL, {self.threads + 1});')
        out.append(self.steps(3, [f'kept[{i}]' for i in range(r.randrange(1, 6))], acts))
        if ends:
            for i in range(self.threads):
                out.append(f'\tpthread_create(&t, &small_stack, short_work, (void *){i + 900});')
                out.append(f'\tpthread_join(t, (void **)&kept[{40 + i}]);')
        for i in range(self.threads):
            out.append(f'\tpthread_create(&t, &small_stack, work, (void *){i + 1});')
        out.append(self.steps(3, [f'held[{i}]' for i in range(r.randrange(1, 5))], acts))
        if self.threads:
            out.append('\tpthread_barrier_wait(&at_end);\n\tusleep(20000);')
        out.append('\tstop();\n\treturn held[0] == NULL;\n}')
        return '\n'.join(out) + '\n'


class Wrong(Exception):
    pass


def allow_core():
    # A shell's background job ignores it, and some programs end by it.
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def core_in(folder, runner):
    """The emulator writes a core of the program, and the system one of the emulator."""
    cores = [n for n in os.listdir(folder) if (n.startswith('qemu_') if runner else n.startswith('core'))]
    if len(cores) != 1:
        raise Wrong(f'{len(cores)} cores')
    return cores[0]


def dump(kind, program, folder):
    """The core of the program, and its own account."""
    command, runner = KINDS[kind]
    with open(f'{folder}/p.c', 'w') as f:
        f.write(program.text(kind))
    subprocess.run(command + ['-O1', '-w', '-fno-builtin-malloc', '-o', f'{folder}/p', f'{folder}/p.c', '-pthread'], check=True)
    env = {**{k: v for k, v in os.environ.items() if not k.startswith(('MALLOC_', 'GLIBC_'))}, **program.setting}
    run = subprocess.run(runner + ['./p'], cwd=folder, env=env, preexec_fn=allow_core, stdin=subprocess.DEVNULL,
                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120)
    core = core_in(folder, runner)
    if not os.path.exists(f'{folder}/account'):
        raise Wrong(f'no account (status {run.returncode})')
    live, freed = {}, set()
    with open(f'{folder}/account') as f:
        for line in f:
            what, at, size = line.split()
            if what == 'L':
                live[int(at, 16)] = int(size)
            else:
                freed.add(int(at, 16))
    return f'{folder}/{core}', live, freed - live.keys()


def found(core):
    out = subprocess.run([check, '--blocks', core], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if out.returncode != 0:
        raise Wrong(f'heap_check: {out.stdout[-300:]}{out.stderr[-300:]}')
    return out.stdout.splitlines()


def block(line):
    m = re.match(r'\w+ (0x[0-9a-f]+)\+(\d+)', line)
    return int(m.group(1), 16), int(m.group(2))


def judge(program, core, live, freed):
    """'' or why heft is not certain; raises Wrong."""
    lines = found(core)
    got = dict(block(l) for l in lines if l.startswith('live '))
    doubts = [l for l in lines if l.startswith('unreachable')]
    if doubts:
        return doubts[0]
    wrong = [(hex(a), s, got.get(a)) for a, s in live.items() if got.get(a) != s]
    if wrong:
        raise Wrong(f'{len(wrong)} of {len(live)} live blocks are not found so: {wrong[:3]}')
    if len(freed & got.keys()) > OWN_THREAD * program.threads:  # it may use them again
        raise Wrong(f'{len(freed & got.keys())} of {len(freed)} freed blocks are live: {[hex(a) for a in freed & got.keys()][:3]}')
    more = len(got) - len(live)
    if more > OWN + OWN_THREAD * program.threads:
        raise Wrong(f'{more} blocks more than the {len(live)} of the program')
    lost = [l for l in lines if l.split()[0] in ('lost', 'indirect')]
    if lost:
        raise Wrong(f'{len(lost)} blocks lost: {lost[:3]}')
    damage = [l for l in lines if ' at 0x' in l and not l.startswith('fault')]
    if damage:
        raise Wrong(f'damage: {damage[:3]}')
    return ''


def run_json(command):
    out = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return out.returncode, json.loads(out.stdout) if out.stdout.startswith('{') else {'text': out.stderr}


def faulty(kind, strip):
    """What is wrong with programs that do have faults is found."""
    folder = tempfile.mkdtemp()
    wrong = []
    command, runner = KINDS[kind]
    with open(f'{folder}/p.c', 'w') as f:
        f.write(PRELUDE.replace('@STOP@', 'abort();') + FAULTS)
    subprocess.run(command + ['-O1', '-w', '-fno-builtin', '-o', f'{folder}/p', f'{folder}/p.c', '-pthread'] + strip, check=True)
    for fault in list(FAULTY) + ['leak']:
        for name in os.listdir(folder):
            if name.startswith(('core', 'qemu_')):
                os.remove(f'{folder}/{name}')
        subprocess.run(runner + ['./p', fault], cwd=folder, preexec_fn=allow_core, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        core = core_in(folder, runner)
        with open(f'{folder}/said') as f:
            at = int(f.read().split()[1], 16)
        if fault == 'leak':
            lost = sum(l.split()[0] in ('lost', 'indirect') for l in found(f'{folder}/{core}'))
            if not 299 <= lost <= 301:
                wrong.append(f'{kind} {fault}: {lost} of 300 blocks')
            continue
        status, got = run_json([heft, 'heap', 'check', '--json', f'{folder}/{core}'])
        kinds, said = FAULTY[fault]
        damage = got.get('damage', [])
        if status != 1 or len(damage) != 1 or damage[0]['kind'] not in kinds or said not in got.get('said', ''):
            wrong.append(f'{kind} {fault}: status {status}, {got}')
        elif fault in ('double', 'fast bin', 'read after free and written') and \
                damage[0]['address'] not in ((at, 0) if fault == 'fast bin' or kind in MORE else (at,)):  # 0: one of several
            wrong.append(f'{kind} {fault}: of {damage[0]["address"]:#x}, not of {at:#x}')
        elif fault == 'overflow' and damage[0]['block']['address'] != at:
            wrong.append(f'{kind} {fault}: the suspect is {damage[0]["block"]}')
    shutil.rmtree(folder)
    return wrong


def case(kind, seed):
    folder = tempfile.mkdtemp()
    program = Program(seed)
    try:
        result = judge(program, *dump(kind, program, folder))
    except (Wrong, subprocess.SubprocessError) as e:
        return 'wrong', f'{kind} {seed} {program.setting}: {e}'
    finally:
        if os.environ.get('KEEP'):
            print(kind, seed, folder)
        else:
            shutil.rmtree(folder)
    return ('doubt', f'{kind} {seed} {program.setting}: {result}') if result else ('same', '')


def system_writes_cores():
    with open('/proc/sys/kernel/core_pattern') as f:
        pattern = f.read().strip()
    return pattern[:1] != '|' and '/' not in pattern and \
        resource.getrlimit(resource.RLIMIT_CORE)[1] == resource.RLIM_INFINITY


def is_there(kind):
    command, runner = KINDS[kind]
    if not all(shutil.which(w[0]) for w in (command, runner) if w):
        return False
    with tempfile.TemporaryDirectory() as folder:
        test = subprocess.run(command + ['-x', 'c', '-o', folder + '/t', '-', '-pthread'], text=True,
                              input='int main(void) { return 0; }', stderr=subprocess.DEVNULL)
    return test.returncode == 0


def main():
    if not system_writes_cores():
        print('SKIP: the system does not write cores into the folder of a process (kernel.core_pattern)')
        sys.exit(77)
    seeds = [int(s) for s in sys.argv[3:]] or range(100 if FULL else 3)
    usual = list(KINDS) + (list(MORE) if FULL else [])
    KINDS.update(MORE)
    only = os.environ['KINDS'].split() if 'KINDS' in os.environ else usual
    cases = []
    for kind in only:
        if is_there(kind):
            cases += [(kind, seed) for seed in seeds]
        else:
            print(f'left out: {kind}: its compiler, libraries or emulator are not installed')
    count = {kind: {'same': 0, 'doubt': 0, 'wrong': 0} for kind in only}
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for (kind, seed), (what, text) in zip(cases, pool.map(lambda c: case(*c), cases)):
            count[kind][what] += 1
            if text:
                print(what + ':', text, flush=True)
    for kind, c in count.items():
        print(f'{kind}: {c["same"]} the same, {c["doubt"]} not certain, {c["wrong"]} wrong')
    bad = [w for kind in only if is_there(kind) for w in faulty(kind, ['-s'] if 'static' in kind else [])]
    print('\n'.join(bad + [f'faults of {len(FAULTY) + 1} kinds: {len(bad)} not found so']))
    total = {what: sum(c[what] for c in count.values()) for what in ('same', 'doubt', 'wrong')}
    print(f'{len(cases)} programs')
    sys.exit(bool(bad) or total['wrong'] > 0 or total['doubt'] * 20 > len(cases) or total['same'] < 4)


main()
