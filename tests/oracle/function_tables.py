#!/usr/bin/env python3
"""Tables about functions: of each at most 1 % has no owner, and the owners of stack sizes and of SFrame are the functions
that llvm-readobj, readelf and nm state. Objects, programs of three linkers, stripped ones, several tables in a section.

usage: tests/oracle/function_tables.py HEFT"""
import json, os, re, shutil, subprocess, sys, tempfile

heft = os.path.abspath(sys.argv[1])
ONE = r'''
extern int put(const char *);
struct pair { int x, y; char name[10]; } pair = { 1, 2, "x" };
int table[50] = { 1 }, other(struct pair *p);
static __attribute__((noinline)) int choose(int c) {
	switch (c) { case 0: return 5; case 1: put("one"); return 9; case 2: return put("two"); case 3: return 77;
		case 4: put("four"); return 2; case 5: return 11; case 6: return put("six"); } return 0; }
int (*pointer)(int) = choose;
int main(int c, char **v) { (void)v; return pointer(c) + other(&pair) + table[c]; }
'''
TWO = r'''
struct pair { int x, y; char name[10]; };
int put(const char *s) { int n = 0; while (s[n]) n++; return n; }
int other(struct pair *p) { return p->x + p->y + put(p->name); }
'''
VERSION_3 = r'''
.text
.globl _start
.type _start,@function
_start: .fill 40,1,0x90
.size _start,40
.type last,@function
last: .fill 24,1,0x90
.size last,24
.section .sframe,"a",@progbits
.short 0xdee2
.byte 3, 5, 3, 0, -8, 0
.long 2, 2, 16, 0, 32
.quad _start - .
.long 40, 0
.quad last - .
.long 24, 8
.fill 16,1,1
'''
SECTIONS = re.compile(r'^(\.rela?)?\.(llvm_bb_addr_map|stack_sizes|llvm_jump_table_sizes|llvm\.callgraph|pseudo_probe'
                      r'|pseudo_probe_desc|sframe|BTF|BTF\.ext|ctf|llvm\.lto|llvmbc|llvmcmd|gnu\.lto_.*)$')
KNOWN = {'choose', 'main', 'other', 'put'}  # readelf misreads what lld leaves of several objects
failures, looked, skipped = [], set(), []


def tool(name):
    return next((p for v in [*(f'-{n}' for n in range(30, 12, -1)), ''] if (p := shutil.which(name + v))), None)


def run(*args):
    return subprocess.run(args, capture_output=True, text=True)


def rows_of(path):
    """Per section: its bytes, and per owner its bytes there."""
    made = run(heft, 'size', '-d', 'sections,rawsymbols', '-n0', '--json', path)
    if made.returncode != 0:
        failures.append(f'{path}: {made.stderr}')
        return {}
    top = json.loads(made.stdout)['total']
    return {s['label']: (s['file'], {c['label']: c['file'] for c in s['children']}) for s in top['children']}


def check(path):
    rows = rows_of(path)
    for name, (size, owners) in rows.items():
        if not SECTIONS.match(name):
            continue
        looked.add(re.sub(r'^\.rela?|\.[0-9a-f]{8,}$', '', name))
        none = size - sum(n for label, n in owners.items() if not label.startswith('['))
        # The entry of the PLT, which all stubs share, is about code of nobody.
        if none > max(size // 100, 17 if name == '.sframe' else 0):
            failures.append(f'{path}: {none} of {size} bytes of {name} have no owner')
    return rows


def check_stack_sizes(path, rows):
    said = run(tool('llvm-readobj'), '--stack-sizes', path).stdout
    wanted = set(re.findall(r'Functions: \[([^\]]+)\]', said))
    owners = set(rows.get('.stack_sizes', (0, {}))[1])
    if wanted and '?' not in wanted and wanted != owners:  # '?': stripped
        failures.append(f'{path}: stack sizes of {sorted(wanted)}, heft has {sorted(owners)}')


def check_sframe(path, rows):
    starts = {int(a, 16) for a in re.findall(r'pc = 0x([0-9a-f]+)', run('readelf', '--sframe', path).stdout)}
    symbols = [line.split() for line in run('nm', path).stdout.splitlines() if line.split()[1] in 'tT']
    names = {name for addr, _, name in symbols if int(addr, 16) in starts or path == 'sframe_lld' and name in KNOWN}
    owners = {o for o in rows['.sframe'][1] if not o.startswith(('[', '('))}
    if len(names) < 4 or names != owners:
        failures.append(f'{path}: SFrame of {sorted(names)}, heft has {sorted(owners)}')


def check_sframe_bounds(path):
    """Without symbols and .eh_frame, SFrame alone tells where functions are."""
    sizes = {line.split()[3]: (int(line.split()[0], 16), int(line.split()[1], 16))
             for line in run('nm', '-S', path).stdout.splitlines() if len(line.split()) == 4}
    run('objcopy', '-S', '-R', '.eh_frame', '-R', '.eh_frame_hdr', path, path + '_bare')
    owners = rows_of(path + '_bare')['.text'][1]
    for name in KNOWN:
        addr, size = sizes[name]
        if not size <= owners.get(f'sub_{addr:x}', 0) < size + 16:
            failures.append(f'{path}: {name} has {size} bytes at {addr:x}, heft says {owners}')


def check_version_3():
    with open('three.s', 'w') as f:
        f.write(VERSION_3)
    if run('gcc', '-nostdlib', '-static', '-fuse-ld=gold', 'three.s', '-o', 'three').returncode != 0:
        skipped.append('SFrame 3: no gold (install binutils)')
        return
    owners = check('three')['.sframe'][1]
    if owners != {'(header of SFrame)': 28, '_start': 24, 'last': 24}:
        failures.append(f'SFrame 3: {owners}')


def build(what, compiler, flags, link=()):
    """Objects, a program by each linker, a stripped one, and one object of both."""
    made = [f'{what}_{n}.o' for n in ('one', 'two')]
    for n, o in zip(('one', 'two'), made):
        done = run(compiler, *flags, '-c', n + '.c', '-o', o)
        if done.returncode != 0:
            skipped.append(f"{what}: {done.stderr.splitlines()[0] if done.stderr else 'no compiler'}")
            return []
    for linker in ('bfd', 'gold', 'lld'):
        out = f'{what}_{linker}'
        if run(compiler, *link, *made, f'-fuse-ld={linker}', '-o', out).returncode == 0:
            made.append(out)
    if run(compiler, '-r', '-nostdlib', *link, *made[:2], '-o', f'{what}_both.o').returncode == 0:
        made.append(f'{what}_both.o')
    if len(made) > 3:
        run('strip', '-s', made[2], '-o', f'{what}_stripped')
        made.append(f'{what}_stripped')
    return made


def main(folder):
    os.chdir(folder)
    for name, text in ('one.c', ONE), ('two.c', TWO):
        with open(name, 'w') as f:
            f.write(text)
    clang = tool('clang')
    tables = ['-O1', '-fbasic-block-address-map', '-fstack-size-section', '-fpseudo-probe-for-profiling']
    if clang:
        for path in build('tables', clang, tables):
            check_stack_sizes(path, check(path))
        for what, flags in {'calls': [*tables, '-fexperimental-call-graph-section', '-mllvm', '-emit-jump-table-sizes-section'],
                            'sections': [*tables, '-ffunction-sections'],
                            'fat': ['-O1', '-flto', '-ffat-lto-objects'], 'bitcode': ['-O1', '-fembed-bitcode=all']}.items():
            for path in build(what, clang, flags):
                check(path)
        if run(clang, '-target', 'bpf', '-g', '-O1', '-c', 'two.c', '-o', 'bpf.o').returncode == 0:
            check('bpf.o')
    else:
        skipped.append('no clang (install clang-19)')
    for path in build('sframe', 'gcc', ['-O1', '-Wa,--gsframe']):
        rows = check(path)
        if path in ('sframe_bfd', 'sframe_lld'):
            check_sframe(path, rows)
        if path == 'sframe_bfd':
            check_sframe_bounds(path)
    check_version_3()
    for kind in ('btf', 'ctf'):
        for path in build(kind, 'gcc', ['-O1', f'-g{kind}']):
            check(path)
    for path in build('gimple', 'gcc', ['-O1', '-flto', '-ffat-lto-objects'], ['-fno-lto'])[:2]:
        check(path)


with tempfile.TemporaryDirectory() as folder:
    main(folder)
print(f'{len(looked)} kinds of sections, {len(failures)} wrong: {" ".join(sorted(looked))}')
for line in skipped:
    print('not built:', line)
for line in failures[:30]:
    print(line)
if not looked:
    print('SKIP: no compiler makes any of these tables (install gcc, clang)')
sys.exit(1 if failures else 0 if looked else 77)
