"""Sessions of signed-in people: of each token only a hash is stored, so the table lets nobody in."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass

from sqlalchemy import Connection, delete, exists, insert, select, update

from mapping.desk.account_roles import AccountRole, SignInProof
from store.accounts.tables import accounts, desk_sessions, second_factors, sign_in_steps
from store.engine.statements import delete_some
from store.engine.unit import Unit

TOKEN_BYTES = 32
SESSIONS_KEPT = 20
"""Sessions of one account; of more the one that was seen longest ago ends."""
OF_SESSION = ("id", "account_id", "browser", "created_at", "seen_at", "expires_at")
OF_ACCOUNT = ("organization_id", "name", "role")
PURGED = 500
"""Rows that one unit deletes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSession:
    """A session with what its account is now; times in Unix seconds."""

    id: str
    account_id: str
    organization_id: str
    name: str
    role: AccountRole
    browser: str
    created_at: int
    seen_at: int
    expires_at: int


def token_digest(token: str) -> str:
    """What is stored of a token: its SHA-256 as 64 hex digits. Tokens are long and random, so no salt is needed."""
    return hashlib.sha256(token.encode()).hexdigest()


def begin(unit: Unit, account_id: str, *, browser: str, lasts: float, proof: SignInProof = SignInProof.PASSWORD) -> str:
    """Begin a session that ends after `lasts` seconds at the latest; gives its token, which is stored nowhere.

    `proof`: what the person has shown.
    """
    token = secrets.token_urlsafe(TOKEN_BYTES)
    unit.conn.execute(
        insert(desk_sessions).values(
            id=secrets.token_hex(12),
            token_hash=token_digest(token),
            account_id=account_id,
            browser=browser,
            created_at=unit.now,
            seen_at=unit.now,
            expires_at=unit.now + int(lasts),
            proof=proof,
        )
    )
    newest = (
        select(desk_sessions.c.id)
        .where(desk_sessions.c.account_id == account_id)
        .order_by(desk_sessions.c.seen_at.desc(), desk_sessions.c.created_at.desc())
        .limit(SESSIONS_KEPT)
    )
    unit.conn.execute(
        delete(desk_sessions).where(desk_sessions.c.account_id == account_id, desk_sessions.c.id.not_in(newest))
    )
    return token


def find(conn: Connection, token: str, *, now: float, idle: float, password_alone: bool = True) -> StoredSession | None:
    """The session with this token, unless it has ended, was not seen for `idle` seconds, or its account is disabled.

    One that a password alone has begun does not count where the account has a second factor since, nor where
    `password_alone` says that every account needs one.
    """
    has_second_factor = exists().where(second_factors.c.account_id == desk_sessions.c.account_id)
    wanted = [
        desk_sessions.c.token_hash == token_digest(token),
        desk_sessions.c.expires_at > now,
        desk_sessions.c.seen_at > now - idle,
        accounts.c.disabled_at.is_(None),
        (desk_sessions.c.proof != SignInProof.PASSWORD) | ~has_second_factor,
    ]
    if not password_alone:
        wanted.append(desk_sessions.c.proof != SignInProof.PASSWORD)
    found = _sessions(conn, *wanted)
    return found[0] if found else None


def of_account(conn: Connection, account_id: str, *, now: float, idle: float) -> list[StoredSession]:
    """The sessions of an account that last, newest first."""
    lasting = desk_sessions.c.expires_at > now, desk_sessions.c.seen_at > now - idle
    return _sessions(conn, desk_sessions.c.account_id == account_id, *lasting)


def proof_of(conn: Connection, session_id: str) -> SignInProof:
    """How the person signed in when the session was begun; a password alone where it has ended."""
    found = conn.scalar(select(desk_sessions.c.proof).where(desk_sessions.c.id == session_id))
    return SignInProof.PASSWORD if found is None else SignInProof(found)


def touch(unit: Unit, session_id: str) -> None:
    """Note that the session was seen now."""
    unit.conn.execute(update(desk_sessions).where(desk_sessions.c.id == session_id).values(seen_at=unit.now))


def end(unit: Unit, account_id: str, session_id: str) -> None:
    """End one session of the account."""
    wanted = desk_sessions.c.id == session_id, desk_sessions.c.account_id == account_id
    unit.conn.execute(delete(desk_sessions).where(*wanted))


def end_token(unit: Unit, token: str) -> None:
    """End the session with this token, if there is one."""
    unit.conn.execute(delete(desk_sessions).where(desk_sessions.c.token_hash == token_digest(token)))


def end_all(unit: Unit, account_id: str, *, but: str | None = None) -> int:
    """End all sessions of the account, but for one of them, and what is about to be one; gives how many there were."""
    unit.conn.execute(delete(sign_in_steps).where(sign_in_steps.c.account_id == account_id))
    wanted = [desk_sessions.c.account_id == account_id]
    if but is not None:
        wanted.append(desk_sessions.c.id != but)
    return unit.conn.execute(delete(desk_sessions).where(*wanted)).rowcount


def purge(unit: Unit, *, idle: float) -> bool:
    """Delete some sessions that have ended; whether there may be more."""
    columns = desk_sessions.c
    over = (columns.expires_at <= unit.now) | (columns.seen_at <= unit.now - idle)
    return delete_some(unit.conn, desk_sessions, over, limit=PURGED) == PURGED


def _sessions(conn: Connection, *wanted: object) -> list[StoredSession]:
    columns = desk_sessions.c
    query = (
        select(*(columns[name] for name in OF_SESSION), *(accounts.c[name] for name in OF_ACCOUNT))
        .join(accounts, accounts.c.id == columns.account_id)
        .where(*wanted)  # type: ignore[arg-type]
        .order_by(columns.created_at.desc(), columns.id)
    )
    rows = [row._asdict() for row in conn.execute(query)]
    known = set(AccountRole)
    return [StoredSession(**{**row, "role": AccountRole(row["role"])}) for row in rows if row["role"] in known]
