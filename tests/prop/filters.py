#!/usr/bin/env python3
"""Filters: what a filter keeps and what it omits is all, by every data source; a filter of a section
keeps the section's bytes by every source. Filters by how sure owners are part the whole.

usage: tests/prop/filters.py HEFT"""
import json, os, subprocess, sys, tempfile

heft = os.path.abspath(sys.argv[1])
SOURCE = r'''
#include <string>
#include <vector>
namespace ns { struct A { template <class T> __attribute__((noinline)) T f(T x) { return x + 1; } };
__attribute__((noinline)) int g(std::vector<std::string> const &v) { return (int)v.size(); } }
static int table[100] = { 1 };
const char *const text = "a text of many letters";
int main(int c, char **v) { ns::A a; std::vector<std::string> all(v, v + c);
	return a.f(c) + (int)a.f(2.5) + ns::g(all) + table[c] + text[c]; }
'''
VIEWS = ['sections', 'segments', 'symbols', 'fullsymbols', 'rawsymbols', 'compileunits', 'packages',
         'namespaces', 'directories', 'inputfiles', 'libraries', 'generics', 'inlines', 'sections,symbols',
         'compileunits,symbols', 'generics,symbols']
REGEXES = [r'^\.text$', r'^\.debug', r'^\.', 'std::', r'ns::g\(std', 'basic_string<char', r'^LOAD', 'RX',
           'main', 'no label is called so', r'\[section', '', 'A::f<double>']
failures, looked = [], 0


def run(*args):
    made = subprocess.run([heft, *args], capture_output=True, text=True)
    if made.returncode != 0:
        failures.append(f'{args}: {made.stderr.strip()}')
        return None, made.stderr
    return json.loads(made.stdout), made.stderr


def total(report):
    return pair(report['total'])


def pair(d):
    return d['file'], d['vm']


def check(path, view, regex):
    global looked
    whole = total(run(path, '-d', view, '--json')[0])
    sides = []
    for option in ('--source-filter', '--exclude-filter'):
        report, said = run(path, '-d', view, '--json', f'{option}={regex}')
        if report is None:
            return
        looked += 1
        kept, omitted = total(report), pair(report['omitted'])
        if any(a + b != all for a, b, all in zip(kept, omitted, whole)):
            failures.append(f'{view} {option}={regex}: {kept} + {omitted} is not {whole}')
        unmatched = option == '--exclude-filter' and omitted == (0, 0)
        if unmatched != ('no label matches' in said) or (kept == (0, 0)) != ('nothing through' in said):
            failures.append(f'{view} {option}={regex}: {said!r}')
        sides += [kept, omitted]
    if sides[0] != sides[3]:
        failures.append(f'{view} {regex}: what is included {sides[0]} is not what is excluded {sides[3]}')


def check_sections(path, sizes):
    global looked
    for view in VIEWS:
        for regex in (r'^\.text$', r'^\.debug', r'^\.rodata$'):
            report, _ = run(path, '-d', view, '--json', f'--source-filter={regex}')
            looked += 1
            if total(report) != sizes[regex]:
                failures.append(f'{view} {regex}: {total(report)}, by section {sizes[regex]}')
        report, _ = run(path, '-d', view, '--json', '--no-debug')
        if pair(report['omitted']) != sizes[r'^\.debug']:
            failures.append(f"{view} --no-debug: {report['omitted']} is not {sizes[r'^.debug']}")


def add(pairs):
    return tuple(sum(p) for p in zip(*pairs))


def check_sure(path, view, *base):
    """Each byte passes one of four filters; --how-sure tells the same bytes."""
    global looked
    whole = run(path, '-d', view, '--how-sure', '--json', *base)[0]['total']
    kept, lost = [], []
    for which in ('stated', 'proved', 'inferred', 'none'):
        report, _ = run(path, '-d', view, '--json', f'--sure={which}', *base)
        looked += 1
        kept.append(total(report))
        lost.append(pair(report['omitted']))
        if which != 'none' and kept[-1][1] != whole[which]:
            failures.append(f'{path} {view} {which}: filter {kept[-1]}, column {whole[which]}')
    both, _ = run(path, '-d', view, '--json', '--sure=stated,none', *base)
    if add(kept) != pair(whole) or add([kept[0], kept[3]]) != total(both):
        failures.append(f'{path} {view}: {kept} are not {pair(whole)}, or the first and last not {total(both)}')
    if not base and any(add(p) != pair(whole) for p in zip(kept, lost)):
        failures.append(f'{path} {view}: {kept} and {lost} are not {pair(whole)}')
    return [vm for _, vm in kept]


with tempfile.TemporaryDirectory() as folder:
    source, path = os.path.join(folder, 'a.cc'), os.path.join(folder, 'prog')
    with open(source, 'w') as f:
        f.write(SOURCE)
    if subprocess.run(['g++', '-g', '-O1', source, '-o', path]).returncode != 0:
        print('SKIP: no g++ (install g++)')
        sys.exit(77)
    for view in VIEWS:
        for regex in REGEXES:
            check(path, view, regex)
    by_section = {r: total(run(path, '-d', 'sections', '--json', f'--source-filter={r}')[0])
                  for r in (r'^\.text$', r'^\.debug', r'^\.rodata$')}
    check_sections(path, by_section)
    short = total(run(path, '-d', 'symbols', '--json', '--source-filter=A::f<double>')[0])
    full = total(run(path, '-d', 'fullsymbols', '--json', '--source-filter=A::f<double>')[0])
    stripped, objects = os.path.join(folder, 'stripped'), os.path.join(folder, 'a.o')
    subprocess.run(['strip', '-s', path, '-o', stripped], check=True)
    subprocess.run(['g++', '-g', '-O1', '-c', source, '-o', objects], check=True)
    for each in (path, stripped, objects):
        for view in VIEWS:
            ways = check_sure(each, view)
            if ways[0] == 0 or (each != objects and ways[3] == 0) or (each != path and ways[2] == 0):
                failures.append(f'{each} {view}: one way is not there: {ways}')
    check_sure(path, 'symbols', '--', stripped)
    if short != full or short[0] == 0:
        failures.append(f'a full name: {short} by short names, {full} by full ones')
print(f'{looked} runs, {len(failures)} wrong')
for line in failures[:30]:
    print(line)
sys.exit(1 if failures or looked < 400 else 0)
