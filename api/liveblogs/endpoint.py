"""Liveblogs of the write API: create, modify, show, search."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from api.audit import audit
from api.errors import json_response
from api.events.operations import IF_MATCH
from api.liveblog_access import expected_version, may_write_events
from api.liveblogs.create import create as created
from api.liveblogs.modify import ModifyRequest, modify
from api.openapi import BOOLEAN, READ_ERRORS, documented, json_body, linked, operation, query
from api.paging import asked_of, collection, owners_of, page_of
from api.query import boolean, choice
from api.reading import NO_LIVEBLOG, named_game
from api.references import decorate, decorate_compact
from api.schemas import asked
from api.write_operations import GAME_SEARCH, SEARCH_ERRORS, WRITE_ERRORS, readable
from mapping.documents.collection import Collection
from mapping.documents.game import Game, GameDraft
from mapping.documents.modification import PostModifications
from mapping.errors import InvalidRequest, NotFound
from mapping.rules.timeframe import TIMEFRAMES, Timeframe, span
from store import listing
from store.listing import GameFilter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection
    from starlette.responses import Response

    from api.auth import Caller
    from api.json_path import Json
    from api.query import Query
    from api.routing import ApiRequest
    from api.services import Services
    from store.liveblogs import StoredGame

NAMES = ("local_id", "ticker_id")
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
CREATED = linked(readable(documented(Game, "The decorated liveblog")), "event.create", ticker_local_id="local_id")
CREATE = operation(
    "ticker.create",
    "Create a liveblog",
    "Liveblogs",
    {200: CREATED, **WRITE_ERRORS},
    body=json_body(asked(GameDraft), NEW),
)
MODIFY = operation(
    "ticker.post_modifications",
    "Modify a liveblog",
    "Liveblogs",
    {200: documented(Game, "The decorated liveblog, one version later"), **WRITE_ERRORS},
    parameters=[IF_MATCH],
    body=json_body(asked(PostModifications), CHANGES),
)
SHOW = operation(
    "ticker.show",
    "Show a liveblog",
    "Liveblogs",
    {200: documented(Game, "The decorated liveblog, oldest event first, drafts included"), **READ_ERRORS},
    parameters=[
        query("local_id", "`local_id` of the liveblog"),
        query("ticker_id", "`ticker_id`, instead of `local_id`"),
        query("compact", "Abbreviated events: ids, version, status, sort and tags", BOOLEAN),
    ],
)
SEARCH = operation(
    "ticker.search",
    "Search liveblogs",
    "Liveblogs",
    {
        200: documented(Collection[Game], "A page of decorated liveblogs, the newest first, their events abbreviated"),
        **SEARCH_ERRORS,
    },
    parameters=GAME_SEARCH,
)
FRAMES: dict[str, Timeframe] = {name: name for name in TIMEFRAMES}


async def create(request: ApiRequest) -> Response:
    """Create a liveblog of one of the client's organizations (interface: Liveblogs, Create)."""
    draft = await request.document(GameDraft)
    game = await request.services.store.write(partial(created, draft=draft, caller=request.caller))
    audit(request.context, "ticker.create", liveblog=game.local_id, version=game.version)
    return json_response(await request.services.store.read(partial(_decorated, game, request.services)))


async def post_modifications(request: ApiRequest) -> Response:
    """Modify a liveblog, all or nothing (interface: Liveblogs, Modify)."""
    services = request.services
    wanted = await request.document(PostModifications)
    order = ModifyRequest(caller=request.caller, wanted=wanted, expected=expected_version(request.headers))
    group_key = services.homes(wanted.local_id or wanted.ticker_id or "")
    game = await services.store.write(partial(modify, order=order), group_key=group_key)
    audit(request.context, "ticker.post_modifications", liveblog=game.local_id, version=game.version)
    return json_response(await services.store.read(partial(_decorated, game, services)))


async def show(request: ApiRequest) -> Response:
    """Show a liveblog of one of the client's organizations, or one shared with it (interface: Liveblogs, Show)."""
    names = {name: request.query[name] for name in NAMES if request.query.get(name)}
    compact = boolean(request.query, "compact")
    if not names:
        raise InvalidRequest("local_id or ticker_id is missing", field=NAMES[0])

    def found(conn: Connection) -> Json:
        game, *others = [_game(conn, value, request.caller, field=name) for name, value in names.items()]
        if any(other.id != game.id for other in others):
            raise InvalidRequest("local_id and ticker_id name different liveblogs", field=NAMES[0])
        return _decorated(game, request.services, conn, compact=compact)

    return json_response(await request.services.store.read(found))


async def search(request: ApiRequest) -> Response:
    """Search the liveblogs of the client's organizations (interface: Liveblogs, Search)."""
    services, query = request.services, asked_of(request.context)
    page = page_of(query, "more")
    wanted = _filter(query, owners_of(query, request.caller), services)

    def answer(conn: Connection) -> Json:
        found = listing.liveblogs(conn, wanted, page)
        shown = decorate_compact(conn, found.records, owner_name=services.organizations)
        return collection(shown, found.total, page)

    return json_response(await services.store.read(answer))


def _filter(query: Query, owners: Sequence[str], services: Services) -> GameFilter:
    frame = choice(query, "timeframe", FRAMES, "all")
    when = span(frame, int(services.clock()), ZoneInfo(services.settings.timezone))
    return GameFilter(
        owners=owners,
        q=query.get("q", ""),
        template_id=query.get("template_id"),
        team_id=query.get("team_id"),
        tag=query.get("tag"),
        start=when.start,
        end=when.end,
    )


def _game(conn: Connection, name: str, caller: Caller, *, field: str) -> StoredGame:
    game = named_game(conn, name, field=field)
    if not may_write_events(game, caller):
        raise NotFound(NO_LIVEBLOG, field=field)
    return game


def _decorated(game: StoredGame, services: Services, conn: Connection, *, compact: bool = False) -> Json:
    return decorate(conn, game, compact=compact, owner_name=services.organizations)
