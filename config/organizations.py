"""Who takes part: organizations with their provider endpoints, clients of the API, and declared liveblogs."""

from collections.abc import Mapping
from math import ceil
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, StringConstraints, ValidationError, model_validator

from config.sections import Section
from config.values import (
    ArticlePattern,
    Count,
    Duration,
    EventType,
    FrameAncestor,
    Label,
    Locale,
    OrganizationId,
    ProviderId,
    ProviderKey,
    Scope,
    Secret,
    Text,
    Timezone,
    TypePrefix,
    WebAddress,
    is_hash,
)

Option = str | bool | int | float | list[str]
DeclaredId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$")]
SelectorKind = Literal["match", "phase", "overall"]


class ProviderEndpoint(Section):
    """An organization's access to a provider: where, with which credentials, in which language."""

    base_url: WebAddress
    username: Text | None = None
    password: Secret | None = None
    api_key: Secret | None = None
    language: Annotated[str, StringConstraints(pattern=r"^[a-z]{2}(-[A-Za-z]{2})?$")] = "de"
    timezone: Timezone = "Europe/Berlin"
    text_content: bool = False
    options: dict[str, Option] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _user_fits_basic(self) -> Self:
        if self.username is not None and ":" in self.username:
            raise ValueError("has a ':' in its username, which HTTP Basic cannot carry")
        return self


class Template(Section):
    """A liveblog template of an organization's own, for a sport (or `news`)."""

    name: Text
    sportstype: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_-]{0,63}$")]


class NamedConfig(Section):
    """A pricing or a tag, which documents refer to."""

    name: Text


class LocationConfig(Section):
    """A venue, beside those that imports bring."""

    name: Text
    city: Text | None = None
    country: Annotated[str, StringConstraints(pattern=r"^[A-Z]{2}$")] | None = None


class ReaderSignIn(Section):
    """What an organization signs its readers in with: the key of its sign-in tokens."""

    secret: Annotated[Secret, Field(min_length=32)]


class OrganizationConfig(Section):
    name: Text
    logo: WebAddress | None = None
    external_url: ArticlePattern | None = None
    public_delay: Duration = 0.0
    frame_ancestors: tuple[FrameAncestor, ...] | None = None
    reader_sign_in: ReaderSignIn | None = None
    comments: Literal["off", "pre", "post"] = "off"
    statistics: bool = True
    withdrawn: Literal["note", "silent"] = "note"
    crosswalk: Text | None = None
    providers: dict[ProviderId, ProviderEndpoint] = Field(default_factory=dict)
    templates: dict[DeclaredId, Template] = Field(default_factory=dict)
    pricings: dict[DeclaredId, NamedConfig] = Field(default_factory=dict)
    tags: dict[DeclaredId, NamedConfig] = Field(default_factory=dict)
    locations: dict[DeclaredId, LocationConfig] = Field(default_factory=dict)

    def in_folder(self, folder: Path) -> Self:
        """The organization with a relative name of its crosswalk taken as below `folder`."""
        crosswalk = None if self.crosswalk is None else str(folder / self.crosswalk)
        return self.model_copy(update={"crosswalk": crosswalk})

    @property
    def takes_comments(self) -> bool:
        """Whether its readers may comment at all."""
        return self.comments != "off"

    @property
    def delay(self) -> int:
        """`public_delay` in whole seconds, never less."""
        return ceil(self.public_delay)


class ThemeConfig(Section):
    """Which posts feeds and articles show, in which order, and what they call incidents, by event type."""

    tags: tuple[Text, ...] = ()
    highlights: tuple[Literal["sticky", "inplace", "stickyNoHighlight", "milestone"], ...] = ()
    event_types: tuple[EventType | Literal["text"], ...] = ()
    authors: tuple[Text, ...] = ()
    sort: Literal["asc", "desc"] = "desc"
    posts: Annotated[int, Field(ge=1, le=10_000)] = 20
    labels: dict[EventType, Text] = Field(default_factory=dict)


class Client(Section):
    """A caller of the API. A secret is plain or `sha256:` and 64 hex digits; a previous one lives on in a rotation."""

    secret: Secret
    previous_secret: Secret | None = None
    organizations: Annotated[tuple[OrganizationId, ...], Field(min_length=1)]
    scopes: tuple[Scope, ...] = ("read",)
    public_delay: Duration = 0.0
    type_prefix: TypePrefix = "Svc"

    @property
    def delay(self) -> int:
        """`public_delay` in whole seconds, never less."""
        return ceil(self.public_delay)

    @property
    def secrets(self) -> tuple[str, ...]:
        """All live secrets as they are given, the current one first."""
        given = (self.secret, self.previous_secret)
        return tuple(secret.get_secret_value() for secret in given if secret is not None)

    @model_validator(mode="after")
    def _mistyped_hash(self) -> Self:
        if any(secret.startswith("sha256:") and not is_hash(secret) for secret in self.secrets):
            raise ValueError("has a secret that begins like a hash but is not 'sha256:' and 64 lower-case hex digits")
        return self


class StandbyEntry(Section):
    """The match at another provider, which stands by for a liveblog's own."""

    provider: ProviderId
    match_id: ProviderKey


class FollowTerms(Section):
    """What a rule is about: the matches of a competition, or of a team, become liveblogs `lead` seconds before kick-off."""

    provider: ProviderId
    competition: ProviderKey | None = None
    team: ProviderKey | None = None
    sport: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_-]{0,63}$")] | None = None
    gender: Literal["male", "female"] | None = None
    lead: Annotated[Duration, Field(le=10 * 86_400)] = 7200.0
    locale: Locale = "en"
    auto_post: bool = True
    exclude_events: tuple[EventType, ...] = ()
    exclude_scoreboard: bool = False
    include_text_content: bool = False
    editorial_publishing: bool = False
    confirm: Literal["one", "two"] = "one"
    standby: Annotated[tuple[ProviderId, ...], Field(max_length=3)] = ()
    """In their order; as many as mapping.documents.import_options.MOST_STANDBYS."""
    tags: Annotated[tuple[Label, ...], Field(max_length=20)] = ()
    most_a_day: Annotated[Count, Field(ge=1, le=1000)] = 40

    @model_validator(mode="after")
    def _about_something(self) -> Self:
        if self.competition is None and self.team is None:
            raise ValueError("needs a competition, a team or both")
        if len({self.provider, *self.standby}) <= len(self.standby):
            raise ValueError("has two sources of one provider: each standby needs a provider of its own")
        return self


class FollowEntry(FollowTerms):
    """A rule of an organization: `key` names it there."""

    key: DeclaredId
    organization: OrganizationId

    @classmethod
    def of_fields(cls, organization: str, key: str, fields: Mapping[str, Any] | None) -> Self | None:
        """The rule that was kept as these fields; None where they make none any more."""
        try:
            return cls.model_validate({**(fields or {}), "organization": organization, "key": key})
        except ValidationError:
            return None

    @property
    def fields(self) -> dict[str, Any]:
        """All but organization and key, as JSON: what is kept of a rule that stands in no file."""
        return self.model_dump(mode="json", exclude={"organization", "key"})


class Liveblog(Section):
    """A liveblog that is created once, `lead` seconds before kick-off, or at start where there is no `lead`."""

    key: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$")]
    organization: OrganizationId
    provider: ProviderId
    match_id: ProviderKey | None = None
    phase_id: ProviderKey | None = None
    overall_id: ProviderKey | None = None
    title: Text | None = None
    locale: Locale = "en"
    auto_post: bool = True
    exclude_events: tuple[EventType, ...] = ()
    exclude_scoreboard: bool = False
    include_text_content: bool = False
    standby: Annotated[tuple[StandbyEntry, ...], Field(max_length=3)] = ()
    """In their order; as many as mapping.documents.import_options.MOST_STANDBYS.

    An operator reads the number in the document of the request.
    """
    confirm: Literal["one", "two"] = "one"
    lead: Duration | None = None

    @property
    def selector(self) -> tuple[SelectorKind, str]:
        """Which of the three ids is given, and the id."""
        kinds: tuple[tuple[SelectorKind, str | None], ...] = (
            ("match", self.match_id),
            ("phase", self.phase_id),
            ("overall", self.overall_id),
        )
        return next((kind, given) for kind, given in kinds if given is not None)

    @model_validator(mode="after")
    def _one_selector(self) -> Self:
        if sum(given is not None for given in (self.match_id, self.phase_id, self.overall_id)) != 1:
            raise ValueError("needs exactly one of match_id, phase_id and overall_id")
        return self

    @model_validator(mode="after")
    def _one_source_of_each_provider(self) -> Self:
        providers = [self.provider, *(each.provider for each in self.standby)]
        if len(set(providers)) < len(providers):
            raise ValueError("has two sources of one provider: each standby needs a provider of its own")
        return self
