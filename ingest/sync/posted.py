"""What has been posted of a match, in whatever liveblog: it counts as what was believed, where nothing else says that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from mapping.fusion.fused_match import SECOND_KEY
from mapping.posts.from_posts import StandingPost
from mapping.posts.reconcile import State
from store.following import ledger, sync

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import Connection


class Posted(NamedTuple):
    """The posts that stand, drafts too, and the scoreboard as the provider gave it last."""

    posts: tuple[StandingPost, ...]
    board: Mapping[str, Any]


def posted_of(conn: Connection, follow_id: str) -> Posted:
    """What stands of the match in the liveblogs on it, but what its standby reported first. Raises UnreadableRow."""
    posts: dict[str, StandingPost] = {}
    board: Mapping[str, Any] = {}
    for attachment in sync.attachments_of(conn, follow_id):
        rows = ledger.rows(conn, attachment.game_id)
        game = ledger.game_of(rows.pop(ledger.GAME_KEY, None))
        board = board or game.get("scoreboard") or {}
        for entry in map(ledger.entry_of, rows.values()):
            if entry.state is State.POSTED and not entry.key.startswith(SECOND_KEY):
                posts.setdefault(entry.key, StandingPost(key=entry.key, kind=entry.kind, document=entry.said))
    return Posted(tuple(posts.values()), board)
