"""The delta read behind HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING

from api.conditional import conditional
from api.errors import json_bytes
from api.liveblogs.delta import DeltaRequest, delta
from api.query import boolean, integer
from api.reading import NO_LIVEBLOG, among
from mapping.errors import InvalidRequest, NotFound
from store import liveblogs

if TYPE_CHECKING:
    from sqlalchemy import Connection
    from starlette.responses import Response

    from api.auth import Caller
    from api.query import Query
    from api.routing import ApiRequest
    from store.liveblogs import StoredEvent, StoredGame

DELTA_PATH = "/api/v6/ticker/show.json"
DEFAULT_LIMIT = 20
NEWEST = 10**15 - 1


async def show(request: ApiRequest) -> Response:
    """What has changed in a liveblog since a version (ours: delta read)."""
    services, context, settings = request.services, request.context, request.services.settings
    wanted = delta_request(context.query, settings.feed_limit_max)

    def watched(conn: Connection) -> tuple[StoredGame, StoredEvent | None]:
        game = watchable_game(conn, wanted.liveblog, context.caller, public=settings.public_feeds)
        return game, _cursor(conn, game, wanted.after)

    def load(conn: Connection) -> bytes:
        game, cursor = watched(conn)
        return json_bytes(delta(conn, game, wanted, cursor))

    game, _cursor_known = await services.store.read(watched)
    key = ("delta", game.id, game.version, wanted)
    body = context.rendered.get(key) or context.rendered.put(key, await services.store.read(load))
    who = "public" if settings.public_feeds else "private"
    return conditional(request.headers, body, "application/json", cache_control=f"{who}, max-age=0, must-revalidate")


def delta_request(query: Query, limit_max: int) -> DeltaRequest:
    """The request in a query; raises InvalidRequest with the parameter at fault."""
    if not query.get("id"):
        raise InvalidRequest("id is missing", field="id")
    return DeltaRequest(
        liveblog=query["id"],
        since=integer(query, "refresh", 0, low=0, high=NEWEST),
        limit=integer(query, "limit", DEFAULT_LIMIT, low=1, high=limit_max),
        after=query.get("continue_event_id") or None,
        include_after=boolean(query, "include_continue_event"),
        descending=not boolean(query, "reverse"),
        tags=frozenset(filter(None, query.get("tags", "").split(","))),
        highlights=boolean(query, "highlights"),
        milestones=boolean(query, "include_milestone_events"),
    )


def watchable_game(
    conn: Connection, name: str, caller: Caller | None, *, public: bool, field: str = "id"
) -> StoredGame:
    """The liveblog whose changes the caller may follow, withdrawn and deleted ones too; raises NotFound."""
    game = liveblogs.find_game(conn, name)
    if game is None or not (public or among(game, caller)):
        raise NotFound(NO_LIVEBLOG, field=field)
    return game


def _cursor(conn: Connection, game: StoredGame, local_id: str | None) -> StoredEvent | None:
    """The event that a reader has seen last; one that was deleted since still marks its place."""
    if local_id is None:
        return None
    event = liveblogs.event(conn, local_id)
    if event is None or event.game_id != game.id:
        raise InvalidRequest("there is no such event in this liveblog", field="continue_event_id")
    return event
