"""Heap profiles and rows that `heft push` sends, against the schema of pprof and what the receivers document.

usage: push.py HEFT RECORDER

A server on loopback takes what comes.  Profiles are read by a decoder of protobuf of the test's own, by the field numbers of
proto/profile.proto of google/pprof; requests are held against Pyroscope's reference of its HTTP API and the JSON form of
proto/parca/profilestore/v1alpha1/profilestore.proto of Parca, whose HTTP rules are below /api."""
import base64
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
    done = subprocess.run([heft, 'push', 'run', '--recorder', recorder, '-q', '-o', f'{tmp}/left.%p', '--to', url, '--every', '1s', *words,
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


def test_parca(tmp, port):
    done, requests, left = run(tmp, f'parca://127.0.0.1:{port}', '--addresses')
    profiles = []
    for path, headers, body, _ in requests:
        check('parca: path and type', (path, headers['Content-Type']) == ('/api/profiles/writeraw', 'application/json'), path)
        message = json.loads(body)
        series, = message['series']
        sample, = series['samples']
        check('parca: fields', (set(message), set(series), set(sample)) == ({'series', 'normalized'}, {'labels', 'samples'}, {'rawProfile'}))
        check('parca: addresses are those of the files', message['normalized'] is True)
        check_labels('parca', {label['name']: label['value'] for label in series['labels']['labels']}, 'job')
        profiles.append(Profile(base64.b64decode(sample['rawProfile'], validate=True), 'parca'))
    common('parca', tmp, done, profiles, left, addresses=True)
    check('parca: no names', not any(p.functions or any(4 in f for f in p.locations.values()) for p in profiles))
    check('parca: nor any in its strings', not any('customer' in p.strings for p in profiles))

    def by_address(profile, location):
        f = profile.locations[location]
        path = profile.strings[profile.mappings[f[2][0]][5][0]]
        return subprocess.run(['addr2line', '-f', '-e', path, hex(f[3][0])], stdout=subprocess.PIPE, text=True).stdout.splitlines()[0]

    sums = profiles[-1].holders(by_address)
    check('parca: addresses are those of the files', sums.get('customer', 0) > sums.get('session', 0) == 8 * 5000, sums)
    done, requests, _ = run(tmp, f'parca://127.0.0.1:{port}/prefix/', rounds='2', fast=['fast'])
    message = json.loads(requests[0][2])
    p = Profile(base64.b64decode(message['series'][0]['samples'][0]['rawProfile']), 'parca, names')
    check('parca: names, unless they are left out', 'customer' in p.strings and p.functions and 'normalized' not in message)
    check('parca: behind a proxy', requests[0][0] == '/prefix/api/profiles/writeraw', requests[0][0])


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
        done = subprocess.run([heft, 'push', 'run', '--recorder', recorder, '-q', '-o', f'{tmp}/kin.%p', '--to', f'pyroscope://127.0.0.1:{port}',
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
    run = subprocess.Popen([heft, 'push', 'run', '--recorder', recorder, '-q', '-o', f'{tmp}/left.%p', '--to', f'http://127.0.0.1:{port}/',
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


def is_refusal(done):
    """One clear line, and how often at the end."""
    lines = done.stderr.splitlines()
    return len(lines) == 2 and 'the certificate of the server is not trusted (' in lines[0] and lines[0].startswith('heft: https://') and \
        'not taken' in lines[1]


def test_tls_pushes(tmp):
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Server)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(f'{tmp}/own.pem')
    server.handle_error = lambda *_: None  # of those that do not trust it
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    for scheme in ('https', 'pyroscopes', 'parcas'):
        url = f'{scheme}://127.0.0.1:{server.server_port}'
        done, requests, left = run(tmp, url, rounds='2', fast=['fast'])
        check(f'{scheme}: a certificate that is not trusted', done.returncode == 3 and not requests and len(left) == 1 and is_refusal(done),
              done.stderr)
        with Trusts(CURL_CA_BUNDLE=f'{tmp}/own.pem'):
            done, requests, _ = run(tmp, url, rounds='2', fast=['fast'])
        check(f'{scheme}: one that is', done.returncode == 3 and len(requests) == 1 and done.stderr == '', done.stderr)
    os.makedirs(f'{tmp}/trusted')
    shutil.copy(f'{tmp}/own.pem', f'{tmp}/trusted/own.pem')
    subprocess.run(['openssl', 'rehash', f'{tmp}/trusted'], check=True, capture_output=True)
    for said, variables in (('of the file', {'SSL_CERT_FILE': f'{tmp}/own.pem'}), ('of the folder', {'SSL_CERT_DIR': f'{tmp}/trusted'}), ('before the file', {'CURL_CA_BUNDLE': f'{tmp}/own.pem', 'SSL_CERT_FILE': f'{tmp}/other.pem'})):
        with Trusts(**variables):
            done, requests, _ = run(tmp, url, rounds='2', fast=['fast'])
        check(f'tls: trust {said}', len(requests) == 1 and done.stderr == '', done.stderr)
    with Trusts(CURL_CA_BUNDLE=f'{tmp}/other.pem'):
        done, requests, _ = run(tmp, url, rounds='2', fast=['fast'])
    check('tls: the certificate of somebody else', not requests and is_refusal(done), done.stderr)
    with Trusts(CURL_CA_BUNDLE=f'{tmp}/none.pem'):
        done, requests, _ = run(tmp, url, rounds='2', fast=['fast'])
    check('tls: no such file', not requests and 'the certificates to trust cannot be read (' in done.stderr and f'{tmp}/none.pem' in done.stderr,
          done.stderr)
    server.shutdown()


def test_tls(tmp, _):
    if not shutil.which('openssl'):
        print('LEFT OUT: TLS: no openssl')
        return
    make_certificate(tmp)
    test_tls_pushes(tmp)


def test_trouble(tmp, port):
    done, requests, _ = run(tmp, f'http://127.0.0.1:{port}/x?key=secret', refuses=500)
    lines = done.stderr.splitlines()
    check('a server that refuses: said once, counted at the end', done.returncode == 3 and len(requests) >= 2 and len(lines) == 2 and
          lines[1] == f'heft: {len(requests)} of {len(requests)} profiles were not taken' and 'secret' not in done.stderr, done.stderr)
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
    words = [heft, 'push', 'run', '--recorder', recorder, '-q', '-o', f'{tmp}/end.%p', '--to', f'http://127.0.0.1:{port}', '--every', '1s', '--']
    running = [subprocess.Popen(words + ['sleep', f'{0.98 + i / 500:.3f}'], stderr=subprocess.PIPE, text=True) for i in range(16)]
    said = [p.communicate()[1] for p in running]
    check('programs that end meanwhile', all(p.returncode == 0 for p in running) and not any(said), said)


def test_profile(tmp, port):
    """A profile of heft heap show, by a pipe and from a file."""
    _, _, left = run(tmp, f'http://127.0.0.1:{port}', rounds='2', fast=['fast'])
    shown = subprocess.run([heft, 'heap', 'show', '--pprof', *left], stdout=subprocess.PIPE, check=True).stdout
    with open(f'{tmp}/shown', 'wb') as f:
        f.write(shown)
    words = [heft, 'push', 'profile', '--service', 'a shop', '--to']
    for name, more in (('pipe', {'input': shown}), ('file', {})):
        Server.requests = []
        url = f'pyroscope://127.0.0.1:{port}'
        done = subprocess.run([*words, url, *([] if more else [f'{tmp}/shown'])], capture_output=True, **more)
        check(f'profile by {name}: nothing is said', (done.returncode, done.stdout, done.stderr) == (0, b'', b''), done)
        series, = json.loads(Server.requests[0][2])['series']
        check(f'profile by {name}: as it was', base64.b64decode(series['samples'][0]['rawProfile']) == shown)
        labels = {label['name']: label['value'] for label in series['labels']}
        check(f'profile by {name}: labels', set(labels) == {'__name__', 'service_name', 'hostname'} and labels['service_name'] == 'a shop', labels)
    Server.requests = []
    subprocess.run([*words, f'http://127.0.0.1:{port}/p'], input=shown, check=True)
    check('profile: plain', [r[2] for r in Server.requests] == [shown])
    for given, said in (([f'{tmp}/none'], 'none: No such file'), ([tmp], 'cannot be read'), (['/dev/null'], 'there is no profile in it'),
                        (['a', 'b'], 'one profile at a time')):
        done = subprocess.run([*words, f'http://127.0.0.1:{port}', *given], capture_output=True, text=True)
        check(f'profile: {said}', done.returncode == 2 and len(done.stderr.splitlines()) == 1 and said in done.stderr, done)


def test_rows(tmp, port):
    """Rows come in requests of whole rows; a busy server is asked again, one that refuses is told."""
    url = f'http://127.0.0.1:{port}/in?secret=1'
    words = [heft, 'push', 'rows', '--to', url]
    rows = subprocess.run([heft, 'rows', '-d', 'sections,symbols', heft], stdout=subprocess.PIPE, check=True).stdout
    rows = rows[:rows.index(b'\n', 1 << 20) + 1]  # fewer than one request takes
    large = (rows + b'x' * (5 << 20) + b'\n') * 12 + rows[:-1]
    for name, given in (('small', rows), ('large', large), ('none', b'')):
        Server.requests, Server.refuses = [], 0
        done = subprocess.run(words, input=given, capture_output=True)
        bodies = [r[2] for r in Server.requests]
        check(f'rows, {name}: nothing is said', (done.returncode, done.stderr) == (0, b''), done)
        check(f'rows, {name}: all of them', b''.join(bodies) == given)
        check(f'rows, {name}: as few requests as needed, each of whole rows',
              len(bodies) == {'small': 1, 'none': 0}.get(name, 25) and all(b.endswith(b'\n') for b in bodies[:-1]), [len(b) for b in bodies])
    check('rows: their type', {r[1]['Content-Type'] for r in Server.requests} <= {'application/x-ndjson'})
    with open(f'{tmp}/rows', 'wb') as f:
        f.write(rows)
    Server.requests, Server.refuses = [], 400
    done = subprocess.run([*words, f'{tmp}/rows'], capture_output=True, text=True)
    check('rows: a refusal is told once', done.returncode == 2 and len(Server.requests) == 1 and 'answers 400' in done.stderr and
          len(done.stderr.splitlines()) == 1 and 'secret' not in done.stderr, done)
    Server.requests, Server.refuses = [], 503
    running = subprocess.Popen([*words, f'{tmp}/rows'], stderr=subprocess.PIPE, text=True)
    while not Server.requests:
        time.sleep(0.05)
    Server.refuses = 0
    check('rows: a busy server is asked again', (running.communicate()[1], running.returncode, len(Server.requests)) == ('', 0, 2))


def main():
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
        for test in (test_children, test_pyroscope, test_parca, test_plain, test_names_once, test_tls, test_trouble, test_ends,
                     test_profile, test_rows):
            test(tmp, server.server_port)
        check('names are kept in the cache of the user', os.path.isdir(names) and os.listdir(names))
    server.shutdown()
    if FAILURES or COUNT[0] < 150:
        sys.exit(f'push: {len(FAILURES)} of {COUNT[0]} checks failed')
    print(f'push: {COUNT[0]} checks passed')


main()
