"""Servers of databases for tests: started from Debian's packages as a user without privileges, on a socket or on loopback,
and gone at the end.  A manager gives None where the server is not installed."""
import contextlib
import getpass
import os
import pathlib
import pwd
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request


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


# ---- ClickHouse -----------------------------------------------------------------------------------------------------

CONFIG = """<yandex><logger><level>error</level><log>{d}/log</log><errorlog>{d}/err</errorlog></logger>
<http_port>{http}</http_port><tcp_port>{tcp}</tcp_port><interserver_http_port>{inter}</interserver_http_port>
<listen_host>127.0.0.1</listen_host><path>{d}/data/</path><tmp_path>{d}/tmp/</tmp_path>
<user_files_path>{d}/files/</user_files_path><format_schema_path>{d}/formats/</format_schema_path>
<users_config>{d}/users.xml</users_config><default_profile>default</default_profile><default_database>default</default_database>
<mark_cache_size>100000000</mark_cache_size><max_concurrent_queries>50</max_concurrent_queries>
<remote_servers><fleet>{shards}</fleet></remote_servers></yandex>"""
SHARD = "<shard><replica><host>127.0.0.1</host><port>{}</port></replica></shard>"
USERS = """<yandex><profiles><default><insert_distributed_sync>1</insert_distributed_sync></default></profiles>
<users><default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota>
</default></users><quotas><default/></quotas></yandex>"""


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def ask(port, sql):
    request = urllib.request.Request(f"http://127.0.0.1:{port}/", data=sql.encode())
    try:
        with urllib.request.urlopen(request, timeout=120) as answer:
            return [line.split("\t") for line in answer.read().decode().splitlines()]
    except urllib.error.HTTPError as error:
        print(f"FAILED: {sql}\n{error.read().decode()[:500]}")
        raise


@contextlib.contextmanager
def shards(server, tmp, count=2, running=None):
    """Servers on loopback, of which each knows all."""
    http_ports, tcp_ports = ([free_port() for _ in range(count)] for _ in range(2))
    running = [] if running is None else running
    for i in range(count):
        folder = pathlib.Path(tmp, f"shard{i}")
        for name in ("data", "tmp", "files", "formats"):
            (folder / name).mkdir(parents=True)
        (folder / "users.xml").write_text(USERS)
        known = "".join(SHARD.format(port) for port in tcp_ports)
        (folder / "config.xml").write_text(CONFIG.format(
            d=folder, http=http_ports[i], tcp=tcp_ports[i], inter=free_port(), shards=known))
        words = [server, f"--config-file={folder}/config.xml"]
        running.append(subprocess.Popen(words, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
    try:
        for port in http_ports:
            for _ in range(600):
                try:
                    ask(port, "SELECT 1")
                    break
                except (urllib.error.URLError, ConnectionError):
                    time.sleep(0.1)
        yield http_ports
    finally:
        for process in running:
            process.kill()
            process.wait()


# The tables of a history (docs/history.md), and what rows are spread by over shards.
HISTORY = {"paths": "id", "symbols": "id", "lists": "build", "sections": "section", "changes": "symbol", "builds": "id",
           "gone": "build", "measures": "id", "sizes": "measure", "store": "1"}


def spread(ports, made):
    """Makes database `history` on the first server: tables like those of database `made` there, their rows on all servers."""
    views = [ask(ports[0], f"SHOW CREATE TABLE {made}.{view}")[0][0].replace("\\'", "'").replace("\\n", " ")
             for view in ("steps", "measured")]
    for port in ports:
        ask(port, "CREATE DATABASE history_local")
    ask(ports[0], "CREATE DATABASE history")
    for table, key in HISTORY.items():
        create = ask(ports[0], f"SHOW CREATE TABLE {made}.{table}")[0][0].replace("\\n", " ")
        for port in ports:
            ask(port, create.replace(f"TABLE {made}.", "TABLE history_local."))
        ask(ports[0], f"CREATE TABLE history.{table} AS history_local.{table} "
                      f"ENGINE = Distributed(fleet, history_local, {table}, {key})")
    for view in views:
        ask(ports[0], view.replace(f"{made}.", "history."))
