"""What the daemon hands to the API: the store, the settings and the few things that the API cannot do by itself."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

from config import Settings
from mapping.match.fixture import FixtureDay
from store.clients.service_keys import Keys
from store.files.port import FileStore
from store.following.import_request import FoundStandby, ImportRequest, StandbyRequest

if TYPE_CHECKING:
    from store.database import Store

T = TypeVar("T")


class Importer(Protocol):
    """The port of the sync: what wants a provider's match. All raise the errors of `mapping.errors`."""

    async def create(self, request: ImportRequest) -> str:
        """Create the liveblog, or attach it; gives its `ticker_id`."""

    async def preview(self, request: ImportRequest) -> dict[str, Any]:
        """What the match of the request holds, as an `ExternalPreview`; nothing is made of it."""

    async def fixtures(self, organization_id: str, provider: str, day: str) -> FixtureDay:
        """The provider's list of that day: `yesterday`, `today`, `tomorrow`, or a date as ISO 8601 writes it."""

    async def find_standby(self, wanted: StandbyRequest) -> FoundStandby:
        """The match that is to stand by, as its provider gives it now."""

    async def follow(self, follow_ids: Iterable[str]) -> None:
        """Have these matches looked at, once the unit that named them is committed."""

    def check_text(self, organization_id: str, provider: str, sport: str) -> None:
        """Raise InvalidRequest where an organization gets no text content from a provider for a sport."""


@dataclass(frozen=True, kw_only=True)
class Services:
    """Everything the API works with; `clock` gives Unix seconds, `organizations` the name of an id or None."""

    store: Store
    settings: Settings
    importer: Importer
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
