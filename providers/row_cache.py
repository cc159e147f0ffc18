"""Cache of translated rows: of an answer with one new row, only that one is read and checked again.

A row is known by a fingerprint of its content and of everything else that it is translated with, so a cached row is the one
that would be made again. Without the cache everything is the same, only slower.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable
from contextlib import suppress
from hashlib import blake2b
from operator import itemgetter
from threading import Lock
from typing import Any, Generic, TypeVar

from cachetools import LRUCache

from providers.fault_collector import FaultCollector

T = TypeVar("T")

ENTRY = 200
"""Bytes that an entry takes beyond its row's content: its key, its place in the order. Measured; the test says how exactly."""


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
