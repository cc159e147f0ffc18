"""Documents with one place spoilt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Path = tuple[Any, ...]

REMOVED = object()
"""What `spoilt` takes for a place that is not there."""

SHARES = [9, pytest.param(3, marks=pytest.mark.proof), pytest.param(1, marks=pytest.mark.soak)]
"""`make soak` puts each piece of junk into every place, a proof into every third one, a run into every ninth."""


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


def broken(value: Any, junk: Sequence[Any], share: int) -> Iterator[tuple[Path, Any]]:
    """(path, document with that place removed, or with a piece of junk in it), for every place and `share`th piece."""
    for number, path in enumerate(places(value)):
        for wrong in (REMOVED, *junk[number % share :: share]):
            yield path, spoilt(value, path, wrong)
