#!/bin/sh
# What programs rely on of malloc holds with the recorder in all its forms, preloaded and linked in.
# usage: tests/recorder/api.sh RECORDER ARCHIVE API CC SOURCE
# shellcheck source=tests/lib/test.sh
. "$(dirname "$0")/../lib/test.sh"
scratch
recorder=$(realpath "$1") archive=$2 api=$3 cc=$4 source=$5

# good NAME COMMAND...
good() {
	name=$1
	shift
	said=$(timeout 100 env "$@" 2>&1)
	is "$name" "0 good" "$? $said"
}

good plain "$api"
for form in HEFT_HEAP=on HEFT_HEAP=off HEFT_HEAP_CHECK=1 HEFT_HEAP_WIDE=1 HEFT_HEAP_CANARY=1 \
	HEFT_HEAP_STACKS=inline "HEFT_HEAP_STACKS=inline HEFT_HEAP_DEPTH=100 HEFT_HEAP_WIDE=1 HEFT_HEAP_CANARY=1" \
	HEFT_HEAP_SAMPLE=16 "HEFT_HEAP_SAMPLE=16 HEFT_HEAP_WIDE=1" "HEFT_HEAP_SAMPLE=16 HEFT_HEAP_CANARY=1" \
	"HEFT_HEAP_SAMPLE=16 HEFT_HEAP_STACKS=inline HEFT_HEAP_WIDE=1" HEFT_HEAP_SAMPLE=300 HEFT_HEAP_SAMPLE=64K \
	HEFT_HEAP_DEPTH=3 HEFT_HEAP_UNWIND=fp; do
	# shellcheck disable=SC2086 # words
	good "$form" LD_PRELOAD="$recorder" $form "$api"
done
for library in jemalloc.so.2:libjemalloc2 tcmalloc_minimal.so.4:libtcmalloc-minimal4 mimalloc.so.2:libmimalloc2.0; do
	path=$(find /usr/lib /usr/lib64 -maxdepth 2 -name "lib${library%:*}" 2>/dev/null | head -n 1)
	if [ -z "$path" ]; then
		left_out "the recorder above another allocator" "no lib${library%:*}" "${library#*:}"
		continue
	fi
	good "$library" LD_PRELOAD="$recorder $path" "$api" foreign
	good "$library sampled" LD_PRELOAD="$recorder $path" HEFT_HEAP_SAMPLE=10000 "$api" foreign
done

wrap=
for f in malloc free calloc realloc reallocarray memalign aligned_alloc posix_memalign valloc pvalloc \
	malloc_usable_size; do
	wrap="$wrap -Wl,--wrap=$f"
done
for link in "" -static -static-pie; do
	# shellcheck disable=SC2086 # words
	must "$cc" -fno-builtin -O1 $link "$source" "$archive" $wrap -lpthread -o "$tmp/api"
	good "linked in, $link" HEFT_HEAP_OUT="$tmp/out" "$tmp/api"
	check "linked in, $link: recorded" test -s "$tmp/out"
	rm -f "$tmp/out"
done
finish 18
