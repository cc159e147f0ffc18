"""Liveblogs that an external provider fills: the request, and how the response describes the connection."""

from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, GetJsonSchemaHandler, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from mapping.documents.base import CamelDocument, one_of_required
from mapping.documents.import_options import MOST_STANDBYS, Confirm, ImportOptions, Withdrawn
from mapping.documents.scalars import ID_LENGTH, Bool, Count, Locale, LongText, Name, Text, Timestamp

MatchStatus = Literal["scheduled", "live", "break", "shootout", "finished", "postponed", "abandoned", "cancelled"]


class _Request(CamelDocument):
    """Part of a request in which null says the same as leaving the field out."""

    @model_validator(mode="before")
    @classmethod
    def _drop_nulls(cls, data: Any) -> Any:
        return {name: value for name, value in data.items() if value is not None} if isinstance(data, dict) else data

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        shown = handler(schema)
        fields = handler.resolve_ref_schema(shown)
        names = [name for name in fields["properties"] if name not in fields.get("required", ())]
        fields["properties"] |= {name: _or_null(fields["properties"][name]) for name in names}
        return shown


def _or_null(schema: JsonSchemaValue) -> JsonSchemaValue:
    if {"type": "null"} in schema.get("anyOf", ()):
        return schema
    outer: JsonSchemaValue = {name: schema[name] for name in ("title", "default") if name in schema}
    return {"anyOf": [{name: schema[name] for name in schema.keys() - outer.keys()}, {"type": "null"}], **outer}


class AutoPostConfiguration(_Request):
    """What automatic posting leaves out; the names of `exclude_events` are checked against the provider's catalogue."""

    exclude_scoreboard: Bool = False
    exclude_events: tuple[Text, ...] = ()


SelectorId = Annotated[
    LongText, Field(max_length=ID_LENGTH, json_schema_extra={"pattern": r"^([^\x00-\x20\x7f-\x9f]{1,255})?$"})
]


class CreateFromExternal(_Request):
    """The request for a liveblog of a provider's match; which selectors must be given is the operation's rule."""

    model_config = ConfigDict(json_schema_extra=one_of_required("matchId", "phaseId", "overallId"))

    provider: Name
    match_id: SelectorId | None = None
    phase_id: SelectorId | None = None
    overall_id: SelectorId | None = None
    title: Text | None = None
    locale: Locale = "en"
    include_text_content: Bool = False
    auto_post_enabled: Bool = False
    auto_post_configuration: AutoPostConfiguration | None = None


class StandbyMatch(_Request):
    """The same match at another provider."""

    provider: Name
    match_id: SelectorId


class ExternalChange(_Request):
    """Settings of a liveblog that follows a match; what is absent keeps its value.

    `standby`: the sources that stand by, in their order, none in an empty list. `leads`: the provider that leads whatever
    happens, or `auto`. `provider`: of the match that the liveblog is on, which does not change by it.
    """

    auto_post_enabled: Bool | None = None
    auto_post_configuration: AutoPostConfiguration | None = None
    include_text_content: Bool | None = None
    locale: Locale | None = None
    paused: Bool | None = None
    withdrawn: Withdrawn | None = None
    confirm: Confirm | None = None
    standby: tuple[StandbyMatch, ...] | None = Field(default=None, max_length=MOST_STANDBYS)
    leads: Name | None = None
    provider: Name | None = None

    def applied_to(self, terms: ImportOptions) -> ImportOptions:
        """The terms after this change."""
        configuration = self.auto_post_configuration or AutoPostConfiguration()
        given: dict[str, Any] = {name: getattr(configuration, name) for name in configuration.model_fields_set}
        given |= {name: frozenset(given[name]) for name in given.keys() & {"exclude_events"}}
        named: dict[str, Any] = {
            "auto_post": self.auto_post_enabled,
            "text": self.include_text_content,
            "locale": self.locale,
            "paused": self.paused,
            "withdrawn": self.withdrawn,
            "confirm": self.confirm,
        }
        return replace(terms, **given, **{name: value for name, value in named.items() if value is not None})


class AttachToExternal(ExternalChange):
    """The match that a liveblog is put on, and its settings; which selectors must be given is the operation's rule."""

    model_config = ConfigDict(json_schema_extra=one_of_required("matchId", "phaseId", "overallId"))

    provider: Name
    match_id: SelectorId | None = None
    phase_id: SelectorId | None = None
    overall_id: SelectorId | None = None


class HandBack(_Request):
    """What a person gives back to the provider: fields of the posts in `events`, without these of the liveblog.

    Without `fields` all of them; without both, all of the liveblog and of its posts.
    """

    fields: tuple[Name, ...] = Field(default=(), max_length=1000)
    events: tuple[Name, ...] = Field(default=(), max_length=1000)


class ExternalSelector(CamelDocument):
    """The requested id, and the match that it led to."""

    type_: Literal["Svc::Model::ExternalSelector"] = "Svc::Model::ExternalSelector"
    match_id: Name
    phase_id: Name | None = None
    overall_id: Name | None = None


class ExternalAutoPost(CamelDocument):
    """What is posted automatically."""

    type_: Literal["Svc::Model::ExternalAutoPost"] = "Svc::Model::ExternalAutoPost"
    enabled: Bool
    exclude_scoreboard: Bool
    exclude_events: tuple[Text, ...] = ()
    include_text_content: Bool


class FeedHealth(CamelDocument):
    """How the provider answers for one resource: the last good and the last new answer, what failed since then.

    `skipped` counts the records of the last good answer that could not be understood.
    """

    type_: Literal["Svc::Model::FeedHealth"] = "Svc::Model::FeedHealth"
    last_good: Timestamp | None = None
    last_change: Timestamp | None = None
    failures: Count = 0
    skipped: Count = 0


class External(CamelDocument):
    """The connection of a liveblog to its provider; `feed_health` is by the name of the resource."""

    type_: Literal["Svc::Model::External"] = "Svc::Model::External"
    provider: Name
    selector: ExternalSelector
    auto_post: ExternalAutoPost
    locale: Locale
    paused: Bool
    status: MatchStatus
    feed_health: dict[Name, FeedHealth]


class SourceOfMatch(CamelDocument):
    """A source of a match that has several: whether it leads, since when and why, how it answers.

    `reason`: why the one that leads does; `trouble`: `refused`, `failing` or `silent`.
    """

    provider: Name
    match_id: Name
    status: MatchStatus
    leads: Bool
    reason: Name | None = None
    since: Timestamp | None = None
    last_good: Timestamp | None = None
    trouble: Name | None = None


class SourceDisagreement(CamelDocument):
    """What two sources have contradicted each other in since then; `said`: what each provider says, empty where it has nothing."""

    about: Literal["score", "scorer", "player", "minute", "missing"]
    since: Timestamp
    said: dict[Name, Text]


class ExternalSource(CamelDocument):
    """What a liveblog takes over from its match; `version` is the liveblog's.

    `leads`: the provider that a person has chosen, or `auto`; `sources`: those of a match that has several, the first one first.
    """

    version: Count
    auto_post_enabled: Bool
    auto_post_configuration: AutoPostConfiguration
    include_text_content: Bool
    locale: Locale
    paused: Bool
    withdrawn: Withdrawn
    confirm: Confirm
    leads: Name
    sources: list[SourceOfMatch]
    disagreements: list[SourceDisagreement]
    provider: Name
    selector: ExternalSelector
    status: MatchStatus
    feed_health: dict[Name, FeedHealth]


class ExternalPreview(CamelDocument):
    """A match as the provider gives it now. `line_ups` counts people, `events` what happened and would be posted.

    `text_content`: whether the provider's text can be had for it. `liveblogs`: the organization's own that are on it already,
    by `local_id`.
    """

    provider: Name
    selector: ExternalSelector
    sportstype: Text
    title: Text
    competition: Text | None = None
    location: Text | None = None
    home_team: Text | None = None
    away_team: Text | None = None
    home_score: Text | None = None
    away_score: Text | None = None
    starts_at: Timestamp | None = None
    status: MatchStatus
    scoreboard: Bool
    line_ups: Count
    events: Count
    text_content: Bool
    liveblogs: tuple[Name, ...] = ()
