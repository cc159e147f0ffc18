"""Reading one value of the feed: what is not as documented raises ValueMismatch, and is never guessed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo

from providers.fault_collector import UNPRINTABLE, ValueMismatch

LONDON = ZoneInfo("Europe/London")
"""All times are local ones of London."""
NUMBER = re.compile(r"[0-9]{1,9}", re.ASCII)
CLOCK = re.compile(r"([0-9]{1,3}):([0-5][0-9])", re.ASCII)


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
