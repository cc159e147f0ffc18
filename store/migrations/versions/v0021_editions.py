"""Matches whose id was given twice, liveblogs that are closed each by itself, and a ledger of liveblog and match.

SQLite cannot drop a constraint, and rows of other tables would go with the table that is made anew: they are put aside.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa
from alembic import op

if TYPE_CHECKING:
    from collections.abc import Callable

    from alembic.operations import BatchOperations

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None

CHILDREN = ("resources", "beliefs", "attachments")
ONE_OF_ID = "uq_follows_endpoint_match_id"
ONE_OF_EDITION = "uq_follows_endpoint_match_id_edition"
OF_ATTACHMENT = "SELECT follow_id FROM attachments WHERE attachments.game_id = ledger.game_id"


def upgrade() -> None:
    op.add_column("attachments", sa.Column("closed_at", sa.BigInteger(), nullable=True))
    op.execute(
        "UPDATE attachments SET closed_at ="
        " (SELECT follows.closed_at FROM follows WHERE follows.id = attachments.follow_id)"
    )
    _alter_follows(_with_editions)
    with op.batch_alter_table("ledger") as ledger:
        ledger.add_column(sa.Column("follow_id", sa.Text(), nullable=False, server_default=sa.text("''")))
    op.execute(f"UPDATE ledger SET follow_id = ({OF_ATTACHMENT}) WHERE EXISTS ({OF_ATTACHMENT})")  # noqa: S608
    _key_ledger("game_id", "follow_id", "key")


def downgrade() -> None:
    """What an older version does not know of goes aside: earlier matches of an id to no endpoint, their ledgers to nothing."""
    op.execute(f"DELETE FROM ledger WHERE follow_id <> COALESCE(({OF_ATTACHMENT}), '')")  # noqa: S608
    _key_ledger("game_id", "key")
    with op.batch_alter_table("ledger") as ledger:
        ledger.drop_column("follow_id")
    op.execute(
        "UPDATE follows SET endpoint = endpoint || ':' || id WHERE EXISTS (SELECT 1 FROM follows later"
        " WHERE later.endpoint = follows.endpoint AND later.match_id = follows.match_id"
        " AND later.edition > follows.edition)"
    )
    _alter_follows(_without_editions)
    with op.batch_alter_table("attachments") as attachments:
        attachments.drop_column("closed_at")


def _with_editions(follows: BatchOperations) -> None:
    follows.add_column(sa.Column("edition", sa.BigInteger(), nullable=False, server_default="0"))
    follows.add_column(sa.Column("teams", sa.Text(), nullable=False, server_default=sa.text("''")))
    follows.drop_constraint(ONE_OF_ID, type_="unique")
    follows.create_unique_constraint(ONE_OF_EDITION, ["endpoint", "match_id", "edition"])


def _without_editions(follows: BatchOperations) -> None:
    follows.drop_constraint(ONE_OF_EDITION, type_="unique")
    follows.create_unique_constraint(ONE_OF_ID, ["endpoint", "match_id"])
    follows.drop_column("teams")
    follows.drop_column("edition")


def _alter_follows(alter: Callable[[BatchOperations], None]) -> None:
    aside = CHILDREN if op.get_bind().dialect.name == "sqlite" else ()
    for table in aside:
        op.execute(f"CREATE TABLE {table}_aside AS SELECT * FROM {table}")  # noqa: S608
        op.execute(f"DELETE FROM {table}")  # noqa: S608
    with op.batch_alter_table("follows") as follows:
        alter(follows)
    for table in aside:
        op.execute(f"INSERT INTO {table} SELECT * FROM {table}_aside")  # noqa: S608
        op.drop_table(f"{table}_aside")


def _key_ledger(*columns: str) -> None:
    with op.batch_alter_table("ledger") as ledger:
        ledger.drop_constraint("pk_ledger", type_="primary")
        ledger.create_primary_key("pk_ledger", [*columns])
