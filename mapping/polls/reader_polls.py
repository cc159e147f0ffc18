"""Polls and quizzes of readers: which votes count, who sees results when, and shares that sum to 100.

A reader's vote is the set of options chosen. Options keep their ids while their texts are edited; votes for an option that
was removed are kept and do not count. A quiz is voted on once, and then says what was right.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Annotated, Any

from pydantic import Field, ValidationError

from mapping.documents.base import Document, parse
from mapping.documents.blocks import PollContentBlock, QuizContentBlock, ShowResults
from mapping.documents.scalars import Bool, Count, LocalId, Text, Timestamp
from mapping.errors import Conflict, Unprocessable
from mapping.posts.event_media import NewId

Json = dict[str, Any]
POLL = "Svc::Model::Content::PollContentBlock"
QUIZ = "Svc::Model::Content::QuizContentBlock"
KINDS: Mapping[str, type[PollContentBlock | QuizContentBlock]] = {POLL: PollContentBlock, QUIZ: QuizContentBlock}
QUIZ_SHOWN = ("_type", "local_id", "question", "multiple", "closes_at", "closed", "results")
"""Fields of a quiz that readers see before they vote; one that we do not know may say what is right."""
OPTION_SHOWN = ("id", "text")


MOST_OPTIONS = 1000
"""Options that one vote can name."""
Percent = Annotated[int, Field(ge=0, le=100)]


@dataclass(frozen=True, slots=True)
class Solution:
    """Of a quiz: the ids of the right options, none where it has no right one, and why they are right."""

    correct: frozenset[str]
    explanation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderPoll:
    """A poll as its block describes it, `options` as texts by id; one with a solution is a quiz."""

    id: str
    question: str
    options: Mapping[str, str]
    multiple: bool
    closes_at: int | None
    ended: bool
    results: ShowResults
    solution: Solution | None = None

    def closed(self, now: float) -> bool:
        """Whether votes are over: its time has come, or an editor closed it."""
        return self.ended or (self.closes_at is not None and self.closes_at <= now)

    def shows_results(self, now: float, *, voted: bool) -> bool:
        """Whether a reader may see the results; `voted`: the reader has a vote that counts. Closed polls show them to all."""
        return self.results is ShowResults.ALWAYS or self.closed(now) or (voted and self.results is ShowResults.VOTED)


@dataclass(frozen=True, slots=True)
class Tally:
    """The votes of a poll: `counts` by the option's id, removed options too; `changes` grows with each vote."""

    counts: Mapping[str, int] = field(default_factory=dict)
    changes: int = 0

    def moved(self, before: Sequence[str], after: Sequence[str]) -> Tally:
        """The tally once a reader's vote is `after` instead of `before`."""
        counts = Counter(self.counts)
        counts.update(after)
        counts.subtract(before)
        return Tally({name: votes for name, votes in sorted(counts.items()) if votes > 0}, self.changes + 1)


def poll_block(document: Mapping[str, Any], poll_id: str) -> Json | None:
    """The poll's block in a post, None where there is none."""
    contents = document.get("contents")
    blocks = contents if isinstance(contents, list) else []
    return next((each for each in blocks if is_poll(each) and each.get("local_id") == poll_id), None)


def is_poll(block: Any) -> bool:
    """Whether it is the block of a poll or quiz."""
    return isinstance(block, dict) and block.get("_type") in (POLL, QUIZ)


def reader_poll(block: Mapping[str, Any]) -> ReaderPoll | None:
    """The poll of a block; None for one that no reader can vote on: without an id, a question or an option with a text."""
    try:
        found = parse(KINDS[block["_type"]], block)
    except (ValidationError, KeyError):
        return None
    options = _votable(found)
    if not (found.local_id and found.question and options):
        return None
    return ReaderPoll(
        id=found.local_id,
        question=found.question,
        options=options,
        multiple=found.multiple is True,
        closes_at=found.closes_at,
        ended=found.closed is True,
        results=found.results or ShowResults.ALWAYS,
        solution=_solution(found),
    )


def _solution(found: PollContentBlock | QuizContentBlock) -> Solution | None:
    if isinstance(found, PollContentBlock):
        return None
    marked = {each.id for each in found.options or () if each.correct} | {found.correct_option_id}
    return Solution(frozenset(_votable(found).keys() & marked), found.explanation or "")


def _votable(found: PollContentBlock | QuizContentBlock) -> dict[str, str]:
    return {each.id: each.text for each in found.options or () if each.id and each.text}


def public_block(block: Json) -> Json:
    """The block as readers may see it before they vote: a quiz without anything that may say what is right."""
    if not str(block.get("_type")).endswith("::QuizContentBlock"):  # whatever prefix is stored
        return block
    shown = {name: block[name] for name in QUIZ_SHOWN if name in block}
    options = block.get("options")
    if isinstance(options, list):
        plain = [each for each in options if isinstance(each, dict)]
        shown["options"] = [{name: each[name] for name in OPTION_SHOWN if name in each} for each in plain]
    return shown


# Results


def percentages(votes: Sequence[int]) -> list[int]:
    """Whole percentages that sum to 100, by largest remainder, the first of equals; all 0 without any vote."""
    total = sum(votes)
    if total == 0:
        return [0] * len(votes)
    shares = [divmod(100 * each, total) for each in votes]
    missing = 100 - sum(whole for whole, _ in shares)
    raised = set(sorted(range(len(votes)), key=lambda index: -shares[index][1])[:missing])
    return [whole + (index in raised) for index, (whole, _) in enumerate(shares)]


def results(poll: ReaderPoll, tally: Tally, *, event_version: int, now: float, shown: bool) -> Json:
    """The poll with its results, as every reader gets it; with `shown` false the numbers are null.

    `total_votes` is the sum of the options' votes. `version` rises with each change of the post and when the poll closes, and
    with each vote where the numbers are shown: it says no more of the votes than they do.
    """
    closed = poll.closed(now)
    votes = [tally.counts.get(name, 0) for name in poll.options]
    numbers: list[tuple[int | None, int | None]]
    numbers = list(zip(votes, percentages(votes), strict=True)) if shown else [(None, None)] * len(votes)
    return {
        "id": poll.id,
        "question": poll.question,
        "options": [
            {"id": name, "text": text, "votes": each, "percent": percent}
            for (name, text), (each, percent) in zip(poll.options.items(), numbers, strict=True)
        ],
        "total_votes": sum(votes) if shown else None,
        "closed": closed,
        "closes_at": poll.closes_at,
        "multiple": poll.multiple,
        "quiz": poll.solution is not None,
        "results": str(poll.results),
        "version": 2 * (event_version + (tally.changes if shown else 0)) + closed,
    }


def own_vote(poll: ReaderPoll, chosen: Sequence[str], *, now: float) -> Json:
    """What a reader gets to know of the own vote; of a quiz whether it is right, what would be, and why.

    A quiz that shows its results once it is closed (`now`: Unix seconds) says nothing of that before.
    """
    counted = [name for name in poll.options if name in chosen]
    solution = poll.solution
    if solution is None or not counted or (poll.results is ShowResults.CLOSED and not poll.closed(now)):
        return {"options": counted}
    known = {"right": set(counted) == solution.correct, "correct": sorted(solution.correct)} if solution.correct else {}
    return {"options": counted, **known, "explanation": solution.explanation}


# Votes


def checked_vote(poll: ReaderPoll, chosen: Sequence[str], before: Sequence[str], now: float) -> tuple[str, ...]:
    """The options of a vote in the poll's order, none to take the vote back; `before` is what the reader had chosen.

    Raises Unprocessable with the path of an option that is none, and Conflict where the poll is closed or the quiz done.
    """
    vote = _options_of(poll, chosen)
    if set(vote) == set(before):
        return tuple(before)
    if poll.closed(now):
        raise Conflict("the poll is closed")
    if poll.solution and any(name in poll.options for name in before):
        raise Conflict("a vote on a quiz cannot be changed")
    return vote


def _options_of(poll: ReaderPoll, chosen: Sequence[str]) -> tuple[str, ...]:
    for index, name in enumerate(chosen):
        if name not in poll.options:
            raise Unprocessable("there is no such option", field=f"options.{index}")
    vote = tuple(name for name in poll.options if name in chosen)
    if len(vote) > 1 and not poll.multiple:
        raise Unprocessable("one option can be chosen", field="options")
    return vote


# Options


def with_option_ids(block: Json, stored: Mapping[str, Any], path: str, new_id: NewId) -> Json:
    """The block of a poll or quiz whose options all have an id.

    One that was sent without it gets that of the stored option with the same text, else one that no option has had: votes
    for a removed option must not count for its successor. Raises Unprocessable where two options have the same.
    """
    options = block.get("options") if is_poll(block) else None
    if not isinstance(options, list):
        return block
    taken = _sent_ids(options, path)
    ids = _known_or_new(options, stored, taken, new_id) if stored else _numbers(taken)
    return {**block, "options": [each if each.get("id") else {**each, "id": next(ids)} for each in options]}


def _sent_ids(options: Sequence[Json], path: str) -> set[str]:
    taken: set[str] = set()
    for index, name in enumerate(each.get("id") for each in options):
        if name in taken:
            raise Unprocessable("two options have this id", field=f"{path}.options.{index}.id")
        taken |= {name} if name else set()
    return taken


def _numbers(taken: set[str]) -> Iterator[str]:
    return (name for name in map(str, count(1)) if name not in taken)


def _known_or_new(options: Sequence[Json], stored: Mapping[str, Any], taken: set[str], new_id: NewId) -> Iterator[str]:
    free = {text: name for text, name in _stored_ids(stored) if name not in taken}
    unnamed = (str(each.get("text")) for each in options if not each.get("id"))
    return (free.pop(text, "") or new_id("o") for text in unnamed)


def _stored_ids(stored: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """(text, id) of the options; the first of equal texts comes last."""
    options = stored.get("options")
    for each in reversed(options) if isinstance(options, list) else ():
        if isinstance(each, dict) and each.get("id"):
            yield str(each.get("text")), str(each["id"])


class PollVote(Document):
    """The options that a reader chooses, none to take the vote back."""

    options: Annotated[tuple[LocalId, ...], Field(max_length=MOST_OPTIONS)]


class PollOption(Document):
    """An option with its votes, null where the reader may not see results."""

    id: LocalId
    text: Text
    votes: Count | None
    percent: Percent | None


class OwnVote(Document):
    """The reader's own vote; of a quiz what is right and why, once there is a vote."""

    options: tuple[LocalId, ...]
    right: Bool | None = None
    correct: tuple[LocalId, ...] | None = None
    explanation: Text | None = None


class PollResults(Document):
    """A poll or quiz with its results; `vote` for a reader who sent a token."""

    id: LocalId
    question: Text
    options: tuple[PollOption, ...]
    total_votes: Count | None
    closed: Bool
    closes_at: Timestamp | None
    multiple: Bool
    quiz: Bool
    results: ShowResults
    version: Count
    vote: OwnVote | None = None
