"""Reads one value of a JSON object; what is not as documented is reported by name, and never guessed.

An adapter adds what its feed has besides.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from mapping.match.match import Score
from providers.fault_collector import UNPRINTABLE, ValueMismatch


@dataclass(frozen=True, slots=True)
class JsonRow:
    """A JSON object of the feed; absent, null and empty are the same, and anything unexpected raises ValueMismatch."""

    data: Mapping[str, Any]
    path: str = ""

    NUMBER: ClassVar = re.compile(r"[0-9]{1,18}", re.ASCII)
    """The form of a number."""

    @classmethod
    def of(cls, value: object, path: str = "") -> Self:
        """A member of a list, which should be an object."""
        if isinstance(value, dict):
            return cls(value, path)
        raise ValueMismatch(path, f"object expected, not {type(value).__name__}")

    def needed(self, name: str) -> Self:
        """The row itself; ValueMismatch where it lacks a field that the feed always has."""
        if self.data.get(name) is None:
            raise ValueMismatch(self.at(name), "missing")
        return self

    def at(self, name: str) -> str:
        """What a field is called in a fault."""
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
        if self.NUMBER.fullmatch(digits) is None:
            raise ValueMismatch(self.at(name), f"number expected, not {str(value)[:20]!r}")
        return int(digits)

    def part(self, name: str) -> Self | None:
        """The object under this name."""
        value = self.data.get(name)
        if value is None or value == {}:
            return None
        if isinstance(value, dict):
            return type(self)(value, f"{self.at(name)}.")
        raise ValueMismatch(self.at(name), f"object expected, not {type(value).__name__}")

    def items(self, name: str) -> Sequence[object]:
        """The members of the list under this name, unread."""
        value = self.data.get(name)
        if value is None:
            return ()
        if isinstance(value, list):
            return value
        raise ValueMismatch(self.at(name), f"list expected, not {type(value).__name__}")

    def score(self, home: str, away: str) -> Score | None:
        """The score in two fields; None where both are empty, ValueMismatch where one is."""
        points = self.number(home), self.number(away)
        if points == (None, None):
            return None
        if points[0] is None or points[1] is None:
            raise ValueMismatch(self.at(home if points[0] is None else away), "missing")
        return Score(points[0], points[1])
