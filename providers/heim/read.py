"""Reads rows of the feed: every scalar is a string, and a value that is not as documented is named, never guessed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import Any, TypeVar

from mapping.documents.countries import alpha2
from mapping.match.match import Person, Side, SideName
from providers.fault_collector import UNPRINTABLE, FaultCollector, ValueMismatch

T = TypeVar("T")

DIGITS = 18
MOMENTS = ("%d.%m.%Y %H:%M:%S", "%d.%m.%Y %H:%M", "%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M")
USUAL = re.compile(r"([0-9]{2})\.([0-9]{2})\.([0-9]{4})( [0-9]{2}:[0-9]{2}(?::[0-9]{2})?)?", re.ASCII)
"""What nearly all dates look like: read without `strptime`, which was a third of a translation."""
BLANK_MOMENT = re.compile(r"[0:. -]*")
"""`0000-00-00 00:00:00` and the like: the feed's way to say nothing."""


@dataclass(frozen=True, slots=True)
class Row:
    """A JSON object of the feed; absent, null and empty are the same, and anything unexpected raises ValueMismatch."""

    data: Mapping[str, Any]
    path: str = ""

    @classmethod
    def of(cls, value: object, name: str = "") -> Row:
        """A member of a list, which should be an object; `name` is what a fault calls it."""
        if isinstance(value, dict):
            return cls(value)
        raise ValueMismatch(name, f"object expected, not {type(value).__name__}")

    def at(self, name: str) -> str:
        return f"{self.path}{name}"

    def has(self, name: str) -> bool:
        return name in self.data

    def needed(self, name: str) -> Row:
        """The row itself; ValueMismatch where it lacks a field that the feed always sends with something in it."""
        if self.data.get(name) in (None, "", []):
            raise ValueMismatch(self.at(name), "missing")
        return self

    def text(self, name: str) -> str | None:
        """A string without control characters; a plain number is taken as its digits."""
        value = self.data.get(name)
        if isinstance(value, str):
            return (value if value.isprintable() else UNPRINTABLE.sub("", value)).strip() or None
        if value is None:
            return None
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        raise ValueMismatch(self.at(name), f"text expected, not {type(value).__name__}")

    def number(self, name: str) -> int | None:
        """A whole number of zero or more."""
        value = self.text(name)
        if value is None:
            return None
        if not (value.isdecimal() and value.isascii() and len(value) <= DIGITS):
            raise ValueMismatch(self.at(name), f"number expected, not {value[:20]!r}")
        return int(value)

    def ident(self, name: str) -> str | None:
        """An id; `"0"` stands for none."""
        value = self.number(name)
        return str(value) if value else None

    def identity(self) -> str:
        """The row's own id."""
        found = self.ident("id")
        if found is None:
            raise ValueMismatch(self.at("id"), "missing")
        return found

    def flag(self, name: str) -> bool | None:
        """`yes` or `no`."""
        value = self.data.get(name)
        if value is None or value == "":
            return None
        if isinstance(value, bool):
            return value
        if value in ("yes", "no"):
            return bool(value == "yes")
        raise ValueMismatch(self.at(name), "yes or no expected")

    def needed_number(self, name: str) -> int | None:
        """`number` of a field that the feed always sends."""
        return self.needed(name).number(name)

    def needed_flag(self, name: str) -> bool | None:
        """`flag` of a field that the feed always sends."""
        return self.needed(name).flag(name)

    def needed_ident(self, name: str) -> str | None:
        """`ident` of a field that the feed always sends."""
        return self.needed(name).ident(name)

    def part(self, name: str) -> Row | None:
        """The object under this name."""
        value = self.data.get(name)
        if isinstance(value, dict):
            return Row(value, f"{self.at(name)}.") if value else None
        if value in (None, "", "0", 0, []):
            return None
        raise ValueMismatch(self.at(name), f"object expected, not {type(value).__name__}")

    def needed_items(self, name: str) -> Sequence[object]:
        """`items` of a list that the feed always sends with something in it."""
        return self.needed(name).items(name)

    def items(self, name: str) -> Sequence[object]:
        """The members of the list under this name, unread; a lone value counts as a list of one."""
        value = self.data.get(name)
        if value in (None, "", "0", 0):
            return ()
        return value if isinstance(value, list) else (value,)

    def moment(self, name: str, zone: tzinfo) -> int | None:
        """Local date and time → Unix seconds. An hour that comes twice is taken as the first (providers.local_times)."""
        value = self.text(name)
        if value is None or BLANK_MOMENT.fullmatch(value):
            return None
        return seconds(value, MOMENTS, zone, self.at(name))

    def day(self, name: str) -> int | None:
        """A calendar day → Unix seconds of its midnight in UTC."""
        value = self.text(name)
        if value is None or BLANK_MOMENT.fullmatch(value):
            return None
        return seconds(value, ("%d.%m.%Y", "%Y-%m-%d"), UTC, self.at(name))

    def country(self, name: str) -> str | None:
        """ISO code of the (first) country under this name, by its code in sport where the feed has none."""
        row = next((Row.of(item, self.at(name)) for item in self.items(name)), None)
        return None if row is None else alpha2(row.text("iso")) or alpha2(row.text("code"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A row of the events of a match. `position` is its place in the feed, `period` its own phase, where it has one."""

    id: str
    action: str
    kind: str
    position: int
    minute: int | None
    added: int | None
    period: int | None
    team_id: str | None
    team: Side | None
    side: SideName | None
    person: Person | None
    additional: Person | None
    content: str | None
    created_at: int | None

    @property
    def keyword(self) -> tuple[str, str]:
        return (self.action, self.kind)


def seconds(value: str, formats: tuple[str, ...], zone: tzinfo, name: str) -> int:
    """`value` in the first of the formats that fits, as Unix seconds; ValueMismatch where none does."""
    usual = USUAL.fullmatch(value)
    if usual is not None and (usual[4] is not None) == (" " in formats[0]):
        try:
            moment = datetime.fromisoformat(f"{usual[3]}-{usual[2]}-{usual[1]}{usual[4] or ''}")
            return int(moment.replace(tzinfo=zone).timestamp())
        except (ValueError, OverflowError):
            pass
    for form in formats if value.isascii() else ():
        try:
            return int(datetime.strptime(value, form).replace(tzinfo=zone).timestamp())
        except (ValueError, OverflowError):
            continue
    raise ValueMismatch(name, f"date expected, not {value[:20]!r}")


def read_row(
    value: Any,
    place: int,
    faults: FaultCollector,
    read: Callable[[Row, str, FaultCollector], T],
    *,
    keep: Iterable[str] = (),
) -> T | None:
    """What `read` makes of a row of a list, its id and its faults; None for a row that is left out.

    `place` is its index in the list. `faults` names the resource; `keep`: keys of incidents that the row may report
    besides its own. A row without an id may report anything.
    """
    try:
        row = Row.of(value)
        row_id = row.identity()
    except ValueMismatch as mismatch:
        unnamed = faults.for_row(faults.resource, f"#{place}")
        unnamed.add(mismatch.name, mismatch.reason, keep=keep, blocks_withdrawal=True)
        return None
    own = faults.for_row(faults.resource, row_id)
    return own.try_read(read, row, row_id, own, keep=keep)
