"""Documents with one place spoilt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

Path = tuple[Any, ...]

REMOVED = object()
"""What `spoilt` takes for a place that is not there."""


def places(value: Any, path: Path = ()) -> Iterator[Path]:
    """The path of everything inside a document."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inner:
        yield (*path, key)
        yield from places(each, (*path, key))


def spoilt(value: Any, path: Path, wrong: Any) -> Any:
    """A copy of the document with another value at the path; what is not on the way there is shared with it."""
    if not path:
        return wrong
    key, *rest = path
    copy = dict(value) if isinstance(value, dict) else list(value)
    if wrong is REMOVED and not rest:
        del copy[key]
    else:
        copy[key] = spoilt(value[key], tuple(rest), wrong)
    return copy
