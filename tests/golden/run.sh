#!/bin/sh
# Runs heft as users do and compares what they see.  A case is a text COMMAND/NAME here: after the
# line ">>>> command" what a shell runs (with $HEFT), then what it must give: stdout and stderr
# unless they are empty, and the exit status.  All cases run in one folder that holds what the
# recipes of tests/fixtures/ make.
# usage: HEFT=build/src/heft tests/golden/run.sh [--bless] [CASE | COMMAND]...     --bless: accept what is seen
here=$(cd "$(dirname "$0")" && pwd) || exit 2
[ -x "$HEFT" ] || { echo "HEFT names no program" && exit 2; }
HEFT=$(cd "$(dirname "$HEFT")" && pwd)/$(basename "$HEFT")
bless=no
if [ "$1" = --bless ]; then
	bless=yes
	shift
	# Some cases show what the programs beside heft say.
	for program in browse history push; do
		"$HEFT" $program --help >/dev/null 2>&1 || { echo "nothing blessed: heft-$program is not built" && exit 2; }
	done
fi

tmp=$(mktemp -d) || exit 2
trap 'chmod -R u+rwx "$tmp"; rm -rf "$tmp"' EXIT
mkdir "$tmp/work"
for recipe in "$here"/../fixtures/golden_*; do
	"$recipe" "$tmp/work" || { echo "$recipe failed" && exit 2; }
done

# What a user's own environment says must not show.
unset NO_COLOR CLICOLOR_FORCE COLUMNS DEBUGINFOD_URLS
export HEFT LC_ALL=C TERM=dumb
# A release changes no case.
version=$("$HEFT" --version | sed -n '1s/^heft //p')
[ -n "$version" ] || { echo "heft tells no version" && exit 2; }

part() {
	[ ! -s "$2" ] || { echo ">>>> $1" && cat "$2"; }
}

run_case() {
	awk '/^>>>> / { inside = $2 == "command"; next } inside' "$1" >"$tmp/command"
	(cd "$tmp/work" && sh "$tmp/command" >"$tmp/stdout" 2>"$tmp/stderr" </dev/null)
	status=$?
	{
		part command "$tmp/command"
		part stdout "$tmp/stdout"
		part stderr "$tmp/stderr"
		echo ">>>> exit $status"
	} | sed "s/\(heft\"*:* \"*\)$version/\1VERSION/g" >"$tmp/seen"
	[ $bless = no ] || cat "$tmp/seen" >"$1"
	[ -s "$tmp/command" ] && diff -u "$1" "$tmp/seen"
}

passed=0
failed=0
[ $# -gt 0 ] || set -- .
for case in $(cd "$here" && find "$@" -type f ! -name run.sh ! -name README.md | sort); do
	if run_case "$here/$case"; then
		passed=$((passed + 1))
	else
		echo "FAILED: ${case#./}"
		failed=$((failed + 1))
	fi
done
echo "golden: $passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
