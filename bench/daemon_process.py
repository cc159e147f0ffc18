"""`matchwire` as a process of its own, which a benchmark starts, waits for, looks at and ends."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
MATCHWIRE = (sys.executable, "-c", "from ingest.entry import main; main()")
RUN = (*MATCHWIRE, "run", "--config", "matchwire.toml")
"""The daemon, with the configuration of the folder that it is started in."""


@dataclass(frozen=True, slots=True)
class BenchProcess:
    """A process that answers requests; `took`: seconds from its start until it did."""

    process: subprocess.Popen[bytes]
    port: int
    took: float

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def cpu(self) -> float:
        """CPU seconds so far."""
        return cpu_of(self.process.pid)

    def end(self, how: signal.Signals = signal.SIGTERM) -> None:
        """Send the signal, and wait until the process is gone."""
        self.process.send_signal(how)
        self.process.wait()


def start(command: Sequence[str], folder: Path, *, port: int | None = None, path: str = "/readyz") -> BenchProcess:
    """Start a process in the folder, and wait until `path` of this port answers 200; matchwire listens there by itself.

    Raises SystemExit where the process ends before.
    """
    number = port or free_port()
    began = time.monotonic()
    process = subprocess.Popen(command, env=environment(folder, number), cwd=folder, stdout=subprocess.DEVNULL)
    try:
        _wait_for(process, f"http://127.0.0.1:{number}{path}")
    except BaseException:
        process.kill()
        process.wait()
        raise
    return BenchProcess(process, number, time.monotonic() - began)


@contextmanager
def running(command: Sequence[str], folder: Path) -> Iterator[BenchProcess]:
    """A process that has been started, and ends with the block."""
    started = start(command, folder)
    try:
        yield started
    finally:
        started.end()


def upgrade(folder: Path) -> None:
    """Bring the database of the folder's configuration to the schema of this version. Raises SystemExit where that fails."""
    words = (*MATCHWIRE, "db", "upgrade")
    if status := subprocess.run(words, cwd=folder, env=environment(folder), check=False).returncode:
        raise SystemExit(status)


def environment(folder: Path, port: int = 0) -> dict[str, str]:
    """That of a process: the packages of this clone, with bytecode, as installed ones have it, in the folder."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return kept | {
        "PYTHONPATH": f"{ROOT}:{folder}",
        "PYTHONPYCACHEPREFIX": str(folder / "bytecode"),
        "MATCHWIRE_SERVER__PORT": str(port),
    }


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def cpu_of(pid: int) -> float:
    """CPU seconds of a process so far, in all its threads."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _wait_for(process: subprocess.Popen[bytes], address: str) -> None:
    while not _answers(address):
        if process.poll() is not None:
            raise SystemExit(f"the process ended with status {process.returncode}")
        time.sleep(0.01)


def _answers(address: str) -> bool:
    with suppress(OSError), urllib.request.urlopen(address, timeout=5) as response:
        return bool(response.status == 200)
    return False
