"""Accounts of people, who sign in at the desk; their sessions, tries to sign in, and what they have done."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0106"
down_revision = "0105"
branch_labels = None
depends_on = None

BYTEWISE = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
COUNTER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def text(name: str, *, nullable: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=nullable)


def integer(name: str, *, nullable: bool = False) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), nullable=nullable)


def upgrade() -> None:
    op.create_table(
        "accounts",
        sa.Column("id", BYTEWISE, nullable=False),
        *(text(name) for name in ("organization_id", "email", "name", "role")),
        *(text(name, nullable=True) for name in ("password_hash", "issuer", "subject")),
        sa.Column("by_groups", sa.BigInteger(), nullable=False, server_default="0"),
        integer("created_at"),
        integer("updated_at"),
        integer("disabled_at", nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_accounts"),
        sa.UniqueConstraint("email", name="uq_accounts_email"),
        sa.UniqueConstraint("issuer", "subject", name="uq_accounts_issuer_subject"),
    )
    op.create_index("ix_accounts_organization_id", "accounts", ["organization_id"])
    op.create_table(
        "desk_sessions",
        sa.Column("id", BYTEWISE, nullable=False),
        text("token_hash"),
        sa.Column("account_id", BYTEWISE, nullable=False),
        text("browser"),
        *(integer(name) for name in ("created_at", "seen_at", "expires_at")),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name="fk_desk_sessions_account_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_desk_sessions"),
        sa.UniqueConstraint("token_hash", name="uq_desk_sessions_token_hash"),
    )
    op.create_index("ix_desk_sessions_account_id", "desk_sessions", ["account_id"])
    op.create_index("ix_desk_sessions_expires_at", "desk_sessions", ["expires_at"])
    op.create_table(
        "sign_in_tries",
        sa.Column("key", BYTEWISE, nullable=False),
        *(integer(name) for name in ("failures", "next_at", "tried_at")),
        sa.PrimaryKeyConstraint("key", name="pk_sign_in_tries"),
    )
    op.create_index("ix_sign_in_tries_tried_at", "sign_in_tries", ["tried_at"])
    op.create_table(
        "audit_entries",
        sa.Column("serial", COUNTER, nullable=False, autoincrement=True),
        text("organization_id"),
        sa.Column("account_id", BYTEWISE, nullable=False),
        text("operation"),
        text("target"),
        integer("at"),
        sa.PrimaryKeyConstraint("serial", name="pk_audit_entries"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_audit_entries_at", "audit_entries", ["at"])
    op.create_index("ix_audit_entries_organization_id_serial", "audit_entries", ["organization_id", "serial"])


def downgrade() -> None:
    raise NotImplementedError("export from the new version, import into the old one")
