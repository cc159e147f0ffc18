"""Collects the faults of a good body: a value that cannot be read is named and left out, and the rest of the body stands."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TypeVar, TypeVarTuple

from mapping.match.match import Fault

T = TypeVar("T")
Args = TypeVarTuple("Args")

UNPRINTABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
"""Characters that no database, JSON or XML of ours could carry further."""

MAX_FAULTS = 200


class ValueMismatch(ValueError):
    """A value is not what the feed's documentation says."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"{name}: {reason}")
        self.name = name
        self.reason = reason


@dataclass(frozen=True, slots=True)
class FaultCollector:
    """Collects, for one row, what had to be left out, and the keys of the incidents that may be in it.

    `keep`: those keys, where they are known; `blocks_withdrawal`: they are not, so the response may take nothing back.
    """

    resource: str
    row: str
    sink: list[Fault] = field(default_factory=list)
    kept: set[str] = field(default_factory=set)

    def for_row(self, resource: str, row: str) -> FaultCollector:
        """A collector for another row, which collects into the same list."""
        return FaultCollector(resource, row, self.sink, self.kept)

    def add(self, name: str, reason: str, *, keep: Iterable[str] = (), blocks_withdrawal: bool = False) -> None:
        """Collect a fault of the field `name`."""
        row = UNPRINTABLE.sub("", self.row)  # a row is called by its id, as it came
        self.sink.append(
            Fault(resource=self.resource, row=row, field=name, reason=reason, blocks_withdrawal=blocks_withdrawal)
        )
        self.kept.update(keep)

    @property
    def collected(self) -> tuple[Fault, ...]:
        """Each fault once; of a body that is full of them the first ones and how many more there are of each resource."""
        found = tuple(dict.fromkeys(self.sink))
        more = Counter(fault.resource for fault in found[MAX_FAULTS:])
        rest = (
            Fault(resource=name, row="", field="", reason=f"{n} more faults", blocks_withdrawal=True)
            for name, n in more.items()
        )
        return (*found[:MAX_FAULTS], *rest)

    @property
    def unreadable(self) -> frozenset[str]:
        """Keys of incidents that may be in what was left out."""
        return frozenset(self.kept)

    def try_read(
        self, read: Callable[[*Args], T], *args: *Args, keep: Iterable[str] = (), blocks_withdrawal: bool = False
    ) -> T | None:
        """The result of `read(*args)`; where the value does not fit, None and a fault."""
        try:
            return read(*args)
        except ValueMismatch as mismatch:
            self.add(mismatch.name, mismatch.reason, keep=keep, blocks_withdrawal=blocks_withdrawal)
            return None
