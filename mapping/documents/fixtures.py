"""The list of a provider's matches of a day, from which people and programs choose."""

from pydantic import Field

from mapping.documents.base import CamelDocument
from mapping.documents.game import Collection
from mapping.documents.scalars import Bool, Count, Int, Locale, Name, Text


class NamedFixturePart(CamelDocument):
    """A competition or a team: the provider's id, and its name there."""

    id: Name
    name: Text


class FixtureScore(CamelDocument):
    """The score of the pitch."""

    home: Int
    away: Int


class FixtureLiveblog(CamelDocument):
    """A liveblog of the organization that is on the match already."""

    local_id: Name
    locale: Locale


class ListedFixture(CamelDocument):
    """A match as the provider's list has it; what the list does not say is null.

    `status_word` is the provider's word where its `status` is not known. `followable`: whether its sport can become a liveblog.
    """

    match_id: Name
    sport: Text | None
    competition: NamedFixturePart | None
    season: Text | None
    round: Text | None
    home: NamedFixturePart | None
    away: NamedFixturePart | None
    title: Text | None
    kickoff: Text | None
    kickoff_open: Bool
    status: Text | None
    status_word: Text | None
    score: FixtureScore | None
    gender: Text | None
    age_class: Text | None
    text_coverage: Bool | None
    followable: Bool
    liveblogs: tuple[FixtureLiveblog, ...]


class FixtureCollection(Collection[ListedFixture]):
    """A page of a day's list. `unreadable`: rows of the provider's that are left out."""

    day: Text
    time_zone: Text = Field(alias="timeZone")
    unreadable: Count
