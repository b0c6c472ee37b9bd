#!/usr/bin/env python3
"""What the last `meson test` in a build folder gave.

usage: results.py BUILD

Prints a line "FOLDER: TEST: REASON" for every test, and every part of a test, that did not run, and then
the numbers "PASSED FAILED SKIPPED".  A part that did not run counts among the skipped, beside its test, which passed.
Exit status 2 where no test ran."""
import json
import os
import re
import sys

PASSED = ("OK", "EXPECTEDFAIL")
# What tests/lib/test.sh, the tests in Python and cmocka print.
PARTS = re.compile(r"^(?:LEFT OUT: |\[  SKIPPED \] )(.*)$", re.M)


def reason(test):
    found = re.search(r"^SKIP: (.*)$", test.get("stdout") or "", re.M)
    return found[1] if found else "it gives no reason"


def main():
    build = sys.argv[1]
    try:
        with open(os.path.join(build, "meson-logs", "testlog.json"), encoding="utf-8") as log:
            tests = [json.loads(line) for line in log]
    except OSError as e:
        sys.exit("%s: %s" % (build, e))
    passed = failed = 0
    skips = []
    for test in tests:
        name = test["name"].split(" / ")[-1]
        skips += ["%s: %s" % (name, part) for part in PARTS.findall(test.get("stdout") or "")]
        if test["result"] == "SKIP":
            skips.append("%s: %s" % (name, reason(test)))
        elif test["result"] in PASSED:
            passed += 1
        else:
            failed += 1
    for line in skips:
        print("%s: %s" % (os.path.basename(os.path.normpath(build)), line))
    print(passed, failed, len(skips))
    return 0 if tests else 2


sys.exit(main())
