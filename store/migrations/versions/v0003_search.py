"""Search: words and links of what is stored already, creations by `external_id`, declarations of the operator."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from store import search
from store.sql.json_type import loads

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

MASTERS = ("teams", "players", "tournaments", "locations")
BYTEWISE = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=False)


def upgrade() -> None:
    op.create_table(
        "tokens",
        _text("record_id"),
        sa.Column("token", BYTEWISE, nullable=False),
        _text("kind"),
        _text("owner_id"),
        sa.PrimaryKeyConstraint("record_id", "token", name="pk_tokens"),
    )
    op.create_index("ix_tokens_owner_id_kind_token", "tokens", ["owner_id", "kind", "token"])
    op.create_table(
        "game_links",
        _text("game_id"),
        _text("kind"),
        _text("value"),
        sa.PrimaryKeyConstraint("game_id", "kind", "value", name="pk_game_links"),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name="fk_game_links_game_id_games", ondelete="CASCADE"),
    )
    op.create_index("ix_game_links_kind_value", "game_links", ["kind", "value"])
    op.create_table(
        "creations",
        _text("game_id"),
        _text("digest"),
        sa.PrimaryKeyConstraint("game_id", name="pk_creations"),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name="fk_creations_game_id_games", ondelete="CASCADE"),
    )
    op.create_table(
        "declarations",
        _text("owner_id"),
        _text("kind"),
        _text("id"),
        _text("doc"),
        sa.PrimaryKeyConstraint("owner_id", "kind", "id", name="pk_declarations"),
    )
    _index_stored(op.get_bind())


def _index_stored(conn: sa.Connection) -> None:
    for table in MASTERS:
        for row in conn.execute(sa.text(f"SELECT id, owner_id, name, doc FROM {table}")).all():  # noqa: S608 -- our names
            search.index_master(conn, table, row.id, row.owner_id, {**loads(row.doc), "name": row.name})
    for row in conn.execute(sa.text("SELECT id, organization_id, title, doc FROM games")).all():
        search.index_game(conn, game_id=row.id, owner_id=row.organization_id, title=row.title, document=loads(row.doc))


def downgrade() -> None:
    for table in ("declarations", "creations", "game_links", "tokens"):
        op.drop_table(table)
