"""One answer about one process: `heft heap show`, `heft size -d allocations` and `heft where` agree
on the same dump, stack by stack and byte by byte, under the same names.

usage: agree.py HEFT RECORDER

Programs in C, C++ and Rust, stripped ones, and one that is found by --exe and by --sysroot only, run
under the recorder until they wait, and are dumped there."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

heft, recorder = (os.path.realpath(p) for p in sys.argv[1:3])

C = r'''
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
char *kept[200];
static inline __attribute__((always_inline)) char *fill(char *p, int i) { return memset(p, i, 50); }
__attribute__((noinline)) char *make(int i) { return fill(malloc(100 + i), i); }
__attribute__((noinline)) char *grow(char *p) { return realloc(p, 5000); }
int main(void)
{
	for (int i = 0; i < 60; i++)
		kept[i] = make(i);
	for (int i = 0; i < 20; i++)
		kept[i] = grow(kept[i]);
	kept[100] = strdup("a text that is copied");
	kept[101] = calloc(7, 100);
	printf("%p\n", (void *)kept[3]);
	fflush(stdout);
	return getchar();
}
'''
CXX = r'''
#include <cstdio>
#include <map>
#include <string>
#include <vector>
template <class T> struct Store {
	std::vector<T *> all;
	__attribute__((noinline)) T *add(int i) { all.push_back(new T(i, 'x')); return all.back(); }
};
namespace app {
struct Text : std::string { Text(int n, char c) : std::string(100 + n, c) {} };
std::map<int, Store<Text>> stores;
}
int main()
{
	void *some = nullptr;
	for (int i = 0; i < 100; i++)
		some = app::stores[i % 7].add(i);
	std::printf("%p\n", some);
	std::fflush(stdout);
	return std::getchar();
}
'''

RUST = r'''
use std::collections::HashMap;
use std::io::Read;
#[inline(never)]
fn fill(count: usize) -> HashMap<usize, String> {
	(0..count).map(|i| (i, format!("value {}", i))).collect()
}
#[inline(never)]
fn grow(count: usize) -> Vec<Vec<u8>> {
	(0..count).map(|i| vec![1u8; i + 1]).collect()
}
fn main() {
	let (map, rows) = (fill(100), grow(50));
	println!("{:p}", rows[7].as_ptr());
	let _ = std::io::stdin().read(&mut [0u8; 1]);
	println!("{} {}", map.len(), rows.len());
}
'''


def fail(text):
    sys.exit('agree: ' + text)


def output(*words):
    run = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if run.returncode != 0:
        fail(f'{words}: status {run.returncode}: {run.stderr}')
    return run.stdout


def build(text, path, *flags):
    compiler, name = {C: ('gcc', 'p.c'), CXX: ('g++', 'p.cc'), RUST: ('rustc', 'p.rs')}[text]
    source = os.path.join(os.path.dirname(path), name)
    with open(source, 'w') as file:
        file.write(text)
    output(compiler, *flags, source, '-o', path)


def dump(program, core):
    """Runs a program until it waits; the address of a block that it tells."""
    env = dict(os.environ, LD_PRELOAD=recorder, HEFT_HEAP='on')
    p = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env,
                         cwd=os.path.dirname(program), text=True)
    addr = p.stdout.readline().strip()
    took = subprocess.run([heft, 'heap', 'snapshot', '-o', core, str(p.pid)], text=True,
                          stderr=subprocess.PIPE)
    p.communicate('\n')
    if took.returncode != 0 and 'not allowed' in took.stderr:
        print('other processes may not be looked at here')
        sys.exit(77)
    if took.returncode != 0 or not addr:
        fail(f'{program}: no dump: {took.stderr}')
    return addr


def folded(text):
    rows = {}
    for line in text.splitlines():
        stack, size = line.rsplit(' ', 1)
        rows[stack] = rows.get(stack, 0) + int(size)
    return rows


def compare(core, addr, find, style):
    """What both commands say of the heap, by stack."""
    options = ['-C', style] + find
    heap = folded(output(heft, 'heap', 'show', '--folded', *options, core))
    size = folded(output(heft, 'size', '-d', 'allocations', '--domain=vm', '--folded', '-n', '0',
                         *options, core))
    size = {stack: n for stack, n in size.items() if not stack.startswith('[')}
    if heap != size:
        for stack in sorted(heap.keys() | size.keys()):
            if heap.get(stack) != size.get(stack):
                print(f'heap {heap.get(stack)} size {size.get(stack)} {stack}')
        fail(f'{core} {options}: the commands differ')
    place = json.loads(output(heft, 'where', '--json', '-d', 'allocations', *options, core, addr))
    stack = ';'.join(f['function'] for f in reversed(place['process']['block']['frames'])
                     if 'function' in f)
    owner = place['owners']['allocations']
    # The block has all frames, its owner those down to the first that is no library's.
    if owner not in heap or not ((stack + ';').startswith(owner + ';') or '+0x' in owner):
        fail(f'{core}: where {addr}: {owner!r}, {stack!r}: not what heap show has')
    return heap


def main():
    for compiler in 'gcc', 'g++':
        if not shutil.which(compiler):
            print(f'SKIP: no {compiler} (install {compiler})')
            sys.exit(77)
    folder, compared = tempfile.mkdtemp(), 0
    programs = [('c', C, ['-g', '-O1']), ('c-stripped', C, ['-O2', '-s']),
                ('cc', CXX, ['-g', '-O2']), ('cc-stripped', CXX, ['-O1', '-s'])]
    rust = [('rust', RUST, ['-g', '-O']), ('rust-v0', RUST, ['-O', '-Csymbol-mangling-version=v0'])]
    if shutil.which('rustc'):
        programs += rust
    else:
        print('LEFT OUT: programs in Rust: no rustc (install rustc)')
    try:
        for name, text, flags in programs:
            place = os.path.join(folder, name)
            os.mkdir(place)
            program, core = os.path.join(place, 'program'), os.path.join(place, 'core')
            build(text, program, *flags)
            addr = dump(program, core)
            told = {}
            for style in ('none', 'short', 'full'):
                told[style] = compare(core, addr, [], style)
                compared += len(told[style])
            root = os.path.join(folder, name + '.root')
            moved = os.path.join(root, program.lstrip('/'))
            os.makedirs(os.path.dirname(moved))
            os.rename(program, moved)
            for find in (['--exe=' + moved], ['--sysroot=' + root]):
                if compare(core, addr, find, 'short') != told['short']:
                    fail(f'{name}: other names by {find}')
                compared += len(told['short'])
            if name == 'c' and not any(re.search(';make$', s) for s in told['short']):
                fail('no function of the program is named')
            if compare(core, addr, [], 'short') == told['short'] and name == 'c':
                fail('a program that is gone is named')
    finally:
        shutil.rmtree(folder)
    print(f'{compared} stacks compared')
    if compared == 0:
        fail('nothing was compared')


main()
