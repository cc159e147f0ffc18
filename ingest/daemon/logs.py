"""Logs: one JSON object a line, readable lines on a terminal, and never a secret in either."""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, TextIO, cast

import structlog

from ingest.daemon.log_stream import BestEffortStream
from store import private

if TYPE_CHECKING:
    from pathlib import Path

    from structlog.typing import EventDict, Processor, WrappedLogger

SECRET_NAMES = re.compile(r"secret|password|passwd|api_?key|authorization|token", re.IGNORECASE)
SECRET_IN_TEXT = re.compile(
    r"(?P<name>client_secret|api_key|password|token)=[^&\s\"']+|(?P<scheme>https?://)[^/\s:@]+:[^/\s@]+@", re.IGNORECASE
)
HIDDEN = "[hidden]"


def configure(level: str, format_: str, file: Path | None = None) -> None:
    """Log everything from `level` up to `file` (or standard error): `json`, `console`, or by terminal (`auto`).

    Raises OSError where `file` cannot be opened; what cannot be written later ends nothing.
    """
    stream = cast("TextIO", BestEffortStream.of(file))
    readable = format_ == "console" or (format_ == "auto" and stream.isatty())
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        hide_secrets,
    ]
    render: list[Processor] = (
        [structlog.dev.ConsoleRenderer(colors=stream.isatty())]
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
        private.tighten(file)


def hide_secrets(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Replace what is named like a secret, and secrets inside of texts such as URLs."""
    return {name: HIDDEN if SECRET_NAMES.search(name) else _hidden(value) for name, value in event.items()}


def _hidden(value: object) -> object:
    if isinstance(value, str):
        return SECRET_IN_TEXT.sub(_mask, value)
    if isinstance(value, dict):
        return {name: HIDDEN if SECRET_NAMES.search(str(name)) else _hidden(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_hidden(each) for each in value]
    return value


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
