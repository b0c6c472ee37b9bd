#!/bin/sh
# An input that becomes shorter while it is read: one line that names it and status 2, never a signal.
# usage: tests/shrinking.sh HEFT BIG_FILE
heft=$1
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
caught=0
for command in "size -d symbols" "size -d compileunits" blocks "snapshot --stats" "size -d inlines"; do
	for after in 0 0.005 0.01 0.02 0.03 0.05 0.07; do
		cp "$2" "$tmp/input" || exit 2
		# shellcheck disable=SC2086 # a command and its options
		"$heft" $command "$tmp/input" >/dev/null 2>"$tmp/said" &
		sleep $after
		: >"$tmp/input"
		wait $!
		status=$?
		case $status in
		0) ;; # done before
		2)
			[ "$(grep -c "^heft: .*input: " "$tmp/said")" -ge 1 ] || exit 1
			! grep -q "became shorter" "$tmp/said" || caught=$((caught + 1))
			;;
		*)
			echo "heft $command: status $status" && cat "$tmp/said"
			exit 1
			;;
		esac
	done
done
echo "$caught times the file became shorter under heft"
[ $caught -gt 0 ]
