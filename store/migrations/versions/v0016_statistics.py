"""Counted loads of readers by place and time, sketches of how many readers they were, the salts of these, and intakes."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=False)


def _int(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), nullable=False)


def _bytes(name: str) -> sa.Column[bytes]:
    return sa.Column(name, sa.LargeBinary(), nullable=False)


def _of_game(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=f"fk_{table}_game_id_games", ondelete="CASCADE")


def upgrade() -> None:
    op.create_table(
        "load_counts",
        _text("game_id"),
        _int("slot"),
        _text("origin"),
        _text("location"),
        *map(_int, ("loads", "more", "sampled", "retention_ms", "retention_views")),
        sa.PrimaryKeyConstraint("game_id", "slot", "origin", "location", name="pk_load_counts"),
        _of_game("load_counts"),
    )
    op.create_index("ix_load_counts_slot", "load_counts", ["slot"])
    op.create_table(
        "reader_sketches",
        _text("game_id"),
        _text("salt"),
        _int("slot"),
        _text("origin"),
        _text("location"),
        _bytes("sketch"),
        sa.PrimaryKeyConstraint("game_id", "salt", "slot", "origin", "location", name="pk_reader_sketches"),
        _of_game("reader_sketches"),
    )
    op.create_index("ix_reader_sketches_slot", "reader_sketches", ["slot"])
    op.create_table(
        "reader_salts",
        _text("name"),
        _bytes("value"),
        _int("last_use"),
        sa.PrimaryKeyConstraint("name", name="pk_reader_salts"),
    )
    op.create_table(
        "beacon_intakes",
        _text("id"),
        *map(_int, ("written_at", "batches", "counted", "dropped", "lost")),
        sa.PrimaryKeyConstraint("id", name="pk_beacon_intakes"),
    )


def downgrade() -> None:
    for table in ("beacon_intakes", "reader_salts", "reader_sketches", "load_counts"):
        op.drop_table(table)
