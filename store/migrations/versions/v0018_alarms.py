"""Alarms: what an operator is to know, from when until when."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

TABLE = "alarms"


def _text(name: str, *, nullable: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=nullable)


def _instant(name: str, *, nullable: bool = False) -> sa.Column[float]:
    return sa.Column(name, sa.Double(), nullable=nullable)


def upgrade() -> None:
    op.create_table(
        TABLE,
        _text("id"),
        _text("kind"),
        _text("name"),
        _text("open_name", nullable=True),
        _text("message"),
        _text("details"),
        _instant("began_at"),
        _instant("seen_at"),
        _instant("ended_at", nullable=True),
        _text("announced", nullable=True),
        _instant("try_at"),
        sa.Column("tries", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=f"pk_{TABLE}"),
        sa.UniqueConstraint("kind", "open_name", name=f"uq_{TABLE}_kind_open_name"),
    )


def downgrade() -> None:
    op.drop_table(TABLE)
