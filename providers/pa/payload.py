"""Decodes PA's XML and reads its values; the feed sends its errors with the status of a good answer.

A value that is not as documented raises ValueMismatch, and is never guessed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo

from mapping.errors import BadBody, MatchUnknown, ProviderRefused
from providers.fault_collector import UNPRINTABLE, ValueMismatch
from providers.fetch import check_teams
from providers.pa.catalog import EVENTS, LINEUPS, MATCH
from providers.xml_reader import decode_xml

ROWS = frozenset({"match", "event", "player", "error"})
"""Elements that stand in lists, also where there is one of them or none."""

ROOTS: Mapping[str, tuple[str, ...]] = {
    MATCH: ("matches", "liveMatches"),
    EVENTS: ("matchEvents",),
    LINEUPS: ("match",),
}


LONDON = ZoneInfo("Europe/London")
"""All times are local ones of London."""
NUMBER = re.compile(r"[0-9]{1,9}", re.ASCII)
CLOCK = re.compile(r"([0-9]{1,3}):([0-5][0-9])", re.ASCII)


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


@dataclass(frozen=True, slots=True)
class Row:
    """An element of the feed: its attributes and children by name; one that is absent and one that is empty are the same."""

    data: Mapping[str, Any]
    path: str = ""

    def at(self, name: str) -> str:
        return f"{self.path}{name}"

    def needed(self, name: str) -> Row:
        """The row itself; ValueMismatch where it lacks what the feed always has."""
        if self.data.get(name) in (None, ""):
            raise ValueMismatch(self.at(name), "missing")
        return self

    def text(self, name: str) -> str | None:
        """An attribute or the text of a child, without control characters."""
        value = self.data.get(name)
        if value is None or isinstance(value, str):
            return UNPRINTABLE.sub("", value).strip() or None if value else None
        raise ValueMismatch(self.at(name), "text expected, not elements")

    def number(self, name: str) -> int | None:
        """A whole number of zero or more."""
        value = self.text(name)
        if value is not None and NUMBER.fullmatch(value) is None:
            raise ValueMismatch(self.at(name), f"number expected, not {value[:20]!r}")
        return None if value is None else int(value)

    def clock(self, name: str) -> int | None:
        """`86:26` → seconds."""
        value = self.text(name)
        read = None if value is None else CLOCK.fullmatch(value)
        if value is not None and read is None:
            raise ValueMismatch(self.at(name), f"minutes and seconds expected, not {value[:20]!r}")
        return None if read is None else 60 * int(read[1]) + int(read[2])

    def part(self, name: str) -> Row | None:
        """The child of this name, which has attributes or children."""
        value = self.data.get(name)
        if value in (None, ""):
            return None
        if isinstance(value, dict):
            return Row(value, f"{self.at(name)}.")
        raise ValueMismatch(self.at(name), "an element with attributes or children expected")

    def inner(self, name: str) -> Row:
        """The child of this name as far as it can be read; an empty one where it cannot."""
        value = self.data.get(name)
        return Row(value if isinstance(value, dict) else {}, f"{self.at(name)}.")

    def plain(self, name: str) -> str | None:
        """An attribute as it is; None where it is not there, or something else."""
        value = self.data.get(name)
        return value if isinstance(value, str) else None

    def items(self, container: str, name: str) -> Sequence[object]:
        """The rows of this name in a child, unread; none where the child is not there or empty."""
        inner = self.part(container)
        return () if inner is None else inner.data.get(name, ())


def row_of(value: object, path: str) -> Row:
    """A member of a list, which should have attributes or children."""
    if isinstance(value, dict):
        return Row(value, path)
    raise ValueMismatch(path.rstrip("."), "an element with attributes or children expected")
