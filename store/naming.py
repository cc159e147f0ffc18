"""What a database is called where people read it: never with a password."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy.engine import make_url


def name_of(url: str) -> str:
    """`host:port/name` of a PostgreSQL, the file of a SQLite."""
    parsed = make_url(url)
    if parsed.get_backend_name() == "sqlite":
        return str(Path(parsed.database).absolute()) if parsed.database else ":memory:"
    host = parsed.host or ", ".join(parsed.normalized_query.get("host", ("localhost",)))
    port = "" if parsed.port is None else f":{parsed.port}"
    return f"{host}{port}/{parsed.database or parsed.username or ''}"
