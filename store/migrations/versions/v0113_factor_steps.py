"""The secret of an app that is being set up belongs to the browser that sets it up, and not to the account.

What was being set up has to be begun again. A daemon of before signs nobody in by a password until it is replaced.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from store.migrations.locks import lock_tables

revision = "0113"
down_revision = "0112"
branch_labels = None
depends_on = None


def upgrade() -> None:
    lock_tables("second_factors", "sign_in_steps")
    op.execute("DELETE FROM second_factors WHERE secret IS NULL")
    with op.batch_alter_table("second_factors") as table:
        table.alter_column("secret", existing_type=sa.Text(), nullable=False)
        table.drop_column("next_secret")
        table.drop_column("prepared_at")
    op.add_column("sign_in_steps", sa.Column("secret", sa.Text(), nullable=True))


def downgrade() -> None:
    raise NotImplementedError("export from the new version, import into the old one")
