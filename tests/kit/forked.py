"""Processes that are forked from one that has loaded the daemon: real ones, to be killed and stopped, without a second import.

A start that is to be cold is `asyncio.create_subprocess_exec(*MATCHWIRE, …)`.
"""

import asyncio
import multiprocessing
import os
import signal
import sys
from collections.abc import Mapping
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from tests.kit.command import ENVIRON, MATCHWIRE

SERVER = multiprocessing.get_context("forkserver")
SERVER.set_forkserver_preload(["tests.kit.forked_loaded"])


class Forked:
    """What asyncio's own processes offer: `stdout` to be read, `pid`, `returncode`, signals and `wait`."""

    def __init__(self, process: Any, stdout: asyncio.StreamReader, transport: asyncio.BaseTransport) -> None:
        self._process = process
        self._transport = transport
        self.stdout = stdout
        self.pid: int = process.pid

    @property
    def returncode(self) -> int | None:
        code: int | None = self._process.exitcode
        return code

    def send_signal(self, which: int) -> None:
        if self.returncode is None:
            os.kill(self.pid, which)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    async def wait(self) -> int:
        while (code := self.returncode) is None:
            await asyncio.sleep(0.01)
        self._transport.close()
        return code


async def forked(
    *words: str,
    program: str = MATCHWIRE[-1],
    environ: Mapping[str, str] = ENVIRON,
    cwd: Path | None = None,
    stderr: Path | None = None,
) -> Forked:
    """Run `python -c PROGRAM WORDS…`; what it says on stderr goes to a file, or nowhere."""
    sys.audit("tests.forked")
    ours, theirs = SERVER.Pipe(duplex=False)
    process = SERVER.Process(
        target=_run, args=(theirs, program, words, dict(environ), str(cwd or "."), str(stderr or os.devnull))
    )
    process.start()
    theirs.close()
    reader = asyncio.StreamReader()
    file = os.fdopen(os.dup(ours.fileno()), "rb")
    ours.close()
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), file
    )
    return Forked(process, reader, transport)


def _run(out: Connection, program: str, words: tuple[str, ...], environ: dict[str, str], cwd: str, stderr: str) -> None:
    """Become that process: its descriptors, environment, folder and arguments."""
    os.dup2(out.fileno(), 1)
    out.close()
    said = os.open(stderr, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(said, 2)
    os.close(said)
    sys.stdout, sys.stderr = os.fdopen(1, "w", closefd=False), os.fdopen(2, "w", 1, closefd=False)
    os.environ.clear()
    os.environ.update(environ)
    os.chdir(cwd)
    sys.argv = ["matchwire", *words]
    exec(compile(program, "<forked>", "exec"), {"__name__": "__main__"})
