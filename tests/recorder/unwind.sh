#!/bin/sh
# The recorder's stacks against those of libgcc's unwinder, on programs built by gcc and clang, with and
# without frame pointers, and on what the system has.
# usage: tests/recorder/unwind.sh VERIFY    VERIFY: the recorder with verify.c
verify=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/lib/test.sh
. "$here/../lib/test.sh"
scratch
dir=$tmp
total=0

# compared NAME LEAST: there were results, at least LEAST stacks, and no difference.
compared() {
	if ! [ -s "$dir/out" ]; then
		fail "$1: no result"
		return
	fi
	checked=$(sed -n 's/.*checked \([0-9]*\) different.*/\1/p' "$dir/out" | awk '{ n += $1 } END { print n + 0 }')
	total=$((total + checked))
	if grep -q 'different [1-9]' "$dir/out" || [ "$checked" -lt "$2" ]; then
		fail "$1:"
		head -n 12 "$dir/out"
	else
		pass
	fi
	rm -f "$dir/out"
}

under() {
	HEFT_HEAP_UNWIND=tables HEFT_HEAP_CHECK=1 HEFT_VERIFY_OUT=$dir/out LD_PRELOAD=$verify "$@" </dev/null
}

export HEFT_VERIFY_EACH=7
for cc in "gcc g++ g++" "clang-19 clang++-19 clang-19"; do
	# shellcheck disable=SC2086 # two compilers and their package
	set -- $cc
	has "$1" "$3" "code of $1" && has "$2" "$3" "code of $2" || continue
	set -- "$1" "$2"
	for flags in "-O0" "-O2" "-O2 -fno-omit-frame-pointer" "-Os -mavx2"; do
		# shellcheck disable=SC2086
		"$1" $flags -fno-builtin -shared -fPIC -o "$dir/one.so" "$here/library.c" &&
			"$1" $flags -fno-builtin -DWORDS=200 -shared -fPIC -o "$dir/two.so" "$here/library.c" &&
			"$2" -std=c++17 $flags -g -o "$dir/stacks" "$here/stacks.cc" -ldl -lpthread || exit 1
		if [ "$(under "$dir/stacks" 800 "$dir/one.so" "$dir/two.so")" != "done" ]; then
			fail "$* $flags: did not get to its end"
		fi
		compared "$* $flags" 1000
	done
done

export HEFT_VERIFY_EACH=101
if has git git "stacks of git"; then
	under git --version >/dev/null 2>&1 && under git -C "$here" log --stat -n 200 >/dev/null 2>&1
	compared git 1
fi
PYTHONMALLOC=malloc under python3 -c 'import json, re
t = json.dumps([[i, str(i)] for i in range(20000)])
print(len(json.loads(t)), len(re.findall("9+", t)))' >/dev/null
compared python3 100
if has sqlite3 sqlite3 "stacks of sqlite3"; then
	under sqlite3 :memory: "with recursive c(x) as (select 1 union all select x + 1 from c
		where x < 30000) select count(distinct printf('%d', x * 7 % 1000)) from c" >/dev/null
	compared sqlite3 10
fi
if has clang-19 clang-19 "stacks of clang"; then
	under clang-19 -x c++ -std=c++17 -O1 -c "$here/stacks.cc" -o "$dir/x.o"
	compared clang-19 1000
fi
if has gdb gdb "stacks of gdb"; then
	under gdb -nx -batch -ex 'info functions take' "$dir/stacks" >/dev/null 2>&1
	compared gdb 10
fi
echo "$total stacks compared"
finish 5
