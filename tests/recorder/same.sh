#!/bin/sh
# Programs do the same with the recorder as without it: output, messages, exit status, files.
# usage: tests/recorder/same.sh RECORDER
recorder=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/lib/test.sh
. "$here/../lib/test.sh"
scratch
dir=$tmp
below=''
# shellcheck source=tests/recorder/lib.sh
. "$here/lib.sh"

export PYTHONMALLOC=malloc PYTHONHASHSEED=1
same shell dash 3 sh -c 'for i in 1 2 3 4 5; do echo $(echo $i | sed s/1/2/); done; exit 3'
same python python3 5 python3 -c '
import json, os, re, subprocess, sys, threading, zlib
t = json.dumps([[i, str(i) * 3] for i in range(10000)])
print(len(json.loads(t)), len(re.findall("9+", t)), zlib.crc32(zlib.compress(t.encode())))
def f(out): out.append(sum(len(str(i)) for i in range(20000)))
out = []
threads = [threading.Thread(target=f, args=(out,)) for _ in range(8)]
[x.start() for x in threads]
[x.join() for x in threads]
print(out)
for i in range(5):
	print(subprocess.run(["sh", "-c", "exit %d" % i]).returncode)
pid = os.fork()
if pid == 0:
	out = ["child"] * 1000
	os._exit(len(out) % 100 + 4)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
try:
	bytearray(1 << 62)
except MemoryError:
	print("no memory")
sys.exit(5)'
same sqlite sqlite3 1 sqlite3 :memory: "create table t(a, b); with recursive c(x) as (select 1 union all
	select x + 1 from c where x < 20000) insert into t select x, printf('%08d', x * 7919 % 20011) from c;
	create index i on t(b); select count(*), min(b), max(b), sum(a) from t where b > '00010000';
	select group_concat(b) from (select b from t order by b limit 20); nonsense;"
# shellcheck disable=SC2016
if has git git "git recorded"; then
	same git git 0 sh -c 'git init -q . && for i in 1 2 3 4 5 6 7 8; do seq $i 3000 >file && git add file &&
	GIT_AUTHOR_DATE="2020-01-01T00:00:0$i+0000" GIT_COMMITTER_DATE="2020-01-01T00:00:0$i+0000" git \
	-c user.name=a -c user.email=a@b commit -q -m "change $i"; done
	git log --stat -p | cat; git repack -adq; git fsck; git status --short; rm -rf .git'
fi
for cc in clang++-19:clang-19 g++:g++; do
	package=${cc#*:} cc=${cc%:*}
	same "$cc" "$package" 0 "$cc" -std=c++17 -O2 -ffile-prefix-map="$dir=." -c "$here/stacks.cc" -o stacks.o
done
same gdb gdb 0 gdb -nx -batch -ex 'info line malloc' -ex 'info functions malloc' "$recorder"
same perl perl 255 perl -e 'my %h; $h{$_ * 3 % 1009} .= $_ for 1 .. 50000;
	print join(",", map { length $h{$_} } sort keys %h), "\n"; print `echo back`; die "so\n"'
finish 4
