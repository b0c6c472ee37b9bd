#!/bin/sh
# Basic blocks of what llvm-bolt wrote: maps carried to the new code by its tables, held against that code; counts by
# the compiler's numbers against those of the input; profiles for the input against perf2bolt's.
# usage: bolt.sh HEFT BRANCH_TRACE
set -u
LC_ALL=C
export LC_ALL
heft=$(realpath "$1") || exit 2
branch_trace=$(realpath "$2") || exit 2
here=$(cd "$(dirname "$0")" && pwd)
clang=${CLANG:-clang-19}
bolt=${BOLT:-llvm-bolt-19}
# It looks at the name it is called by.
perf2bolt=${PERF2BOLT:-/usr/lib/llvm-19/bin/perf2bolt}
# shellcheck source=tests/lib/test.sh
. "$here/../lib/test.sh"
need_x86_64
need "$clang" clang-19 ld.lld-19 lld-19 python3 python3 "$bolt" bolt-19
scratch
cd "$tmp" || exit 2

run_bolt() { # input, output, options...
	in=$1
	out=$2
	shift 2
	"$bolt" "$in" -o "$out" --enable-bat "$@" >bolt.log 2>&1 || { cat bolt.log; return 1; }
}

# Everything that was moved has its place, and the map is true to the code there.
is_placed() { # file, options...
	"$heft" blocks check "$@" >found || { cat found; return 1; }
	grep '^re-based .* 0 could not be placed$' found
}

# What is written as the map of the output is right without being carried once more.
is_written() { # file
	"$heft" blocks emit "$1" --replace -o written && "$heft" blocks check written >found &&
		! grep re-based found && llvm-readobj-19 --bb-addr-map written >/dev/null
}

# ---- a program whose every branch is known ----

must "$clang" -O2 -static -fno-pie -nostdlib -ffreestanding -fno-builtin -fuse-ld=lld -Wl,--build-id \
	-Wl,-z,separate-code -Wl,--emit-relocs -fbasic-block-address-map -ffunction-sections \
	-o walker "$here/walker.c"
./walker
status=$?
"$branch_trace" "$tmp/walker" walker.data walker.counts 31 >/dev/null || exit 1
"$heft" blocks profile --perf walker.data walker --output-format fdata -o walker.fdata || exit 1
layout="-reorder-blocks=ext-tsp -reorder-functions=hfsort -split-functions -split-all-cold"
# shellcheck disable=SC2086
run_bolt walker bolted -data=walker.fdata $layout || exit 1
./bolted
[ $? -eq $status ] || { echo "llvm-bolt broke it"; exit 1; }
"$branch_trace" "$tmp/bolted" bolted.data bolted.counts 31 >/dev/null || exit 1

check "the map is carried by tables and code" is_placed bolted
check "the map is carried by the input's symbols" is_placed bolted --bolt-input walker
check "the map of the output is written" is_written bolted

same_counts() {
	"$heft" blocks profile --perf walker.data walker --output-format csv -o walker.csv &&
		"$heft" blocks profile --perf bolted.data bolted --output-format csv -o bolted.csv &&
		python3 "$here/bolt.py" counts walker.csv bolted.csv
}
check "blocks count as in the input" same_counts

"$heft" blocks profile --perf bolted.data bolted --output-format fdata -o back.fdata || exit 1
is_taken() {
	"$bolt" walker -o again -data=back.fdata -reorder-blocks=ext-tsp >bolt.log 2>&1 &&
		grep -E '5 out of 6 functions .* have non-empty execution profile' bolt.log &&
		! grep -i 'stale\|invalid\|mismatch' bolt.log
}
check "llvm-bolt takes the profile for its input" is_taken

if has "$perf2bolt" bolt-19 "profiles of perf2bolt" && has perf linux-perf "profiles of perf2bolt"; then
	must "$perf2bolt" -p bolted.data bolted -o theirs.fdata
	check "branches are those of perf2bolt" python3 "$here/bolt.py" edges back.fdata theirs.fdata
fi

same_code() {
	"$heft" blocks profile --perf walker.data walker --output-format autofdo -o walker.afdo &&
		"$heft" blocks profile --perf bolted.data bolted --output-format autofdo -o back.afdo &&
		python3 "$here/bolt.py" runs walker.afdo back.afdo
}
check "runs of code are those of the input" same_code

# ---- exceptions, jump tables, shared objects ----

must "$clang" -x c++ -O2 -fbasic-block-address-map -ffunction-sections -fuse-ld=lld -Wl,--build-id \
	-Wl,--emit-relocs "$here/bolt.cc" -o thrower -lstdc++
must "$clang" -x c++ -O2 -fbasic-block-address-map -ffunction-sections -fuse-ld=lld \
	"$here/bolt.cc" -o stayer -lstdc++
./thrower >want && [ -s want ] || exit 1
for built in thrower stayer; do
	# Every second block was seen.
	"$heft" blocks "$built" --csv | awk -F, 'NR > 1 && NR % 2 { printf "%x 9\n", $7 }' >seen
	"$heft" blocks profile "$built" --addresses seen --output-format fdata -o "$built.fdata" || exit 1
done
try() { # name, input, options...
	name=$1
	in=$2
	shift 2
	check "$name: llvm-bolt" run_bolt "$in" out -data="$in.fdata" "$@" || return
	./out >have 2>&1
	check "$name: it runs" cmp have want
	check "$name: the map is carried" is_placed out --bolt-input "$in"
	check "$name: the map is written" is_written out
}
# shellcheck disable=SC2086
try "split exceptions" thrower $layout -split-eh
# shellcheck disable=SC2086
try "everything moved, folded, inlined" thrower $layout -lite=0 -icf -inline-small-functions -peepholes=all
try "moved whole" thrower -reorder-functions=hfsort
try "in place" stayer -reorder-blocks=ext-tsp
try "in place, split" stayer -reorder-blocks=ext-tsp -split-functions -split-all-cold

finish 24
