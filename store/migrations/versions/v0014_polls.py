"""Votes of readers on polls, the tally of each poll, and what it was before for readers who see it some time later."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=False)


def _int(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), nullable=False)


def _of_game(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=f"fk_{table}_game_id_games", ondelete="CASCADE")


def upgrade() -> None:
    op.create_table(
        "poll_votes",
        _text("game_id"),
        _text("poll_id"),
        _text("reader_id"),
        _text("options"),
        _int("voted_at"),
        sa.PrimaryKeyConstraint("game_id", "poll_id", "reader_id", name="pk_poll_votes"),
        _of_game("poll_votes"),
    )
    op.create_table(
        "poll_tallies",
        _text("game_id"),
        _text("poll_id"),
        _text("counts"),
        _int("changes"),
        _int("written_at"),
        sa.PrimaryKeyConstraint("game_id", "poll_id", name="pk_poll_tallies"),
        _of_game("poll_tallies"),
    )
    op.create_table(
        "poll_history",
        _text("game_id"),
        _text("poll_id"),
        _int("until"),
        _text("counts"),
        _int("changes"),
        _int("written_at"),
        sa.PrimaryKeyConstraint("game_id", "poll_id", "until", name="pk_poll_history"),
        _of_game("poll_history"),
    )
    op.create_index("ix_poll_history_until", "poll_history", ["until"])


def downgrade() -> None:
    for table in ("poll_history", "poll_tallies", "poll_votes"):
        op.drop_table(table)
