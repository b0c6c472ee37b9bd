#!/bin/sh
# Fails for a C file of over 900 lines or a function of over 70.  Relies on the layout that
# clang-format gives: a function's braces stand alone in column 1.
cd "$(dirname "$0")/.." || exit 2
find . -name '*.[ch]' -not -path './build*' | sort | {
	bad=0
	while read -r file; do
		awk -v file="$file" '
		/^\{$/ { start = NR }
		/^\}$/ && start {
			if (NR - start - 1 > 70) {
				printf "%s:%d: function of %d lines (at most 70)\n", file, start, NR - start - 1
				bad = 1
			}
			start = 0
		}
		END {
			if (NR > 900) {
				printf "%s: %d lines (at most 900)\n", file, NR
				bad = 1
			}
			exit bad
		}' "$file" || bad=1
	done
	exit $bad
}
