"""Decodes a match of Stats Perform in either shape that the feed has for it, and reads its values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from mapping.errors import BadBody, MatchUnknown
from mapping.match.match import Score
from providers.fault_collector import ValueMismatch, read_if_fits
from providers.fetch import decode
from providers.json_row import JsonRow

ID = re.compile(r"[0-9a-z]{16,32}", re.ASCII)
"""Ids are base 36, of 24 or 25 characters so far; nobody promises their length."""
MATCH = "match"
"""The only resource: everything of one match."""
LISTS = ("goal", "card", "substitute")
"""The lists of incidents, each left out while it is empty."""
FEW = 2
"""So many rows of a list may have been a mistake all at once; after more, a list that is not there is a fault."""


MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,6})?Z", re.ASCII)


def find_match(body: bytes, match_id: str) -> Row:
    """The match. MatchUnknown for a well-formed answer without one, BadBody for what is about something else."""
    value = decode(MATCH, body)
    if value in (None, [], {}) or (isinstance(value, dict) and value.get("match") == []):
        raise MatchUnknown("the provider does not know the match")
    for row in _rows(value):
        if id_of(row) == match_id:
            return row
    raise BadBody(f"{MATCH}: the answer is about another match")


def sizes(body: bytes, match_id: str, before: Mapping[str, int]) -> dict[str, int]:
    """How many rows each list of the match's incidents has.

    Raises as `find_match` does, and BadBody where a list that had more than FEW rows `before` is not there.
    """
    now = _sizes(find_match(body, match_id))
    for name, number in before.items():
        if number > FEW and not now.get(name):
            raise BadBody(f"{MATCH}: all rows of {name} are gone at once")
    return now


def _sizes(match: Row) -> dict[str, int]:
    live = match.data.get("liveData")
    lists = live if isinstance(live, dict) else {}
    return {name: len(rows) for name in LISTS if isinstance(rows := lists.get(name), list)}


def all_matches(resource: str, body: bytes) -> Iterator[Row]:
    """The matches of a list. BadBody where the answer is no such list."""
    value = decode(resource, body)
    return iter(()) if value in (None, [], {}) else (row for row in _rows(value) if id_of(row))


def id_of(match: Row) -> str | None:
    """The match's id; None where nobody can read it."""
    info = read_if_fits(match.part, "matchInfo")
    return None if info is None else read_if_fits(info.text, "id")


def _rows(value: Any) -> list[Row]:
    listed = value.get("match") if isinstance(value, dict) and "match" in value else [value]
    rows = [Row(each) for each in (listed if isinstance(listed, list) else [listed]) if isinstance(each, dict)]
    if not any("matchInfo" in row.data for row in rows) and listed != []:
        raise BadBody(f"{MATCH}: the answer holds no match")
    return rows


class Row(JsonRow):
    """An object of this feed, which leaves a list out while it is empty."""

    __slots__ = ()
    NUMBER = re.compile(r"[0-9]{1,9}", re.ASCII)

    def moment(self, name: str) -> int | None:
        """`2021-09-11T18:30:06Z` → Unix seconds."""
        value = self.text(name)
        return None if value is None else moment_of(value, self.at(name))

    def score_in(self, name: str) -> Score | None:
        """`{home, away}`; None where there is none, ValueMismatch where a half of it is missing."""
        row = self.part(name)
        return None if row is None else row.score("home", "away")


def moment_of(value: str, name: str) -> int:
    """A date and time in UTC → Unix seconds."""
    try:
        if MOMENT.fullmatch(value):
            return int(datetime.fromisoformat(value).astimezone(UTC).timestamp())
    except (ValueError, OverflowError):
        pass
    raise ValueMismatch(name, f"date and time expected, not {value[:30]!r}")
