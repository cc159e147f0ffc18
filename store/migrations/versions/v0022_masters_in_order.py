"""Master data of one owner in the order in which searches give it."""

from __future__ import annotations

from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

TABLES = ("teams", "players", "tournaments", "locations")


def upgrade() -> None:
    for name in TABLES:
        op.create_index(f"ix_{name}_owner_id_created_at", name, ["owner_id", "created_at"])


def downgrade() -> None:
    for name in TABLES:
        op.drop_index(f"ix_{name}_owner_id_created_at", name)
