"""Decodes bodies of HEIM:SPIEL: a match in either envelope, its sport and competition, and rows of the list resources."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from mapping.errors import BadBody, MatchUnknown
from providers.fault_collector import FaultCollector, read_if_fits
from providers.fetch import decode
from providers.heim.read import Row

MATCH, EVENTS, TEXT = "match", "match-event", "liveticker"
"""Names of the resources."""

EMBEDDED = "match_event"
"""Newer match bodies carry the events themselves."""

TELLTALE = {EVENTS: "action", TEXT: "tickertime"}
"""The field by which a row of a list resource is known; answers of other resources have been seen in its place."""

BRANCHES = ("competition", "season", "round", "match")

THIRDS, FOURTH, FIFTH = frozenset({"1", "2", "3"}), "4", "5"
"""Periods of catalogues and results: halves end at 2, thirds at 3, quarters at 4, sets at 5."""

UNKNOWN_SPORT = "unknown"
SPORT_PREFIX = "sport_"


@dataclass(frozen=True, slots=True)
class Found:
    """A match and what its envelope adds; `above` are the branches of the tree, the sport first."""

    match: Row
    above: tuple[Row, ...] = ()
    period_ids: frozenset[str] = frozenset()
    """Ids of the period catalogue beside the match; empty where there is none."""


def find_match(body: bytes, match_id: str) -> Found:
    """The match in either envelope. MatchUnknown for a well-formed answer without the match, BadBody for any other."""
    value = decode(MATCH, body)
    if value in ([], {}):
        raise MatchUnknown("the provider does not know the match")
    if isinstance(value, dict) and isinstance(value.get("match"), dict):
        match = Row(value["match"])
        if read_if_fits(match.ident, "id") != match_id:
            raise BadBody(f"{MATCH}: the answer is about another match")
        return Found(match, period_ids=_period_ids(value))
    for found in matches(value):
        if read_if_fits(found.match.ident, "id") == match_id:
            return found
    raise MatchUnknown("the provider does not know the match")


def all_matches(resource: str, body: bytes) -> tuple[Found, ...]:
    """Every match of a tree. BadBody where the answer is none."""
    value = decode(resource, body)
    return () if value in ([], {}) else tuple(matches(value))


def matches(value: Any) -> Iterator[Found]:
    """The matches of a tree, which may begin at any level (sports, competitions, …). BadBody where it is no tree."""
    nodes = [node for node in (value if isinstance(value, list) else [value]) if isinstance(node, dict)]
    if not any(branch in node for node in nodes for branch in BRANCHES):
        raise BadBody(f"{MATCH}: the answer holds no match")
    for node in nodes:
        yield from _walk(node, (), _period_ids(node))


def _walk(node: Mapping[str, Any], above: tuple[Row, ...], period_ids: frozenset[str]) -> Iterator[Found]:
    path = (*above, Row(node))
    for branch in BRANCHES:
        under = node.get(branch)
        for child in under if isinstance(under, list) else [under]:
            if not isinstance(child, dict):
                continue
            if branch == "match":
                yield Found(Row(child), path, period_ids)
            else:
                yield from _walk(child, path, period_ids)


def _period_ids(node: Mapping[str, Any]) -> frozenset[str]:
    rows = node.get("match_result_at")
    if not isinstance(rows, list):
        return frozenset()
    return frozenset(str(row["id"]) for row in rows if isinstance(row, dict) and "id" in row)


def list_rows(resource: str, body: bytes, match_id: str) -> tuple[Any, ...]:
    """The rows of a list resource, unchecked one by one. BadBody where none of them can belong to this resource."""
    value = decode(resource, body)
    if isinstance(value, dict) and isinstance(value.get(resource), list):  # the text of a conference of matches
        value = [row for row in value[resource] if isinstance(row, dict) and str(row.get("match_id")) == match_id]
    return check_rows(resource, value)


def check_rows(resource: str, value: Any) -> tuple[Any, ...]:
    """`value` as rows of this list resource, or BadBody."""
    if not isinstance(value, list):
        raise BadBody(f"{resource}: list expected")
    if value and not any(isinstance(row, dict) and TELLTALE[resource] in row for row in value):
        raise BadBody(f"{resource}: the answer is about something else")
    return tuple(value)


def team_ids(resource: str, rows: tuple[Any, ...]) -> Iterator[str | None]:
    """The team that each row is about, where it names one; an item of text is about the team of its event."""

    def team_id(value: object) -> str | None:
        row = Row.of(value).part("event") if resource == TEXT else Row.of(value)
        if row is None:
            return None
        team = row.part("team")
        return row.ident("team_id") if team is None else team.ident("id")

    return (read_if_fits(team_id, value) for value in rows)


def embedded_rows(match: Row) -> tuple[Any, ...] | None:
    """The events inside a match, None where the match has no such field."""
    rows = match.data.get(EMBEDDED)
    return None if rows is None else check_rows(EVENTS, rows)


def competition(found: Found) -> Row | None:
    """The competition: `round.season.competition` of the match, else the branch of the tree that has seasons."""
    row: Row | None = found.match
    for name in ("round", "season", "competition"):
        row = row.part(name) if row is not None else None
    return row or next((branch for branch in found.above if branch.has("season")), None)


def round_of(found: Found) -> Row | None:
    """The round, of a race its session: inside the match, or the branch of the tree right above it."""
    return found.match.part("round") or next((branch for branch in found.above if branch.has("match")), None)


def race_title(found: Found, faults: FaultCollector) -> str | None:
    """`Formula E, Buenos Aires: Race`, as far as series, weekend and session are named."""
    weekend = faults.try_read(competition, found)
    series = faults.try_read(weekend.part, "topic") if weekend is not None else None
    session = faults.try_read(round_of, found)
    names = [faults.try_read(row.text, "name") if row is not None else None for row in (series, weekend, session)]
    return ": ".join(filter(None, (", ".join(filter(None, names[:2])), names[2]))) or None


def sport_of(found: Found, names: Mapping[str, str]) -> str:
    """The sport by its id; a match without one is recognized by its sides, its catalogue of periods and its values."""
    return named_sport(found, names) or _guess_sport(found, names)


def named_sport(found: Found, names: Mapping[str, str]) -> str | None:
    """The sport by its id; None where none is given."""
    sport_id = read_if_fits(_sport_id, found)
    if sport_id is None:
        return None
    known = (
        key.removeprefix(SPORT_PREFIX)
        for key, value in names.items()
        if key.startswith(SPORT_PREFIX) and sport_id in value.replace(" ", "").split(",")
    )
    return next(known, f"sport {sport_id}")


def _guess_sport(found: Found, names: Mapping[str, str]) -> str:
    """Races have no sides, players of tennis are teams of the type `none`, and parts have names of their own."""
    match = found.match
    if not (match.has("home") or match.has("away")):
        return "motorsports"
    period, periods = _text_of(match, "current_period"), found.period_ids | _result_periods(match)
    if _is_single(match) or (THIRDS | {FOURTH, FIFTH}) <= periods:
        return "tennis"
    if "-quarter-" in period or (THIRDS | {FOURTH}) <= periods:
        return names["quarters_are"] or UNKNOWN_SPORT
    if "-third-" in period or periods >= THIRDS:
        return "icehockey"
    return "soccer"


def _is_single(match: Row) -> bool:
    sides = [side for side in (match.data.get("home"), match.data.get("away")) if isinstance(side, dict)]
    return any(side.get("type") == "none" for side in sides)


def _text_of(match: Row, name: str) -> str:
    value = match.data.get(name)
    return value if isinstance(value, str) else ""


def _result_periods(match: Row) -> frozenset[str]:
    """The periods that the result has rows for."""
    rows = match.data.get("match_result")
    found = (row.get("match_result_at") for row in (rows if isinstance(rows, list) else ()) if isinstance(row, dict))
    return frozenset(period for period in found if isinstance(period, str))


def _sport_id(found: Found) -> str | None:
    above = next((branch.ident("id") for branch in found.above if branch.has("competition")), None)
    return above or _sport_field(found.match) or _sport_field(competition(found))


def _sport_field(row: Row | None) -> str | None:
    if row is None:
        return None
    sport = row.part("sport")
    return sport.ident("id") if sport is not None else row.ident("sport_id")
