"""Reads values of stored documents without trusting them: what is missing or of the wrong kind is simply not there."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

Json = dict[str, Any]
DAY = 86_400
FIRST, LAST = -62_135_596_800, 253_402_300_799  # the years 1 and 9999, all that a datetime can hold
RENDER_ERRORS = (TypeError, ValueError, KeyError, AttributeError, IndexError, OverflowError, RecursionError)
"""What a document that should not exist may make the rendering raise."""


def at(value: Any, *path: str) -> Any:
    """What stands at the end of the path, or None."""
    for name in path:
        if not isinstance(value, dict):
            return None
        value = value.get(name)
    return value


def node(value: Any, *path: str) -> Json:
    """The object at the path, or an empty one."""
    found = at(value, *path)
    return found if isinstance(found, dict) else {}


def nodes(value: Any, *path: str) -> list[Json]:
    """The objects of the array at the path."""
    found = at(value, *path)
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def text(value: Any, *path: str) -> str:
    """The text at the path, trimmed, or an empty one; a number counts as text, a lone surrogate as a question mark."""
    found = at(value, *path)
    if isinstance(found, bool) or not isinstance(found, str | int | float):
        return ""
    return str(found).encode("utf-8", "replace").decode().strip()


def number(value: Any, *path: str) -> int | None:
    """The integer at the path, or None."""
    found = at(value, *path)
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def instant(seconds: int | None) -> datetime:
    """Unix seconds as UTC, kept within the years that a datetime can hold."""
    return datetime.fromtimestamp(min(max(seconds or 0, FIRST), LAST), UTC)


def local(seconds: int, zone: ZoneInfo) -> datetime:
    """Unix seconds as the time of `zone`, kept a day within those years, so that every zone has it."""
    return datetime.fromtimestamp(min(max(seconds, FIRST + DAY), LAST - DAY), zone)


def kind(value: Any) -> str:
    """The last part of `_type`: `Svc::Model::Content::QuoteContentBlock` is a `QuoteContentBlock`."""
    return text(value, "_type").rpartition("::")[2]


def rfc3339(seconds: int) -> str:
    """Unix seconds as Atom writes them."""
    return instant(seconds).strftime("%Y-%m-%dT%H:%M:%SZ").rjust(20, "0")
