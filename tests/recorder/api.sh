#!/bin/sh
# What programs rely on of malloc holds with the recorder in all its forms, preloaded and linked in.
# usage: tests/recorder/api.sh RECORDER ARCHIVE API CC SOURCE
recorder=$(realpath "$1") archive=$2 api=$3 cc=$4 source=$5
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
bad=0

# good NAME COMMAND...
good() {
	name=$1
	shift
	if ! text=$(timeout 100 env "$@" 2>&1) || [ "$text" != good ]; then
		echo "$name: $text"
		bad=1
	fi
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
for library in jemalloc.so.2 tcmalloc_minimal.so.4 mimalloc.so.2; do
	for folder in /usr/lib/*-linux-gnu /usr/lib64; do
		[ -e "$folder/lib$library" ] || continue
		good "$library" LD_PRELOAD="$recorder $folder/lib$library" "$api" foreign
		good "$library sampled" LD_PRELOAD="$recorder $folder/lib$library" HEFT_HEAP_SAMPLE=10000 "$api" \
			foreign
	done
done

wrap=
for f in malloc free calloc realloc reallocarray memalign aligned_alloc posix_memalign valloc pvalloc \
	malloc_usable_size; do
	wrap="$wrap -Wl,--wrap=$f"
done
for link in "" -static -static-pie; do
	# shellcheck disable=SC2086 # words
	"$cc" -fno-builtin -O1 $link "$source" "$archive" $wrap -lpthread -o "$dir/api" 2>/dev/null || {
		echo "cannot link with '$link'; skipped"
		continue
	}
	good "linked in, $link" HEFT_HEAP_OUT="$dir/out" "$dir/api"
	[ -s "$dir/out" ] || { echo "linked in, $link: recorded nothing"; bad=1; }
	rm -f "$dir/out"
done
exit $bad
