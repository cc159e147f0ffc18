"""Reading one value of the feed: every scalar is a string, and what is not as documented is named, never guessed."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from typing import TYPE_CHECKING, Any, TypeVar

from mapping.match import Fault

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

T = TypeVar("T")

UNPRINTABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
"""Characters that no database, JSON or XML of ours could carry further."""

NUMBER = re.compile(r"[0-9]{1,18}", re.ASCII)
ISO = re.compile(r"[A-Za-z]{2}", re.ASCII)
MOMENTS = ("%d.%m.%Y %H:%M:%S", "%d.%m.%Y %H:%M", "%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M")
BLANK_MOMENT = re.compile(r"[0:. -]*")
"""`0000-00-00 00:00:00` and the like: the feed's way to say nothing."""


MAX_FAULTS = 200


class MisfitError(ValueError):
    """A value is not what the feed's documentation says."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"{name}: {reason}")
        self.name = name
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Row:
    """A JSON object of the feed; absent, null and empty are the same, and anything unexpected raises MisfitError."""

    data: Mapping[str, Any]
    path: str = ""

    @classmethod
    def of(cls, value: object) -> Row:
        """A member of a list, which should be an object."""
        if isinstance(value, dict):
            return cls(value)
        raise MisfitError("", f"object expected, not {type(value).__name__}")

    def at(self, name: str) -> str:
        return f"{self.path}{name}"

    def has(self, name: str) -> bool:
        return name in self.data

    def text(self, name: str) -> str | None:
        """A string without control characters; a plain number is taken as its digits."""
        value = self.data.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if value is None or isinstance(value, str):
            return UNPRINTABLE.sub("", value).strip() or None if value else None
        raise MisfitError(self.at(name), f"text expected, not {type(value).__name__}")

    def number(self, name: str) -> int | None:
        """A whole number of zero or more."""
        value = self.text(name)
        if value is None:
            return None
        if NUMBER.fullmatch(value) is None:
            raise MisfitError(self.at(name), f"number expected, not {value[:20]!r}")
        return int(value)

    def ident(self, name: str) -> str | None:
        """An id; `"0"` is the feed's word for none."""
        value = self.number(name)
        return str(value) if value else None

    def flag(self, name: str) -> bool | None:
        """`yes` or `no`."""
        value = self.data.get(name)
        if value is None or value == "":
            return None
        if isinstance(value, bool):
            return value
        if value in ("yes", "no"):
            return bool(value == "yes")
        raise MisfitError(self.at(name), "yes or no expected")

    def part(self, name: str) -> Row | None:
        """The object under this name."""
        value = self.data.get(name)
        if isinstance(value, dict):
            return Row(value, f"{self.at(name)}.") if value else None
        if value in (None, "", "0", 0, []):
            return None
        raise MisfitError(self.at(name), f"object expected, not {type(value).__name__}")

    def items(self, name: str) -> Sequence[object]:
        """The members of the list under this name, unread; a lone value counts as a list of one."""
        value = self.data.get(name)
        if value in (None, "", "0", 0):
            return ()
        return value if isinstance(value, list) else (value,)

    def moment(self, name: str, zone: tzinfo) -> int | None:
        """Local date and time → Unix seconds. The repeated hour in autumn is taken as its first pass."""
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
        """ISO code of the (first) country under this name; None where the country has no such code."""
        iso = next((Row.of(item).text("iso") for item in self.items(name)), None)
        return iso.upper() if iso is not None and ISO.fullmatch(iso) else None


def seconds(value: str, formats: tuple[str, ...], zone: tzinfo, name: str) -> int:
    """`value` in the first of the formats that fits, as Unix seconds; MisfitError where none does."""
    for form in formats if value.isascii() else ():
        try:
            return int(datetime.strptime(value, form).replace(tzinfo=zone).timestamp())
        except (ValueError, OverflowError):
            continue
    raise MisfitError(name, f"date expected, not {value[:20]!r}")


@dataclass(frozen=True, slots=True)
class Notes:
    """Collects, for one row, what had to be left out."""

    resource: str
    row: str
    sink: list[Fault] = field(default_factory=list)

    def about(self, resource: str, row: str) -> Notes:
        """Notes on another row, kept in the same place."""
        return Notes(resource, row, self.sink)

    def add(self, name: str, reason: str) -> None:
        self.sink.append(Fault(resource=self.resource, row=self.row, field=name, reason=reason))

    @property
    def faults(self) -> tuple[Fault, ...]:
        """Each fault once; of a body that is full of them the first ones and how many more there are."""
        found = tuple(dict.fromkeys(self.sink))
        if len(found) <= MAX_FAULTS:
            return found
        more = f"{len(found) - MAX_FAULTS} more faults"
        return (*found[:MAX_FAULTS], Fault(resource=self.resource, row=self.row, field="", reason=more))

    def spare(self, read: Callable[[], T]) -> T | None:
        """What `read` gives; where it does not fit, None and a note."""
        try:
            return read()
        except MisfitError as misfit:
            self.add(misfit.name, misfit.reason)
            return None
