"""Which process pings the public hub for a change: the first one that writes the version down."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sqlalchemy import Connection, ForeignKey, Table, select, update

from store.engine.columns import integer, metadata, text
from store.engine.statements import insert_new
from store.engine.unit import Unit
from store.public import liveblog_is_public
from store.tables import games

hub_pings = Table(
    "hub_pings",
    metadata,
    text("game_id", ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
    integer("version"),
)


class PingableGame(NamedTuple):
    """A liveblog that readers see, as it is now."""

    id: str
    local_id: str
    organization_id: str
    version: int


def pingable(conn: Connection, game_ids: Sequence[str]) -> list[PingableGame]:
    """Those of these liveblogs that readers see."""
    columns = (games.c[name] for name in PingableGame._fields)
    query = select(*columns).where(games.c.id.in_(game_ids), liveblog_is_public()).order_by(games.c.id)
    return [PingableGame(*row) for row in conn.execute(query)]


def claim(unit: Unit, changed: Iterable[PingableGame]) -> set[str]:
    """Those of these liveblogs, by their ids, that are this process's to ping for: no other has for this version or a later one."""
    mine = set()
    for game in changed:
        row = hub_pings.c.game_id == game.id
        older = update(hub_pings).where(row, hub_pings.c.version < game.version).values(version=game.version)
        if (
            insert_new(unit.conn, hub_pings, game_id=game.id, version=game.version)
            or unit.conn.execute(older).rowcount == 1
        ):
            mine.add(game.id)
    return mine
