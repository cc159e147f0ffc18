"""The page of a liveblog, and what changes on it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from sqlalchemy import Connection
from starlette.responses import Response

from api.feeds.feed_selection import THEMED_PAGE, Theme, UnknownThemes, page_url
from api.http import openapi
from api.http.caching import cache_control, conditional
from api.http.param import TEXT, Integer, Text
from api.http.request import ApiRequest
from api.http.static import TYPES
from api.liveblogs.delta import NEWEST
from api.liveblogs.stream_messages import read
from api.page.liveblog_page import PageChanges, PageRenderer, language, page, render_loaded
from api.page.load_liveblog import FRAGMENT, LIMIT, POST, SHOW, Show, load_page, page_request
from api.page.page_frame import WITH_POSTS
from api.page.scoreboard import clock
from api.page.share_links import card_url, discovery
from api.view.liveblog_reads import DELAY, DelayedView, ReadCache, read_view
from mapping.errors import NotFound
from mapping.locales import translator
from store.engine.liveblog_records import StoredGame
from store.liveblogs.liveblogs import NO_LIVEBLOG

REFRESH = Integer("refresh", "With `fragment`: what has changed since this version, as JSON", high=NEWEST)
PAGE = openapi.operation(
    "liveblog.page",
    "A liveblog as a web page",
    "Pages",
    {
        200: {
            "description": "A liveblog as a web page",
            "content": {
                "text/html": {"schema": TEXT},
                "application/json": {"schema": openapi.response_schema(PageChanges)},
            },
        },
        204: {"description": "Nothing has changed since `refresh`"},
        **openapi.NOT_MODIFIED,
        **openapi.PUBLIC_ERRORS,
    },
    parameters=[
        openapi.LIVEBLOG_IN_PATH,
        SHOW,
        POST,
        Text("continue_event_id", "The posts that are older than the one of this id"),
        LIMIT,
        FRAGMENT,
        REFRESH,
        *THEMED_PAGE,
        DELAY,
    ],
    security=openapi.OPEN,
)


async def liveblog(request: ApiRequest) -> Response:
    """The page of a liveblog; with `fragment=1` only the part that changes."""
    query = request.query
    fragment = FRAGMENT.of(query)
    settings = request.services.settings
    wanted = page_request(query, settings)
    request.services[UnknownThemes].count(query, wanted.theme, request.services.clock())
    refresh = REFRESH.of(query)
    if fragment and "refresh" in query:
        return await changes(request, refresh, wanted.show, wanted.theme)
    view, game = await read_view(request, request.path_params["liveblogId"])
    if wanted.post and not await request.services[ReadCache].has_post(game, view, wanted.post):
        wanted = wanted._replace(post="")  # it means nothing, and anybody can make it up

    def render(conn: Connection) -> bytes:
        found = load_page(conn, game.id, wanted, view.now)
        context = PageRenderer.of(request.services, view.delay).context(found.game)
        inner = render_loaded(found, context, view.now, wanted)
        if fragment:
            return inner.encode("utf-8", "replace")
        schema, listed = found.schema(request.services, view.delay), settings.server.public_feeds
        card = card_url(settings.public_url, found.document, view.delay)
        address = page_url(settings.public_url, found.game.local_id)
        document = page(found.document, inner, schema, address=address, listed=listed, card=card)
        return document.encode("utf-8", "replace")

    key = (wanted, _key(game, view, fragment=fragment))
    body = await request.services[ReadCache].body(key, render, view, request.accept_encoding)

    def headers() -> Mapping[str, str]:
        embedders = discovery(settings.public_url, page_url(settings.public_url, game.local_id, view.delay))
        links = ", ".join(f'<{url}>; rel="alternate"; type="{kind}"' for kind, url in embedders.items())
        return {"Content-Security-Policy": f"{WITH_POSTS}; frame-ancestors 'self'", "Link": links}

    return conditional(request.headers, body, TYPES["html"], cache_control=cache_control(settings), more=headers)


async def changes(request: ApiRequest, refresh: int, show: Show, theme: Theme) -> Response:
    """What a page that shows the version `refresh` must change; 204 where it need not change anything."""
    services = request.services
    view, game = await read_view(request, request.path_params["liveblogId"])
    form = PageRenderer.of(services, view.delay, show, theme)
    since = view.known_since(refresh, game.version)
    if since == game.version:
        return Response(None, 204, {"Cache-Control": cache_control(services.settings), "Vary": "Authorization"})
    key = ("changes", since, show, theme, _key(game, view, fragment=True))

    def render(conn: Connection) -> bytes:
        message = read(conn, game.id, since, (form,)).get(form)
        if message is None:
            raise NotFound(NO_LIVEBLOG)
        return message.body

    body = await request.services[ReadCache].body(key, render, view, request.accept_encoding)
    return conditional(request.headers, body, "application/json", cache_control=cache_control(services.settings))


def _key(game: StoredGame, view: DelayedView, *, fragment: bool) -> Hashable:
    """All that a page depends on; of the time of day it is the reading of the clock alone."""
    shown = clock(game.document, translator(language(game.document)), view.now)
    return ("page", fragment, game.id, game.version, shown)
