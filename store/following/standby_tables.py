"""The tables of matches that have two sources."""

from __future__ import annotations

from sqlalchemy import Column, Double, ForeignKey, LargeBinary, Table

from store.engine.columns import integer, metadata, text

standbys = Table(
    "standbys",
    metadata,
    text("game_id", ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
    text("follow_id", ForeignKey("follows.id"), index=True),
    text("pinned"),
    Column("state", LargeBinary),
    integer("edition"),
)
"""The source that stands by for a liveblog's match, as a follow of its own.

`pinned`: `first` or `second` where a person has chosen who leads; `state`: what is known of both (mapping.fusion.source_pair),
compressed JSON; `edition` counts its changes.
"""

source_health = Table(
    "source_health",
    metadata,
    text("follow_id", ForeignKey("follows.id", ondelete="CASCADE"), primary_key=True),
    Column("answered_at", Double, nullable=True),
    Column("poll_interval", Double, nullable=False),
    text("trouble"),
)
"""How a match of which there are two sources answers, as its process says every few seconds.

`answered_at`: its last good answer (Unix seconds); `poll_interval`: seconds between two polls; `trouble`: `refused`, `failing` or
nothing.
"""
