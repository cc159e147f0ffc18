"""Failed tries to sign in: how many there were, and from when the next try counts."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from sqlalchemy import Connection, and_, delete, or_, select, update

from mapping.errors import RateLimited
from store.accounts.tables import sign_in_tries
from store.engine.statements import delete_some, insert_ignore, upsert, write_batch
from store.engine.unit import Unit

KEPT = 86_400
"""Seconds for which failures count, from the first of them on."""
KNOWN = 90 * 86_400
"""Seconds for which a network is known after somebody has signed in from it: its row has no failures."""
PURGED = 500
"""Rows that one unit deletes."""


def try_key(*parts: str) -> str:
    """What a try counts for, as a hash: a table of who signs in from where would be worth stealing."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def begin(unit: Unit, delays: Mapping[str, Mapping[int, int]]) -> None:
    """Count a try as a failure under each of the keys, before the password is looked at, so that none escapes the count.

    `delays`: key → the failures from which on there is a delay → its seconds. Raises RateLimited where the next try of a
    key does not count yet; then nothing is counted. Nobody waits for longer than the delay of so many failures from now on,
    whatever a clock that was wrong has written.
    """
    columns = sign_in_tries.c
    fresh = [{"key": key, "failures": 0, "next_at": 0, "tried_at": unit.now} for key in sorted(delays)]
    write_batch(unit.conn, insert_ignore(sign_in_tries, fresh))
    locked = select(sign_in_tries).where(columns.key.in_(delays)).order_by(columns.key).with_for_update()
    rows = unit.conn.execute(locked)
    known = {row.key: row for row in rows if row.tried_at > unit.now - KEPT}
    waits = max(
        (min(row.next_at - unit.now, _delay(delays[key], row.failures)) for key, row in known.items()), default=0
    )
    if waits > 0:
        raise RateLimited("too many tries to sign in", retry_after=waits)
    counted = []
    for key, steps in delays.items():
        before, first = (known[key].failures, known[key].tried_at) if key in known else (0, unit.now)
        next_at = unit.now + _delay(steps, before + 1)
        counted.append({"key": key, "failures": before + 1, "next_at": next_at, "tried_at": min(first, unit.now)})
    write_batch(unit.conn, upsert(sign_in_tries, counted))


def _delay(steps: Mapping[int, int], failures: int) -> int:
    return max((seconds for least, seconds in steps.items() if failures >= least), default=0)


def forgive(unit: Unit, *keys: str, shared: str) -> None:
    """Somebody has signed in: forget the failures under these keys, and under the one that others share that this try is one."""
    columns = sign_in_tries.c
    no_failure = {"failures": columns.failures - 1, "next_at": unit.now}
    unit.conn.execute(update(sign_in_tries).where(columns.key == shared, columns.failures > 0).values(no_failure))
    unit.conn.execute(
        delete(sign_in_tries).where(or_(columns.key.in_(keys), and_(columns.key == shared, columns.failures < 1)))
    )


def forgive_all(unit: Unit) -> int:
    """Forget all failures; how many there were."""
    return unit.conn.execute(delete(sign_in_tries).where(sign_in_tries.c.failures > 0)).rowcount


def note_signed_in(unit: Unit, network: str) -> None:
    """Somebody has signed in from this network."""
    row = {"key": _signed_in_key(network), "failures": 0, "next_at": 0, "tried_at": unit.now}
    write_batch(unit.conn, upsert(sign_in_tries, [row]))


def has_signed_in(conn: Connection, network: str, now: float) -> bool:
    """Whether somebody has signed in from this network."""
    columns = sign_in_tries.c
    known = columns.key == _signed_in_key(network), columns.tried_at > now - KNOWN
    return conn.scalar(select(columns.key).where(*known)) is not None


def _signed_in_key(network: str) -> str:
    return try_key("signed in", "", network)


def purge(unit: Unit) -> bool:
    """Delete some tries that no longer count: whether there may be more."""
    columns = sign_in_tries.c
    over = and_(columns.tried_at <= unit.now - KEPT, columns.failures > 0), columns.tried_at <= unit.now - KNOWN
    return delete_some(unit.conn, sign_in_tries, or_(*over), limit=PURGED) == PURGED
