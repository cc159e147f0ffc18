"""What was believed of a match before an answer: as it is stored, or, where that is lost, by what has been posted.

A match that is larger than it may be is a fault of the provider's, and the last good snapshot stands.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from sqlalchemy import Connection

from config.sections import Limits
from mapping.belief.confirm import ConfirmedMatch
from mapping.belief.doubts import identify
from mapping.errors import BadBody, DownstreamRejected
from mapping.fusion.fused_match import SECOND_KEY
from mapping.match.identity import MatchIdentity, is_another
from mapping.match.match import Match
from mapping.posts.from_posts import StandingPost, belief_of_posts
from mapping.posts.reconcile import State
from providers.base import Answer, Fetched, Outcome
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


def within(limits: Limits, fetched: Fetched) -> Fetched:
    """The answers; those with too many rows have failed."""
    if all(answer.rows <= limits.provider_rows for answer in fetched.changed):
        return fetched
    return replace(fetched, answers=tuple(_checked(limits, answer) for answer in fetched.answers))


def _checked(limits: Limits, answer: Answer) -> Answer:
    if answer.outcome is not Outcome.CHANGED or answer.rows <= limits.provider_rows:
        return answer
    error = BadBody(
        f"{answer.resource}: {answer.rows} rows are more than limits.provider_rows = {limits.provider_rows} allows"
    )
    return replace(answer, outcome=Outcome.FAILED, error=error, body=None)


def check(limits: Limits, match: Match) -> None:
    """Raise DownstreamRejected for a match that is larger than it may be."""
    for name, size, most in (
        ("match_rows", rows_of(match), limits.match_rows),
        ("match_people", people_of(match), limits.match_people),
    ):
        if size > most:
            raise DownstreamRejected(f"the match has {size} {SAID[name]}, more than limits.{name} = {most} allows")


SAID = {"match_rows": "incidents, comments and results", "match_people": "people"}


def rows_of(match: Match) -> int:
    """Incidents, comments and results."""
    return len(match.incidents) + len(match.comments) + len(match.periods)


def people_of(match: Match) -> int:
    """Everybody in squads and rankings, who is both counted twice."""
    placed = () if match.race is None else match.race.ranking
    return sum(len(side.lineup) + len(side.bench) for side in match.sides) + len(placed)
