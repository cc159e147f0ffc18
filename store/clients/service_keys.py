"""Secrets that the service makes for itself, equal for all processes of a database, and rotated by whoever runs it."""

from __future__ import annotations

import secrets
from typing import NamedTuple

from sqlalchemy import Connection, select

from store.engine.statements import insert_ignore, upsert, write_batch
from store.engine.unit import Unit
from store.tables import service_keys

BYTES = 32
MEDIA, READERS, READER_IDS = "media", "readers", "reader ids"
"""What signs addresses of images, what signs tokens of readers, and what makes ids of readers, which has to stay."""
ROTATED = (MEDIA, READERS)
_BEFORE = " before"


class Keys(NamedTuple):
    """The service's keys. What was signed with the keys before the last rotation is accepted too."""

    media: bytes
    """Signs the addresses of images (mapping.rules.media_address)."""
    readers: bytes
    """Signs the tokens of readers (mapping.readers.reader_token)."""
    reader_ids: bytes
    """Makes the ids of readers, and is never rotated."""
    media_before: tuple[bytes, ...] = ()
    readers_before: tuple[bytes, ...] = ()


def all_keys(unit: Unit) -> Keys:
    """Read all keys, and make those that are missing."""
    before = {name: _find(unit.conn, name + _BEFORE) for name in ROTATED}
    return Keys(
        media=_key(unit, MEDIA),
        readers=_key(unit, READERS),
        reader_ids=_reader_id_key(unit),
        media_before=tuple(filter(None, (before[MEDIA],))),
        readers_before=tuple(filter(None, (before[READERS],))),
    )


def _key(unit: Unit, name: str) -> bytes:
    return _make_if_missing(unit, name, secrets.token_bytes(BYTES))


def _reader_id_key(unit: Unit) -> bytes:
    """What ids of readers are made by: the first key of their tokens, whatever becomes of that."""
    return _make_if_missing(unit, READER_IDS, _key(unit, READERS))


def known_reader_id_key(conn: Connection) -> bytes:
    """The key of readers' ids, for a read: a random one where no daemon has made it yet."""
    return _find(conn, READER_IDS) or _find(conn, READERS) or secrets.token_bytes(BYTES)


def rotate(unit: Unit, name: str) -> None:
    """Make the secret of that name anew; what it was stays believed until the next time."""
    _reader_id_key(unit)  # of the key that is there now
    rows = {name: secrets.token_bytes(BYTES), name + _BEFORE: _key(unit, name)}
    write_batch(unit.conn, upsert(service_keys, [{"name": each, "value": value} for each, value in rows.items()]))


def _make_if_missing(unit: Unit, name: str, value: bytes) -> bytes:
    """The secret of that name, `value` where there is none."""
    if (found := _find(unit.conn, name)) is None:
        write_batch(unit.conn, insert_ignore(service_keys, [{"name": name, "value": value}]))
        found = _find(unit.conn, name) or value
    return found


def _find(conn: Connection, name: str) -> bytes | None:
    found = conn.scalar(select(service_keys.c.value).where(service_keys.c.name == name))
    return None if found is None else bytes(found)
