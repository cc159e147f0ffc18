"""What a process has in memory and in its database at a moment, and what of it has grown between two like moments."""

from __future__ import annotations

import asyncio
import gc
import math
import os
import sys
from collections import Counter, deque
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from cachetools import Cache

from tests.simulation.simulated_daemon import is_product

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Mapping

COLLECTIONS = (dict, list, set, deque)
MEMOIZED = type(cache(len))
"""What can grow. A cache has a size of its own and is counted by itself."""

CACHED = {
    "collections": ("store.engine.sql.bulk_write._STATEMENTS", "api.view.read_cache.ReadCache", "api.http.rendered."),
    "objects": (
        "api.feeds.", "api.view.read_cache.", "api.http.rendered.", "mapping.legacy_event.", "store.engine.records.",
        "store.engine.sql.",
        "providers.heim.event.", "mapping.match.Person", "mapping.match.Side",  # a translated row, and who is in it
    ),
}  # fmt: skip
"""What is in caches with bounds of their own, or as often as the code has places that call it."""
FEW = 2
BLOCKS = 3000
BLOCKS_PER_ENTRY = 15
"""Pieces of memory that an entry of a cache takes, with what it refers to."""
MEMORY = 64 * 1024 * 1024
"""Bytes by which the process may grow: caches that fill, and pages that the allocator keeps."""


class CacheSize(NamedTuple):
    """How many entries a cache has, and how full it is and may be: entries, or bytes where it counts those."""

    entries: int
    size: float
    most: float


@dataclass(frozen=True, kw_only=True)
class Reading:
    """Of one moment. Whoever compares two of them makes sure that the same goes on at both."""

    at: float
    """Virtual seconds."""
    collections: Mapping[str, int]
    """How many entries all collections have together that objects of one class have as one attribute; module variables too."""
    caches: Mapping[str, CacheSize]
    objects: Mapping[str, int]
    """Of each class of the product."""
    blocks: int
    """Pieces of memory that the interpreter has given out."""
    memory: int
    """Bytes of the process, without the pages of the database."""
    files: int
    tasks: int
    timers: int
    rows: Mapping[str, int]


def reading(raw: sqlite3.Connection, at: float) -> Reading:
    """What there is now, after everything was collected that nobody can reach."""
    gc.collect()
    collections, caches, objects = _product()
    return Reading(
        at=at,
        collections=collections,
        caches=caches,
        objects=objects,
        blocks=sys.getallocatedblocks(),
        memory=_resident() - _database_bytes(raw),
        files=sum(1 for _ in Path("/proc/self/fd").iterdir()),
        tasks=len(asyncio.all_tasks()),
        timers=sum(1 for each in gc.get_objects() if isinstance(each, asyncio.TimerHandle) and not each.cancelled()),
        rows=rows(raw),
    )


def growth(before: Reading, after: Reading, *, few: int) -> Iterator[str]:
    """What there is more of than before. `few`: so many more of anything are chance, or another moment of the same work."""
    for kind in ("collections", "objects"):
        for name, (was, now) in _both(getattr(before, kind), getattr(after, kind)):
            if now - was > few and not name.startswith(CACHED[kind]):
                yield f"{kind} {name}: {was} → {now}"
    for name in ("files", "tasks", "timers"):
        was, now = getattr(before, name), getattr(after, name)
        if now - was > FEW:
            yield f"{name}: {was} → {now}"
    for name, cached in after.caches.items():
        if cached.size > cached.most:
            yield f"cache {name}: {cached.size} of {cached.most}"
    entries = max(0, _entries(after) - _entries(before))
    if after.blocks - before.blocks > BLOCKS + entries * BLOCKS_PER_ENTRY:
        yield f"blocks: {before.blocks} → {after.blocks}, of them some {entries * BLOCKS_PER_ENTRY} in caches"
    if after.memory - before.memory > MEMORY:
        yield f"memory: {before.memory} → {after.memory}"


def _both(before: Mapping[str, int], after: Mapping[str, int]) -> Iterator[tuple[str, tuple[int, int]]]:
    for name in sorted(before.keys() | after.keys()):
        yield name, (before.get(name, 0), after.get(name, 0))


def _entries(at: Reading) -> int:
    return sum(each.entries for each in at.caches.values())


def rows(raw: sqlite3.Connection) -> dict[str, int]:
    """How many each table has."""
    tables = raw.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").fetchall()
    return {name: raw.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for (name,) in tables}


def _product() -> tuple[dict[str, int], dict[str, CacheSize], dict[str, int]]:
    collections: Counter[str] = Counter()
    caches: dict[str, CacheSize] = {}
    objects: Counter[str] = Counter()
    for owner, name, value in _values(objects):
        where = f"{owner}.{name}"
        if isinstance(value, Cache):
            size = CacheSize(len(value), value.currsize, value.maxsize)
            caches[where] = max(caches.get(where, size), size)
        elif isinstance(value, COLLECTIONS):
            collections[where] += len(value)
        elif isinstance(value, asyncio.Queue):
            collections[where] += value.qsize()
        elif isinstance(value, MEMOIZED):
            caches[where] = _memoized(value)
    return dict(collections), caches, dict(objects)


def _memoized(function: Any) -> CacheSize:
    found = function.cache_info()
    return CacheSize(found.currsize, found.currsize, math.inf if found.maxsize is None else found.maxsize)


def _values(objects: Counter[str]) -> Iterator[tuple[str, str, object]]:
    """The name of a class or module, of an attribute, and its value; the objects of each class are counted."""
    for module in [each for each in list(sys.modules.values()) if each and is_product(each.__name__)]:
        for name, value in list(vars(module).items()):
            if name.startswith("__"):
                continue
            yield module.__name__, name, value
    for each in gc.get_objects():
        kind = type(each)
        if not is_product(str(kind.__module__)):
            continue
        owner = f"{kind.__module__}.{kind.__qualname__}"
        objects[owner] += 1
        for name, value in _attributes(each):
            yield owner, name, value


def _attributes(each: object) -> Iterator[tuple[str, object]]:
    yield from list(getattr(each, "__dict__", {}).items())
    for kind in type(each).__mro__:
        for name in vars(kind).get("__slots__", ()):
            if name not in ("__dict__", "__weakref__") and hasattr(each, name):
                yield name, getattr(each, name)


def _resident() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGESIZE")


def _database_bytes(raw: sqlite3.Connection) -> int:
    ((pages,), (size,)) = raw.execute("PRAGMA page_count").fetchone(), raw.execute("PRAGMA page_size").fetchone()
    return int(pages * size)
