"""Pages behind HTTP."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from starlette.responses import Response

from api.conditional import conditional
from api.context import context_of, headers_of
from api.decorate import complete
from api.delta.endpoint import NEWEST
from api.embed.changes import AsPage
from api.embed.clock import clock
from api.embed.index import index_page, plain_page
from api.embed.page import POLICY, language, page, render_liveblog
from api.feeds.common import FeedRequest
from api.feeds.events import chosen_events
from api.query import boolean, integer
from api.reading import NO_LIVEBLOG, check_page_reader, documents, readable_game
from api.static import TYPES
from api.stream.streams import read
from mapping.documents.scalars import PUBLISHED
from mapping.errors import NotFound
from mapping.locales import translator
from store import liveblogs

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from sqlalchemy import Connection
    from starlette.types import Scope

    from api.peek import Json
    from api.services import Services
    from store.liveblogs import StoredGame

POSTS_SHOWN = 300
GAMES_LISTED = 200


async def liveblog(services: Services, scope: Scope, params: Mapping[str, str]) -> Response:
    """The page of a liveblog; with `fragment=1` only the part that changes."""
    settings, context = services.settings, context_of(scope)
    check_page_reader(context.caller, public=settings.public_feeds)
    fragment = boolean(context.query, "fragment")
    refresh = integer(context.query, "refresh", 0, low=0, high=NEWEST)
    if fragment and "refresh" in context.query:
        return await changes(services, scope, params, refresh)
    now = services.clock()

    def readable(conn: Connection) -> StoredGame:
        return readable_game(conn, params["liveblogId"], context.caller, public=settings.public_feeds)

    def load(conn: Connection) -> tuple[StoredGame, list[Json], bool]:
        game = readable(conn)
        events, more = chosen_events(conn, game.id, FeedRequest(liveblog=game.id, limit=POSTS_SHOWN), int(now))
        return game, complete(conn, [game.as_document(), *documents(events)]), more

    game = await services.store.read(readable)
    body = context.rendered.get(_key(game, now, fragment=fragment))
    if body is None:
        game, (document, *events), more = await services.store.read(load)
        inner = render_liveblog(document, events, translator(language(document)), now)
        html = inner if fragment else page(document, inner, more=more)
        body = context.rendered.put(_key(game, now, fragment=fragment), html.encode("utf-8", "replace"))
    return _html(services, scope, body)


async def changes(services: Services, scope: Scope, params: Mapping[str, str], refresh: int) -> Response:
    """What a page that shows the version `refresh` must change; 204 where it need not change anything."""
    settings, context, form = services.settings, context_of(scope), AsPage(services.clock)

    def readable(conn: Connection) -> StoredGame:
        return readable_game(conn, params["liveblogId"], context.caller, public=settings.public_feeds)

    game = await services.store.read(readable)
    cache_control = _cache_control(services)
    if refresh == game.version:
        return Response(None, 204, {"Cache-Control": cache_control, "Vary": "Authorization"})
    since = refresh if refresh < game.version else 0  # a version of the future: the page starts anew
    key = ("changes", since, _key(game, services.clock(), fragment=True))
    body = context.rendered.get(key)
    if body is None:
        message, _ = await services.store.read(partial(read, game_id=game.id, since=since, form=form))
        if message is None:
            raise NotFound(NO_LIVEBLOG)
        body = context.rendered.put(key, message.body)
    return conditional(headers_of(scope), body, "application/json", cache_control=cache_control)


async def front(services: Services, scope: Scope, _: Mapping[str, str]) -> Response:
    """The list of liveblogs where feeds are public, else a word about the service."""
    if not services.settings.public_feeds:
        return _html(services, scope, plain_page().encode())
    games = await services.store.read(lambda conn: liveblogs.list_games(conn, limit=GAMES_LISTED, page=1))
    shown = [game.as_document() for game in games if game.local_status == PUBLISHED]
    return _html(services, scope, index_page(shown, services.clock()).encode("utf-8", "replace"))


def _key(game: StoredGame, now: float, *, fragment: bool) -> Hashable:
    """All that a page depends on; of the time of day it is the reading of the clock alone."""
    shown = clock(game.document, translator(language(game.document)), now)
    return ("page", fragment, game.id, game.version, shown)


def _html(services: Services, scope: Scope, body: bytes) -> Response:
    answer = conditional(headers_of(scope), body, TYPES["html"], cache_control=_cache_control(services))
    answer.headers["Content-Security-Policy"] = POLICY
    return answer


def _cache_control(services: Services) -> str:
    who = "public" if services.settings.public_feeds else "private"
    return f"{who}, max-age={services.settings.feed_max_age}"
