"""Deliveries of webhooks: which process has which receiver, the rounds of each delivery, and when the next is due."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Literal

from sqlalchemy import Connection, Row, Text, bindparam, delete, insert, or_, select, type_coerce, update

from mapping.rules.webhook_delivery import Health
from store.engine.errors import UnreadableRow
from store.engine.statements import Among, CompiledQuery, insert_rows, update_rows, write_batch
from store.engine.unit import Unit
from store.tables import webhook_rounds, webhook_waiting, webhooks
from store.webhooks.webhooks import Subscription, renew_secrets, subscription_of, unclaimed

Kind = Literal["update", "replay", "ping"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """A version of a liveblog on its way. `id` of its waiting row, None for a first round; `rounds` made so far."""

    id: int | None = None
    number: int
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
class AttemptRecord:
    """What the process that has claimed a receiver has to record. `claimed`: the receiver as it was claimed."""

    claimed: Subscription
    rounds: tuple[Round, ...]
    cursor: int
    health: Health


@dataclass(frozen=True, slots=True)
class RecordResult:
    """The receivers whose claim is still valid, by id, and the ids of those whose row is locked: try them again."""

    recorded: dict[str, Subscription]
    locked: frozenset[str]


class Locked(Enum):
    """Somebody has locked the row, and may let go of it soon."""

    ROW = True


@dataclass(frozen=True, slots=True)
class ClaimResult:
    """The receivers that were claimed, by id, or why one cannot be read; and the ids of those whose row is locked."""

    claimed: dict[str, Subscription | UnreadableRow]
    locked: frozenset[str]


@dataclass(frozen=True, slots=True)
class DeliveredBefore:
    """Delivery numbers beyond the cursor that have had their first round, and the seconds that the latest round took.

    `waits`: whether a delivery waits for a round of its own, due or not.
    """

    tried: frozenset[int] = frozenset()
    took: float | None = None
    waits: bool = True


RELEASED = 500
"""Claims that one statement releases; a process may have thousands."""
_OF_HOOK = webhook_rounds.c.webhook_id == bindparam("webhook_id")
_TRIED = CompiledQuery(
    select(webhook_rounds.c.number).where(
        _OF_HOOK, webhook_rounds.c.number > bindparam("after"), webhook_rounds.c.kind == "update"
    )
)
_LATEST = CompiledQuery(select(webhook_rounds.c.took_ms).where(_OF_HOOK).order_by(webhook_rounds.c.id.desc()).limit(1))
_WAITS = CompiledQuery(
    select(webhook_waiting.c.id).where(webhook_waiting.c.webhook_id == bindparam("webhook_id")).limit(1)
)
_RECORDED = (
    "cursor", "failures", "failing_since", "outcome_at", "outcome_success", "outcome_code", "outcome_message",
)  # fmt: skip
_CLAIMED = CompiledQuery(
    select(
        webhooks.c.id,
        webhooks.c.fence,
        type_coerce(webhooks.c.secrets, Text).label("secrets"),
        *(webhooks.c[name] for name in _RECORDED if name.startswith("outcome")),
    )
    .where(Among(webhooks.c.id, "ids"), webhooks.c.status == "active")
    .order_by(webhooks.c.id)
    .with_for_update(skip_locked=True)
)


def claim(unit: Unit, webhook_id: str, owner: str) -> Subscription | None:
    """Claim the receiver for `owner`, a row of `workers`; None when it is gone, disabled, or claimed by a living process.

    Each claim steps the fence, so that a process whose claim was lost can record nothing.
    """
    row = unit.conn.execute(
        update(webhooks)
        .where(webhooks.c.id == webhook_id, webhooks.c.status == "active", or_(webhooks.c.owner == owner, unclaimed()))
        .values(owner=owner, fence=webhooks.c.fence + 1)
        .returning(*webhooks.c)
    ).first()
    return None if row is None else subscription_of(row)


def claim_all(unit: Unit, webhook_ids: Sequence[str], owner: str) -> ClaimResult:
    """Claim these receivers as `claim` does, but wait for no lock of a row: locked ones are named, and are not claimed."""
    mine = webhooks.c.status == "active", or_(webhooks.c.owner == owner, unclaimed())
    free = select(webhooks.c.id).where(webhooks.c.id.in_(webhook_ids), *mine).order_by(webhooks.c.id)
    rows = unit.conn.execute(
        update(webhooks)
        .where(webhooks.c.id.in_(free.with_for_update(skip_locked=True, of=webhooks)))
        .values(owner=owner, fence=webhooks.c.fence + 1)
        .returning(*webhooks.c)
    ).all()
    claimed = {row.id: _readable(row) for row in rows}
    unread = [webhook_id for webhook_id, row in claimed.items() if isinstance(row, UnreadableRow)]
    if unread:  # a process of a later version may be able to
        unit.conn.execute(update(webhooks).where(webhooks.c.id.in_(unread)).values(owner=None))
    left = [each for each in webhook_ids if each not in claimed]
    still = select(webhooks.c.id).where(webhooks.c.id.in_(left), *mine)
    return ClaimResult(claimed, frozenset(unit.conn.scalars(still) if left else ()))


def still_claimed(
    conn: Connection, claims: Sequence[tuple[str, int]]
) -> Mapping[tuple[str, int], Subscription | UnreadableRow]:
    """Receivers as they are now, with their secrets of now, by id and fence of their claims.

    Without those that are not to be delivered to under that claim any more.
    """
    ids = [webhook_id for webhook_id, _ in claims]
    rows = conn.execute(select(webhooks).where(webhooks.c.id.in_(ids), webhooks.c.status == "active"))
    found = {(row.id, row.fence): _readable(row) for row in rows}
    return {each: found[each] for each in claims if each in found}


def _readable(row: Row[Any]) -> Subscription | UnreadableRow:
    try:
        return subscription_of(row)
    except UnreadableRow as error:
        return error


def release(unit: Unit) -> None:
    """Release all claims, where no other process can be at work."""
    unit.conn.execute(
        update(webhooks).where(webhooks.c.status == "active", webhooks.c.owner.is_not(None)).values(owner=None)
    )


def release_claims(unit: Unit, claimed: Sequence[Subscription]) -> None:
    """Release these claims, except of receivers that were claimed anew since, or whose row is locked (reaped later)."""
    for first in range(0, len(claimed), RELEASED):
        fences = {each.id: each.fence for each in claimed[first : first + RELEASED]}
        query = select(webhooks.c.id, webhooks.c.fence).where(webhooks.c.id.in_(fences)).order_by(webhooks.c.id)
        rows = unit.conn.execute(query.with_for_update(skip_locked=True)).all()
        ours = [id_ for id_, fence in rows if fence == fences[id_]]
        unit.conn.execute(update(webhooks).where(webhooks.c.id.in_(ours)).values(owner=None))


def record_attempts(unit: Unit, records: Sequence[AttemptRecord]) -> RecordResult:
    """Record rounds, cursors and healths of several receivers, each at most once among them, in one unit.

    It waits for no lock of a receiver's row: nothing is written of a locked one, nor of those whose claim is lost.
    """
    rows = {row["id"]: row for row in _CLAIMED.mappings(unit.conn, ids=[each.claimed.id for each in records])}
    locked = _lock_rows(unit.conn, [each for each in records if each.claimed.id not in rows])
    ours = [
        (each, row) for each in records if (row := rows.get(each.claimed.id)) and row["fence"] == each.claimed.fence
    ]
    if ours:
        _record(unit, ours)
    renewals = (renew_secrets(each.claimed, row["secrets"]) for each, row in ours)
    return RecordResult({each.id: each for each in renewals if each is not None}, locked)


def _record(unit: Unit, ours: Sequence[tuple[AttemptRecord, Mapping[str, Any]]]) -> None:
    """Write the rounds and what follows from them; beside each record the row of its receiver."""
    logged = [_log_values(each.claimed, done) for each, _ in ours for done in each.rounds]
    receivers = [_receiver_row(row, each) for each, row in ours]
    write_batch(unit.conn, insert_rows(webhook_rounds, logged), update_rows(webhooks, receivers))
    for each, _ in ours:
        for done in each.rounds:
            _plan(unit, each.claimed.id, done)
        if each.health.disabled:  # nothing more is delivered, and nothing stays planned
            off = {"status": "disabled", "owner": None, "updated_at": unit.now}
            unit.conn.execute(update(webhooks).where(webhooks.c.id == each.claimed.id).values(off))
            unit.conn.execute(delete(webhook_waiting).where(webhook_waiting.c.webhook_id == each.claimed.id))


def _lock_rows(conn: Connection, skipped: Sequence[AttemptRecord]) -> frozenset[str]:
    """Ids of those whose row is there, under the same claim."""
    if not skipped:
        return frozenset()
    fences = {each.claimed.id: each.claimed.fence for each in skipped}
    query = select(webhooks.c.id, webhooks.c.fence).where(webhooks.c.id.in_(fences), webhooks.c.status == "active")
    return frozenset(id_ for id_, fence in conn.execute(query) if fence == fences[id_])


def tried_numbers(conn: Connection, webhook_id: str, *, after: int) -> frozenset[int]:
    """Delivery numbers beyond `after` that have had their first round."""
    return frozenset(number for (number,) in _TRIED.all(conn, webhook_id=webhook_id, after=after))


def delivered_before(conn: Connection, cursors: Sequence[tuple[str, int]]) -> dict[tuple[str, int], DeliveredBefore]:
    """What the log holds of receivers beyond their cursors, by id and cursor."""
    found = {}
    for webhook_id, after in cursors:
        latest = _LATEST.first(conn, webhook_id=webhook_id)
        took = None if latest is None else latest[0] / 1000
        waits = _WAITS.first(conn, webhook_id=webhook_id) is not None
        found[webhook_id, after] = DeliveredBefore(tried_numbers(conn, webhook_id, after=after), took, waits)
    return found


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
        rows = [{**_key_columns(webhook_id, each), "rounds": each.rounds, "next_at": at} for each in deliveries]
        unit.conn.execute(insert(webhook_waiting), rows)


def _receiver_row(row: Mapping[str, Any], done: AttemptRecord) -> dict[str, Any]:
    """The row of the receiver as it is to be. A test ping says nothing about its health."""
    last = next((each for each in reversed(done.rounds) if each.delivery.kind != "ping"), None)
    return {
        "id": row["id"],
        "cursor": done.cursor,
        "failures": done.health.failures,
        "failing_since": done.health.since,
        "outcome_at": last.at if last else row["outcome_at"],
        "outcome_success": last.success if last else row["outcome_success"],
        "outcome_code": last.status_code if last else row["outcome_code"],
        "outcome_message": last.message if last else row["outcome_message"],
    }


def _plan(unit: Unit, webhook_id: str, done: Round) -> None:
    """Update the waiting row with the outcome."""
    delivery, table = done.delivery, webhook_waiting
    if delivery.id is None:
        if done.next_at is not None:
            values = {**_key_columns(webhook_id, delivery), "rounds": delivery.rounds + 1, "next_at": done.next_at}
            unit.conn.execute(insert(table).values(values))
    elif done.next_at is None:
        unit.conn.execute(delete(table).where(table.c.id == delivery.id))
    else:
        values = {"rounds": delivery.rounds + 1, "next_at": done.next_at}
        unit.conn.execute(update(table).where(table.c.id == delivery.id).values(values))


def _key_columns(webhook_id: str, delivery: Delivery) -> dict[str, Any]:
    named = {name: getattr(delivery, name) for name in ("number", "game_id", "local_id", "version", "kind")}
    return {"webhook_id": webhook_id, **named}


def _log_values(receiver: Subscription, done: Round) -> dict[str, Any]:
    outcome = {name: getattr(done, name) for name in ("tries", "at", "took_ms", "success", "status_code", "message")}
    more = {"organization_id": receiver.organization_id, "round": done.delivery.rounds + 1}
    return {**_key_columns(receiver.id, done.delivery), **more, **outcome}
