"""What a database's failure is called for whoever runs the daemon: the driver's own words."""

from __future__ import annotations

import re

from sqlalchemy import exc

from mapping.errors import StoreUnavailable

FAULTS = (StoreUnavailable, exc.SQLAlchemyError)
"""What comes from the database itself, whether it passes or not."""

DEPTH = 10
"""Causes of causes that are looked through for the words of the driver."""

_CLASS = re.compile(r"^<class '[^']*'>: ")


def cause_of(error: BaseException) -> str:
    """The words of the driver or of the operating system in one line, without the statement and its values."""
    cause = error
    for _ in range(DEPTH):
        inner = getattr(cause, "orig", None) or cause.__cause__
        if inner is None or isinstance(cause, OSError):
            break
        cause = inner
    if isinstance(cause, TimeoutError) and not str(cause):
        return "no answer in time"
    return _CLASS.sub("", str(cause)).partition("\n")[0] or type(cause).__name__
