"""Programs in a terminal of their own: tmux, on a socket of its own."""
import os
import re
import shutil
import subprocess
import tempfile
import time


def find():
    return shutil.which("tmux")


class Terminal:
    def __init__(self, work, words, columns=80, rows=24, env=None):
        self.dir = tempfile.mkdtemp(dir=work)
        self.socket = os.path.join(self.dir, "socket")
        self.out = os.path.join(self.dir, "exit")
        settings = {"LC_ALL": "C.UTF-8", "TERM": "screen-256color", "NO_COLOR": "", "DISPLAY": "", "WAYLAND_DISPLAY": "",
                    **(env or {})}
        quoted = " ".join("'" + w.replace("'", "'\\''") + "'" for w in words)
        assigned = " ".join(f"{k}='{v}'" for k, v in settings.items())
        # The screen stays for a look after the end.
        line = f"env {assigned} {quoted}; echo $? >'{self.out}'; sleep 1000"
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", str(columns), "-y", str(rows), "sh", "-c", line)

    def tmux(self, *words):
        done = subprocess.run(["tmux", "-S", self.socket, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if done.returncode != 0:
            raise RuntimeError(f"tmux {words}: {done.stderr.decode()}")
        return done.stdout.decode(errors="replace")

    def lines(self, *words):
        return self.tmux("capture-pane", "-p", *words).split("\n")[:-1]

    def styled(self):
        return "\n".join(self.lines("-e"))

    def wait(self, what, seconds=20):
        """Looks until a line matches an expression, or a function of all lines says yes; the lines, or None."""
        good = what if callable(what) else lambda lines: any(re.search(what, line) for line in lines)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            lines = self.lines()
            if good(lines):
                return lines
            time.sleep(0.02)
        return None

    def press(self, *keys):
        """Named keys of tmux, or text as it is; waits until the screen rests."""
        for key in keys:
            self.tmux("send-keys", *([key] if len(key) > 1 and key in NAMED else ["-l", key]))
        return self.rest()

    def rest(self):
        before, same = self.lines(), 0
        while same < 4:
            time.sleep(0.03)
            now = self.lines()
            same = same + 1 if now == before else 0
            before = now
        return before

    def mouse(self, button, column, row):
        """As a terminal tells it (xterm's "normal tracking"): 0 is a click, 64 and 65 are the wheel."""
        for code in (button, 3) if button < 3 else (button,):
            self.tmux("send-keys", "-H", "1b", "5b", "4d", *[f"{32 + v:02x}" for v in (code, column + 1, row + 1)])

    def resize(self, columns, rows):
        self.tmux("resize-window", "-x", str(columns), "-y", str(rows))
        return self.rest()

    def status(self, seconds=20):
        """The exit status, None where the program still runs."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if os.path.exists(self.out):
                text = open(self.out).read()
                if text.endswith("\n"):
                    return int(text)
            time.sleep(0.02)
        return None

    def close(self):
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], stderr=subprocess.DEVNULL)


NAMED = {"Up", "Down", "Left", "Right", "Enter", "Escape", "BSpace", "Tab", "Home", "End", "PPage", "NPage", "Space", "C-u"}
