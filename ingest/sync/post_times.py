"""When the answers of one poll came and were believed, and what that says of each post that is written because of them."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from time import monotonic
from typing import Any

from ingest.sync.ledger_posts import LedgerPosts
from mapping.match.match import Match
from mapping.posts.merge import same
from mapping.posts.posts import TEXT
from mapping.posts.reconcile import Changes, Entry, State
from mapping.rules.public import post_is_public
from providers.base import Answer, Fetched, Known, Outcome
from store.engine.spans import Durations
from store.liveblogs.liveblogs import EventWrite, StoredEvent
from store.timeline.timeline import DIGEST, PostTime

LOOKS = 3
"""How often both clocks are read one after the other: a process may lose its turn in between."""
AS_A_WHOLE = frozenset({"score", "state", "shootout"})
"""Names of doubts about the match as a whole: what goes with them waited as long as they did."""
STATES = {State.WITHDRAWN: "withdrawn", State.DISALLOWED: "disallowed", State.GONE: "deleted"}


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


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerTimes:
    """When the answers of a poll were here and what they said was believed (milliseconds).

    `unsaid`: the answer before this one; `answered`: the last new answer about play; `text_answered`: the new answer with
    editorial text. `waited`: what waited for this answer, by its key → when an answer first said it, and when the one before
    that came. `standing`: resource → its outcome and the digest of the body that stands.
    """

    answered: int
    text_answered: int
    believed: int
    unsaid: int | None = None
    waited: Mapping[str, tuple[int, int | None]] = field(default_factory=dict)
    standing: Mapping[str, tuple[str, str]] = field(default_factory=dict)

    def first_said(self, entry: Entry, what: str) -> tuple[int, int | None]:
        """When the answer was here that first said what the entry says now, and when the one before it was."""
        if entry.key in self.waited:
            return self.waited[entry.key]
        came = (self.text_answered if entry.source == TEXT else self.answered, self.unsaid)
        if what not in {"withdrawn", "disallowed"}:
            return came
        return min([came, *(at for name, at in self.waited.items() if name in AS_A_WHOLE)], key=lambda each: each[0])


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


def post_times(
    times: AnswerTimes,
    match: Match,
    changes: Changes,
    before: LedgerPosts,
    writes: Sequence[EventWrite],
    *,
    game_id: str,
    version: int,
) -> list[PostTime]:
    """The timeline's rows of posts that are written now. `before`: the ledger until now."""
    entries = before.entries
    now = {entry.local_id: entry for entry in entries.values()} | {entry.local_id: entry for entry in changes.entries}
    digests = {name: digest for name, (_, digest) in times.standing.items()}
    said_at = _said_times(match, {now[write.local_id].key for write in writes})
    rows = []
    for write in writes:
        entry = now[write.local_id]
        earlier = entries.get(entry.key)
        what = _what(entry, earlier, before.events.get(write.local_id), write)
        said = said_at.get(entry.key)
        answered, unsaid = times.first_said(entry, what)
        rows.append(
            PostTime(
                game_id=game_id,
                version=version,
                local_id=write.local_id,
                what=what,
                said_at=None if said is None else said * 1000,
                unsaid_at=unsaid,
                answered_at=answered,
                believed_at=times.believed,
                answers=digests,
                of_person=_of_person(earlier, before, write.local_id),
            )
        )
    return rows


def _said_times(match: Match, keys: Container[str]) -> dict[str, int | None]:
    """Key of an incident or text → when the provider says that it happened; None where it does not, or we made it up."""
    incidents = {
        each.key: None if each.synthesised else each.created_at for each in match.incidents if each.key in keys
    }
    return incidents | {each.key: each.created_at for each in match.comments if each.key in keys}


def _of_person(earlier: Entry | None, before: LedgerPosts, local_id: str) -> dict[str, Any] | None:
    """The post that is overwritten, where it is not as the sync had left it."""
    stands = before.stored.get(local_id)
    if earlier is None or stands is None:
        return None
    if same(stands.document, earlier.said) and stands.local_status == earlier.said_status:
        return None
    event = before.events[local_id]
    return {"version": event.version, **asdict(event.rewritten(updated_at=event.updated_at))}


def _what(entry: Entry, earlier: Entry | None, before: StoredEvent | None, write: EventWrite) -> str:
    """What happens to the post, in a word."""
    if before is None:
        return "posted" if post_is_public(write.local_status, None) else "draft"
    was = None if earlier is None else earlier.state
    if entry.state in STATES and entry.state is not was:
        return STATES[entry.state]
    restored = entry.state is State.POSTED and was in {State.WITHDRAWN, State.DISALLOWED}
    return "restored" if restored else "corrected"
