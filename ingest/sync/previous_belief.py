"""What was believed of a match before the new answer: as it is stored or, where that is lost, as its posts say.

A match that is larger than it may be is a fault of the provider's, and the last good snapshot stands.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from sqlalchemy import Connection

from config.sections import Limits
from ingest.sync.followed_match import FollowedMatch
from ingest.sync.snapshot import Snapshot
from mapping.belief.belief import ConfirmedMatch
from mapping.belief.confirm import confirm_answer
from mapping.belief.doubts import by_name
from mapping.belief.match_course import is_before_start
from mapping.errors import BadBody, DownstreamRejected
from mapping.fusion.fused_match import SECOND_KEY
from mapping.match.identity import MatchIdentity, is_another
from mapping.match.match import Match, Part
from mapping.posts.belief_from_posts import StandingPost, belief_of_posts, with_posts_alone
from mapping.posts.reconcile import State
from providers.base import Answer, Fetched, Outcome, ProviderAdapter
from store.engine.errors import UnreadableRow
from store.following import follow_rows, ledger


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
            return follow_rows.unpacked_belief(self.packed or b"")
        except UnreadableRow as error:
            raise BeliefLost from error


class Posted(NamedTuple):
    """The posts that stand, drafts too, and the scoreboard as the provider gave it last."""

    posts: tuple[StandingPost, ...]
    board: Mapping[str, Any]


def posted_of(conn: Connection, follow_id: str) -> Posted:
    """What stands of the match in the liveblogs on it, but what its standby reported first. Raises UnreadableRow."""
    posts: dict[str, StandingPost] = {}
    board: Mapping[str, Any] = {}
    for attachment in follow_rows.attachments_of(conn, follow_id):
        rows = ledger.rows(conn, attachment.game_id)
        game = ledger.game_of(rows.pop(ledger.GAME_KEY, None))
        board = board or game.get("scoreboard") or {}
        for entry in map(ledger.entry_of, rows.values()):
            if entry.state is State.POSTED and not entry.key.startswith(SECOND_KEY):
                posts.setdefault(entry.key, StandingPost(key=entry.key, kind=entry.kind, document=entry.said))
    return Posted(tuple(posts.values()), board)


def within(limits: Limits, fetched: Fetched) -> Fetched:
    """The answers; those with too many rows have failed."""
    most = limits.provider_rows

    def checked(answer: Answer) -> Answer:
        if answer.outcome is not Outcome.CHANGED or answer.rows <= most:
            return answer
        error = BadBody(f"{answer.resource}: {answer.rows} rows are more than limits.provider_rows = {most} allows")
        return replace(answer, outcome=Outcome.FAILED, error=error, body=None)

    return replace(fetched, answers=tuple(map(checked, fetched.answers)))


def check(limits: Limits, match: Match) -> None:
    """Raise DownstreamRejected for a match that is larger than it may be."""
    rows, people = rows_of(match), people_of(match)
    if rows > limits.match_rows:
        raise DownstreamRejected(
            f"the match has {rows} incidents, comments and results, more than limits.match_rows = {limits.match_rows} allows"
        )
    if people > limits.match_people:
        raise DownstreamRejected(
            f"the match has {people} people, more than limits.match_people = {limits.match_people} allows"
        )


def rows_of(match: Match) -> int:
    """Incidents, comments and results."""
    return len(match.incidents) + len(match.comments) + len(match.periods)


def people_of(match: Match) -> int:
    """Everybody in squads and rankings, who is both counted twice."""
    placed = () if match.race is None else match.race.ranking
    return sum(len(side.lineup) + len(side.bench) for side in match.sides) + len(placed)


def believe(  # noqa: PLR0917 -- what a belief is made of
    adapter: ProviderAdapter,
    limits: Limits,
    match: FollowedMatch,
    stored: Mapping[str, bytes],
    fetched: Fetched,
    before: Before,
    *,
    closing: bool,
) -> Snapshot:
    """What is believed of the match, of stored and new bodies. Raises BeliefLost where it is not known what was before."""
    changed = {answer.resource: answer.body for answer in fetched.changed if answer.body is not None}
    kept = follow_rows.unpack_bodies({name: body for name, body in stored.items() if name not in changed})
    translated = adapter.translate(match.match_id, kept | changed)
    check(limits, translated)
    known = before.belief(translated)
    if known is not None and is_another(MatchIdentity.of(known.match), MatchIdentity.of(translated)):
        raise DownstreamRejected("the provider gives another match under this id")
    good = confirmed_parts(fetched, adapter, translated)
    belief = confirm_answer(known, translated, good=good, closing=closing)
    belief = with_posts_alone(known, belief, translated)
    after = follow_rows.packed_belief(belief)
    differs = after != before.packed
    failed = any(answer.resource != adapter.text_resource for answer in fetched.failed)  # the next poll may bring it
    return Snapshot(
        match=belief.match,
        doubted=frozenset(by_name(belief.doubted)),
        pending=bool(belief.doubted) or (belief.unconfirmed and failed),
        changed=bool(changed) and differs and match.lately.adds(known, belief),
        belief=after if differs else None,
        set_again=belief.memory.earlier is not None and is_before_start(belief.match),
        packed={name: follow_rows.pack_body(body) for name, body in changed.items()},
        answers=fetched.everything,
        hints=fetched.hints,
    )


def confirmed_parts(fetched: Fetched, adapter: ProviderAdapter, match: Match) -> frozenset[Part]:
    """The parts of the match that this poll confirms: those of which all resources that carry them answered well.

    An answer that blocks withdrawals (mapping.match.match.Fault) confirms nothing: what was posted stays.
    """
    bad = match.withdrawal_blocked.union(answer.resource for answer in fetched.failed)
    answered = frozenset(answer.resource for answer in fetched.answers)
    text = frozenset(filter(None, [adapter.text_resource]))
    carried_by = {**dict.fromkeys(Part, answered - text), **adapter.carried_by, Part.TEXT: text}
    return frozenset(
        part for part, carriers in carried_by.items() if carriers & answered and not carriers & answered & bad
    )
