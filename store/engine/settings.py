"""The database of a store: its address, and how it is used; the daemon fills this from its configuration."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sqlalchemy.engine import URL, make_url


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


def parse_url(url: str) -> URL:
    """The address as SQLAlchemy and the driver take it.

    `postgresql://`, `postgresql+psycopg://` and `postgresql+asyncpg://` name the same database; what asyncpg calls `ssl`
    is `sslmode`. Raises sqlalchemy.exc.ArgumentError for what is no address.
    """
    parsed = make_url(url)
    if parsed.get_backend_name() != "postgresql":
        return parsed
    query = {"sslmode" if name == "ssl" else name: value for name, value in parsed.query.items()}
    return parsed.set(drivername="postgresql+psycopg", query=query)


def database_file(url: URL) -> Path | None:
    """The file of a SQLite; None for a database in memory, and for a PostgreSQL."""
    if url.get_backend_name() != "sqlite":
        return None
    return Path(url.database) if url.database and url.database != ":memory:" else None


def name_of(url: str) -> str:
    """`host:port/name` of a PostgreSQL, the file of a SQLite."""
    parsed = parse_url(url)
    if parsed.get_backend_name() == "sqlite":
        return str(Path(parsed.database).absolute()) if parsed.database else ":memory:"
    host = parsed.host or ", ".join(parsed.normalized_query.get("host", ("localhost",)))
    port = "" if parsed.port is None else f":{parsed.port}"
    return f"{host}{port}/{parsed.database or parsed.username or ''}"
