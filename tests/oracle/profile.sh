#!/bin/sh
# Profiles of basic blocks: counts against those of a run traced instruction by instruction; samples
# against perf script; what heft writes, by the tools that read it.
# usage: profile.sh HEFT DUMP_PERF BRANCH_TRACE
set -u
LC_ALL=C
export LC_ALL
heft=$(realpath "$1") || exit 2
dump_perf=$(realpath "$2") || exit 2
branch_trace=$(realpath "$3") || exit 2
here=$(cd "$(dirname "$0")" && pwd)
clang=${CLANG:-clang-19}
bolt=${BOLT:-llvm-bolt-19}
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 2
passed=0
failed=0

for tool in "$clang" ld.lld-19 python3; do
	command -v "$tool" >/dev/null || { echo "SKIP: no $tool"; exit 77; }
done
[ "$(uname -m)" = x86_64 ] || { echo "SKIP: not x86-64"; exit 77; }

check() { # name, command...
	name=$1
	shift
	if "$@" >log 2>&1; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAILED: $name"
		sed 's/^/    /' log | head -n 20
	fi
}

build() { # output, flags...
	out=$1
	shift
	"$clang" -O2 -static-pie -fPIE -nostdlib -ffreestanding -fno-builtin -fuse-ld=lld \
		-Wl,--build-id -Wl,--no-dynamic-linker "$@" -o "$out" "$here/walker.c"
}

profile() { # format
	"$heft" blocks profile --perf walker.data walker --output-format "$1"
}

build walker -fbasic-block-address-map || { echo "SKIP: $clang does not build it"; exit 77; }
"$branch_trace" "$tmp/walker" walker.data counts 31 || exit 1
./walker
status=$?

# ---- counts ----

profile csv >walker.csv
python3 "$here/overlap.py" counts walker.csv 0.999 || failed=$((failed + 1))
"$heft" blocks profile --perf walker.data walker --output-format autofdo >autofdo
if command -v perf >/dev/null; then
	perf script --show-mmap-events -F ip,brstack -i walker.data >script 2>/dev/null
	"$heft" blocks profile --script script walker --output-format csv >script.csv
	check "text of perf script gives the same counts" cmp walker.csv script.csv
fi

# ---- samples ----

same_samples() { # file
	perf script -G --ns -F pid,tid,time,ip,brstack -i "$1" 2>/dev/null >raw ||
		perf script -G --ns -F pid,tid,time,ip -i "$1" 2>/dev/null >raw
	awk '{ line = $1 " " $2 " " $3
		for (i = 4; i <= NF; i++) { split($i, b, "/"); line = line " " b[1] "/" b[2] "/" b[3] }
		print line }' raw | sort >theirs
	"$dump_perf" "$1" | sort >ours
	[ -s theirs ] && diff theirs ours
}

record() { # name, options...
	file=$1.data
	shift
	perf record -o "$file" -e cpu-clock "$@" sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done' \
		>/dev/null 2>&1
}

if command -v perf >/dev/null; then
	check "samples with branches are those of perf script" same_samples walker.data
	if record plain; then
		check "samples are those of perf script" same_samples plain.data
		record packed -z && check "packed samples are those of perf script" same_samples packed.data
		record stacks -g && check "samples with stacks are those of perf script" same_samples stacks.data
		record ids --buildid-mmap && check "samples with ids are those of perf script" same_samples ids.data
		perf record -e cpu-clock -o - sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done' \
			>pipe.data 2>/dev/null && check "samples of a pipe are those of perf script" same_samples pipe.data
	else
		echo "skipped: perf record does not work here"
	fi
else
	echo "skipped: no perf"
fi

# ---- writers ----

# The program does what it did, and its hot and cold parts are apart.
laid_out() { # list
	build laid -fbasic-block-sections=list="$1" -Wl,--symbol-ordering-file=order \
		-Wl,--warn-symbol-ordering -Werror || return 1
	./laid
	[ $? -eq $status ] || return 1
	nm -n laid | awk '$3 == "sort" { hot = NR } $3 == "_start.cold" { cold = NR } $3 == "ways" { last = NR }
		END { exit !(hot && hot < last && last < cold) }'
}

profile symbol-order >order
for version in 0 1; do
	profile propeller-v$version >list$version
	check "clang and lld take propeller-v$version and symbol-order" laid_out list$version
done

bolted() {
	profile fdata >fdata
	build plain -Wl,--emit-relocs || return 1
	"$bolt" plain -data=fdata -reorder-blocks=ext-tsp -o bolted >bolt.log 2>&1 || return 1
	grep -E '5 out of 6 functions .* have non-empty execution profile' bolt.log || return 1
	! grep -i 'mismatch\|invalid\|ignored' bolt.log || return 1
	./bolted
	[ $? -eq $status ]
}
if command -v "$bolt" >/dev/null; then
	check "llvm-bolt takes fdata" bolted
else
	echo "skipped: no $bolt"
fi

known_to_autofdo() {
	build debug -g -gdwarf-4 || return 1
	create_gcov --binary=debug --profiler=text --profile=autofdo --gcov=out.gcov || return 1
	dump_gcov out.gcov >gcov
	for name in sort step ways next_random; do
		grep "$name" gcov || return 1
	done
}
if command -v create_gcov >/dev/null && command -v dump_gcov >/dev/null; then
	check "AutoFDO takes its text" known_to_autofdo
else
	echo "skipped: no create_gcov"
fi

echo "profile: $passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 2 ]
