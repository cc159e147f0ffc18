"""Which images of third parties records name, those of before too, and files that an operator has purged."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from alembic import op

if TYPE_CHECKING:
    from collections.abc import Iterator

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None

PAGE = 1000
FIELDS = {"source_url", "image", "banner_image", "cover_image", "url"}
RECORDS = (
    (
        "event",
        "SELECT e.local_id, g.organization_id, e.doc FROM events e JOIN games g ON g.id = e.game_id",
        "e.local_id",
    ),
    ("game", "SELECT g.id, g.organization_id, g.doc FROM games g", "g.id"),
    ("team", "SELECT t.id, t.owner_id, t.doc FROM teams t", "t.id"),
    ("player", "SELECT t.id, t.owner_id, t.doc FROM players t", "t.id"),
    ("tournament", "SELECT t.id, t.owner_id, t.doc FROM tournaments t", "t.id"),
)


def upgrade() -> None:
    uses = op.create_table(
        "image_uses",
        sa.Column("organization_id", sa.Text(), nullable=False),
        sa.Column("image", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("record_id", sa.Text(), nullable=False),
        sa.Column("shown", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("organization_id", "image", "kind", "record_id", name="pk_image_uses"),
    )
    op.create_index("ix_image_uses_kind_record_id", "image_uses", ["kind", "record_id"])
    op.create_table(
        "purged_files",
        sa.Column("file", sa.Text(), nullable=False),
        sa.Column("purged_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("file", name="pk_purged_files"),
    )
    for kind, query, key in RECORDS:
        for rows in _pages(query, key):
            found = [use for record_id, owner, doc in rows for use in _uses(kind, record_id, owner, doc)]
            if found:
                op.bulk_insert(uses, found)
    op.execute(
        "DELETE FROM image_uses WHERE kind = 'event' AND record_id IN (SELECT local_id FROM events WHERE local_status = 100)"
    )
    for rows in _pages("SELECT c.id, c.organization_id, c.author_image FROM comments c", "c.id"):
        found = [_use("comment", record_id, owner, url) for record_id, owner, url in rows if url]
        if found:
            op.bulk_insert(uses, found)


def downgrade() -> None:
    op.drop_table("purged_files")
    op.drop_table("image_uses")


def _pages(query: str, key: str) -> Iterator[list[Any]]:
    """The rows in the order of their key, some at a time."""
    after = ""
    while (
        rows := op.get_bind()
        .execute(sa.text(f"{query} WHERE {key} > :after ORDER BY {key} LIMIT {PAGE}"), {"after": after})
        .all()
    ):
        yield list(rows)
        after = rows[-1][0]


def _uses(kind: str, record_id: str, owner: str, doc: Any) -> list[dict[str, Any]]:
    if not isinstance(doc, str) or "http" not in doc:
        return []
    try:
        urls = set(_addresses(json.loads(doc)))
    except ValueError:  # a row that cannot be read shows nothing
        return []
    return [_use(kind, record_id, owner, url) for url in sorted(urls)]


def _use(kind: str, record_id: str, owner: str, url: str) -> dict[str, Any]:
    image = hashlib.sha256(url.encode("utf-8", "replace")).hexdigest()[:32]
    return {"organization_id": owner, "image": image, "kind": kind, "record_id": record_id, "shown": True}


def _addresses(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if value.get("local_status"):  # an entry of `media` that readers are not shown
            return
        for name, part in value.items():
            if isinstance(part, str):
                if name in FIELDS and part.lower().startswith(("http:", "https:")):
                    yield part
            else:
                yield from _addresses(part)
    elif isinstance(value, list):
        for part in value:
            yield from _addresses(part)
