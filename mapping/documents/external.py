"""Liveblogs that an external provider fills: what is asked for, and how the answer describes the connection."""

from typing import Any, Literal

from pydantic import model_validator

from mapping.documents.base import CamelDocument
from mapping.documents.scalars import Bool, Count, Locale, Name, Text, Timestamp

MatchStatus = Literal["scheduled", "live", "break", "shootout", "finished", "postponed", "abandoned", "cancelled"]


class _Request(CamelDocument):
    """Part of a request in which null says the same as leaving the field out."""

    @model_validator(mode="before")
    @classmethod
    def _drop_nulls(cls, data: Any) -> Any:
        return {name: value for name, value in data.items() if value is not None} if isinstance(data, dict) else data


class AutoPostConfiguration(_Request):
    """What automatic posting leaves out; the names of `exclude_events` are checked against the provider's catalogue."""

    exclude_scoreboard: Bool = False
    exclude_events: tuple[Text, ...] = ()


class CreateFromExternal(_Request):
    """The request for a liveblog of a provider's match; which selectors must be given is the operation's rule."""

    provider: Text
    match_id: Text | None = None
    phase_id: Text | None = None
    overall_id: Text | None = None
    title: Text | None = None
    locale: Locale = "en"
    include_text_content: Bool = False
    auto_post_enabled: Bool = False
    auto_post_configuration: AutoPostConfiguration | None = None


class ExternalSelector(CamelDocument):
    """The id that was asked for, and the match that it led to."""

    match_id: Name
    phase_id: Name | None = None
    overall_id: Name | None = None


class ExternalAutoPost(CamelDocument):
    """What is posted automatically."""

    enabled: Bool
    exclude_scoreboard: Bool
    exclude_events: tuple[Text, ...] = ()
    include_text_content: Bool


class FeedHealth(CamelDocument):
    """How the provider answers for one resource: the last good and the last new answer, what failed since then.

    `skipped` counts the records of the last good answer that could not be understood.
    """

    last_good: Timestamp | None = None
    last_change: Timestamp | None = None
    failures: Count = 0
    skipped: Count = 0


class External(CamelDocument):
    """The connection of a liveblog to its provider; `feed_health` is by the name of the resource."""

    provider: Name
    selector: ExternalSelector
    auto_post: ExternalAutoPost
    status: MatchStatus
    feed_health: dict[Name, FeedHealth]
