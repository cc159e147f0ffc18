"""Which sport and which competition a match belongs to, as far as its envelope tells."""

from __future__ import annotations

from typing import TYPE_CHECKING

from providers.heim.read import MisfitError, Row

if TYPE_CHECKING:
    from collections.abc import Mapping

    from providers.heim.payload import Found

FOREIGN_PERIOD = "3"
"""Thirds, quarters and sets are counted further than halves are."""

UNKNOWN = "unknown"
PREFIX = "sport_"


def competition(found: Found) -> Row | None:
    """The competition: `round.season.competition` of the match, else the branch of the tree that has seasons."""
    row: Row | None = found.match
    for name in ("round", "season", "competition"):
        row = row.part(name) if row is not None else None
    return row or next((branch for branch in found.above if branch.has("season")), None)


def sport_of(found: Found, names: Mapping[str, str]) -> str:
    """The sport by its id; a bare match without one is told by its catalogue of periods and by its two sides."""
    sport_id = _sport_id(found)
    if sport_id is not None:
        known = (
            key.removeprefix(PREFIX) for key, value in names.items() if key.startswith(PREFIX) and value == sport_id
        )
        return next(known, f"sport {sport_id}")
    two_sided = found.match.has("home") or found.match.has("away")
    return "soccer" if two_sided and FOREIGN_PERIOD not in found.period_ids else UNKNOWN


def _sport_id(found: Found) -> str | None:
    try:
        above = next((branch.ident("id") for branch in found.above if branch.has("competition")), None)
        return above or _told(found.match) or _told(competition(found))
    except MisfitError:
        return None


def _told(row: Row | None) -> str | None:
    if row is None:
        return None
    sport = row.part("sport")
    return sport.ident("id") if sport is not None else row.ident("sport_id")
