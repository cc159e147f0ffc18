"""`matchwire explain LIVEBLOG POST`: when a post came about, step by step, and whose time it was."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from mapping.errors import NotFound
from store.liveblogs import liveblogs
from store.timeline.post_report import timeline_of

STEPS = (
    ("said", "the provider says it happened"),
    ("unsaid", "the last answer that did not say it yet"),
    ("answered", "the answer came that said it first"),
    ("believed", "it counted"),
    ("committed", "it was committed: readers could have it"),
    ("delivered", "the first frame of a stream with it was sent"),
    ("webhook", "the first webhook receiver took it"),
)


def explain_post(conn: Connection, liveblog: str, post: str) -> dict[str, Any]:
    """The timeline of one post. Raises NotFound for a liveblog or post that is not there."""
    game = liveblogs.require_game(conn, liveblog)
    event = liveblogs.event(conn, post)
    if event is None or event.game_id != game.id:
        raise NotFound(f"the liveblog {game.local_id} has no post {post}")
    found = timeline_of(conn, game, post)
    return {"liveblog": game.local_id, "title": game.title, **found}


def lines_of(found: Mapping[str, Any]) -> Iterator[str]:
    """The same for people: a line for each instant, with the seconds since the one before."""
    yield f"{found['title']} ({found['liveblog']})"
    for post in found["posts"]:
        yield f"{post['eventId']}: {post['late']}"
        for step in post["steps"]:
            yield f"  {step['what']} in version {step['version']}"
            yield from _instants(step)
    if not found["posts"]:
        yield "No timeline: a person wrote the post, or the sync did so more than 30 days ago."


def _instants(step: Mapping[str, Any]) -> Iterator[str]:
    before: datetime | None = None
    for name, meaning in STEPS:
        at = step["at"].get(name)
        instant = None if at is None else datetime.fromisoformat(at)
        since = "" if before is None or instant is None else f"{(instant - before).total_seconds():+.3f} s"
        yield f"    {at or '–':<24}  {since:>12}  {meaning}"
        before = instant or before
    answers = ", ".join(f"{resource} {digest}" for resource, digest in sorted(step["answers"].items()))
    yield f"    on these answers: {answers or 'none known'}"
