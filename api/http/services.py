"""What the daemon hands to the API: the store, the settings and the few things that the API cannot do by itself."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Iterable

    from config import Settings
    from mapping.import_options import Confirm, ImportOptions, Withdrawn
    from store.database import Store
    from store.engine.unit import Unit
    from store.files.port import FileStore
    from store.following.sync import Attachment

T = TypeVar("T")

SelectorKind = Literal["match", "phase", "overall"]


class Keys(NamedTuple):
    """Secrets that the service has made for itself. What was signed by the keys of before the last rotation is believed too."""

    media: bytes
    """Signs the addresses of images (mapping.rules.image_address)."""
    readers: bytes
    """Signs the tokens of readers (mapping.readers.reader_token)."""
    reader_ids: bytes
    """Makes the ids of readers, and is never rotated."""
    media_before: tuple[bytes, ...] = ()
    readers_before: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportRequest:
    """A checked createFromExternal request; what to leave out is empty unless posting is automatic."""

    organization_id: str
    client_id: str
    provider: str
    selector_kind: SelectorKind
    selector_id: str
    title: str | None
    locale: str
    text: bool
    auto_post: bool
    exclude_scoreboard: bool
    exclude_events: tuple[str, ...]
    idempotency_key: str | None
    idempotency_digest: str
    """SHA-256 in hex of the body's meaning: equal for bodies that differ in spaces or the order of names alone."""
    declared_key: str | None = None
    """The key of a liveblog that the operator declared; there is at most one liveblog for it."""
    attach_to: str | None = None
    """The liveblog that the match is for, by `local_id` or `ticker_id`; without one it is created."""
    paused: bool = False
    withdrawn: Withdrawn | None = None
    """What goals that are taken back leave behind; None: as the organization has it."""
    confirm: Confirm | None = None
    """By how many sources a goal is confirmed; None: by one."""
    sources: Callable[[Unit, Attachment], bool] | None = None
    """Changes the sources of the match that a liveblog is put on, in the unit that does so; whether anything changed."""

    @classmethod
    def of_terms(
        cls,
        terms: ImportOptions,
        *,
        organization_id: str,
        client_id: str,
        provider: str,
        selector_kind: SelectorKind,
        selector_id: str,
        attach_to: str | None = None,
        paused: bool = False,
        sources: Callable[[Unit, Attachment], bool] | None = None,
    ) -> ImportRequest:
        """For a liveblog with these terms, without an `Idempotency-Key`; whether it is paused does not come from them."""
        return cls(
            organization_id=organization_id,
            client_id=client_id,
            provider=provider,
            selector_kind=selector_kind,
            selector_id=selector_id,
            attach_to=attach_to,
            paused=paused,
            sources=sources,
            title=terms.title,
            locale=terms.locale,
            text=terms.text,
            auto_post=terms.auto_post,
            exclude_scoreboard=terms.exclude_scoreboard,
            exclude_events=tuple(sorted(terms.exclude_events)),
            withdrawn=terms.withdrawn,
            confirm=terms.confirm,
            idempotency_key=None,
            idempotency_digest="",
        )


ImportMatch = Callable[[ImportRequest], Awaitable[dict[str, Any]]]
"""Creates the liveblog, or attaches it, and gives the decorated game with `external`; raises the errors of `mapping.errors`."""


class StandbyRequest(NamedTuple):
    """A match at another provider, which is to stand by for a liveblog's own."""

    organization_id: str
    provider: str
    match_id: str


class FoundStandby(Protocol):
    """A match that is to stand by, once it was found."""

    def follow(self, unit: Unit, attachment: Attachment) -> str:
        """Have it followed, where it can be the match of the liveblog; gives its follow. Raises Unprocessable and Conflict."""


class Standbys(Protocol):
    """Finds matches that are to stand by, and has them followed."""

    async def find(self, wanted: StandbyRequest) -> FoundStandby:
        """The match, as its provider gives it now; raises the errors of `mapping.errors`."""

    async def follow(self, follow_ids: Iterable[str]) -> None:
        """Have these matches looked at, once the unit that named them is committed."""


PreviewMatch = Callable[[ImportRequest], Awaitable[dict[str, Any]]]
"""Gives what the match of a request holds, without making anything of it; raises the errors of `mapping.errors`."""


@dataclass(frozen=True, kw_only=True)
class Services:
    """Everything the API works with; `clock` gives Unix seconds, `organizations` the name of an id or None."""

    store: Store
    settings: Settings
    import_match: ImportMatch
    check_text: Callable[[str, str, str], None]
    """Raises InvalidRequest where an organization gets no text content from a provider for a sport."""
    organizations: Callable[[str], str | None]
    ready: Callable[[], Awaitable[Mapping[str, Any]]]
    """Facts about the parts of the process; a false `ready` among them means not ready."""
    clock: Callable[[], float]
    providers: frozenset[str]
    event_types: frozenset[str]
    keys: Keys
    files: FileStore
    """The files that clients have uploaded."""
    check_address: Callable[[str, str], Awaitable[bool]] | None = None
    """Whether an address may be called now that a client of the organization names; without it only its form is checked,
    and it is checked at each connection anyway."""
    check_file_address: Callable[[str, str], Awaitable[bool]] | None = None
    """The same for the address of a file, where a name that does not resolve now passes."""
    metrics: Callable[[str], tuple[bytes, str]] | None = None
    """The numbers for Prometheus in a form that an `Accept` header names, and their content type."""
    status: Callable[[], Awaitable[Mapping[str, Any]]] | None = None
    """What `/status` shows."""
    preview_match: PreviewMatch | None = None
    standbys: Standbys | None = None
    last_answers: Callable[[], Mapping[str, float]] | None = None
    """When each match that this process follows had its last good answer (Unix seconds), by the id of its follow."""
    parts: Mapping[type, object] = field(default_factory=dict)
    """What capabilities keep in this process, each by its type and by those that it extends."""

    def __getitem__(self, kind: type[T]) -> T:
        """The part of this type; raises KeyError where there is none."""
        return cast("T", self.parts[kind])

    def find(self, kind: type[T]) -> T | None:
        """The part of this type, None where this process does without."""
        return cast("T | None", self.parts.get(kind))

    def having(self, *parts: object) -> Services:
        """These services with further parts, each in place of one of its type; None is no part."""
        kinds = {kind: each for each in parts if each is not None for kind in type(each).__mro__[:-1]}
        return replace(self, parts={**self.parts, **kinds})
