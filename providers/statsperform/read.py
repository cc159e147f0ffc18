"""Reading one value of the feed: what is not as documented raises ValueMismatch, and is never guessed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from mapping.match import Score
from providers.fault_collector import UNPRINTABLE, ValueMismatch

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

NUMBER = re.compile(r"[0-9]{1,9}", re.ASCII)
MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,6})?Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class Row:
    """A JSON object of the feed; absent, null and empty are the same."""

    data: Mapping[str, Any]
    path: str = ""

    def at(self, name: str) -> str:
        return f"{self.path}{name}"

    def needed(self, name: str) -> Row:
        """The row itself; ValueMismatch where it lacks a field that the feed always has."""
        if self.data.get(name) is None:
            raise ValueMismatch(self.at(name), "missing")
        return self

    def text(self, name: str) -> str | None:
        """A string without control characters."""
        value = self.data.get(name)
        if value is None or isinstance(value, str):
            return UNPRINTABLE.sub("", value).strip() or None if value else None
        raise ValueMismatch(self.at(name), f"text expected, not {type(value).__name__}")

    def number(self, name: str) -> int | None:
        """A whole number of zero or more; most are numbers, some are texts."""
        value = self.data.get(name)
        if value is None or value == "":
            return None
        digits = value if isinstance(value, str) else str(value) if type(value) is int else ""
        if NUMBER.fullmatch(digits) is None:
            raise ValueMismatch(self.at(name), f"number expected, not {str(value)[:20]!r}")
        return int(digits)

    def part(self, name: str) -> Row | None:
        """The object under this name."""
        value = self.data.get(name)
        if value is None or value == {}:
            return None
        if isinstance(value, dict):
            return Row(value, f"{self.at(name)}.")
        raise ValueMismatch(self.at(name), f"object expected, not {type(value).__name__}")

    def items(self, name: str) -> Sequence[object]:
        """The members of the list under this name, unread; the feed leaves a list out while it is empty."""
        value = self.data.get(name)
        if value is None:
            return ()
        if isinstance(value, list):
            return value
        raise ValueMismatch(self.at(name), f"list expected, not {type(value).__name__}")

    def moment(self, name: str) -> int | None:
        """`2021-09-11T18:30:06Z` → Unix seconds."""
        value = self.text(name)
        return None if value is None else moment_of(value, self.at(name))

    def score(self, name: str) -> Score | None:
        """`{home, away}`; None where there is none, ValueMismatch where a half of it is missing."""
        row = self.part(name) or Row({})
        home, away = row.number("home"), row.number("away")
        if (home is None) != (away is None):
            raise ValueMismatch(row.at("home" if home is None else "away"), "missing")
        return None if home is None or away is None else Score(home, away)


def row_of(value: object, path: str) -> Row:
    """A member of a list, which should be an object."""
    if isinstance(value, dict):
        return Row(value, path)
    raise ValueMismatch(path, f"object expected, not {type(value).__name__}")


def moment_of(value: str, name: str) -> int:
    """A date and time in UTC → Unix seconds."""
    try:
        if MOMENT.fullmatch(value):
            return int(datetime.fromisoformat(value).astimezone(UTC).timestamp())
    except (ValueError, OverflowError):
        pass
    raise ValueMismatch(name, f"date and time expected, not {value[:30]!r}")
