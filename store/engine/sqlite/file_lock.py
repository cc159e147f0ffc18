"""One SQLite file, one daemon: a lock that the operating system releases, however the process ends."""

from __future__ import annotations

import contextlib
import fcntl
import os
from pathlib import Path

from store.engine.errors import AlreadyRunning, StoreError


class FileLock:
    """An exclusive `flock` on `<file>.lock`, held from construction until `release` or the end of the process.

    Raises AlreadyRunning when another process (or another store of this one) holds it, StoreError where no file can be.
    """

    def __init__(self, database: Path) -> None:
        real = database.resolve()  # two names of one file are one database
        try:
            self._fd = os.open(f"{real}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise StoreError(f"cannot open the database {real}: {error.strerror}") from error
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            owner = os.pread(self._fd, 20, 0).decode("ascii", "replace").strip()
            os.close(self._fd)
            raise AlreadyRunning(f"{real} is in use by another matchwire process (pid {owner or '?'})") from error
        with contextlib.suppress(OSError):  # the pid is a courtesy to the operator; a full disk must not stop the start
            pid = str(os.getpid()).encode()
            os.pwrite(self._fd, pid, 0)  # over what is there: whoever reads it meanwhile never finds an empty file
            os.ftruncate(self._fd, len(pid))

    def release(self) -> None:
        os.close(self._fd)
