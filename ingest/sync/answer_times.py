"""When the answers of one poll came and were believed, and what that says of each post that is written because of them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from mapping.posts.posts import TEXT
from providers.base import Outcome
from store.timeline.timeline import DIGEST, Decision

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from mapping.posts.reconcile import Entry
    from providers.base import Answer, Fetched, Known

LOOKS = 4
TOGETHER = 0.001
"""Seconds within which both clocks are read; a process that lost its turn in between looks again, `LOOKS` times at most."""
AS_A_WHOLE = frozenset({"score", "state", "shootout"})
"""Names of doubts about the match as a whole: what goes with them waited as long as they did."""


class Instants:
    """Instants of one poll in Unix milliseconds, by the steady clock: a wall clock that is set makes none of them longer."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """`clock` gives Unix seconds."""
        for _ in range(LOOKS):
            before, self._wall, after = monotonic(), clock(), monotonic()
            if after - before < TOGETHER:
                break
        self._steady = (before + after) / 2

    def at(self, steady: float) -> int:
        """The instant that was `steady` by `time.monotonic`."""
        return round((self._wall + steady - self._steady) * 1000)

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

    def decision(
        self,
        follow_id: str,
        *,
        written_at: int,
        pending: bool,
        versions: Mapping[str, tuple[int, ...]],
        created: str = "",
    ) -> Decision:
        """What was decided upon these answers; `created`: the `ticker_id` of the liveblog that was made of them."""
        return Decision(
            follow_id=follow_id,
            answered_at=self.answered,
            believed_at=self.believed,
            written_at=written_at,
            pending=pending,
            answers={name: list(each) for name, each in self.standing.items()},
            versions={name: list(each) for name, each in versions.items()},
            created=created,
        )


class Arrival(NamedTuple):
    """A poll's answers are here: its instants, when all were here (monotonic), and whether nothing was known of the match."""

    instants: Instants
    fetched_at: float
    first: bool = False


@dataclass(slots=True)
class WaitingAnswers:
    """What of a match's answers has not become a post yet, and since when: it waits for another answer, or for the store.

    `answered_at`: when the last good answers were here; all times are milliseconds.
    """

    answered_at: int | None = None
    doubted: dict[str, tuple[int, int | None]] = field(default_factory=dict)
    unwritten: tuple[int, int | None] | None = None

    def times(self, arrival: Arrival, fetched: Fetched, *, text: str | None, known: Mapping[str, Known]) -> AnswerTimes:
        """The times of these answers, which are believed now; until they are `written`, what they say waits since then."""
        came = times_of(arrival, fetched, text=text, known=known)
        first, unsaid = self.unwritten or (came.answered, self.answered_at)
        self.unwritten = (first, unsaid)
        return replace(
            came,
            answered=min(first, came.answered),
            text_answered=came.text_answered if first == came.answered else min(first, came.text_answered),
            believed=arrival.instants.now(),
            unsaid=unsaid,
            waited=self.doubted,
        )

    def written(self, times: AnswerTimes, doubted: Iterable[str]) -> None:
        """What the answers said is written, except what is in doubt."""
        self.unwritten = None
        self.doubted = {name: self.doubted.get(name, (times.answered, times.unsaid)) for name in doubted}


def times_of(arrival: Arrival, fetched: Fetched, *, text: str | None, known: Mapping[str, Known]) -> AnswerTimes:
    """When these answers came; where an adapter does not say it of each, all of them when the last one did."""
    instants, fetched_at, _ = arrival
    new = {each.resource: _came(each, fetched_at) for each in fetched.changed}
    of_play = [at for name, at in new.items() if name != text]
    answered = instants.at(max(of_play or [*new.values()] or [fetched_at]))
    standing = {each.resource: (each.outcome.value, _digest(each, known)) for each in fetched.answers}
    return AnswerTimes(
        answered=answered,
        text_answered=instants.at(new[text]) if text in new else answered,
        believed=answered,
        standing=standing,
    )


def _came(answer: Answer, fetched_at: float) -> float:
    return fetched_at if answer.received is None else answer.received


def _digest(answer: Answer, known: Mapping[str, Known]) -> str:
    """The name of the body that stands after the answer."""
    before = known.get(answer.resource)
    stands = answer.digest if answer.outcome is Outcome.CHANGED else None if before is None else before.digest
    return (stands or "")[:DIGEST]
