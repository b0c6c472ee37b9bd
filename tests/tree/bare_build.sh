#!/bin/sh
# A build with every option of meson_options.txt disabled compiles, and measures a program; what is left out is told.
# It takes minutes: only with FULL=1.
# usage: FULL=1 tests/tree/bare_build.sh SOURCE
source=$1
here=$(cd "$(dirname "$0")" && pwd) || exit 2
# shellcheck source=tests/lib/test.sh
. "$here/../lib/test.sh"
[ -n "${FULL:-}" ] || skip "a build of its own takes minutes (FULL=1)"
scratch
features=$(sed -n "s/^option('\([a-z0-9_]*\)', type: 'feature'.*/-D\1=disabled/p" "$source/meson_options.txt")
# shellcheck disable=SC2086 # a list of words
must meson setup "$tmp/build" "$source" -Dtests=false $features
must nice ninja -C "$tmp/build" -j2
heft=$tmp/build/src/heft
is "parts that are in" "" "$(meson setup --reconfigure "$tmp/build" "$source" | sed -n '/^  libheft$/,/User defined/{/: YES/p;}')"
is "heft size" "$(wc -c </bin/sh)" "$("$heft" size --csv -n 0 /bin/sh | awk -F, 'NR > 1 { sum += $3 } END { print sum }')"
is "expressions" "heft: this heft was built without libpcre2, which regular expressions need" "$("$heft" --source-filter=a /bin/sh 2>&1)"
is "programs" 2 "$("$heft" browse /bin/sh >"$tmp/out" 2>&1; echo $?)"
is "recording" "heft: this heft was built without the recorder, which is for Linux: record the program there, and read the recording here" \
	"$("$heft" heap run /bin/true 2>&1)"
finish 5
