"""The unit of work: what a function that writes is given, and how others hear of what stepped by it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from sqlalchemy import Connection

from store.engine.records import StoredGame

Stepped = Mapping[str, int] | None
"""Liveblogs that stepped: `ticker_id` → version. None: nobody knows which, it may be any."""
Hear = Callable[[Stepped], None]
"""Called in the event loop, so it should be quick."""
HearWord = Callable[[str], None]
"""The same, with what another process has said."""


@dataclass(frozen=True, slots=True)
class Unit:
    """One transaction (or a part of one that succeeds or fails alone) and one instant.

    A unit may run more than once when it lost a race and was rolled back, so its function has no effect outside `conn`.
    """

    conn: Connection
    now: int
    """The instant of the unit in Unix seconds; everything that it stamps carries this one."""
    touched: dict[str, int] = field(default_factory=dict)
    """Liveblogs that stepped in this unit: `ticker_id` → version; `Store.on_step` hears of them once it is committed."""
    locked: dict[str, StoredGame] = field(default_factory=dict)
    """Liveblogs that the transaction has locked, as they stand in it, by either name; units that share it share this."""
