"""A liveblog for a CMS that puts it into an article on its own server: HTML that needs no script, and structured data."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from html import escape
from secrets import token_hex
from types import MappingProxyType
from typing import Any, Literal, NamedTuple
from urllib.parse import quote

from sqlalchemy import Connection
from starlette.responses import Response
from typing_extensions import TypedDict

from api.embed.assets import STATIC
from api.feeds.feed_selection import LIMIT, THEMED_PAGE, FeedRequest, UnknownThemes, feed_request, page_url
from api.http import openapi
from api.http.caching import SMALLEST, Rendering, accepted_coding, cache_control, compress, conditional
from api.http.errors import json_bytes
from api.http.json_path import Json, node, number, text
from api.http.param import Param, Query, Text
from api.http.request import ApiRequest, Services
from api.http.static import version
from api.page.liveblog_page import PageRenderer, language, render_loaded
from api.page.load_liveblog import MOST_SHOWN, POSTS_SHOWN, LoadedLiveblog, PageRequest, late, load_liveblog
from api.page.page_frame import moment
from api.page.scoreboard import clock, scoreboard
from api.view.liveblog_access import read_liveblog
from api.view.liveblog_reads import DELAY, DelayedView, ReadCache, read_view
from api.view.post_content import headline, names_of
from api.view.post_files import LONGEST_ADDRESS, WEB_ADDRESS, address_in
from config import Settings
from mapping.locales import translator
from mapping.statistics.documents import page_address
from store.engine.liveblog_records import StoredGame
from store.statistics import statistics

PATH = "/api/embed/v4/prefetch"
TEASER_POSTS = 3
CONTENT_TYPE = "application/json; charset=utf-8"
PARAMETERS: list[Param | Json] = [
    openapi.LIVEBLOG_IN_QUERY,
    DELAY,
    *THEMED_PAGE,
    Text(
        "liveblogUrl",
        "The article that links to posts lead to, and that structured data name",
        {"type": "string", "maxLength": LONGEST_ADDRESS, "pattern": WEB_ADDRESS},
    ),
    replace(LIMIT, description="With a theme: number of posts"),
]
LiveBlogPosting = TypedDict(
    "LiveBlogPosting",
    {
        "@context": Literal["https://schema.org"],
        "@type": Literal["LiveBlogPosting"],
        "headline": Any,
        "url": Any,
        "datePublished": Any,
        "dateModified": Any,
    },
)
"""The structured data of a liveblog, of which schema.org says the rest."""


class PrefetchedTeaser(TypedDict):
    """A teaser for an article."""

    html: str


class PrefetchedLiveblog(PrefetchedTeaser):
    """A liveblog for an article."""

    schema: LiveBlogPosting


def _operation(name: str, summary: str, answer: Any, *more: Param) -> Json:
    responses = {200: openapi.document_answer(answer, summary), **openapi.NOT_MODIFIED, **openapi.PUBLIC_ERRORS}
    return openapi.operation(name, summary, "Pages", responses, parameters=[*PARAMETERS, *more], security=openapi.OPEN)


OF_TEASERS = Text(
    "includeLiveblogUrl", "Without `liveblogUrl`: links lead to the page of this origin that was read most"
)
LIVEBLOG = _operation("prefetch.liveblog", "A liveblog for an article: HTML and structured data", PrefetchedLiveblog)
TEASER = _operation(
    "prefetch.teaser", "The scoreboard and the newest headlines of a liveblog as HTML", PrefetchedTeaser, OF_TEASERS
)


async def liveblog(request: ApiRequest) -> Response:
    """The board and the posts as the page shows them, and the structured data that the page has."""
    return await _respond(request, "liveblog", MOST_SHOWN, _liveblog)


async def teaser(request: ApiRequest) -> Response:
    """The board and links to the newest posts."""
    return await _respond(request, "teaser", TEASER_POSTS, _teaser)


class Embedding(NamedTuple):
    """Who embeds a liveblog and how: `client` must be named to follow it, empty where nobody need be.

    `article`: what stands for the address at which the request says that readers find it, empty where it says none.
    """

    view: DelayedView
    client: str = ""
    article: str = ""


class PlacedAddress(NamedTuple):
    """What stands for the address of an article in a body that is kept, by how it is written there.

    Whoever embeds a liveblog names an address of their own: rendered with it, each would be a body that nobody else asks for.
    """

    in_html: str
    in_schema: str
    in_data: str

    def replaced(self, body: bytes, url: str) -> bytes:
        """The body with the address in each place, written as it has to be there."""
        in_data = _in_json(escape(_in_json(_in_json(url))))
        for place, written in zip(self, (_in_json(escape(url)), _in_json(url), in_data), strict=True):
            body = body.replace(place.encode(), written.encode())
        return body


def _in_json(text: str) -> str:
    return json_bytes(text).decode()[1:-1]


PLACED = PlacedAddress(*(f"https://{each}.{token_hex(16)}" for each in ("html", "schema", "data")))
"""Known to nobody, so that no post holds one of them."""


async def _respond(
    request: ApiRequest,
    form: str,
    limit: int,
    render: Callable[[LoadedLiveblog, Services, Embedding], Json],
) -> Response:
    services, query, settings = request.services, request.context.query, request.services.settings
    view, game = await read_view(request, read_liveblog(query, "liveblogId"), field="liveblogId")
    reading = clock(game.document, translator(language(game.document)), view.now)
    wanted = _posts_wanted(query, limit, settings)
    services[UnknownThemes].count(query, wanted.theme, services.clock())
    url = address_in(query, "liveblogUrl") or (await _read_most(request, view, game) if form == "teaser" else "")
    caller = request.context.caller
    client = caller.client_id if caller is not None and not settings.server.public_feeds else ""
    embedding = Embedding(view, client, PLACED.in_html if url else "")

    def rendered(conn: Connection) -> bytes:
        return json_bytes(render(load_liveblog(conn, game.id, wanted, view.now), services, embedding))

    key = ("prefetch", form, client, bool(url), wanted, game.id, game.version, reading)
    body = await services[ReadCache].body(key, rendered, view, "" if url else request.accept_encoding)
    if url:
        body = await asyncio.to_thread(_put_address, body, url, request.accept_encoding)
    return conditional(request.headers, body, CONTENT_TYPE, cache_control=cache_control(settings))


def _put_address(kept: Rendering, url: str, accepted: str) -> Rendering:
    """The kept body with the address in it, as it is for this request alone."""
    body = PLACED.replaced(kept.body, url)
    coding = accepted_coding(accepted) if accepted and len(body) >= SMALLEST else ""
    return Rendering.of(compress(body, coding) if coding else body, coding)


async def _read_most(request: ApiRequest, view: DelayedView, game: StoredGame) -> str:
    """The page of the origin that the request names at which the liveblog was read most; empty where none is known."""
    services, origin = request.services, page_address(OF_TEASERS.of(request.context.query)).origin
    if not (origin and services.settings.organization(game.organization_id).statistics):
        return ""

    def origins(conn: Connection) -> bytes:
        return json_bytes(list(statistics.sums_by_place(conn, game.id)))

    def page(conn: Connection) -> bytes:
        counted = statistics.sums_by_place(conn, game.id, origin)
        pages = [each for each in counted if each and each != f"{origin}/"]
        return max(pages, key=lambda each: (counted[each].loads, each), default="").encode()

    known = await services[ReadCache].body(("origins", game.id), origins, view)
    if origin not in json.loads(known.body):
        return ""
    return (await services[ReadCache].body(("read most", game.id, origin), page, view)).body.decode()


def _posts_wanted(query: Query, limit: int, settings: Settings) -> FeedRequest:
    """The newest posts; with a theme those that it shows, in its order, at most `limit` too."""
    newest = FeedRequest(liveblog="", limit=limit)
    if not query.get("themeId"):
        return newest
    themed = feed_request(query, settings)
    if not themed.theme.id:
        return newest
    return newest._replace(limit=min(limit, themed.limit), descending=themed.descending, theme=themed.theme)


def _liveblog(found: LoadedLiveblog, services: Services, embedding: Embedding) -> Json:
    view, root = embedding.view, services.settings.public_url.rstrip("/")
    page = page_url(root, found.game.local_id)
    context = PageRenderer.of(services, view.delay).context(found.game, root, page, embedding.article)
    theme = found.request.theme
    wanted = PageRequest(
        limit=found.request.limit if theme.id else POSTS_SHOWN, kept=(*late(view.delay), *theme.parameters), theme=theme
    )
    inner = render_loaded(found, context, view.now, wanted)
    schema = found.schema(services, view.delay, embedding.article and PLACED.in_schema)
    data = _initial_data(schema).replace(PLACED.in_schema, PLACED.in_data)
    beside = {"lang": language(found.document)}, {"initialData": data}
    return {"html": _element("matchwire-liveblog", found, inner, services, embedding, *beside), "schema": schema}


def _initial_data(schema: Json) -> str:
    """What clients of another service read out of the markup: the structured data, of the first posts alone, as a text in JSON.

    Our own script takes nothing from it; a whole match of it would make each article half as large again.
    """
    updates = {"liveBlogUpdate": posts[:POSTS_SHOWN]} if (posts := schema.get("liveBlogUpdate")) else {}
    return json_bytes({"schemaOrg": json_bytes({**schema, **updates}).decode()}).decode()


NOTHING_BESIDE: Mapping[str, str] = MappingProxyType({})
_ATTRIBUTES = {
    "themeId": "theme-id",
    "tags": "tags",
    "highlights": "highlights",
    "event_types": "event-types",
    "sort": "sort",
}


def _element(  # noqa: PLR0917 -- what both elements are made of
    name: str,
    found: LoadedLiveblog,
    inner: str,
    services: Services,
    embedding: Embedding,
    first: Mapping[str, str] = NOTHING_BESIDE,
    last: Mapping[str, str] = NOTHING_BESIDE,
) -> str:
    """The element with its content and its style sheet, also for a page that puts it in by a script.

    The embed's script takes the content over where an article loads it. `first` and `last` are attributes besides.
    """
    attributes = {
        "liveblog-id": found.game.local_id,
        **first,
        "client-id": embedding.client,
        "liveblog-url": embedding.article,
        "delay": str(embedding.view.delay or ""),
        **{_ATTRIBUTES[each]: value for each, value in found.request.theme.parameters},
        **last,
    }
    named = "".join(f' {key}="{escape(value)}"' for key, value in attributes.items() if value)
    root = services.settings.public_url.rstrip("/")
    styles = f'<link rel="stylesheet" href="{escape(root)}/static/{version(STATIC)}/article.css">'
    return f"<{name}{named}>{styles}{inner}</{name}>"


def _teaser(found: LoadedLiveblog, services: Services, embedding: Embedding) -> Json:
    game, root = found.document, services.settings.public_url.rstrip("/")
    context = PageRenderer.of(services).context(found.game, root, article=embedding.article)
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
    return {"html": _element("matchwire-liveblog-teaser", found, inner, services, embedding)}
