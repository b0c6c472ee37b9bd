"""Programs and services with plug-ins of their own do the same with the recorder as without it: output, messages, exit
status and files, in every form of recording.

usage: [FULL=1] programs.py HEFT RECORDER [NAME...]

programs.txt has the programs.  FULL: all of them (many minutes), else a few that are everywhere.  Two runs without the
recorder come first; what differs between them is not compared.  A program that is not installed is left out."""
import concurrent.futures
import difflib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

heft, recorder = (os.path.realpath(p) for p in sys.argv[1:3])
chosen = sys.argv[3:]
full = bool(os.environ.get('FULL'))
table = os.path.join(os.path.dirname(os.path.realpath(__file__)), 'programs.txt')

FORMS = {'plain': [], '--wide': ['--wide'], '--canary': ['--canary'], '--inline': ['--inline'],
         '--sample': ['--sample=16K'], '--leaks': ['--leaks']}
JOBS = 2
TIMEOUT = 180
PRELUDE = '''
up() { for _ in {1..150}; do "$@" >/dev/null 2>&1 && return; sleep 0.1; done; echo "not up: $*"; }
open_port() { for _ in {1..300}; do (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null && return; sleep 0.1; done; echo "port $1 is closed"; }
down() { kill -TERM "$1"; wait "$1"; echo "ended $?"; }
'''


class Program:
    def __init__(self, head, script):
        words = head.split()
        self.name, self.probe, package = words[:3]
        self.package, _, self.file = package.partition('/')
        self.words, self.script = words[3:], script

    def missing(self):
        """Why it cannot run here; None if it can."""
        if shutil.which(self.probe, path=PATH) is None:
            return f'no {os.path.basename(self.probe)} (install {self.package})'
        if self.file and not os.path.exists('/' + self.file):
            return f'no /{self.file} (install {self.package})'
        if 'root' in self.words and os.getuid() != 0:
            return 'it needs root'
        return None


PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/usr/games'
ports = iter(range(23000, 32000, 4))


def programs_read():
    found, script = [], []
    with open(table) as f:
        for line in f:
            if line.startswith('== '):
                script = []
                found.append((line[3:], script))
            elif found:
                script.append(line)
    return [Program(head, ''.join(script)) for head, script in found]


def port_free(port):
    with socket.socket() as s:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        return s.connect_ex(('127.0.0.1', port)) != 0


def port_choose():
    return next(p for p in ports if port_free(p) and port_free(p + 1))


def files_read(folder):
    found = {}
    for path, _, names in os.walk(folder):
        for name in names:
            at = os.path.join(path, name)
            key = os.path.relpath(at, folder)
            if os.path.islink(at):
                found[key] = b'link to ' + os.readlink(at).encode()
            elif os.path.isfile(at):
                with open(at, 'rb') as f:
                    found[key] = f.read()
            else:
                found[key] = b'neither file nor folder'
    return found


def run(p, base, port, form):
    """What is seen of one run: {name: bytes}; and the recordings."""
    work, heaps = os.path.join(base, 'w'), os.path.join(base, 'heaps')
    for folder in (work, heaps):
        shutil.rmtree(folder, ignore_errors=True)
        os.mkdir(folder)
    os.chmod(heaps, 0o777)
    command = ['bash', '-c', PRELUDE + p.script]
    if form is not None:
        command = [heft, 'heap', 'run', '-q', '-o', heaps + '/%p', '--recorder=' + recorder, *FORMS[form], '--', *command]
    env = {'PATH': PATH, 'HOME': work, 'LANG': 'C.UTF-8', 'PORT': str(port), 'TERM': 'dumb', 'TZ': 'UTC', 'USER': 'me'}
    out, err = os.path.join(base, 'out'), os.path.join(base, 'err')
    with open(out, 'wb') as o, open(err, 'wb') as e:
        child = subprocess.Popen(command, cwd=work, env=env, stdin=subprocess.DEVNULL, stdout=o, stderr=e, start_new_session=True)
        try:
            status = child.wait(TIMEOUT)
        except subprocess.TimeoutExpired:
            status = 'none: it did not end'
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        child.wait()
    seen = {'file ' + k: v for k, v in files_read(work).items()}
    with open(out, 'rb') as o, open(err, 'rb') as e:
        seen.update({'output': o.read(), 'messages': e.read(), 'exit status': str(status).encode()})
    return seen, recordings_of(heaps)


def recordings_of(folder):
    """The command lines of the recorded programs, as far as they are in the first page."""
    found = []
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), 'rb') as f:
            found.append(f.read(32768))
    shutil.rmtree(folder, ignore_errors=True)
    return found


def lines_common(a, b):
    """Lines of both, in order."""
    if a == b:
        return a
    matcher = difflib.SequenceMatcher(None, a, b, autojunk=False)
    return [line for m in matcher.get_matching_blocks() for line in a[m.a:m.a + m.size]]


def stable(runs):
    """What all runs have, by name: lines; None for a file that only some have."""
    kept = {}
    for name in set().union(*runs):
        if any(name not in r for r in runs):
            kept[name] = None
            continue
        lines = runs[0][name].split(b'\n')
        for r in runs[1:]:
            lines = lines_common(lines, r[name].split(b'\n'))
        kept[name] = (lines, all(r[name] == runs[0][name] for r in runs))
    return kept


def differences(kept, seen):
    for name in sorted(set(kept) | set(seen)):
        expected = kept.get(name, ([], True))
        if expected is None:
            continue
        if name not in seen:
            yield f'{name}: is missing'
            continue
        lines, whole = expected
        got = seen[name].split(b'\n')
        if got != lines if whole else lines_common(lines, got) != lines:
            if name not in kept:
                yield f'{name}: was not there without the recorder'
            a, b = ([repr(x)[1:150] for x in text] for text in (lines, got))
            for line in list(difflib.unified_diff(a, b, n=0, lineterm=''))[2:8]:
                yield f'{name}: {line}'


def compare(p, base):
    """(form, what differs) for each form that differs, and how much was compared."""
    port = port_choose()
    natives = [run(p, base, port, None)[0] for _ in range(2)]
    kept, found = stable(natives), []
    for form in FORMS:
        seen, recordings = run(p, base, port, form)
        wrong = list(differences(kept, seen))
        if wrong:
            # The machine may be busy: what differs between more runs is not compared either.
            natives += [run(p, base, port, None)[0]]
            kept = stable(natives)
            seen, recordings = run(p, base, port, form)
            again = list(differences(kept, seen))
            print(f'{p.name}, {form}: another try, for {" | ".join(wrong[:4])}', flush=True)
            wrong = again
        name = os.path.basename(p.probe).encode()
        if not recordings and 'static' not in p.words:
            wrong.append('nothing was recorded')
        elif form != '--leaks' and 'static' not in p.words and not any(name in r for r in recordings):
            wrong.append(f'{os.path.basename(p.probe)} itself was not recorded')
        if wrong:
            found.append((form, wrong))
    lines = sum(len(v[0]) for v in kept.values() if v is not None)
    status = natives[0]['exit status'].decode()
    return found, lines, status, len(recordings)


def check(p):
    base = tempfile.mkdtemp(prefix='programs.')
    os.chmod(base, 0o755)
    start = time.time()
    try:
        found, lines, status, count = compare(p, base)
    finally:
        shutil.rmtree(base, ignore_errors=True)
    return p, found, lines, status, count, time.time() - start


def main():
    wanted = [p for p in programs_read() if p.name in chosen or (not chosen and (full or 'short' in p.words))]
    here, passed, failed = [], 0, 0
    for p in wanted:
        reason = p.missing()
        if reason is not None:
            print(f'LEFT OUT: {p.name} recorded: {reason}')
        else:
            here.append(p)
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        for done in concurrent.futures.as_completed([pool.submit(check, p) for p in here]):
            p, found, lines, status, count, seconds = done.result()
            if lines < 2:
                found.append(('plain', ['there was nothing to compare']))
            for form, wrong in found:
                print(f'FAILED: {p.name}, {form}:')
                print(*('    ' + w for w in wrong[:6]), sep='\n')
            if not found:
                print(f'{p.name}: the same in {len(FORMS)} forms: {lines} lines, status {status}, {count} processes, {seconds:.0f} s')
            passed += not found
            failed += bool(found)
            sys.stdout.flush()
    print(f'{passed} passed, {failed} failed, {len(wanted) - len(here)} left out')
    if not here:
        print('SKIP: none of the programs is here')
        sys.exit(77)
    sys.exit(failed != 0)


main()
