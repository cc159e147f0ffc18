"""A sign in the database that a restore is under way: what is there meanwhile is neither the old one nor the new one."""

from __future__ import annotations

from sqlalchemy import Connection, text

from store.engine.migrate import RESTORING

FREE = text(f"SELECT to_regclass('alembic_version') IS NULL OR to_regclass('{RESTORING}') IS NOT NULL")


def is_free(conn: Connection) -> bool:
    """Whether a backup overwrites nothing: there is no schema, or a restore that was broken off."""
    return conn.execute(FREE).scalar_one() is True


def begin(conn: Connection) -> None:
    """From now on nobody but a restore uses the database. A dump knows nothing of the sign, so loading one leaves it there."""
    conn.execute(text(f"CREATE TABLE IF NOT EXISTS {RESTORING} ()"))


def end(conn: Connection) -> None:
    """The database is whole again."""
    conn.execute(text(f"DROP TABLE IF EXISTS {RESTORING}"))
