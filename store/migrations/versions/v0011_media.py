"""Uploads and what refers to them, files whose size is to be found out, and the service's own keys."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def _text(name: str, *, nullable: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=nullable)


def _key(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text().with_variant(sa.Text(collation="C"), "postgresql"), nullable=False)


def _int(name: str, *, nullable: bool = False) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), nullable=nullable)


def upgrade() -> None:
    op.create_table(
        "uploads",
        _key("key"),
        _text("organization_id"),
        _text("client_id"),
        _text("subtype"),
        _text("content_type"),
        _text("digest"),
        _int("bytes"),
        _int("width", nullable=True),
        _int("height", nullable=True),
        _int("created_at"),
        sa.PrimaryKeyConstraint("key", name="pk_uploads"),
    )
    op.create_index("ix_uploads_created_at", "uploads", ["created_at"])
    op.create_table(
        "upload_uses",
        _key("upload_key"),
        _text("kind"),
        _text("record_id"),
        sa.Column("shown", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("upload_key", "kind", "record_id", name="pk_upload_uses"),
        sa.ForeignKeyConstraint(["upload_key"], ["uploads.key"], name="fk_upload_uses_upload_key_uploads"),
    )
    op.create_index("ix_upload_uses_kind_record_id", "upload_uses", ["kind", "record_id"])
    op.create_table(
        "media_probes",
        _text("media_id"),
        _text("event_id"),
        _text("game_id"),
        _text("organization_id"),
        _text("url"),
        _int("tries"),
        sa.Column("next_at", sa.Double(), nullable=True),
        _text("error", nullable=True),
        sa.PrimaryKeyConstraint("media_id", name="pk_media_probes"),
        sa.ForeignKeyConstraint(
            ["event_id"], ["events.local_id"], name="fk_media_probes_event_id_events", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_media_probes_event_id", "media_probes", ["event_id"])
    op.create_index("ix_media_probes_next_at", "media_probes", ["next_at"])
    op.create_table(
        "service_keys",
        _text("name"),
        sa.Column("value", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_service_keys"),
    )


def downgrade() -> None:
    for table in ("service_keys", "media_probes", "upload_uses", "uploads"):
        op.drop_table(table)
