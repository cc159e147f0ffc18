"""The page of a liveblog, what changes on it, and the front page."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from starlette.responses import Response

from api import delay, openapi
from api.conditional import conditional
from api.embed.shown import POSTS_SHOWN, shown
from api.liveblog_access import NO_LIVEBLOG, readable
from api.liveblogs.delta import NEWEST
from api.page.changes import CHANGES, AsPage
from api.page.clock import clock
from api.page.page import POLICY, index_page, language, page, plain_page, render_liveblog
from api.rendered import Rendering
from api.request import boolean, integer
from api.static import TYPES
from api.stream.messages import read
from mapping.documents.scalars import LocalStatus
from mapping.errors import NotFound
from mapping.locales import translator
from store import liveblogs

if TYPE_CHECKING:
    from collections.abc import Hashable

    from sqlalchemy import Connection

    from api.delay import Sight
    from api.request import ApiRequest
    from api.services import Services
    from store.liveblogs import StoredGame

GAMES_LISTED = 200
PAGE = openapi.operation(
    "liveblog.page",
    "A liveblog as a web page",
    "Pages",
    {
        200: {
            "description": "A liveblog as a web page",
            "content": {"text/html": {"schema": openapi.TEXT}, "application/json": {"schema": CHANGES}},
        },
        204: {"description": "Nothing has changed since `refresh`"},
        **openapi.NOT_MODIFIED,
        **openapi.PUBLIC_ERRORS,
    },
    parameters=[
        {"name": "liveblogId", "in": "path", "description": openapi.LIVEBLOG, "required": True, "schema": openapi.NAME},
        openapi.query("fragment", "Only the part of the page that changes", openapi.BOOLEAN),
        openapi.query("refresh", "With `fragment`: what has changed since this version, as JSON", openapi.VERSION),
        delay.PARAMETER,
    ],
    security=openapi.OPEN,
)


async def liveblog(request: ApiRequest) -> Response:
    """The page of a liveblog; with `fragment=1` only the part that changes."""
    context = request.context
    fragment = boolean(context.query, "fragment")
    refresh = integer(context.query, "refresh", 0, low=0, high=NEWEST)
    if fragment and "refresh" in context.query:
        return await changes(request, refresh)
    seen = await _sight(request)
    game, form = _readable(request, seen), AsPage.of(request.services, seen.delay)

    def render(conn: Connection) -> bytes:
        found = shown(conn, game.id, POSTS_SHOWN)
        inner = render_liveblog(found.document, found.posts, form.files(found.game), seen.now)
        if fragment:
            return inner.encode("utf-8", "replace")
        schema = found.schema(request.services)
        return page(found.document, inner, schema, more=found.more, delay=seen.delay).encode("utf-8", "replace")

    return _html(request, await context.reads.body(_key(game, seen, fragment=fragment), render, seen))


async def changes(request: ApiRequest, refresh: int) -> Response:
    """What a page that shows the version `refresh` must change; 204 where it need not change anything."""
    services, context = request.services, request.context
    seen = await _sight(request)
    game, form = _readable(request, seen), AsPage.of(services, seen.delay)
    cache_control = _cache_control(services)
    if refresh == game.version:
        return Response(None, 204, {"Cache-Control": cache_control, "Vary": "Authorization"})
    since = refresh if refresh < game.version else 0  # a version of the future: the page starts anew
    key = ("changes", since, _key(game, seen, fragment=True))

    def render(conn: Connection) -> bytes:
        message = read(conn, game.id, since, (form,)).get(form)
        if message is None:
            raise NotFound(NO_LIVEBLOG)
        return message.body

    body = await context.reads.body(key, render, seen)
    return conditional(request.headers, body, "application/json", cache_control=cache_control)


async def front(request: ApiRequest) -> Response:
    """The list of liveblogs where feeds are public, else one sentence about the service."""
    services = request.services
    if not services.settings.public_feeds:
        return _html(request, Rendering.of(plain_page().encode()))
    listed = [each for each in await _listed(request) if each.game.local_status == LocalStatus.PUBLISHED]
    listed.sort(key=lambda each: (each.game.created_at, each.game.id), reverse=True)
    shown = [(each.game.as_document(), each.now) for each in listed[:GAMES_LISTED]]
    return _html(request, Rendering.of(index_page(shown).encode("utf-8", "replace")))


class ListedLiveblog(NamedTuple):
    """A liveblog as it is listed: how it stood when it was `now` (Unix seconds)."""

    game: StoredGame
    now: float


async def _listed(request: ApiRequest) -> list[ListedLiveblog]:
    """The newest liveblogs; those of organizations with a delay of their own as they stood so long ago."""
    settings, now, wanted = request.services.settings, request.services.clock(), delay.requested(request)
    own = {name: delay.public_delay(name, settings, request.context.caller) for name in settings.public_delays}
    later = {name: seconds for name, seconds in own.items() if seconds > wanted}
    listed = []
    for name, seconds in ((None, wanted), *later.items()):
        query = partial(liveblogs.list_games, organization_id=name, limit=GAMES_LISTED)
        games = await request.services.store.read(query, at=delay.moment(now, seconds))
        listed += [ListedLiveblog(game, now - seconds) for game in games if name or game.organization_id not in later]
    return listed


def _key(game: StoredGame, seen: Sight, *, fragment: bool) -> Hashable:
    """All that a page depends on; of the time of day it is the reading of the clock alone."""
    shown = clock(game.document, translator(language(game.document)), seen.now)
    return ("page", fragment, game.id, game.version, shown)


async def _sight(request: ApiRequest) -> Sight:
    return await delay.sight(request, request.path_params["liveblogId"], request.context.reads.game)


def _readable(request: ApiRequest, seen: Sight) -> StoredGame:
    """The liveblog, without most of its document."""
    return readable(seen.game, request.context.caller, public=request.services.settings.public_feeds)


def _html(request: ApiRequest, body: Rendering) -> Response:
    return conditional(
        request.headers,
        body,
        TYPES["html"],
        cache_control=_cache_control(request.services),
        more={"Content-Security-Policy": POLICY},
    )


def _cache_control(services: Services) -> str:
    sharing = "public" if services.settings.public_feeds else "private"
    return f"{sharing}, max-age={services.settings.feed_max_age}"
