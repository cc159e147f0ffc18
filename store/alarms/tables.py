"""The table of alarms."""

from __future__ import annotations

from sqlalchemy import Column, Double, Index, Table, UniqueConstraint

from store.engine.columns import integer, json, metadata, text

alarms = Table(
    "alarms",
    metadata,
    text("id", primary_key=True),
    text("kind"),
    text("name"),  # what it is about, among those of its kind
    text("open_name", nullable=True),  # the name as long as it lasts, then null
    text("message"),
    json("details"),
    Column("began_at", Double, nullable=False),
    Column("seen_at", Double, nullable=False),
    Column("ended_at", Double),
    text("announced", nullable=True),  # the state that the configured address has taken: began or ended
    Column("try_at", Double, nullable=False),
    integer("tries"),
    Index(None, "ended_at"),
    UniqueConstraint("kind", "open_name"),  # what is wrong is wrong once, whichever processes see it
)
