"""The sources of a liveblog's match, changed: another one stands by or none does, and a person chooses who leads."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from api.external.endpoint import SELECTOR_ID, check_provider
from api.http.services import StandbyRequest
from api.view.match_sources import AUTOMATIC, source_named
from mapping.errors import Forbidden, MatchUnknown, ServiceError, Unprocessable, UpstreamUnavailable
from store.following import standbys

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from api.http.services import Services
    from mapping.documents.external import ExternalChange, StandbyMatch
    from store.engine.unit import Unit
    from store.following.sync import Attachment

FIELD = "standby.0"
PROVIDER_FIELD, MATCH_FIELD = f"{FIELD}.provider", f"{FIELD}.matchId"
FIELDS: tuple[tuple[type[ServiceError], str], ...] = (
    (MatchUnknown, MATCH_FIELD),
    (Forbidden, PROVIDER_FIELD),
    (UpstreamUnavailable, PROVIDER_FIELD),
)
"""Where what a provider refuses lies in the request."""
NO_SOURCE = "this is no source of the liveblog's match"


async def add_standby(
    services: Services, organization_id: str, liveblog: str, document: ExternalChange, if_match: int | None = None
) -> None:
    """Have the source of the document stand by; nothing where it names none.

    `if_match`: the version that the liveblog has to have still. Raises UpstreamUnavailable where this process cannot see to it,
    Conflict, and the errors of createFromExternal with the field of the source.
    """
    for each in document.standby or ():
        check_source(each, services.providers)
        if services.add_standby is None:
            raise UpstreamUnavailable("this process reaches no provider", field=PROVIDER_FIELD)
        wanted = StandbyRequest(
            organization_id=organization_id,
            liveblog=liveblog,
            provider=each.provider,
            match_id=each.match_id,
            if_match=if_match,
        )
        with _at_source():
            await services.add_standby(wanted)


def check_source(source: StandbyMatch, providers: Collection[str], first: str | None = None) -> None:
    """Raise NotFound for a provider that there is not, Unprocessable for that of the match itself, and for what is no id."""
    with _at_source():
        check_provider(source.provider, providers)
    if not SELECTOR_ID.fullmatch(source.match_id):
        raise Unprocessable("an id has at most 255 characters, none of them blank", field=MATCH_FIELD)
    if source.provider == first:
        raise Unprocessable("the liveblog's match is this provider's already", field=PROVIDER_FIELD)


@contextmanager
def _at_source() -> Iterator[None]:
    """What is refused names the field of the source, not one of the match."""
    try:
        yield
    except ServiceError as error:
        if error.field in {None, "provider", "matchId"}:
            error.field = next((field for kind, field in FIELDS if isinstance(error, kind)), error.field)
        if error.field in {"provider", "matchId"}:
            error.field = f"{FIELD}.{error.field}"
        raise


def check_leads(document: ExternalChange, first: str) -> None:
    """Raise Unprocessable where a source is to lead that is none once the document's stands by; `first`: the match's provider."""
    sources = {None, AUTOMATIC, first, *(each.provider for each in document.standby or ())}
    if document.leads not in sources:
        raise Unprocessable(NO_SOURCE, field="leads")


def change_sources(unit: Unit, attachment: Attachment, document: ExternalChange) -> bool:
    """Take the standby off, or have the source lead that a person chooses; whether anything changes. Raises Unprocessable."""
    game_id, wanted = attachment.game_id, document.leads
    standby = standbys.of_liveblog(unit.conn, game_id)
    removed = document.standby == () and standby is not None
    if removed:
        standbys.remove(unit, game_id)
    if standby is None or removed or wanted is None:
        if wanted not in {None, AUTOMATIC}:
            raise Unprocessable("no source stands by for the liveblog's match", field="leads")
        return removed
    chosen = source_named(wanted, standby, attachment.provider)
    if chosen is None and wanted != AUTOMATIC:
        raise Unprocessable(NO_SOURCE, field="leads")
    if standby.pinned == chosen:
        return False
    standbys.pin(unit, game_id, chosen)
    return True
