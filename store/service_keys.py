"""Secrets that the service makes for itself, equal for all processes of a database."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from sqlalchemy import select

from store.media_tables import service_keys
from store.sql.bulk_write import insert_ignore, write_batch

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from store.unit import Unit

BYTES = 32


def service_key(unit: Unit, name: str) -> bytes:
    """The key of that name, 32 random bytes; it is made when it is wanted for the first time."""
    wanted = select(service_keys.c.value).where(service_keys.c.name == name)
    if (found := unit.conn.scalar(wanted)) is None:
        write_batch(unit.conn, insert_ignore(service_keys, [{"name": name, "value": secrets.token_bytes(BYTES)}]))
        found = unit.conn.execute(wanted).scalar_one()
    return bytes(found)


def known_key(conn: Connection, name: str) -> bytes:
    """The key of that name, for who only reads; one of this moment alone where no daemon has made it yet."""
    found = conn.scalar(select(service_keys.c.value).where(service_keys.c.name == name))
    return secrets.token_bytes(BYTES) if found is None else bytes(found)
