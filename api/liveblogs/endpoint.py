"""Liveblogs of the write API: create, modify, show, search."""

from __future__ import annotations

from functools import partial
from zoneinfo import ZoneInfo

from sqlalchemy import Connection
from starlette.responses import Response

from api.capabilities import extras_of, with_extras
from api.http import openapi
from api.http.errors import json_response
from api.http.json_path import Json
from api.http.paging import (
    DEEPEST,
    LIMIT,
    OWNER,
    check_owner,
    collection,
    drop_empty,
    filters,
    owners_of,
    page_of,
)
from api.http.param import KEY, Flag, Integer, OneOf, Query, Text, idempotency_key
from api.http.request import ApiRequest, Caller, Services, parse_document
from api.liveblogs import operations
from api.media.document_files import WrittenRecord, check_addresses, take_and_store
from api.view.liveblog_access import LiveblogIndex, expected_version, holders, may_write_events
from api.view.references import complete, decorate, decorate_compact
from mapping.documents.game import Collection, Game, GameDraft
from mapping.documents.modification import PostModifications
from mapping.errors import InvalidRequest, NotFound
from mapping.rules.timeframe import TIMEFRAMES, Timeframe, span
from store.engine.liveblog_records import StoredGame, new_local_id
from store.liveblogs import listing, liveblogs
from store.liveblogs.listing import GameFilter

NAMES = ("local_id", "ticker_local_id", "ticker_id")
NEW = {
    "_type": "Svc::Model::Game",
    "organization_id": "5f0c1de2a1b2c3d4e5f60718",
    "template_id": "soccer",
    "meta_info": {
        "_type": "Svc::Model::GameMetaInfo::TeamGameMetaInfo",
        "home_team": {"_type": "Svc::Model::Team", "name": "SV Hafenstadt"},
        "away_team": {"_type": "Svc::Model::Team", "name": "Alpenverein Bergheim"},
        "starts_at": 1789995600,
    },
    "tags": ["derby"],
    "external_id": "cms-4711",
    "locale": "de",
}
CHANGES = {
    "local_id": "5f0c1de2a1b2c3d4e5f60718_cms-4711",
    "modifications": [
        {
            "_type": "Svc::Model::Modification::UpdateGameScoreInfoModification",
            "score_info": {"_type": "Svc::Model::ScoreInfo::TeamGameScoreInfo", "home_score": 2, "away_score": 1},
        },
        {
            "_type": "Svc::Model::Modification::UpsertPermissionModification",
            "permission": {"permission": "w", "reftype": "Organization", "refid": "5f0c1de2a1b2c3d4e5f60719"},
        },
    ],
}
CREATED = openapi.with_link(
    openapi.readable(openapi.document_answer(Game, "The decorated liveblog")),
    "event.create",
    ticker_local_id="local_id",
)
CREATE = openapi.operation(
    "ticker.create",
    "Create a liveblog",
    "Liveblogs",
    {200: CREATED, **openapi.WRITE_ERRORS},
    parameters=[KEY],
    body=openapi.json_body(openapi.request_schema(GameDraft), NEW),
)
MODIFY = openapi.operation(
    "ticker.post_modifications",
    "Modify a liveblog",
    "Liveblogs",
    {
        200: openapi.json_answer(
            {"anyOf": [openapi.response_schema(Game), openapi.EMPTY]},
            "The decorated liveblog, one version later; nothing of one that is deleted",
        ),
        **openapi.WRITE_ERRORS,
    },
    parameters=[openapi.IF_MATCH],
    body=openapi.json_body(openapi.request_schema(PostModifications), CHANGES),
)
COMPACT = Flag("compact", "Abbreviated events: ids, version, status, sort and tags")
SHOW = openapi.operation(
    "ticker.show",
    "Show a liveblog",
    "Liveblogs",
    {
        200: openapi.document_answer(Game, "The decorated liveblog, oldest event first, drafts included"),
        **openapi.READ_ERRORS,
    },
    parameters=[
        Text("local_id", "`local_id` of the liveblog"),
        Text("ticker_local_id", "Another name for `local_id`"),
        Text("ticker_id", "`ticker_id`, instead of `local_id`"),
        COMPACT,
    ],
)
TIMEFRAME: OneOf[Timeframe] = OneOf(
    "timeframe", "When the liveblog starts", choices={name: name for name in TIMEFRAMES}, default="all"
)
MORE = Integer("more", "The page", low=1, high=DEEPEST, default=1)
SEARCH = openapi.operation(
    "ticker.search",
    "Search liveblogs",
    "Liveblogs",
    {
        200: openapi.document_answer(
            Collection[Game], "A page of decorated liveblogs, the newest first, their events abbreviated"
        ),
        **openapi.READ_ERRORS,
    },
    parameters=filters(
        OWNER,
        Text("q", "Full text over titles and teams; each word matches as a beginning"),
        Text("template_id", "A sport or a custom template"),
        Text("team_id", "Liveblogs in which the team plays"),
        Text("tag", "Liveblogs with this label, by its name or `_id`"),
        TIMEFRAME,
        LIMIT,
        MORE,
    ),
)


async def create(request: ApiRequest) -> Response:
    """Create a liveblog of one of the client's organizations (interface: Liveblogs, Create)."""
    body, key = await request.json(), idempotency_key(request.headers)
    name = f"liveblog {key or body.get('external_id') or new_local_id('g')}"
    files = await take_and_store(request, body, str(body.get("organization_id")), name)
    draft = parse_document(GameDraft, body)
    check_owner(request.caller, draft.organization_id, field="organization_id")
    await check_addresses(request, draft, WrittenRecord(draft.organization_id))
    work = partial(
        operations.create_once,
        draft=draft,
        caller=request.caller,
        organizations=request.services.organizations,
        files=files,
        key=key,
    )
    game = await request.services.store.write(work)
    request.audit("ticker.create", liveblog=game.local_id, version=game.version)
    return json_response(await request.services.store.read(partial(_decorate, game, request.services)))


async def post_modifications(request: ApiRequest) -> Response:
    """Modify a liveblog, all or nothing (interface: Liveblogs, Modify)."""
    services = request.services
    modifications = await request.document(PostModifications)
    work = partial(
        operations.modify,
        wanted=modifications,
        caller=request.caller,
        organizations=services.organizations,
        expected=expected_version(request.headers),
    )
    name = next(iter(operations.names_in(modifications).values()), "")
    await check_addresses(request, modifications, partial(_record_of_liveblog, name, request.caller))
    group_key = services[LiveblogIndex](name)
    game = await services.store.write(work, group_key=group_key)
    if game is None:
        return json_response({})
    request.audit("ticker.post_modifications", liveblog=game.local_id, version=game.version)
    return json_response(await services.store.read(partial(_decorate, game, services)))


async def show(request: ApiRequest) -> Response:
    """Show a liveblog of one of the client's organizations, or one shared with it (interface: Liveblogs, Show)."""
    names = {name: request.query[name] for name in NAMES if request.query.get(name)}
    compact = COMPACT.of(request.query)
    if not names:
        raise InvalidRequest("local_id, ticker_local_id or ticker_id is missing", field=NAMES[0])

    def found(conn: Connection) -> Json:
        game, *others = [_game(conn, value, request.caller, field=name) for name, value in names.items()]
        if any(other.id != game.id for other in others):
            raise InvalidRequest(f"{' and '.join(names)} name different liveblogs", field=NAMES[0])
        return _decorate(game, request.services, conn, compact=compact)

    document = await request.services.store.read(found)
    if not compact:
        extras = await extras_of(request.services, document["organization_id"], document["ticker_id"], None)
        document = with_extras(document, extras)
    return json_response(document)


async def search(request: ApiRequest) -> Response:
    """Search the liveblogs of the client's organizations (interface: Liveblogs, Search)."""
    services, parameters = request.services, drop_empty(request.query)
    page = page_of(parameters, MORE)
    wanted = _filter(parameters, request.caller, services)

    def load(conn: Connection) -> Json:
        found = listing.liveblogs(conn, wanted, page)
        shown = decorate_compact(conn, found.records, owner_name=services.organizations)
        return collection(shown, found, page)

    return json_response(await services.store.read(load))


def _filter(parameters: Query, caller: Caller, services: Services) -> GameFilter:
    when = span(TIMEFRAME.of(parameters), int(services.clock()), ZoneInfo(services.settings.server.timezone))
    return GameFilter(
        owners=owners_of(parameters, caller),
        holders=() if "owner_id" in parameters else [" ".join(holder) for holder in sorted(holders(caller))],
        q=parameters.get("q", ""),
        template_id=parameters.get("template_id"),
        team_id=parameters.get("team_id"),
        tag=parameters.get("tag"),
        start=when.start,
        end=when.end,
    )


def _record_of_liveblog(name: str, caller: Caller, conn: Connection) -> WrittenRecord | None:
    """The named liveblog as the caller is shown it, without events; None where the caller may not write it."""
    game = liveblogs.find_game(conn, name)
    if game is None or not may_write_events(game, caller):
        return None
    return WrittenRecord(game.organization_id, complete(conn, [game.as_document()])[0])


def _game(conn: Connection, name: str, caller: Caller, *, field: str) -> StoredGame:
    game = liveblogs.require_game(conn, name, field=field)
    if not may_write_events(game, caller):
        raise NotFound(liveblogs.NO_LIVEBLOG, field=field)
    return game


def _decorate(game: StoredGame, services: Services, conn: Connection, *, compact: bool = False) -> Json:
    return decorate(conn, game, compact=compact, owner_name=services.organizations)
