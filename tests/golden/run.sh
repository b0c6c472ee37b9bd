#!/bin/sh
# Runs heft as users do and compares what they see.  A case is a folder here: `cmd` (shell, with
# $HEFT) and what it must give: `stdout`, `stderr`, `exit`.  Every cmd runs in one folder that holds
# what the recipes of tests/fixtures/ make.
# usage: HEFT=build/src/heft tests/golden/run.sh [--bless] [CASE...]     --bless: accept what is seen
here=$(cd "$(dirname "$0")" && pwd) || exit 2
[ -x "$HEFT" ] || { echo "HEFT names no program" && exit 2; }
HEFT=$(cd "$(dirname "$HEFT")" && pwd)/$(basename "$HEFT")
bless=no
if [ "$1" = --bless ]; then
	bless=yes
	shift
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

run_case() {
	(cd "$tmp/work" && sh "$1/cmd" >"$tmp/stdout" 2>"$tmp/stderr" </dev/null)
	echo $? >"$tmp/exit"
	same=yes
	for what in stdout stderr exit; do
		[ $bless = no ] || cp "$tmp/$what" "$1/$what"
		diff -u "$1/$what" "$tmp/$what" >"$tmp/diff" 2>&1 && continue
		same=no
		cat "$tmp/diff"
	done
	[ $same = yes ]
}

[ $# -gt 0 ] || set -- "$here"/*/
passed=0
failed=0
for case in "$@"; do
	case=$(basename "$case")
	if run_case "$here/$case"; then
		passed=$((passed + 1))
	else
		echo "FAILED: $case"
		failed=$((failed + 1))
	fi
done
echo "golden: $passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
