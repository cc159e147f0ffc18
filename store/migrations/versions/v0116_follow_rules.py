"""Keep follow rules that people and clients make, and matches that rules miss. A daemon of the version before works on."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0116"
down_revision = "0115"
branch_labels = None
depends_on = None

MISSED = ("organization_id", "rule", "provider", "match_id")


def upgrade() -> None:
    op.create_table(
        "follow_rules",
        sa.Column("organization_id", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("fields", sa.Text(), nullable=False),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("organization_id", "key", name="pk_follow_rules"),
    )
    op.create_table(
        "missed_matches",
        *(sa.Column(name, sa.Text(), nullable=False) for name in (*MISSED, "title")),
        sa.Column("kickoff", sa.BigInteger(), nullable=True),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("reason", "word")),
        sa.Column("since", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint(*MISSED, name="pk_missed_matches"),
    )
    op.create_index("ix_missed_matches_since", "missed_matches", ["since"])
    op.create_index("ix_missed_matches_organization_id_since", "missed_matches", ["organization_id", "since"])


def downgrade() -> None:
    raise NotImplementedError("export from the new version, import into the old one")
