"""What a source can give at all: of what it never gives, its silence says nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mapping.match import Match

GivenKinds = dict[str, frozenset[str]]
"""Provider → the event types that it may give; one that is not there may give all."""
WHISTLES = frozenset({"soccer.pause-halves", "soccer.resume-halves"})


def gives(kinds: Mapping[str, frozenset[str]], match: Match, wanted: Callable[[str], bool]) -> bool:
    """Whether the provider of a match may give an event type that is wanted."""
    given = kinds.get(match.provider)
    return given is None or any(map(wanted, given))


def gives_whistles(kinds: Mapping[str, frozenset[str]], match: Match) -> bool:
    """Whether the provider says when a part of the match begins and ends; another one shows it by a goal at most."""
    return gives(kinds, match, WHISTLES.__contains__)
