"""Heap profiles that `heft heap run --push` sends, against the schema of pprof and what the receivers document.

usage: push.py HEFT RECORDER

A server on loopback takes what comes.  Profiles are read by a decoder of protobuf of the test's own, by the field numbers of
proto/profile.proto of google/pprof; requests are held against Pyroscope's reference of its HTTP API, against
proto/parca/profilestore/v1alpha1/profilestore.proto of Parca and gRPC's PROTOCOL-WEB.md."""
import base64
import email
import email.policy
import gzip
import http.server
import json
import os
import re
import shutil
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

heft, recorder = (os.path.realpath(p) for p in sys.argv[1:3])
FAILURES, COUNT = [], [0]

PROGRAM = r'''
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
char *kept[1000];
__attribute__((noinline)) char *customer(int i) { char *p = malloc(1000 + i % 3); memset(p, 1, 1000); return p; }
__attribute__((noinline)) char *session(void) { char *p = calloc(1, 5000); p[1] = 1; return p; }
__attribute__((noinline)) void passing(void) { char *volatile p = malloc(777); free(p); }
int main(int argc, char **argv)
{
	const int rounds = atoi(argv[1]);
	for (int r = 0; r < rounds; r++) {
		for (int i = 0; i < 100; i++, passing())
			kept[(r * 101 + i) % 900] = customer(i);
		kept[900 + r] = session();
		usleep(argc > 2 ? 1000 : 300000);
	}
	puts("done");
	return 3;
}
'''


# A child that is forked, one that runs a program, and one whose parent has gone; each says its number.
FAMILY = r'''
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
char *kept[10];
__attribute__((noinline)) char *share(int i) { char *p = malloc(10000 * i); p[0] = 1; return p; }
static void stay(const char *who, int i)
{
	kept[i] = share(i);
	printf("%s %d\n", who, (int)getpid());
	fflush(stdout);
	sleep(3);
}
int main(int argc, char **argv)
{
	if (argc > 1) {
		stay("run", 4);
		return 0;
	}
	if (fork() == 0) {
		stay("forked", 2);
		exit(0);
	}
	if (fork() == 0) {
		if (fork() == 0) {
			stay("orphan", 3);
			exit(0);
		}
		_exit(0);
	}
	if (fork() == 0) {
		execl(argv[0], argv[0], "child", NULL);
		_exit(1);
	}
	stay("first", 1);
	while (wait(NULL) > 0)
		;
	sleep(1);
	return 0;
}
'''


def check(what, good, shown=''):
    COUNT[0] += 1
    if not good:
        FAILURES.append(what)
        print('FAILED:', what, str(shown)[:600])


# ---- protobuf -------------------------------------------------------------------------------------------------------

def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data):
    """Field number to its values, in order: numbers and bytes."""
    at, found = 0, {}
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 == 1:
            value, at = int.from_bytes(data[at : at + 8], 'little'), at + 8
        elif key & 7 == 2:
            size, at = varint(data, at)
            value, at = data[at : at + size], at + size
            if at > len(data):
                raise ValueError('a field goes beyond the message')
        else:
            raise ValueError(f'wire type {key & 7}')
        found.setdefault(key >> 3, []).append(value)
    return found


def packed(values):
    """Repeated numbers, packed or not."""
    numbers = []
    for v in values:
        if isinstance(v, int):
            numbers.append(v)
            continue
        at = 0
        while at < len(v):
            n, at = varint(v, at)
            numbers.append(n)
    return numbers


class Profile:
    """A message Profile, held against what profile.proto demands of it."""

    def __init__(self, data, what):
        check(f'{what}: gzip', data[:2] == b'\x1f\x8b', data[:20])
        m = fields(gzip.decompress(data))
        check(f'{what}: only fields of Profile', set(m) <= set(range(1, 16)), set(m))
        self.strings = [s.decode() for s in m[6]]
        check(f'{what}: the first string is empty', self.strings[0] == '')
        self.types = [self.value_type(v) for v in m[1]]
        self.period_type = self.value_type(m[11][0])
        self.period = m[12][0]
        self.time = m[9][0] / 1e9
        self.mappings = {f[1][0]: f for f in map(fields, m.get(3, []))}
        self.locations = {f[1][0]: f for f in map(fields, m.get(4, []))}
        self.functions = {f[1][0]: f for f in map(fields, m.get(5, []))}
        check(f'{what}: ids are unique and not 0', all(0 not in t for t in (self.mappings, self.locations, self.functions)) and
              [len(m.get(n, [])) for n in (3, 4, 5)] == [len(t) for t in (self.mappings, self.locations, self.functions)])
        lines = [fields(line) for f in self.locations.values() for line in f.get(4, [])]
        check(f'{what}: functions of lines exist', all(line[1][0] in self.functions for line in lines))
        check(f'{what}: mappings of locations exist', all(f.get(2, [0])[0] in self.mappings or 2 not in f for f in self.locations.values()))
        check(f'{what}: addresses lie in their mappings', all(
            self.mappings[f[2][0]].get(2, [0])[0] <= f[3][0] < self.mappings[f[2][0]][3][0] for f in self.locations.values() if 2 in f))
        self.samples = []
        for sample in map(fields, m[2]):
            where, values = packed(sample[1]), packed(sample[2])
            check(f'{what}: a sample has a value a type', len(values) == len(self.types), values)
            check(f'{what}: locations of samples exist', where and all(w in self.locations for w in where))
            for label in map(fields, sample.get(3, [])):
                check(f'{what}: labels have a key, and a text or a number', self.strings[label[1][0]] and (2 in label) != (3 in label), label)
            self.samples.append((where, values))
        used = [i for f in self.functions.values() for n in (2, 3, 4) for i in f.get(n, [])]
        check(f'{what}: strings exist', all(0 <= i < len(self.strings) for i in used))

    def value_type(self, data):
        f = fields(data)
        return self.strings[f[1][0]], self.strings[f[2][0]]

    def build_ids(self):
        return {self.strings[f[5][0]]: self.strings[f.get(6, [0])[0]] for f in self.mappings.values()}

    def holders(self, name):
        """Bytes by the innermost function."""
        sums = {}
        for where, values in self.samples:
            sums[name(self, where[0])] = sums.get(name(self, where[0]), 0) + values[1]
        return sums


def named(profile, location):
    line = fields(profile.locations[location][4][0])
    return profile.strings[profile.functions[line[1][0]][2][0]]


# ---- the server -----------------------------------------------------------------------------------------------------

class Server(http.server.BaseHTTPRequestHandler):
    requests, answer, refuses = [], b'', 0

    def do_POST(self):
        body = self.rfile.read(int(self.headers['Content-Length']))
        Server.requests.append((self.path, dict(self.headers.items()), body, time.time()))
        self.send_response(Server.refuses or 200)
        self.send_header('Content-Length', str(len(Server.answer)))
        self.end_headers()
        self.wfile.write(Server.answer)

    do_PUT = do_POST

    def log_message(self, *_):
        pass


def run(tmp, url, *words, rounds='8', fast=(), answer=b'{}', refuses=0):
    """What came of a run; the file that the program left."""
    Server.requests, Server.answer, Server.refuses = [], answer, refuses
    for old in os.listdir(tmp):
        if old.startswith('left.'):
            os.remove(f'{tmp}/{old}')
    done = subprocess.run([heft, 'heap', 'run', '--recorder', recorder, '-q', '-o', f'{tmp}/left.%p', '--push', url, '--every', '1s', *words,
                           '--', f'{tmp}/shop', rounds, *fast], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    left = [f'{tmp}/{f}' for f in os.listdir(tmp) if f.startswith('left.')]
    return done, list(Server.requests), left


def common(what, tmp, done, profiles, left, addresses=False):
    """What holds of all profiles of a run, whoever took them."""
    check(f'{what}: the program ends as ever', (done.returncode, done.stdout) == (3, 'done\n'), done)
    check(f'{what}: nothing is said', done.stderr == '', done.stderr)
    check(f'{what}: one while it runs and one at its end', len(profiles) >= 2, len(profiles))
    build_id = re.search(r'Build ID: (\w+)', subprocess.run(['readelf', '-n', f'{tmp}/shop'], stdout=subprocess.PIPE, text=True).stdout)[1]
    for p in profiles:
        check(f'{what}: types', p.types == [('inuse_objects', 'count'), ('inuse_space', 'bytes')], p.types)
        check(f'{what}: period', p.period_type == ('space', 'bytes') and p.period >= 1, (p.period_type, p.period))
        check(f'{what}: taken now', abs(p.time - time.time()) < 300, p.time)
        check(f'{what}: the build id of the program', p.build_ids().get(f'{tmp}/shop') == build_id, p.build_ids())
        check(f'{what}: every module has a build id', all(re.fullmatch('([0-9a-f]{2}){4,}', i) for m, i in p.build_ids().items() if '.so' in m))
        flags = {tuple(f.get(n, [0])[0] for n in (7, 8, 9, 10)) for m, f in p.mappings.items()}
        check(f'{what}: what is named says so', flags == {(0, 0, 0, 0)} if addresses else (1, 1, 1, 1) in flags, flags)
    shown = json.loads(subprocess.run([heft, 'heap', 'show', '--json', *left], stdout=subprocess.PIPE).stdout)['total']
    last = [sum(v[n] for _, v in profiles[-1].samples) for n in range(2)]
    check(f'{what}: the last one is what heap show says', last == [shown['live_blocks'], shown['live_bytes']], (last, shown['live_bytes']))
    check(f'{what}: it grows', sum(v[1] for _, v in profiles[0].samples) < last[1])


def check_labels(what, labels, service):
    check(f'{what}: labels', set(labels) == {'__name__', service, 'hostname', 'pid'} and
          (labels['__name__'], labels[service]) == ('memory', 'shop') and labels['pid'].isdigit() and labels['hostname'], labels)
    check(f'{what}: names of labels', all(re.fullmatch('[a-zA-Z_][a-zA-Z0-9_]*', n) and 0 < len(v) < 2048 for n, v in labels.items()))


def test_pyroscope(tmp, port):
    done, requests, left = run(tmp, f'pyroscope://127.0.0.1:{port}')
    profiles, ids = [], []
    for path, headers, body, _ in requests:
        check('pyroscope: path and type', (path, headers['Content-Type']) == ('/push.v1.PusherService/Push', 'application/json'), path)
        message = json.loads(body)
        series, = message['series']
        sample, = series['samples']
        check('pyroscope: no other keys', (set(message), set(series), set(sample)) == ({'series'}, {'labels', 'samples'}, {'ID', 'rawProfile'}))
        check('pyroscope: an id by RFC 9562', re.fullmatch('[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}', sample['ID']), sample['ID'])
        check_labels('pyroscope', {label['name']: label['value'] for label in series['labels']}, 'service_name')
        profiles.append(Profile(base64.b64decode(sample['rawProfile'], validate=True), 'pyroscope'))
        ids.append(sample['ID'])
    check('pyroscope: ids differ', len(set(ids)) == len(ids))
    common('pyroscope', tmp, done, profiles, left)
    holders = profiles[-1].holders(named)
    check('pyroscope: who holds', holders['customer'] > holders['session'] == 8 * 5000 and 'passing' not in holders, holders)


def test_ingest(tmp, port):
    done, requests, left = run(tmp, f'pyroscope://127.0.0.1:{port}/ingest', '--service', 'a shop')
    profiles = []
    for path, headers, body, at in requests:
        where, query = path.split('?')
        q = {k: v[0] for k, v in urllib.parse.parse_qs(query, strict_parsing=True).items()}
        check('ingest: path', where == '/ingest', where)
        check('ingest: format', q['format'] == 'pprof' and re.fullmatch(r'a_shop\{hostname=[\w.-]+,pid=\d+\}', q['name']), q)
        check('ingest: from is before until, which is now', int(q['from']) <= int(q['until']) and abs(int(q['until']) - at) < 30, q)
        form = email.message_from_bytes(b'Content-Type: ' + headers['Content-Type'].encode() + b'\r\n\r\n' + body, policy=email.policy.HTTP)
        parts = {p.get_param('name', header='content-disposition'): p.get_payload(decode=True) for p in form.iter_parts()}
        check('ingest: the parts of the form', set(parts) == {'profile', 'sample_type_config'}, set(parts))
        config = json.loads(parts['sample_type_config'])
        profiles.append(Profile(parts['profile'], 'ingest'))
        check('ingest: a configuration a type', set(config) == {t for t, _ in profiles[-1].types} and all(
            c['units'] in ('objects', 'bytes') and c['aggregation'] == 'average' and c['sampled'] is False and c['display-name']
            for c in config.values()), config)
    common('ingest', tmp, done, profiles, left)


def unframe(body):
    """The message of a request of gRPC-Web."""
    check('parca: one frame of data', body[0] == 0 and int.from_bytes(body[1:5], 'big') == len(body) - 5, body[:5])
    return fields(body[5:])


def trailers(text):
    return b'\0\0\0\0\0' + b'\x80' + len(text).to_bytes(4, 'big') + text


def test_parca(tmp, port):
    done, requests, left = run(tmp, f'parca://127.0.0.1:{port}', answer=trailers(b'grpc-status: 0\r\n'))
    profiles = []
    for path, headers, body, _ in requests:
        check('parca: path', path == '/parca.profilestore.v1alpha1.ProfileStoreService/WriteRaw', path)
        check('parca: type', headers['Content-Type'] == 'application/grpc-web+proto', headers)
        request = unframe(body)
        check('parca: fields', set(request) == {2, 3} and request[3] == [1], request.keys())
        series = fields(request[2][0])
        labels = [fields(label) for label in fields(series[1][0])[1]]
        check_labels('parca', {f[1][0].decode(): f[2][0].decode() for f in labels}, 'job')
        profiles.append(Profile(fields(series[2][0])[1][0], 'parca'))
    common('parca', tmp, done, profiles, left, addresses=True)
    check('parca: no names', not any(p.functions or any(4 in f for f in p.locations.values()) for p in profiles))
    check('parca: nor any in its strings', not any('customer' in p.strings for p in profiles))

    def by_address(profile, location):
        f = profile.locations[location]
        path = profile.strings[profile.mappings[f[2][0]][5][0]]
        return subprocess.run(['addr2line', '-f', '-e', path, hex(f[3][0])], stdout=subprocess.PIPE, text=True).stdout.splitlines()[0]

    sums = profiles[-1].holders(by_address)
    check('parca: addresses are those of the files', sums.get('customer', 0) > sums.get('session', 0) == 8 * 5000, sums)
    done, requests, _ = run(tmp, f'parca://127.0.0.1:{port}', '--push-format=pprof', rounds='2', fast=['fast'],
                            answer=trailers(b'grpc-status: 3\r\ngrpc-message: no\r\n'))
    check('parca: a refusal in the trailers is told', done.returncode == 3 and 'grpc-status: 3 grpc-message: no' in done.stderr, done.stderr)
    for text, good in ((b'grpc-message:\r\nGrpc-Status:0\r\n', True), (b'grpc-status: 0', True), (b'grpc-status: 03\r\n', False),
                       (b'grpc-status:\r\n', False), (b'', False), (b'grpc-statu', False)):
        done, _, _ = run(tmp, f'parca://127.0.0.1:{port}', rounds='1', fast=['fast'], answer=trailers(text))
        check(f'parca: trailers {text}', (done.stderr == '') == good, done.stderr)
    for answer in (b'', b'\x80', b'\x80\0\0\xff\xff', b'\0\xff\xff\xff\xff', b'not framed at all'):
        done, _, _ = run(tmp, f'parca://127.0.0.1:{port}', rounds='1', fast=['fast'], answer=answer)
        check(f'parca: an answer {answer}', done.returncode == 3 and 'no status of gRPC-Web' in done.stderr, done.stderr)
    p = Profile(fields(fields(unframe(requests[0][2])[2][0])[2][0])[1][0], 'parca, names')
    check('parca: names, if they are wanted', 'customer' in p.strings and p.functions)


def otlp_value(data):
    return fields(data)[1][0].decode()


def test_otlp(tmp, port):
    """Two profiles of one request, whose tables are in one dictionary."""
    done, requests, left = run(tmp, f'http://127.0.0.1:{port}', '--push-format=otlp-v1development')
    check('otlp: the program ends as ever', (done.returncode, done.stderr) == (3, ''), done)
    check('otlp: path and type', {(r[0], r[1]['Content-Type']) for r in requests} == {('/v1development/profiles', 'application/x-protobuf')})
    message = fields(requests[-1][2])
    resource, tables = fields(message[1][0]), fields(message[2][0])
    strings = [s.decode() for s in tables[5]]
    check('otlp: entries for none', strings[0] == '' and all(tables[n][0] == b'' for n in (1, 2, 3, 4, 6, 7)))
    attributes = {fields(a)[1][0].decode(): otlp_value(fields(a)[2][0]) for a in fields(resource[1][0])[1]}
    check('otlp: the resource', attributes['service.name'] == 'shop' and attributes['process.pid'].isdigit() and attributes['host.name'], attributes)
    scope = fields(resource[2][0])
    check('otlp: who wrote it', fields(scope[1][0])[1] == [b'heft'])
    mappings, locations, functions, stacks = ([fields(m) for m in tables[n]] for n in (1, 2, 3, 7))
    for m in mappings[1:]:
        attribute = fields(tables[6][packed(m[5])[0]])
        check('otlp: build ids', strings[attribute[1][0]] == 'process.executable.build_id.gnu' and
              (re.fullmatch('([0-9a-f]{2}){4,}', otlp_value(attribute[2][0])) or '.so' not in strings[m[4][0]]))
    shown = json.loads(subprocess.run([heft, 'heap', 'show', '--json', *left], stdout=subprocess.PIPE).stdout)['total']
    for profile, kind, key in zip(map(fields, scope[2]), (('inuse_objects', 'count'), ('inuse_space', 'bytes')), ('live_blocks', 'live_bytes')):
        of = fields(profile[1][0])
        check('otlp: type', (strings[of[1][0]], strings[of[2][0]]) == kind)
        check('otlp: taken now', abs(profile[3][0] / 1e9 - time.time()) < 300 and profile[6] == [1], profile[3])
        samples = [fields(s) for s in profile[2]]
        check(f'otlp: {key} as heap show has it', sum(packed(s[2])[0] for s in samples) == shown[key])
        innermost = set()
        for s in samples:
            where = packed(stacks[s[1][0]][1])
            check('otlp: tables have what is referred to', where and all(0 < w < len(locations) for w in where) and all(
                0 <= locations[w].get(1, [0])[0] < len(mappings) for w in where))
            line = fields(locations[where[0]][3][0])
            innermost.add(strings[functions[line[1][0]][1][0]])
        check('otlp: who holds', {'customer', 'session'} <= innermost, innermost)
    done, requests, _ = run(tmp, f'http://127.0.0.1:{port}/of/mine', '--push-format=otlp-v1development', rounds='1', fast=['fast'])
    check('otlp: a path that was given', requests[0][0] == '/of/mine')
    done, _, _ = run(tmp, f'parca://127.0.0.1:{port}', '--push-format=otlp-v1development', rounds='1', fast=['fast'])
    check('otlp: not to other receivers', done.returncode == 2 and 'is wanted' in done.stderr, done.stderr)


def test_plain(tmp, port):
    done, requests, left = run(tmp, f'http://127.0.0.1:{port}/any/path?key=secret')
    check('plain: path', {r[0] for r in requests} == {'/any/path?key=secret'})
    common('plain', tmp, done, [Profile(r[2], 'plain') for r in requests], left)
    done, requests, left = run(tmp, f'http://127.0.0.1:{port}', '--sample=4096', rounds='9', fast=['fast'])
    check('a short program is pushed at its end', len(requests) == 1, len(requests))
    check('samples: the period', Profile(requests[0][2], 'samples').period == 4096)


def by_process(requests):
    """Profiles of requests to Pyroscope, by their label pid."""
    found = {}
    for _, _, body, _ in requests:
        series, = json.loads(body)['series']
        labels = {label['name']: label['value'] for label in series['labels']}
        check('children: the name of the series', labels['service_name'] == 'family', labels)
        profile = Profile(base64.b64decode(series['samples'][0]['rawProfile']), 'children')
        found.setdefault(int(labels['pid']), []).append(profile)
    return found


def test_children(tmp, port):
    for words in ((), ('--no-children',)):
        Server.requests, Server.answer, Server.refuses = [], b'{}', 0
        done = subprocess.run([heft, 'heap', 'run', '--recorder', recorder, '-q', '-o', f'{tmp}/kin.%p', '--push', f'pyroscope://127.0.0.1:{port}',
                               '--every', '1s', *words, '--', f'{tmp}/family'], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        check('children: nothing is said', (done.returncode, done.stderr) == (0, ''), done)
        pids = {who: int(pid) for who, pid in (line.split() for line in done.stdout.splitlines())}
        check('children: all ran', set(pids) == {'first', 'forked', 'orphan', 'run'}, done.stdout)
        found = by_process(Server.requests)
        wanted = {pids['first']} if words else set(pids.values())
        check('children: each has its own profiles, and nobody else', set(found) == wanted, (found.keys(), pids))
        for who, share in (('first', 1), ('forked', 2), ('orphan', 3), ('run', 4)):
            profiles = found.get(pids[who], [])
            check(f'children: {who}: one while it runs and one at its end', len(profiles) >= 2 or (words and who != 'first'), len(profiles))
            check(f'children: {who}: what it holds', all(p.holders(named).get('share') == 10000 * share for p in profiles),
                  [p.holders(named) for p in profiles])


def names_without_the_file(tmp, port, *words):
    """Who holds by the profiles of a program whose file is gone before the first of them."""
    Server.requests, Server.answer, Server.refuses = [], b'', 0
    shutil.copy(f'{tmp}/shop', f'{tmp}/gone')
    run = subprocess.Popen([heft, 'heap', 'run', '--recorder', recorder, '-q', '-o', f'{tmp}/left.%p', '--push', f'http://127.0.0.1:{port}/',
                            '--every', '1s', *words, '--', f'{tmp}/gone', '5'], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(0.6)
    os.remove(f'{tmp}/gone')
    check('names: the program ends as ever', (run.communicate(), run.returncode) == (('done\n', ''), 3))
    profiles = [Profile(r[2], 'names') for r in Server.requests]
    check('names: two profiles', len(profiles) >= 2, len(profiles))
    return [{profile.strings[i] for f in profile.functions.values() for i in f[2]} for profile in profiles]


def test_names_once(tmp, port):
    """What was named is named again without the program, by its build id, whoever has named it."""
    cache = f'{tmp}/cache'
    check('names: none without the file', 'customer' not in names_without_the_file(tmp, port, '--name-cache=none')[-1])
    check('names: what was named while it ran is named at its end',
          'customer' in names_without_the_file(tmp, port, '--name-cache', cache)[-1])
    run(tmp, f'http://127.0.0.1:{port}/', '--name-cache', cache)
    names = names_without_the_file(tmp, port, '--name-cache', cache)
    check('names: as the process before had them', all({'customer', 'session'} <= n for n in names), names)
    kept = {f: os.stat(f'{cache}/{f}').st_mtime_ns for f in os.listdir(cache)}
    check('names: a file a build id', len(kept) >= 2 and all(re.fullmatch('([0-9a-f]{2}){8,}', f) for f in kept), kept)
    run(tmp, f'http://127.0.0.1:{port}/', '--name-cache', cache)
    check('names: nothing is written twice', kept == {f: os.stat(f'{cache}/{f}').st_mtime_ns for f in os.listdir(cache)})
    for damage in (b'', b'x' * 1000):
        for f in kept:
            with open(f'{cache}/{f}', 'wb') as to:
                to.write(damage)
        done, requests, _ = run(tmp, f'http://127.0.0.1:{port}/', '--name-cache', cache)
        check('names: a damaged file is as none', done.returncode == 3 and done.stderr == '' and
              'customer' in Profile(requests[-1][2], 'damaged').holders(named))
    os.chmod(cache, 0o777)
    check('names: a folder that all may write to is not used',
          'customer' not in names_without_the_file(tmp, port, '--name-cache', cache)[-1])


def grpc_python():
    """A Python that has grpcio; None: there is none."""
    for python in (sys.executable, '/usr/bin/python3'):
        if subprocess.run([python, '-c', 'import grpc'], stderr=subprocess.DEVNULL).returncode == 0:
            return python
    return None


def run_with_debuginfo(tmp, port, mode, *url, tls=()):
    """What came of a run whose debug information is sent, and the calls by build id.  `tls`: an option of the server."""
    log = f'{tmp}/calls'
    open(log, 'w', encoding='ascii').close()
    server = subprocess.Popen([grpc_python(), os.path.join(os.path.dirname(os.path.abspath(__file__)), 'debuginfo_server.py'), *tls, log, mode, *url],
                              stdout=subprocess.PIPE, text=True, env=os.environ | {'GRPC_VERBOSITY': 'NONE'})
    to = server.stdout.readline().strip()
    done, requests, _ = run(tmp, f'parca://127.0.0.1:{port}', '--push-debuginfo', f'parca{"s" if tls else ""}://127.0.0.1:{to}',
                            answer=trailers(b'grpc-status: 0\r\n'))
    server.terminate()
    server.communicate()
    calls = {}
    for call in map(json.loads, open(log, encoding='ascii')):
        messages = [fields(base64.b64decode(m)) for m in call['messages']]
        service, method = call['path'].rsplit('/', 1)
        check('debuginfo: the service', service == '/parca.debuginfo.v1alpha1.DebuginfoService', service)
        info = fields(messages[0][1][0]) if method == 'Upload' else messages[0]
        calls.setdefault(info[1][0].decode(), []).append((method, messages))
    puts = [r for r in requests if r[0].startswith('/put')]
    posts = [r for r in requests if not r[0].startswith('/put')]
    check(f'debuginfo, {mode}: profiles are pushed whatever comes of it', done.returncode == 3 and len(posts) >= 2, len(posts))
    return done, posts, puts, calls


def check_file(tmp, data, build_id):
    """Symbols and debug info of the program, and nothing else of it."""
    with open(f'{tmp}/sent', 'wb') as to:
        to.write(data)
    subprocess.run(['objcopy', '-O', 'binary', '--only-section=.text', f'{tmp}/shop', f'{tmp}/text'], check=True)
    with open(f'{tmp}/text', 'rb') as f:
        check('debuginfo: no code is sent', f.read() not in data)
    shown = subprocess.run(['readelf', '-nSW', f'{tmp}/sent'], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout
    check('debuginfo: the build id', f'Build ID: {build_id}' in shown, shown)
    check('debuginfo: no warnings', 'arning' not in shown and 'rror' not in shown, [l for l in shown.splitlines() if 'arning' in l or 'rror' in l])
    kinds = dict(re.findall(r'\] (\S+) +(\w+) ', shown))
    check('debuginfo: sections of the program have no bytes', [kinds.get(s) for s in ('.text', '.rodata', '.data', '.debug_info', '.symtab')] ==
          ['NOBITS', 'NOBITS', 'NOBITS', 'PROGBITS', 'SYMTAB'], kinds)
    where = re.search(r'([0-9a-f]+) t customer|([0-9a-f]+) T customer', subprocess.run(['nm', f'{tmp}/shop'], stdout=subprocess.PIPE, text=True).stdout)
    named_by = [subprocess.run(['addr2line', '-f', '-e', f, where[1] or where[2]], stdout=subprocess.PIPE, text=True).stdout
                for f in (f'{tmp}/sent', f'{tmp}/shop')]
    check('debuginfo: it names what the program names', named_by[0] == named_by[1] and 'shop.c' in named_by[0], named_by)


def test_debuginfo(tmp, port):
    if not grpc_python():
        print('LEFT OUT: debug information: no grpcio (install python3-grpcio)')
        return
    build_id = re.search(r'Build ID: (\w+)', subprocess.run(['readelf', '-n', f'{tmp}/shop'], stdout=subprocess.PIPE, text=True).stdout)[1]
    for mode, url in (('grpc', ()), ('signed', (f'http://127.0.0.1:{port}/put?key=secret',))):
        done, posts, puts, calls = run_with_debuginfo(tmp, port, mode, *url)
        check(f'debuginfo, {mode}: nothing is said', done.stderr == '', done.stderr)
        series = fields(fields(unframe(posts[-1][2])[2][0])[2][0])
        profile = Profile(series[1][0], 'debuginfo')
        known = set(profile.build_ids().values())
        check(f'debuginfo, {mode}: of modules in profiles alone', build_id in calls and set(calls) <= known, (calls.keys(), known))
        upload = ['Upload'] if mode == 'grpc' else []
        for of, made in calls.items():
            check(f'debuginfo, {mode}: each call once, in order',
                  [m for m, _ in made] == ['ShouldInitiateUpload', 'InitiateUpload', *upload, 'MarkUploadFinished'], made)
            asked, begun, ended = made[0][1][0], made[1][1][0], made[-1][1][0]
            check(f'debuginfo, {mode}: the hash', asked[2] == begun[3] and re.fullmatch(b'[0-9a-f]{16}', asked[2][0]), asked)
            check(f'debuginfo, {mode}: what is finished', ended == {1: [of.encode()], 2: [b'upload-7']}, ended)
            if mode == 'grpc':
                info, *pieces = made[2][1]
                check('debuginfo: the upload is that of the server', fields(info[1][0]) == {1: [of.encode()], 2: [b'upload-7']})
                check('debuginfo: then pieces', all(set(p) == {2} and len(p[2][0]) <= 1 << 20 for p in pieces))
                data = b''.join(p[2][0] for p in pieces)
                check('debuginfo: the size', begun[2] == [len(data)], begun)
                if of == build_id:
                    check_file(tmp, data, build_id)
        if mode == 'signed':
            sizes = sorted(made[1][1][0][2][0] for made in calls.values())
            check('debuginfo: put where the server says', sorted(len(r[2]) for r in puts) == sizes and len(sizes) > 0, (len(puts), sizes))
    done, _, _, calls = run_with_debuginfo(tmp, port, 'unwanted')
    check('debuginfo: what is not wanted is not sent', done.stderr == '' and {m for made in calls.values() for m, _ in made} == {'ShouldInitiateUpload'},
          calls.keys())
    for mode, said in (('refuses', 'grpc-status 8 no room'), ('forbids', 'allows no upload of')):
        done, _, _, calls = run_with_debuginfo(tmp, port, mode)
        lines = done.stderr.splitlines()
        check(f'debuginfo, {mode}: said once and counted', len(lines) == 2 and said in lines[0] and
              lines[1] == f'heft: --push-debuginfo: debug information of {len(calls)} of {len(calls)} modules was not taken', done.stderr)
    done, requests, _ = run(tmp, f'parca://127.0.0.1:{port}', '--push-debuginfo', f'parca://127.0.0.1:{port}',
                            answer=trailers(b'grpc-status: 0\r\n'))
    check('debuginfo: a server without gRPC', done.returncode == 3 and len(requests) >= 2 and len(done.stderr.splitlines()) == 2, done.stderr)
    done, _, left = run(tmp, f'parca://127.0.0.1:{port}', '--push-debuginfo', f'http://127.0.0.1:{port}')
    check('debuginfo: only to Parca', done.returncode == 2 and not left and 'is wanted' in done.stderr, done.stderr)


# ---- TLS ------------------------------------------------------------------------------------------------------------

def make_certificate(tmp):
    """A certificate for 127.0.0.1 that nobody has signed but itself, with its key, and one of somebody else."""
    for name in ('own', 'other'):
        subprocess.run(['openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', f'/CN={name}', '-addext',
                        'subjectAltName=IP:127.0.0.1', '-keyout', f'{tmp}/key', '-out', f'{tmp}/cert'], check=True, stderr=subprocess.DEVNULL)
        with open(f'{tmp}/{name}.pem', 'wb') as both:
            for part in ('key', 'cert'):
                with open(f'{tmp}/{part}', 'rb') as f:
                    both.write(f.read())


class Trusts:
    """Variables of the environment that say whose certificates are trusted."""

    def __init__(self, **variables):
        self.variables = variables

    def __enter__(self):
        os.environ.update(self.variables)

    def __exit__(self, *_):
        for name in self.variables:
            del os.environ[name]


def is_refusal(done, option):
    """One clear line, and how often at the end."""
    lines = done.stderr.splitlines()
    return len(lines) == 2 and 'the certificate of the server is not trusted (' in lines[0] and lines[0].startswith(f'heft: {option}: https://') and \
        'not taken' in lines[1]


def test_tls_pushes(tmp):
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Server)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(f'{tmp}/own.pem')
    server.handle_error = lambda *_: None  # of those that do not trust it
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    urls = {'https': b'', 'pyroscopes': b'{}', 'parcas': trailers(b'grpc-status: 0\r\n')}
    for scheme, answer in urls.items():
        url = f'{scheme}://127.0.0.1:{server.server_port}'
        done, requests, left = run(tmp, url, rounds='2', fast=['fast'], answer=answer)
        check(f'{scheme}: a certificate that is not trusted', done.returncode == 3 and not requests and len(left) == 1 and is_refusal(done, '--push'),
              done.stderr)
        with Trusts(CURL_CA_BUNDLE=f'{tmp}/own.pem'):
            done, requests, _ = run(tmp, url, rounds='2', fast=['fast'], answer=answer)
        check(f'{scheme}: one that is', done.returncode == 3 and len(requests) == 1 and done.stderr == '', done.stderr)
    os.makedirs(f'{tmp}/trusted')
    shutil.copy(f'{tmp}/own.pem', f'{tmp}/trusted/own.pem')
    subprocess.run(['openssl', 'rehash', f'{tmp}/trusted'], check=True, capture_output=True)
    for said, variables in (('of the file', {'SSL_CERT_FILE': f'{tmp}/own.pem'}), ('of the folder', {'SSL_CERT_DIR': f'{tmp}/trusted'}), ('before the file', {'CURL_CA_BUNDLE': f'{tmp}/own.pem', 'SSL_CERT_FILE': f'{tmp}/other.pem'})):
        with Trusts(**variables):
            done, requests, _ = run(tmp, url, rounds='2', fast=['fast'], answer=answer)
        check(f'tls: trust {said}', len(requests) == 1 and done.stderr == '', done.stderr)
    with Trusts(CURL_CA_BUNDLE=f'{tmp}/other.pem'):
        done, requests, _ = run(tmp, url, rounds='2', fast=['fast'], answer=answer)
    check('tls: the certificate of somebody else', not requests and is_refusal(done, '--push'), done.stderr)
    with Trusts(CURL_CA_BUNDLE=f'{tmp}/none.pem'):
        done, requests, _ = run(tmp, url, rounds='2', fast=['fast'], answer=answer)
    check('tls: no such file', not requests and 'the certificates to trust cannot be read (' in done.stderr and f'{tmp}/none.pem' in done.stderr,
          done.stderr)
    server.shutdown()


def test_tls_debuginfo(tmp, port):
    tls = (f'--tls={tmp}/own.pem',)
    done, _, _, calls = run_with_debuginfo(tmp, port, 'grpc', tls=tls)
    check('debuginfo: a certificate that is not trusted', not calls and is_refusal(done, '--push-debuginfo'), done.stderr)
    with Trusts(CURL_CA_BUNDLE=f'{tmp}/own.pem'):
        done, _, _, calls = run_with_debuginfo(tmp, port, 'grpc', tls=tls)
    check('debuginfo: over TLS nothing is said', done.stderr == '', done.stderr)
    check('debuginfo: over TLS it is sent', len(calls) > 0 and all(
        [m for m, _ in made] == ['ShouldInitiateUpload', 'InitiateUpload', 'Upload', 'MarkUploadFinished'] for made in calls.values()), calls.keys())


def test_tls(tmp, port):
    if not shutil.which('openssl'):
        print('LEFT OUT: TLS: no openssl')
        return
    make_certificate(tmp)
    test_tls_pushes(tmp)
    if grpc_python():
        test_tls_debuginfo(tmp, port)
    else:
        print('LEFT OUT: debug information over TLS: no grpcio (install python3-grpcio)')


def test_trouble(tmp, port):
    done, requests, _ = run(tmp, f'http://127.0.0.1:{port}/x?key=secret', refuses=500)
    lines = done.stderr.splitlines()
    check('a server that refuses: said once, counted at the end', done.returncode == 3 and len(requests) >= 2 and len(lines) == 2 and
          lines[1] == f'heft: --push: {len(requests)} of {len(requests)} profiles were not taken' and 'secret' not in done.stderr, done.stderr)
    done, _, left = run(tmp, 'http://127.0.0.1:1', rounds='2', fast=['fast'])
    check('no server: the program runs, and its file is there', (done.returncode, done.stdout, len(left)) == (3, 'done\n', 1) and
          len(done.stderr.splitlines()) == 2, done)
    for url, said in (('http://a:secret@127.0.0.1:1', 'netrc'), ('ftp://127.0.0.1', 'is wanted'), ('pyroscope:/x', 'is wanted')):
        done, _, left = run(tmp, url, rounds='1', fast=['fast'])
        check(f'{url}: nothing is run', done.returncode == 2 and not left and done.stdout == '' and said in done.stderr and
              'secret' not in done.stderr, done)
    done, _, left = run(tmp, 'http://127.0.0.1:1', '--inline')
    check('stacks in the blocks are not pushed', done.returncode == 2 and not left and '--inline' in done.stderr, done.stderr)


def test_ends(tmp, port):
    """Programs that end about when a profile of them is due: what has ended is no trouble."""
    Server.requests, Server.answer, Server.refuses = [], b'', 0
    words = [heft, 'heap', 'run', '--recorder', recorder, '-q', '-o', f'{tmp}/end.%p', '--push', f'http://127.0.0.1:{port}', '--every', '1s', '--']
    running = [subprocess.Popen(words + ['sleep', f'{0.98 + i / 500:.3f}'], stderr=subprocess.PIPE, text=True) for i in range(16)]
    said = [p.communicate()[1] for p in running]
    check('programs that end meanwhile', all(p.returncode == 0 for p in running) and not any(said), said)


def main():
    probe = subprocess.run([heft, 'heap', 'run', '--push', 'http://127.0.0.1:1', '--', 'no-such-program'], stderr=subprocess.PIPE, text=True)
    if 'without libcurl' in probe.stderr:
        print('SKIP: heft was built without libcurl (install libcurl4-openssl-dev)')
        sys.exit(77)
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as tmp:
        os.environ['XDG_CACHE_HOME'] = f'{tmp}/xdg'
        with open(f'{tmp}/shop.c', 'w', encoding='ascii') as f:
            f.write(PROGRAM)
        subprocess.run(['cc', '-g', '-O1', '-fno-builtin', '-w', '-Wl,--build-id', f'{tmp}/shop.c', '-o', f'{tmp}/shop'], check=True)
        with open(f'{tmp}/family.c', 'w', encoding='ascii') as f:
            f.write(FAMILY)
        subprocess.run(['cc', '-g', '-O1', '-fno-builtin', '-w', '-Wl,--build-id', f'{tmp}/family.c', '-o', f'{tmp}/family'], check=True)
        names = f'{tmp}/xdg/heft/names'
        for test in (test_children, test_pyroscope, test_ingest, test_parca, test_otlp, test_plain, test_names_once, test_debuginfo, test_tls, test_trouble,
                     test_ends):
            test(tmp, server.server_port)
        check('names are kept in the cache of the user', os.path.isdir(names) and os.listdir(names))
    server.shutdown()
    if FAILURES or COUNT[0] < 150:
        sys.exit(f'push: {len(FAILURES)} of {COUNT[0]} checks failed')
    print(f'push: {COUNT[0]} checks passed')


main()
