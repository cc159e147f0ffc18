"""The state of a post as editors see it, why it is not public, and the filters of their list."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from mapping.documents.scalars import post_is_public
from mapping.locales import msgid
from mapping.posts.reconcile import WAITS, Entry, State


class PostState(NamedTuple):
    """`word`: the state in one word; `reason`: why, None where there is nothing to say. `kind`: its name in the page."""

    kind: str
    word: str
    reason: str | None = None


def post_state(
    local_status: int, publish_at: int | None, entry: Entry | None, *, editorial: bool, edited: bool
) -> PostState:
    """The state of a post that is not deleted.

    `entry`: its line of the ledger, None for one that people wrote. `editorial`: the liveblog publishes nothing by itself.
    `edited`: a person has changed the post.
    """
    if post_is_public(local_status, None) and publish_at is not None:
        return PostState("scheduled", msgid("Scheduled"))
    if post_is_public(local_status, publish_at):
        taken = entry is not None and entry.state is State.DISALLOWED
        return PostState(
            "published",
            msgid("Published"),
            msgid("the provider has taken the goal back, and the post says so") if taken else None,
        )
    if entry is None:
        return PostState(
            "draft", msgid("Draft"), msgid("kept back by a person") if edited else msgid("written as a draft")
        )
    return _of_provider(entry, editorial=editorial, edited=edited)


def _of_provider(entry: Entry, *, editorial: bool, edited: bool) -> PostState:
    if entry.state is State.WITHDRAWN:
        return PostState("withdrawn", msgid("Withdrawn"), msgid("the provider has taken it back"))
    if entry.said_status is not None and post_is_public(entry.said_status, None) and not editorial:
        return PostState("withdrawn", msgid("Withdrawn"), msgid("taken back by a person"))
    reason = (
        msgid("this liveblog publishes nothing by itself: it waits for you")
        if editorial
        else _of_draft(entry, edited=edited)
    )
    return PostState("draft", msgid("Draft"), reason)


def _of_draft(entry: Entry, *, edited: bool) -> str:
    """Why the sync has left it a draft, where the liveblog publishes by itself."""
    if entry.reason == WAITS and not entry.by_person:
        return msgid("one source alone has it: it is published by itself once the other one has it too, or soon after")
    return msgid("taken back by a person") if edited else msgid("this kind of event is not posted automatically")


class PostFilter(StrEnum):
    """A filter of the desk; its value stands in addresses."""

    ALL = "all"
    DRAFTS = "drafts"
    SCHEDULED = "scheduled"
    CHANGED = "changed"
    """Withdrawn or corrected, by the provider or by a person."""
    MINE = "mine"
    """Written or changed by the person who looks."""
