"""A row that is written unless one with its key is there: whoever races another learns who was first."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import sqlite


def insert_new(conn: Connection, table: Table, **values: Any) -> bool:
    """Insert the row; False where its key, or what has to be unique in it, is taken."""
    made = _insert(conn)(table).values(values).on_conflict_do_nothing().returning(*table.primary_key)
    return conn.execute(made).first() is not None


def _insert(conn: Connection) -> Any:
    if conn.dialect.name == "postgresql":
        from sqlalchemy.dialects import postgresql  # which a start on SQLite does without

        return postgresql.insert
    return sqlite.insert
