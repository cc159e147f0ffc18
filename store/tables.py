"""Tables that the whole store works with; those of each part stand beside it. Ids are 24 hex digits where nothing else is said."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Boolean, Column, Double, ForeignKey, Index, LargeBinary, Table, UniqueConstraint
from sqlalchemy import text as sql

from store.engine.columns import Bytewise, Counter, integer, json, metadata, partial_index, text

WRITTEN_AS_PINNED = """doc LIKE '%"highlight":"sticky%'"""
"""The condition on the JSON text of an event that is pinned (`mapping.documents.event.PINNED`), as the index has it."""

WRITTEN_AS_SAYING = (
    """(doc LIKE '%"event_type"%' OR doc LIKE '%"highlight":"milestone"%' OR doc LIKE '%"highlight":"sticky"%'"""
    """ OR doc LIKE '%"highlight":"inplace"%' OR doc LIKE '%"subtype"%')"""
)
"""The same of an event that says more than a text: what happened, that it is a highlight, or a file. The index has just this."""

games = Table(
    "games",
    metadata,
    text("id", primary_key=True),
    text("local_id", unique=True),
    text("organization_id"),
    text("external_id", nullable=True),
    integer("version"),
    integer("local_status"),
    text("sportstype"),
    text("template_id"),
    text("title"),
    integer("starts_at", nullable=True),
    integer("created_at"),
    integer("updated_at"),
    integer("serial"),  # of the event created last
    json("doc"),
    integer("previous_starts_at", nullable=True),
    Index(None, "organization_id", "created_at"),
    Index(None, "created_at"),
    partial_index("ix_games_deleted", "id", only="local_status = 100"),
)

events = Table(
    "events",
    metadata,
    text("local_id", primary_key=True),
    text("game_id", ForeignKey("games.id", ondelete="CASCADE")),
    integer("serial"),
    Column("sort", Bytewise, nullable=False),
    integer("local_status"),
    integer("created_at"),
    integer("updated_at"),
    integer("publish_at", nullable=True),  # set while the event waits for its time
    integer("version"),
    text("user_id"),
    json("doc"),
    integer("written_at", server_default="0"),  # when the row was written, whatever `updated_at` says
    Index(None, "game_id", "local_status", "sort"),
    Index(None, "game_id", "version"),
    Index(None, "game_id", "local_id"),  # the posts of one liveblog in an order that no write changes
    # scheduled: never many
    partial_index("ix_events_scheduled", "publish_at", only="publish_at IS NOT NULL AND local_status = 0"),
    partial_index("ix_events_pinned", "game_id", "local_status", "sort", only=WRITTEN_AS_PINNED),
    partial_index("ix_events_saying", "game_id", "local_status", "sort", only=WRITTEN_AS_SAYING),
)

block_ids = Table(
    "parts",
    metadata,
    text("local_id", primary_key=True),  # of a block, a file or an incident
    text("event_id", ForeignKey("events.local_id", ondelete="CASCADE"), index=True),
)

outbox = Table(
    "outbox",
    metadata,
    Column("id", Counter, primary_key=True, autoincrement=True),
    text("game_id"),
    text("local_id"),
    text("organization_id"),
    integer("version"),
    integer("at"),
    integer("number", nullable=True),  # of delivery, given after the commit; cursors go by it
    UniqueConstraint("game_id", "version"),
    Index(None, "number", "id"),  # those without a number stand together in it, oldest first
    Index(None, "organization_id", "number"),
    sqlite_autoincrement=True,
)

outbox_sequence = Table(
    "outbox_sequence",
    metadata,
    integer("id", primary_key=True, autoincrement=False),
    integer("last"),
)
"""One row: the delivery number given last. The process that numbers outbox rows locks it."""

follows = Table(
    "follows",
    metadata,
    text("id", primary_key=True),
    text("endpoint"),
    text("provider"),
    text("organization_id"),
    text("match_id"),
    text("sport"),
    text("status"),
    integer("kickoff", nullable=True, index=True),
    Column("next_poll_at", Double, nullable=False),
    integer("good_at", nullable=True),
    integer("changed_at", nullable=True),
    integer("failures"),
    integer("failing_since", nullable=True),
    text("last_error", nullable=True),
    json("hints"),
    json("pending", nullable=True),
    integer("closed_at", nullable=True),
    text("owner", nullable=True, index=True),
    integer("fence"),
    integer("joined", server_default=sql("0")),
    integer("edition", server_default=sql("0")),  # of several matches that were given this id, one after the other
    text("teams", server_default=sql("''")),  # the provider's ids of both, sorted, one in each line
    UniqueConstraint("endpoint", "match_id", "edition"),
    Index(None, "closed_at", "next_poll_at"),
)

workers = Table(
    "workers",
    metadata,
    text("id", primary_key=True),
    text("kind"),
    integer("lock", nullable=True),
    integer("beat"),
    integer("seen_at"),
)

leaders = Table(
    "leaders",
    metadata,
    text("kind", primary_key=True),
    text("worker_id", ForeignKey("workers.id", ondelete="CASCADE")),
)
"""Of the processes of a kind (a digest of `workers.kind`) the one that leads: it does what one of them has to do."""

resources = Table(
    "resources",
    metadata,
    text("follow_id", ForeignKey("follows.id", ondelete="CASCADE"), primary_key=True),
    text("name", primary_key=True),
    text("etag", nullable=True),
    text("digest", nullable=True),
    integer("rows"),
    Column("body", LargeBinary),
    integer("good_at", nullable=True),
    integer("changed_at", nullable=True),
    integer("failures"),
    text("last_error", nullable=True),
    json("faults"),
    partial_index("ix_resources_kept", "follow_id", only="body IS NOT NULL"),  # of closed matches they are given back
)

beliefs = Table(
    "beliefs",
    metadata,
    text("follow_id", ForeignKey("follows.id", ondelete="CASCADE"), primary_key=True),
    Column("belief", LargeBinary, nullable=False),
)
"""The match as it is believed (mapping.belief.confirm), compressed JSON."""

attachments = Table(
    "attachments",
    metadata,
    text("game_id", ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
    text("follow_id", ForeignKey("follows.id"), index=True),
    text("organization_id"),
    text("provider"),
    text("match_id"),
    json("selector"),
    json("terms"),
    text("declared_key", nullable=True),
    integer("created_at"),
    integer("closed_at", nullable=True),  # when the window after the end closed: the sync writes no more
    UniqueConstraint("organization_id", "declared_key"),
    partial_index("ix_attachments_open", "follow_id", only="closed_at IS NULL"),
)

ledger = Table(
    "ledger",
    metadata,
    text("game_id", ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
    # the match, also one that the liveblog is on no more
    text("follow_id", primary_key=True, server_default=sql("''")),
    text("key", primary_key=True),
    text("local_id", nullable=True),
    text("kind"),
    text("state"),
    text("reason"),
    json("written"),
)


def _master(name: str, *more: Column[Any]) -> Table:
    """Master data. `source`: '' for what people made, else the provider; `written`: the provider's last word."""
    return Table(
        name,
        metadata,
        text("id", primary_key=True),
        text("owner_id"),
        text("source"),
        text("ext_id", nullable=True),
        text("sportstype"),
        text("name"),
        json("doc"),
        json("written"),
        integer("created_at"),
        integer("updated_at"),
        *more,
        UniqueConstraint("owner_id", "source", "sportstype", "ext_id"),
        Index(None, "owner_id", "created_at"),
    )


teams = _master("teams")
players = _master(
    "players",
    text("team_id", ForeignKey("teams.id"), nullable=True, index=True),
    Column("inactive", Boolean, nullable=False),
)
tournaments = _master("tournaments")
locations = _master("locations")

tokens = Table(
    "tokens",
    metadata,
    text("record_id", primary_key=True),
    Column("token", Bytewise, primary_key=True),
    text("kind"),
    text("owner_id"),
    Index(None, "owner_id", "kind", "token"),
)
"""The words by which full text search finds a record; `kind` is the name of its table."""

game_links = Table(
    "game_links",
    metadata,
    text("game_id", ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
    text("kind", primary_key=True),
    text("value", primary_key=True),
    Index(None, "kind", "value"),
)
"""What liveblogs are searched by that lies deep in their documents: `kind` team or tag."""

game_records = Table(
    "game_records",
    metadata,
    text("game_id", ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
    text("kind", primary_key=True),
    text("record_id", primary_key=True),
    Index(None, "record_id"),
)
"""Master data that a liveblog or one of its posts names, or has named: `kind` as in `mapping.match.references`, and `_id`."""

corrections = Table(
    "corrections",
    metadata,
    Column("id", Counter, primary_key=True, autoincrement=True),
    text("game_id", index=True),  # no key of games: who corrects a record waits for no liveblog
    Column("afresh", Boolean, nullable=False),
    json("changes"),
    text("through", nullable=True),
    sqlite_autoincrement=True,
)
"""Corrected records that a liveblog has still to show.

`changes`: `_id` of a record → field → what was shown of it and what is; `afresh`: the liveblog's match is looked at afresh
as well; `through`: the `local_id` of the last post that is done, None before the first.
"""

creations = Table(
    "creations",
    metadata,
    text("game_id", ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
    text("digest"),
)
"""What a liveblog with an `external_id` was created from, so that a repeated creation is recognized."""

declarations = Table(
    "declarations",
    metadata,
    text("owner_id", primary_key=True),
    text("kind", primary_key=True),
    text("id", primary_key=True),
    json("doc"),
)
"""What the operator declares for an organization: `kind` template, pricing or tag."""

clients = Table(
    "clients",
    metadata,
    text("id", primary_key=True),
    json("secrets"),
    json("organizations"),
    json("scopes"),
    text("response_prefix", server_default="Svc"),
    Column("declared", Boolean, nullable=False),
    integer("revoked_at", nullable=True),
    integer("created_at"),
)

idempotency = Table(
    "idempotency",
    metadata,
    text("organization_id", primary_key=True),
    text("client_id", primary_key=True),
    text("key", primary_key=True),
    text("digest"),
    text("game_id"),
    integer("created_at"),
    Index(None, "created_at"),
)

webhooks = Table(
    "webhooks",
    metadata,
    text("id", primary_key=True),
    text("organization_id"),
    text("url"),
    text("status"),
    json("secrets"),
    integer("cursor"),  # the delivery number up to which everything has had its first round
    integer("failures"),
    Column("failing_since", Double),
    Column("outcome_at", Double),
    Column("outcome_success", Boolean),
    integer("outcome_code", nullable=True),
    text("outcome_message", nullable=True),
    text("owner", nullable=True),
    integer("fence"),
    integer("created_at"),
    integer("updated_at"),
    UniqueConstraint("organization_id", "url"),
    Index(None, "organization_id", "id"),
    Index(None, "status", "owner"),
    partial_index(None, "failures", only="failures > 0"),
)


def _delivery(name: str, *more: Any) -> Table:
    """What is delivered: a version of a liveblog, to one subscription; `kind`: update, replay or ping."""
    return Table(
        name,
        metadata,
        Column("id", Counter, primary_key=True, autoincrement=True),
        text("webhook_id", ForeignKey("webhooks.id", ondelete="CASCADE")),
        integer("number"),
        text("game_id"),
        text("local_id"),
        integer("version"),
        text("kind"),
        *more,
        sqlite_autoincrement=True,
    )


webhook_waiting = _delivery(
    "webhook_waiting",
    integer("rounds"),
    Column("next_at", Double, nullable=False),
    Index(None, "webhook_id", "next_at", "id"),  # in the order in which they are due
    Index(None, "next_at"),
)

webhook_rounds = _delivery(
    "webhook_rounds",
    integer("round"),
    integer("tries"),
    Column("at", Double, nullable=False),
    integer("took_ms"),
    Column("success", Boolean, nullable=False),
    integer("status_code", nullable=True),
    text("message"),
    text("organization_id", nullable=True),
    Index(None, "webhook_id", "id"),
    Index(None, "webhook_id", "number"),
    Index(None, "organization_id", "at", "id"),
    Index(None, "game_id", "at", "id"),
    partial_index("ix_webhook_rounds_failed", "organization_id", "at", "id", only="NOT success"),
    Index(None, "at"),
)

service_keys = Table(
    "service_keys",
    metadata,
    text("name", primary_key=True),
    Column("value", LargeBinary, nullable=False),
)
"""Secrets that the service makes for itself at its first start, equal for all processes: `media` signs addresses of images."""
