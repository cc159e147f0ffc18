"""Deliveries: who works on a receiver, what each round came to, what waits for its next one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from sqlalchemy import Connection, bindparam, delete, insert, or_, select, update

from store.tables import webhook_rounds, webhook_waiting, webhooks
from store.webhooks import Subscription, subscription_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mapping.rules.delivery import Health
    from store.unit import Unit

Kind = Literal["update", "replay", "ping"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """A version of a liveblog on its way. `id` of its waiting row, None for a first round; `rounds` made so far."""

    id: int | None = None
    outbox_id: int
    game_id: str
    local_id: str
    version: int
    kind: Kind = "update"
    rounds: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """How one round of a delivery ended at `at`. `next_at` None: it was the last."""

    delivery: Delivery
    tries: int
    at: float
    took_ms: int
    success: bool
    status_code: int | None
    message: str
    next_at: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Settlement:
    """What the holder of a receiver has to record, and for how many more seconds it holds the receiver."""

    held: Subscription
    rounds: tuple[Round, ...]
    cursor: int
    health: Health
    lease: float


_SETTLED = (
    "cursor", "failures", "failing_since", "outcome_at", "outcome_success", "outcome_code", "outcome_message",
    "status", "owner", "lease_until", "updated_at",
)  # fmt: skip
SETTLE = (
    update(webhooks).where(webhooks.c.id == bindparam("which")).values({name: bindparam(name) for name in _SETTLED})
)


def claim(unit: Unit, webhook_id: str, owner: str, lease: float) -> Subscription | None:
    """Work on the receiver for `lease` seconds; None when it is gone, disabled, or somebody else's.

    Each claim steps the fence, so that an earlier holder who comes back can record nothing.
    """
    free = or_(webhooks.c.owner.is_(None), webhooks.c.owner == owner, webhooks.c.lease_until < unit.now)
    row = unit.conn.execute(
        update(webhooks)
        .where(webhooks.c.id == webhook_id, webhooks.c.status == "active", free)
        .values(owner=owner, lease_until=unit.now + lease, fence=webhooks.c.fence + 1)
        .returning(*webhooks.c)
    ).first()
    return None if row is None else subscription_of(row)


def renew(unit: Unit, held: Subscription, lease: float) -> Subscription | None:
    """Hold the receiver for `lease` more seconds; None when it is no longer ours."""
    row = unit.conn.execute(
        update(webhooks)
        .where(webhooks.c.id == held.id, webhooks.c.fence == held.fence, webhooks.c.status == "active")
        .values(lease_until=unit.now + lease)
        .returning(*webhooks.c)
    ).first()
    return None if row is None else subscription_of(row)


def release(unit: Unit, owner: str | None = None) -> None:
    """Give back what `owner` holds; None: what anybody holds, where nobody else can be at work."""
    query = update(webhooks).where(webhooks.c.owner.is_not(None) if owner is None else webhooks.c.owner == owner)
    unit.conn.execute(query.values(owner=None, lease_until=None))


def settle(unit: Unit, settlements: Sequence[Settlement]) -> dict[str, Subscription]:
    """Record rounds, cursors and healths of several receivers, each at most once among them, in one unit.

    The receivers that are still the holder's, by id; of the others nothing is written.
    """
    ids = [each.held.id for each in settlements]
    query = select(webhooks).where(webhooks.c.id.in_(ids), webhooks.c.status == "active").order_by(webhooks.c.id)
    rows = {row.id: subscription_of(row) for row in unit.conn.execute(query.with_for_update())}
    ours = [each for each in settlements if each.held.id in rows and rows[each.held.id].fence == each.held.fence]
    if not ours:
        return {}
    unit.conn.execute(SETTLE, [_settled(unit, rows[each.held.id], each) for each in ours])
    if logged := [_logged(each.held.id, done) for each in ours for done in each.rounds]:
        unit.conn.execute(insert(webhook_rounds), logged)
    for each in ours:
        for done in each.rounds:
            _plan(unit, each.held.id, done)
        if each.health.disabled:
            unit.conn.execute(delete(webhook_waiting).where(webhook_waiting.c.webhook_id == each.held.id))
    return {each.held.id: rows[each.held.id] for each in ours}


def tried(conn: Connection, webhook_id: str, *, after: int) -> frozenset[int]:
    """Outbox ids beyond `after` that have had their first round."""
    query = select(webhook_rounds.c.outbox_id).where(
        webhook_rounds.c.webhook_id == webhook_id, webhook_rounds.c.outbox_id > after, webhook_rounds.c.kind == "update"
    )
    return frozenset(conn.scalars(query))


def due(
    conn: Connection, webhook_id: str, *, now: float, far: float, limit: int, without: Iterable[int] = ()
) -> list[Delivery]:
    """Rounds that may begin, in the order in which they were planned; `without` those waiting rows."""
    table = webhook_waiting.c
    columns = [column for column in webhook_waiting.c if column.name not in {"webhook_id", "next_at"}]
    query = (
        select(*columns)
        .where(
            table.webhook_id == webhook_id,
            or_(table.next_at <= now, table.next_at > far),
            table.id.not_in(list(without)),
        )
        .order_by(table.next_at, table.id)
        .limit(limit)
    )
    return [Delivery(**row._asdict()) for row in conn.execute(query)]


def enqueue(unit: Unit, webhook_id: str, deliveries: Sequence[Delivery], *, at: float) -> None:
    """Let these wait for a round of their own at `at`, in this order."""
    if deliveries:
        rows = [{**_named(webhook_id, each), "rounds": each.rounds, "next_at": at} for each in deliveries]
        unit.conn.execute(insert(webhook_waiting), rows)


def _settled(unit: Unit, row: Subscription, done: Settlement) -> dict[str, Any]:
    """The row of the receiver as it is to be."""
    counted = [each for each in done.rounds if each.delivery.kind != "ping"]
    last = counted[-1] if counted else None
    disabled = done.health.disabled
    return {
        "which": row.id,
        "cursor": done.cursor,
        "failures": done.health.failures,
        "failing_since": done.health.since,
        "outcome_at": last.at if last else row.outcome_at,
        "outcome_success": last.success if last else row.outcome_success,
        "outcome_code": last.status_code if last else row.outcome_code,
        "outcome_message": last.message if last else row.outcome_message,
        "status": "disabled" if disabled else row.status,
        "owner": None if disabled else row.owner,
        "lease_until": None if disabled else unit.now + done.lease,
        "updated_at": unit.now if disabled else row.updated_at,
    }


def _plan(unit: Unit, webhook_id: str, done: Round) -> None:
    """Keep the waiting row in step with what the round came to."""
    delivery, table = done.delivery, webhook_waiting
    if delivery.id is None:
        if done.next_at is not None:
            values = {**_named(webhook_id, delivery), "rounds": delivery.rounds + 1, "next_at": done.next_at}
            unit.conn.execute(insert(table).values(values))
    elif done.next_at is None:
        unit.conn.execute(delete(table).where(table.c.id == delivery.id))
    else:
        values = {"rounds": delivery.rounds + 1, "next_at": done.next_at}
        unit.conn.execute(update(table).where(table.c.id == delivery.id).values(values))


def _named(webhook_id: str, delivery: Delivery) -> dict[str, Any]:
    return {
        "webhook_id": webhook_id,
        "outbox_id": delivery.outbox_id,
        "game_id": delivery.game_id,
        "local_id": delivery.local_id,
        "version": delivery.version,
        "kind": delivery.kind,
    }


def _logged(webhook_id: str, done: Round) -> dict[str, Any]:
    return {
        **_named(webhook_id, done.delivery),
        "round": done.delivery.rounds + 1,
        "tries": done.tries,
        "at": done.at,
        "took_ms": done.took_ms,
        "success": done.success,
        "status_code": done.status_code,
        "message": done.message,
    }
