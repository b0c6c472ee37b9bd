#!/bin/sh
# Everything that judges the source without running it.  A tool that is not installed is
# skipped with a word; what is found fails the run.
# usage: tools/lint.sh [BUILD]     BUILD: where heft is built, for the check of the manual
cd "$(dirname "$0")/.." || exit 2
build=${1:-build}
passed=0
failed=0
skipped=0

step() {
	name=$1
	shift
	if "$@" >"$log" 2>&1; then
		echo "ok   $name"
		passed=$((passed + 1))
	else
		echo "FAIL $name"
		sed 's/^/     /' "$log" | head -n 60
		failed=$((failed + 1))
	fi
}

# have PROGRAM PACKAGE STEP
have() {
	command -v "$1" >/dev/null 2>&1 || {
		echo "skip $3: no $1 (install $2)"
		skipped=$((skipped + 1))
		return 1
	}
}

c_files() {
	find . -name '*.[ch]' -not -path './build*'
}

format() {
	c_files | xargs clang-format-19 --dry-run --Werror
}

cppcheck_all() {
	cppcheck --quiet --error-exitcode=1 --std=c11 --enable=warning,performance,portability \
		--inline-suppr --suppress=missingIncludeSystem --suppress=normalCheckLevelMaxBranches \
		-D_POSIX_C_SOURCE=200809L -Iinclude -Isrc -j2 src
}

scripts() {
	shellcheck -x -S warning try check .ci/run bindings/*/*.sh tools/*.sh tests/*/*.sh share/completions/heft.bash share/ci/*.sh debian/tests/installed
}

log=$(mktemp) || exit 2
trap 'rm -f "$log"' EXIT
have clang-format-19 clang-format-19 "layout of C files" && step "layout of C files" format
step "layers" tools/layers.sh
have python3 python3 "shape of C files" && step "shape of C files" tools/shape.py
have python3 python3 "length of sentences" && step "length of sentences" tools/sentences.py
have cppcheck cppcheck "cppcheck" && step "cppcheck" cppcheck_all
have mandoc mandoc "manual page" && step "manual page" mandoc -Tlint -W warning man/*.1
have shellcheck shellcheck "shell scripts" && step "shell scripts" scripts
if [ -x "$build/src/heft" ]; then
	step "options in help, manual and completions" tests/tree/docs_in_step.sh "$build/src/heft"
else
	echo "skip options in help, manual and completions: heft is not built in $build"
	skipped=$((skipped + 1))
fi
echo "lint: $passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
