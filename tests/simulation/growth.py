"""What there is in a process at a moment, apart from caches with bounds of their own, and what there is more of than before."""

import asyncio
import gc
import sqlite3
import sys
from collections import Counter, deque
from collections.abc import Iterator
from pathlib import Path

from cachetools import Cache

from tests.simulation.simulated_daemon import is_product

COLLECTIONS = (dict, list, set, deque)
CACHED = (
    "api.feeds.", "api.http.caching.", "api.view.liveblog_reads.", "mapping.liveblog.legacy_event.", "mapping.match.match.Person",
    "mapping.match.match.Side", "providers.heim.read.", "store.engine.liveblog_records.", "store.engine.statements.",
)  # fmt: skip
"""What is in caches, or as often as the code has places that call it."""


def reading(raw: sqlite3.Connection) -> Counter[str]:
    """How much there is of everything, after all was collected that nobody can reach; rows begin with `rows `."""
    gc.collect()
    found = Counter(
        files=sum(1 for _ in Path("/proc/self/fd").iterdir()),
        tasks=len(asyncio.all_tasks()),
        timers=sum(1 for each in gc.get_objects() if isinstance(each, asyncio.TimerHandle) and not each.cancelled()),
    )
    for owner, name, value in _values(found):
        if isinstance(value, COLLECTIONS) and not isinstance(value, Cache):
            found[f"{owner}.{name}"] += len(value)
        elif isinstance(value, asyncio.Queue):
            found[f"{owner}.{name}"] += value.qsize()
    tables = raw.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").fetchall()
    for (name,) in tables:
        found[f"rows {name}"] = raw.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0]
    return found


def growth(before: Counter[str], after: Counter[str], *, few: int) -> Iterator[str]:
    """`few`: so many more of anything are chance, or another moment of the same work."""
    for name in sorted(after):
        if after[name] - before[name] > few and not name.startswith((*CACHED, "rows ")):
            yield f"{name}: {before[name]} → {after[name]}"


def _values(found: Counter[str]) -> Iterator[tuple[str, str, object]]:
    """Class or module, name and value of each attribute and variable of the product, whose objects are counted in `found`."""
    for module in [each for each in list(sys.modules.values()) if each and is_product(each.__name__)]:
        for name, value in list(vars(module).items()):
            if not name.startswith("__"):
                yield module.__name__, name, value
    for each in gc.get_objects():
        kind = type(each)
        if not is_product(str(kind.__module__)):
            continue
        owner = f"{kind.__module__}.{kind.__qualname__}"
        found[owner] += 1
        yield from ((owner, name, value) for name, value in list(getattr(each, "__dict__", {}).items()))
        for name in (slot for base in kind.__mro__ for slot in vars(base).get("__slots__", ())):
            if name not in ("__dict__", "__weakref__") and hasattr(each, name):
                yield owner, name, getattr(each, name)
