"""Answers that a repeated request gets again instead of a second liveblog."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import Connection, delete, insert, select, tuple_

from store.tables import idempotency

if TYPE_CHECKING:
    from store.unit import Unit

KEPT = 7 * 86_400
"""Seconds that a key is remembered."""
FORGOTTEN = 100
"""Old keys that go with each new one, so that none of them has to wait for all."""


def remember(  # noqa: PLR0917 -- in the order of the table
    unit: Unit, organization_id: str, client_id: str, key: str, digest: str, game_id: str
) -> None:
    """Bind the key to the liveblog that the request with this `digest` created, and forget some keys older than `KEPT`.

    A key that is bound already raises IntegrityError: `recall` it first, in the same unit.
    """
    columns = idempotency.c
    key_of = tuple_(columns.organization_id, columns.client_id, columns.key)
    old = (
        select(columns.organization_id, columns.client_id, columns.key)
        .where(columns.created_at < unit.now - KEPT)
        .limit(FORGOTTEN)
    )
    unit.conn.execute(delete(idempotency).where(key_of.in_(old)))
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


def recall(conn: Connection, organization_id: str, client_id: str, key: str) -> tuple[str, str] | None:
    """(digest of the request, id of the liveblog) for a key that has been used, else None."""
    row = conn.execute(
        select(idempotency.c.digest, idempotency.c.game_id).where(
            idempotency.c.organization_id == organization_id,
            idempotency.c.client_id == client_id,
            idempotency.c.key == key,
        )
    ).first()
    return None if row is None else (row.digest, row.game_id)
