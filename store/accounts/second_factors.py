"""Second factors of accounts: the secret of an app for codes, which code counted last, and codes for when it is lost."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import Connection, delete, func, insert, select, update

from mapping.desk.one_time_codes import (
    RECOVERY_BYTES,
    RECOVERY_CODES,
    SECRET_BYTES,
    as_base32,
    recovery_code,
    recovery_digest,
    step_of,
)
from mapping.errors import Conflict
from store.accounts.tables import recovery_codes, second_factors
from store.engine.sql.bulk_write import insert_ignore, write_batch

if TYPE_CHECKING:
    from store.engine.unit import Unit

PREPARED_FOR = 900
"""Seconds within which a code of a new secret has to be entered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFactor:
    """A second factor. `secret`: None where no code was ever entered; `next_secret`: what is to come in its place."""

    account_id: str
    secret: str | None
    next_secret: str | None

    def __repr__(self) -> str:
        """Without its secrets, wherever it is written to."""
        return f"StoredFactor({self.account_id})"


def find(conn: Connection, account_id: str, *, now: float) -> StoredFactor | None:
    """The account's second factor, None where it has none and none is being set up."""
    row = conn.execute(select(second_factors).where(second_factors.c.account_id == account_id)).first()
    if row is None:
        return None
    upcoming = row.next_secret if row.prepared_at > now - PREPARED_FOR else None
    if row.secret is None and upcoming is None:
        return None
    return StoredFactor(account_id=account_id, secret=row.secret, next_secret=upcoming)


def has_one(conn: Connection, account_id: str) -> bool:
    """Whether the account has a second factor, of which a code was entered."""
    found = find(conn, account_id, now=0)
    return found is not None and found.secret is not None


def prepare(unit: Unit, account_id: str) -> None:
    """Make a secret that is to be the account's; the one that it has stays until a code of the new one is entered."""
    empty = {"account_id": account_id, "secret": None, "last_step": 0, "next_secret": None, "prepared_at": 0}
    write_batch(unit.conn, insert_ignore(second_factors, [empty]))
    values = {"next_secret": as_base32(secrets.token_bytes(SECRET_BYTES)), "prepared_at": unit.now}
    unit.conn.execute(update(second_factors).where(second_factors.c.account_id == account_id).values(**values))


def confirm(unit: Unit, account_id: str, entered: str) -> list[str] | None:
    """Take the new secret over if that is a code of it; gives new recovery codes, None for a wrong code."""
    found = find(unit.conn, account_id, now=unit.now)
    if found is None or found.next_secret is None:
        raise Conflict("no second factor is being set up")
    step = step_of(found.next_secret, entered, unit.now)
    if step is None:
        return None
    wanted = second_factors.c.account_id == account_id, second_factors.c.next_secret == found.next_secret
    values = {"secret": found.next_secret, "next_secret": None, "last_step": step}
    if not unit.conn.execute(update(second_factors).where(*wanted).values(**values)).rowcount:
        return None
    return renew_recovery_codes(unit, account_id)


def use_code(unit: Unit, account_id: str, entered: str) -> bool:
    """Whether it is a code of the account's app; it counts no second time, and none of before it does."""
    found = find(unit.conn, account_id, now=unit.now)
    if found is None or found.secret is None:
        return False
    step = step_of(found.secret, entered, unit.now)
    if step is None:
        return False
    columns = second_factors.c
    fresh = columns.account_id == account_id, columns.secret == found.secret, columns.last_step < step
    return unit.conn.execute(update(second_factors).where(*fresh).values(last_step=step)).rowcount == 1


def use_recovery_code(unit: Unit, account_id: str, entered: str) -> bool:
    """Whether it is one of the account's recovery codes; then it is none any more."""
    columns = recovery_codes.c
    wanted = columns.account_id == account_id, columns.code_hash == recovery_digest(entered)
    return unit.conn.execute(delete(recovery_codes).where(*wanted)).rowcount == 1


def renew_recovery_codes(unit: Unit, account_id: str) -> list[str]:
    """New recovery codes in the place of those of before; as they are shown, once."""
    _forget_recovery_codes(unit, account_id)
    codes = [recovery_code(secrets.token_bytes(RECOVERY_BYTES)) for _ in range(RECOVERY_CODES)]
    rows = [{"account_id": account_id, "code_hash": recovery_digest(each)} for each in codes]
    unit.conn.execute(insert(recovery_codes), rows)
    return codes


def recovery_codes_left(conn: Connection, account_id: str) -> int:
    """How many recovery codes the account has."""
    columns = recovery_codes.c
    return conn.scalar(select(func.count()).select_from(recovery_codes).where(columns.account_id == account_id)) or 0


def remove(unit: Unit, account_id: str) -> bool:
    """Take the second factor away, with its recovery codes; whether there was one."""
    _forget_recovery_codes(unit, account_id)
    columns = second_factors.c
    return unit.conn.execute(delete(second_factors).where(columns.account_id == account_id)).rowcount == 1


def accounts_with_one(conn: Connection) -> frozenset[str]:
    """The ids of all accounts that have a second factor."""
    return frozenset(conn.scalars(select(second_factors.c.account_id).where(second_factors.c.secret.is_not(None))))


def _forget_recovery_codes(unit: Unit, account_id: str) -> None:
    unit.conn.execute(delete(recovery_codes).where(recovery_codes.c.account_id == account_id))
