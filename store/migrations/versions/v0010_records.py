"""Which master data liveblogs name, and the corrections of it that they have still to show.

What is stored already is read through, some documents at a time, also for the partners of liveblogs that were shared before
permissions were searched by. Documents that cannot be read name nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa
from alembic import op

from mapping.references import named_in
from store.sql.json_type import read

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

AT_ONCE = 200
"""Documents in memory at a time."""
COUNTER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
DOCUMENTS = {
    "games": "SELECT id AS name, id AS game_id, doc FROM games WHERE id > :after ORDER BY id LIMIT :limit",
    "events": "SELECT local_id AS name, game_id, doc FROM events WHERE local_id > :after ORDER BY local_id LIMIT :limit",
}
ADD_RECORD = (
    "INSERT INTO game_records (game_id, kind, record_id) VALUES (:game_id, :kind, :value) ON CONFLICT DO NOTHING"
)
ADD_PARTNER = "INSERT INTO game_links (game_id, kind, value) VALUES (:game_id, :kind, :value) ON CONFLICT DO NOTHING"


def _text(name: str, *, nullable: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=nullable)


def upgrade() -> None:
    op.create_table(
        "game_records",
        _text("game_id"),
        _text("kind"),
        _text("record_id"),
        sa.PrimaryKeyConstraint("game_id", "kind", "record_id", name="pk_game_records"),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name="fk_game_records_game_id_games", ondelete="CASCADE"),
    )
    op.create_index("ix_game_records_record_id", "game_records", ["record_id"])
    op.create_table(
        "corrections",
        sa.Column("id", COUNTER, autoincrement=True, nullable=False),
        _text("game_id"),
        sa.Column("afresh", sa.Boolean(), nullable=False),
        _text("changes"),
        _text("through", nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_corrections"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_corrections_game_id", "corrections", ["game_id"])
    fill(op.get_bind())


def fill(conn: sa.Connection) -> None:
    """Link every liveblog with the records that it names and with the partners that may write in it."""
    for table in DOCUMENTS:
        for rows in _batches(conn, table):
            read_rows = [(row.game_id, read(row.doc)) for row in rows]
            _add(conn, ADD_RECORD, {(each, *name) for each, document in read_rows for name in named_in([document])})
            if table == "games":
                _add(conn, ADD_PARTNER, {(each, "shared", to) for each, doc in read_rows for to in _partners(doc)})


def _batches(conn: sa.Connection, table: str) -> Iterator[list[Any]]:
    after = ""
    while rows := list(conn.execute(sa.text(DOCUMENTS[table]), {"after": after, "limit": AT_ONCE})):
        yield rows
        after = rows[-1].name


def _partners(document: Any) -> Iterator[str]:
    permissions = document.get("permissions") if isinstance(document, dict) else None
    for each in permissions if isinstance(permissions, list) else ():
        if isinstance(each, dict) and each.get("permission") == "w":
            yield f"{each.get('reftype')} {each.get('refid')}"


def _add(conn: sa.Connection, statement: str, links: set[tuple[str, str, str]]) -> None:
    rows = [{"game_id": game_id, "kind": kind, "value": value} for game_id, kind, value in sorted(links)]
    if rows:
        conn.execute(sa.text(statement), rows)


def downgrade() -> None:
    op.drop_table("corrections")
    op.drop_table("game_records")
