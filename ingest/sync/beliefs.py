"""What was believed of a match before an answer: as it is stored, or, where that is lost, by what has been posted."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sqlalchemy import Connection

from mapping.belief.confirm import ConfirmedMatch
from mapping.belief.doubts import identify
from mapping.errors import DownstreamRejected
from mapping.fusion.fused_match import SECOND_KEY
from mapping.match.identity import MatchIdentity, is_another
from mapping.match.match import Match
from mapping.posts.from_posts import StandingPost, belief_of_posts
from mapping.posts.reconcile import State
from store.engine.errors import UnreadableRow
from store.following import ledger, sync


class BeliefLost(Exception):
    """What was believed of the match cannot be read any more."""


@dataclass(frozen=True, slots=True)
class Before:
    """What was believed before, as it is stored; where that is lost, what has been posted counts."""

    packed: bytes | None
    posted: Posted | None = None

    def belief(self, answer: Match) -> ConfirmedMatch | None:
        """What the answer is compared with. Raises BeliefLost."""
        if self.posted is not None:
            return belief_of_posts(answer, self.posted.posts, self.posted.board)
        try:
            return sync.unpacked_belief(self.packed or b"")
        except UnreadableRow as error:
            raise BeliefLost from error


@dataclass(slots=True)
class Lately:
    """The matches that were believed lately, as short digests: two caches by turns bring nothing new."""

    seen: deque[str] = field(default_factory=lambda: deque(maxlen=8))

    def adds(self, before: ConfirmedMatch | None, after: ConfirmedMatch) -> bool:
        """Whether the match is not as it was lately; it is from now on."""
        if before is not None and before.match == after.match:
            return False
        digest = identify(after.match)
        known = digest in self.seen
        if not known:
            self.seen.append(digest)
        return not known


def check_same(before: ConfirmedMatch | None, answer: Match) -> None:
    """Raise DownstreamRejected where the answer is about another match than the one that is believed."""
    if before is not None and is_another(MatchIdentity.of(before.match), MatchIdentity.of(answer)):
        raise DownstreamRejected("the provider gives another match under this id")


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
