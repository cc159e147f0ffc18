"""From bytes to checked raw resources: XML whose errors come with the status of a good answer, and under any root."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mapping.errors import BadBody, MatchUnknown, ProviderRefused
from providers.fetch import check_teams
from providers.pa.catalog import EVENTS, LINEUPS, MATCH
from providers.pa.read import Row
from providers.xml_reader import decode_xml

ROWS = frozenset({"match", "event", "player", "error"})
"""Elements that stand in lists, also where there is one of them or none."""

ROOTS: Mapping[str, tuple[str, ...]] = {
    MATCH: ("matches", "liveMatches"),
    EVENTS: ("matchEvents",),
    LINEUPS: ("match",),
}


class NothingYet(MatchUnknown):
    """The provider says that no data are available."""


def find_match(body: bytes, match_id: str, names: Mapping[str, str]) -> Row:
    """The match. MatchUnknown for a well-formed answer without one, BadBody for what is about something else."""
    rows = all_matches(MATCH, body, names)
    found = next((row for row in rows if row.plain("matchID") == match_id), None)
    if found is None and not rows:
        raise MatchUnknown("the provider does not know the match")
    if found is None:
        raise BadBody(f"{MATCH}: the answer is about another match")
    return found


def all_matches(resource: str, body: bytes, names: Mapping[str, str]) -> list[Row]:
    """The matches of a list. BadBody where the answer is no such list."""
    listed = _root(resource, body, names).data.get("match", ())
    return [Row(each) for each in listed if isinstance(each, dict)]


def day_rows(resource: str, body: bytes, names: Mapping[str, str]) -> Sequence[object]:
    """The matches of a day, unread. NothingYet where the provider has none, BadBody for anything else."""
    try:
        found = _root(resource, body, names).data
    except NothingYet:
        raise
    except MatchUnknown as error:
        raise BadBody(f"{resource}: the provider does not know the list") from error
    rows: Sequence[object] = found.get("match", ())
    if found and not isinstance(rows, list):
        raise BadBody(f"{resource}: the answer is something else")
    return rows


def find_events(body: bytes, names: Mapping[str, str], hints: Mapping[str, str] | None = None) -> Row:
    """What happened, empty where there is nothing yet; BadBody where, by the hints, these teams do not play in this match."""
    events = _secondary(EVENTS, body, names)
    check_teams(EVENTS, teams_of(events.inner("teams")), hints or {})
    return events


def find_squads(body: bytes, match_id: str, names: Mapping[str, str]) -> Row:
    """Both squads; an empty element where there are none yet. BadBody for those of another match."""
    found = _secondary(LINEUPS, body, names)
    if found.data and found.plain("matchID") != match_id:
        raise BadBody(f"{LINEUPS}: the answer is about another match")
    return found


def count_rows(value: object) -> int:
    """How many events, or how many players of both teams, an answer has."""
    if isinstance(value, list):
        return len(value)
    fields = value.data if isinstance(value, Row) else value
    return sum(map(count_rows, fields.values())) if isinstance(fields, dict) else 0


def teams_of(row: Row) -> list[str | None]:
    """The ids of both teams that an element names, as far as they can be read."""
    return [row.inner(name).plain("teamID") for name in ("homeTeam", "awayTeam")]


def _secondary(resource: str, body: bytes, names: Mapping[str, str]) -> Row:
    try:
        return _root(resource, body, names)
    except MatchUnknown:
        return Row({})


def _root(resource: str, body: bytes, names: Mapping[str, str]) -> Row:
    """The outermost element. Of an error, which has a root of its own, what it means."""
    ((name, value),) = decode_xml(resource, body, ROWS).items()
    fields: dict[str, Any] = value if isinstance(value, dict) else {}
    if name == "errors" or "errors" in fields:
        said = str(value).casefold()
        if names["error_refused"].casefold() in said:
            raise ProviderRefused("the provider refuses access to it")
        if names["error_nothing"].casefold() in said:
            raise NothingYet("the provider does not know the match")
        if names["error_unknown"].casefold() in said:
            raise MatchUnknown("the provider does not know the match")
        raise BadBody(f"{resource}: the provider reports an error")
    if name not in ROOTS.get(resource, ROOTS[MATCH]) or (value and not fields):
        raise BadBody(f"{resource}: the answer is something else")
    return Row(fields)
