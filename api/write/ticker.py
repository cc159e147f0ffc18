"""Liveblogs of the write API."""

from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Depends, Query
from starlette.responses import Response

from api.auth import Caller
from api.decorate import decorate
from api.depends import Given, reader
from api.errors import json_response
from api.openapi import READ_ERRORS, documented
from api.peek import Json
from api.reading import NO_LIVEBLOG, named_game
from api.services import Services
from api.write.access import may_write_events
from mapping.documents.game import Game
from mapping.errors import InvalidRequest, NotFound

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from store.liveblogs import StoredGame

router = APIRouter(prefix="/api/v5/write/ticker", tags=["Liveblogs"])

NAMES = ("local_id", "ticker_id")


@router.head("/show.json", include_in_schema=False)
@router.get(
    "/show.json",
    operation_id="ticker.show",
    summary="Show a liveblog",
    response_class=Response,
    responses={200: documented(Game, "The decorated liveblog, oldest event first, drafts included"), **READ_ERRORS},
)
async def show(
    services: Given,
    caller: Annotated[Caller, Depends(reader)],
    local_id: Annotated[str | None, Query(description="`local_id` of the liveblog")] = None,
    ticker_id: Annotated[str | None, Query(description="`ticker_id`, instead of `local_id`")] = None,
    compact: Annotated[bool, Query(description="Abbreviated events: ids, version, status, sort and tags")] = False,
) -> Response:
    """Show a liveblog of one of the client's organizations, or one shared with it (interface: Liveblogs, Show)."""
    names = {name: value for name, value in zip(NAMES, (local_id, ticker_id), strict=True) if value}
    if not names:
        raise InvalidRequest("local_id or ticker_id is missing", field=NAMES[0])
    return json_response(
        await services.store.read(lambda conn: _decorated(conn, names, caller, services, compact=compact))
    )


def _decorated(conn: "Connection", names: dict[str, str], caller: Caller, services: Services, *, compact: bool) -> Json:
    game, *others = [_game(conn, value, caller, field=name) for name, value in names.items()]
    if any(other.id != game.id for other in others):
        raise InvalidRequest("local_id and ticker_id name different liveblogs", field=NAMES[0])
    return decorate(conn, game, compact=compact, owner_name=services.organizations)


def _game(conn: "Connection", name: str, caller: Caller, *, field: str) -> "StoredGame":
    game = named_game(conn, name, field=field)
    if not may_write_events(game, caller):
        raise NotFound(NO_LIVEBLOG, field=field)
    return game
