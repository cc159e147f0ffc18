"""Who has entered the right password and owes a code: a hash of a token that is no session's, for some minutes."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from sqlalchemy import Connection, delete, insert, select

from store.accounts import accounts, sessions
from store.accounts.tables import sign_in_steps

if TYPE_CHECKING:
    from store.accounts.accounts import StoredAccount
    from store.engine.unit import Unit

LASTS = 900
"""Seconds in which the code has to be entered, or an app be set up."""
PURGED = 500
"""Rows that one unit deletes."""


def begin(unit: Unit, account_id: str) -> str:
    """Note that the password was right; gives the token by which the browser goes on, which is stored nowhere."""
    token = secrets.token_urlsafe(sessions.TOKEN_BYTES)
    row = {"token_hash": sessions.token_digest(token), "account_id": account_id, "expires_at": unit.now + LASTS}
    unit.conn.execute(insert(sign_in_steps).values(**row))
    return token


def find(conn: Connection, token: str, *, now: float) -> StoredAccount | None:
    """The account whose password was entered, unless that is too long ago or the account is disabled."""
    columns = sign_in_steps.c
    wanted = columns.token_hash == sessions.token_digest(token), columns.expires_at > now
    account_id = conn.scalar(select(columns.account_id).where(*wanted))
    account = None if account_id is None else accounts.find(conn, account_id)
    return None if account is None or account.disabled_at is not None else account


def end(unit: Unit, token: str) -> None:
    """Forget it."""
    wanted = sign_in_steps.c.token_hash == sessions.token_digest(token)
    unit.conn.execute(delete(sign_in_steps).where(wanted))


def purge(unit: Unit) -> bool:
    """Delete some that are over; whether there may be more."""
    columns = sign_in_steps.c
    over = select(columns.token_hash).where(columns.expires_at <= unit.now).limit(PURGED)
    return unit.conn.execute(delete(sign_in_steps).where(columns.token_hash.in_(over))).rowcount == PURGED
