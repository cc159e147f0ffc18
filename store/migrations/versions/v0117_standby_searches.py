"""Keep which teams and competitions of two providers are the same, and what became of searches for standbys.

Tables that are new; a daemon of the version before works on beside them.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0117"
down_revision = "0116"
branch_labels = None
depends_on = None

LINK = ("organization_id", "kind", "first_provider", "first_id", "second_provider")
TURNED = ["organization_id", "kind", "second_provider", "second_id", "first_provider"]


def upgrade() -> None:
    op.create_table(
        "source_links",
        *(sa.Column(name, sa.Text(), nullable=False) for name in LINK),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("second_id", "first_name", "second_name", "made_by")),
        sa.Column("made_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint(*LINK, name="pk_source_links"),
    )
    op.create_index("ix_source_links_second", "source_links", TURNED, unique=True)
    op.create_table(
        "standby_searches",
        *(
            sa.Column(name, sa.Text(), nullable=False)
            for name in ("game_id", "provider", "organization_id", "state", "question")
        ),
        sa.Column("kickoff", sa.BigInteger(), nullable=True),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("game_id", "provider", name="pk_standby_searches"),
    )
    op.create_index(
        "ix_standby_searches_organization_id_state_kickoff", "standby_searches", ["organization_id", "state", "kickoff"]
    )
    op.create_index("ix_standby_searches_changed_at", "standby_searches", ["changed_at"])


def downgrade() -> None:
    raise NotImplementedError("export from the new version, import into the old one")
