"""When posts came about, as people are shown it."""

from mapping.documents.base import CamelDocument
from mapping.documents.scalars import Count, Name, Text


class PostInstants(CamelDocument):
    """Instants in ISO 8601, UTC, with milliseconds; None where one is not known."""

    said: Name | None = None
    unsaid: Name | None = None
    answered: Name
    believed: Name
    committed: Name | None = None
    delivered: Name | None = None
    webhook: Name | None = None


class PostSeconds(CamelDocument):
    """Where the time went, in seconds; None where that is not known."""

    provider: float | None = None
    between_polls: float | None = None
    confirmation: float
    written: float | None = None
    total: float | None = None


class PostStep(CamelDocument):
    """One time that the sync wrote a post."""

    what: Name
    version: Count
    at: PostInstants
    seconds: PostSeconds
    whose: Name
    late: Text
    answers: dict[Name, Name]


class TimedPost(CamelDocument):
    """A post and all that became of it, its beginning first."""

    event_id: Name
    whose: Name
    late: Text
    steps: list[PostStep]


class LeadChange(CamelDocument):
    """From when (ISO 8601) a source of the match has led, and why."""

    at: Name
    provider: Name
    reason: Name


class PostTimelines(CamelDocument):
    """The posts of a liveblog that the sync wrote, and which source of its match led; `leads` is empty while the first one has."""

    provider: Name | None = None
    match_id: Name | None = None
    leads: list[LeadChange]
    posts: list[TimedPost]
