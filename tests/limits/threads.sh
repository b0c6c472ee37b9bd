#!/bin/sh
# The number of threads never shows in the output.
# usage: tests/limits/threads.sh HEFT FILE...
# shellcheck source=tests/lib/test.sh
. "$(dirname "$0")/../lib/test.sh"
scratch
heft=$1
shift

# same FILE THREADS OPTION...: as with one thread, a report of at least two lines.
same() {
	file=$1 threads=$2
	shift 2
	"$heft" "$@" -n 0 --threads 1 "$file" >"$tmp/one" 2>&1 &&
		"$heft" "$@" -n 0 --threads "$threads" "$file" >"$tmp/many" 2>&1 &&
		[ "$(wc -l <"$tmp/one")" -gt 1 ] && cmp "$tmp/one" "$tmp/many"
}

for file in "$@"; do
	for sources in compileunits inlines,sourcefiles directories,inlinestacks namespaces,compileunits; do
		check "$file $sources, 5 threads" same "$file" 5 -d $sources --csv
	done
	for form in --csv --json --raw-map; do
		for n in 2 3 8; do
			check "$file $form, $n threads" same "$file" $n -d sections,symbols $form
		done
	done
done
finish 12
