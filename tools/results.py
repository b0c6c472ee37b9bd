#!/usr/bin/env python3
"""What the last `meson test` in a build folder gave.

usage: results.py BUILD

Prints a line "skipped: FOLDER: TEST: REASON" for every test, and every part of a test, that did not run, then "failed:
FOLDER: TEST" and the last lines of its output for every test that failed, and then the numbers "PASSED FAILED SKIPPED".
A part that did not run counts among the skipped, beside its test, which passed.
Exit status 2 where no test ran."""
import json
import os
import re
import sys

PASSED = ("OK", "EXPECTEDFAIL")
LAST_LINES = 12
# What tests/lib/test.sh, the tests in Python and cmocka print.
PARTS = re.compile(r"^(?:LEFT OUT: |\[  SKIPPED \] )(.*)$", re.M)


def reason(test):
    found = re.search(r"^SKIP: (.*)$", test.get("stdout") or "", re.M)
    return found[1] if found else "it gives no reason"


def last_lines(test):
    """The end of what a test printed, indented: a log may be cut, and these lines stand at its end."""
    said = "%s\n%s" % (test.get("stdout") or "", test.get("stderr") or "")
    return ["    " + line[:300] for line in said.splitlines() if line.strip()][-LAST_LINES:]


def main():
    build = sys.argv[1]
    folder = os.path.basename(os.path.normpath(build))
    try:
        with open(os.path.join(build, "meson-logs", "testlog.json"), encoding="utf-8") as log:
            tests = [json.loads(line) for line in log]
    except OSError as e:
        sys.exit("%s: %s" % (build, e))
    passed = failed = 0
    skips, failures = [], []
    for test in tests:
        name = test["name"].split(" / ")[-1]
        skips += ["%s: %s" % (name, part) for part in PARTS.findall(test.get("stdout") or "")]
        if test["result"] == "SKIP":
            skips.append("%s: %s" % (name, reason(test)))
        elif test["result"] in PASSED:
            passed += 1
        else:
            failed += 1
            failures += ["failed: %s: %s (%s)" % (folder, name, test["result"].lower())] + last_lines(test)
    for line in ["skipped: %s: %s" % (folder, skip) for skip in skips] + failures:
        print(line)
    print(passed, failed, len(skips))
    return 0 if tests else 2


sys.exit(main())
