"""What one poll knows of a match: the match itself, the answers, and what they make of each liveblog."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ingest.sync.change_cache import InputFingerprint
from mapping.posts import in_order

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mapping.match import Match
    from mapping.posts import Timed
    from mapping.terms import Terms
    from providers.base import Answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """A match as its last good bodies describe it, and what this poll adds to what is known.

    `good` names the sources (`play`, `text`) that answered well in this poll, changed or not; `packed` has new bodies as
    they are to be stored, where they are large.
    """

    match: Match
    good: frozenset[str]
    answers: tuple[Answer, ...] = ()
    hints: Mapping[str, str] | None = None
    packed: Mapping[str, bytes] | None = None
    _makings: dict[Terms, InputFingerprint] = field(default_factory=dict, repr=False, compare=False)
    _told: dict[Terms, list[Timed]] = field(default_factory=dict, repr=False, compare=False)

    def fingerprint(self, terms: Terms) -> InputFingerprint:
        """What it makes of a liveblog on these terms, found out once for all units of a poll."""
        found = self._makings.get(terms)
        if found is None:
            found = self._makings[terms] = InputFingerprint.of(self.match, terms)
        return found

    def prepare(self, asked: Iterable[Terms]) -> None:
        """Find out all of this beforehand; pure, and long where there are very many rows."""
        for terms in asked:
            self.fingerprint(terms)
            self.told(terms)

    def told(self, terms: Terms) -> list[Timed]:
        """What there is to be posted on these terms, in the order of play, likewise."""
        found = self._told.get(terms)
        if found is None:
            found = self._told[terms] = in_order(self.match, terms)
        return found
