"""For which version of each liveblog the public hub was pinged."""

from __future__ import annotations

from sqlalchemy import ForeignKey, Table

from store.engine.columns import integer, metadata, text

hub_pings = Table(
    "hub_pings",
    metadata,
    text("game_id", ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
    integer("version"),
)
