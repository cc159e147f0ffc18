"""Reading one value of the feed: what is not as documented raises ValueMismatch, and is never guessed."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from mapping.match.match import Score
from providers.fault_collector import ValueMismatch
from providers.json_row import JsonRow

MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,6})?Z", re.ASCII)


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
