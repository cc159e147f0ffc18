"""What liveblogs with an `external_id` were created from: a client that asks again gets the same one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import func, insert, select

from store.tables import creations

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from store.unit import Unit


TURNS = 7
"""PostgreSQL's advisory locks of creations, apart from all others."""


def take_turn(unit: Unit, local_id: str) -> None:
    """Wait until nobody else is about to create a liveblog of this name, and keep others from it until the unit ends.

    On SQLite units run one after the other anyway.
    """
    if unit.conn.dialect.name == "postgresql":
        unit.conn.execute(select(func.pg_advisory_xact_lock(TURNS, func.hashtext(local_id))))


def remember(unit: Unit, game_id: str, digest: str) -> None:
    """The liveblog was created from the document with this digest."""
    unit.conn.execute(insert(creations).values(game_id=game_id, digest=digest))


def digest_of(conn: Connection, game_id: str) -> str | None:
    """What `remember` was told of the liveblog."""
    digest: str | None = conn.scalar(select(creations.c.digest).where(creations.c.game_id == game_id))
    return digest
