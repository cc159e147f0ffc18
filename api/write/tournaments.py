"""Tournaments of the write API."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.depends import Asked, Given, Reader, Writer
from api.openapi import READ_ERRORS, documented
from api.write import masters
from api.write.operations import (
    ARCHIVE,
    LIMIT,
    OWNER,
    PAGE,
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
from mapping.documents.people import Tournament, TournamentDraft, TournamentUpdate
from store.tables import tournaments

router = APIRouter(prefix="/api/v5/write/tournament", tags=["Tournaments"])

EXAMPLE = {
    "_type": "Svc::Model::Tournament",
    "name": "Küstencup",
    "sportstype": "soccer",
    "owner_id": "5f0c1de2a1b2c3d4e5f60718",
}
CHANGED = {"_type": "Svc::Model::Tournament", "_id": "5f0c1de2a1b2c3d4e5f60801", "name": "Küstencup 2027"}
SHOWN = documented(Tournament, "The tournament as it is now")


@router.post(
    "/create.json",
    operation_id="tournament.create",
    summary="Create a tournament",
    response_class=Response,
    responses={200: linked(SHOWN, "tournament.show", _id="_id"), **WRITE_ERRORS},
    openapi_extra=body(TournamentDraft, EXAMPLE),
)
async def create(request: Request, services: Given, asked: Asked, caller: Writer) -> Response:
    """Create a tournament of one of the client's organizations (interface: Tournaments, Create)."""
    return await masters.create(request, tournaments, TournamentDraft, services=services, context=asked, caller=caller)


@router.post(
    "/update.json",
    operation_id="tournament.update",
    summary="Change a tournament",
    response_class=Response,
    responses={200: linked(SHOWN, "tournament.show", _id="_id"), **WRITE_ERRORS},
    openapi_extra=body(TournamentUpdate, CHANGED),
)
async def update(request: Request, services: Given, asked: Asked, caller: Writer) -> Response:
    """Change a tournament; what is left out stays (interface: Tournaments, Update)."""
    return await masters.change(request, tournaments, TournamentUpdate, services=services, context=asked, caller=caller)


@router.head("/show.json", include_in_schema=False)
@router.get(
    "/show.json",
    operation_id="tournament.show",
    summary="Show a tournament",
    response_class=Response,
    responses={200: SHOWN, **READ_ERRORS},
    openapi_extra=found_by_id("tournament"),
)
async def show(services: Given, asked: Asked, caller: Reader) -> Response:
    """Show a tournament of one of the client's organizations (interface: Tournaments, Read)."""
    return await masters.show(tournaments, services=services, context=asked, caller=caller)


@router.head("/index.json", include_in_schema=False)
@router.get(
    "/index.json",
    operation_id="tournament.index",
    summary="Search tournaments",
    response_class=Response,
    responses={200: documented(Collection[Tournament], "A page, the newest first"), **SEARCH_ERRORS},
    openapi_extra=parameters(Q, SPORT, ARCHIVE, OWNER, LIMIT, PAGE),
)
async def index(services: Given, asked: Asked, caller: Reader) -> Response:
    """Search the tournaments of the client's organizations (interface: Tournaments, Search)."""
    return await masters.search(tournaments, services=services, context=asked, caller=caller)
