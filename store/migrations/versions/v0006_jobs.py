"""Jobs: the tables of PgQueuer, which finite work is shared by, in a schema of their own; SQLite has it in memory.

`v0006_jobs.sql` is what its `pgq sql install` prints. A version with other tables: a revision that runs its upgrade.
"""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

SCHEMA = "matchwire_jobs"


def upgrade() -> None:
    conn = op.get_bind()
    if conn.dialect.name != "postgresql":
        return
    if not sa.inspect(conn).has_schema(SCHEMA):  # an administrator may have made it for who may not
        op.execute(sa.schema.CreateSchema(SCHEMA))
    statements = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8")
    conn.connection.cursor().execute(statements)  # several at once, as only the driver takes them


def downgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.execute(sa.schema.DropSchema(SCHEMA, cascade=True))
