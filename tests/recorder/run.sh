#!/bin/sh
# heft heap run: exit statuses, signals, files, what is refused.
# usage: tests/recorder/run.sh HEFT RECORDER
heft=$(realpath "$1")
recorder=$(realpath "$2")
# shellcheck source=tests/lib/test.sh
. "$(dirname "$0")/../lib/test.sh"
scratch
dir=$tmp
cd "$dir" || exit 2

run() {
	"$heft" heap run --recorder "$recorder" "$@"
}

files() {
	find . -name "$1" | wc -l
}

run -o a.%p sh -c 'exit 3' 2>said
is "exit status" 3 $?
is "one file of one process" 1 "$(files 'a.*')"
is "what is said" "heft: wrote $dir/$(ls a.*); to look: heft heap show $dir/$(ls a.*)" "$(cat said)"

run -q -o b.%p -- sh -c 'ls / >out; exit 0'
is "a file each" 2 "$(files 'b.*')"
run -q --no-children -o c.%p sh -c 'ls / >out; (exit 4)'
is "status of the last" 4 $?
is "no children" 1 "$(files 'c.*')"

run -o d.%p sh -c 'kill -TERM $$' 2>said
is "ended by a signal" 143 $?
is "said so" 1 "$(grep -c 'nothing was written: sh was ended by signal 15' said)"
is "said what to do" 1 "$(grep -c 'heft heap snapshot PID' said)"
# shellcheck disable=SC2016,SC3045 # $$ is the program's; a shell without ulimit -c has no test of it
(ulimit -c 0 && run -o d.%p sh -c 'kill -ABRT $$' 2>said)
is "where a crash is: no core" 1 "$(grep -c 'ulimit -c unlimited, and run it again' said)"
# shellcheck disable=SC2016,SC3045
if (ulimit -c unlimited) 2>/dev/null; then
	(ulimit -c unlimited && run -o d.%p sh -c 'kill -ABRT $$' 2>said)
	is "where a crash is: a core" 1 "$(grep -c 'its core has all: heft heap check CORE' said)"
	rm -f core core.*
else
	left_out "a core where it may be" "ulimit -c unlimited is refused"
fi

"$heft" heap show a.* >shown
is "whose record it is" "sh -c exit 3, pid" "$(sed -n 's/^process *\(.*, pid\).*/\1/p' shown)"

run --inline -o inline.%p ls / >out 2>said
is "stacks in blocks that are gone" 1 "$(grep -c "wrote $dir/inline.*, which has no call stacks" said)"
"$heft" heap show inline.* >shown 2>said
is "such a record, shown" 1 "$(grep -c 'hold the call stacks (--inline)' said)"
run --inline --leaks -o blocks.%p ls / >out 2>said
is "stacks in blocks of a core" 1 "$(grep -c 'to look: heft heap show --leaks' said)"
run -q --leaks -o whole.%p cat </dev/null
is "pages of the recorder are whole" 0 "$("$heft" heap show --leaks whole.* 2>&1 | grep -c 'cut off')"

mkdir sub
run -q -o e.%p sh -c 'cd sub && exec ls' >out
is "the folder of the start" 1 "$(files 'e.*')"

# shellcheck disable=SC2016
touch out
"$heft" heap run --recorder "$recorder" -q -o f.%p sh -c 'trap "exit 9" TERM; echo ready; while :; do sleep 0.05; done' >out &
while ! grep -q ready out; do
	kill -0 $! || exit 1
	sleep 0.05
done
kill -TERM $!
wait $!
is "signals are handed on" 9 $?

# shellcheck disable=SC2016
run -q -o g.%p --signal USR2 sh -c 'kill -USR2 $$; kill -USR2 $$; exit 0'
is "after snapshots" 0 $?
is "numbered snapshots" 3 "$(files 'g.*')"
# shellcheck disable=SC2016
mine=$(run -q -o h.%p --signal SIGUSR2 bash -c 'trap "echo mine" USR2; kill -USR2 $$')
is "the program's own handler" "mine 1" "$mine $(files 'h.*')"
# shellcheck disable=SC2016
run -q -o i.%n.%p --signal 12 sh -c 'kill -USR2 $$'
is "numbers in the pattern" "1 1" "$(files 'i.1.*') $(files 'i.2.*')"

echo 'int main(void) { void *volatile p = malloc(50 << 20); free(p); p = malloc(1 << 20); return 0; }' >spike.c
must cc -O0 -include stdlib.h spike.c -o spike
run -q -o m.%p ./spike
"$heft" heap show --timeline m.* >shown
is "the peak in the header and the timeline" "peak 50.0Mi" "$(awk '/^peak / { p = $2; sub(",", "", p) }
	/#/ && $3 == p { print "peak", p; exit }' shown)"
is "the end in the timeline" 1024Ki "$(awk 'END { print $2 }' shown)"

# Rows are the program's functions, not the library's.
if has c++ g++ "rows of C++ programs"; then
	cat >rows.cc <<'END'
#include <map>
#include <string>
#include <vector>
std::vector<std::string> *lines;
std::map<int, std::string> *names;
__attribute__((noinline)) void fill()
{
	lines = new std::vector<std::string>;
	for (int i = 0; i < 500; i++)
		lines->push_back(std::string(100 + i, 'x'));
}
__attribute__((noinline)) void name()
{
	names = new std::map<int, std::string>;
	for (int i = 0; i < 500; i++)
		(*names)[i] = std::string(50, 'y');
}
int main()
{
	fill();
	name();
}
END
	must c++ -O0 -g rows.cc -o rows
	for by in function stack callers; do
		rm -f u.* && run -q -o u.%p ./rows
		"$heft" heap show --by $by --frames=1 u.* 2>/dev/null >shown
		is "rows by $by" "fill() name()" "$(grep -o ' \(fill\|name\)()' shown | sort -u | tr -d '\n' | sed 's/^ //')"
		is "none is the library's, by $by" 0 "$(grep -c '[0-9]  std::' shown)"
	done
	"$heft" heap show --by function --all-frames u.* >shown 2>/dev/null
	is "all frames" yes "$([ "$(grep -c '  std::' shown)" -ge 2 ] && echo yes)"
fi

if has rustc rustc "rows of Rust programs"; then
	cat >rows.rs <<'END'
use std::collections::HashMap;
#[inline(never)] fn fill() -> Vec<String> { (0..1000).map(|i| format!("number {}", i)).collect() }
#[inline(never)] fn index(v: &[String]) -> HashMap<String, Vec<u8>> { v.iter().map(|s| (s.clone(), vec![7u8; 90])).collect() }
fn main() { let v = fill(); let m = index(&v); println!("{}", m.len() + v.len()); std::mem::forget(m); std::mem::forget(v); }
END
	for mangling in legacy v0; do
		rustc -g -C symbol-mangling-version=$mangling rows.rs -o rusty 2>said || rustc -g rows.rs -o rusty 2>said || continue
		rm -f w.* && run -q -o w.%p ./rusty >/dev/null
		"$heft" heap show --by function w.* 2>/dev/null >shown
		is "rows of Rust, $mangling" "rows::fill rows::index" "$(awk '/Ki/ { print $NF == "[rusty]" ? $(NF - 1) : "" }' shown |
			grep -x 'rows::\(fill\|index\)' | sort | tr '\n' ' ' | sed 's/ $//')"
		is "none is the library's, $mangling" 0 "$(grep -c 'Ki.*\(alloc\|core\|std\|hashbrown\)::' shown)"
	done
fi

# A core has the names of files where a recording has those of links: they are the same modules.
cat >lib.c <<'END'
#include <stdlib.h>
void *held;
void hold(void) { held = malloc(60000); }
END
echo 'void hold(void); int main(void) { hold(); return 0; }' >linked.c
must cc -shared -fPIC -Wl,--build-id -Wl,-soname,libheld.so.1 lib.c -o libheld.so.1.2
ln -s libheld.so.1.2 libheld.so.1
must cc linked.c libheld.so.1 -Wl,-rpath,"$dir" -o linked
run -q -o v1.%p ./linked
run -q --leaks -o v2.%p ./linked
"$heft" heap diff v1.* v2.* >shown 2>/dev/null
is "one library under two names" 0 "$(grep -c 'hold' shown)"

# What is lost at the end, in a process and in what it forked; a thread still holds something.
cat >leaks.c <<'END'
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
struct pair { void *other; };
void *kept;
__attribute__((noinline)) void lose(int n)
{
	struct pair *p = malloc(n);
	p->other = malloc(n + 1);
	__asm__ volatile("" : : "r"(p) : "memory");
}
static void *waits(void *ready)
{
	void *volatile mine = malloc(7777);
	write(*(int *)ready, "r", 1);
	pause();
	return mine;
}
int main(void)
{
	int both[2], status;
	char c;
	pthread_t t;
	pipe(both);
	kept = malloc(54321);
	pthread_create(&t, NULL, waits, &both[1]);
	read(both[0], &c, 1);
	if (fork() == 0) {
		lose(900);
		_exit(3);
	}
	wait(&status);
	lose(1000);
	return WEXITSTATUS(status);
}
END
must cc -O1 -g -w leaks.c -o leaks -lpthread
sleep 20 &
if "$heft" heap snapshot -o own $! 2>/dev/null; then
	run --leaks -o q.%p ./leaks 2>said
	is "its status, kept" 3 $?
	is "how to look" 1 "$(grep -c 'and 1 more (q.*; to look: heft heap show --leaks /' said)"
	is "cores of two" 2 "$(files 'q.*')"
	"$heft" heap show --leaks "$(ls q.* | head -n 1)" >shown 2>&1
	"$heft" heap show --leaks "$(ls q.* | tail -n 1)" >>shown 2>&1
	is "what is lost" "900 1000" "$(awk '/ lost: lose/ { print $2 }' shown | sort -n | tr '\n' ' ' | sed 's/ $//')"
	is "and what hangs on it" "901 1001" "$(awk '/ indirect: lose/ { print $2 }' shown | sort -n | tr '\n' ' ' | sed 's/ $//')"
	is "what a thread holds is none" 0 "$(grep -c waits shown)"
	"$heft" heap show --leaks --exit-code "$(ls q.* | head -n 1)" >/dev/null 2>&1
	is "leaks are an answer" 1 $?
else
	left_out "what leaks at the end" "other processes may not be looked at here"
fi
kill $!
run -q -o r.%p ./leaks
"$heft" heap show --leaks "$(ls r.* | head -n 1)" 2>said
is "without it" "2 1" "$? $(grep -c 'record with heft heap run --leaks' said)"
# A daemon outlives the program: it writes its tables.
run -q --leaks -o s.%p sh -c '(sleep 0.5; exit 0) & exit 0' 2>/dev/null
for _ in 1 2 3 4 5 6 7 8 9 10; do [ "$(find . -name 's.*' -size +0 | wc -l)" -eq 3 ] || sleep 0.2; done
is "those who outlive it" "3 2" "$(files 's.*') $(for f in s.*; do "$heft" heap show "$f"; done 2>/dev/null | grep -c 'tables of the recorder')"

for bad in KILL STOP 65 -1 0 NONE ''; do
	run --signal="$bad" true 2>said
	is "--signal=$bad" "2 1" "$? $(grep -c "'$bad' is no signal that a program can take" said)"
done
mkdir 'a%p%n'
(cd 'a%p%n' && run -q -o n%% true)
is "a folder with a pattern's letters" 1 "$(find . -path './a%p%n/n%.*' | wc -l)"

# One name.
umask 0
run -o one ls / >out 2>said
is "one process, one name" "one 600" "$(find . -name 'one*' -printf '%f %m')"
is "which is said" 1 "$(grep -c "wrote $dir/one; to look: heft heap show $dir/one$" said)"
run -o two sh -c 'ls / >out; exit 0' 2>said
is "several" "2 1" "$(files 'two*') $(grep -c "wrote $dir/two and 1 more (two\.[0-9]*); to look" said)"
is "the program's own" "sh -c" "$("$heft" heap show two 2>/dev/null | sed -n 's/^process *\(sh -c\).*/\1/p')"
umask 022

# Ends without exit().
cat >ends.c <<'END'
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
void *volatile kept;
int main(int argc, char **argv)
{
	const struct rlimit none = { 3, 3 };
	kept = malloc(7654321);
	switch (argv[1][0]) {
	case 'r': syscall(SYS_exit_group, 7); break;
	case 'k': kill(getpid(), SIGKILL); break;
	case 'q': quick_exit(7);
	case '_': _exit(7);
	case 'x': execl(argv[2], argv[2], NULL); break;
	case 'f': for (int i = 3; i < 4096; i++) close(i); setrlimit(RLIMIT_NOFILE, &none); exit(7);
	case 'u': if (chdir("/") == 0 && setgid(65534) == 0 && setuid(65534) == 0) exit(7); break;
	case 'c': if (chroot("/proc") == 0 && chdir("/") == 0) exit(7); break;
	case 'w': if (fork() == 0) { if (setuid(65534) == 0) exit(7); exit(1); } wait(NULL); exit(7);
	case 'l': if (fork() == 0) syscall(SYS_exit_group, 7); wait(NULL); exit(7);
	case 't': if (fork() == 0) { memset(argv[0], '#', strlen(argv[0])); exit(7); } wait(NULL); exit(7);
	case 'd': if (fork() == 0) { setsid(); sleep(1); exit(0); } usleep(300000); exit(7);
	}
	return 1;
}
END
must cc -w ends.c -o ends
echo 'int main(void) { return 7; }' >other.c
cc -static other.c -o other 2>/dev/null || cp ends other
chmod 711 .
kinds="q _ f"
[ "$(id -u)" -eq 0 ] && kinds="$kinds u c w"
[ "$(id -u)" -eq 0 ] || left_out "programs that give up rights" "needs root"
for kind in $kinds; do
	rm -f fin fin.*
	run -o fin ./ends $kind 2>said
	is "end $kind" "7 1" "$? $(grep -c "wrote $dir/fin" said)"
	is "end $kind: recorded" 1 "$("$heft" heap show fin 2>/dev/null | grep -c ' main ')"
done
if [ "$(id -u)" -eq 0 ]; then
	is "a child that gave up rights" 1 "$(files 'fin.*')"
fi
for kind in r x; do
	rm -f fin fin.*
	run -o fin ./ends $kind ./other 2>said
	is "end $kind" "7 1" "$? $(grep -c "./ends was recorded and did not end by exit()" said)"
	is "end $kind: no empty file" 0 "$(files 'fin.[0-9]*')"
done
run -o fin ./ends l 2>said
is "end l, told" "7 1" "$? $(grep -c '1 more process left no file: ended by a signal, not by exit()' said)"
rm -f fin fin.*
run -q -o fin ./ends t
is "what a forked process calls itself" "./ends t,###### t," "$("$heft" heap show fin 2>/dev/null |
	sed -n 's/^process *\(.*,\) pid.*/\1/p')$("$heft" heap show fin.* 2>/dev/null | sed -n 's/^process *\(.*,\) pid.*/\1/p')"
run -o fin ./ends k 2>said
is "end k" "137 1" "$? $(grep -c "nothing was written: ./ends was ended by signal 9" said)"
run -o fin ./ends d 2>said
is "end d" "7 1 1" "$? $(grep -c "wrote $dir/fin" said) $(grep -c "1 process still runs, to write at the end" said)"

# Beyond the limit of a file's size heft says so and goes on.
sleep 20 &
for name in large.core large.core.zst; do
	(ulimit -f 8 && "$heft" heap snapshot -o $name $! 2>said)
	is "a limit of file sizes: $name" "2 1" "$? $(grep -c "^heft: .*$name.*: File too large\|^heft: .*not allowed" said)"
done
kill $!

# Names that somebody else put there.
echo theirs >target
for name in link hard; do
	rm -f n.at
	[ $name = hard ] && ln target n.at
	[ $name = hard ] || ln -s target n.at
	LD_PRELOAD="$recorder" HEFT_HEAP_OUT="$PWD/n.at" /bin/true
	is "a $name is left alone" theirs "$(cat target)"
done
rm -f n.at
mkfifo n.at
LD_PRELOAD="$recorder" HEFT_HEAP_OUT="$PWD/n.at" timeout 20 /bin/true
is "a pipe does not stop the program" 0 $?
rm -f n.at
LD_PRELOAD="$recorder" HEFT_HEAP_OUT="$PWD/n.at" /bin/true && first=$(wc -c <n.at)
echo more >>n.at
LD_PRELOAD="$recorder" HEFT_HEAP_OUT="$PWD/n.at" /bin/true
is "a file of one's own is replaced" "$first" "$(wc -c <n.at)"
(ulimit -f 8 && LD_PRELOAD="$recorder" HEFT_HEAP_OUT="$PWD/n.large" /bin/true)
is "a limit of file sizes" 0 $?
run -o /dev/full true 2>/dev/null
is "a device" 2 $?

# shellcheck disable=SC2016
is "other preloads stay" "$recorder:/other.so" \
	"$(LD_PRELOAD=/other.so run -q -o j.%p sh -c 'echo "$LD_PRELOAD"' 2>/dev/null)"

printf '#! /bin/sh\necho script\n' >script
chmod +x script
is "scripts" "script 1" "$(run -q -o k.%p ./script) $(files 'k.*')"

# A program that the dynamic linker is told to load.
linker=$(readelf -lW spike | sed -n 's/.*interpreter: \(.*\)\]/\1/p')
run -o x.%p -- "$linker" --argv0 other --library-path "$dir" ./spike 2>said
is "by the dynamic linker" "0 1" "$? $(grep -c 'wrote .*/x\.' said)"
is "whose rows are the program's" 1 "$("$heft" heap show x.* 2>/dev/null | grep -c ' main .*\[spike\]')"
LD_PRELOAD="$recorder" HEFT_HEAP_OUT="$PWD/x.preloaded" "$linker" ./spike
is "preloaded by hand" 1 "$("$heft" heap show x.preloaded 2>/dev/null | grep -c ' main .*\[spike\]')"

echo 'int main(void) { return 0; }' >static.c
if cc -static static.c -o static 2>/dev/null; then
	run "$linker" ./static 2>/dev/null
	is "one that is static" 2 $?
	run ./static 2>said
	is "a static program" 2 $?
	is "and why" 1 "$(grep -c 'is linked statically' said)"
	printf '#!%s/static\n' "$dir" >script
	run ./script 2>/dev/null
	is "a script of one" 2 $?
else
	left_out "static programs" "cc -static does not link" libc6-dev
fi
cat >image.py <<'END'
import os, subprocess, sys
heft, recorder = sys.argv[1:3]
env = dict(os.environ, LD_PRELOAD=recorder, HEFT_HEAP_STACKS='inline')
p = subprocess.Popen(['./waits'], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
p.stdout.readline()
maps = [line.split() for line in open('/proc/%d/maps' % p.pid)]
low, high = next([int(a, 16) for a in m[0].split('-')] for m in maps if m[-1] == '[heap]')
load = next(m[0].split('-')[0] for m in maps if m[-1].endswith('/waits'))
with open('/proc/%d/mem' % p.pid, 'rb') as memory, open('heap.raw', 'wb') as f:
    memory.seek(low)
    f.write(memory.read(high - low))
p.communicate('\n')
data = open('heap.raw', 'rb').read()
for name, start in ('page', 0), ('odd', 48):
    with open('heap.' + name, 'wb') as f:
        f.write(data[start:])
    shown = subprocess.run([heft, 'heap', 'show', '--load=' + load, 'heap.' + name, './waits'], stdout=subprocess.PIPE, text=True).stdout
    print(name, '53.0Ki' in shown and 'make waits.c:1 ' in shown)
subprocess.run([heft, 'heap', 'show', '--base=%x' % low, '--load=' + load, 'heap.raw', './waits'])
END
echo 'void *kept; __attribute__((noinline)) void make(void) { kept = malloc(54321); __asm__ volatile("" ::: "memory"); }
int main(void) { make(); puts("ready"); fflush(stdout); return getchar(); }' >waits.c
must cc -O1 -g -pie -fPIE -include stdlib.h -include stdio.h waits.c -o waits
if command -v python3 >/dev/null; then
	python3 image.py "$heft" "$recorder" >shown 2>said
	is "an image of unknown base" "page True" "$(grep ^page shown)"
	is "one that begins anywhere" "odd True" "$(grep ^odd shown)"
	is "a PIE in an image of memory" 1 "$(grep -c '53.0Ki .* make waits.c:1 ' shown)"
fi
for sanitizer in address thread; do
	if ! cc -fsanitize=$sanitizer static.c -o sanitized 2>/dev/null; then
		left_out "programs with sanitizers" "cc -fsanitize=$sanitizer does not link"
		continue
	fi
	run ./sanitized 2>said
	is "a program with -fsanitize=$sanitizer" "2 1" "$? $(grep -c 'brings an allocator of its own' said)"
done
"$heft" heap show ./spike 2>said
is "a program is no dump" "2 1" "$? $(grep -c 'is a program or library; heft heap reads' said)"
if [ "$(id -u)" -eq 0 ]; then
	cp /bin/true other && chown 1 other && chmod u+s other
	run ./other 2>said
	is "with other rights" "2 1" "$? $(grep -c 'other rights' said)"
else
	left_out "programs with other rights" "needs root"
fi
# What no page used is a hole in the file, where the file system has holes.
truncate -s 1M hole
if [ "$(stat -c %b hole)" -eq 0 ]; then
	run -o holes.heap ls / >/dev/null 2>&1
	is "unused tails of pages are holes" 1 "$(stat -c '%b %B %s' holes.heap | awk '{ print $1 * $2 * 2 < $3 && $3 % 32768 == 0 }')"
	is "a recording with holes is read" 1 "$("$heft" heap show --json holes.heap | grep -c '"pid"')"
else
	left_out "holes in recordings" "the file system has none"
fi
run no-such-program 2>said
is "not found" "127 heft: no-such-program: No such file or directory" "$? $(cat said)"
echo text >text
run ./text 2>/dev/null
is "not executable" 126 $?
run -o no/such/folder/x true 2>/dev/null
is "no folder for the file" 2 $?
"$heft" heap run --recorder none.so true 2>/dev/null
is "no recorder" 2 $?
is "nothing was run" "" "$(run ./text 2>/dev/null)"
# The tables of a process that runs.
mkfifo in
LD_PRELOAD=$recorder HEFT_HEAP_OUT=living.heap sh -c 'read a; read b; ls / >/dev/null; read c' <in &
pid=$!
exec 3>in
echo a >&3
tries=0
while ! "$heft" heap show --pid $pid --json >living 2>said && [ $tries -lt 100 ]; do
	sleep 0.05
	tries=$((tries + 1))
done
if grep -q 'not allowed' said; then
	left_out "a process that runs" "other processes may not be looked at here"
else
	is "whose heap it is" 1 "$(grep -c "\"pid\": ${pid}[,}]" living)"
	is "nobody traces it" "TracerPid:	0" "$(grep TracerPid /proc/$pid/status)"
	"$heft" heap show --pid $pid living 2>said
	is "a process and a dump" "2 heft: --pid goes without a dump: living" "$? $(cat said)"
	"$heft" heap show --pid $$ 2>said
	is "a process without a recorder" "2 1" "$? $(grep -c "process $$: nothing in it records its heap" said)"
fi
exec 3>&-
wait $pid
"$heft" heap show --pid "$pid" 2>said
is "a process that ended" "2 heft: process $pid: No such process" "$? $(cat said)"
"$heft" heap show --pid 0 2>said
is "no process id" "2 heft: --pid: '0' is not a process id" "$? $(cat said)"
# A heft that the shell finds in $PATH looks for its recorder beside itself.
(cd / && PATH=$(dirname "$heft"):$PATH heft heap run -q -o "$dir/path.%p" true) 2>said
is "found in PATH" "0 1" "$? $(files 'path.*')"

# Functions of a stripped program have the names that heft size gives them, and are one row however often they call.
cat >stripped.c <<'EOF'
#include <stdlib.h>
__attribute__((noinline)) static void *twice(void)
{
	void *a = malloc(1000), *b = malloc(2000);
	return a < b ? a : b;
}
int main(void) { return twice() == NULL; }
EOF
cc -O1 -s stripped.c -o stripped && run -q --leaks -o bare.%p ./stripped
"$heft" heap show --json bare.* >shown
"$heft" size -d symbols --csv -n 0 stripped 2>said >sized
made=$(grep -o '"function": "sub_[0-9a-f]*".*stripped"' shown | cut -d'"' -f4 | sort -u)
is "names of stripped functions" yes "$([ -n "$made" ] && echo yes)"
is "the names of heft size" "$(echo "$made" | wc -l)" "$(for name in $made; do grep -c "^$name," sized; done | grep -c 1)"
finish 29
