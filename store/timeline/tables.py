"""The tables of the timeline: when each post of the sync came about, what was decided upon which answers. In milliseconds."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, ForeignKey, Index, Table

from store.engine.columns import Counter, integer, json, metadata, text

post_times = Table(
    "post_times",
    metadata,
    text("game_id", ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
    integer("version", primary_key=True, autoincrement=False),
    text("local_id", primary_key=True),
    text("what"),
    integer("said_at", nullable=True),
    integer("unsaid_at", nullable=True),
    integer("answered_at"),
    integer("believed_at"),
    integer("committed_at", nullable=True),
    integer("delivered_at", nullable=True),
    json("answers"),
    json("of_person", nullable=True),
    Index(None, "believed_at"),
)
"""A row for each time that the sync wrote a post, `what`: posted, corrected, withdrawn, …; `answers`: resource → digest.

`of_person`: the post as it stood until then, where a person had changed it.
"""

decisions = Table(
    "decisions",
    metadata,
    Column("id", Counter, primary_key=True, autoincrement=True),
    text("follow_id", ForeignKey("follows.id", ondelete="CASCADE")),
    integer("answered_at"),
    integer("believed_at"),
    integer("written_at"),  # the instant of the unit, in seconds
    Column("pending", Boolean, nullable=False),
    json("answers"),
    json("versions"),
    text("created"),
    json("health", nullable=True),
    Index(None, "follow_id", "id"),
    Index(None, "believed_at"),
    sqlite_autoincrement=True,
)
"""A row for each poll whose answers were decided upon, and for each time that the sources of a match were put together again.

`answers`: resource → outcome and digest; `versions`: `ticker_id` → the versions that the liveblog had and has; `pending`:
something waits for another answer; `created`: the `ticker_id` of the liveblog that was made of them, or nothing; `health`: how
the sources answered upon which was decided who leads, by the ids of their follows; NULL for a poll.
"""
