"""Collects the faults of a good body: a value that cannot be read is named and left out, and the rest of the body stands.

Rows without a fault are kept translated: of an answer with one new row, only that one is read and checked again. A row is known
by a fingerprint of its content and of everything else that it is translated with; without the cache all is the same, only slower.
"""

from __future__ import annotations

import marshal
import re
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from operator import itemgetter
from threading import Lock
from typing import Any, Generic, TypeVar, TypeVarTuple

from cachetools import LRUCache

from mapping.match.match import Fault

T = TypeVar("T")
Args = TypeVarTuple("Args")

UNPRINTABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
"""Characters that no database, JSON or XML of ours could carry further."""

MAX_FAULTS = 200


ENTRY = 200
"""Bytes that an entry takes beyond its row's content: its key, its place in the order. Measured; the test says how exactly."""


class ValueMismatch(ValueError):
    """A value is not what the feed's documentation says."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"{name}: {reason}")
        self.name = name
        self.reason = reason


def read_if_fits(read: Callable[[*Args], T], *args: *Args) -> T | None:
    """The result of `read(*args)`; None where the value does not fit, and nobody has to hear of it.

    `read_if_fits(row.ident, "id")` is the id of a row, if it has one that can be read.
    """
    try:
        return read(*args)
    except ValueMismatch:
        return None


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


class RowCache(Generic[T]):
    """Translated rows up to about `row_cache_bytes`; the least recently used ones are dropped. 0: none are kept. Thread-safe."""

    def __init__(self, row_cache_bytes: int) -> None:
        self._rows: LRUCache[bytes, tuple[T, int]] = LRUCache(row_cache_bytes, getsizeof=itemgetter(1))
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._rows)

    def once(self, key: RowKey, faults: FaultCollector, read: Callable[[], T | None]) -> T | None:
        """The translated row; what `read` makes of it where it is not known.

        A row with a fault is read each time, so that it is collected from each answer.
        """
        known = self.get(key)
        if known is not None:
            return known
        before, made = len(faults.sink), read()
        if made is not None and len(faults.sink) == before:
            self.put(key, made)
        return made

    def get(self, key: RowKey) -> T | None:
        """The translated row, None where it is not known."""
        with self._lock:
            found = self._rows.get(key.digest)
        return None if found is None else found[0]

    def put(self, key: RowKey, row: T) -> None:
        """Keep a translated row, in the place of one with the same key."""
        with self._lock, suppress(ValueError):  # larger than all the room there is
            self._rows[key.digest] = row, ENTRY + key.size


class RowKey:
    """Fingerprint of a decoded row; `context`: of what it is translated with. `size`: bytes that its content takes."""

    __slots__ = ("digest", "size")

    def __init__(self, row: Any, context: bytes) -> None:
        content = marshal.dumps(row, 2)  # a quarter of what JSON takes; from version 3 on equal rows may differ
        self.digest = blake2b(content, key=context, digest_size=16).digest()
        self.size = len(content)


def context_of(*parts: object) -> bytes:
    """Fingerprint of what all rows of a translation are translated with; each part has a `repr` that says what it is."""
    return blake2b(repr(parts).encode(), digest_size=32).digest()
