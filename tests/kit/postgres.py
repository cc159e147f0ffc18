"""A PostgreSQL server for tests and benchmarks: made from the machine's binaries, loopback only, thrown away afterwards."""

import base64
import hashlib
import hmac
import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
from psycopg.sql import SQL, Composable, Identifier, Literal

START_WITHIN = 30.0
"""Seconds."""
IN_MEMORY = Path("/dev/shm")
ROOM = 4 * 2**30
"""Bytes that have to be free there."""
OPTIONS = {
    "listen_addresses": "127.0.0.1", "unix_socket_directories": "", "max_connections": "100",
    "shared_buffers": "32MB", "fsync": "off", "full_page_writes": "off", "autovacuum": "off", "log_timezone": "UTC",
    "timezone": "UTC",
}  # fmt: skip


def binaries() -> Path | None:
    """The folder of initdb and postgres: what MATCHWIRE_TEST_PG_BIN names, what pg_config says, what Debian uses."""
    named = os.environ.get("MATCHWIRE_TEST_PG_BIN")
    program = shutil.which("pg_config")
    said = (
        subprocess.run([program, "--bindir"], capture_output=True, text=True, check=False).stdout.strip()
        if program
        else ""
    )
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: float(path.parent.name), reverse=True)
    candidates = [Path(named)] if named else [*([Path(said)] if said else []), *debian]
    return next((path for path in candidates if (path / "initdb").exists() and (path / "postgres").exists()), None)


def memory_folder() -> Path | None:
    """Where files are in memory, if the machine has room there and starts programs from there.

    A copy of a database is some thousand small files, and each commit waits for the disk: what tests hold is thrown away.
    """
    try:
        usable = os.access(IN_MEMORY, os.W_OK) and not os.statvfs(IN_MEMORY).f_flag & os.ST_NOEXEC
        return IN_MEMORY if usable and shutil.disk_usage(IN_MEMORY).free > ROOM else None
    except OSError:
        return None


@contextmanager
def server_folder() -> Iterator[Path]:
    """An empty folder for a server."""
    with tempfile.TemporaryDirectory(prefix="matchwire-pg-", dir=memory_folder(), ignore_cleanup_errors=True) as name:
        yield Path(name)


@dataclass
class Cluster:
    """One running server. With `stop`, `kill` and `start` a test takes it away and brings it back where it was."""

    folder: Path
    programs: Path
    port: int = 0
    password: str = field(default_factory=lambda: secrets.token_hex(12), repr=False)
    process: subprocess.Popen[bytes] | None = None
    _control: tuple[subprocess.Popen[bytes] | None, psycopg.Connection[Any]] | None = None

    def create(self) -> None:
        """Make the data folder and start the server on a free port."""
        word = self.folder / "password"
        word.write_text(self.password)
        self._own(self.folder, word)
        self._run(
            "initdb", "--no-sync", "--no-instructions", "--username=matchwire", "--auth=scram-sha-256",
            f"--pwfile={word}", "--encoding=UTF8", "--locale=C", f"--pgdata={self.folder / 'data'}",
        )  # fmt: skip
        for _ in range(5):  # somebody else may take the port between choosing and using it
            self.port = free_port()
            if self._try_start():
                return
        raise RuntimeError(f"PostgreSQL does not start: {self._log()}")

    def start(self) -> None:
        """Start it again under the address it had."""
        if not self._try_start():
            raise RuntimeError(f"PostgreSQL does not start: {self._log()}")

    def stop(self) -> None:
        """Stop it in order, breaking open connections off."""
        self._end(signal.SIGINT)

    def kill(self) -> None:
        """Stop it without leaving it time for anything but recovery at the next start."""
        self._end(signal.SIGQUIT)

    def url(self, database: str = "postgres") -> str:
        return f"postgresql+asyncpg://matchwire:{self.password}@127.0.0.1:{self.port}/{database}"

    def create_database(self, name: str, template: str = "template0") -> str:
        """Make a database, a copy of `template` by its files, and return its address for SQLAlchemy with asyncpg."""
        names = map(Identifier, (name, template))
        self._execute(SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY file_copy").format(*names))
        return self.url(name)

    def drop_database(self, name: str) -> None:
        """Remove a database although somebody may be connected to it."""
        self._execute(SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(Identifier(name)))

    def cheapen_logins(self) -> None:
        """Let a client hash the password once where it hashes 4096 times: most of what a connection costs it.

        The password, the server's check of it and the protocol (SCRAM, RFC 5803 for the form) stay what they are.
        """
        salt = secrets.token_bytes(16)
        salted = hashlib.pbkdf2_hmac("sha256", self.password.encode(), salt, 1)
        client, server = (hmac.digest(salted, name, "sha256") for name in (b"Client Key", b"Server Key"))
        words = [base64.b64encode(each).decode() for each in (salt, hashlib.sha256(client).digest(), server)]
        verifier = "SCRAM-SHA-256$1:{}${}:{}".format(*words)
        self._execute(SQL("ALTER ROLE matchwire PASSWORD {}").format(Literal(verifier)))

    def _execute(self, statement: Composable) -> None:
        """Over one connection to each process of the server: to connect costs as much as to copy a small database."""
        if self._control is None or self._control[0] is not self.process:
            self._let_go()
            connection = psycopg.connect(
                host="127.0.0.1", port=self.port, user="matchwire", password=self.password, dbname="postgres",
                sslmode="disable", autocommit=True,
            )  # fmt: skip
            self._control = self.process, connection
        self._control[1].execute(statement)

    def _let_go(self) -> None:
        if self._control is not None:
            self._control[1].close()
            self._control = None

    def _try_start(self) -> bool:
        options = [part for name, value in OPTIONS.items() for part in ("-c", f"{name}={value}")]
        command = [self.programs / "postgres", "-D", self.folder / "data", "-p", str(self.port), *options]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder,
                start_new_session=True, **identity(),
            )  # fmt: skip
        deadline = time.monotonic() + START_WITHIN
        while self.process.poll() is None and time.monotonic() < deadline:
            ready = [self.programs / "pg_isready", "--quiet", "--host=127.0.0.1", f"--port={self.port}"]
            if subprocess.run(ready, check=False).returncode == 0 and self.process.poll() is None:
                return True
            time.sleep(0.05)
        self._end(signal.SIGQUIT)
        return False

    def _end(self, how: signal.Signals) -> None:
        self._let_go()
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(how)
            try:
                self.process.wait(timeout=15)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def _run(self, program: str, *arguments: str) -> None:
        environment = {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "PGPASSWORD": self.password}
        done = subprocess.run(
            [self.programs / program, *arguments], cwd=self.folder, env=environment,
            capture_output=True, text=True, check=False, **identity(),
        )  # fmt: skip
        if done.returncode:
            raise RuntimeError(f"{program} failed: {done.stderr.strip()}")

    def _own(self, *paths: Path) -> None:
        for path in paths if identity() else ():
            shutil.chown(path, "postgres", "postgres")

    def _log(self) -> str:
        return (self.folder / "log").read_text(errors="replace")[-2000:]


def identity() -> dict[str, Any]:
    """Arguments that make a subprocess run as the user postgres where we are root, which PostgreSQL refuses to be."""
    if os.geteuid() != 0:
        return {}
    try:
        pwd.getpwnam("postgres")
    except KeyError:
        return {}
    return {"user": "postgres", "group": "postgres", "extra_groups": []}


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])
