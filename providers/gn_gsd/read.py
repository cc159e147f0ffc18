"""Reads values of the feed where the table of names says they are, tolerant of all that is absent."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Any

from providers.fault_collector import UNPRINTABLE, ValueMismatch
from providers.gn_gsd.names import plain

NUMBER = re.compile(r"[0-9]{1,18}", re.ASCII)
COUNTRY = re.compile(r"[A-Za-z]{2}", re.ASCII)
DATED = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ].*", re.ASCII)
LONGEST_ID = 128


@dataclass(frozen=True, slots=True)
class Node:
    """A JSON object of the feed; absent, null and empty are the same, and anything unexpected raises ValueMismatch.

    Keys are those of the table of names; `path` is where the object stands, for faults.
    """

    data: Mapping[str, Any]
    names: Mapping[str, str]
    path: str = ""

    def found(self, key: str) -> Iterator[tuple[str, Any]]:
        """(path, value) under each path of the name that holds something. ValueMismatch where one leads through a scalar."""
        mismatch: ValueMismatch | None = None
        held = False
        for path, steps in ways(self.names[key]):
            try:
                value = walk(self.data, steps, self.path)
            except ValueMismatch as error:
                mismatch = mismatch or error
                continue
            if value is not None and value not in ("", [], {}):
                held = True
                yield f"{self.path}{path}", value
        if mismatch is not None and not held:
            raise mismatch

    def first(self, key: str) -> tuple[str, Any]:
        """The first of `found`; (first path, None) where there is none."""
        return next(self.found(key), (f"{self.path}{self.names[key].split('|')[0]}", None))

    def text(self, key: str) -> str | None:
        """A string without control characters; a plain number is taken as its digits."""
        path, value = self.first(key)
        return scalar(path, value)

    def ident(self, key: str) -> str | None:
        """An opaque id, as it is."""
        path, value = self.first(key)
        found = scalar(path, value)
        if found is not None and len(found) > LONGEST_ID:
            raise ValueMismatch(path, "too long for an id")
        return found

    def number(self, key: str) -> int | None:
        """A whole number of zero or more, or its digits."""
        path, value = self.first(key)
        found = scalar(path, value)
        if found is None:
            return None
        if NUMBER.fullmatch(found) is None:
            raise ValueMismatch(path, f"number expected, not {found[:20]!r}")
        return int(found)

    def moment(self, key: str) -> int | None:
        """ISO 8601 → Unix seconds; UTC where no zone is given."""
        path, value = self.first(key)
        found = scalar(path, value)
        if found is None:
            return None
        try:
            moment = datetime.fromisoformat(found) if DATED.fullmatch(found) else None
            if moment is not None:
                return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())
        except (ValueError, OverflowError):
            pass
        raise ValueMismatch(path, f"date and time expected, not {found[:30]!r}")

    def part(self, key: str) -> Node | None:
        """The object under this name."""
        path, value = self.first(key)
        if value is None:
            return None
        if isinstance(value, dict):
            return Node(value, self.names, f"{path}.")
        raise ValueMismatch(path, f"object expected, not {type(value).__name__}")

    def items(self, key: str) -> tuple[tuple[str, Any], ...]:
        """(path, member) of the list under this name."""
        path, value = self.first(key)
        if value is None:
            return ()
        if isinstance(value, list):
            return tuple((f"{path}.{at}", member) for at, member in enumerate(value))
        raise ValueMismatch(path, f"list expected, not {type(value).__name__}")

    def keywords(self, key: str) -> tuple[tuple[str, str], ...]:
        """(path, keyword) of everything found; of an object the one that names it. ValueMismatch where nothing is a keyword."""
        given: list[tuple[str, str]] = []
        mismatch: ValueMismatch | None = None
        for path, value in self.found(key):
            try:
                given.append((path, self._keyword(path, value)))
            except ValueMismatch as error:
                mismatch = mismatch or error
        if mismatch is not None and not given:
            raise mismatch
        return tuple(given)

    def keyword(self, key: str) -> str:
        """The first of `keywords`, empty where there is none."""
        return next((keyword for _, keyword in self.keywords(key)), "")

    def _keyword(self, path: str, value: Any) -> str:
        if isinstance(value, dict):
            found = Node(value, self.names, f"{path}.").text("word")
        else:
            found = "true" if value is True else "false" if value is False else scalar(path, value)
        keyword = plain(found or "")
        if not keyword:
            raise ValueMismatch(path, "word expected")
        return keyword

    def country(self) -> str | None:
        """ISO alpha-2; None for codes of any other system."""
        code = self.text("country")
        return code.upper() if code is not None and COUNTRY.fullmatch(code) else None


def node(path: str, value: Any, names: Mapping[str, str]) -> Node:
    """A member of a list, which should be an object."""
    if isinstance(value, dict):
        return Node(value, names, f"{path}." if path else "")
    raise ValueMismatch(path, f"object expected, not {type(value).__name__}")


def scalar(path: str, value: Any) -> str | None:
    """A string or whole number as text; None for an empty one."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if value is None or isinstance(value, str):
        return UNPRINTABLE.sub("", value).strip() or None if value else None
    raise ValueMismatch(path, f"text expected, not {type(value).__name__}")


@cache
def ways(listed: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The paths of a name with their steps."""
    return tuple((path, tuple(path.split("."))) for path in listed.split("|") if path)


def walk(value: Any, steps: Sequence[str], base: str) -> Any:
    """The value at a path, None where the way to it is not there. ValueMismatch where a scalar stands in the way."""
    for done, step in enumerate(steps):
        if isinstance(value, dict):
            value = value.get(step)
        elif value is None or value in ("", []):
            return None
        elif isinstance(value, list) and step.isdecimal():
            value = value[int(step)] if int(step) < len(value) else None
        else:
            expected = "list" if step.isdecimal() else "object"
            raise ValueMismatch(f"{base}{'.'.join(steps[:done])}", f"{expected} expected, not {type(value).__name__}")
    return value
