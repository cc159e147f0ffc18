"""The outbox as its readers see it: what is settled, whose it is, and what may be forgotten.

Ids are handed out before they are committed, so on PostgreSQL a lower one can appear after a higher one has been read.
Readers therefore read up to a horizon: an id below which nothing more will appear.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import Connection, Integer, bindparam, delete, func, or_, select, text

from store.prepared import Query
from store.tables import outbox, webhooks

if TYPE_CHECKING:
    from store.unit import Unit

UNDER_WAY = """
SELECT pg_snapshot_xmin(now.s)::text::bigint, pg_snapshot_xmax(now.s)::text::bigint
FROM (SELECT pg_current_snapshot() AS s) AS now
"""

PURGED = 1000
"""Rows that one unit of a purge looks at."""

OF_ROW = (outbox.c.id, outbox.c.game_id, outbox.c.local_id, outbox.c.version, outbox.c.at)
_NEWEST = Query(select(func.max(outbox.c.id).label("newest")))
_NEWS = Query(
    select(outbox.c.organization_id, *OF_ROW)
    .where(outbox.c.id > bindparam("after"), outbox.c.id <= bindparam("through"))
    .order_by(outbox.c.id)
    .limit(bindparam("most", type_=Integer))
)


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboxRow:
    """One version of one liveblog, and when it came to be."""

    id: int
    game_id: str
    local_id: str
    version: int
    at: int


@dataclass(frozen=True, slots=True)
class Transactions:
    """Which transactions are under way: all below `first` are over, none has reached `next`."""

    first: int
    next: int


def last_id(conn: Connection) -> tuple[int, bool]:
    """The highest id that has been handed out, and whether everything up to it is there to be read.

    SQLite has one writer, so what a reader sees is complete. On PostgreSQL an id that was handed out may not be committed
    yet: everything up to it is settled once all transactions that `transactions` finds, asked afterwards, are over.
    """
    if conn.dialect.name == "postgresql":
        last = conn.scalar(text("SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM outbox_id_seq"))
        return int(last or 0), False
    [(newest,)] = _NEWEST.all(conn)
    return newest or 0, True


def transactions(conn: Connection) -> Transactions:
    """What is under way on PostgreSQL. A transaction has its number before it is handed an outbox id."""
    row = conn.execute(text(UNDER_WAY)).one()
    return Transactions(int(row[0]), int(row[1]))


def rows_of(conn: Connection, organization_id: str, *, after: int, through: int, limit: int) -> list[OutboxRow]:
    """The organization's rows with `after` < id ≤ `through`, oldest first."""
    query = (
        select(*OF_ROW)
        .where(outbox.c.organization_id == organization_id, outbox.c.id > after, outbox.c.id <= through)
        .order_by(outbox.c.id)
        .limit(limit)
    )
    return [OutboxRow(**row._asdict()) for row in conn.execute(query)]


def news(conn: Connection, *, after: int, through: int, limit: int) -> dict[str, list[OutboxRow]]:
    """The first `limit` rows between two horizons by organization, oldest first."""
    found: dict[str, list[OutboxRow]] = {}
    for organization_id, number, game_id, local_id, version, at in _NEWS.all(
        conn, after=after, through=through, most=limit
    ):
        row = OutboxRow(id=number, game_id=game_id, local_id=local_id, version=version, at=at)
        found.setdefault(organization_id, []).append(row)
    return found


def purge(unit: Unit, *, before: float, after: int = 0, limit: int = PURGED) -> int | None:
    """Forget rows older than `before` that every active subscription of their organization has behind it.

    Looks at `limit` rows with an id beyond `after`; returns the last id that it looked at, None when nothing older follows.
    """
    looked = select(outbox.c.id, outbox.c.at).where(outbox.c.id > after).order_by(outbox.c.id).limit(limit).subquery()
    through, oldest = unit.conn.execute(select(func.max(looked.c.id), func.min(looked.c.at))).one()
    if through is None or oldest >= before:
        return None
    slowest = (
        select(webhooks.c.organization_id, func.min(webhooks.c.cursor).label("cursor"))
        .where(webhooks.c.status == "active")
        .group_by(webhooks.c.organization_id)
        .subquery()
    )
    newest = select(func.max(outbox.c.id)).scalar_subquery()  # stays, so that the last id is always known
    done = (
        select(outbox.c.id)
        .outerjoin(slowest, slowest.c.organization_id == outbox.c.organization_id)
        .where(outbox.c.id > after, outbox.c.id <= through, outbox.c.id < newest, outbox.c.at < before)
        .where(or_(slowest.c.cursor.is_(None), slowest.c.cursor >= outbox.c.id))
    )
    unit.conn.execute(delete(outbox).where(outbox.c.id.in_(done)))
    return int(through)
