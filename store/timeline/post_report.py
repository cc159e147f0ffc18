"""The timeline of a liveblog's posts: when each was said, seen, believed, committed and delivered, and whose time it was."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Connection

from mapping.fusion.source_chain import lead_changes
from mapping.rules.lateness import iso_instant, lateness, verdict, whose
from store.following import standbys, sync
from store.liveblogs.liveblogs import StoredGame
from store.timeline import timeline
from store.timeline.timeline import PostTime

POSTS = 200
"""Posts of a liveblog that are shown at once, those that were written last."""


def timeline_of(conn: Connection, game: StoredGame, post: str | None = None) -> dict[str, Any]:
    """The posts that the sync wrote, or one of them by its `local_id`; those written last come first."""
    steps: dict[str, list[PostTime]] = {}
    for time in reversed(timeline.times_of(conn, game.id, post)):
        steps.setdefault(time.local_id, []).insert(0, time)
    some = dict(list(steps.items())[:POSTS])
    since = min((time.answered_at for times in some.values() for time in times), default=0)
    taken = timeline.deliveries_of(conn, game.id, since) if some else []
    attachment = sync.attachment(conn, game.id)
    return {
        "provider": None if attachment is None else attachment.provider,
        "matchId": None if attachment is None else attachment.match_id,
        "leads": [] if attachment is None else _leads(conn, attachment),
        "posts": [_post(name, times, taken) for name, times in some.items()],
    }


def _leads(conn: Connection, attachment: sync.Attachment) -> list[dict[str, Any]]:
    """Who has led the match since when and why, as far as somebody else than its first source ever did."""
    beside = standbys.of_liveblog(conn, attachment.game_id)
    providers = [attachment.provider, *(each.provider for each in beside)]
    return [
        {
            "at": iso_instant(round(each.lead.since * 1000)),
            "provider": providers[each.place],
            "reason": each.lead.reason.value,
        }
        for each in lead_changes([row.known() for row in beside])
    ]


def _post(name: str, times: Sequence[PostTime], taken: Sequence[tuple[int, int]]) -> dict[str, Any]:
    steps = [step_of(time, taken) for time in times]
    return {"eventId": name, "whose": steps[0]["whose"], "late": steps[0]["late"], "steps": steps}


def step_of(time: PostTime, taken: Iterable[tuple[int, int]] = ()) -> dict[str, Any]:
    """One time that the sync wrote a post; `taken`: versions that a webhook receiver has taken, and when (milliseconds)."""
    found = lateness(
        said=time.said_at,
        unsaid=time.unsaid_at,
        answered=time.answered_at,
        believed=time.believed_at,
        committed=time.committed_at,
    )
    webhook = next((at for version, at in taken if version >= time.version), None)
    instants = {
        "said": time.said_at,
        "unsaid": time.unsaid_at,
        "answered": time.answered_at,
        "believed": time.believed_at,
        "committed": time.committed_at,
        "delivered": time.delivered_at,
        "webhook": webhook,
    }
    return {
        "what": time.what,
        "version": time.version,
        "at": {name: iso_instant(at) for name, at in instants.items()},
        "seconds": {
            "provider": found.provider,
            "betweenPolls": found.between,
            "confirmation": found.waited,
            "written": found.written,
            "total": found.total,
        },
        "whose": whose(found),
        "late": verdict(found),
        "answers": dict(time.answers),
    }
