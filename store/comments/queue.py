"""What the queue of those who moderate shows beside the comments: counts, banned readers, names of liveblogs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import func, select

from store.comments.tables import comments as table
from store.comments.tables import reader_bans
from store.tables import games

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from sqlalchemy import Connection


COUNTED = 1000
"""Comments of one status that are counted."""


def counts_by_status(
    conn: Connection, organization_id: str, game_id: str | None, statuses: Sequence[str]
) -> dict[str, int]:
    """How many comments the organization, or one of its liveblogs, has of each of these statuses, `COUNTED` at most."""
    own = [table.c.organization_id == organization_id, *([table.c.game_id == game_id] if game_id is not None else [])]
    some = (select(table.c.serial).where(*own, table.c.status == each).limit(COUNTED).subquery() for each in statuses)
    counts = [select(func.count()).select_from(each).scalar_subquery() for each in some]
    return dict(zip(statuses, conn.execute(select(*counts)).one(), strict=True))


def banned_readers(conn: Connection, organization_id: str, reader_ids: Collection[str]) -> frozenset[str]:
    """Those of the readers whom the organization has banned."""
    columns = reader_bans.c
    own = columns.organization_id == organization_id, columns.reader_id.in_(sorted(reader_ids))
    return frozenset(conn.scalars(select(columns.reader_id).where(*own)))


def liveblogs_named(conn: Connection, game_ids: Collection[str]) -> dict[str, tuple[str, str]]:
    """`local_id` and title of these liveblogs by their `ticker_id`."""
    query = select(games.c.id, games.c.local_id, games.c.title).where(games.c.id.in_(sorted(game_ids)))
    return {row.id: (row.local_id, row.title) for row in conn.execute(query)}
