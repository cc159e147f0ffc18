"""Accounts of people: who may sign in at the desk, for which organization, and in which role."""

from __future__ import annotations

import secrets
from collections.abc import Collection
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import Connection, Row, insert, select, update

from mapping.desk.account_roles import AccountRole
from mapping.errors import Conflict, NotFound
from store.accounts.tables import accounts
from store.engine.unit import Unit

PREFIX = "person."
"""How ids of accounts begin: no id of a client has a dot, so the two never meet."""
AT_ONCE = 500
"""Ids in one query; databases bound them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountSpec:
    """An account as it is made. `password_hash`: by Argon2id; None where the person signs in elsewhere."""

    organization_id: str
    email: str
    name: str
    role: AccountRole
    password_hash: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredAccount(AccountSpec):
    """An account. `issuer` and `subject` name the person at the provider by which it has signed in.

    `by_groups`: 1 where its groups there have made the account. Times in Unix seconds.
    """

    id: str
    issuer: str | None
    subject: str | None
    by_groups: int
    created_at: int
    updated_at: int
    disabled_at: int | None


def email_key(email: str) -> str:
    """An e-mail address as accounts are found by it."""
    return email.strip().lower()


def create(unit: Unit, spec: AccountSpec) -> StoredAccount:
    """Make an account. Raises Conflict where one has this e-mail address, in whichever organization."""
    if find_by_email(unit.conn, spec.email) is not None:
        raise Conflict(f"there is an account with the address {email_key(spec.email)}")
    account_id = f"{PREFIX}{secrets.token_hex(12)}"
    row = {**asdict(spec), "id": account_id, "email": email_key(spec.email)}
    unit.conn.execute(insert(accounts).values(**row, created_at=unit.now, updated_at=unit.now))
    return require(unit.conn, account_id)


def change(unit: Unit, account_id: str, **values: object) -> None:
    """Set columns of an account."""
    unit.conn.execute(update(accounts).where(accounts.c.id == account_id).values(**values, updated_at=unit.now))


def lock(unit: Unit, account_id: str) -> None:
    """Lock the account until the end of this unit."""
    unit.conn.execute(select(accounts.c.id).where(accounts.c.id == account_id).with_for_update())


def find(conn: Connection, account_id: str) -> StoredAccount | None:
    """The account with this id, a disabled one too."""
    return _account(conn.execute(select(accounts).where(accounts.c.id == account_id)).first())


def find_by_email(conn: Connection, email: str) -> StoredAccount | None:
    """The account with this e-mail address, a disabled one too."""
    return _account(conn.execute(select(accounts).where(accounts.c.email == email_key(email))).first())


def find_by_subject(conn: Connection, issuer: str, subject: str) -> StoredAccount | None:
    """The account of the person whom the provider knows by this issuer and subject."""
    wanted = accounts.c.issuer == issuer, accounts.c.subject == subject
    return _account(conn.execute(select(accounts).where(*wanted)).first())


def require(conn: Connection, account_id: str) -> StoredAccount:
    """The account with this id. Raises NotFound."""
    found = find(conn, account_id)
    if found is None:
        raise NotFound("there is no such account")
    return found


def list_accounts(conn: Connection) -> list[StoredAccount]:
    """All accounts, disabled ones too, by organization and e-mail address."""
    rows = conn.execute(select(accounts).order_by(accounts.c.organization_id, accounts.c.email))
    return [found for row in rows if (found := _account(row))]


def names_of(conn: Connection, ids: Collection[str]) -> dict[str, str]:
    """The names of accounts by their ids; ids of clients and unknown ones are left out."""
    wanted = sorted({each for each in ids if each.startswith(PREFIX)})
    found: dict[str, str] = {}
    for start in range(0, len(wanted), AT_ONCE):
        part = accounts.c.id.in_(wanted[start : start + AT_ONCE])
        found |= {row.id: row.name for row in conn.execute(select(accounts.c.id, accounts.c.name).where(part))}
    return found


def _account(row: Row[Any] | None) -> StoredAccount | None:
    """The row as an account; one whose role this version does not know may do nothing and is none."""
    if row is None or row.role not in set(AccountRole):
        return None
    return StoredAccount(**{**row._asdict(), "role": AccountRole(row.role)})
