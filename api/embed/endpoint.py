"""Pages behind HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING

from api.conditional import conditional
from api.context import context_of, headers_of
from api.decorate import complete
from api.embed.clock import clock
from api.embed.index import index_page, plain_page
from api.embed.page import POLICY, language, page, render_liveblog
from api.feeds.common import FeedRequest
from api.feeds.events import chosen_events
from api.query import boolean
from api.reading import check_page_reader, documents, readable_game
from api.static import TYPES
from mapping.documents.scalars import PUBLISHED
from mapping.locales import translator
from store import liveblogs

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from sqlalchemy import Connection
    from starlette.responses import Response
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
    now = services.clock()

    def readable(conn: Connection) -> StoredGame:
        return readable_game(conn, params["liveblogId"], context.caller, public=settings.public_feeds)

    def load(conn: Connection) -> tuple[StoredGame, list[Json]]:
        game = readable(conn)
        events, _ = chosen_events(conn, game.id, FeedRequest(liveblog=game.id, limit=POSTS_SHOWN), int(now))
        return game, complete(conn, [game.as_document(), *documents(events)])

    game = await services.store.read(readable)
    body = context.rendered.get(_key(game, now, fragment=fragment))
    if body is None:
        game, (document, *events) = await services.store.read(load)
        inner = render_liveblog(document, events, translator(language(document)), now)
        html = inner if fragment else page(document, inner)
        body = context.rendered.put(_key(game, now, fragment=fragment), html.encode("utf-8", "replace"))
    return _html(services, scope, body)


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
    who = "public" if services.settings.public_feeds else "private"
    answer = conditional(
        headers_of(scope),
        body,
        TYPES["html"],
        cache_control=f"{who}, max-age={services.settings.feed_max_age}",
    )
    answer.headers["Content-Security-Policy"] = POLICY
    return answer
