"""Makes repeated requests harmless: finds the liveblog that the same request has created already.

`Idempotency-Key`s of any request, and digests of the documents from which liveblogs with an `external_id` were created.
"""

from __future__ import annotations

from sqlalchemy import ColumnElement, Connection, and_, delete, exists, func, insert, not_, or_, select, tuple_

from mapping.documents.scalars import LocalStatus
from store.engine.unit import Unit
from store.tables import creations, games, idempotency

KEPT = 7 * 86_400
"""Seconds for which a key is kept."""
FORGOTTEN = 100
"""Old keys that go with each new one, so that none of them has to wait for all."""
_GONE = exists().where(games.c.id == idempotency.c.game_id, games.c.local_status == LocalStatus.DELETED)
"""The liveblog that the key created is deleted."""
NAME_LOCKS = 7
"""PostgreSQL's advisory locks of names of liveblogs, apart from all others."""


def save(  # noqa: PLR0917 -- in the order of the table
    unit: Unit, organization_id: str, client_id: str, key: str, digest: str, game_id: str
) -> None:
    """Bind the key to the liveblog that the request with this `digest` created, and forget some keys older than `KEPT`.

    A key that is bound already raises IntegrityError: `find` it first, in the same unit.
    """
    columns = idempotency.c
    key_of = tuple_(columns.organization_id, columns.client_id, columns.key)
    old = (
        select(columns.organization_id, columns.client_id, columns.key)
        .where(columns.created_at < unit.now - KEPT)
        .limit(FORGOTTEN)
    )
    unit.conn.execute(
        delete(idempotency).where(or_(key_of.in_(old), and_(*_is_key(organization_id, client_id, key), _GONE)))
    )
    unit.conn.execute(
        insert(idempotency).values(
            organization_id=organization_id,
            client_id=client_id,
            key=key,
            digest=digest,
            game_id=game_id,
            created_at=unit.now,
        )
    )


def find(conn: Connection, organization_id: str, client_id: str, key: str) -> tuple[str, str] | None:
    """(digest of the request, id of the liveblog) for a key that has been used and whose liveblog is not deleted."""
    wanted = (*_is_key(organization_id, client_id, key), not_(_GONE))
    row = conn.execute(select(idempotency.c.digest, idempotency.c.game_id).where(*wanted)).first()
    return None if row is None else (row.digest, row.game_id)


def _is_key(organization_id: str, client_id: str, key: str) -> tuple[ColumnElement[bool], ...]:
    columns = idempotency.c
    return columns.organization_id == organization_id, columns.client_id == client_id, columns.key == key


def lock_name(unit: Unit, local_id: str) -> None:
    """Lock the name of a liveblog that is about to be created, until the unit ends.

    On SQLite units run one after the other anyway.
    """
    if unit.conn.dialect.name == "postgresql":
        unit.conn.execute(select(func.pg_advisory_xact_lock(NAME_LOCKS, func.hashtext(local_id))))


def save_digest(unit: Unit, game_id: str, digest: str) -> None:
    """Save the digest of the document that the liveblog was created from."""
    unit.conn.execute(insert(creations).values(game_id=game_id, digest=digest))


def digest_of(conn: Connection, game_id: str) -> str | None:
    """The digest of the document that the liveblog was created from, None where it was created otherwise."""
    found: str | None = conn.scalar(select(creations.c.digest).where(creations.c.game_id == game_id))
    return found
