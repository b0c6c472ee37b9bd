#!/bin/sh
# Larger programs do the same with the recorder as without it: compilers, databases under load, Python's own
# tests, threads that do everything at once, other allocators below.
# usage: [FULL=1] tests/recorder/workloads.sh RECORDER     FULL: more and longer ones (minutes)
recorder=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/lib/test.sh
. "$here/../lib/test.sh"
scratch
dir=$tmp
below=''
# shellcheck source=tests/recorder/lib.sh
. "$here/lib.sh"
chmod 755 "$dir"
export PYTHONMALLOC=malloc PYTHONHASHSEED=1 PYTHONDONTWRITEBYTECODE=1

# pick A B: A, or with FULL the longer B.
pick() {
	if [ -n "$FULL" ]; then echo "$2"; else echo "$1"; fi
}

# ---- threads that do everything ---------------------------------------------------------------------
must g++ -std=c++17 -O1 -g "$here/mixed.cc" -o "$dir/mixed" -lpthread -ldl
same mixed "" 6 "$dir/mixed" "$(pick 10 60)"
for library in jemalloc.so.2:libjemalloc2 tcmalloc_minimal.so.4:libtcmalloc-minimal4 mimalloc.so.2:libmimalloc2.0; do
	package=${library#*:} library=${library%:*}
	path=$(find /usr/lib -name "lib$library" 2>/dev/null | head -n 1)
	if [ -z "$path" ]; then
		left_out "threads above another allocator" "no lib$library" "$package"
		continue
	fi
	below=$path
	same "mixed-over-$library" "" 6 "$dir/mixed" "$(pick 4 20)"
	below=
	must g++ -std=c++17 -O1 "$here/mixed.cc" -o "$dir/mixed-linked" -Wl,--no-as-needed "$path" -lpthread -ldl
	same "mixed-linked-to-$library" "" 6 "$dir/mixed-linked" "$(pick 4 20)"
done

# ---- Python's own tests -----------------------------------------------------------------------------
python=$(python3 -c 'import sys, test.libregrtest; print(sys.executable)' 2>/dev/null)
if [ -z "$python" ]; then
	left_out "Python's own tests recorded" "they are not installed" libpython3-testsuite
else
	# Times, temporary names and the load of the machine differ.
	filter='/^0:0|^Total duration|^[0-9.]+ (sec|min)|^ *$|load avg|^Using random seed|^== |^test_.* (passed|slow)/d; s/( in)? [0-9.]+ (min|sec|ms)( [0-9.]+ sec)?//g'
	for t in $(pick "test_gc test_json test_dict test_thread test_memoryview test_fork1" \
		"test_gc test_json test_dict test_thread test_memoryview test_fork1 test_list test_bytes test_re
		test_threading test_subprocess test_ctypes test_mmap test_signal test_threadedtempfile
		test_sqlite3 test_zlib test_bz2 test_lzma
		test_decimal test_weakref test_pickle test_exceptions test_generators"); do
		same "python-$t" python3 0 "$python" -m test -q "$t"
	done
	filter=$no_filter
fi

# ---- git, sqlite, compilers, gdb --------------------------------------------------------------------
# shellcheck disable=SC2016
! has git git "git recorded" || same git git 0 sh -c 'git init -q . && git config user.name a && git config user.email a@b && git config gc.auto 0
	export GIT_AUTHOR_DATE="2020-01-01T00:00:00+0000" GIT_COMMITTER_DATE="2020-01-01T00:00:00+0000"
	for i in $(seq 1 $1); do seq $i 2000 >file$((i % 5)); git add . && git commit -q -m "change $i"; done
	git checkout -q -b other HEAD~5 && echo x >y && git add y && git commit -q -m other
	git rebase -q - 2>/dev/null || git rebase -q master; git log --stat | cat; git blame file1 | cat; git gc -q
	git clone -q . copy && git -C copy log --oneline | wc -l; git fsck; git grep -c 19 | cat
	git rev-parse HEAD; rm -rf .git copy' sh "$(pick 10 100)"
same sqlite sqlite3 1 sqlite3 :memory: "create table t(a integer primary key, b, c); with recursive x(i) as (select 1 union
	all select i + 1 from x where i < $(pick 30000 400000)) insert into t select i, printf('%08d', i * 7919 %
	100019), hex(zeroblob(i % 50)) from x; create index i1 on t(b); create index i2 on t(c, b);
	select count(*), min(b), max(b), sum(length(c)) from t where b > '00010000'; update t set c = c || 'x' where a %
	3 = 0; delete from t where a % 5 = 1; select count(*), sum(length(c)) from t; vacuum; pragma integrity_check;
	select b, count(*) over (order by b rows 5 preceding) from t order by b desc limit 5; nonsense;"
for cc in clang++-19:clang-19 g++:g++; do
	package=${cc#*:} cc=${cc%:*}
	for flags in $(pick -O2 "-O0 -O2 -O3 -g"); do
		# -fno-ident and a fixed seed: objects must be the same to the byte.
		same "$cc$flags" "$package" 0 "$cc" -std=c++17 "$flags" -ffile-prefix-map="$dir=." -frandom-seed=1 -c \
			"$here/mixed.cc" -o mixed.o
	done
done
# Process ids, addresses and libraries differ.
filter='/warning: |libthread_db|Thread 0x|New (Thread|LWP)|process [0-9]/d; s/0x[0-9a-f]+/ADDR/g'
same gdb gdb 0 gdb -nx -batch -ex 'set debuginfod enabled off' -ex 'break allocate' -ex run -ex 'bt 3' -ex 'info locals' \
	-ex 'print sizeof(std::map<int, int>)' -ex 'ptype std::string' -ex 'info line work' -ex kill "$dir/mixed"
filter=$no_filter

# ---- servers under load: each has its own folder and socket, nothing else is reachable -------------------
# shellcheck disable=SC2016
! has redis-server redis-server "redis recorded" || same redis redis-server 0 sh -c '
	redis-server --port 0 --unixsocket "$PWD/s" --save "" --dir "$PWD" --dbfilename d.rdb --daemonize no --io-threads 2 \
		>log 2>&1 &
	for i in 1 2 3 4 5 6 7 8 9 10; do [ -S s ] && redis-cli -s s ping && break; sleep 0.3; done
	[ -S s ] || exit 3
	redis-benchmark -s s -n "$1" -c 20 -d 200 -t set,get,lpush,lpop,sadd,hset,zadd,mset -q >/dev/null
	echo $?; redis-cli -s s flushall
	seq 1 2000 | sed "s/.*/set k& value&/" | redis-cli -s s | sort | uniq -c
	redis-cli -s s eval "local n = 0 for i = 1, 2000 do n = n + #redis.call(\"get\", \"k\" .. i) end return n" 0
	redis-cli -s s bgsave; while redis-cli -s s info persistence | grep -q bgsave_in_progress:1; do sleep 0.1; done
	redis-cli -s s info persistence | grep -E "last_bgsave_status"; redis-cli -s s dbsize
	redis-cli -s s shutdown nosave; wait $!; echo "ended $?"; rm -f s log d.rdb' sh "$(pick 3000 50000)"
PATH=$PATH:$(find /usr/lib/postgresql -name bin 2>/dev/null | sort | tail -n 1)
if has initdb postgresql "PostgreSQL recorded"; then
	as=
	[ "$(id -u)" -ne 0 ] || as='runuser -u nobody --' # it does not run as root
	filter='/^(latency|tps|initial|pgbench|number of failed|progress)|seconds|^waiting|generating|creating|vacuuming/d'
	mkdir -p "$dir/open"
	chmod 777 "$dir/open"
	# shellcheck disable=SC2016,SC2086
	same postgres postgresql 0 sh -c 'base=$(mktemp -d "$1/XXXXXX") && chmod 777 "$base" || exit 2
		$3 env LD_PRELOAD= initdb -D "$base/db" -U me --no-sync >/dev/null 2>&1 || exit 2
		$3 pg_ctl -D "$base/db" -w -t 60 -l "$base/log" -o "-c listen_addresses= -k $base -c fsync=off" start >/dev/null
		echo "started $?"; [ -S "$base/.s.PGSQL.5432" ] || exit 3; export PGHOST=$base PGUSER=me PGDATABASE=postgres
		pgbench -i -s 1 -q 2>/dev/null; pgbench -n -c 4 -j 2 -t "$2" 2>&1 | grep processed
		psql -Atc "select count(*), sum(aid) from pgbench_accounts" -c "select count(*) from pgbench_history" \
			-c "create table t as select i, md5(i::text) m from generate_series(1, 20000) i" \
			-c "select count(distinct substr(m, 1, 3)), max(m) from t where m ~ \$\$^[a-f]+[0-9]\$\$" -c "nonsense"
		$3 pg_ctl -D "$base/db" -m fast -w stop >/dev/null; echo "stopped $?"; grep -cE "PANIC|signal" "$base/log"
		rm -rf "$base"' sh "$dir/open" "$(pick 50 2000)" "$as"
	filter=$no_filter
fi
finish 6
