"""Sign-ins that still owe a code: who has entered the right password; a step lasts some minutes."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field

from sqlalchemy import Connection, delete, insert, select

from mapping.desk.one_time_codes import SECRET_BYTES, as_base32, step_of
from mapping.errors import Conflict
from store.accounts import accounts, second_factors, sessions
from store.accounts.accounts import StoredAccount
from store.accounts.tables import sign_in_steps
from store.engine.statements import delete_some
from store.engine.unit import Unit

LASTS = 900
"""Seconds in which the code has to be entered, or an app be set up."""
PURGED = 500
"""Rows that one unit deletes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInStep:
    """Whose password was entered. `secret`: of the app that is being set up, None where a code of the second factor is owed."""

    account: StoredAccount
    secret: str | None = field(repr=False)


def begin(unit: Unit, account_id: str, secret: str | None = None) -> str:
    """Note that the password was right; gives the token by which the browser goes on, which is stored nowhere."""
    token = secrets.token_urlsafe(sessions.TOKEN_BYTES)
    row = {"token_hash": sessions.token_digest(token), "account_id": account_id, "expires_at": unit.now + LASTS}
    unit.conn.execute(insert(sign_in_steps).values(**row, secret=secret))
    return token


def begin_set_up(unit: Unit, account_id: str, *, has_factor: bool) -> tuple[str, str]:
    """Begin to set up an app; gives the token, and the secret that is the step's alone, to be shown this one time.

    `has_factor`: whether the account has a second factor, as far as whoever sets up has entered a code of it. Raises
    Conflict where it is not so any more.
    """
    accounts.lock(unit, account_id)
    if second_factors.has_one(unit.conn, account_id) != has_factor:
        raise Conflict("the second factor was changed meanwhile")
    secret = as_base32(secrets.token_bytes(SECRET_BYTES))
    return begin(unit, account_id, secret), secret


def set_up(unit: Unit, token: str, entered: str) -> list[str] | None:
    """Make the app the account's second factor if that is a code of it: all sessions and other steps of the account end.

    Gives new recovery codes, None for a wrong code. Raises Conflict where the step sets up nothing, or is over.
    """
    found = find(unit.conn, token, now=unit.now)
    if found is None or found.secret is None:
        raise Conflict("no second factor is being set up")
    time_step = step_of(found.secret, entered, unit.now)
    if time_step is None:
        return None
    accounts.lock(unit, found.account.id)
    if not end(unit, token):
        raise Conflict("no second factor is being set up")
    sessions.end_all(unit, found.account.id)
    return second_factors.set_secret(unit, found.account.id, found.secret, time_step)


def find(conn: Connection, token: str, *, now: float) -> SignInStep | None:
    """The step with this token, unless it was begun too long ago or the account is disabled."""
    columns = sign_in_steps.c
    wanted = columns.token_hash == sessions.token_digest(token), columns.expires_at > now
    row = conn.execute(select(columns.account_id, columns.secret).where(*wanted)).first()
    account = None if row is None else accounts.find(conn, row.account_id)
    if row is None or account is None or account.disabled_at is not None:
        return None
    return SignInStep(account=account, secret=row.secret)


def end(unit: Unit, token: str) -> bool:
    """Delete the step with this token: whether there was one."""
    wanted = sign_in_steps.c.token_hash == sessions.token_digest(token)
    return unit.conn.execute(delete(sign_in_steps).where(wanted)).rowcount == 1


def purge(unit: Unit) -> bool:
    """Delete some steps that have expired: whether there may be more."""
    return delete_some(unit.conn, sign_in_steps, sign_in_steps.c.expires_at <= unit.now, limit=PURGED) == PURGED
