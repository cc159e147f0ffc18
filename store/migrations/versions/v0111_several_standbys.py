"""Several sources may stand by for one match, in an order.

A daemon of before goes on beside them with the first standby that it finds; it cannot name one until it is replaced.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from store.migrations.locks import lock_tables

revision = "0111"
down_revision = "0110"
branch_labels = None
depends_on = None


def upgrade() -> None:
    lock_tables("standbys")
    with op.batch_alter_table("standbys") as table:
        table.add_column(sa.Column("place", sa.BigInteger(), nullable=False, server_default="1"))
        table.drop_constraint("pk_standbys", type_="primary")
        table.create_primary_key("pk_standbys", ["game_id", "follow_id"])
    with op.batch_alter_table("standbys") as table:
        table.alter_column("place", server_default=None)


def downgrade() -> None:
    raise NotImplementedError("export from the new version, import into the old one")
