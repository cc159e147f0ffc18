"""The tables of what stood before it was overwritten: each row says until when, and is kept as long as readers may be delayed.

Where several writes of a second overwrite the same record, the first one is kept alone: the others never stood at the end
of a second.
"""

from __future__ import annotations

from sqlalchemy import Column, ForeignKey, Index, Table

from store.engine.columns import Bytewise, integer, json, metadata, text

game_versions = Table(
    "game_versions",
    metadata,
    text("game_id", primary_key=True),
    integer("until", primary_key=True, autoincrement=False),
    integer("version"),
    integer("updated_at"),
    Index(None, "until"),
)
"""The version that a liveblog had from `updated_at` on."""

game_documents = Table(
    "game_documents",
    metadata,
    text("game_id", primary_key=True),
    integer("until", primary_key=True, autoincrement=False),
    text("local_id"),
    integer("local_status"),
    text("sportstype"),
    text("template_id"),
    text("title"),
    integer("starts_at", nullable=True),
    json("doc"),
    integer("previous_starts_at", nullable=True),
    Index(None, "until"),
)
"""What a liveblog said, without its events."""

event_history = Table(
    "event_history",
    metadata,
    text("game_id", primary_key=True),
    text("local_id", primary_key=True),
    integer("until", primary_key=True, autoincrement=False),
    integer("serial"),
    Column("sort", Bytewise, nullable=False),
    integer("local_status"),
    integer("created_at"),
    integer("updated_at"),
    integer("publish_at", nullable=True),
    integer("version"),
    text("user_id"),
    json("doc"),
    integer("written_at"),
    Index(None, "until"),
)
"""The event as it stood from `written_at` on."""

master_history = Table(
    "master_history",
    metadata,
    text("kind", primary_key=True),
    text("record_id", primary_key=True),
    integer("until", primary_key=True, autoincrement=False),
    json("doc"),
    Index(None, "until"),
)
"""A record of master data: `kind` is the name of its table, `doc` holds all of its columns."""

poll_history = Table(
    "poll_history",
    metadata,
    text("game_id", ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
    text("poll_id", primary_key=True),
    integer("until", primary_key=True, autoincrement=False),
    json("counts"),
    integer("changes"),
    integer("written_at"),
    Index(None, "until"),
)
"""The tally of a poll as it stood from `written_at` on, at most one a second."""
