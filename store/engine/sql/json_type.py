"""JSON as it stands in the database: compact, readable, and never a value that could not be given back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic_core import from_json, to_json
from sqlalchemy import Dialect, Text
from sqlalchemy.types import TypeDecorator


def dumps(value: Any) -> str:
    """Compact JSON text; NUL and other control characters are escaped, so that PostgreSQL takes them too.

    Raises ValueError for NaN and infinities.
    """
    written = to_json(value, inf_nan_mode="constants", fallback=_plain)
    if b"NaN" in written or b"Infinity" in written:  # in a text, or as a number
        return _STRICT.encode(value)
    return written.decode()


def loads(text: str) -> Any:
    """The value that `dumps` wrote; what another hand has written is read as leniently as Python can."""
    try:
        return from_json(text)
    except ValueError:
        return json.loads(text)


def column_value(value: Any) -> str | None:
    """What a column holds for the value."""
    return None if value is None else dumps(value)


class Unreadable:
    """Stands for the value of a column whose text is no JSON: whoever needs it fails, and nobody who reads its neighbours."""

    def __repr__(self) -> str:
        return "<no JSON>"


UNREADABLE = Unreadable()


def read(text: str | None) -> Any:
    """The value of a column that holds the text, UNREADABLE where it is no JSON."""
    if text is None:
        return None
    try:
        return loads(text)
    except (ValueError, TypeError, RecursionError):
        return UNREADABLE


def _plain(value: Any) -> dict[Any, Any]:
    """Mappings that are no dict, such as read-only views, are objects too."""
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is no JSON value")


_STRICT = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_plain)


class Json(TypeDecorator[Any]):
    """A TEXT column holding a JSON value; None is NULL."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:  # noqa: ARG002 -- SQLAlchemy's signature
        return column_value(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:  # noqa: ARG002 -- SQLAlchemy's signature
        return read(value)
