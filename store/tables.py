"""The tables. Documents are JSON text; what is searched, sorted or joined by stands in a column of its own.

Times are Unix seconds. Ids are 24 hex digits where nothing else is said.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    text,
)

from store.sql.json_type import Json

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    }
)

Bytewise = Text().with_variant(Text(collation="C"), "postgresql")
"""Text that sorts by its bytes on both databases."""
Counter = BigInteger().with_variant(Integer(), "sqlite")
"""A key that the database counts up; SQLite does so for INTEGER only."""


def _text(name: str, *args: Any, **kwargs: Any) -> Column[Any]:
    return Column(name, Text, *args, **{"nullable": False, **kwargs})


def _int(name: str, **kwargs: Any) -> Column[Any]:
    return Column(name, BigInteger, **{"nullable": False, **kwargs})


def _json(name: str, **kwargs: Any) -> Column[Any]:
    return Column(name, Json, **{"nullable": False, **kwargs})


games = Table(
    "games",
    metadata,
    _text("id", primary_key=True),
    _text("local_id", unique=True),
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
    _int("serial"),  # of the event created last
    _json("doc"),
    Index(None, "organization_id", "created_at"),
    Index(None, "created_at"),
)

events = Table(
    "events",
    metadata,
    _text("local_id", primary_key=True),
    _text("game_id", ForeignKey("games.id", ondelete="CASCADE")),
    _int("serial"),
    Column("sort", Bytewise, nullable=False),
    _int("local_status"),
    _int("created_at"),
    _int("updated_at"),
    _int("publish_at", nullable=True),  # set while the event waits for its time
    _int("version"),
    _text("user_id"),
    _json("doc"),
    Index(None, "game_id", "local_status", "sort"),
    Index(None, "game_id", "version"),
    Index(None, "publish_at"),
)

parts = Table(
    "parts",
    metadata,
    _text("local_id", primary_key=True),  # of a block, a file or an incident
    _text("event_id", ForeignKey("events.local_id", ondelete="CASCADE"), index=True),
)

outbox = Table(
    "outbox",
    metadata,
    Column("id", Counter, primary_key=True, autoincrement=True),
    _text("game_id"),
    _text("local_id"),
    _text("organization_id"),
    _int("version"),
    _int("at"),
    _int("number", nullable=True),  # of delivery, given after the commit; cursors go by it
    UniqueConstraint("game_id", "version"),
    Index(None, "number", "id"),  # those without a number stand together in it, oldest first
    Index(None, "organization_id", "number"),
    sqlite_autoincrement=True,
)

outbox_sequence = Table(
    "outbox_sequence",
    metadata,
    _int("id", primary_key=True, autoincrement=False),
    _int("last"),
)
"""One row: the delivery number given last. The process that numbers outbox rows locks it."""

follows = Table(
    "follows",
    metadata,
    _text("id", primary_key=True),
    _text("endpoint"),
    _text("provider"),
    _text("organization_id"),
    _text("match_id"),
    _text("sport"),
    _text("status"),
    _int("kickoff", nullable=True),
    Column("next_poll_at", Double, nullable=False),
    _int("good_at", nullable=True),
    _int("changed_at", nullable=True),
    _int("failures"),
    _int("failing_since", nullable=True),
    _text("last_error", nullable=True),
    _json("hints"),
    _json("pending", nullable=True),
    _int("closed_at", nullable=True),
    _text("owner", nullable=True, index=True),
    _int("fence"),
    _int("joined", server_default=text("0")),
    UniqueConstraint("endpoint", "match_id"),
    Index(None, "closed_at", "next_poll_at"),
)

workers = Table(
    "workers",
    metadata,
    _text("id", primary_key=True),
    _text("kind"),
    _int("lock", nullable=True),
    _int("beat"),
    _int("seen_at"),
)

resources = Table(
    "resources",
    metadata,
    _text("follow_id", ForeignKey("follows.id", ondelete="CASCADE"), primary_key=True),
    _text("name", primary_key=True),
    _text("etag", nullable=True),
    _text("digest", nullable=True),
    _int("rows"),
    Column("body", LargeBinary),
    _int("good_at", nullable=True),
    _int("changed_at", nullable=True),
    _int("failures"),
    _text("last_error", nullable=True),
    _json("faults"),
)

beliefs = Table(
    "beliefs",
    metadata,
    _text("follow_id", ForeignKey("follows.id", ondelete="CASCADE"), primary_key=True),
    Column("belief", LargeBinary, nullable=False),
)
"""The match as it is believed (mapping.believed), compressed JSON."""

attachments = Table(
    "attachments",
    metadata,
    _text("game_id", ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
    _text("follow_id", ForeignKey("follows.id"), index=True),
    _text("organization_id"),
    _text("provider"),
    _text("match_id"),
    _json("selector"),
    _json("terms"),
    _text("declared_key", nullable=True),
    _int("created_at"),
    UniqueConstraint("organization_id", "declared_key"),
)

ledger = Table(
    "ledger",
    metadata,
    _text("game_id", ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
    _text("key", primary_key=True),
    _text("local_id", nullable=True),
    _text("kind"),
    _text("state"),
    _text("reason"),
    _json("written"),
)


def _master(name: str, *more: Column[Any]) -> Table:
    """Master data. `source`: '' for what people made, else the provider; `written`: the provider's last word."""
    return Table(
        name,
        metadata,
        _text("id", primary_key=True),
        _text("owner_id"),
        _text("source"),
        _text("ext_id", nullable=True),
        _text("sportstype"),
        _text("name"),
        _json("doc"),
        _json("written"),
        _int("created_at"),
        _int("updated_at"),
        *more,
        UniqueConstraint("owner_id", "source", "sportstype", "ext_id"),
    )


teams = _master("teams")
players = _master(
    "players",
    _text("team_id", ForeignKey("teams.id"), nullable=True, index=True),
    Column("inactive", Boolean, nullable=False),
)
tournaments = _master("tournaments")
locations = _master("locations")

tokens = Table(
    "tokens",
    metadata,
    _text("record_id", primary_key=True),
    Column("token", Bytewise, primary_key=True),
    _text("kind"),
    _text("owner_id"),
    Index(None, "owner_id", "kind", "token"),
)
"""The words by which full text search finds a record; `kind` is the name of its table."""

game_links = Table(
    "game_links",
    metadata,
    _text("game_id", ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
    _text("kind", primary_key=True),
    _text("value", primary_key=True),
    Index(None, "kind", "value"),
)
"""What liveblogs are searched by that lies deep in their documents: `kind` team or tag."""

game_records = Table(
    "game_records",
    metadata,
    _text("game_id", ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
    _text("kind", primary_key=True),
    _text("record_id", primary_key=True),
    Index(None, "record_id"),
)
"""Master data that a liveblog or one of its posts names, or has named: `kind` as in `mapping.references`, and `_id`."""

corrections = Table(
    "corrections",
    metadata,
    Column("id", Counter, primary_key=True, autoincrement=True),
    _text("game_id", index=True),  # no key of games: who corrects a record waits for no liveblog
    Column("afresh", Boolean, nullable=False),
    _json("changes"),
    _text("through", nullable=True),
    sqlite_autoincrement=True,
)
"""Corrected records that a liveblog has still to show.

`changes`: `_id` of a record → field → what was shown of it and what is; `afresh`: the liveblog's match is looked at afresh
as well; `through`: the `local_id` of the last post that is done, None before the first.
"""

creations = Table(
    "creations",
    metadata,
    _text("game_id", ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
    _text("digest"),
)
"""What a liveblog with an `external_id` was created from, so that a repeated creation is recognized."""

declarations = Table(
    "declarations",
    metadata,
    _text("owner_id", primary_key=True),
    _text("kind", primary_key=True),
    _text("id", primary_key=True),
    _json("doc"),
)
"""What the operator declares for an organization: `kind` template, pricing or tag."""

clients = Table(
    "clients",
    metadata,
    _text("id", primary_key=True),
    _json("secrets"),
    _json("organizations"),
    _json("scopes"),
    Column("declared", Boolean, nullable=False),
    _int("revoked_at", nullable=True),
    _int("created_at"),
)

idempotency = Table(
    "idempotency",
    metadata,
    _text("organization_id", primary_key=True),
    _text("client_id", primary_key=True),
    _text("key", primary_key=True),
    _text("digest"),
    _text("game_id"),
    _int("created_at"),
    Index(None, "created_at"),
)

webhooks = Table(
    "webhooks",
    metadata,
    _text("id", primary_key=True),
    _text("organization_id"),
    _text("url"),
    _text("status"),
    _json("secrets"),
    _int("cursor"),  # the delivery number up to which everything has had its first round
    _int("failures"),
    Column("failing_since", Double),
    Column("outcome_at", Double),
    Column("outcome_success", Boolean),
    _int("outcome_code", nullable=True),
    _text("outcome_message", nullable=True),
    _text("owner", nullable=True),
    _int("fence"),
    _int("created_at"),
    _int("updated_at"),
    UniqueConstraint("organization_id", "url"),
)


def _delivery(name: str, *more: Any) -> Table:
    """What is delivered: a version of a liveblog, to one subscription; `kind`: update, replay or ping."""
    return Table(
        name,
        metadata,
        Column("id", Counter, primary_key=True, autoincrement=True),
        _text("webhook_id", ForeignKey("webhooks.id", ondelete="CASCADE")),
        _int("number"),
        _text("game_id"),
        _text("local_id"),
        _int("version"),
        _text("kind"),
        *more,
        sqlite_autoincrement=True,
    )


webhook_waiting = _delivery(
    "webhook_waiting",
    _int("rounds"),
    Column("next_at", Double, nullable=False),
    Index(None, "webhook_id", "next_at"),
    Index(None, "next_at"),
)

webhook_rounds = _delivery(
    "webhook_rounds",
    _int("round"),
    _int("tries"),
    Column("at", Double, nullable=False),
    _int("took_ms"),
    Column("success", Boolean, nullable=False),
    _int("status_code", nullable=True),
    _text("message"),
    Index(None, "webhook_id", "id"),
    Index(None, "webhook_id", "number"),
    Index(None, "at"),
)
