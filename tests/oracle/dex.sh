#!/bin/sh
# Classes, members, literals and sizes of dex files against what dexdump reads from them: of the files of the fixtures and,
# where smali is installed, of one with every kind of instruction length.
# usage: tests/oracle/dex.sh HEFT
heft=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
here=$(cd "$(dirname "$0")" && pwd)
command -v dexdump > /dev/null || { echo "no dexdump" && exit 77; }
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
python3 "$here/../fixtures/golden_dex.py" "$tmp" || exit 1
rm "$tmp/container.dex" # dexdump does not read it
if [ -r /usr/share/java/smali.jar ] && command -v java > /dev/null; then
	mkdir "$tmp/smali"
	python3 "$here/dex.py" --smali > "$tmp/smali/all.smali" &&
		java -cp '/usr/share/java/*' org.jf.smali.Main a -o "$tmp/smali.dex" "$tmp/smali" || exit 1
fi
python3 "$here/dex.py" "$heft" "$tmp"/*.dex
