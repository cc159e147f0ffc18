"""The log of deliveries: reading it, delivering again, purging what is old."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, TextClause, func, select, text, tuple_

from mapping.errors import Conflict, NotFound
from store.engine.statements import delete_some
from store.engine.unit import Unit
from store.tables import games, outbox, webhook_rounds, webhook_waiting, webhooks
from store.webhooks.deliveries import Delivery, enqueue
from store.webhooks.outbox import PURGED, sequence
from store.webhooks.webhooks import Subscription, find, require

REPLAYED = 10_000
"""Updates that one replay sends again, at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogRow:
    """A round that is over."""

    id: int
    url: str
    kind: str
    game_id: str
    local_id: str
    version: int
    round: int
    tries: int
    at: float
    took_ms: int
    success: bool
    status_code: int | None
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LogFilter:
    """What to show of the log; None shows all. Times are Unix seconds, `since` included, `until` not."""

    url: str | None = None
    liveblog: str | None = None
    success: bool | None = None
    since: float | None = None
    until: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Backlog:
    """What waits: updates for their first round (the oldest from when), deliveries for another round."""

    updates: int
    oldest: int | None
    waiting: int
    active: int
    disabled: int


EVERYTHING = LogFilter()
FILTERS: dict[str, Callable[[Any], ColumnElement[bool] | TextClause]] = {
    "success": lambda success: text("webhook_rounds.success") if success else text("NOT webhook_rounds.success"),
    "since": lambda time: webhook_rounds.c.at >= time,
    "until": lambda time: webhook_rounds.c.at < time,
}
"""Field of a `LogFilter` → what it demands of a row; failures in the very words of their index."""


def page(
    conn: Connection,
    organization_id: str,
    wanted: LogFilter = EVERYTHING,
    *,
    before: int | None = None,
    limit: int = 50,
) -> list[LogRow]:
    """The organization's rounds, the newest first; `before`: the id of the last one of the previous page."""
    table = webhook_rounds.c
    columns = [column for column in webhook_rounds.c if column.name not in {"number", "organization_id"}]
    query = select(*columns).where(*_conditions(conn, organization_id, wanted))
    if before is not None:
        at = conn.scalar(select(table.at).where(table.id == before))
        # Where the round is purged, what follows has gone before it, and the order of the rows will do.
        query = query.where(table.id < before if at is None else tuple_(table.at, table.id) < (at, before))
    query = query.order_by(table.at.desc(), table.id.desc()).limit(limit)
    rows = [row._asdict() for row in conn.execute(query)]
    receivers = select(webhooks.c.id, webhooks.c.url).where(webhooks.c.id.in_({row["webhook_id"] for row in rows}))
    urls = {row.id: row.url for row in conn.execute(receivers)}
    return [LogRow(url=urls[row.pop("webhook_id")], **row) for row in rows]


def _conditions(
    conn: Connection, organization_id: str, wanted: LogFilter
) -> Iterator[ColumnElement[bool] | TextClause]:
    table = webhook_rounds.c
    if wanted.url is None:
        yield table.organization_id == organization_id
    else:  # the receiver's own rounds alone, which are the organization's
        known = find(conn, organization_id, wanted.url)
        yield table.webhook_id == ("" if known is None else known.id)
    if wanted.liveblog is not None:
        named = conn.scalar(select(games.c.id).where(games.c.local_id == wanted.liveblog))
        yield table.game_id == (named or wanted.liveblog)  # a name that nobody has is nobody's `ticker_id` either
    for name, filtered in FILTERS.items():
        value = getattr(wanted, name)
        if value is not None:
            yield filtered(value)


def replay(unit: Unit, organization_id: str, delivery_id: int) -> int:
    """Deliver once more the version in a row of the log. Raises NotFound, Conflict for a disabled subscription."""
    table = webhook_rounds.c
    columns = (table.number, table.game_id, table.local_id, table.version, table.kind)
    row = unit.conn.execute(
        select(webhooks.c.id, webhooks.c.status, *columns)
        .join(webhooks, webhooks.c.id == table.webhook_id)
        .where(table.id == delivery_id, webhooks.c.organization_id == organization_id)
    ).first()
    if row is None or row.kind == "ping":
        raise NotFound("there is no such delivery", field="deliveryId")
    _check_active(row.status)
    enqueue(unit, row.id, [_again(row)], at=unit.now)
    return 1


def replay_range(
    unit: Unit, organization_id: str, url: str, *, since: float, until: float, liveblog: str | None = None
) -> int:
    """Deliver once more, in order, what changed from `since` to before `until`, delivered or not; returns how many.

    At most REPLAYED updates, the oldest. Raises NotFound, Conflict for a disabled subscription.
    """
    known = _active(unit.conn, organization_id, url)
    table = outbox.c
    query = (
        select(table.number, table.game_id, table.local_id, table.version)
        .where(
            table.organization_id == organization_id, table.at >= since, table.at < until, table.number <= known.cursor
        )
        .order_by(table.number)
        .limit(REPLAYED)
    )
    if liveblog is not None:
        query = query.where((table.game_id == liveblog) | (table.local_id == liveblog))
    found = [_again(row) for row in unit.conn.execute(query)]
    enqueue(unit, known.id, found, at=unit.now)
    return len(found)


def _again(row: Any) -> Delivery:
    return Delivery(number=row.number, game_id=row.game_id, local_id=row.local_id, version=row.version, kind="replay")


def ping(unit: Unit, organization_id: str, url: str) -> None:
    """Let a test message go out. Raises NotFound, Conflict for a disabled subscription."""
    known = _active(unit.conn, organization_id, url)
    enqueue(unit, known.id, [Delivery(number=0, game_id="", local_id="", version=0, kind="ping")], at=unit.now)


def purge(unit: Unit, *, before: float, limit: int = PURGED) -> int:
    """Forget rounds that ended before this, `limit` of them; how many there were."""
    return delete_some(unit.conn, webhook_rounds, webhook_rounds.c.at < before, limit=limit)


def backlog(conn: Connection, *, through: int) -> Backlog:
    """What waits, of all organizations."""
    updates, oldest = conn.execute(_behind(through)).one()
    counted = select(webhooks.c.status, func.count()).group_by(webhooks.c.status)
    states: dict[str, int] = {row[0]: row[1] for row in conn.execute(counted)}
    return Backlog(
        updates=int(updates),
        oldest=oldest,
        waiting=conn.scalar(select(func.count()).select_from(webhook_waiting)) or 0,
        active=states.get("active", 0),
        disabled=states.get("disabled", 0),
    )


def _behind(through: int) -> Select[Any]:
    """How many updates active subscriptions have before them, and when the oldest came to be; those equally far are one group.

    Thousands of subscriptions are behind by the same few updates; each of them would be counted for each of these.
    """
    place = webhooks.c.organization_id, webhooks.c.cursor
    late = webhooks.c.status == "active", webhooks.c.cursor < through
    groups = select(*place, func.count().label("subscriptions")).where(*late).group_by(*place).subquery()
    behind = (groups.c.organization_id == outbox.c.organization_id) & (groups.c.cursor < outbox.c.number)
    counted = select(func.coalesce(func.sum(groups.c.subscriptions), 0), func.min(outbox.c.at))
    return counted.select_from(groups.join(outbox, behind)).where(outbox.c.number <= through)


def oldest_waiting(conn: Connection) -> int | None:
    """When the oldest update came to be that waits for its delivery number or for its first round; None where none waits."""
    unnumbered = conn.scalar(select(func.min(outbox.c.at)).where(outbox.c.number.is_(None)))
    _, behind = conn.execute(_behind(sequence(conn).last)).one()
    return min((at for at in (unnumbered, behind) if at is not None), default=None)


def _active(conn: Connection, organization_id: str, url: str) -> Subscription:
    known = require(conn, organization_id, url)
    _check_active(known.status)
    return known


def _check_active(status: str) -> None:
    if status != "active":
        raise Conflict("the subscription is disabled; subscribe again first")
