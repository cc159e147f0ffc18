"""Leases of matches: a row for each living process, an owner and a fencing token on each match, and no clock at all.

A process lives as long as its heartbeat (`beat`) goes on; the others watch it with their own steady clocks. Every lease
steps the fence of its match, and a write with an older one is refused. One of the living processes leads: it runs the jobs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Connection, and_, bindparam, delete, exists, func, insert, select, update

from store.engine.statements import CompiledQuery, insert_new
from store.engine.unit import Unit
from store.tables import follows, leaders, workers

T = TypeVar("T")


class Superseded(Exception):
    """Another process has taken the match over; nothing of the unit was written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Worker:
    """A process that follows matches. `knows`: the endpoints it can poll."""

    id: str
    knows: frozenset[str]

    @property
    def kind(self) -> str:
        """The same for processes that can stand in for each other."""
        return "\n".join(sorted(self.knows))


@dataclass(frozen=True, slots=True, kw_only=True)
class LeasedMatch:
    """A match that a process has leased. `joined` counts the liveblogs that came while it was followed already."""

    follow_id: str
    fence: int
    joined: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RenewedLeases:
    """What a process has leased after a renewal.

    `leads`: of the processes of its kind this one runs the jobs; `heartbeats`: those of the other processes; `open_matches`:
    how many matches of each endpoint are to be followed; `more`: there is more to lease than one renewal takes; `unknown`:
    endpoints of open matches that this process cannot poll.
    """

    leased: tuple[LeasedMatch, ...]
    heartbeats: Mapping[str, int]
    open_matches: Mapping[str, int]
    leads: bool
    more: bool = False
    unknown: frozenset[str] = frozenset()


def join(unit: Unit, worker: Worker, *, alone: bool, lock: int | None = None) -> None:
    """Count as alive from now on. `alone`: no other process can live (SQLite), so whatever is left of one goes.

    `lock`: the liveness lock of the process (PostgreSQL); without it, the process is dead at once.
    """
    if alone:
        unit.conn.execute(delete(workers))
    values = {"id": worker.id, "kind": worker.kind, "lock": lock, "beat": 0, "seen_at": unit.now}
    unit.conn.execute(insert(workers).values(values))


def leave(unit: Unit, worker_id: str) -> None:
    """Give everything back at once."""
    unit.conn.execute(delete(workers).where(workers.c.id == worker_id))


def renew(unit: Unit, worker: Worker, dead: Mapping[str, int], *, batch: int) -> RenewedLeases | None:
    """Send a heartbeat, reap the `dead` (with their last heartbeats), lease or give back up to an even share.

    None: the others have reaped this process; it has no leases and has to join anew.
    """
    beat_again = {"beat": workers.c.beat + 1, "seen_at": unit.now}
    if not unit.conn.execute(update(workers).where(workers.c.id == worker.id).values(beat_again)).rowcount:
        return None
    for worker_id, beat in [*dead.items(), *_ended_workers(unit.conn, worker.id)]:
        _reap(unit, worker_id, beat)
    others = {row.id: row for row in unit.conn.execute(select(workers).where(workers.c.id != worker.id))}
    alike = 1 + sum(row.kind == worker.kind for row in others.values())
    is_open = follows.c.closed_at.is_(None)
    matches = select(follows.c.endpoint, func.count()).where(is_open).group_by(follows.c.endpoint)
    counted: dict[str, int] = {row[0]: row[1] for row in unit.conn.execute(matches)}
    own = select(*LEASE_COLUMNS).where(follows.c.owner == worker.id, is_open).order_by(follows.c.id)
    leased = tuple(_of(row) for row in unit.conn.execute(own))
    share = -(-sum(number for endpoint, number in counted.items() if endpoint in worker.knows) // alike)
    if len(leased) > share:  # what is beyond it is left to others
        given_back = [each.follow_id for each in leased[share:]]
        unit.conn.execute(update(follows).where(follows.c.id.in_(given_back)).values(owner=None))
        leased = leased[:share]
    wanted = min(share - len(leased), batch)
    taken = _take(unit, worker, wanted) if wanted > 0 else ()
    return RenewedLeases(
        leased=leased + taken,
        heartbeats={row.id: row.beat for row in others.values()},
        open_matches=counted,
        leads=_lead(unit, worker),
        more=wanted == batch == len(taken),
        unknown=frozenset(counted) - worker.knows,
    )


def heartbeats(conn: Connection) -> dict[str, int]:
    """The last heartbeats of the processes that have not ended; one that hangs is still among them."""
    ended = dict(_ended_workers(conn, ""))
    return {row.id: row.beat for row in conn.execute(select(workers.c.id, workers.c.beat)) if row.id not in ended}


def lease(unit: Unit, worker: Worker, follow_id: str) -> LeasedMatch | None:
    """Lease this one match if it is free, whatever the share; None where the process does not have its lease then."""
    alive = select(workers.c.id).where(workers.c.id == worker.id).with_for_update(read=True)
    if unit.conn.execute(alive).first() is None:
        return None
    where = and_(follows.c.id == follow_id, follows.c.endpoint.in_(worker.knows))
    row = unit.conn.execute(select(*LEASE_COLUMNS, follows.c.owner).where(where, follows.c.closed_at.is_(None))).first()
    if row is not None and row.owner == worker.id:
        return _of(row)
    free = unit.conn.execute(select(follows.c.id).where(where, *_free()).with_for_update(skip_locked=True))
    return next(iter(_own(unit, worker.id, free.scalars().all())), None)


def run_fenced(unit: Unit, work: Callable[[Unit], T], *, follow_id: str, fence: int) -> T:
    """The result of `work`, which writes for this match. Raises Superseded when another process has taken it since."""
    if _FENCE.first(unit.conn, follow_id=follow_id) != (fence,):
        raise Superseded(follow_id)
    return work(unit)


_FENCE = CompiledQuery(select(follows.c.fence).where(follows.c.id == bindparam("follow_id")).with_for_update())
LEASE_COLUMNS = (follows.c.id, follows.c.fence, follows.c.joined)


def _reap(unit: Unit, worker_id: str, beat: int) -> None:
    """Remove a process that is still at this heartbeat; one that renews at this moment lives."""
    same = and_(workers.c.id == worker_id, workers.c.beat == beat)
    if unit.conn.execute(select(workers.c.id).where(same).with_for_update(skip_locked=True)).first() is not None:
        unit.conn.execute(delete(workers).where(same))


def _lead(unit: Unit, worker: Worker) -> bool:
    """Whether this process leads, from now on where no other one of its kind does; it leads for as long as it lives."""
    kind = sha256(worker.kind.encode()).hexdigest()
    leader = unit.conn.scalar(select(leaders.c.worker_id).where(leaders.c.kind == kind))
    if leader is None:
        return insert_new(unit.conn, leaders, kind=kind, worker_id=worker.id)
    return bool(leader == worker.id)


def _ended_workers(conn: Connection, worker_id: str) -> list[tuple[str, int]]:
    """Other processes whose liveness lock has gone, with their last heartbeats."""
    if conn.dialect.name != "postgresql":
        return []
    locked = and_(workers.c.id != worker_id, workers.c.lock.is_not(None))
    return [
        (row.id, row.beat)
        for row in conn.execute(select(workers).where(locked)).all()
        if conn.execute(select(func.pg_try_advisory_xact_lock(row.lock))).scalar()
    ]


def _free() -> tuple[ColumnElement[bool], ...]:
    """No living process has leased the match."""
    return ~exists().where(workers.c.id == follows.c.owner), follows.c.closed_at.is_(None)


def _take(unit: Unit, worker: Worker, number: int) -> tuple[LeasedMatch, ...]:
    """Lease up to so many free matches, those that others are leasing at this moment left out."""
    query = select(follows.c.id).where(*_free(), follows.c.endpoint.in_(worker.knows))
    query = query.order_by(follows.c.id).limit(number).with_for_update(skip_locked=True)
    return _own(unit, worker.id, unit.conn.scalars(query).all())


def _own(unit: Unit, worker_id: str, follow_ids: Iterable[str]) -> tuple[LeasedMatch, ...]:
    values: dict[str, Any] = {"owner": worker_id, "fence": follows.c.fence + 1}
    query = update(follows).where(follows.c.id.in_(list(follow_ids))).values(values).returning(*LEASE_COLUMNS)
    return tuple(_of(row) for row in unit.conn.execute(query))


def _of(row: Any) -> LeasedMatch:
    return LeasedMatch(follow_id=row.id, fence=row.fence, joined=row.joined)
