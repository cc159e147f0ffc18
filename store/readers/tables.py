"""The table of readers who take part: sign-ins that were used."""

from __future__ import annotations

from sqlalchemy import Index, Table

from store.engine.columns import integer, metadata, text
from store.engine.portable_table import of_organization
from store.engine.stored_capability import StoredCapability

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
