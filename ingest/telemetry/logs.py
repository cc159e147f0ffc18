"""Logs: one JSON object a line, readable lines on a terminal, and never a secret in either."""

from __future__ import annotations

import logging
import re
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from io import FileIO
from pathlib import Path
from typing import TextIO, cast

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from store.engine import private_files

SECRET_NAMES = re.compile(r"secret|password|passwd|api_?key|authorization|token", re.IGNORECASE)
SECRET_IN_TEXT = re.compile(
    r"(?P<name>client_secret|api_key|password|token)=[^&\s\"']+|(?P<scheme>https?://)[^/\s:@]+:[^/\s@]+@", re.IGNORECASE
)
HIDDEN = "[hidden]"
DETAIL = re.compile(r"(\bDETAIL: )[^\n]*")
"""What a PostgreSQL adds to an error: the values of the row that it is about."""


def configure(level: str, format_: str, file: LogFile | None = None) -> None:
    """Log everything from `level` up to `file` (or standard error): `json`, `console`, or by terminal (`auto`).

    What cannot be written ends nothing.
    """
    stream = cast("TextIO", BestEffortStream.of(file))
    readable = format_ == "console" or (format_ == "auto" and stream.isatty())
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    render: list[Processor] = (
        [hide_secrets, structlog.dev.ConsoleRenderer(colors=stream.isatty())]
        if readable
        else [structlog.processors.format_exc_info, hide_secrets, structlog.processors.JSONRenderer(default=repr)]
    )
    structlog.configure(
        processors=[*shared, *render],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()]),
        logger_factory=structlog.WriteLoggerFactory(stream),
        cache_logger_on_first_use=True,
    )
    _adopt_standard_logging(shared, render, stream)
    if file is not None:
        private_files.tighten(file.path)


def hide_secrets(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Replace what is named like a secret, and secrets inside of texts such as URLs."""
    return {name: HIDDEN if _names_secret(name) else _hide(value) for name, value in event.items()}


@lru_cache(maxsize=1024)
def _names_secret(name: str) -> bool:
    return SECRET_NAMES.search(name) is not None


def _hide(value: object) -> object:
    if isinstance(value, str):
        return DETAIL.sub(rf"\1{HIDDEN}", SECRET_IN_TEXT.sub(_mask, value)) if _may_hold_secret(value) else value
    if isinstance(value, dict):
        return {name: HIDDEN if _names_secret(str(name)) else _hide(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_hide(each) for each in value]
    return value


def _may_hold_secret(text: str) -> bool:
    """Whether it is worth looking: a secret stands behind one of these, and most texts have none of them."""
    return "=" in text or "://" in text or "DETAIL: " in text


def _mask(found: re.Match[str]) -> str:
    return f"{found['scheme']}{HIDDEN}@" if found["scheme"] else f"{found['name']}={HIDDEN}"


def _adopt_standard_logging(shared: list[Processor], render: list[Processor], stream: TextIO) -> None:
    """Libraries log through `logging`; their warnings appear in the same form."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared, processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *render]
        )
    )
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)


class BestEffortStream:
    """Text for `put`; what it cannot take is dropped: a full disk or a closed terminal ends nothing that is logged about.

    The first loss after a success is reported on standard error.
    """

    def __init__(self, put: Callable[[str], object], *, name: str, terminal: bool = False) -> None:
        self._put = put
        self._name = name
        self._terminal = terminal
        self._losing = False

    @classmethod
    def of(cls, file: LogFile | None) -> BestEffortStream:
        """One that appends to `file`, or to standard error."""
        if file is None:
            return cls(_standard_error, name="standard error", terminal=sys.stderr.isatty())
        return cls(file.append, name=str(file.path))

    def write(self, text: str) -> int:
        try:
            self._put(text)
        except (OSError, ValueError) as error:  # ValueError: the stream is closed
            self._report_loss(error)
        else:
            self._losing = False
        return len(text)

    def flush(self) -> None:
        """Each write has done it."""

    def isatty(self) -> bool:
        return self._terminal

    def _report_loss(self, error: OSError | ValueError) -> None:
        if self._losing:
            return
        self._losing = True
        with suppress(OSError, ValueError):
            reason = getattr(error, "strerror", None) or error
            _standard_error(f"matchwire: the log cannot be written to {self._name}: {reason}\n")


class LogFile:
    """A file that lines are appended to, readable for its owner and group alone. Raises OSError where it cannot be opened."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._stream = self._open_file()

    def append(self, text: str) -> None:
        """A line is one write, so that lines of several processes do not mix. Raises OSError."""
        with self._lock:
            self._stream.write(text.encode("utf-8", "backslashreplace"))

    def reopen(self) -> None:
        """Go on in the file that has the name now: another one, where the log was rotated. Raises OSError, and changes nothing."""
        fresh = self._open_file()
        with self._lock:
            stale, self._stream = self._stream, fresh
        stale.close()
        private_files.tighten(self.path)

    def close(self) -> None:
        self._stream.close()

    def _open_file(self) -> FileIO:
        return open(self.path, "ab", buffering=0, opener=private_files.opener)


def _standard_error(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()
