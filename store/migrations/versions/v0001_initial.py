"""The first schema: liveblogs with their outbox, what the sync knows, master data, clients."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def _text(name: str, *, nullable: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=nullable)


def _int(name: str, *, nullable: bool = False) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), nullable=nullable)


def _master(table: str, *more: sa.schema.SchemaItem) -> None:
    unique = ("owner_id", "source", "sportstype", "ext_id")
    op.create_table(
        table,
        _text("id"),
        _text("owner_id"),
        _text("source"),
        _text("ext_id", nullable=True),
        _text("sportstype"),
        _text("name"),
        _text("doc"),
        _text("written"),
        _int("created_at"),
        _int("updated_at"),
        *more,
        sa.PrimaryKeyConstraint("id", name=f"pk_{table}"),
        sa.UniqueConstraint(*unique, name=f"uq_{table}_{'_'.join(unique)}"),
    )


def upgrade() -> None:
    op.create_table(
        "clients",
        _text("id"),
        _text("secrets"),
        _text("organizations"),
        _text("scopes"),
        sa.Column("declared", sa.Boolean(), nullable=False),
        _int("revoked_at", nullable=True),
        _int("created_at"),
        sa.PrimaryKeyConstraint("id", name="pk_clients"),
    )
    op.create_table(
        "follows",
        _text("id"),
        _text("endpoint"),
        _text("provider"),
        _text("organization_id"),
        _text("match_id"),
        _text("sport"),
        _text("status"),
        _int("kickoff", nullable=True),
        sa.Column("next_poll_at", sa.Double(), nullable=False),
        _int("good_at", nullable=True),
        _int("changed_at", nullable=True),
        _int("failures"),
        _int("failing_since", nullable=True),
        _text("last_error", nullable=True),
        _text("hints"),
        _text("pending", nullable=True),
        _int("closed_at", nullable=True),
        _text("owner", nullable=True),
        sa.Column("lease_until", sa.Double(), nullable=True),
        _int("fence"),
        sa.PrimaryKeyConstraint("id", name="pk_follows"),
        sa.UniqueConstraint("endpoint", "match_id", name="uq_follows_endpoint_match_id"),
    )
    op.create_index("ix_follows_closed_at_next_poll_at", "follows", ["closed_at", "next_poll_at"])
    op.create_table(
        "games",
        _text("id"),
        _text("local_id"),
        _text("organization_id"),
        _text("external_id", nullable=True),
        _int("version"),
        _int("local_status"),
        _text("sportstype"),
        _text("template_id"),
        _text("title"),
        _int("starts_at", nullable=True),
        _int("created_at"),
        _int("updated_at"),
        _int("serial"),
        _text("doc"),
        sa.PrimaryKeyConstraint("id", name="pk_games"),
        sa.UniqueConstraint("local_id", name="uq_games_local_id"),
    )
    op.create_index("ix_games_created_at", "games", ["created_at"])
    op.create_index("ix_games_organization_id_created_at", "games", ["organization_id", "created_at"])
    op.create_table(
        "idempotency",
        _text("organization_id"),
        _text("client_id"),
        _text("key"),
        _text("digest"),
        _text("game_id"),
        _int("created_at"),
        sa.PrimaryKeyConstraint("organization_id", "client_id", "key", name="pk_idempotency"),
    )
    op.create_index("ix_idempotency_created_at", "idempotency", ["created_at"])
    _master("locations")
    op.create_table(
        "outbox",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        _text("game_id"),
        _text("local_id"),
        _text("organization_id"),
        _int("version"),
        _int("at"),
        sa.PrimaryKeyConstraint("id", name="pk_outbox"),
        sa.UniqueConstraint("game_id", "version", name="uq_outbox_game_id_version"),
        sqlite_autoincrement=True,
    )
    _master("teams")
    _master("tournaments")
    op.create_table(
        "attachments",
        _text("game_id"),
        _text("follow_id"),
        _text("organization_id"),
        _text("provider"),
        _text("match_id"),
        _text("selector"),
        _text("terms"),
        _text("declared_key", nullable=True),
        _int("created_at"),
        sa.ForeignKeyConstraint(["follow_id"], ["follows.id"], name="fk_attachments_follow_id"),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name="fk_attachments_game_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("game_id", name="pk_attachments"),
        sa.UniqueConstraint("organization_id", "declared_key", name="uq_attachments_organization_id_declared_key"),
    )
    op.create_index("ix_attachments_follow_id", "attachments", ["follow_id"])
    op.create_table(
        "events",
        _text("local_id"),
        _text("game_id"),
        _int("serial"),
        sa.Column("sort", sa.Text().with_variant(sa.Text(collation="C"), "postgresql"), nullable=False),
        _int("local_status"),
        _int("created_at"),
        _int("updated_at"),
        _int("publish_at", nullable=True),
        _int("version"),
        _text("user_id"),
        _text("doc"),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name="fk_events_game_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("local_id", name="pk_events"),
    )
    op.create_index("ix_events_game_id_local_status_sort", "events", ["game_id", "local_status", "sort"])
    op.create_index("ix_events_game_id_version", "events", ["game_id", "version"])
    op.create_index("ix_events_publish_at", "events", ["publish_at"])
    op.create_table(
        "ledger",
        _text("game_id"),
        _text("key"),
        _text("local_id", nullable=True),
        _text("kind"),
        _text("state"),
        _int("missing"),
        _text("reason"),
        _text("written"),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name="fk_ledger_game_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("game_id", "key", name="pk_ledger"),
    )
    _master(
        "players",
        _text("team_id", nullable=True),
        sa.Column("inactive", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name="fk_players_team_id"),
    )
    op.create_index("ix_players_team_id", "players", ["team_id"])
    op.create_table(
        "resources",
        _text("follow_id"),
        _text("name"),
        _text("etag", nullable=True),
        _text("digest", nullable=True),
        _int("rows"),
        sa.Column("body", sa.LargeBinary(), nullable=True),
        _int("good_at", nullable=True),
        _int("changed_at", nullable=True),
        _int("failures"),
        _text("last_error", nullable=True),
        _text("faults"),
        sa.ForeignKeyConstraint(["follow_id"], ["follows.id"], name="fk_resources_follow_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("follow_id", "name", name="pk_resources"),
    )


def downgrade() -> None:
    for table in (
        "resources",
        "players",
        "ledger",
        "events",
        "attachments",
        "tournaments",
        "teams",
        "outbox",
        "locations",
        "idempotency",
        "games",
        "follows",
        "clients",
    ):
        op.drop_table(table)
