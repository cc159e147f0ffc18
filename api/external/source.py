"""The connection of a liveblog that exists: shown, changed, attached to a match, taken off it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from api.external.change_sources import change_sources, check_sources, find_standbys, follow_sources
from api.external.endpoint import check_event_types, check_provider, created_game, selector_of
from api.http.errors import json_response
from api.http.openapi import (
    IF_MATCH,
    READ_ERRORS,
    WRITE_ERRORS,
    document_answer,
    in_path,
    json_body,
    operation,
    request_schema,
)
from api.http.request import parse_document
from api.view.external import externals
from api.view.liveblog_access import check_version, expected_version
from api.view.match_sources import match_sources
from api.view.references import decorate
from mapping.documents.external import AttachToExternal, ExternalChange, ExternalSource
from mapping.documents.game import Game
from mapping.errors import Conflict, NotFound, Unprocessable
from mapping.import_options import ImportOptions, Withdrawn
from store.following import sources, standbys, sync
from store.following.connection import NamedLiveblog, change_terms, lock
from store.following.import_request import ImportRequest
from store.liveblogs import liveblogs

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Connection
    from starlette.responses import Response

    from api.http.json_path import Json
    from api.http.request import ApiRequest
    from api.http.services import Services
    from store.engine.unit import Unit
    from store.following.import_request import FoundStandby
    from store.liveblogs.liveblogs import StoredGame

NOT_ATTACHED = "the liveblog is on no match"
LIVEBLOG_ID = "liveblogId"
TAG = "External providers"
PATH = (in_path("organizationId"), in_path(LIVEBLOG_ID))
SETTINGS = {
    "autoPostEnabled": True,
    "autoPostConfiguration": {"excludeEvents": ["soccer.yellow-card"]},
    "paused": False,
}
SHOW = operation(
    "liveblog.external",
    "Show what a liveblog takes over from its match",
    TAG,
    {200: document_answer(ExternalSource, "The settings, the match and the health of the feed"), **READ_ERRORS},
    parameters=PATH,
)
CHANGE = operation(
    "liveblog.changeExternal",
    "Change what a liveblog takes over from its match",
    TAG,
    {200: document_answer(ExternalSource, "The settings as they are now"), **WRITE_ERRORS},
    parameters=[*PATH, IF_MATCH],
    body=json_body(request_schema(ExternalChange), SETTINGS),
)
ATTACH = operation(
    "liveblog.attachExternal",
    "Put a liveblog that exists on a provider's match",
    TAG,
    {200: document_answer(Game, "The decorated liveblog, with `external`"), **WRITE_ERRORS},
    parameters=PATH,
    body=json_body(request_schema(AttachToExternal), {"provider": "heim", "matchId": "8315073", **SETTINGS}),
)
DETACH = operation(
    "liveblog.detachExternal",
    "Take a liveblog off its match",
    TAG,
    {200: document_answer(Game, "The decorated liveblog, without `external`"), **WRITE_ERRORS},
    parameters=PATH,
)


def named_liveblog(request: ApiRequest) -> NamedLiveblog:
    """The liveblog that the path names."""
    return NamedLiveblog(str(request.path_params[LIVEBLOG_ID]), request.organization_id)


async def show(request: ApiRequest) -> Response:
    """Show the settings under which a liveblog follows its match (interface: Liveblog from a provider)."""
    return json_response(await request.services.store.read(_reader(request)))


async def change(request: ApiRequest) -> Response:
    """Change these settings; the posts that are there follow within seconds (interface: Liveblog from a provider)."""
    services, named = request.services, named_liveblog(request)
    document = await request.document(ExternalChange)
    check_event_types(document, services.event_types)
    if document.provider is not None:
        check_provider(document.provider, services.providers)
    expected = expected_version(request.headers)
    found: list[FoundStandby] = []
    if document.standby:  # what is refused whatever the providers say is refused before they are requested
        known = await services.store.read(partial(_check, services, named, document, expected))
        found = await find_standbys(services, named.organization_id, document, known)

    def save(unit: Unit) -> tuple[StoredGame, sync.Attachment]:
        game, attached = lock(unit, named)
        check_version(expected, changed=game.version, current=game.version)
        attachment = require_attachment(attached)
        if document.provider not in {None, attachment.provider}:
            raise Unprocessable(
                "the liveblog is on another provider's match; attach it to one of this", field="provider"
            )
        terms = _changed_terms(services, attachment, document)
        changed = change_sources(unit, attachment, document, found)
        if not change_terms(unit, game, attachment, terms) and changed:
            liveblogs.record(unit, game.id, liveblogs.Change())
        return game, attachment

    game, attachment = await services.store.write(save)
    if found:
        await follow_sources(services, attachment)
    shown = await services.store.read(_reader(request))
    request.audit("liveblog.changeExternal", liveblog=game.local_id, version=shown["version"])
    return json_response(shown)


async def attach(request: ApiRequest) -> Response:
    """Put the liveblog on a match, or on another one than so far (interface: Liveblog from a provider)."""
    services, named = request.services, named_liveblog(request)
    body = await request.json()
    check_provider(body.get("provider"), services.providers)
    document = parse_document(AttachToExternal, body)
    check_event_types(document, services.event_types)
    kind, selector_id = selector_of(document)
    check_sources(document, services.providers, document.provider)
    found = await find_standbys(services, named.organization_id, document)
    changes = document.standby is not None or document.leads is not None
    terms = document.applied_to(await services.store.read(partial(_terms, named)))
    wanted = ImportRequest.of_terms(
        terms,
        organization_id=named.organization_id,
        client_id=request.caller.client_id,
        provider=document.provider,
        selector_kind=kind,
        selector_id=selector_id,
        attach_to=named.name,
        paused=terms.paused,
        sources=partial(change_sources, document=document, found=found) if changes else None,
    )
    game_id = await services.importer.create(wanted)
    if found:
        await follow_sources(services, await services.store.read(partial(sync.attachment, game_id=game_id)))
    game = await services.store.read(partial(created_game, game_id=game_id))
    request.audit("liveblog.attachExternal", liveblog=game["local_id"], version=game.get("version"))
    return json_response(game)


def _check(
    services: Services, named: NamedLiveblog, document: ExternalChange, expected: int | None, conn: Connection
) -> list[standbys.StandbySource]:
    """Raise what the change would be refused with whatever the providers say; gives the sources that stand by."""
    game = named.find(conn)
    check_version(expected, changed=game.version, current=game.version)
    attachment = require_attachment(sync.attachment(conn, game.id))
    check_sources(document, services.providers, attachment.provider)
    _changed_terms(services, attachment, document)
    return standbys.of_liveblog(conn, game.id)


def _changed_terms(services: Services, attachment: sync.Attachment, document: ExternalChange) -> ImportOptions:
    """The terms after the change. Raises InvalidRequest for text that the organization does not get."""
    before = sync.terms_of(attachment)
    after = document.applied_to(before)
    if after.text and not before.text:
        services.importer.check_text(attachment.organization_id, attachment.provider, before.sport)
    return after


async def detach(request: ApiRequest) -> Response:
    """Take the liveblog off its match; its posts are the editors' from then on (interface: Liveblog from a provider)."""
    services, named = request.services, named_liveblog(request)

    def work(unit: Unit) -> None:
        game, attachment = lock(unit, named)
        if attachment is None:
            return
        if attachment.declared_key is not None:
            raise Conflict("the configuration declares this liveblog; attach it to another match, or pause it")
        sources.detach(unit, attachment)
        liveblogs.record(unit, game.id, liveblogs.Change())

    await services.store.write(work)
    game = await services.store.read(partial(shown_game, named, request))
    request.audit("liveblog.detachExternal", liveblog=game["local_id"], version=game["version"])
    return json_response(game)


def require_attachment(attachment: sync.Attachment | None) -> sync.Attachment:
    """The attachment that a liveblog has to have. Raises NotFound."""
    if attachment is None:
        raise NotFound(NOT_ATTACHED, field=LIVEBLOG_ID)
    return attachment


def _terms(named: NamedLiveblog, conn: Connection) -> ImportOptions:
    """The terms that the liveblog has; those of a new attachment where it has none."""
    game = named.find(conn)
    attachment = sync.attachment(conn, game.id)
    if attachment is not None:
        return sync.terms_of(attachment)
    return ImportOptions(sport=game.sportstype, locale=game.document.get("locale") or "en")


def _reader(request: ApiRequest) -> Callable[[Connection], Json]:
    """Reads the settings; what the liveblog does not say itself is as its organization has it."""
    named = named_liveblog(request)
    organization = request.services.settings.organization(named.organization_id)
    return partial(_settings, named, organization.withdrawn)


def _settings(named: NamedLiveblog, withdrawn: Withdrawn, conn: Connection) -> Json:
    game = named.find(conn)
    on_match, found = sources.sources_of(conn, [game.id]), externals(conn, [game.id]).get(game.id)
    if found is None or not on_match:
        raise NotFound(NOT_ATTACHED, field=LIVEBLOG_ID)
    (source,), terms = on_match, sync.terms_of(on_match[0])
    auto = found["autoPost"]
    return {
        "version": game.version,
        "autoPostEnabled": auto["enabled"],
        "autoPostConfiguration": {name: auto[name] for name in ("excludeScoreboard", "excludeEvents")},
        "includeTextContent": auto["includeTextContent"],
        "withdrawn": terms.withdrawn or withdrawn,
        "confirm": terms.confirm,
        **match_sources(conn, source),
        **{name: found[name] for name in ("locale", "paused", "provider", "selector", "status", "feedHealth")},
    }


def shown_game(named: NamedLiveblog, request: ApiRequest, conn: Connection) -> Json:
    return decorate(conn, named.find(conn), owner_name=request.services.organizations)
