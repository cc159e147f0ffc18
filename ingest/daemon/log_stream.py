"""A stream for logs that fails nobody: a full disk, or a terminal that was closed, must not end what is logged about."""

from __future__ import annotations

import sys
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from store import private

if TYPE_CHECKING:
    from collections.abc import Callable
    from io import FileIO
    from pathlib import Path


class BestEffortStream:
    """Text for `put`; what it cannot take is dropped. The first loss after a success is reported on standard error."""

    def __init__(self, put: Callable[[str], object], *, name: str, terminal: bool = False) -> None:
        self._put = put
        self._name = name
        self._terminal = terminal
        self._losing = False

    @classmethod
    def of(cls, file: Path | None) -> BestEffortStream:
        """One that appends to `file`, or to standard error. Raises OSError where the file cannot be opened."""
        if file is None:
            return cls(_standard_error, name="standard error", terminal=sys.stderr.isatty())
        stream = appended(file)
        return cls(partial(_append, stream), name=str(file), terminal=stream.isatty())

    def write(self, text: str) -> int:
        try:
            self._put(text)
        except (OSError, ValueError) as error:  # ValueError: the stream is closed
            self._lost(error)
        else:
            self._losing = False
        return len(text)

    def flush(self) -> None:
        """Each write has done it."""

    def isatty(self) -> bool:
        return self._terminal

    def _lost(self, error: OSError | ValueError) -> None:
        if self._losing:
            return
        self._losing = True
        with suppress(OSError, ValueError):
            reason = getattr(error, "strerror", None) or error
            _standard_error(f"matchwire: the log cannot be written to {self._name}: {reason}\n")


def appended(file: Path) -> FileIO:
    """`file` to be appended to, readable for its owner and group alone. Raises OSError."""
    return open(file, "ab", buffering=0, opener=private.opener)


def _append(stream: FileIO, text: str) -> None:
    """A line is one write, so that lines of several processes do not mix."""
    stream.write(text.encode("utf-8", "backslashreplace"))


def _standard_error(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()
