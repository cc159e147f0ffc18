"""A liveblog for a CMS that puts it into an article on its own server: HTML that needs no script, and structured data."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, NamedTuple
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
from api.page.scoreboard import scoreboard
from api.page.times import moment
from api.page.window import MOST_SHOWN, POSTS_SHOWN, PageRequest, late
from api.view import delay
from api.view.article_address import LONGEST, WEB, address_in
from api.view.content import headline, names_of
from api.view.liveblog_access import read_liveblog, readable
from api.view.read_cache import ReadCache
from mapping.locales import translator
from mapping.statistics.page_address import page_address
from store.statistics import statistics

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sqlalchemy import Connection
    from starlette.responses import Response

    from api.http.request import ApiRequest, Query
    from api.http.services import Services
    from api.view.delay import DelayedView
    from config import Settings
    from store.liveblogs.liveblogs import StoredGame

PATH = "/api/embed/v4/prefetch"
TEASER_POSTS = 3
CONTENT_TYPE = "application/json; charset=utf-8"
PARAMETERS: list[Json] = [
    openapi.query("liveblogId", openapi.LIVEBLOG, openapi.NAME, required=True),
    delay.PARAMETER,
    *THEMED_PAGE,
    openapi.query(
        "liveblogUrl",
        "The article that links to posts lead to, and that structured data name",
        {"type": "string", "maxLength": LONGEST, "pattern": WEB},
    ),
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


def _operation(name: str, summary: str, schema: Json, *more: Json) -> Json:
    responses = {200: openapi.json_answer(schema, summary), **openapi.NOT_MODIFIED, **openapi.PUBLIC_ERRORS}
    return openapi.operation(name, summary, "Pages", responses, parameters=[*PARAMETERS, *more], security=openapi.OPEN)


OF_TEASERS: Json = openapi.query(
    "includeLiveblogUrl", "Without `liveblogUrl`: links lead to the page of this origin that was read most"
)
LIVEBLOG = _operation("prefetch.liveblog", "A liveblog for an article: HTML and structured data", HTML_AND_SCHEMA)
TEASER = _operation(
    "prefetch.teaser", "The scoreboard and the newest headlines of a liveblog as HTML", HTML, OF_TEASERS
)


async def liveblog(request: ApiRequest) -> Response:
    """The board and the posts as the page shows them, and the structured data that the page has."""
    return await _respond(request, "liveblog", MOST_SHOWN, _liveblog)


async def teaser(request: ApiRequest) -> Response:
    """The board and links to the newest posts."""
    return await _respond(request, "teaser", TEASER_POSTS, _teaser)


class Embedding(NamedTuple):
    """Who embeds a liveblog and how: `client` must be named to follow it, empty where nobody need be.

    `article`: where the request says that readers find it; `origin`: whose page, as readers were counted there, else counts.
    """

    view: DelayedView
    client: str = ""
    article: str = ""
    origin: str = ""


async def _respond(
    request: ApiRequest,
    form: str,
    limit: int,
    render: Callable[[Connection, LoadedLiveblog, Services, Embedding], Json],
) -> Response:
    services, query, settings = request.services, request.context.query, request.services.settings
    view = await delay.view_of(request, read_liveblog(query, "liveblogId"), request.services[ReadCache].game)
    game = readable(view.game, request.context.caller, public=settings.server.public_feeds, field="liveblogId")
    reading = clock(game.document, translator(language(game.document)), view.now)
    wanted = _wanted(query, limit, settings)
    services[UnknownThemes].count(query, wanted.theme, services.clock())
    embedding = _embedding(request, view)

    def rendered(conn: Connection) -> bytes:
        return json_bytes(render(conn, load_liveblog(conn, game.id, wanted, view.now), services, embedding))

    key = ("prefetch", form, embedding[1:], wanted, game.id, game.version, reading)
    return conditional(
        request.headers,
        await request.services[ReadCache].body(key, rendered, view, request.accept_encoding),
        CONTENT_TYPE,
        cache_control=cache_control(settings),
    )


def _embedding(request: ApiRequest, view: DelayedView) -> Embedding:
    caller, query = request.context.caller, request.context.query
    named = caller is not None and not request.services.settings.server.public_feeds
    article = address_in(query, "liveblogUrl")
    origin = "" if article else page_address(query.get("includeLiveblogUrl", "")).origin
    return Embedding(view, caller.client_id if caller and named else "", article, origin)


def _wanted(query: Query, limit: int, settings: Settings) -> FeedRequest:
    """The newest posts; with a theme those that it shows, in its order, at most `limit` too."""
    newest = FeedRequest(liveblog="", limit=limit)
    if not query.get("themeId"):
        return newest
    themed = feed_request(query, settings.limits.feed_limit_max, settings.limits.longest_delay, settings.themes)
    if not themed.theme.id:
        return newest
    return newest._replace(limit=min(limit, themed.limit), descending=themed.descending, theme=themed.theme)


def _liveblog(_: Connection, found: LoadedLiveblog, services: Services, embedding: Embedding) -> Json:
    view, root = embedding.view, services.settings.public_url.rstrip("/")
    page = page_url(root, found.game.local_id)
    context = PageRenderer.of(services, view.delay).context(found.game, root, page, embedding.article)
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
        extent=PageExtent(wanted, older=found.more, pinned=found.pinned),
        delay=view.delay,
    )
    attributes = {
        "liveblog-id": found.game.local_id,
        "lang": language(found.document),
        "client-id": embedding.client,
        "liveblog-url": embedding.article,
        "delay": str(view.delay or ""),
        **{_ATTRIBUTES[name]: value for name, value in theme.parameters},
    }
    schema = found.schema(services, embedding.article)
    attributes["initialData"] = _initial_data(schema)
    return {"html": _element("matchwire-liveblog", attributes, inner, services), "schema": schema}


def _initial_data(schema: Json) -> str:
    """What clients of another service read out of the markup: the structured data, of the first posts alone, as a text in JSON.

    Our own script takes nothing from it; a whole match of it would make each article half as large again.
    """
    updates = {"liveBlogUpdate": posts[:POSTS_SHOWN]} if (posts := schema.get("liveBlogUpdate")) else {}
    return json_bytes({"schemaOrg": json_bytes({**schema, **updates}).decode()}).decode()


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


def _teaser(conn: Connection, found: LoadedLiveblog, services: Services, embedding: Embedding) -> Json:
    game, root = found.document, services.settings.public_url.rstrip("/")
    read_most = _read_most(conn, found.game, services, embedding.origin)
    context = PageRenderer.of(services).context(found.game, root, article=embedding.article or read_most)
    page = context.article or page_url(root, found.game.local_id, embedding.view.delay)
    squads = names_of(node(game, "squads"))
    items = "".join(
        f"<li>{moment(number(post, 'created_at') or 0, 'time', context.zone, context.texts.locale)} "
        f'<a href="{escape(page)}#{quote(text(post, "local_id"), safe="")}">{escape(head)}</a></li>'
        for post in found.posts
        if (head := headline(post, language(game), squads))
    )
    listed = f'<ol class="newest">{items}</ol>' if items else ""
    board = scoreboard(game, context, embedding.view.now, found.key_moments.kicks)
    inner = f'<div class="matchwire" lang="{escape(language(game))}">{board}{listed}</div>'
    attributes = {
        "liveblog-id": found.game.local_id,
        "client-id": embedding.client,
        "liveblog-url": embedding.article or read_most,
        "delay": str(embedding.view.delay or ""),
        **{_ATTRIBUTES[name]: value for name, value in found.request.theme.parameters},
    }
    return {"html": _element("matchwire-liveblog-teaser", attributes, inner, services)}


def _read_most(conn: Connection, game: StoredGame, services: Services, origin: str) -> str:
    """The page of the origin at which the liveblog was read most, beside its front page; empty where none is known."""
    if not (origin and services.settings.organization(game.organization_id).statistics):
        return ""
    counted = statistics.sums_by_place(conn, game.id, origin)
    pages = [each for each in counted if each and each != f"{origin}/"]
    return max(pages, key=lambda each: (counted[each].loads, each), default="")
