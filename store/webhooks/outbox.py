"""Reads the outbox: delivery numbers, the rows of each organization, and what may be deleted.

A row gets its delivery number after it is committed, from one process at a time, and readers go by numbers alone. So a row
that commits late gets a later number, no cursor passes it, and no other transaction matters. The rows of one liveblog are
numbered in the order of its versions, because its writers take turns.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import Connection, Integer, bindparam, delete, func, or_, select

from store.engine.statements import CompiledQuery, update_rows, write_batch
from store.engine.unit import Unit
from store.tables import outbox, outbox_sequence, webhooks

NUMBERED_AT_ONCE = 1000
"""Rows that one unit numbers, at most."""

PURGED = 1000
"""Rows that one unit of a purge looks at."""

OF_ROW = (outbox.c.number, outbox.c.game_id, outbox.c.local_id, outbox.c.version, outbox.c.at)
_UNNUMBERED = select(outbox.c.id).where(outbox.c.number.is_(None)).order_by(outbox.c.number, outbox.c.id)
_SEQUENCE = CompiledQuery(select(outbox_sequence.c.last, _UNNUMBERED.limit(1).scalar_subquery().label("first")))
_LOCKED = CompiledQuery(select(outbox_sequence.c.id, outbox_sequence.c.last).with_for_update(skip_locked=True))
_COMMITTED = CompiledQuery(_UNNUMBERED.limit(bindparam("most", type_=Integer)))
_UNNUMBERED_COUNT = CompiledQuery(select(func.count().label("rows")).where(outbox.c.number.is_(None)))
_NEWS = CompiledQuery(
    select(outbox.c.organization_id, *OF_ROW)
    .where(outbox.c.number > bindparam("after"), outbox.c.number <= bindparam("through"))
    .order_by(outbox.c.number)
    .limit(bindparam("most", type_=Integer))
)


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboxRow:
    """One version of one liveblog, and when it came to be."""

    number: int
    game_id: str
    local_id: str
    version: int
    at: int


@dataclass(frozen=True, slots=True)
class Sequence:
    """`last`: the delivery number given last; `complete`: no committed row waits for its number, as far as is known."""

    last: int
    complete: bool


def sequence(conn: Connection) -> Sequence:
    """How far the rows are numbered."""
    last, first = _SEQUENCE.first(conn) or (0, 0)
    return Sequence(last, complete=first is None)


def number_committed(unit: Unit, *, limit: int = NUMBERED_AT_ONCE) -> Sequence:
    """Give the next delivery numbers to rows that are committed, `limit` at most; nothing while another process does."""
    locked = _LOCKED.first(unit.conn)
    if locked is None:
        return Sequence(sequence(unit.conn).last, complete=False)
    key, last = locked
    ids = [row[0] for row in _COMMITTED.all(unit.conn, most=limit)]
    if ids:
        rows = [{"id": each, "number": number} for number, each in enumerate(ids, last + 1)]
        last += len(ids)
        write_batch(unit.conn, update_rows(outbox, rows), update_rows(outbox_sequence, [{"id": key, "last": last}]))
    return Sequence(last, complete=len(ids) < limit)


def count_unnumbered(conn: Connection) -> int:
    """Committed rows that wait for their number."""
    return sum(count for (count,) in _UNNUMBERED_COUNT.all(conn))


class OutboxSpan(NamedTuple):
    """An organization's rows with `after` < number ≤ `through`."""

    organization_id: str
    after: int
    through: int


def rows_of_all(conn: Connection, wanted: Iterable[OutboxSpan], *, limit: int) -> dict[OutboxSpan, list[OutboxRow]]:
    """Several such spans, `limit` rows of each."""
    return {each: rows_of(conn, *each, limit=limit) for each in wanted}


def rows_of(conn: Connection, organization_id: str, after: int, through: int, *, limit: int) -> list[OutboxRow]:
    """The organization's rows with `after` < number ≤ `through`, in this order."""
    query = (
        select(*OF_ROW)
        .where(outbox.c.organization_id == organization_id, outbox.c.number > after, outbox.c.number <= through)
        .order_by(outbox.c.number)
        .limit(limit)
    )
    return [OutboxRow(**row._asdict()) for row in conn.execute(query)]


def news(conn: Connection, *, after: int, through: int, limit: int) -> dict[str, list[OutboxRow]]:
    """The first `limit` rows with `after` < number ≤ `through` by organization, in this order."""
    found: dict[str, list[OutboxRow]] = {}
    for organization_id, number, game_id, local_id, version, at in _NEWS.all(
        conn, after=after, through=through, most=limit
    ):
        row = OutboxRow(number=number, game_id=game_id, local_id=local_id, version=version, at=at)
        found.setdefault(organization_id, []).append(row)
    return found


def purge(unit: Unit, *, before: float, after: int = 0, limit: int = PURGED) -> int | None:
    """Forget rows older than `before` that every active subscription of their organization has behind it.

    Looks at `limit` rows numbered beyond `after`; returns the number that it looked at last, None when nothing older follows.
    """
    looked = select(outbox).where(outbox.c.number > after).order_by(outbox.c.number).limit(limit).subquery()
    through, oldest = unit.conn.execute(select(func.max(looked.c.number), func.min(looked.c.at))).one()
    if through is None or oldest >= before:
        return None
    slowest = (
        select(webhooks.c.organization_id, func.min(webhooks.c.cursor).label("cursor"))
        .where(webhooks.c.status == "active")
        .group_by(webhooks.c.organization_id)
        .subquery()
    )
    # From the limited rows, not from a range of numbers: a planner with old statistics takes a range for most of the table.
    done = (
        select(looked.c.id)
        .outerjoin(slowest, slowest.c.organization_id == looked.c.organization_id)
        .where(looked.c.number <= through, looked.c.at < before)
        .where(or_(slowest.c.cursor.is_(None), slowest.c.cursor >= looked.c.number))
    )
    unit.conn.execute(delete(outbox).where(outbox.c.id.in_(done)))
    return int(through)
