"""The tables of readers' polls: each reader's vote, the tally of each poll, and tallies before they were overwritten."""

from __future__ import annotations

from sqlalchemy import ForeignKey, Table

from store.engine.columns import integer, json, metadata, text
from store.engine.portable_table import StoredCapability, of_games
from store.liveblogs.history_tables import poll_history

poll_votes = Table(
    "poll_votes",
    metadata,
    text("game_id", ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
    text("poll_id", primary_key=True),
    text("reader_id", primary_key=True),
    json("options"),
    integer("voted_at"),
)
"""What a reader chose last; a poll's id is that of its block, and counts within its liveblog."""

poll_tallies = Table(
    "poll_tallies",
    metadata,
    text("game_id", ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
    text("poll_id", primary_key=True),
    json("counts"),
    integer("changes"),
    integer("written_at"),
)
"""Votes by option, of removed options too; `changes` counts the votes cast, changed and taken back."""

POLLS = StoredCapability(portable=(of_games(poll_votes), of_games(poll_tallies), of_games(poll_history)))
