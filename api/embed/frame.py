"""A liveblog alone, without anything around it, for a frame in somebody else's page."""

from __future__ import annotations

from html import escape

from sqlalchemy import Connection
from starlette.responses import Response

from api.embed.styles import STATIC
from api.feeds.feed import FeedRequest, page_url
from api.http import openapi
from api.http.caching import cache_control, conditional
from api.http.json_path import Json
from api.http.param import TEXT, Integer
from api.http.request import ApiRequest
from api.http.static import TYPES, version
from api.page.changes import PageRenderer
from api.page.clock import clock
from api.page.document import WITH_POSTS
from api.page.load import load_liveblog
from api.page.page import language, render_liveblog
from api.page.posts import PageExtent
from api.page.scoreboard import title
from api.page.window import PageRequest, late
from api.view.key_moments import with_result
from api.view.read_cache import DELAY, ReadCache, read_view
from config import Settings
from mapping.locales import translator

PATH = "/embed/{liveblogId}"
POSTS = 50
MOST_POSTS = 300
LIMIT = Integer("limit", "Number of posts", low=1, high=MOST_POSTS, default=POSTS)
FRAME = openapi.operation(
    "liveblog.frame",
    "A liveblog for a frame in somebody else's page",
    "Pages",
    {
        200: {
            "description": "A liveblog without anything around it",
            "content": {"text/html": {"schema": TEXT}},
        },
        **openapi.NOT_MODIFIED,
        **openapi.PUBLIC_ERRORS,
    },
    parameters=[
        openapi.LIVEBLOG_IN_PATH,
        LIMIT,
        DELAY,
    ],
    security=openapi.OPEN,
)


async def frame(request: ApiRequest) -> Response:
    """The liveblog as its page shows it; its script says how high it is, so that the frame can follow."""
    services, context, settings = request.services, request.context, request.services.settings
    limit = LIMIT.of(context.query)
    view, game = await read_view(request, request.path_params["liveblogId"])
    reading = clock(game.document, translator(language(game.document)), view.now)

    def render(conn: Connection) -> bytes:
        found = load_liveblog(conn, game.id, FeedRequest(liveblog=game.id, limit=limit), view.now)
        page = page_url(settings.public_url, found.game.local_id)
        inner = render_liveblog(
            found.document,
            found.posts,
            PageRenderer.of(services, view.delay).context(found.game, url=page),
            view.now,
            found.key_moments,
            extent=PageExtent(PageRequest(limit=limit, kept=late(view.delay)), older=found.more, pinned=found.pinned),
            delay=view.delay,
        )
        return _document(found.document, inner).encode("utf-8", "replace")

    return conditional(
        request.headers,
        await request.services[ReadCache].body(("frame", limit, game.id, game.version, reading), render, view),
        TYPES["html"],
        cache_control=cache_control(settings),
        more={"Content-Security-Policy": f"{WITH_POSTS}; {_framing(settings, game.organization_id)}"},
    )


def _framing(settings: Settings, organization_id: str) -> str:
    """The policy's directive for frames around liveblogs of the organization; our own page of snippets shows one."""
    own = settings.organization(organization_id).frame_ancestors
    allowed = settings.embed.frame_ancestors if own is None else own
    return " ".join(("frame-ancestors", "'self'", *allowed))


def _document(game: Json, inner: str) -> str:
    """Links open beside the article, not within the frame; search engines find the page instead."""
    static = f"../static/{version(STATIC)}"
    return (
        f'<!doctype html><html lang="{escape(language(game))}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark"><meta name="robots" content="noindex">'
        f'<title>{escape(with_result(game, title(game)))}</title><base target="_blank">'
        f'<link rel="icon" href="{static}/icon.svg" type="image/svg+xml">'
        f'<link rel="stylesheet" href="{static}/page.css"><link rel="stylesheet" href="{static}/framed.css">'
        f'<script type="module" src="{static}/framed.js"></script></head><body><main>{inner}</main></body></html>'
    )
