"""Makes files that only their owner and group may read: databases hold secrets of webhooks, recordings licensed content."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

import structlog

FILE = 0o640
FOLDER = 0o750

log = structlog.get_logger()


def opener(path: str, flags: int) -> int:
    """For the built-in `open`: a file that it makes has the mode FILE or a stricter one, whatever the umask says."""
    return os.open(path, flags | os.O_CLOEXEC, FILE)


def make(file: Path) -> None:
    """Make an empty file if there is none; tighten one that is there. Raises OSError."""
    with suppress(FileExistsError):
        os.close(os.open(file, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, FILE))
    tighten(file)


def tighten(file: Path) -> None:
    """Take from a regular file what FILE does not grant, and log it; where that cannot be, log a warning.

    By its name, because closing a second descriptor of a SQLite file would give up the locks of the first.
    """
    with suppress(FileNotFoundError):
        mode = file.stat().st_mode
        if not stat.S_ISREG(mode) or not stat.S_IMODE(mode) & ~FILE:
            return
        fields = {"file": str(file), "mode": f"{stat.S_IMODE(mode):o}"}
        try:
            file.chmod(stat.S_IMODE(mode) & FILE)
        except FileNotFoundError:
            raise
        except OSError as error:
            log.warning("file.not_private", cause=error.strerror, **fields)
        else:
            log.info("file.tightened", **fields)
