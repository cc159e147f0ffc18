"""The address of a database: read in one place, and shown to people without its password."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy.engine import URL, make_url


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


def name_of(url: str) -> str:
    """`host:port/name` of a PostgreSQL, the file of a SQLite."""
    parsed = parse_url(url)
    if parsed.get_backend_name() == "sqlite":
        return str(Path(parsed.database).absolute()) if parsed.database else ":memory:"
    host = parsed.host or ", ".join(parsed.normalized_query.get("host", ("localhost",)))
    port = "" if parsed.port is None else f":{parsed.port}"
    return f"{host}{port}/{parsed.database or parsed.username or ''}"
