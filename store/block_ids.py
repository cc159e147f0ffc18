"""Whose the ids of blocks, files and incidents are: each belongs to one event, across all organizations."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, delete, select

from mapping.references import part_ids
from store.tables import parts

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sqlalchemy import Executable

IN_CHUNK = 500


def holders(conn: Connection, local_ids: Iterable[str]) -> dict[str, str]:
    """The `local_id` of the event that has each of these parts; ids that nobody has are left out."""
    wanted = list(local_ids)
    chunks = (wanted[start : start + IN_CHUNK] for start in range(0, len(wanted), IN_CHUNK))
    found = (conn.execute(select(parts).where(parts.c.local_id.in_(chunk))) for chunk in chunks)
    return {row.local_id: row.event_id for rows in found for row in rows}


def index(conn: Connection, event_id: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> list[dict[str, str]]:
    """Free the ids that the event has no more; returns the rows of those that are new, for `insert`."""
    old, new = ({name for _, name in part_ids(document)} for document in (before, after))
    if gone := old - new:
        conn.execute(delete(parts).where(parts.c.event_id == event_id, parts.c.local_id.in_(gone)))
    return [{"local_id": name, "event_id": event_id} for name in sorted(new - old)]


def insert(conn: Connection, rows: list[dict[str, str]]) -> None:
    """Note whose these ids are; one that somebody has already stays theirs."""
    if rows:
        conn.execute(_unless_taken(conn.dialect.name), rows)


@cache
def _unless_taken(dialect: str) -> Executable:
    """Each dialect is loaded by who speaks it alone."""
    if dialect == "postgresql":
        from sqlalchemy.dialects import postgresql

        return postgresql.insert(parts).on_conflict_do_nothing()
    from sqlalchemy.dialects import sqlite

    return sqlite.insert(parts).on_conflict_do_nothing()
