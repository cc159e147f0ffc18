"""Webhooks: subscriptions with a cursor into the outbox, rounds that wait, and the log of those that are over."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def _text(name: str, *, nullable: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=nullable)


def _int(name: str, *, nullable: bool = False) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), nullable=nullable)


def _float(name: str, *, nullable: bool = False) -> sa.Column[float]:
    return sa.Column(name, sa.Double(), nullable=nullable)


def _counter() -> sa.Column[int]:
    return sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False)


def _owner(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["webhook_id"], ["webhooks.id"], name=f"fk_{table}_webhook_id_webhooks", ondelete="CASCADE"
    )


def upgrade() -> None:
    op.create_index("ix_outbox_organization_id_id", "outbox", ["organization_id", "id"])
    op.create_table(
        "webhooks",
        _text("id"),
        _text("organization_id"),
        _text("url"),
        _text("status"),
        _text("secrets"),
        _int("cursor"),
        _int("failures"),
        _float("failing_since", nullable=True),
        _float("outcome_at", nullable=True),
        sa.Column("outcome_success", sa.Boolean(), nullable=True),
        _int("outcome_code", nullable=True),
        _text("outcome_message", nullable=True),
        _text("owner", nullable=True),
        _float("lease_until", nullable=True),
        _int("fence"),
        _int("created_at"),
        _int("updated_at"),
        sa.PrimaryKeyConstraint("id", name="pk_webhooks"),
        sa.UniqueConstraint("organization_id", "url", name="uq_webhooks_organization_id_url"),
    )
    op.create_table(
        "webhook_waiting",
        _counter(),
        _text("webhook_id"),
        _int("outbox_id"),
        _text("game_id"),
        _text("local_id"),
        _int("version"),
        _text("kind"),
        _int("rounds"),
        _float("next_at"),
        sa.PrimaryKeyConstraint("id", name="pk_webhook_waiting"),
        _owner("webhook_waiting"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_webhook_waiting_webhook_id_next_at", "webhook_waiting", ["webhook_id", "next_at"])
    op.create_index("ix_webhook_waiting_next_at", "webhook_waiting", ["next_at"])
    op.create_table(
        "webhook_rounds",
        _counter(),
        _text("webhook_id"),
        _int("outbox_id"),
        _text("game_id"),
        _text("local_id"),
        _int("version"),
        _text("kind"),
        _int("round"),
        _int("tries"),
        _float("at"),
        _int("took_ms"),
        sa.Column("success", sa.Boolean(), nullable=False),
        _int("status_code", nullable=True),
        _text("message"),
        sa.PrimaryKeyConstraint("id", name="pk_webhook_rounds"),
        _owner("webhook_rounds"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_webhook_rounds_webhook_id_id", "webhook_rounds", ["webhook_id", "id"])
    op.create_index("ix_webhook_rounds_webhook_id_outbox_id", "webhook_rounds", ["webhook_id", "outbox_id"])
    op.create_index("ix_webhook_rounds_at", "webhook_rounds", ["at"])


def downgrade() -> None:
    for table in ("webhook_rounds", "webhook_waiting", "webhooks"):
        op.drop_table(table)
    op.drop_index("ix_outbox_organization_id_id", "outbox")
