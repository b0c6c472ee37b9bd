"""Servers of databases for tests: started from Debian's packages as a user without privileges on a socket,
and gone at the end.  A manager gives None where the server is not installed."""
import contextlib
import getpass
import os
import pathlib
import pwd
import shutil
import subprocess
import time


def find(name, folders=()):
    for folder in folders:
        for path in sorted(pathlib.Path("/").glob(f"{folder}/{name}"), reverse=True):
            return str(path)
    return shutil.which(name)


def plain_user():
    """Who runs a server that refuses to be run by root."""
    return "nobody" if os.geteuid() == 0 else getpass.getuser()


class Server:
    """One that runs; `url` is the address of an empty database."""

    def __init__(self, url, *running):
        self.url, self.running = url, running

    def stop(self):
        for process in self.running:
            process.kill()
            process.wait()


@contextlib.contextmanager
def postgres(tmp):
    initdb, server = (find(name, ["usr/lib/postgresql/*/bin"]) for name in ("initdb", "postgres"))
    if not initdb or not server:
        yield None
        return
    user = plain_user()
    folder = pathlib.Path(tmp, "pg")
    folder.mkdir()
    os.chmod(tmp, 0o755)
    if os.geteuid() == 0:
        os.chown(folder, pwd.getpwnam(user).pw_uid, pwd.getpwnam(user).pw_gid)
    words = {"user": user} if os.geteuid() == 0 else {}
    data = folder / "data"
    subprocess.run([initdb, "-D", data, "-A", "trust", "-U", "heft", "--no-sync", "-E", "UTF8", "--locale=C.UTF-8"], check=True,
                   stdout=subprocess.DEVNULL, cwd=folder, **words)
    with open(pathlib.Path(tmp, "postgres.log"), "w", encoding="utf-8") as log:
        running = subprocess.Popen([server, "-D", data, "-k", folder, "-c", "listen_addresses=", "-c", "fsync=off"], cwd=folder,
                                   stdout=log, stderr=log, **words)
    try:
        while not (folder / ".s.PGSQL.5432").exists() or "ready" not in (data / "postmaster.pid").read_text():
            if running.poll() is not None:
                raise RuntimeError("PostgreSQL does not start:\n" + pathlib.Path(tmp, "postgres.log").read_text(encoding="utf-8"))
            time.sleep(0.05)
        yield Server(f"postgresql://heft@/postgres?host={folder}", running)
    finally:
        running.kill()
        running.wait()
