"""What oracles that count their checks share: running a command, and the count."""
import os
import subprocess


def run(*words, env=None, check=True):
    done = subprocess.run(words, capture_output=True, text=True, errors="replace", env={**os.environ, **(env or {})})
    if check and done.returncode:
        raise RuntimeError(f"{' '.join(words)}: {done.stderr.strip()}")
    return done


class Tally:
    def __init__(self, heft):
        self.heft, self.good, self.bad, self.skipped = heft, 0, 0, []

    def check(self, what, got, wanted):
        if got == wanted:
            self.good += 1
            return
        self.bad += 1
        print(f"FAIL: {what}: {str(got)[:300]}, wanted {str(wanted)[:300]}")
