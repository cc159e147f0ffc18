"""A liveblog for a CMS that puts it into an article on its own server: HTML that needs no script, and structured data."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING
from urllib.parse import quote

from api.embed.styles import STATIC
from api.feeds.feed import FeedRequest, feed_request, page_url
from api.feeds.themes import THEMED_PAGE, UnknownThemes
from api.http import openapi
from api.http.conditional import cache_control, conditional
from api.http.errors import json_bytes
from api.http.json_path import Json, node, number, text
from api.http.static import version
from api.page.changes import PageRenderer
from api.page.clock import clock
from api.page.load import LoadedLiveblog, load_liveblog
from api.page.page import language, render_liveblog
from api.page.posts import PageExtent
from api.page.scoreboard import moment, scoreboard
from api.page.window import MOST_SHOWN, POSTS_SHOWN, PageRequest, late
from api.view import delay
from api.view.content import headline, names_of
from api.view.liveblog_access import read_liveblog, readable
from api.view.read_cache import ReadCache
from mapping.locales import translator

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sqlalchemy import Connection
    from starlette.responses import Response

    from api.http.request import ApiRequest, Query
    from api.http.services import Services
    from api.view.delay import DelayedView
    from config import Settings

PATH = "/api/embed/v4/prefetch"
TEASER_POSTS = 3
CONTENT_TYPE = "application/json; charset=utf-8"
PARAMETERS: list[Json] = [
    openapi.query("liveblogId", openapi.LIVEBLOG, openapi.NAME, required=True),
    delay.PARAMETER,
    *THEMED_PAGE,
    openapi.query(
        "limit",
        "With a theme: number of posts",
        openapi.PAGE_SIZE,
    ),
]
HTML: Json = {"type": "object", "required": ["html"], "properties": {"html": openapi.TEXT}}
HTML_AND_SCHEMA: Json = {
    "type": "object",
    "required": ["html", "schema"],
    "properties": {
        "html": openapi.TEXT,
        "schema": {
            "type": "object",
            "required": ["@context", "@type", "headline", "url", "datePublished", "dateModified"],
            "properties": {"@context": {"const": "https://schema.org"}, "@type": {"const": "LiveBlogPosting"}},
        },
    },
}


def _operation(name: str, summary: str, schema: Json) -> Json:
    responses = {200: openapi.json_answer(schema, summary), **openapi.NOT_MODIFIED, **openapi.PUBLIC_ERRORS}
    return openapi.operation(name, summary, "Pages", responses, parameters=PARAMETERS, security=openapi.OPEN)


LIVEBLOG = _operation("prefetch.liveblog", "A liveblog for an article: HTML and structured data", HTML_AND_SCHEMA)
TEASER = _operation("prefetch.teaser", "The scoreboard and the newest headlines of a liveblog as HTML", HTML)


async def liveblog(request: ApiRequest) -> Response:
    """The board and the posts as the page shows them, and the structured data that the page has."""
    return await _respond(request, "liveblog", MOST_SHOWN, _liveblog)


async def teaser(request: ApiRequest) -> Response:
    """The board and links to the newest posts."""
    return await _respond(request, "teaser", TEASER_POSTS, _teaser)


async def _respond(
    request: ApiRequest, form: str, limit: int, render: Callable[[LoadedLiveblog, Services, DelayedView, str], Json]
) -> Response:
    services, context, settings = request.services, request.context, request.services.settings
    view = await delay.view_of(request, read_liveblog(context.query, "liveblogId"), request.services[ReadCache].game)
    game = readable(view.game, context.caller, public=settings.server.public_feeds, field="liveblogId")
    reading = clock(game.document, translator(language(game.document)), view.now)
    wanted = _wanted(context.query, limit, settings)
    services[UnknownThemes].count(context.query, wanted.theme, services.clock())
    client = "" if settings.server.public_feeds or context.caller is None else context.caller.client_id

    def rendered(conn: Connection) -> bytes:
        return json_bytes(render(load_liveblog(conn, game.id, wanted, view.now), services, view, client))

    key = ("prefetch", form, client, wanted, game.id, game.version, reading)
    return conditional(
        request.headers,
        await request.services[ReadCache].body(key, rendered, view, request.accept_encoding),
        CONTENT_TYPE,
        cache_control=cache_control(settings),
    )


def _wanted(query: Query, limit: int, settings: Settings) -> FeedRequest:
    """The newest posts; with a theme those that it shows, in its order, at most `limit` too."""
    newest = FeedRequest(liveblog="", limit=limit)
    if not query.get("themeId"):
        return newest
    themed = feed_request(query, settings.limits.feed_limit_max, settings.limits.longest_delay, settings.themes)
    if not themed.theme.id:
        return newest
    return newest._replace(limit=min(limit, themed.limit), descending=themed.descending, theme=themed.theme)


def _liveblog(found: LoadedLiveblog, services: Services, view: DelayedView, client: str) -> Json:
    """`client`: who must be named to follow it, empty where nobody need be."""
    page = page_url(services.settings.public_url, found.game.local_id)
    context = PageRenderer.of(services, view.delay).context(found.game, services.settings.public_url.rstrip("/"), page)
    theme = found.request.theme
    wanted = PageRequest(
        limit=found.request.limit if theme.id else POSTS_SHOWN, kept=(*late(view.delay), *theme.parameters), theme=theme
    )
    inner = render_liveblog(
        found.document,
        found.posts,
        context,
        view.now,
        found.key_moments,
        extent=PageExtent(wanted, older=found.more),
        delay=view.delay,
    )
    attributes = {
        "liveblog-id": found.game.local_id,
        "lang": language(found.document),
        "client-id": client,
        "delay": str(view.delay or ""),
        **{_ATTRIBUTES[name]: value for name, value in theme.parameters},
    }
    return {"html": _element("matchwire-liveblog", attributes, inner, services), "schema": found.schema(services)}


_ATTRIBUTES = {
    "themeId": "theme-id",
    "tags": "tags",
    "highlights": "highlights",
    "event_types": "event-types",
    "sort": "sort",
}


def _element(name: str, attributes: Mapping[str, str], inner: str, services: Services) -> str:
    """The element with its content and its style sheet, also for a page that puts it in by a script.

    The embed's script takes the content over where an article loads it.
    """
    named = "".join(f' {key}="{escape(value)}"' for key, value in attributes.items() if value)
    root = services.settings.public_url.rstrip("/")
    styles = f'<link rel="stylesheet" href="{escape(root)}/static/{version(STATIC)}/article.css">'
    return f"<{name}{named}>{styles}{inner}</{name}>"


def _teaser(found: LoadedLiveblog, services: Services, view: DelayedView, client: str) -> Json:
    del client  # nothing follows a teaser
    game = found.document
    context = PageRenderer.of(services).context(found.game, services.settings.public_url.rstrip("/"))
    page = page_url(services.settings.public_url, found.game.local_id, view.delay)
    squads = names_of(node(game, "squads"))
    items = "".join(
        f"<li>{moment(number(post, 'created_at') or 0, 'time', context.zone)} "
        f'<a href="{escape(page)}#{quote(text(post, "local_id"), safe="")}">{escape(head)}</a></li>'
        for post in found.posts
        if (head := headline(post, language(game), squads))
    )
    listed = f'<ol class="newest">{items}</ol>' if items else ""
    return {"html": _frame(game, scoreboard(game, context, view.now) + listed)}


def _frame(game: Json, inner: str) -> str:
    return f'<div class="matchwire" lang="{escape(language(game))}">{inner}</div>'
