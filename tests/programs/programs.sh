#!/bin/sh
# `heft NAME` runs heft-NAME with the words that follow: from the folder of heft, from libexecdir/heft, from PATH, in this
# order; help lists what is found, and a program of heft's own that is missing is told in one line.
# usage: tests/programs/programs.sh HEFT LIBEXEC     LIBEXEC: the folder of the programs, from that of heft
heft=$(cd "$(dirname "$1")" && pwd)/$(basename "$1") libexec=$2
here=$(cd "$(dirname "$0")" && pwd) || exit 2
# shellcheck source=tests/lib/test.sh
. "$here/../lib/test.sh"
scratch
LD_LIBRARY_PATH=$(dirname "$heft")
export LD_LIBRARY_PATH
mkdir "$tmp/bin" "$tmp/path" "$tmp/work" && cp "$heft" "$tmp/bin/heft" || exit 2
PATH=$tmp/path:$PATH
cd "$tmp/work" || exit 2

program() { # folder, name: a program that tells where it is and what it was given
	mkdir -p "$1" && printf '#!/bin/sh\necho "%s: $*"\nexit 7\n' "$3" >"$1/heft-$2" && chmod +x "$1/heft-$2" || exit 2
}
told() { # words: what heft says, and its status
	"$tmp/bin/heft" "$@" 2>&1
	echo "status $?"
}

is "no such program" "heft: mine: no such file, and no such command
status 2" "$(told mine | sed 's/; .*//')"
program "$tmp/path" mine path
is "in PATH" "path: a b --c -- d
status 7" "$(told mine a b --c -- d)"
case $libexec in
/*) left_out "libexecdir" "it is no folder below the prefix" ;;
*)
	program "$tmp/bin/$libexec" mine libexec
	is "in libexecdir" "libexec: x
status 7" "$(told mine x)"
	;;
esac
program "$tmp/bin" mine beside
is "beside heft" "beside: x
status 7" "$(told mine x)"
is "help of a program" "beside: --help
status 7" "$(told help mine)"
is "help of a word of a program" "beside: add --help
status 7" "$(told help mine add)"
is "listed once" 1 "$("$tmp/bin/heft" --help | grep -c '^  mine ')"
is "completed" 1 "$("$tmp/bin/heft" help --words | grep -c '^mine	')"

: >mine
is "a file of that name is what is asked about" "heft: mine: the file is empty" "$("$tmp/bin/heft" mine 2>&1 | sed 's/ (.*//')"
: >"$tmp/path/heft-text"
mkdir "$tmp/path/heft-folder"
for name in text folder; do
	is "no program: $name" 0 "$("$tmp/bin/heft" --help | grep -c "^  $name ")"
	is "not run: $name" "status 2" "$(told $name | tail -n 1)"
done
for name in . -x ../x 'a b' '' "$(printf %05000d 0)"; do
	is "no name: $name" "status 2" "$(told "$name" | tail -n 1)"
done

is "heft's own program that is missing" "heft: heft-push is not installed: install the package heft-push, or build heft with meson -Dpush=enabled
status 2" "$(told push --now)"
is "is not listed" 0 "$("$tmp/bin/heft" --help | grep -c '^  push ')"
program "$tmp/path" push path
is "is listed when it is there" 1 "$("$tmp/bin/heft" --help | grep -c '^  push ')"
is "tells its words" "path: --words" "$("$tmp/bin/heft" help --words | grep '^path')"
is "without PATH" "heft: heft-push is not installed" "$(PATH='' "$tmp/bin/heft" push 2>&1 | /usr/bin/sed 's/:[^:]*$//')"
finish 22
