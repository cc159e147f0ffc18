"""Jobs: the tables of PgQueuer, which finite work is shared by, in a schema of their own; SQLite has it in memory."""

from __future__ import annotations

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
    from store.postgres.job_queue import installing  # another version of the library: a revision that runs its upgrade

    if not sa.inspect(conn).has_schema(SCHEMA):  # an administrator may have made it for who may not
        op.execute(sa.schema.CreateSchema(SCHEMA))
    conn.connection.cursor().execute(installing())  # several statements at once, as only the driver takes them


def downgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.execute(sa.schema.DropSchema(SCHEMA, cascade=True))
