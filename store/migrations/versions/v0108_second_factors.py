"""A second factor of accounts: what an app makes codes of, codes for when it is lost, and sign-ins that still want one.

Three tables more, and of each session how it was begun; those of before count as begun by a password alone.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from store.migrations.locks import lock_tables

revision = "0108"
down_revision = "0107"
branch_labels = None
depends_on = None

BYTEWISE = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    lock_tables("accounts", "desk_sessions")
    op.add_column("desk_sessions", sa.Column("proof", sa.Text(), nullable=False, server_default="password"))
    op.create_table(
        "second_factors",
        sa.Column("account_id", BYTEWISE, nullable=False),
        sa.Column("secret", sa.Text(), nullable=True),
        sa.Column("last_step", sa.BigInteger(), nullable=False),
        sa.Column("next_secret", sa.Text(), nullable=True),
        sa.Column("prepared_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name="fk_second_factors_account_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("account_id", name="pk_second_factors"),
    )
    op.create_table(
        "recovery_codes",
        sa.Column("account_id", BYTEWISE, nullable=False),
        sa.Column("code_hash", BYTEWISE, nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name="fk_recovery_codes_account_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("account_id", "code_hash", name="pk_recovery_codes"),
    )
    op.create_table(
        "sign_in_steps",
        sa.Column("token_hash", BYTEWISE, nullable=False),
        sa.Column("account_id", BYTEWISE, nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name="fk_sign_in_steps_account_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("token_hash", name="pk_sign_in_steps"),
    )
    op.create_index("ix_sign_in_steps_account_id", "sign_in_steps", ["account_id"])
    op.create_index("ix_sign_in_steps_expires_at", "sign_in_steps", ["expires_at"])


def downgrade() -> None:
    raise NotImplementedError("export from the new version, import into the old one")
