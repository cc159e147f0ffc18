"""Subscriptions to feeds (WebSub): what a subscriber wants, which lease it has, and which version it has got.

A version that is delivered is the newest one, so nothing is queued: what a subscriber lacks is said by two numbers, that of
its liveblog and that of its row. Whoever works on a row has claimed it for some seconds, and records nothing afterwards.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from sqlalchemy import ColumnElement, Connection, Float, Integer, and_, bindparam, delete, func, or_, select, update

from mapping.errors import Unprocessable
from store.hub_tables import hub_subscriptions
from store.ids import new_object_id
from store.sql.compiled_query import CompiledQuery
from store.sql.insert_new import insert_new
from store.tables import games

if TYPE_CHECKING:
    from store.unit import Unit

Mode = Literal["subscribe", "unsubscribe"]
LONGEST_PAUSE = 3600.0
"""Seconds. What is planned for later than that was planned by a clock that has been set back since, and is due."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedSubscriber:
    """Who gets a feed (`topic`), and where. `until`: Unix seconds of the lease's end, None before it is confirmed."""

    id: str
    topic: str
    callback: str
    callback_host: str
    game_id: str
    secret: str | None
    until: int | None
    version: int
    failures: int
    next_at: float
    requested: Mode | None
    requested_id: str | None
    requested_secret: str | None
    requested_lease: int | None
    claim_id: str | None
    claimed_until: float
    created_at: int

    def has_ended(self, now: float) -> bool:
        """Whether the lease is over."""
        return self.until is None or self.until <= now

    def may_get(self, now: float) -> bool:
        """Whether the pause since the last delivery is over."""
        return not now < self.next_at <= now + LONGEST_PAUSE


@dataclass(frozen=True, slots=True, kw_only=True)
class HubRoom:
    """How many subscriptions there may be: in all, to the feeds of one liveblog, at one host."""

    subscriptions: int
    liveblog_subscriptions: int
    host_subscriptions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedFeed:
    """A request for a subscription. `version`: of the liveblog, that the subscriber could read when it sent this."""

    topic: str
    callback: str
    callback_host: str
    game_id: str
    version: int
    secret: str | None
    lease: int


_rows = hub_subscriptions.c


def request_subscription(unit: Unit, wanted: WantedFeed, room: HubRoom) -> None:
    """Keep a request until the subscriber has confirmed it, a lease that runs on as it is. Raises Unprocessable without room."""
    values = {
        "requested": "subscribe", "requested_id": secrets.token_hex(16),
        "requested_secret": wanted.secret, "requested_lease": wanted.lease,
    }  # fmt: skip
    if _renew(unit, wanted, values):
        return
    _check_room(unit.conn, wanted, room)
    row = {
        "id": new_object_id(unit.now),
        "topic": wanted.topic,
        "callback": wanted.callback,
        "callback_host": wanted.callback_host,
        "game_id": wanted.game_id,
        "version": wanted.version,
        "failures": 0,
        "next_at": 0.0,
        "claimed_until": 0.0,
        "created_at": unit.now,
        **values,
    }
    if not insert_new(unit.conn, hub_subscriptions, **row):  # somebody was quicker
        _renew(unit, wanted, values)


def request_end(unit: Unit, topic: str, callback: str) -> None:
    """Keep a request to unsubscribe until the subscriber has confirmed it; one who is not subscribed is not called."""
    values = {
        "requested": "unsubscribe",
        "requested_id": secrets.token_hex(16),
        "requested_secret": None,
        "requested_lease": None,
    }
    query = update(hub_subscriptions).where(_rows.topic == topic, _rows.callback == callback)
    unit.conn.execute(query.where(_rows.until.is_not(None)).values(values))


def due(conn: Connection, now: float, *, limit: int) -> list[str]:
    """Ids of those to confirm, to deliver to or to end, that nobody works on; those first that have waited longest."""
    return [id_ for (id_,) in _DUE.all(conn, now=now, limit=limit)]


def any_subscriber(conn: Connection) -> bool:
    """Whether there is any row at all."""
    return _ANY.first(conn) is not None


def claim_subscriber(unit: Unit, id_: str, *, now: float, seconds: float) -> FeedSubscriber | None:
    """Claim the row for so long; None where another process has it, or it is gone."""
    row = unit.conn.execute(
        update(hub_subscriptions)
        .where(_rows.id == id_, _unclaimed(now))
        .values(claim_id=secrets.token_hex(16), claimed_until=now + seconds)
        .returning(*_rows)
    ).first()
    return None if row is None else FeedSubscriber(**row._asdict())


def confirm(unit: Unit, claimed: FeedSubscriber, now: float) -> None:
    """The subscriber wants what was requested in its name."""
    if claimed.requested == "unsubscribe":
        end(unit, claimed)
        return
    values = {"secret": claimed.requested_secret, "until": int(now) + (claimed.requested_lease or 0)}
    _record(unit, claimed, values | {"failures": 0, "next_at": now})
    _forget_request(unit, claimed)


def refuse(unit: Unit, claimed: FeedSubscriber) -> None:
    """The subscriber does not want what was requested in its name: a lease that it has runs on."""
    never = delete(hub_subscriptions).where(_rows.until.is_(None), *_requested(claimed))
    if not unit.conn.execute(never).rowcount:
        _forget_request(unit, claimed)


def end(unit: Unit, claimed: FeedSubscriber) -> None:
    """Forget the subscriber, unless it has sent another request meanwhile."""
    same = _rows.requested_id.is_not_distinct_from(claimed.requested_id)
    unit.conn.execute(delete(hub_subscriptions).where(_claimed(claimed), same))


def record_push(unit: Unit, claimed: FeedSubscriber, *, version: int, failures: int, next_at: float) -> None:
    """How a delivery ended, which version the subscriber has now, and when the next one may begin."""
    _record(unit, claimed, {"version": version, "failures": failures, "next_at": next_at})


def release_subscriber(unit: Unit, claimed: FeedSubscriber) -> None:
    """Leave the row to whoever comes first."""
    _record(unit, claimed, {"claim_id": None, "claimed_until": 0.0})


def _unclaimed(now: float | ColumnElement[float]) -> ColumnElement[bool]:
    return or_(_rows.claimed_until <= now, _rows.claimed_until > now + LONGEST_PAUSE)


def _due() -> CompiledQuery:
    now = bindparam("now", type_=Float)
    behind = and_(or_(_rows.next_at <= now, _rows.next_at > now + LONGEST_PAUSE), games.c.version > _rows.version)
    return CompiledQuery(
        select(_rows.id)
        .join(games, games.c.id == _rows.game_id)
        .where(_unclaimed(now), or_(_rows.requested.is_not(None), _rows.until <= now, behind))
        .order_by(_rows.next_at)
        .limit(bindparam("limit", type_=Integer))
    )


_DUE = _due()
"""Each process asks after every commit of any while there is a subscriber, mostly for nothing."""
_ANY = CompiledQuery(select(_rows.id).limit(1))


def _claimed(claimed: FeedSubscriber) -> ColumnElement[bool]:
    return and_(_rows.id == claimed.id, _rows.claim_id == claimed.claim_id)


def _requested(claimed: FeedSubscriber) -> tuple[ColumnElement[bool], ...]:
    return _claimed(claimed), _rows.requested_id == claimed.requested_id


def _record(unit: Unit, claimed: FeedSubscriber, values: dict[str, Any]) -> None:
    unit.conn.execute(update(hub_subscriptions).where(_claimed(claimed)).values(values))


def _forget_request(unit: Unit, claimed: FeedSubscriber) -> None:
    values = dict.fromkeys(("requested", "requested_id", "requested_secret", "requested_lease"))
    unit.conn.execute(update(hub_subscriptions).where(*_requested(claimed)).values(values))


def _renew(unit: Unit, wanted: WantedFeed, values: dict[str, Any]) -> bool:
    query = update(hub_subscriptions).where(_rows.topic == wanted.topic, _rows.callback == wanted.callback)
    return unit.conn.execute(query.values(values)).rowcount > 0


def _check_room(conn: Connection, wanted: WantedFeed, room: HubRoom) -> None:
    rows = select(func.count()).select_from(hub_subscriptions)
    taken = (
        (rows, room.subscriptions, "in all"),
        (rows.where(_rows.game_id == wanted.game_id), room.liveblog_subscriptions, "to one liveblog"),
        (rows.where(_rows.callback_host == wanted.callback_host), room.host_subscriptions, "at one host"),
    )
    for query, most, where in taken:
        if (conn.scalar(query) or 0) >= most:
            raise Unprocessable(f"the hub has no room: there are at most {most} subscriptions {where}")
