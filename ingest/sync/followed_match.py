"""A match that this process follows: its state in memory, how it is taken up, and until when it may be polled.

Also kept is when its answers came, and what of them waits to become a post.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from time import monotonic
from typing import Any, NamedTuple

from sqlalchemy import Connection

from ingest.sync.snapshot import AnswerTimes, CachedInputs
from mapping.belief.belief import ConfirmedMatch
from mapping.belief.doubts import identify
from mapping.documents.import_options import ImportOptions
from mapping.errors import MatchUnknown, ProviderRefused, ServiceError
from mapping.match.match import Status
from mapping.rules import pacing
from providers.base import Answer, Fetched, Known, Outcome
from store.engine.errors import UnreadableRow
from store.engine.spans import Durations
from store.following import follow_rows, standbys
from store.timeline.timeline import DIGEST, PostTime


def everybody(_endpoint: str, _organization_id: str) -> bool:
    """Every organization has every endpoint."""
    return True


def given_endpoints(endpoints: AbstractSet[tuple[str, str]]) -> Callable[[str, str], bool]:
    """Whether an organization has an endpoint, by the pairs of endpoint and organization that there are."""
    return lambda endpoint, organization_id: (endpoint, organization_id) in endpoints


LOOKS = 3
"""How often both clocks are read one after the other: a process may lose its turn in between."""


def steady() -> float:
    """Seconds that only grow, and, where the system counts it, also while the machine sleeps."""
    clock: int = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
    return time.clock_gettime(clock)


@dataclass(slots=True)
class Lease:
    """Until when this process may poll the matches that it has leased; checked before every poll."""

    steady: Callable[[], float] = steady
    until: float = field(default=float("-inf"), init=False)

    def __call__(self) -> bool:
        return self.steady() < self.until


class Arrival:
    """A poll's answers are here. Instants are Unix milliseconds by the steady clock: a wall clock that is set makes none longer.

    `fetched_at`: when all answers were here (monotonic); `first`: nothing was known of the match.
    """

    def __init__(self, clock: Callable[[], float], *, first: bool = False) -> None:
        """`clock` gives Unix seconds."""
        self.fetched_at = monotonic()
        self.first = first
        self._ahead = max(clock() - monotonic() for _ in range(LOOKS))

    def at(self, steady: float) -> int:
        """The instant that was `steady` by `time.monotonic`."""
        return round((steady + self._ahead) * 1000)

    def now(self) -> int:
        """The present instant."""
        return self.at(monotonic())


@dataclass(slots=True)
class WaitingAnswers:
    """What of a match's answers has not become a post yet, and since when: it waits for another answer, or for the store.

    `answered_at`: when the last good answers were here; all times are milliseconds.
    """

    answered_at: int | None = None
    doubted: dict[str, tuple[int, int | None]] = field(default_factory=dict)
    unwritten: tuple[int, int | None] | None = None

    def times(self, arrival: Arrival, fetched: Fetched, *, text: str | None, known: Mapping[str, Known]) -> AnswerTimes:
        """The times of these answers, which are believed now; until they are `written`, what they say waits since then.

        Where an adapter does not say of each answer when it came, all of them came when the last one did.
        """
        new = {
            each.resource: arrival.fetched_at if each.received is None else each.received for each in fetched.changed
        }
        of_play = [at for name, at in new.items() if name != text]
        answered = arrival.at(max(of_play or [*new.values()] or [arrival.fetched_at]))
        text_answered = arrival.at(new[text]) if text in new else answered
        self.unwritten = self.unwritten or (answered, self.answered_at)
        first, unsaid = self.unwritten
        return AnswerTimes(
            answered=min(first, answered),
            text_answered=text_answered if first == answered else min(first, text_answered),
            believed=arrival.now(),
            unsaid=unsaid,
            waited=self.doubted,
            standing={each.resource: (each.outcome.value, _digest(each, known)) for each in fetched.answers},
        )

    def written(self, times: AnswerTimes, doubted: Iterable[str]) -> None:
        """What the answers said is written, except what is in doubt."""
        self.unwritten = None
        self.doubted = {name: self.doubted.get(name, (times.answered, times.unsaid)) for name in doubted}


@dataclass(slots=True)
class PostDelays:
    """How late new posts were: from the provider's own time to the answer that said it, and from that to the commit."""

    seen: Durations = field(default_factory=Durations)
    committed: Durations = field(default_factory=Durations)

    def add(self, time: PostTime, committed_at: int) -> None:
        """Count a post that was new; times are milliseconds."""
        if time.said_at is not None:
            self.seen.observe((time.answered_at - time.said_at) / 1000)
        self.committed.observe((committed_at - time.answered_at) / 1000)

    def report(self) -> dict[str, Any]:
        """The percentiles, None for those of nothing."""
        return {"saidToSeen": self.seen.percentiles(), "seenToCommitted": self.committed.percentiles()}


def _digest(answer: Answer, known: Mapping[str, Known]) -> str:
    """The name of the body that stands after the answer."""
    before = known.get(answer.resource)
    stands = answer.digest if answer.outcome is Outcome.CHANGED else None if before is None else before.digest
    return (stands or "")[:DIGEST]


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


@dataclass(slots=True)
class FollowedMatch:
    """What a process keeps in memory of a match that it follows. Times are Unix seconds, `due` is monotonic."""

    id: str
    match_id: str
    endpoint: str
    text: bool
    known: dict[str, Known]
    hints: Mapping[str, str]
    status: Status
    kickoff: int | None
    changed_at: float | None = None
    """When an answer last brought something new."""
    pending: bool = False
    failures: int = 0
    logged: bool = False
    """That it fails has been logged."""
    bad: set[str] = field(default_factory=set)
    """Resources whose last answer was bad."""
    good_at: float | None = None
    polls: int = 0
    silent: bool = False
    afresh: bool = False
    """Another liveblog joined: the next poll fetches everything, whatever is known."""
    cached: Mapping[str, CachedInputs] = field(default_factory=dict)
    """Its liveblogs as the last unit left them, by `ticker_id`."""
    beside: Mapping[str, CachedInputs] = field(default_factory=dict)
    """The same of liveblogs on matches for which it stands by, and of its own where another source was the reason."""
    paired: bool = False
    """Another source stands by for one of its liveblogs."""
    supports: bool = False
    """It stands by for another match."""
    stretch: float = 1.0
    """By how much its intervals are longer than those of others: it stands by alone, and is not needed."""
    refused: bool = False
    """The provider does not take the credentials."""
    unreadable: UnreadableRow | None = None
    """What of its resources could not be read when it was taken up."""
    squads: int | None = None
    """What the people are made of that were imported last, where there are very many (a hash)."""
    failed: Mapping[str, str] = field(default_factory=dict)
    """Liveblogs that the last poll could not bring in line, by `ticker_id`, and why."""
    left_out: Mapping[str, str] = field(default_factory=dict)
    """Those of which that was logged."""
    lost_in: int | None = None
    """The outage of the store in which the match could not be written last."""
    relapses: int = 0
    """How many outages in a row have hit it."""
    again: float = math.inf
    """When those are tried again, whatever the provider answers (monotonic)."""
    busy: bool = False
    hurried: bool = False
    """It was just taken up and is polled soon; the poll after that finds its place in the interval."""
    due: float = 0.0
    fence: int = 0
    """The lease under which this process writes for the match."""
    joined: int = 0
    """How many liveblogs had joined when it was last looked at afresh."""
    set_again: bool = False
    """It waits for another try: no list is missed when it comes without any row."""
    unknown_since: float | None = None
    """Since when the provider says that there is no such match."""
    lately: Lately = field(default_factory=Lately)
    waiting: WaitingAnswers = field(default_factory=WaitingAnswers)
    delays: PostDelays = field(default_factory=PostDelays)

    def joined_by(self, stored: StoredMatch, fence: int, *, afresh: bool) -> None:
        """Go on under this lease with the liveblogs and sources that have joined; `afresh`: fetch everything."""
        self.afresh = self.afresh or afresh or self.joined != stored.row.joined
        self.text, self.fence, self.joined = stored.text, fence, stored.row.joined
        self.paired, self.supports = stored.paired, stored.supports

    def failed_with(self, error: ServiceError, now: float) -> None:
        """Note since when the provider says that there is no such match, and whether it takes the credentials."""
        self.refused = isinstance(error, ProviderRefused)
        unknown = isinstance(error, MatchUnknown)
        self.unknown_since = (now if self.unknown_since is None else self.unknown_since) if unknown else None

    def given_up(self, now: float, window: float) -> bool:
        """Whether the provider has said for all of that time (seconds) that there is no such match."""
        return self.unknown_since is not None and now - self.unknown_since >= window

    def clock_set(self, seconds: float) -> None:
        """The wall clock was set by so many seconds: what is known gets neither older nor younger by that."""
        self.good_at = None if self.good_at is None else self.good_at + seconds
        self.changed_at = None if self.changed_at is None else self.changed_at + seconds


def take_up(stored: StoredMatch) -> FollowedMatch:
    """A match as the store left it, to be taken up. Raises UnreadableRow.

    One that stands by is applied at once: those for whose liveblogs it does may not have had it until now.
    """
    row, resources = stored.row, stored.resources
    known: dict[str, Known] = {}
    unreadable: UnreadableRow | None = None
    for name, each in resources.items():
        try:
            follow_rows.check_resource(each)
        except UnreadableRow as error:  # it is fetched as if nothing were known of it, and written anew
            unreadable = error
        else:
            known[name] = Known(etag=each.etag, digest=each.digest, rows=each.rows)
    return FollowedMatch(
        id=row.id,
        match_id=row.match_id,
        endpoint=row.endpoint,
        text=stored.text,
        known=known,
        hints=row.hints,
        status=follow_rows.status_of(row),
        kickoff=row.kickoff,
        changed_at=row.changed_at,
        pending=bool(row.pending),
        bad={name for name, each in resources.items() if each.failures},
        good_at=row.good_at,
        fence=row.fence,
        joined=row.joined,
        unreadable=unreadable,
        hurried=True,
        again=0.0 if stored.supports else math.inf,
    )


class StoredMatch(NamedTuple):
    """A match as the store has it: whether any of its liveblogs wants text or has a standby, and whether it stands by itself.

    `needed`: it has liveblogs, or stands by for one, of organizations that have its endpoint.
    """

    row: follow_rows.FollowRow
    resources: dict[str, follow_rows.ResourceRow]
    text: bool
    paired: bool
    supports: bool
    needed: bool


def load(conn: Connection, follow_id: str, serves: Callable[[str, str], bool] = everybody) -> StoredMatch:
    """The match with its resources. Raises LookupError for no such match.

    `serves`: whether an endpoint is one that an organization has.
    """
    row = follow_rows.follow(conn, follow_id)
    if row is None:
        raise LookupError(follow_id)
    serves_here = partial(serves, row.endpoint)
    liveblogs = [each for each in follow_rows.attachments_of(conn, follow_id) if serves_here(each.organization_id)]
    supports = bool(standbys.supported_by(conn, follow_id, serves_here))
    return StoredMatch(
        row,
        follow_rows.resources(conn, follow_id),
        text=any(terms.text for terms in readable_terms(liveblogs)),
        paired=any(each.supported for each in liveblogs),
        supports=supports,
        needed=supports or bool(liveblogs),
    )


def readable_terms(liveblogs: Iterable[follow_rows.Attachment]) -> set[ImportOptions]:
    """On which terms these are; those that cannot be read are left out when the match is applied."""
    found: set[ImportOptions] = set()
    for each in liveblogs:
        with suppress(UnreadableRow):
            found.add(follow_rows.terms_of(each))
    return found


def interval(match: FollowedMatch, pace: pacing.PollIntervals, now: float, clock_set: float) -> float | None:
    """Seconds between two polls of the match as it is: the fewest by the wall clock as it is, and as it was at the start.

    None where it is over, or the provider has not known it for long. `clock_set`: by how many seconds the clock was set since.
    """
    if match.given_up(now, pace.after_window):
        return None
    waits = [
        pacing.interval(
            pace,
            match.status,
            now=now - moved,
            kickoff=match.kickoff,
            changed_at=None if match.changed_at is None else match.changed_at - moved,
            pending=match.pending,
        )
        for moved in {0.0, clock_set}
    ]
    return min((wait * match.stretch for wait in waits if wait is not None), default=None)
