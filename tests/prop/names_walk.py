#!/usr/bin/env python3
"""Every name that a command prints is a name that each command takes.

usage: tests/prop/names_walk.py HEFT

Builds programs in several languages, some stripped, takes names out of 'size', 'where', 'blocks',
'stack' and 'query' in all three styles, and asks 'where', 'blocks --function', 'blocks profile
--function', 'stack --function' and 'size --disassemble' for them."""
import csv, io, json, os, random, shutil, subprocess, sys, tempfile

heft = os.path.abspath(sys.argv[1])
PER_PROGRAM = 4000 if os.environ.get('FULL') else 300  # names of one program and style
failures, asked, names_seen = [], 0, 0

C = r'''
#include <stdio.h>
static __attribute__((noinline)) int dup(int x) { return x * 3; }
int other(int);
int add(int a, int b) { return a + b; }
int deadbeef = 4;
_Thread_local int per_thread[9];
int counter(void) { static int n; return ++n; }
static int table[64];
extern void stop(int) __attribute__((noreturn, cold));
__attribute__((noinline)) int work(int x) {
	int r = 0;
	for (int i = 0; i < x; i++) r += table[i & 63] * i ^ x;
	if (__builtin_expect(x == 99, 0)) stop(r);
	return r;
}
int main(int c, char **v) { per_thread[c] = 1;
	printf("%d\n", dup(c) + other(c) + add(c, 1) + counter() + deadbeef + work(c)); return 0; }
'''
C2 = r'''
#include <stdlib.h>
static __attribute__((noinline)) int dup(int x) { return x * 5; }
int other(int x) { return dup(x) + 1; }
void stop(int x) { exit(x); }
'''
CXX = r'''
#include <map>
#include <string>
#include <vector>
#include <functional>
namespace ns {
struct A { virtual ~A(); A(int); template <class T> T f(T x); int g(int) const; A operator+(A) const;
	operator bool() const; virtual int v(); bool operator()(int) const; };
template <class T> __attribute__((noinline)) T A::f(T x) { return x + 1; }
template int A::f(int); template double A::f(double);
int A::g(int x) const { return x * 7; }
A A::operator+(A a) const { return a; }
A::operator bool() const { return true; }
bool A::operator()(int) const { return false; }
A::~A() {} A::A(int) {} int A::v() { return 1; }
int h(int) { return 1; } int h(char, std::vector<int> const &) { return 2; }
namespace { __attribute__((noinline)) int hidden(int x) { return x * 9; } }
}
int add(int x) { return x + 1; }
std::map<std::string, std::vector<std::function<int(int)>>> all;
[[gnu::noinline]] std::string text(std::string s) { return s + "x"; }
int main(int c, char **v) { ns::A a(1); all[v[0]].push_back([c](int x) { return x + c; });
	return a.f(c) + (int)a.f(2.0) + ns::h(c) + ns::hidden(c) + add(c) + (int)text("a").size(); }
'''
RUST = r'''
use std::collections::HashMap;
trait Shape { fn area(&self) -> f64; }
struct Square<T>(T);
impl Shape for Square<f64> { #[inline(never)] fn area(&self) -> f64 { self.0 * self.0 } }
impl Shape for Square<i32> { #[inline(never)] fn area(&self) -> f64 { (self.0 * self.0) as f64 } }
fn main() { let mut m: HashMap<String, Box<dyn Shape>> = HashMap::new();
	m.insert("a".into(), Box::new(Square(2.0))); m.insert("b".into(), Box::new(Square(2)));
	println!("{}", m.values().map(|s| s.area()).sum::<f64>()); }
'''
GO = r'''
package main
import "fmt"
type pair[T any] struct{ a, b T }
//go:noinline
func (p *pair[T]) first() T { return p.a }
type node struct{ n int }
//go:noinline
func (n *node) next() int { return n.n + 1 }
func main() { p := &pair[int]{1, 2}; n := &node{3}; f := func() int { return n.next() }
	fmt.Println(p.first(), f()) }
'''
D = r'''
module shapes;
import std.stdio, std.algorithm;
class Node { int n; int next() { return n + 1; } }
T twice(T)(T x) { return x + x; }
void main() { auto n = new Node; writeln(n.next(), twice(3), twice(2.5), [3, 1, 2].sort); }
'''
# Names as Swift, OCaml, Fortran, Free Pascal and GHC have them, in a file of assembly.
OTHERS = ['$s4main5ShapeC4areaSdyF', '$s4main5ShapeCMa', '$sSa6appendyyxnF', '$sSS6appendyySSF',
          'camlStdlib__List__map_1234', '__shapes_MOD_area', 'SHAPES_$$_AREA$LONGINT$$LONGINT',
          'base_GHCziList_map_info', 'f.cold', 'f', 'f.part.0', 'g@plt', '_Z3addi', 'face', 'g.1']


def run(*args, **how):
    return subprocess.run([str(a) for a in args], capture_output=True, text=True, errors='replace', **how)


def write(path, text):
    with open(path, 'w') as f:
        f.write(text)
    return path


def build(folder):
    """Yields (name, path) of what can be built here."""
    at = lambda name: os.path.join(folder, name)
    write(at('a.c'), C), write(at('b.c'), C2), write(at('a.cc'), CXX), write(at('a.rs'), RUST)
    write(at('a.go'), GO), write(at('a.d'), D)
    write(at('a.s'), '.text\n' + ''.join(
        f'.globl "{n}"\n.type "{n}",@function\n"{n}": ret; ret; ret; ret\n.size "{n}",.-"{n}"\n' for n in OTHERS))
    builds = {
        'C': ['gcc', '-O2', '-g', at('a.c'), at('b.c'), '-o'],
        'C++': ['g++', '-O2', '-g', at('a.cc'), '-o'],
        'Rust': ['rustc', '-O', '-g', at('a.rs'), '-o'],
        'Rust v0': ['rustc', '-O', '-C', 'symbol-mangling-version=v0', at('a.rs'), '-o'],
        'Go': ['go', 'build', '-o'],
        'D': ['gdc', '-O1', at('a.d'), '-o'],
        'others': ['gcc', '-nostdlib', '-static', '-Wl,-e,f', at('a.s'), '-o'],
    }
    env = dict(os.environ, GOCACHE=at('gocache'), GO111MODULE='off', HOME=folder)
    env.setdefault('RUSTUP_HOME', os.path.expanduser('~/.rustup'))
    for name, line in builds.items():
        path = at('prog-' + name.replace(' ', '-').replace('+', 'x'))
        if not shutil.which(line[0]):
            print(f'{name}: skipped, no {line[0]}')
            continue
        made = run(*line, path, *([at('a.go')] if name == 'Go' else []), env=env, cwd=folder)
        if made.returncode != 0:
            print(f'{name}: skipped, {line[0]} failed: {made.stderr.strip().splitlines()[-1:]}')
            continue
        yield name, path
        if name in ('C', 'C++', 'Go'):
            stripped = path + '-stripped'
            run('strip', '-s', '-o', stripped, path)
            yield name + ' stripped', stripped


def json_lines(text):
    return [json.loads(line) for line in text.splitlines() if line.startswith('{')]


def sample(names):
    names = sorted(set(names))
    random.Random(1).shuffle(names)
    return names[:PER_PROGRAM]


def printed(path, style):
    """Names of functions, and of anything, that commands print."""
    functions = {f['function'] for f in json_lines(run(heft, 'blocks', '-C', style, '--format=json', path).stdout)}
    table = run(heft, 'stack', '--functions', '-n', '0', '-C', style, '--csv', path).stdout
    functions |= {row[0] for row in list(csv.reader(io.StringIO(table)))[1:] if row and row[0] != 'TOTAL'}
    table = run(heft, '-d', 'sections,symbols', '-n', '0', '-C', style, '--csv', path).stdout
    anything = {row[1] for row in csv.reader(io.StringIO(table)) if row[0].startswith('.') and row[2] != '0' and
                not row[1].startswith(('[', '"', "'", '(')) and not row[1].isspace() and '.so.' not in row[1]}
    return functions, anything


def of_query(path):
    sql = ("select name, template_name, full_name from symbols where section = '.text' and own > 0 "
           "and address > 0 and name not like '\"%' and name not like '**%' and name not like '%[%'")
    rows = run(heft, 'query', '--json', path, sql).stdout
    return {n for row in json.loads(rows or '[]') for n in row.values()} if rows.strip() else set()


def fail(what):
    failures.append(what)


def check_where(path, style, names):
    """One answer a line; it has the name, in the style that it was taken from."""
    global asked
    names = [n for n in names if n and n == n.strip() and '\n' not in n]
    text = run(heft, 'where', '-C', style or 'full', '--format=json', path, '-', input='\n'.join(names) + '\n')
    answers = json_lines(text.stdout)
    elsewhere = {line.split("another module defines '")[1].split("', so it")[0] for line in text.stderr.splitlines() if
                 "another module defines '" in line}
    if len(answers) != len(names):
        return fail(f'{path}: {len(answers)} answers to {len(names)} names')
    for name, answer in zip(names, answers):
        asked += 1
        if 'address' not in answer and name[:200] in elsewhere:
            continue
        if 'address' not in answer:
            fail(f'{path}: where takes no {name!r} ({style})')
        elif style and answer.get('symbol', '').split('@plt')[0] != name.split('@plt')[0] and \
                not name.startswith('sub_') and not same_name(answer, name):
            fail(f"{path}: where answers {name!r} with {answer.get('symbol')!r}")


def same_name(answer, name):
    """A clone or an instance that goes by the name in another style."""
    return name in (answer.get('symbol_linkage_name'), answer.get('symbol', '').replace(' (@plt)', ''))


def check_functions(path, style, names):
    """All at once, then a few one by one."""
    global asked
    words = [w for n in names for w in ('--function', n)]
    text = run(heft, 'blocks', '-C', style, '--format=csv', path, *words)
    asked += len(names)
    for line in text.stderr.splitlines():
        if 'note:' not in line:
            fail(f'{path}: blocks: {line} ({style})')
    addresses = os.path.join(os.path.dirname(path), 'addresses')
    for name in names[:12 if os.environ.get('FULL') else 2]:
        asked += 3
        if run(heft, '-C', style, '--disassemble', name, path).returncode != 0:
            fail(f'{path}: --disassemble takes no {name!r}')
        stack = run(heft, 'stack', '-C', style, '--function', name, path)
        if stack.returncode != 0 and 'no function is called' in stack.stderr and '@plt' not in name:
            fail(f'{path}: stack takes no {name!r}')
        write(addresses, '401000\n')
        profile = run(heft, 'blocks', 'profile', '--addresses', addresses, '--function', name, path)
        if 'is called' in profile.stderr:
            fail(f'{path}: blocks profile takes no {name!r}')


def walk(name, path):
    global names_seen
    before = asked
    for style in ('none', 'short', 'full'):
        functions, anything = printed(path, style)
        functions, anything = sample(functions), sample(anything)
        names_seen += len(functions) + len(anything)
        if not functions or not anything:
            fail(f'{path}: no names in style {style}')
        check_where(path, style, functions)
        check_where(path, style, anything)
        check_functions(path, style, functions)
    check_where(path, None, sample(of_query(path)))
    print(f'{name}: {asked - before} questions')


with tempfile.TemporaryDirectory() as folder:
    for name, path in build(folder):
        walk(name, path)
print(f'{names_seen} names, {asked} questions, {len(failures)} wrong')
for line in failures[:40]:
    print(line)
sys.exit(1 if failures or asked < 1000 else 0)
