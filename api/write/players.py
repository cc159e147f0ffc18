"""Players of the write API."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.depends import Asked, Given, Reader, Writer
from api.openapi import READ_ERRORS, documented
from api.query import boolean
from api.write import masters
from api.write.operations import (
    ARCHIVE,
    INACTIVE,
    LIMIT,
    OWNER,
    PAGE,
    PLAYERS_TEAM,
    SEARCH_ERRORS,
    SPORT,
    WRITE_ERRORS,
    Q,
    body,
    found_by_id,
    linked,
    parameters,
)
from mapping.documents.collection import Collection
from mapping.documents.people import Player, PlayerDraft, PlayerUpdate
from store.tables import players

router = APIRouter(prefix="/api/v5/write/player", tags=["Players"])

EXAMPLE = {
    "_type": "Svc::Model::Player",
    "name": "Sören Dahl",
    "owner_id": "5f0c1de2a1b2c3d4e5f60718",
    "sportstype": "soccer",
    "number": "9",
    "position": "offense",
    "country": "DK",
    "birthdate": 796694400,
    "height": 184,
    "weight": 77000,
}
CHANGED = {
    "_type": "Svc::Model::Player",
    "_id": "5f0c1de2a1b2c3d4e5f60801",
    "name": "Sören Dahl",
    "number": "10",
    "weight": None,
}
SHOWN = documented(Player, "The player as it is now")


@router.post(
    "/create.json",
    operation_id="player.create",
    summary="Create a player",
    response_class=Response,
    responses={200: linked(SHOWN, "player.show", _id="_id"), **WRITE_ERRORS},
    openapi_extra=body(PlayerDraft, EXAMPLE),
)
async def create(request: Request, services: Given, asked: Asked, caller: Writer) -> Response:
    """Create a player of one of the client's organizations (interface: Players, Create)."""
    return await masters.create(request, players, PlayerDraft, services=services, context=asked, caller=caller)


@router.post(
    "/update.json",
    operation_id="player.update",
    summary="Change a player",
    response_class=Response,
    responses={200: linked(SHOWN, "player.show", _id="_id"), **WRITE_ERRORS},
    openapi_extra=body(PlayerUpdate, CHANGED),
)
async def update(request: Request, services: Given, asked: Asked, caller: Writer) -> Response:
    """Change a player; what is left out stays (interface: Players, Update)."""
    return await masters.change(request, players, PlayerUpdate, services=services, context=asked, caller=caller)


@router.head("/show.json", include_in_schema=False)
@router.get(
    "/show.json",
    operation_id="player.show",
    summary="Show a player",
    response_class=Response,
    responses={200: SHOWN, **READ_ERRORS},
    openapi_extra=found_by_id("player"),
)
async def show(services: Given, asked: Asked, caller: Reader) -> Response:
    """Show a player of one of the client's organizations (interface: Players, Read)."""
    return await masters.show(players, services=services, context=asked, caller=caller)


@router.head("/index.json", include_in_schema=False)
@router.get(
    "/index.json",
    operation_id="player.index",
    summary="Search players",
    response_class=Response,
    responses={200: documented(Collection[Player], "A page, the newest first"), **SEARCH_ERRORS},
    openapi_extra=parameters(Q, OWNER, SPORT, PLAYERS_TEAM, ARCHIVE, INACTIVE, LIMIT, PAGE),
)
async def index(services: Given, asked: Asked, caller: Reader) -> Response:
    """Search the players of the client's organizations (interface: Players, Search)."""
    inactive = boolean(asked.query, "include_inactive")
    return await masters.search(players, services=services, context=asked, caller=caller, inactive=inactive)
