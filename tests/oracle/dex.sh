#!/bin/sh
# Classes, members, literals and sizes of dex files against what dexdump reads from them: of the files of the fixtures and,
# where smali is installed, of one with every kind of instruction length.
# usage: tests/oracle/dex.sh HEFT
heft=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/lib/test.sh
. "$here/../lib/test.sh"
need python3 python3 dexdump dexdump
scratch
python3 "$here/../fixtures/golden_dex.py" "$tmp" || exit 1
rm "$tmp/container.dex" # dexdump does not read it
if [ -r /usr/share/java/smali.jar ] && command -v java > /dev/null; then
	mkdir "$tmp/smali"
	python3 "$here/dex.py" --smali > "$tmp/smali/all.smali" &&
		java -cp '/usr/share/java/*' org.jf.smali.Main a -o "$tmp/smali.dex" "$tmp/smali" || exit 1
else
	left_out "a dex file with instructions of every length" "no smali with java" "smali default-jre-headless"
fi
python3 "$here/dex.py" "$heft" "$tmp"/*.dex
