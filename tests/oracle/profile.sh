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
# shellcheck source=tests/lib/test.sh
. "$here/../lib/test.sh"
need_x86_64
need "$clang" clang-19 ld.lld-19 lld-19 python3 python3
scratch
cd "$tmp" || exit 2

build() { # output, flags...
	out=$1
	shift
	"$clang" -O2 -static-pie -fPIE -nostdlib -ffreestanding -fno-builtin -fuse-ld=lld \
		-Wl,--build-id -Wl,--no-dynamic-linker "$@" -o "$out" "$here/walker.c"
}

profile() { # format
	"$heft" blocks profile --perf walker.data walker --format "$1"
}

must build walker -fbasic-block-address-map
"$branch_trace" "$tmp/walker" walker.data counts 31 || exit 1
./walker
status=$?

# ---- counts ----

profile csv >walker.csv
check "counts are those of the traced run" python3 "$here/overlap.py" counts walker.csv 0.999
"$heft" blocks profile --perf walker.data walker --format autofdo >autofdo
if has perf linux-perf "text of perf script"; then
	perf script --show-mmap-events -F ip,brstack -i walker.data >script 2>/dev/null
	"$heft" blocks profile --script script walker --format csv >script.csv
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

if has perf linux-perf "samples of perf record"; then
	check "samples with branches are those of perf script" same_samples walker.data
	if record plain; then
		check "samples are those of perf script" same_samples plain.data
		for how in "packed -z" "stacks -g" "ids --buildid-mmap"; do
			# shellcheck disable=SC2086 # a name and an option
			if record $how; then
				check "samples of perf record $how are those of perf script" same_samples "${how%% *}.data"
			else
				left_out "samples of perf record ${how#* }" "this perf has no such option"
			fi
		done
		must sh -c "perf record -e cpu-clock -o - sh -c 'i=0; while [ \$i -lt 100000 ]; do i=\$((i + 1)); done' >pipe.data"
		check "samples of a pipe are those of perf script" same_samples pipe.data
	else
		left_out "samples of perf record" "it does not work here"
	fi
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
profile propeller >list
check "clang and lld take propeller and symbol-order" laid_out list


known_to_autofdo() {
	build debug -g -gdwarf-4 || return 1
	create_gcov --binary=debug --profiler=text --profile=autofdo --gcov=out.gcov || return 1
	dump_gcov out.gcov >gcov
	for name in sort step ways next_random; do
		grep "$name" gcov || return 1
	done
}
! has create_gcov autofdo "text for AutoFDO" || check "AutoFDO takes its text" known_to_autofdo
finish 2
