"""Keep the matches that follow rules have made liveblogs of. A daemon of the version before works on beside it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from store.migrations.locks import lock_tables

revision = "0115"
down_revision = "0114"
branch_labels = None
depends_on = None

KEY = ("organization_id", "locale", "provider", "match_id")


def upgrade() -> None:
    lock_tables("follows")
    op.create_table(
        "rule_matches",
        *(sa.Column(name, sa.Text(), nullable=False) for name in KEY),
        sa.Column("teams", sa.Text(), nullable=False),
        sa.Column("kickoff", sa.BigInteger(), nullable=True),
        sa.Column("rule", sa.Text(), nullable=False),
        sa.Column("game_id", sa.Text(), nullable=False),
        sa.Column("made_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint(*KEY, name="pk_rule_matches"),
    )
    for name in ("kickoff", "made_at"):
        op.create_index(f"ix_rule_matches_organization_id_{name}", "rule_matches", ["organization_id", name])
    op.create_index("ix_follows_kickoff", "follows", ["kickoff"])


def downgrade() -> None:
    raise NotImplementedError("export from the new version, import into the old one")
