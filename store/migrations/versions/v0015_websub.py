"""Subscriptions to feeds (WebSub)."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

TABLE = "hub_subscriptions"


def _text(name: str, *, nullable: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=nullable)


def _int(name: str, *, nullable: bool = False) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), nullable=nullable)


def _instant(name: str) -> sa.Column[float]:
    return sa.Column(name, sa.Double(), nullable=False)


def upgrade() -> None:
    op.create_table(
        TABLE,
        _text("id"),
        _text("topic"),
        _text("callback"),
        _text("callback_host"),
        _text("game_id"),
        _text("secret", nullable=True),
        _int("until", nullable=True),
        _int("version"),
        _int("failures"),
        _instant("next_at"),
        _text("requested", nullable=True),
        _text("requested_id", nullable=True),
        _text("requested_secret", nullable=True),
        _int("requested_lease", nullable=True),
        _text("claim_id", nullable=True),
        _instant("claimed_until"),
        _int("created_at"),
        sa.PrimaryKeyConstraint("id", name=f"pk_{TABLE}"),
        sa.UniqueConstraint("topic", "callback", name=f"uq_{TABLE}_topic_callback"),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=f"fk_{TABLE}_game_id_games", ondelete="CASCADE"),
    )
    for column in ("callback_host", "game_id"):
        op.create_index(f"ix_{TABLE}_{column}", TABLE, [column])


def downgrade() -> None:
    op.drop_table(TABLE)
