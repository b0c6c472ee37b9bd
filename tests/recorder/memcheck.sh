#!/bin/sh
# The recorder under valgrind's memcheck.  Both replace malloc, so it is the form that is linked in.
# usage: tests/recorder/memcheck.sh ARCHIVE CC
archive=$(realpath "$1")
cc=$2
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/lib/test.sh
. "$here/../lib/test.sh"
need valgrind valgrind
scratch
dir=$tmp
option=
wrap=
for f in malloc free calloc realloc reallocarray memalign aligned_alloc posix_memalign valloc pvalloc \
	malloc_usable_size; do
	wrap="$wrap -Wl,--wrap=$f"
done

# checked NAME WORDS...: the program ends as it should, without an error.
checked() {
	name=$1
	shift
	# shellcheck disable=SC2086 # words
	"$cc" -g -O1 -w -D_GNU_SOURCE -fno-builtin "$here/$name.c" "$archive" $wrap -lpthread -ldl -o "$dir/$name" || exit 1
	HEFT_HEAP_OUT="$dir/out.%p" valgrind -q --error-exitcode=99 --suppressions="$here/valgrind.supp" \
		--log-file="$dir/log.%p" "$dir/$name" "$@" >"$dir/said" 2>&1
	status=$?
	# memory_readable() gives a first argument that no kernel knows.
	cat "$dir"/log.* | grep -v "sigprocmask: unknown 'how' field" >"$dir/log"
	if [ $status -eq 0 ] && [ ! -s "$dir/log" ] && [ -s "$dir/said" ]; then
		pass
	else
		fail "$name $* $option: status $status"
		tail -n 3 "$dir/said"
		head -n 40 "$dir/log"
	fi
	rm -f "$dir"/log.* "$dir"/out.*
}

checked api
checked truth 1 3000 1
checked truth 2 2000 4
for option in HEFT_HEAP_WIDE=1 HEFT_HEAP_CANARY=1 HEFT_HEAP_STACKS=inline HEFT_HEAP_SAMPLE=1000; do
	export "${option?}"
	checked truth 3 1000 1
	unset "${option%%=*}"
done
finish 7
