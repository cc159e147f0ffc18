"""What can keep a command from its work, and the one line that says so."""

from __future__ import annotations

import errno

from config import Settings
from config.errors import StartError
from ingest.kit.exit_status import ExitStatus
from mapping.errors import ServiceError, StoreUnavailable
from store.engine.errors import FAULTS, DatabaseAway, StoreError, reason
from store.engine.settings import name_of

FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""Errors of a disk or a quota without room."""


OPERATORS = (StartError, OSError, ValueError, StoreError, ServiceError, *FAULTS)
"""What can stop a start and is reported in one line, without a traceback."""


def status_of(error: BaseException) -> ExitStatus:
    """The exit status of a command that `error` ends."""
    if isinstance(error, StoreUnavailable | DatabaseAway) or (isinstance(error, OSError) and error.errno in FULL):
        return ExitStatus.UNAVAILABLE
    return ExitStatus.MISTAKE


def line_of(error: BaseException, settings: Settings | None = None) -> str:
    """What stopped the start, in one line that names the file, the key or the place."""
    if isinstance(error, FAULTS):
        place = "" if settings is None else f" {name_of(settings.database.url.get_secret_value())}"
        text = f"database.url: cannot use the database{place}: {reason(error)}"
    elif isinstance(error, OSError) and error.filename is not None:
        text = f"{error.filename}: {error.strerror}"
    else:
        text = str(error) or type(error).__name__
    return " ".join(text.split())
