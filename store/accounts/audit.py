"""The audit log: what people have done at the desk, and operators to their accounts, written with each operation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import Connection, insert, select

from store.accounts.tables import accounts, audit_entries
from store.engine.statements import delete_some
from store.engine.unit import Unit

PURGED = 500
"""Rows that one unit deletes."""
BATCH = 500
OPERATOR = "operator"
"""In the place of an account: whoever runs the service, by a command on its machine."""
LONGEST = 300
"""Characters of what was done, and of what it was done to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """Something that a person has done; `at` in Unix seconds, `email` None where the account is gone, or for `OPERATOR`."""

    serial: int
    at: int
    organization_id: str
    account_id: str
    email: str | None
    operation: str
    target: str


def record(unit: Unit, organization_id: str, account_id: str, operation: str, target: str = "") -> None:
    """Write down that the account has done `operation`, an id of the interface or a word of the desk, to `target`."""
    unit.conn.execute(
        insert(audit_entries).values(
            organization_id=organization_id,
            account_id=account_id,
            operation=operation[:LONGEST],
            target=target[:LONGEST],
            at=unit.now,
        )
    )


def entries(conn: Connection, *, after: int, organization_id: str | None = None) -> list[AuditEntry]:
    """At most `BATCH` entries behind the serial number `after`, oldest first."""
    columns = audit_entries.c
    query = (
        select(audit_entries, accounts.c.email)
        .outerjoin(accounts, accounts.c.id == columns.account_id)
        .where(columns.serial > after)
        .order_by(columns.serial)
        .limit(BATCH)
    )
    if organization_id is not None:
        query = query.where(columns.organization_id == organization_id)
    return [AuditEntry(**row._asdict()) for row in conn.execute(query)]


def all_entries(conn: Connection, organization_id: str | None = None) -> Iterator[AuditEntry]:
    """All entries, oldest first."""
    after = 0
    while batch := entries(conn, after=after, organization_id=organization_id):
        yield from batch
        after = batch[-1].serial


def purge(unit: Unit, *, before: float) -> bool:
    """Delete some entries from before that time (Unix seconds); whether there may be more."""
    return delete_some(unit.conn, audit_entries, audit_entries.c.at < before, limit=PURGED) == PURGED
