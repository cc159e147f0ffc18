"""Liveblogs of the write API: create, modify, search."""

from functools import partial
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.context import headers_of
from api.decorate import decorate, decorate_compact
from api.depends import Asked, Given, Reader, Writer
from api.errors import json_response
from api.openapi import documented, linked
from api.peek import Json
from api.query import choice
from api.services import Services
from api.write.access import expected_version
from api.write.audit import audit
from api.write.bodies import read_document
from api.write.creating import create as created
from api.write.described import IF_MATCH
from api.write.modifying import Order, modify
from api.write.operations import GAME_SEARCH, SEARCH_ERRORS, WRITE_ERRORS, body, readable
from api.write.paging import asked_of, collection, owners_of, page_of
from mapping.documents.collection import Collection
from mapping.documents.game import Game, GameDraft
from mapping.documents.modification import PostModifications
from mapping.rules.timeframe import TIMEFRAMES, Timeframe, span
from store import listing
from store.listing import GameFilter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from api.query import Query
    from store.liveblogs import StoredGame

router = APIRouter(prefix="/api/v5/write/ticker", tags=["Liveblogs"])

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
FRAMES: dict[str, Timeframe] = {name: name for name in TIMEFRAMES}


@router.post(
    "/create.json",
    operation_id="ticker.create",
    summary="Create a liveblog",
    response_class=Response,
    responses={200: CREATED, **WRITE_ERRORS},
    openapi_extra=body(GameDraft, NEW),
)
async def create(request: Request, services: Given, asked: Asked, caller: Writer) -> Response:
    """Create a liveblog of one of the client's organizations (interface: Liveblogs, Create)."""
    draft = await read_document(request, GameDraft)
    game = await services.store.write(partial(created, draft=draft, caller=caller))
    audit(asked, "ticker.create", liveblog=game.local_id, version=game.version)
    return json_response(await services.store.read(partial(_decorated, game, services)))


@router.post(
    "/post_modifications.json",
    operation_id="ticker.post_modifications",
    summary="Modify a liveblog",
    response_class=Response,
    responses={200: documented(Game, "The decorated liveblog, one version later"), **WRITE_ERRORS},
    openapi_extra=body(PostModifications, CHANGES, IF_MATCH),
)
async def post_modifications(request: Request, services: Given, asked: Asked, caller: Writer) -> Response:
    """Modify a liveblog, all or nothing (interface: Liveblogs, Modify)."""
    wanted = await read_document(request, PostModifications)
    order = Order(caller=caller, wanted=wanted, expected=expected_version(headers_of(request.scope)))
    about = services.homes(wanted.local_id or wanted.ticker_id or "")
    game = await services.store.write(partial(modify, order=order), about=about)
    audit(asked, "ticker.post_modifications", liveblog=game.local_id, version=game.version)
    return json_response(await services.store.read(partial(_decorated, game, services)))


@router.head("/search.json", include_in_schema=False)
@router.get(
    "/search.json",
    operation_id="ticker.search",
    summary="Search liveblogs",
    response_class=Response,
    responses={
        200: documented(Collection[Game], "A page of decorated liveblogs, the newest first, their events abbreviated"),
        **SEARCH_ERRORS,
    },
    openapi_extra=GAME_SEARCH,
)
async def search(services: Given, asked: Asked, caller: Reader) -> Response:
    """Search the liveblogs of the client's organizations (interface: Liveblogs, Search)."""
    query = asked_of(asked)
    page = page_of(query, "more")
    wanted = _filter(query, owners_of(query, caller), services)

    def answer(conn: "Connection") -> Json:
        found = listing.liveblogs(conn, wanted, page)
        shown = decorate_compact(conn, found.records, owner_name=services.organizations)
        return collection(shown, found.total, page)

    return json_response(await services.store.read(answer))


def _filter(query: "Query", owners: "Sequence[str]", services: Services) -> GameFilter:
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


def _decorated(game: "StoredGame", services: Services, conn: "Connection") -> Json:
    return decorate(conn, game, owner_name=services.organizations)
