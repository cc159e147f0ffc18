"""The tables of matches that have several sources."""

from __future__ import annotations

from sqlalchemy import Column, Double, ForeignKey, LargeBinary, Table

from store.engine.columns import integer, metadata, text

standbys = Table(
    "standbys",
    metadata,
    text("game_id", ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
    text("follow_id", ForeignKey("follows.id"), primary_key=True, index=True),
    integer("place"),
    text("pinned"),
    Column("state", LargeBinary),
    integer("edition"),
)
"""The sources that stand by for a liveblog's match, each as a follow of its own, in the order of `place`, from 1 on.

Each is the second source of a pair whose first one is what those before it say together (mapping.fusion.source_chain).
`pinned`: which of its pair leads as a person has chosen, `first` or `second`; `state`: what is known of the pair
(mapping.fusion.source_pair), compressed JSON; `edition` counts its changes.
"""

source_health = Table(
    "source_health",
    metadata,
    text("follow_id", ForeignKey("follows.id", ondelete="CASCADE"), primary_key=True),
    Column("answered_at", Double, nullable=True),
    Column("attentive_since", Double, nullable=False),
    Column("poll_interval", Double, nullable=False),
    text("trouble"),
)
"""How a match of which there are several sources answers, as its process says every few seconds.

`answered_at`: its last good answer (Unix seconds); `attentive_since`: since when its process could have had one;
`poll_interval`: seconds between two polls; `trouble`: `refused`, `failing` or nothing.
"""
