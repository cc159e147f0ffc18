"""The schema of 0.1.0, all at once. Databases of before are at its number once the last version of before has upgraded them."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0113"
down_revision = None
branch_labels = None
depends_on = None

FIRST = "INSERT INTO outbox_sequence (id, last) VALUES (1, 0)"
"""Where delivery numbers begin."""


def text(name: str, **more: Any) -> sa.Column[Any]:
    return sa.Column(name, sa.Text(), **{"nullable": False, **more})


def bytewise(name: str, **more: Any) -> sa.Column[Any]:
    """A text that sorts by its bytes on both databases."""
    kind = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
    return sa.Column(name, kind, **{"nullable": False, **more})


def integer(name: str, **more: Any) -> sa.Column[Any]:
    return sa.Column(name, sa.BigInteger(), **{"nullable": False, **more})


def double(name: str, **more: Any) -> sa.Column[Any]:
    return sa.Column(name, sa.Double(), **{"nullable": False, **more})


def boolean(name: str, **more: Any) -> sa.Column[Any]:
    return sa.Column(name, sa.Boolean(), **{"nullable": False, **more})


def binary(name: str, **more: Any) -> sa.Column[Any]:
    return sa.Column(name, sa.LargeBinary(), **{"nullable": False, **more})


def counter(name: str) -> sa.Column[Any]:
    """A key that the database counts up."""
    kind = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    return sa.Column(name, kind, nullable=False, autoincrement=True)


SAYING = (
    """(doc LIKE '%"event_type"%' OR doc LIKE '%"highlight":"milestone"%' OR doc LIKE '%"highlight":"sticky"%'"""
    """ OR doc LIKE '%"highlight":"inplace"%' OR doc LIKE '%"subtype"%')"""
)
"""Of posts that say more than a text."""


def partial_index(name: str, table: str, columns: list[str], only: str) -> None:
    """An index of the rows alone of which `only` holds."""
    op.create_index(name, table, columns, sqlite_where=sa.text(only), postgresql_where=sa.text(only))


def references(table: str, column: str, key: str, **more: Any) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint([column], [key], name=f"fk_{table}_{column}", **more)


# fmt: off
def upgrade() -> None:  # noqa: PLR0915 -- a table after the other
    op.create_table("alarms",
        text("id"), text("kind"), text("name"), text("open_name", nullable=True), text("message"), text("details"),
        double("began_at"), double("seen_at"), double("ended_at", nullable=True), text("announced", nullable=True),
        double("try_at"), integer("tries"), sa.PrimaryKeyConstraint("id", name="pk_alarms"),
        sa.UniqueConstraint("kind", "open_name", name="uq_alarms_kind_open_name"))
    op.create_index("ix_alarms_ended_at", "alarms", ["ended_at"])
    op.create_table("beacon_intakes",
        text("id"), integer("written_at"), integer("batches"), integer("counted"), integer("dropped"), integer("lost"),
        sa.PrimaryKeyConstraint("id", name="pk_beacon_intakes"))
    op.create_table("clients",
        text("id"), text("secrets"), text("organizations"), text("scopes"), text("response_prefix", server_default="Svc"),
        boolean("declared"), integer("revoked_at", nullable=True), integer("created_at"),
        sa.PrimaryKeyConstraint("id", name="pk_clients"))
    op.create_table("corrections",
        counter("id"), text("game_id"), boolean("afresh"), text("changes"), text("through", nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_corrections"), sqlite_autoincrement=True)
    op.create_index("ix_corrections_game_id", "corrections", ["game_id"])
    op.create_table("declarations",
        text("owner_id"), text("kind"), text("id"), text("doc"),
        sa.PrimaryKeyConstraint("owner_id", "kind", "id", name="pk_declarations"))
    op.create_table("event_history",
        text("game_id"), text("local_id"), integer("until", autoincrement=False), integer("serial"), bytewise("sort"),
        integer("local_status"), integer("created_at"), integer("updated_at"), integer("publish_at", nullable=True),
        integer("version"), text("user_id"), text("doc"), integer("written_at"),
        sa.PrimaryKeyConstraint("game_id", "local_id", "until", name="pk_event_history"))
    op.create_index("ix_event_history_until", "event_history", ["until"])
    op.create_table("follows",
        text("id"), text("endpoint"), text("provider"), text("organization_id"), text("match_id"), text("sport"), text("status"),
        integer("kickoff", nullable=True), double("next_poll_at"), integer("good_at", nullable=True),
        integer("changed_at", nullable=True), integer("failures"), integer("failing_since", nullable=True),
        text("last_error", nullable=True), text("hints"), text("pending", nullable=True), integer("closed_at", nullable=True),
        text("owner", nullable=True), integer("fence"), integer("joined", server_default=sa.text("0")),
        integer("edition", server_default=sa.text("0")), text("teams", server_default=sa.text("''")),
        sa.PrimaryKeyConstraint("id", name="pk_follows"),
        sa.UniqueConstraint("endpoint", "match_id", "edition", name="uq_follows_endpoint_match_id_edition"))
    op.create_index("ix_follows_closed_at_next_poll_at", "follows", ["closed_at", "next_poll_at"])
    op.create_index("ix_follows_owner", "follows", ["owner"])
    op.create_table("game_documents",
        text("game_id"), integer("until", autoincrement=False), text("local_id"), integer("local_status"), text("sportstype"),
        text("template_id"), text("title"), integer("starts_at", nullable=True), text("doc"),
        integer("previous_starts_at", nullable=True), sa.PrimaryKeyConstraint("game_id", "until", name="pk_game_documents"))
    op.create_index("ix_game_documents_until", "game_documents", ["until"])
    op.create_table("game_versions",
        text("game_id"), integer("until", autoincrement=False), integer("version"), integer("updated_at"),
        sa.PrimaryKeyConstraint("game_id", "until", name="pk_game_versions"))
    op.create_index("ix_game_versions_until", "game_versions", ["until"])
    op.create_table("games",
        text("id"), text("local_id"), text("organization_id"), text("external_id", nullable=True), integer("version"),
        integer("local_status"), text("sportstype"), text("template_id"), text("title"), integer("starts_at", nullable=True),
        integer("created_at"), integer("updated_at"), integer("serial"), text("doc"), integer("previous_starts_at", nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_games"), sa.UniqueConstraint("local_id", name="uq_games_local_id"))
    op.create_index("ix_games_created_at", "games", ["created_at"])
    partial_index("ix_games_deleted", "games", ["id"], "local_status = 100")
    op.create_index("ix_games_organization_id_created_at", "games", ["organization_id", "created_at"])
    op.create_table("idempotency",
        text("organization_id"), text("client_id"), text("key"), text("digest"), text("game_id"), integer("created_at"),
        sa.PrimaryKeyConstraint("organization_id", "client_id", "key", name="pk_idempotency"))
    op.create_index("ix_idempotency_created_at", "idempotency", ["created_at"])
    op.create_table("image_uses",
        text("organization_id"), text("image"), text("kind"), text("record_id"), boolean("shown"),
        sa.PrimaryKeyConstraint("organization_id", "image", "kind", "record_id", name="pk_image_uses"))
    op.create_index("ix_image_uses_kind_record_id", "image_uses", ["kind", "record_id"])
    op.create_table("master_history",
        text("kind"), text("record_id"), integer("until", autoincrement=False), text("doc"),
        sa.PrimaryKeyConstraint("kind", "record_id", "until", name="pk_master_history"))
    op.create_index("ix_master_history_until", "master_history", ["until"])
    op.create_table("outbox",
        counter("id"), text("game_id"), text("local_id"), text("organization_id"), integer("version"), integer("at"),
        integer("number", nullable=True), sa.PrimaryKeyConstraint("id", name="pk_outbox"),
        sa.UniqueConstraint("game_id", "version", name="uq_outbox_game_id_version"), sqlite_autoincrement=True)
    op.create_index("ix_outbox_number_id", "outbox", ["number", "id"])
    op.create_index("ix_outbox_organization_id_number", "outbox", ["organization_id", "number"])
    op.create_table("outbox_sequence",
        integer("id", autoincrement=False), integer("last"), sa.PrimaryKeyConstraint("id", name="pk_outbox_sequence"))
    op.create_table("purged_files",
        text("file"), integer("purged_at"), sa.PrimaryKeyConstraint("file", name="pk_purged_files"))
    op.create_table("reader_bans",
        text("organization_id"), text("reader_id"), text("client_id"), integer("created_at"),
        sa.PrimaryKeyConstraint("organization_id", "reader_id", name="pk_reader_bans"))
    op.create_table("reader_salts",
        text("name"), binary("value"), integer("last_use"), sa.PrimaryKeyConstraint("name", name="pk_reader_salts"))
    op.create_table("reader_sign_ins",
        text("organization_id"), text("jti_digest"), integer("until"),
        sa.PrimaryKeyConstraint("organization_id", "jti_digest", name="pk_reader_sign_ins"))
    op.create_index("ix_reader_sign_ins_until", "reader_sign_ins", ["until"])
    op.create_table("service_keys",
        text("name"), binary("value"), sa.PrimaryKeyConstraint("name", name="pk_service_keys"))
    for name in ("locations", "teams", "tournaments"):
        op.create_table(name,
            text("id"), text("owner_id"), text("source"), text("ext_id", nullable=True), text("sportstype"), text("name"),
            text("doc"), text("written"), integer("created_at"), integer("updated_at"),
            sa.PrimaryKeyConstraint("id", name=f"pk_{name}"),
            sa.UniqueConstraint("owner_id", "source", "sportstype", "ext_id", name=f"uq_{name}_owner_id_source_sportstype_ext_id"))
        op.create_index(f"ix_{name}_owner_id_created_at", name, ["owner_id", "created_at"])
    op.create_table("tokens",
        text("record_id"), bytewise("token"), text("kind"), text("owner_id"),
        sa.PrimaryKeyConstraint("record_id", "token", name="pk_tokens"))
    op.create_index("ix_tokens_owner_id_kind_token", "tokens", ["owner_id", "kind", "token"])
    op.create_table("uploads",
        bytewise("key"), text("organization_id"), text("client_id"), text("subtype"), text("content_type"), text("digest"),
        integer("bytes"), integer("width", nullable=True), integer("height", nullable=True), integer("created_at"),
        sa.PrimaryKeyConstraint("key", name="pk_uploads"))
    op.create_index("ix_uploads_created_at", "uploads", ["created_at"])
    op.create_table("webhooks",
        text("id"), text("organization_id"), text("url"), text("status"), text("secrets"), integer("cursor"), integer("failures"),
        double("failing_since", nullable=True), double("outcome_at", nullable=True), boolean("outcome_success", nullable=True),
        integer("outcome_code", nullable=True), text("outcome_message", nullable=True), text("owner", nullable=True),
        integer("fence"), integer("created_at"), integer("updated_at"), sa.PrimaryKeyConstraint("id", name="pk_webhooks"),
        sa.UniqueConstraint("organization_id", "url", name="uq_webhooks_organization_id_url"))
    partial_index("ix_webhooks_failures", "webhooks", ["failures"], "failures > 0")
    op.create_index("ix_webhooks_organization_id_id", "webhooks", ["organization_id", "id"])
    op.create_index("ix_webhooks_status_owner", "webhooks", ["status", "owner"])
    op.create_table("workers",
        text("id"), text("kind"), integer("lock", nullable=True), integer("beat"), integer("seen_at"),
        sa.PrimaryKeyConstraint("id", name="pk_workers"))
    op.create_table("leaders",
        text("kind"), text("worker_id"), references("leaders", "worker_id", "workers.id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("kind", name="pk_leaders"))
    op.create_table("accounts",
        bytewise("id"), text("organization_id"), text("email"), text("name"), text("role"), text("password_hash", nullable=True),
        text("issuer", nullable=True), text("subject", nullable=True), integer("by_groups", server_default="0"),
        integer("created_at"), integer("updated_at"), integer("disabled_at", nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_accounts"), sa.UniqueConstraint("email", name="uq_accounts_email"),
        sa.UniqueConstraint("issuer", "subject", name="uq_accounts_issuer_subject"))
    op.create_index("ix_accounts_organization_id", "accounts", ["organization_id"])
    op.create_table("sign_in_tries",
        bytewise("key"), integer("failures"), integer("next_at"), integer("tried_at"),
        sa.PrimaryKeyConstraint("key", name="pk_sign_in_tries"))
    op.create_index("ix_sign_in_tries_tried_at", "sign_in_tries", ["tried_at"])
    op.create_table("audit_entries",
        counter("serial"), text("organization_id"), bytewise("account_id"), text("operation"), text("target"), integer("at"),
        sa.PrimaryKeyConstraint("serial", name="pk_audit_entries"), sqlite_autoincrement=True)
    op.create_index("ix_audit_entries_at", "audit_entries", ["at"])
    op.create_index("ix_audit_entries_organization_id_serial", "audit_entries", ["organization_id", "serial"])
    op.create_table("desk_sessions",
        bytewise("id"), text("token_hash"), bytewise("account_id"), text("browser"), integer("created_at"), integer("seen_at"),
        integer("expires_at"), text("proof", server_default="password"),
        references("desk_sessions", "account_id", "accounts.id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_desk_sessions"),
        sa.UniqueConstraint("token_hash", name="uq_desk_sessions_token_hash"))
    op.create_index("ix_desk_sessions_account_id", "desk_sessions", ["account_id"])
    op.create_index("ix_desk_sessions_expires_at", "desk_sessions", ["expires_at"])
    op.create_table("second_factors",
        bytewise("account_id"), text("secret"), integer("last_step"),
        references("second_factors", "account_id", "accounts.id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("account_id", name="pk_second_factors"))
    op.create_table("recovery_codes",
        bytewise("account_id"), bytewise("code_hash"),
        references("recovery_codes", "account_id", "accounts.id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("account_id", "code_hash", name="pk_recovery_codes"))
    op.create_table("sign_in_steps",
        bytewise("token_hash"), bytewise("account_id"), integer("expires_at"), text("secret", nullable=True),
        references("sign_in_steps", "account_id", "accounts.id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("token_hash", name="pk_sign_in_steps"))
    op.create_index("ix_sign_in_steps_account_id", "sign_in_steps", ["account_id"])
    op.create_index("ix_sign_in_steps_expires_at", "sign_in_steps", ["expires_at"])
    op.create_table("attachments",
        text("game_id"), text("follow_id"), text("organization_id"), text("provider"), text("match_id"), text("selector"),
        text("terms"), text("declared_key", nullable=True), integer("created_at"), integer("closed_at", nullable=True),
        references("attachments", "follow_id", "follows.id"), references("attachments", "game_id", "games.id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("game_id", name="pk_attachments"),
        sa.UniqueConstraint("organization_id", "declared_key", name="uq_attachments_organization_id_declared_key"))
    op.create_index("ix_attachments_follow_id", "attachments", ["follow_id"])
    partial_index("ix_attachments_open", "attachments", ["follow_id"], "closed_at IS NULL")
    op.create_table("standbys",
        text("game_id"), text("follow_id"), text("pinned"), binary("state", nullable=True), integer("edition"), integer("place"),
        references("standbys", "game_id", "games.id", ondelete="CASCADE"), references("standbys", "follow_id", "follows.id"),
        sa.PrimaryKeyConstraint("game_id", "follow_id", name="pk_standbys"))
    op.create_index("ix_standbys_follow_id", "standbys", ["follow_id"])
    op.create_table("source_health",
        text("follow_id"), double("answered_at", nullable=True), double("attentive_since"), double("poll_interval"),
        text("trouble"), references("source_health", "follow_id", "follows.id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("follow_id", name="pk_source_health"))
    op.create_table("post_times",
        text("game_id"), integer("version", autoincrement=False), text("local_id"), text("what"), integer("said_at", nullable=True),
        integer("unsaid_at", nullable=True), integer("answered_at"), integer("believed_at"), integer("committed_at", nullable=True),
        integer("delivered_at", nullable=True), text("answers"),
        references("post_times", "game_id", "games.id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("game_id", "version", "local_id", name="pk_post_times"))
    op.create_index("ix_post_times_believed_at", "post_times", ["believed_at"])
    op.create_table("decisions",
        counter("id"), text("follow_id"), integer("answered_at"), integer("believed_at"), integer("written_at"), boolean("pending"),
        text("answers"), text("versions"), text("created"), references("decisions", "follow_id", "follows.id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_decisions"), sqlite_autoincrement=True)
    op.create_index("ix_decisions_believed_at", "decisions", ["believed_at"])
    op.create_index("ix_decisions_follow_id_id", "decisions", ["follow_id", "id"])
    op.create_table("beliefs",
        text("follow_id"), binary("belief"), references("beliefs", "follow_id", "follows.id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("follow_id", name="pk_beliefs"))
    op.create_table("closed_channels",
        text("channel_id"), text("game_id"), text("client_id"), integer("created_at"),
        references("closed_channels", "game_id", "games.id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("channel_id", name="pk_closed_channels"))
    op.create_index("ix_closed_channels_game_id", "closed_channels", ["game_id"])
    op.create_table("comments",
        counter("serial"), bytewise("id"), text("organization_id"), text("game_id"), text("channel_id"),
        bytewise("parent_id", nullable=True), text("reader_id"), text("author_name", nullable=True),
        text("author_image", nullable=True), text("text"), text("status"), integer("created_at"), integer("updated_at"),
        text("idempotency_key", nullable=True), text("moderated_by", nullable=True), integer("gone_at", nullable=True),
        references("comments", "game_id", "games.id", ondelete="CASCADE"), sa.PrimaryKeyConstraint("serial", name="pk_comments"),
        sa.UniqueConstraint("id", name="uq_comments_id"),
        sa.UniqueConstraint("reader_id", "idempotency_key", name="uq_comments_reader_id_idempotency_key"),
        sqlite_autoincrement=True)
    op.create_index("ix_comments_channel_id_serial", "comments", ["channel_id", "serial"])
    op.create_index("ix_comments_game_id", "comments", ["game_id"])
    op.create_index("ix_comments_gone_at", "comments", ["gone_at"])
    op.create_index("ix_comments_organization_id_serial", "comments", ["organization_id", "serial"])
    op.create_index("ix_comments_organization_id_status_serial", "comments", ["organization_id", "status", "serial"])
    op.create_index("ix_comments_parent_id", "comments", ["parent_id"])
    op.create_index("ix_comments_reader_id_created_at", "comments", ["reader_id", "created_at"])
    op.create_table("creations",
        text("game_id"), text("digest"), references("creations", "game_id", "games.id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("game_id", name="pk_creations"))
    op.create_table("events",
        text("local_id"), text("game_id"), integer("serial"), bytewise("sort"), integer("local_status"), integer("created_at"),
        integer("updated_at"), integer("publish_at", nullable=True), integer("version"), text("user_id"), text("doc"),
        integer("written_at", server_default="0"), references("events", "game_id", "games.id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("local_id", name="pk_events"))
    op.create_index("ix_events_game_id_local_id", "events", ["game_id", "local_id"])
    op.create_index("ix_events_game_id_local_status_sort", "events", ["game_id", "local_status", "sort"])
    op.create_index("ix_events_game_id_version", "events", ["game_id", "version"])
    partial_index("ix_events_pinned", "events", ["game_id", "local_status", "sort"], """doc LIKE '%"highlight":"sticky%'""")
    partial_index("ix_events_saying", "events", ["game_id", "local_status", "sort"], SAYING)
    partial_index("ix_events_scheduled", "events", ["publish_at"], "publish_at IS NOT NULL AND local_status = 0")
    op.create_table("game_links",
        text("game_id"), text("kind"), text("value"), references("game_links", "game_id", "games.id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("game_id", "kind", "value", name="pk_game_links"))
    op.create_index("ix_game_links_kind_value", "game_links", ["kind", "value"])
    op.create_table("game_records",
        text("game_id"), text("kind"), text("record_id"), references("game_records", "game_id", "games.id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("game_id", "kind", "record_id", name="pk_game_records"))
    op.create_index("ix_game_records_record_id", "game_records", ["record_id"])
    op.create_table("hub_pings",
        text("game_id"), integer("version"), references("hub_pings", "game_id", "games.id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("game_id", name="pk_hub_pings"))
    op.create_table("ledger",
        text("game_id"), text("follow_id", server_default=sa.text("''")), text("key"), text("local_id", nullable=True),
        text("kind"), text("state"), text("reason"), text("written"),
        references("ledger", "game_id", "games.id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("game_id", "follow_id", "key", name="pk_ledger"))
    for name in ("load_counts", "load_days"):
        op.create_table(name,
            text("game_id"), integer("slot", autoincrement=False), text("origin"), text("location"), integer("loads"),
            integer("more"), integer("sampled"), integer("retention_ms"), integer("retention_views"),
            references(name, "game_id", "games.id", ondelete="CASCADE"),
            sa.PrimaryKeyConstraint("game_id", "slot", "origin", "location", name=f"pk_{name}"))
        op.create_index(f"ix_{name}_slot", name, ["slot"])
    partial_index("ix_load_counts_minutes", "load_counts", ["slot"], "slot % 900 <> 0")
    op.create_table("load_rollups",
        text("game_id"), integer("until"), integer("due_at", nullable=True),
        references("load_rollups", "game_id", "games.id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("game_id", name="pk_load_rollups"))
    op.create_index("ix_load_rollups_due_at_until", "load_rollups", ["due_at", "until"])
    op.create_table("players",
        text("id"), text("owner_id"), text("source"), text("ext_id", nullable=True), text("sportstype"), text("name"), text("doc"),
        text("written"), integer("created_at"), integer("updated_at"), text("team_id", nullable=True), boolean("inactive"),
        references("players", "team_id", "teams.id"), sa.PrimaryKeyConstraint("id", name="pk_players"),
        sa.UniqueConstraint("owner_id", "source", "sportstype", "ext_id", name="uq_players_owner_id_source_sportstype_ext_id"))
    op.create_index("ix_players_owner_id_created_at", "players", ["owner_id", "created_at"])
    op.create_index("ix_players_team_id", "players", ["team_id"])
    op.create_table("poll_history",
        text("game_id"), text("poll_id"), integer("until", autoincrement=False), text("counts"), integer("changes"),
        integer("written_at"), references("poll_history", "game_id", "games.id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("game_id", "poll_id", "until", name="pk_poll_history"))
    op.create_index("ix_poll_history_until", "poll_history", ["until"])
    op.create_table("poll_tallies",
        text("game_id"), text("poll_id"), text("counts"), integer("changes"), integer("written_at"),
        references("poll_tallies", "game_id", "games.id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("game_id", "poll_id", name="pk_poll_tallies"))
    op.create_table("poll_votes",
        text("game_id"), text("poll_id"), text("reader_id"), text("options"), integer("voted_at"),
        references("poll_votes", "game_id", "games.id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("game_id", "poll_id", "reader_id", name="pk_poll_votes"))
    op.create_table("reader_sketches",
        text("game_id"), text("salt"), integer("slot", autoincrement=False), text("origin"), text("location"), binary("sketch"),
        references("reader_sketches", "game_id", "games.id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("game_id", "salt", "slot", "origin", "location", name="pk_reader_sketches"))
    op.create_index("ix_reader_sketches_slot", "reader_sketches", ["slot"])
    op.create_table("resources",
        text("follow_id"), text("name"), text("etag", nullable=True), text("digest", nullable=True), integer("rows"),
        binary("body", nullable=True), integer("good_at", nullable=True), integer("changed_at", nullable=True), integer("failures"),
        text("last_error", nullable=True), text("faults"), references("resources", "follow_id", "follows.id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("follow_id", "name", name="pk_resources"))
    partial_index("ix_resources_kept", "resources", ["follow_id"], "body IS NOT NULL")
    op.create_table("upload_uses",
        bytewise("upload_key"), text("kind"), text("record_id"), boolean("shown"),
        references("upload_uses", "upload_key", "uploads.key"),
        sa.PrimaryKeyConstraint("upload_key", "kind", "record_id", name="pk_upload_uses"))
    op.create_index("ix_upload_uses_kind_record_id", "upload_uses", ["kind", "record_id"])
    op.create_table("webhook_rounds",
        counter("id"), text("webhook_id"), integer("number"), text("game_id"), text("local_id"), integer("version"), text("kind"),
        integer("round"), integer("tries"), double("at"), integer("took_ms"), boolean("success"),
        integer("status_code", nullable=True), text("message"), text("organization_id", nullable=True),
        references("webhook_rounds", "webhook_id", "webhooks.id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_webhook_rounds"), sqlite_autoincrement=True)
    op.create_index("ix_webhook_rounds_at", "webhook_rounds", ["at"])
    partial_index("ix_webhook_rounds_failed", "webhook_rounds", ["organization_id", "at", "id"], "NOT success")
    op.create_index("ix_webhook_rounds_game_id_at_id", "webhook_rounds", ["game_id", "at", "id"])
    op.create_index("ix_webhook_rounds_organization_id_at_id", "webhook_rounds", ["organization_id", "at", "id"])
    op.create_index("ix_webhook_rounds_webhook_id_id", "webhook_rounds", ["webhook_id", "id"])
    op.create_index("ix_webhook_rounds_webhook_id_number", "webhook_rounds", ["webhook_id", "number"])
    op.create_table("webhook_waiting",
        counter("id"), text("webhook_id"), integer("number"), text("game_id"), text("local_id"), integer("version"), text("kind"),
        integer("rounds"), double("next_at"), references("webhook_waiting", "webhook_id", "webhooks.id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_webhook_waiting"), sqlite_autoincrement=True)
    op.create_index("ix_webhook_waiting_next_at", "webhook_waiting", ["next_at"])
    op.create_index("ix_webhook_waiting_webhook_id_next_at_id", "webhook_waiting", ["webhook_id", "next_at", "id"])
    op.create_table("comment_likes",
        bytewise("comment_id"), text("reader_id"), references("comment_likes", "comment_id", "comments.id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("comment_id", "reader_id", name="pk_comment_likes"))
    op.create_table("comment_reports",
        bytewise("comment_id"), text("reader_id"), integer("created_at"), text("network", server_default=sa.text("''")),
        references("comment_reports", "comment_id", "comments.id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("comment_id", "reader_id", name="pk_comment_reports"))
    op.create_table("media_probes",
        text("media_id"), text("event_id"), text("game_id"), text("organization_id"), text("url"), integer("tries"),
        double("next_at", nullable=True), text("error", nullable=True),
        references("media_probes", "event_id", "events.local_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("media_id", name="pk_media_probes"))
    op.create_index("ix_media_probes_event_id", "media_probes", ["event_id"])
    op.create_index("ix_media_probes_next_at", "media_probes", ["next_at"])
    op.create_table("parts",
        text("local_id"), text("event_id"), references("parts", "event_id", "events.local_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("local_id", name="pk_parts"))
    op.create_index("ix_parts_event_id", "parts", ["event_id"])
    op.execute(FIRST)
# fmt: on


def downgrade() -> None:
    raise NotImplementedError("nothing comes before the first version")
