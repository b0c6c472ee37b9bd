"""Drives a headless chromium over the pipe of its DevTools protocol; nothing but the standard library.

https://chromedevtools.github.io/devtools-protocol/ - messages are JSON with a NUL behind them.
"""
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time

FLAGS = [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-extensions", "--hide-scrollbars",
    "--host-resolver-rules=MAP * ~NOTFOUND", "--remote-debugging-pipe", "--force-prefers-reduced-motion",
]

# The browser reads from descriptor 3 and writes to 4.
STARTS = "import os, sys; os.dup2(int(sys.argv[1]), 3); os.dup2(int(sys.argv[2]), 4); os.execvp(sys.argv[3], sys.argv[3:])"


def find():
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Browser:
    """One page of one browser.  `requests` has all that it asked for but files, data and blobs."""

    def __init__(self, program, width=1280, height=800):
        self.home = tempfile.mkdtemp()
        to_read, self.to_write = os.pipe()
        self.to_read, to_write = os.pipe()
        self.process = subprocess.Popen(
            [sys.executable, "-c", STARTS, str(to_read), str(to_write), program, *FLAGS,
             f"--user-data-dir={self.home}", f"--window-size={width},{height}", "about:blank"],
            pass_fds=[to_read, to_write], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": self.home})
        os.close(to_read)
        os.close(to_write)
        self.rest, self.count, self.session = b"", 0, None
        self.events, self.requests, self.errors = [], [], []
        target = [t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page"][0]
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in "Page", "Runtime", "Network", "Log":
            self.call(domain + ".enable")
        self.size(width, height)

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.to_read)
        os.close(self.to_write)
        shutil.rmtree(self.home, ignore_errors=True)

    def message(self, until):
        while b"\0" not in self.rest:
            ready, _, _ = select.select([self.to_read], [], [], max(0, until - time.time()))
            data = os.read(self.to_read, 1 << 20) if ready else b""
            if not data:
                raise TimeoutError("the browser says nothing more")
            self.rest += data
        line, self.rest = self.rest.split(b"\0", 1)
        return json.loads(line)

    def note(self, event):
        method, params = event.get("method"), event.get("params", {})
        if method == "Network.requestWillBeSent":
            url = params["request"]["url"]
            if not url.startswith(("file:", "data:", "blob:", "about:")):
                self.requests.append(url)
        elif method == "Runtime.exceptionThrown":
            self.errors.append(params["exceptionDetails"].get("exception", {}).get("description", str(params)))
        elif method == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.errors.append(params["entry"]["text"])

    def call(self, method, **params):
        self.count += 1
        message = {"id": self.count, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to_write, json.dumps(message).encode() + b"\0")
        until = time.time() + 60
        while True:
            got = self.message(until)
            if got.get("id") == message["id"]:
                if "error" in got:
                    raise RuntimeError(f"{method}: {got['error']}")
                return got["result"]
            self.note(got)

    def size(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def dark(self, yes):
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if yes else "light"}])

    def run(self, script):
        got = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in got:
            raise RuntimeError(got["exceptionDetails"].get("exception", {}).get("description", str(got)))
        return got["result"].get("value")

    def open(self, path, address=""):
        """Opens a report and waits until it is shown."""
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url="file://" + os.path.abspath(path) + address)
        until = time.time() + 60
        while not self.run("!!globalThis.heftPage && !document.getElementById('app').hidden "
                           "&& !!document.querySelector('#sum')?.textContent"):
            if time.time() > until:
                raise TimeoutError("the page is not shown: " + str(self.run("document.body?.innerText.slice(0, 300)")))
            time.sleep(0.02)

    def picture(self, path):
        import base64
        with open(path, "wb") as f:
            f.write(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))
