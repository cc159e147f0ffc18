"""Reading one value of the feed: plain JSON, much of it null, and what is not as documented is named, never guessed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING, Any

from mapping.match import Score
from providers.fault_collector import UNPRINTABLE, ValueMismatch

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

NUMBER = re.compile(r"[0-9]{1,18}", re.ASCII)
DATED = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T.+", re.ASCII)


@dataclass(frozen=True, slots=True)
class Row:
    """A JSON object of the feed; absent, null and empty are the same, and anything unexpected raises ValueMismatch."""

    data: Mapping[str, Any]
    path: str = ""

    @classmethod
    def of(cls, value: object, path: str = "") -> Row:
        """A member of a list, which should be an object."""
        if isinstance(value, dict):
            return cls(value, path)
        raise ValueMismatch(path, f"object expected, not {type(value).__name__}")

    def needed(self, name: str) -> Row:
        """The row itself; ValueMismatch where it lacks a field that the feed always sends."""
        if self.data.get(name) is None:
            raise ValueMismatch(self.at(name), "missing")
        return self

    def at(self, name: str) -> str:
        return f"{self.path}{name}"

    def text(self, name: str) -> str | None:
        """A string without control characters."""
        value = self.data.get(name)
        if value is None or isinstance(value, str):
            return UNPRINTABLE.sub("", value).strip() or None if value else None
        raise ValueMismatch(self.at(name), f"text expected, not {type(value).__name__}")

    def number(self, name: str) -> int | None:
        """A whole number of zero or more; one in quotes is taken as well."""
        value = self.data.get(name)
        if value is None or value == "":
            return None
        digits = value if isinstance(value, str) else str(value) if type(value) is int else ""
        if NUMBER.fullmatch(digits) is None:
            raise ValueMismatch(self.at(name), f"number expected, not {str(value)[:20]!r}")
        return int(digits)

    def ident(self, name: str) -> str | None:
        """An id; 0 stands for none."""
        value = self.number(name)
        return str(value) if value else None

    def flag(self, name: str) -> bool | None:
        value = self.data.get(name)
        if value is None or isinstance(value, bool):
            return value
        raise ValueMismatch(self.at(name), "true or false expected")

    def part(self, name: str) -> Row | None:
        """The object under this name."""
        value = self.data.get(name)
        if value is None or value == {}:
            return None
        if isinstance(value, dict):
            return Row(value, f"{self.at(name)}.")
        raise ValueMismatch(self.at(name), f"object expected, not {type(value).__name__}")

    def items(self, name: str) -> Sequence[object]:
        """The members of the list under this name, unread."""
        value = self.data.get(name)
        if value is None:
            return ()
        if isinstance(value, list):
            return value
        raise ValueMismatch(self.at(name), f"list expected, not {type(value).__name__}")

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


def score_of(row: Row, home: str, away: str) -> Score | None:
    """The score in two fields; None where both are empty, ValueMismatch where one is."""
    points = row.number(home), row.number(away)
    if points == (None, None):
        return None
    if points[0] is None or points[1] is None:
        raise ValueMismatch(row.at(home if points[0] is None else away), "missing")
    return Score(points[0], points[1])
