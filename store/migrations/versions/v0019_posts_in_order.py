"""The posts of one liveblog in the order of their ids, by which corrections of master data go through them."""

from __future__ import annotations

from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

INDEX = "ix_events_game_id_local_id"


def upgrade() -> None:
    op.create_index(INDEX, "events", ["game_id", "local_id"])


def downgrade() -> None:
    op.drop_index(INDEX, "events")
