"""Sign-in tokens of readers that were used: each counts once, in all processes, until it would have expired."""

from __future__ import annotations

import hashlib

from sqlalchemy import Index, Table

from store.engine.columns import integer, metadata, text
from store.engine.portable_table import StoredCapability, of_organization
from store.engine.statements import delete_some, insert_new
from store.engine.unit import Unit

FORGOTTEN = 100
"""Ended tokens that are forgotten with each new one, so that none of them has to wait for all."""
reader_sign_ins = Table(
    "reader_sign_ins",
    metadata,
    text("organization_id", primary_key=True),
    text("jti_digest", primary_key=True),
    integer("until"),
    Index(None, "until"),
)
"""Sign-in tokens that were used, by SHA-256 of their `jti` in hex, until they end."""

READERS = StoredCapability(portable=(of_organization(reader_sign_ins),))


def use_once(unit: Unit, organization_id: str, jti: str, until: int) -> bool:
    """Whether the token that its organization named `jti` is used for the first time. `until`: its end in Unix seconds."""
    delete_some(unit.conn, reader_sign_ins, reader_sign_ins.c.until < unit.now, limit=FORGOTTEN)
    digest = hashlib.sha256(jti.encode("utf-8", "surrogatepass")).hexdigest()
    return insert_new(unit.conn, reader_sign_ins, organization_id=organization_id, jti_digest=digest, until=until)
