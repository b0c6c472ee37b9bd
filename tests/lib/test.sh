# Sourced by the tests that are shell scripts, so that none of them can pass on nothing.
#
# A test names the programs it needs (need), ends where something it builds on fails (must), counts what it
# compares (check, pass, fail), says what it leaves out (left_out, has), and ends with finish, which fails where
# less was compared than the test promises.  Lines that begin with "SKIP: " or "LEFT OUT: " are what ./check
# repeats and counts at its end; a package is a Debian one.
# shellcheck shell=sh disable=SC2034 # the counts are for who sources this
passed=0
failed=0

# skip REASON [PACKAGE]: ends the test, which did not run.
skip() {
	echo "SKIP: $1${2:+ (install $2)}"
	exit 77
}

# need PROGRAM PACKAGE...: pairs; without one of the programs the test is skipped.
need() {
	while [ $# -ge 2 ]; do
		command -v "$1" >/dev/null 2>&1 || skip "no $1" "$2"
		shift 2
	done
}

need_x86_64() {
	[ "$(uname -m)" = x86_64 ] || skip "this machine is no x86-64"
}

# left_out PART REASON [PACKAGE]: a part of the test did not run.
left_out() {
	echo "LEFT OUT: $1: $2${3:+ (install $3)}"
}

# has PROGRAM PACKAGE PART: whether the program is there; otherwise the part is left out.
has() {
	command -v "$1" >/dev/null 2>&1 && return
	left_out "$3" "no $1" "$2"
	return 1
}

# scratch: makes the folder $tmp, which goes when the test ends.
scratch() {
	tmp=$(mktemp -d) || exit 2
	trap 'rm -rf "$tmp"' EXIT
}

# must COMMAND...: the test fails at once where the command does, and shows what it said.
must() {
	must_log=$(mktemp) || exit 2
	"$@" >"$must_log" 2>&1
	must_status=$?
	if [ "$must_status" -ne 0 ]; then
		echo "FAILED with status $must_status: $*"
		head -n 20 "$must_log"
		rm -f "$must_log"
		exit 1
	fi
	rm -f "$must_log"
}

pass() {
	passed=$((passed + 1))
}

# fail TEXT: one line; the test goes on.
fail() {
	failed=$((failed + 1))
	echo "FAILED: $*"
}

# check NAME COMMAND...: the command works, or its output is shown.
check() {
	check_name=$1
	check_log=$(mktemp) || exit 2
	shift
	if "$@" >"$check_log" 2>&1; then
		pass
	else
		fail "$check_name (status $?)"
		sed 's/^/    /' "$check_log" | head -n 20
	fi
	rm -f "$check_log"
}

# is NAME WANTED GOT
is() {
	if [ "$2" = "$3" ]; then
		pass
	else
		fail "$1: wanted '$2', got '$3'"
	fi
}

# finish LEAST: ends the test, which promises to compare at least so many things wherever it is not skipped.
finish() {
	[ "$passed" -ge "$1" ] || [ "$failed" -gt 0 ] || fail "fewer than $1 comparisons"
	echo "$passed passed, $failed failed"
	[ "$failed" -eq 0 ]
	exit
}
