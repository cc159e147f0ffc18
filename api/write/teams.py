"""Teams of the write API."""

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
from mapping.documents.people import Team, TeamDraft, TeamUpdate
from store.tables import teams

router = APIRouter(prefix="/api/v5/write/team", tags=["Teams"])

EXAMPLE = {
    "_type": "Svc::Model::Team",
    "name": "SV Hafenstadt",
    "owner_id": "5f0c1de2a1b2c3d4e5f60718",
    "sportstype": "soccer",
    "short_name": "HAF",
    "name_addition": "U19",
}
CHANGED = {
    "_type": "Svc::Model::Team",
    "_id": "5f0c1de2a1b2c3d4e5f60801",
    "name": "SV Hafenstadt",
    "name_addition": None,
}
SHOWN = documented(Team, "The team as it is now")


@router.post(
    "/create.json",
    operation_id="team.create",
    summary="Create a team",
    response_class=Response,
    responses={200: linked(SHOWN, "team.show", _id="_id"), **WRITE_ERRORS},
    openapi_extra=body(TeamDraft, EXAMPLE),
)
async def create(request: Request, services: Given, asked: Asked, caller: Writer) -> Response:
    """Create a team of one of the client's organizations (interface: Teams, Create)."""
    return await masters.create(request, teams, TeamDraft, services=services, context=asked, caller=caller)


@router.post(
    "/update.json",
    operation_id="team.update",
    summary="Change a team",
    response_class=Response,
    responses={200: linked(SHOWN, "team.show", _id="_id"), **WRITE_ERRORS},
    openapi_extra=body(TeamUpdate, CHANGED),
)
async def update(request: Request, services: Given, asked: Asked, caller: Writer) -> Response:
    """Change a team; what is left out stays (interface: Teams, Update)."""
    return await masters.change(request, teams, TeamUpdate, services=services, context=asked, caller=caller)


@router.head("/show.json", include_in_schema=False)
@router.get(
    "/show.json",
    operation_id="team.show",
    summary="Show a team",
    response_class=Response,
    responses={200: SHOWN, **READ_ERRORS},
    openapi_extra=found_by_id("team"),
)
async def show(services: Given, asked: Asked, caller: Reader) -> Response:
    """Show a team of one of the client's organizations (interface: Teams, Read)."""
    return await masters.show(teams, services=services, context=asked, caller=caller)


@router.head("/index.json", include_in_schema=False)
@router.get(
    "/index.json",
    operation_id="team.index",
    summary="Search teams",
    response_class=Response,
    responses={200: documented(Collection[Team], "A page, the newest first"), **SEARCH_ERRORS},
    openapi_extra=parameters(Q, OWNER, SPORT, ARCHIVE, LIMIT, PAGE),
)
async def index(services: Given, asked: Asked, caller: Reader) -> Response:
    """Search the teams of the client's organizations (interface: Teams, Search)."""
    return await masters.search(teams, services=services, context=asked, caller=caller)
