"""Decodes a match of OpenLigaDB and reads its values; what is not as documented is reported by name, never guessed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, tzinfo
from typing import Any

from mapping.errors import BadBody, MatchUnknown
from providers.fault_collector import ValueMismatch, read_if_fits
from providers.fetch import decode
from providers.json_row import JsonRow

MATCH = "match"
"""The only resource: teams, goals, results and times of one match."""

NOTHING: tuple[Any, ...] = (None, [], {})
"""Well-formed answers that say that there is no match."""

LEAGUE = r"[A-Za-z0-9][A-Za-z0-9_.-]{0,39}"
LISTED = re.compile(rf"({LEAGUE})(?:[:/]([0-9]{{4}}))?", re.ASCII)
"""A league whose matches are listed: `bl1:2026` those of the season, `bl1` those of its current round."""


DATED = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T.+", re.ASCII)


def find_match(body: bytes, match_id: str) -> Row:
    """The match. MatchUnknown for a well-formed answer without one, BadBody for what is about something else."""
    value = decode(MATCH, body)
    if value in NOTHING:
        raise MatchUnknown("the provider does not know the match")
    for row in _rows(value):
        if read_if_fits(row.ident, "matchID") == match_id:
            return row
    raise BadBody(f"{MATCH}: the answer is about another match")


def whole_match(body: bytes, match_id: str) -> Row:
    """The match, with goals that can all be distinguished.

    BadBody where one cannot: nothing but its score says which goal it is, and what is left out would be taken back.
    """
    row = find_match(body, match_id)
    try:
        for at, item in enumerate(row.items("goals")):
            Row.of(item, f"goals.{at}.").score("scoreTeam1", "scoreTeam2")
    except ValueMismatch as mismatch:
        raise BadBody(f"{MATCH}: {mismatch}") from None
    return row


def all_matches(resource: str, body: bytes) -> Iterator[tuple[str, Row]]:
    """(id, match) of a list of matches. BadBody where the answer is no such list."""
    value = decode(resource, body)
    for row in () if value in NOTHING else _rows(value):
        match_id = read_if_fits(row.ident, "matchID")
        if match_id is not None:
            yield match_id, row


def _rows(value: Any) -> list[Row]:
    rows = [Row(row) for row in (value if isinstance(value, list) else [value]) if isinstance(row, dict)]
    if not any("matchID" in row.data for row in rows):
        raise BadBody(f"{MATCH}: the answer holds no match")
    return rows


def league_paths(leagues: object) -> tuple[str, ...]:
    """What stands for each league in the path of its list. ValueError for what is none."""
    if not isinstance(leagues, list | tuple):
        raise ValueError('leagues is a list such as ["bl1:2026", "bl2"]')  # noqa: TRY004 -- callers catch one kind of error
    found = [LISTED.fullmatch(each.strip()) if isinstance(each, str) else None for each in leagues]
    for league, named in zip(leagues, found, strict=True):
        if named is None:
            raise ValueError(f'{league!r} is no league such as "bl1:2026" or "bl1"')
    return tuple("/".join(filter(None, named.groups())) for named in found if named is not None)


class Row(JsonRow):
    """An object of this feed."""

    __slots__ = ()

    def ident(self, name: str) -> str | None:
        """An id; 0 stands for none."""
        value = self.number(name)
        return str(value) if value else None

    def flag(self, name: str) -> bool | None:
        value = self.data.get(name)
        if value is None or isinstance(value, bool):
            return value
        raise ValueMismatch(self.at(name), "true or false expected")

    def moment(self, name: str, zone: tzinfo) -> int | None:
        """ISO 8601 → Unix seconds; in `zone` where the text names none."""
        value = self.text(name)
        if value is None:
            return None
        try:
            moment = datetime.fromisoformat(value) if DATED.fullmatch(value) else None
            if moment is not None:
                return int((moment if moment.tzinfo else moment.replace(tzinfo=zone)).timestamp())
        except (ValueError, OverflowError):
            pass
        raise ValueMismatch(self.at(name), f"date and time expected, not {value[:30]!r}")
