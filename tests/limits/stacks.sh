#!/bin/sh
# Names nested as deep as they are demangled overflow no stack, whatever `ulimit -s` says.
# usage: tests/limits/stacks.sh HEFT
# shellcheck source=tests/lib/test.sh
. "$(dirname "$0")/../lib/test.sh"
heft=$1
need cc gcc
scratch

# nested COUNT: an object file with so many functions _ZZZZ..., 8,192 bytes each.
nested() {
	awk -v count="$1" 'BEGIN {
		deep = "Z"
		while (length(deep) < 8185)
			deep = deep deep
		deep = substr(deep, 1, 8185)
		for (i = 0; i < count; i++)
			printf ".globl _%s%06d\n_%s%06d: .byte 0\n", deep, i, deep, i
	}' >"$tmp/$1.s"
	must cc -c "$tmp/$1.s" -o "$tmp/$1.o"
}

# measured STACK OPTION...: heft answers, with one row and the sum of the others.
measured() {
	if (
		# shellcheck disable=SC3045 # every shell that tests are run by has ulimit -s
		ulimit -s "$1" || exit 2
		shift
		"$heft" size -d symbols -n 1 "$@" >"$tmp/out" 2>"$tmp/said"
	) && grep -q "Others" "$tmp/out"; then
		pass
	else
		fail "$*"
		head -n 5 "$tmp/said"
	fi
}

nested 60
nested 3100
measured 1024 "$tmp/60.o"
measured 1024 --threads=2 "$tmp/60.o"
measured unlimited --threads=4 "$tmp/3100.o"
finish 3
