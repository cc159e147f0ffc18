"""Checks and changes the sources of a liveblog's match: its provider, who stands by, who leads."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, get_args

from api.http.request import Services
from api.view.match_sources import AUTOMATIC, place_of
from mapping.documents.external import AttachToExternal, CreateFromExternal, ExternalChange, StandbyMatch
from mapping.errors import (
    Conflict,
    Forbidden,
    InvalidRequest,
    MatchUnknown,
    NotFound,
    ServiceError,
    Unprocessable,
    UpstreamUnavailable,
)
from store.engine.unit import Unit
from store.following import moves, standbys
from store.following.follow_rows import Attachment
from store.following.import_request import FoundStandby, SelectorKind, StandbyRequest
from store.following.standbys import StandbyRow

FIELD = "standby"
FIELDS: tuple[tuple[type[ServiceError], str], ...] = (
    (MatchUnknown, "matchId"),
    (Forbidden, "provider"),
    (UpstreamUnavailable, "provider"),
)
"""What a provider refuses → the field of a standby that it is about."""
NO_SOURCE = "this is no source of the liveblog's match"
KNOWN_PROVIDER = "the liveblog's match has a source of this provider already"


SELECTORS: tuple[SelectorKind, ...] = get_args(SelectorKind)
"""In the order of their precedence."""
SELECTOR_ID = re.compile(r"[^\x00-\x20\x7f-\x9f]{1,255}")


@dataclass(frozen=True, slots=True)
class _Kept:
    """A source that stands by already, whatever its provider answers now."""

    follow_id: str

    def follow(self, unit: Unit, attachment: Attachment) -> str:
        """Its follow. Raises Conflict where somebody else has taken it off meanwhile."""
        if self.follow_id not in {each.follow_id for each in standbys.of_liveblog(unit.conn, attachment.game_id)}:
            raise Conflict("somebody else is changing the sources of the match")
        return self.follow_id


async def find_standbys(
    services: Services, organization_id: str, document: ExternalChange, known: Iterable[StandbyRow] = ()
) -> list[FoundStandby]:
    """The matches that are to stand by, in their order; of those that do already (`known`) no provider is requested.

    Raises the errors of createFromExternal with the source's field.
    """
    return [
        await _find_standby(services, organization_id, place, each, known)
        for place, each in enumerate(document.standby or ())
    ]


async def _find_standby(
    services: Services, organization_id: str, place: int, source: StandbyMatch, known: Iterable[StandbyRow]
) -> FoundStandby:
    for each in known:
        if each.provider == source.provider and each.match_id in {source.match_id, source.match_id.lstrip("0")}:
            return _Kept(each.follow_id)
    with _at_source(place):
        return await services.importer.find_standby(StandbyRequest(organization_id, source.provider, source.match_id))


def check_sources(document: ExternalChange, providers: Collection[str], first: str) -> None:
    """Raise NotFound for a standby of a provider that there is not, Unprocessable for a second source of one and for no id.

    Also for a source that is to lead and is none once the document's stand by; `first`: the match's own provider.
    """
    taken = {first}
    for place, source in enumerate(document.standby or ()):
        with _at_source(place):
            check_provider(source.provider, providers)
            if not SELECTOR_ID.fullmatch(source.match_id):
                raise Unprocessable("an id has at most 255 characters, none of them blank", field="matchId")
            if source.provider in taken:
                raise Unprocessable(KNOWN_PROVIDER, field="provider")
            taken.add(source.provider)
    if document.standby and document.leads not in {None, AUTOMATIC, *taken}:
        raise Unprocessable(NO_SOURCE, field="leads")


@contextmanager
def _at_source(place: int) -> Iterator[None]:
    """What is refused names the field of the source at this place of the list."""
    try:
        yield
    except ServiceError as error:
        if error.field in {None, "provider", "matchId"}:
            error.field = next((field for kind, field in FIELDS if isinstance(error, kind)), error.field)
        if error.field in {"provider", "matchId"}:
            error.field = f"{FIELD}.{place}.{error.field}"
        raise


def change_sources(
    unit: Unit, attachment: Attachment, document: ExternalChange, found: Sequence[FoundStandby] = ()
) -> bool:
    """Have the sources stand by that were `found`, or the one lead that a person chooses; whether anything changes.

    Raises Unprocessable, and Conflict where somebody else changes them at this moment.
    """
    changed = document.standby is not None and moves.change_standbys(
        unit, attachment.game_id, [_follow(unit, attachment, *each) for each in enumerate(found)]
    )
    return _choose(unit, attachment, document.leads) or changed


def _follow(unit: Unit, attachment: Attachment, place: int, found: FoundStandby) -> str:
    with _at_source(place):
        return found.follow(unit, attachment)


def _choose(unit: Unit, attachment: Attachment, wanted: str | None) -> bool:
    """Have the source of this provider lead; whether that is new."""
    known = standbys.of_liveblog(unit.conn, attachment.game_id) if wanted is not None else []
    if wanted is None or (not known and wanted == AUTOMATIC):
        return False
    place = place_of(wanted, [attachment.provider, *(each.provider for each in known)])
    if not known or (place is None and wanted != AUTOMATIC):
        raise Unprocessable(NO_SOURCE, field="leads")
    return standbys.pin(unit, attachment.game_id, place)


async def follow_sources(services: Services, attachment: Attachment | None) -> None:
    """Have the liveblog's match and those that stand by for it looked at, once the change is committed."""
    if attachment is not None:
        rows = await services.store.read(lambda conn: standbys.of_liveblog(conn, attachment.game_id))
        await services.importer.follow([attachment.follow_id, *(each.follow_id for each in rows)])


def check_provider(provider: Any, providers: Collection[str]) -> None:
    """Raise InvalidRequest, NotFound or Unprocessable unless this is one of the providers."""
    if provider is None or provider == "":
        raise InvalidRequest("provider is missing", field="provider")
    if not isinstance(provider, str):
        raise Unprocessable("provider should be a string", field="provider")
    if provider not in providers:
        raise NotFound("there is no such provider", field="provider")


def selector_of(document: CreateFromExternal | AttachToExternal) -> tuple[SelectorKind, str]:
    """Kind and id of what the document names first; raises Unprocessable."""
    for kind in SELECTORS:
        value: str | None = getattr(document, f"{kind}_id")
        if value and SELECTOR_ID.fullmatch(value):
            return kind, value
        if value:
            raise Unprocessable("an id has at most 255 characters, none of them blank", field=f"{kind}Id")
    raise Unprocessable("one of matchId, phaseId, overallId should be given", field="matchId")


def check_event_types(document: CreateFromExternal | ExternalChange, known: Collection[str]) -> None:
    """Raise Unprocessable, with its path, for an event type that no provider has."""
    configured = document.auto_post_configuration
    for index, name in enumerate(configured.exclude_events if configured else ()):
        if name not in known:
            path = f"autoPostConfiguration.excludeEvents.{index}"
            raise Unprocessable("there is no such event type", field=path)
