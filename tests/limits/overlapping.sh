#!/bin/sh
# Files whose contents overlap, or that have thousands of tables, cost what files of their size cost: heft
# answers within limits of memory and processor time that sections times entries exceed by far.
# usage: tests/limits/overlapping.sh HEFT
# shellcheck source=tests/lib/test.sh
. "$(dirname "$0")/../lib/test.sh"
heft=$1
folder=$(cd "$(dirname "$0")" && pwd)/../fixtures
need python3 python3
scratch
must python3 "$folder/overlapping.py" "$tmp"

# AddressSanitizer reserves terabytes of addresses.  Under it the limit is for resident memory, and all is slower.
seconds=10 addresses=1500000
# shellcheck disable=SC3045 # every shell that tests are run by has these
if ! (ulimit -v $addresses && exec "$heft" --version) >/dev/null 2>&1; then
	must "$heft" --version >/dev/null
	seconds=100 addresses=unlimited
	export ASAN_OPTIONS="$ASAN_OPTIONS:hard_rss_limit_mb=3000"
fi

# answers FILE COMMAND...: status 0 ($wanted) with output, within these limits of a processor and of memory.
answers() {
	file=$1
	shift
	if (
		# shellcheck disable=SC3045 # every shell that tests are run by has these
		ulimit -t $seconds || exit 2
		# shellcheck disable=SC3045
		ulimit -v $addresses || exit 2
		"$heft" "$@" "$tmp/$file" >"$tmp/out" 2>"$tmp/said"
		[ $? -eq "${wanted:-0}" ]
	) && [ -s "$tmp/out" ]; then
		pass
	else
		fail "heft $* $file"
		head -n 5 "$tmp/said"
	fi
}

for file in rela relr symtab init_array verneed eh_frame sframe strings text names cxx_names code_relas unwind_tables; do
	answers $file size -d symbols
	answers $file snapshot --stats
done
for file in elf_long elf_endless elf_same_long elf_same_endless go_long go_endless dwarf_long dwarf_endless \
	coff_long coff_endless macho_long macho_endless bundles; do
	answers $file size -d symbols
	answers $file size -d inlinestacks,directories
done
answers text blocks
[ $addresses = unlimited ] || addresses=400000
for file in wasm_sections wasm_functions wasm_data wasm_elements wasm_symbols macho_starts macho_chains; do
	answers $file size -d symbols
	answers $file snapshot --stats
done
[ $addresses = unlimited ] || addresses=1500000
for file in core_notes core_loads; do
	answers $file size -d symbols
	# What is live in them is not known.
	wanted=2 answers $file heap show
done
finish 69
