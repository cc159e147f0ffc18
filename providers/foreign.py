"""Tells an answer about another match from one about this match by the teams that it names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mapping.errors import BadBody

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

SIDES = "sides"
"""The hint that holds the ids of both teams, one a line."""

MOST = 40
"""Ids that are kept of one match at most; a hint is stored with each match."""


def joined(ids: Iterable[str | None]) -> str:
    """The value of the hint for these ids; the same for the same ids in any order."""
    return "\n".join(sorted({each for each in ids if each})[:MOST])


def check_teams(resource: str, named: Iterable[str | None], hints: Mapping[str, str]) -> None:
    """BadBody where an answer names teams and none of them plays in this match.

    A stray team beside our own is no sign of another match. Nothing is checked before both teams are known.
    """
    ours, found = set(filter(None, hints.get(SIDES, "").split("\n"))), {each for each in named if each}
    if len(ours) > 1 and found and not found & ours:
        raise BadBody(f"{resource}: the answer is about another match")


def ids_in(value: Any) -> Iterator[str]:
    """Every id in an object and in the objects directly inside it, whatever it is called: `id`, `teamId`, `xids`."""
    for at, inner in value.items() if isinstance(value, dict) else ():
        if at.lower().endswith(("id", "ids")):
            yield from _scalars(inner)
        elif isinstance(inner, dict):
            for name, scalar in inner.items():
                if name.lower().endswith(("id", "ids")):
                    yield from _scalars(scalar)


def _scalars(value: Any) -> Iterator[str]:
    for each in value if isinstance(value, list) else [value]:
        if isinstance(each, str | int) and not isinstance(each, bool):
            yield str(each).strip()
