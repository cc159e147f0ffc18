"""Connects liveblogs with matches of providers, for requests of the API and forms of the desk alike.

Each raises the errors of `mapping.errors` for what a caller may not have or has said wrongly; whether it may do it at all is
checked before.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from sqlalchemy import Connection

from api.external.change_sources import (
    change_sources,
    check_event_types,
    check_provider,
    check_sources,
    find_standbys,
    follow_sources,
    selector_of,
)
from api.http.json_path import Json
from api.http.param import digest_of
from api.http.request import Services, parse_document
from api.view.liveblog_access import check_version
from api.view.match_sources import match_sources
from api.view.references import decorate, externals
from mapping.documents.external import AttachToExternal, CreateFromExternal, ExternalChange
from mapping.documents.import_options import ImportOptions, Withdrawn
from mapping.errors import Conflict, NotFound, Unprocessable
from store.engine.liveblog_records import Change, StoredGame
from store.engine.unit import Unit
from store.following import follow_rows, sources, standbys
from store.following.import_request import FoundStandby, ImportRequest
from store.following.overview import liveblogs_on
from store.following.sources import NamedLiveblog, change_terms, lock_with_match
from store.liveblogs import liveblogs

LIVEBLOG_ID = "liveblogId"
NOT_ATTACHED = "the liveblog is on no match"
SELECTED = ("provider", "matchId", "phaseId", "overallId")
"""What names a match that is looked at."""


async def create(
    services: Services,
    body: dict[str, Any],
    *,
    organization_id: str,
    client_id: str,
    key: str | None,
    editorial: bool = False,
) -> Json:
    """Create a liveblog that a provider's match fills; returns it decorated.

    `key`: the same one creates one. `editorial`: its posts wait until somebody publishes them (`editorial_publishing`).
    """
    check_provider(body.get("provider"), services.providers)
    # null says the same as leaving a name out: none of these fields can be cleared.
    document = parse_document(CreateFromExternal, {name: value for name, value in body.items() if value is not None})
    kind, selector_id = selector_of(document)
    auto = document.auto_post_configuration if document.auto_post_enabled else None
    check_event_types(document, services.event_types)
    wanted = ImportRequest(
        organization_id=organization_id,
        client_id=client_id,
        provider=document.provider,
        selector_kind=kind,
        selector_id=selector_id,
        terms=ImportOptions(
            sport="",
            title=document.title or None,
            locale=document.locale,
            text=document.include_text_content,
            auto_post=document.auto_post_enabled,
            exclude_scoreboard=bool(auto and auto.exclude_scoreboard),
            exclude_events=frozenset(auto.exclude_events) if auto else frozenset(),
        ),
        idempotency_key=key,
        idempotency_digest=digest_of(body),
        editorial=editorial,
    )
    return await _read_made_game(services, await services.importer.create(wanted))


async def preview(
    services: Services, query: Mapping[str, str], *, organization_id: str, client_id: str, text: bool
) -> Json:
    """What the match holds that the query names, and which liveblogs are on it; `text`: refuse one without."""
    check_provider(query.get("provider"), services.providers)
    names = {name: query[name] for name in SELECTED if query.get(name)}
    kind, selector_id = selector_of(parse_document(CreateFromExternal, names))
    wanted = ImportRequest(
        terms=ImportOptions(sport="", text=text),
        organization_id=organization_id,
        client_id=client_id,
        provider=names["provider"],
        selector_kind=kind,
        selector_id=selector_id,
    )
    found = await services.importer.preview(wanted)
    provider, match_id = found["provider"], found["selector"]["matchId"]
    find = partial(liveblogs_on, organization_id=organization_id, provider=provider, match_id=match_id)
    return {**found, "liveblogs": await services.store.read(find)}


async def show(services: Services, named: NamedLiveblog) -> Json:
    """The settings; what the liveblog does not say itself is as its organization has it."""
    organization = services.settings.organization(named.organization_id)
    return await services.store.read(partial(_settings, named, organization.withdrawn))


async def change(
    services: Services, named: NamedLiveblog, document: ExternalChange, expected: int | None = None
) -> StoredGame:
    """Change the settings; `expected`: unless another version than this stands. Returns the liveblog as it is now."""
    check_event_types(document, services.event_types)
    if document.provider is not None:
        check_provider(document.provider, services.providers)
    found: list[FoundStandby] = []
    if document.standby:  # what is refused whatever the providers say is refused before they are requested
        known = await services.store.read(partial(_check, services, named, document, expected))
        found = await find_standbys(services, named.organization_id, document, known)

    def save(unit: Unit) -> tuple[StoredGame, follow_rows.Attachment]:
        game, attached = lock_with_match(unit, named)
        check_version(expected, changed=game.version, current=game.version)
        attachment = require_attachment(attached)
        if document.provider not in {None, attachment.provider}:
            raise Unprocessable(
                "the liveblog is on another provider's match; attach it to one of this", field="provider"
            )
        terms = _changed_terms(services, attachment, document)
        changed = change_sources(unit, attachment, document, found)
        if not change_terms(unit, game, attachment, terms) and changed:
            liveblogs.record(unit, game.id, Change())
        return liveblogs.require_game(unit.conn, game.id), attachment

    game, attachment = await services.store.write(save)
    if found:
        await follow_sources(services, attachment)
    return game


async def attach(services: Services, named: NamedLiveblog, body: dict[str, Any], *, client_id: str) -> Json:
    """Put the liveblog on a match, or on another one than so far; returns it decorated."""
    check_provider(body.get("provider"), services.providers)
    document = parse_document(AttachToExternal, body)
    check_event_types(document, services.event_types)
    kind, selector_id = selector_of(document)
    check_sources(document, services.providers, document.provider)
    found = await find_standbys(services, named.organization_id, document)
    changes = document.standby is not None or document.leads is not None
    terms = document.applied_to(await services.store.read(partial(_terms, named)))
    wanted = ImportRequest(
        terms=terms,
        organization_id=named.organization_id,
        client_id=client_id,
        provider=document.provider,
        selector_kind=kind,
        selector_id=selector_id,
        attach_to=named.name,
        sources=partial(change_sources, document=document, found=found) if changes else None,
    )
    game_id = await services.importer.create(wanted)
    if found:
        await follow_sources(services, await services.store.read(partial(follow_rows.attachment, game_id=game_id)))
    return await _read_made_game(services, game_id)


async def detach(services: Services, named: NamedLiveblog, match: str | None = None) -> Json:
    """Take the liveblog off its match; its posts are the editors' from then on. Returns it decorated.

    `match`: the provider's id of the one that is meant. Raises Conflict where it is on another one by now.
    """

    def work(unit: Unit) -> None:
        game, attachment = lock_with_match(unit, named)
        if attachment is None:
            return
        if match not in {None, attachment.match_id}:
            raise Conflict("somebody else has put the liveblog on another match")
        if attachment.declared_key is not None:
            raise Conflict("the configuration declares this liveblog; attach it to another match, or pause it")
        sources.detach(unit, attachment)
        liveblogs.record(unit, game.id, Change())

    await services.store.write(work)
    return await services.store.read(partial(shown_game, named, services))


def shown_game(named: NamedLiveblog, services: Services, conn: Connection) -> Json:
    """The decorated liveblog, with the name of its organization."""
    return decorate(conn, named.find(conn), owner_name=services.organizations)


async def _read_made_game(services: Services, game_id: str) -> Json:
    def read(conn: Connection) -> Json:
        return decorate(conn, liveblogs.require_game(conn, game_id))

    return await services.store.read(read)


def _check(
    services: Services, named: NamedLiveblog, document: ExternalChange, expected: int | None, conn: Connection
) -> list[standbys.StandbySource]:
    """Raise what the change would be refused with whatever the providers say; returns the sources that stand by."""
    game = named.find(conn)
    check_version(expected, changed=game.version, current=game.version)
    attachment = require_attachment(follow_rows.attachment(conn, game.id))
    check_sources(document, services.providers, attachment.provider)
    _changed_terms(services, attachment, document)
    return standbys.of_liveblog(conn, game.id)


def _changed_terms(services: Services, attachment: follow_rows.Attachment, document: ExternalChange) -> ImportOptions:
    """The terms after the change. Raises InvalidRequest for text that the organization does not get."""
    before = follow_rows.terms_of(attachment)
    after = document.applied_to(before)
    if after.text and not before.text:
        services.importer.check_text(attachment.organization_id, attachment.provider, before.sport)
    return after


def require_attachment(attachment: follow_rows.Attachment | None) -> follow_rows.Attachment:
    """The attachment that a liveblog has to have. Raises NotFound."""
    if attachment is None:
        raise NotFound(NOT_ATTACHED, field=LIVEBLOG_ID)
    return attachment


def _terms(named: NamedLiveblog, conn: Connection) -> ImportOptions:
    """The terms that the liveblog has; those of a new attachment where it has none."""
    game = named.find(conn)
    attachment = follow_rows.attachment(conn, game.id)
    if attachment is not None:
        return follow_rows.terms_of(attachment)
    return ImportOptions(sport=game.sportstype, locale=game.document.get("locale") or "en")


def _settings(named: NamedLiveblog, withdrawn: Withdrawn, conn: Connection) -> Json:
    game = named.find(conn)
    on_match, found = sources.sources_of(conn, [game.id]), externals(conn, [game.id]).get(game.id)
    if found is None or not on_match:
        raise NotFound(NOT_ATTACHED, field=LIVEBLOG_ID)
    (source,), terms = on_match, follow_rows.terms_of(on_match[0])
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
