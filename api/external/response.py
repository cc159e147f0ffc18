"""The response of createFromExternal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from api.references import decorate
from mapping.errors import NotFound
from mapping.terms import Terms
from store import liveblogs, sync

if TYPE_CHECKING:
    from sqlalchemy import Connection


def external_response(conn: Connection, game_id: str) -> dict[str, Any]:
    """The decorated liveblog, and `external`: its match, the terms of the request, and the health of the feed.

    Raises NotFound for a liveblog that is attached to no match.
    """
    attachment = sync.attachment(conn, game_id)
    follow = None if attachment is None else sync.follow(conn, attachment.follow_id)
    if attachment is None or follow is None:
        raise NotFound("the liveblog is not attached to a match")
    terms = Terms.from_dict(attachment.terms)
    external = {
        "provider": attachment.provider,
        "selector": {f"{attachment.selector['kind']}Id": attachment.selector["id"], "matchId": attachment.match_id},
        "autoPost": {
            "enabled": terms.auto_post,
            "excludeScoreboard": terms.exclude_scoreboard,
            "excludeEvents": sorted(terms.exclude_events),
            "includeTextContent": terms.text,
        },
        "status": follow.status,
        "feedHealth": {
            name: {
                "lastGood": row.good_at,
                "lastChange": row.changed_at,
                "failures": row.failures,
                "skipped": len(row.faults),
            }
            for name, row in sync.resources(conn, follow.id).items()
        },
    }
    return {**decorate(conn, liveblogs.require_game(conn, game_id)), "external": external}
