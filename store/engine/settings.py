"""How the store uses its database; the daemon fills this from its configuration."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolSettings:
    """Limits of the store. Durations in seconds."""

    pool_size: int
    """Connections (SQLite: of the readers; the writer has its own), on PostgreSQL with a thread each."""
    timeout: float
    """Longest wait for a connection, for a lock (SQLite), for a statement and a whole transaction (PostgreSQL)."""
    queue: int = 10_000
    """Units that may wait (SQLite: for the writer); one more is refused."""
    batch: int = 64
    """Units per commit, at most (PostgreSQL: those with one group key)."""
    batch_seconds: float = 0.01
    """Time after which a batch takes no further unit."""
    drain: float = 10.0
    """Longest wait for units under way when the store closes."""
