"""A vote on a poll, and the poll with its results as readers get it."""

from typing import Annotated

from pydantic import Field

from mapping.documents.base import Document
from mapping.documents.blocks import ShowResults
from mapping.documents.scalars import Bool, Count, LocalId, Text, Timestamp

MOST_OPTIONS = 1000
"""Options that one vote can name."""
Percent = Annotated[int, Field(ge=0, le=100)]


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
