"""Who is disqualified has no place in a ranking: those behind move up, where the feed has not moved them yet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mapping.match.match import RankingEntry


def is_disqualified(status: str | None, words: str) -> bool:
    """Whether the reason to have no place begins with one of the words, which commas separate, in any case."""
    first = (status or "").casefold().split()
    return bool(first) and first[0].strip(".,:") in {word.strip().casefold() for word in words.split(",")}


def close_gaps(places: Sequence[RankingEntry]) -> tuple[RankingEntry, ...]:
    """The ranking without the places of those who are disqualified; nobody moves up by more than there are of them."""
    out = sum(place.disqualified for place in places)
    if not out:
        return tuple(places)
    held = [place.position for place in places if place.position is not None and not place.disqualified]
    return tuple(replace(place, position=_position(place, held, out)) for place in places)


def _position(place: RankingEntry, held: Sequence[int], out: int) -> int | None:
    if place.disqualified or place.position is None:
        return None
    ahead = sum(position < place.position for position in held)
    return max(1 + ahead, place.position - out)
