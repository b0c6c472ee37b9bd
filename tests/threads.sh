#!/bin/sh
# The number of threads never shows in the output.
# usage: tests/threads.sh HEFT FILE...
heft=$1
shift
for file in "$@"; do
	for sources in inlines,sourcefiles directories,inlinestacks namespaces,compileunits; do
		one=$("$heft" -d $sources -n 0 --csv --threads 1 "$file" 2>&1) || exit 1
		many=$("$heft" -d $sources -n 0 --csv --threads 5 "$file" 2>&1) || exit 1
		[ "$one" = "$many" ] || { echo "$file $sources: 5 threads differ from 1" && exit 1; }
	done
	for form in --csv --json --raw-map; do
		one=$("$heft" -d sections,symbols -n 0 $form --threads 1 "$file" 2>&1) || exit 1
		for n in 2 3 8; do
			many=$("$heft" -d sections,symbols -n 0 $form --threads $n "$file" 2>&1) || exit 1
			[ "$one" = "$many" ] || { echo "$file $form: $n threads differ from 1" && exit 1; }
		done
	done
done
