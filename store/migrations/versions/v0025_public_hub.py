"""A public hub is pinged in place of our own: its subscribers go, and for each liveblog stands the version it was pinged for."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from store.migrations.versions import v0015_websub

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.drop_table("hub_subscriptions")
    op.create_table(
        "hub_pings",
        sa.Column("game_id", sa.Text(), nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name="fk_hub_pings_game_id_games", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("game_id", name="pk_hub_pings"),
    )


def downgrade() -> None:
    """Subscribers renew by themselves, as after a move."""
    op.drop_table("hub_pings")
    v0015_websub.upgrade()
