"""The table of subscriptions to feeds (WebSub)."""

from __future__ import annotations

from sqlalchemy import Column, Double, ForeignKey, Table, UniqueConstraint

from store.columns import integer, metadata, text

hub_subscriptions = Table(
    "hub_subscriptions",
    metadata,
    text("id", primary_key=True),
    text("topic"),
    text("callback"),
    text("callback_host", index=True),
    text("game_id", ForeignKey("games.id", ondelete="CASCADE"), index=True),
    text("secret", nullable=True),
    integer("until", nullable=True),  # the end of the lease; none before the subscriber has confirmed
    integer("version"),  # of the liveblog, that the subscriber has
    integer("failures"),
    Column("next_at", Double, nullable=False),
    text("requested", nullable=True),  # subscribe or unsubscribe, until the subscriber has confirmed
    text("requested_id", nullable=True),  # a later request takes the place of an earlier one
    text("requested_secret", nullable=True),
    integer("requested_lease", nullable=True),
    text("claim_id", nullable=True),
    Column("claimed_until", Double, nullable=False),
    integer("created_at"),
    UniqueConstraint("topic", "callback"),
)
