"""The unit of work: what a function that writes is given."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from store.engine.records import StoredGame


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
