"""What liveblogs with an `external_id` were created from: a client that asks again gets the same one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import insert, select

from store.tables import creations

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from store.unit import Unit


def remember(unit: Unit, game_id: str, digest: str) -> None:
    """The liveblog was created from the document with this digest."""
    unit.conn.execute(insert(creations).values(game_id=game_id, digest=digest))


def digest_of(conn: Connection, game_id: str) -> str | None:
    """What `remember` was told of the liveblog."""
    digest: str | None = conn.scalar(select(creations.c.digest).where(creations.c.game_id == game_id))
    return digest
