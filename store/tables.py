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
)

from store.codec import Json

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

outbox = Table(
    "outbox",
    metadata,
    Column("id", Counter, primary_key=True, autoincrement=True),
    _text("game_id"),
    _text("local_id"),
    _text("organization_id"),
    _int("version"),
    _int("at"),
    UniqueConstraint("game_id", "version"),
    sqlite_autoincrement=True,  # an id is never given twice: cursors point at them
)

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
    _text("owner", nullable=True),
    Column("lease_until", Double),
    _int("fence"),
    UniqueConstraint("endpoint", "match_id"),
    Index(None, "closed_at", "next_poll_at"),
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
    _int("missing"),
    _text("reason"),
    _json("written"),
)


def _master(name: str, *more: Column[Any]) -> Table:
    """Master data. `source`: '' for what people made, else the provider; `written`: what an import last set."""
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
