"""A PostgreSQL server for the tests: started by them in a temporary folder, on a socket there, and always stopped."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

PASSWORD = "correct horse"
_INSTALLED = Path("/usr/lib/postgresql")


def programs() -> Path | None:
    """The folder of the server's programs; None if it is not installed."""
    if (found := shutil.which("initdb")) is not None:
        return Path(found).parent
    return next((path.parent for path in sorted(_INSTALLED.glob("*/bin/initdb"), reverse=True)), None)


@dataclass(frozen=True)
class Server:
    """A running server: user shoal may do all, without a password; user guest needs one."""

    folder: Path

    def uri(self, user: str = "shoal", password: str = "", database: str = "postgres") -> str:
        who = f"{user}:{quote(password)}" if password else user
        return f"postgresql://{who}@/{database}?host={quote(str(self.folder), safe='')}"

    def run(self, *statements: str) -> list[tuple[Any, ...]]:
        """Run statements, and give the rows of the last one."""
        import adbc_driver_postgresql.dbapi as dbapi

        rows: list[tuple[Any, ...]] = []
        with dbapi.connect(self.uri()) as connection, connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
                rows = cursor.fetchall() if cursor.description else []
            connection.commit()
        return rows


@contextmanager
def server() -> Iterator[Server]:
    """Start a server, and stop it at the end or when this process ends."""
    found = programs()
    assert found is not None
    folder = Path(tempfile.mkdtemp(prefix="shoal-pg-"))  # not below pytest's folder: a socket's path must be short
    try:
        owner = _owner()
        if owner is not None:
            os.chown(folder, owner.pw_uid, owner.pw_gid)
        made = ["-D", folder / "data", "-A", "trust", "-U", "shoal", "--no-sync", "-E", "UTF8"]
        _run(owner, [found / "initdb", *made])
        rules = "local all shoal trust\nlocal all all scram-sha-256\n"
        (folder / "data" / "pg_hba.conf").write_text(rules, encoding="utf-8")
        settings = ["-c", "listen_addresses=", "-c", f"unix_socket_directories={folder}", "-c", "fsync=off"]
        command = [found / "postgres", "-D", folder / "data", *settings]
        log = (folder / "log").open("wb")
        process = subprocess.Popen(_as(owner, command), stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        try:
            running = Server(folder)
            _wait(running, process)
            running.run(f"create user guest password '{PASSWORD}'")
            yield running
        finally:
            process.send_signal(signal.SIGQUIT)  # nothing of it is kept
            with suppress(subprocess.TimeoutExpired):
                process.wait(20)
            process.kill()
            process.wait()
            log.close()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _owner() -> pwd.struct_passwd | None:
    """Who runs the server: the server refuses root."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        with suppress(KeyError):
            return pwd.getpwnam(name)
    raise AssertionError("root needs a user postgres or nobody to run a server")


def _as(owner: pwd.struct_passwd | None, command: Sequence[str | Path]) -> list[str]:
    """A command as another user, that ends when this process does."""
    words = [str(word) for word in command]
    if shutil.which("setpriv") is None:
        assert owner is None
        return words
    who = [f"--reuid={owner.pw_uid}", f"--regid={owner.pw_gid}", "--clear-groups"] if owner is not None else []
    return ["setpriv", *who, "--pdeathsig=QUIT", *words]


def _run(owner: pwd.struct_passwd | None, command: Sequence[str | Path]) -> None:
    subprocess.run(_as(owner, command), check=True, capture_output=True, cwd="/")


def _wait(running: Server, process: subprocess.Popen[bytes]) -> None:
    for _ in range(600):
        assert process.poll() is None, (running.folder / "log").read_text(encoding="utf-8")
        with suppress(Exception):
            running.run("select 1")
            return
        time.sleep(0.05)
    raise AssertionError((running.folder / "log").read_text(encoding="utf-8"))
