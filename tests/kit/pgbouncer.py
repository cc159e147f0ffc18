"""A PgBouncer of the tests' own in front of their PostgreSQL, configured as docs/postgresql.md says."""

import configparser
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.kit.postgres import Cluster, free_port, identity

PAGE = Path(__file__).resolve().parents[2] / "docs" / "postgresql.md"
START_WITHIN = 30.0
"""Seconds."""
DIRECT: dict[str, str] = {}
"""The server's own address of each database, by its address through PgBouncer."""


def missing(reason: str) -> Any:
    """Skip, or fail in CI, where everything has to be there."""
    return pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)


class PgBouncer(NamedTuple):
    """One that runs; `port` on loopback."""

    port: int

    def url(self, direct: str) -> str:
        """The address of the same database through PgBouncer."""
        head, _, name = direct.rpartition("/")
        pooled = f"{head.rpartition(':')[0]}:{self.port}/{name}"
        DIRECT[pooled] = direct
        return pooled


def documented() -> configparser.ConfigParser:
    """The configuration that the page shows."""
    shown = configparser.ConfigParser(comment_prefixes=(";",))
    shown.read_string(PAGE.read_text().partition("```ini\n")[2].partition("```")[0])
    return shown


def _own(folder: Path) -> None:
    for path in (folder, *folder.iterdir()) if identity() else ():
        shutil.chown(path, "postgres", "postgres")


def _started(program: str, cluster: Cluster, folder: Path) -> tuple[subprocess.Popen[bytes], int]:
    port = free_port()
    config = documented()
    config["databases"] = {"*": f"host=127.0.0.1 port={cluster.port}"}
    config["pgbouncer"].update({"listen_port": str(port), "auth_file": str(folder / "users"), "unix_socket_dir": ""})
    (folder / "users").write_text(f'"matchwire" "{cluster.password}"\n')
    with (folder / "pgbouncer.ini").open("w") as file:
        config.write(file)
    _own(folder)
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [program, folder / "pgbouncer.ini"],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd=folder,
            **identity(),
        )
    return process, port


def _listens(port: int) -> bool:
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture(scope="session")
def pgbouncer(postgres_cluster: Cluster) -> Iterator[PgBouncer]:
    """In transaction mode before the tests' server; skips where it is not installed, fails instead in CI."""
    program = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if program is None:
        missing("pgbouncer is not installed")
    with tempfile.TemporaryDirectory(prefix="matchwire-pgbouncer-", ignore_cleanup_errors=True) as name:
        process, port = _started(str(program), postgres_cluster, Path(name))
        try:
            deadline = time.monotonic() + START_WITHIN
            while not _listens(port):
                assert process.poll() is None, (Path(name) / "log").read_text()
                assert time.monotonic() < deadline, "pgbouncer does not listen"
                time.sleep(0.05)
            yield PgBouncer(port)
        finally:
            # It keeps nothing on disk; a gentler signal may be ignored, as SIGQUIT is below a shell's background job.
            process.kill()
            process.wait()


@pytest.fixture
def pgbouncer_url(pgbouncer: PgBouncer, postgres_url: str) -> str:
    """The address, through PgBouncer, of an empty database that this test has for itself."""
    return pgbouncer.url(postgres_url)
