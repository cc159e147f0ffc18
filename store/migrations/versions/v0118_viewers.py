"""People who may only look are viewers; readers are those of a page.

The version before does not know the new role: whoever has it signs in again once all processes are of this one.
"""

from __future__ import annotations

from alembic import op

from store.migrations.locks import lock_tables

revision = "0118"
down_revision = "0117"
branch_labels = None
depends_on = None


def upgrade() -> None:
    lock_tables("accounts")
    op.execute("UPDATE accounts SET role = 'viewer' WHERE role = 'reader'")


def downgrade() -> None:
    raise NotImplementedError("export from the new version, import into the old one")
