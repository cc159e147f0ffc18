"""What a post is to those who write the liveblog, why it is not public, and which posts they list."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from mapping.desk.liveblog_text import LiveblogText
from mapping.documents.scalars import post_is_public
from mapping.posts.reconcile import WAITS, Entry, State


class PostState(NamedTuple):
    """`word`: the state in one word; `reason`: why, None where there is nothing to say. `kind`: its name in the page."""

    kind: str
    word: LiveblogText
    reason: LiveblogText | None = None


def post_state(
    local_status: int, publish_at: int | None, entry: Entry | None, *, editorial: bool, edited: bool
) -> PostState:
    """The state of a post that is not deleted.

    `entry`: its line of the ledger, None for one that people wrote. `editorial`: the liveblog publishes nothing by itself.
    `edited`: a person has changed the post.
    """
    if post_is_public(local_status, None) and publish_at is not None:
        return PostState("scheduled", LiveblogText.SCHEDULED)
    if post_is_public(local_status, publish_at):
        taken = entry is not None and entry.state is State.DISALLOWED
        return PostState("published", LiveblogText.PUBLISHED, LiveblogText.NOTE_LEFT if taken else None)
    if entry is None:
        return PostState("draft", LiveblogText.DRAFT, LiveblogText.KEPT_BACK if edited else LiveblogText.OWN_DRAFT)
    return _of_provider(entry, editorial=editorial, edited=edited)


def _of_provider(entry: Entry, *, editorial: bool, edited: bool) -> PostState:
    if entry.state is State.WITHDRAWN:
        return PostState("withdrawn", LiveblogText.WITHDRAWN, LiveblogText.WITHDRAWN_BY_PROVIDER)
    if entry.said_status is not None and post_is_public(entry.said_status, None) and not editorial:
        return PostState("withdrawn", LiveblogText.WITHDRAWN, LiveblogText.TAKEN_BACK)
    reason = LiveblogText.EDITORIAL if editorial else _of_draft(entry, edited=edited)
    return PostState("draft", LiveblogText.DRAFT, reason)


def _of_draft(entry: Entry, *, edited: bool) -> LiveblogText:
    """Why the sync has left it a draft, where the liveblog publishes by itself."""
    if entry.reason == WAITS and not entry.by_person:
        return LiveblogText.OTHER_SOURCE
    return LiveblogText.TAKEN_BACK if edited else LiveblogText.NOT_AUTOMATIC


class PostFilter(StrEnum):
    """A filter of the desk; its value stands in addresses."""

    ALL = "all"
    DRAFTS = "drafts"
    SCHEDULED = "scheduled"
    CHANGED = "changed"
    """Withdrawn or corrected, by the provider or by a person."""
    MINE = "mine"
    """Written or changed by the person who looks."""
