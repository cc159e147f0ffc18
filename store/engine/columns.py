"""The metadata of all tables, and the kinds of their columns, JSON among them.

Documents are JSON text: compact, readable, and never a value that could not be given back. What is searched, sorted or joined
by stands in a column of its own. Times are Unix seconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from json import JSONDecoder, JSONEncoder
from typing import Any

from pydantic_core import from_json, to_json
from sqlalchemy import BigInteger, Column, Dialect, Index, Integer, MetaData, Text
from sqlalchemy.types import TypeDecorator

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    }
)

Bytewise = Text().with_variant(Text(collation="C"), "postgresql")
"""Text that sorts by its bytes on both databases."""
Counter = BigInteger().with_variant(Integer(), "sqlite")
"""A key that the database counts up; SQLite does so for INTEGER only."""


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
        return JSONDecoder().decode(text)


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


_STRICT = JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_plain)


class Json(TypeDecorator[Any]):
    """A TEXT column holding a JSON value; None is NULL."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:  # noqa: ARG002 -- SQLAlchemy's signature
        return column_value(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:  # noqa: ARG002 -- SQLAlchemy's signature
        return read(value)


def text(name: str, *args: Any, **kwargs: Any) -> Column[Any]:
    return Column(name, Text, *args, **{"nullable": False, **kwargs})


def integer(name: str, **kwargs: Any) -> Column[Any]:
    return Column(name, BigInteger, **{"nullable": False, **kwargs})


def json(name: str, **kwargs: Any) -> Column[Any]:
    return Column(name, Json, **{"nullable": False, **kwargs})


def partial_index(name: str | None, *columns: str, only: str) -> Index:
    """An index of the rows alone of which `only` holds, SQL that a query has to repeat, constants and all, to be answered by it.

    Its revision makes it so. Here that is a note: with options of its dialect a daemon on SQLite would load PostgreSQL's.
    """
    return Index(name, *columns, info={"only": only})
