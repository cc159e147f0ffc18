"""Which match of another provider is to stand by, where that is not sure: the question, its candidates and the answer."""

from pydantic import Field

from mapping.documents.base import CamelDocument
from mapping.documents.external import SelectorId
from mapping.documents.fixtures import NamedFixturePart
from mapping.documents.scalars import Int, Name, Text


class CandidateMatch(CamelDocument):
    """A match as its provider's list has it; what the list does not say is null. `kickoff`: Unix seconds."""

    match_id: Name
    competition: NamedFixturePart | None
    home: NamedFixturePart | None
    away: NamedFixturePart | None
    kickoff: Int | None
    gender: Text | None
    age_class: Text | None


class ListedStandbyQuestion(CamelDocument):
    """Which of the `candidates`, matches of `provider`, is that of the liveblog; none of them may be.

    `of_provider`: the liveblog's own, which lists `match`.
    """

    local_id: Name
    provider: Name
    of_provider: Name
    match: CandidateMatch
    candidates: tuple[CandidateMatch, ...]


class StandbyAnswer(CamelDocument):
    """The candidate that stands by from now on; null where none is the same match, and none is looked for again."""

    provider: Name
    match_id: SelectorId | None = Field()
