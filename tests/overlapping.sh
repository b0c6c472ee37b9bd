#!/bin/sh
# Files whose contents overlap cost what files of their size cost: heft answers within limits of memory and
# processor time that sections times entries exceed by far.
# usage: tests/overlapping.sh HEFT
# shellcheck source=tests/lib/test.sh
. "$(dirname "$0")/lib/test.sh"
heft=$1
folder=$(cd "$(dirname "$0")" && pwd)/fixtures
need python3 python3
scratch
must python3 "$folder/overlapping.py" "$tmp"

# answers FILE COMMAND...: status 0 with output, in 20 seconds of a processor and 1.5 GB of addresses.
answers() {
	file=$1
	shift
	if (
		# shellcheck disable=SC3045 # every shell that tests are run by has these
		ulimit -t 20 || exit 2
		# shellcheck disable=SC3045
		ulimit -v 1500000 || exit 2
		"$heft" "$@" "$tmp/$file" >"$tmp/out" 2>"$tmp/said"
	) && [ -s "$tmp/out" ]; then
		pass
	else
		fail "heft $* $file"
		head -n 5 "$tmp/said"
	fi
}

for file in rela relr symtab init_array verneed eh_frame strings text names cxx_names; do
	answers $file size -d symbols
	answers $file snapshot --stats
done
answers text blocks
for file in core_notes core_loads; do
	answers $file size -d symbols
	answers $file heap show
done
finish 25
