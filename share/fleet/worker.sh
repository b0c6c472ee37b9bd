#!/bin/sh
# Measures the programs of packages into a store; each worker is independent, and one that is started again goes on where
# it was broken off.  A package is a folder of unpacked files, named after it.
#
# usage: worker.sh FOLDER...
#
#   HEFT_TO       the database: clickhouse://HOST:8123/heft
#   HEFT_RELEASE  name of the release
#   HEFT_DONE     folder for the lists of what was taken (default: heft-done)
#   HEFT          the program (default: heft)
set -u
: "${HEFT_TO:?is the store}" "${HEFT_RELEASE:?names the release}"
done=${HEFT_DONE:-heft-done}
mkdir -p "$done" || exit 2
status=0

# measure TABLE SOURCES FOLDER
measure() {
	name=$(basename "$3")
	find "$3" -type f -size +3 -print0 | xargs -0 -r "${HEFT:-heft}" rows -d "$2" --threads 1 --no-debug-search --tag "package=$name" \
		--tag "release=$HEFT_RELEASE" --format rowbinary --to "$HEFT_TO.$1" --done "$done/$name.$1" || status=2
}

for folder; do
	measure sections sections "$folder"
	measure rows sections,rawsymbols "$folder"
done
exit $status
