"""Which sport and which competition a match belongs to, as far as its envelope tells."""

from __future__ import annotations

from typing import TYPE_CHECKING

from providers.fault_collector import ValueMismatch

if TYPE_CHECKING:
    from collections.abc import Mapping

    from providers.heim.payload import Found
    from providers.heim.read import Row

THIRDS, FOURTH, FIFTH = frozenset({"1", "2", "3"}), "4", "5"
"""Periods of catalogues and results: halves end at 2, thirds at 3, quarters at 4, sets at 5."""

UNKNOWN = "unknown"
PREFIX = "sport_"


def competition(found: Found) -> Row | None:
    """The competition: `round.season.competition` of the match, else the branch of the tree that has seasons."""
    row: Row | None = found.match
    for name in ("round", "season", "competition"):
        row = row.part(name) if row is not None else None
    return row or next((branch for branch in found.above if branch.has("season")), None)


def sport_of(found: Found, names: Mapping[str, str]) -> str:
    """The sport by its id; a match without one is told by its sides, its catalogue of periods and its words."""
    sport_id = _sport_id(found)
    if sport_id is None:
        return _guessed(found, names)
    known = (
        key.removeprefix(PREFIX)
        for key, value in names.items()
        if key.startswith(PREFIX) and sport_id in value.replace(" ", "").split(",")
    )
    return next(known, f"sport {sport_id}")


def _guessed(found: Found, names: Mapping[str, str]) -> str:
    """Races have no sides, players of tennis are teams of the type `none`, and parts have names of their own."""
    match = found.match
    if not (match.has("home") or match.has("away")):
        return "motorsports"
    word, periods = _word(match, "current_period"), found.period_ids | _periods(match)
    if _is_single(match) or (THIRDS | {FOURTH, FIFTH}) <= periods:
        return "tennis"
    if "-quarter-" in word or (THIRDS | {FOURTH}) <= periods:
        return names["quarters_are"] or UNKNOWN
    if "-third-" in word or periods >= THIRDS:
        return "icehockey"
    return "soccer"


def _is_single(match: Row) -> bool:
    sides = [side for side in (match.data.get("home"), match.data.get("away")) if isinstance(side, dict)]
    return any(side.get("type") == "none" for side in sides)


def _word(match: Row, name: str) -> str:
    value = match.data.get(name)
    return value if isinstance(value, str) else ""


def _periods(match: Row) -> frozenset[str]:
    """The periods that the result has rows for."""
    rows = match.data.get("match_result")
    found = (row.get("match_result_at") for row in (rows if isinstance(rows, list) else ()) if isinstance(row, dict))
    return frozenset(period for period in found if isinstance(period, str))


def _sport_id(found: Found) -> str | None:
    try:
        above = next((branch.ident("id") for branch in found.above if branch.has("competition")), None)
        return above or _told(found.match) or _told(competition(found))
    except ValueMismatch:
        return None


def _told(row: Row | None) -> str | None:
    if row is None:
        return None
    sport = row.part("sport")
    return sport.ident("id") if sport is not None else row.ident("sport_id")
