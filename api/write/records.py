"""The operations on players, teams and tournaments: one declaration, a row for each kind."""

from dataclasses import dataclass

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.depends import Asked, Given, Reader, Writer
from api.openapi import READ_ERRORS, documented, linked
from api.peek import Json
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
    filters,
    found_by_id,
)
from mapping.documents.base import Document
from mapping.documents.collection import Collection
from mapping.documents.people import (
    Player,
    PlayerDraft,
    PlayerUpdate,
    Team,
    TeamDraft,
    TeamUpdate,
    Tournament,
    TournamentDraft,
    TournamentUpdate,
)
from store import tables
from store.masteredit import MasterTable

OWNED = {"owner_id": "5f0c1de2a1b2c3d4e5f60718", "sportstype": "soccer"}
KNOWN = {"_id": "5f0c1de2a1b2c3d4e5f60801"}


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One kind of master data: its words, its documents with examples, and what a search for it can be asked."""

    noun: str
    table: MasterTable
    shown: type[Document]
    page: type[Document]
    draft: type[Document]
    update: type[Document]
    example: Json
    changed: Json
    filters: tuple[Json, ...]


PLAYERS = Kind(
    noun="player",
    table=tables.players,
    shown=Player,
    page=Collection[Player],
    draft=PlayerDraft,
    update=PlayerUpdate,
    example={
        "_type": "Svc::Model::Player",
        "name": "Sören Dahl",
        **OWNED,
        "number": "9",
        "position": "offense",
        "country": "DK",
        "birthdate": 796694400,
        "height": 184,
        "weight": 77000,
    },
    changed={"_type": "Svc::Model::Player", **KNOWN, "name": "Sören Dahl", "number": "10", "weight": None},
    filters=(Q, OWNER, SPORT, PLAYERS_TEAM, ARCHIVE, INACTIVE, LIMIT, PAGE),
)
TEAMS = Kind(
    noun="team",
    table=tables.teams,
    shown=Team,
    page=Collection[Team],
    draft=TeamDraft,
    update=TeamUpdate,
    example={
        "_type": "Svc::Model::Team",
        "name": "SV Hafenstadt",
        **OWNED,
        "short_name": "HAF",
        "name_addition": "U19",
    },
    changed={"_type": "Svc::Model::Team", **KNOWN, "name": "SV Hafenstadt", "name_addition": None},
    filters=(Q, OWNER, SPORT, ARCHIVE, LIMIT, PAGE),
)
TOURNAMENTS = Kind(
    noun="tournament",
    table=tables.tournaments,
    shown=Tournament,
    page=Collection[Tournament],
    draft=TournamentDraft,
    update=TournamentUpdate,
    example={"_type": "Svc::Model::Tournament", "name": "Küstencup", **OWNED},
    changed={"_type": "Svc::Model::Tournament", **KNOWN, "name": "Küstencup 2027"},
    filters=(Q, SPORT, ARCHIVE, OWNER, LIMIT, PAGE),
)
KINDS = (PLAYERS, TEAMS, TOURNAMENTS)


def routes(kind: Kind) -> APIRouter:
    """Create, update, show and index of one kind (interface: Players, Teams, Tournaments)."""
    noun, table = kind.noun, kind.table
    router = APIRouter(prefix=f"/api/v5/write/{noun}", tags=[f"{noun.title()}s"], default_response_class=Response)
    shown = documented(kind.shown, f"The {noun} as it is now")
    written = linked(linked(shown, f"{noun}.show", _id="_id"), f"{noun}.update", body="$response.body")

    @router.post(
        "/create.json",
        operation_id=f"{noun}.create",
        summary=f"Create a {noun}",
        description=f"Create a {noun} of one of the client's organizations",
        responses={200: written, **WRITE_ERRORS},
        openapi_extra=body(kind.draft, kind.example),
    )
    async def create(request: Request, services: Given, asked: Asked, caller: Writer) -> Response:
        return await masters.create(request, table, kind.draft, services=services, context=asked, caller=caller)

    @router.post(
        "/update.json",
        operation_id=f"{noun}.update",
        summary=f"Change a {noun}",
        description=f"Change a {noun}; what is left out stays, null and empty text clear a field",
        responses={200: written, **WRITE_ERRORS},
        openapi_extra=body(kind.update, kind.changed),
    )
    async def update(request: Request, services: Given, asked: Asked, caller: Writer) -> Response:
        return await masters.change(request, table, kind.update, services=services, context=asked, caller=caller)

    @router.head("/show.json", include_in_schema=False)
    @router.get(
        "/show.json",
        operation_id=f"{noun}.show",
        summary=f"Show a {noun}",
        description=f"Show a {noun} of one of the client's organizations",
        responses={200: shown, **READ_ERRORS},
        openapi_extra=found_by_id(noun),
    )
    async def show(services: Given, asked: Asked, caller: Reader) -> Response:
        return await masters.show(table, services=services, context=asked, caller=caller)

    @router.head("/index.json", include_in_schema=False)
    @router.get(
        "/index.json",
        operation_id=f"{noun}.index",
        summary=f"Search {noun}s",
        description=f"Search the {noun}s of the client's organizations, the newest first",
        responses={200: documented(kind.page, "One page"), **SEARCH_ERRORS},
        openapi_extra=filters(*kind.filters),
    )
    async def index(services: Given, asked: Asked, caller: Reader) -> Response:
        inactive = INACTIVE not in kind.filters or boolean(asked.query, "include_inactive")
        return await masters.search(table, services=services, context=asked, caller=caller, inactive=inactive)

    return router


ROUTERS = tuple(routes(kind) for kind in KINDS)
