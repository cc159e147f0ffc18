"""A liveblog alone, for a frame in somebody else's page; and oEmbed 1.0 (oembed.com), which leads from its page to that frame."""

from __future__ import annotations

from html import escape
from typing import Annotated, Literal, NotRequired
from urllib.parse import parse_qsl, urlsplit
from xml.etree import ElementTree as ET

from pydantic import Field
from sqlalchemy import Connection
from starlette.responses import Response
from typing_extensions import TypedDict

from api.embed.assets import STATIC
from api.feeds.feed_selection import FeedRequest, page_url
from api.feeds.formats import add, serialise
from api.http import openapi
from api.http.caching import cache_control, conditional
from api.http.errors import FormatNotServed, json_bytes
from api.http.json_path import Json
from api.http.param import NAME, TEXT, Integer, Text
from api.http.request import ApiRequest, Services
from api.http.static import TYPES, version
from api.page.liveblog_page import PageRenderer, language, render_loaded
from api.page.load_liveblog import NOBODY, LoadedLiveblog, PageRequest, late, load_liveblog
from api.page.page_frame import WITH_POSTS
from api.page.scoreboard import clock, title
from api.page.share_links import KINDS, SIZE, card_url, frame_url, iframe, liveblog_of
from api.page.structured_data import COVER, LOGO
from api.view.key_moments import with_result
from api.view.liveblog_reads import DELAY, ReadCache, read_view
from api.view.post_content import one_line
from config import Settings
from mapping.locales import translator

POSTS = 30
"""The newest ones, among which an image is looked for."""
WIDTH, HEIGHT = 640, 800
"""Pixels of a frame that nobody limits."""
MOST = 10**15 - 1
"""What a consumer may name; the frame is never larger than it is without."""
Pixels = Annotated[int, Field(ge=1, le=MOST)]


class OEmbed(TypedDict):
    """What consumers of oEmbed hear; every text in `html` is escaped."""

    version: Literal["1.0"]
    type: Literal["rich"]
    html: str
    width: Pixels
    height: Pixels
    title: str
    author_name: NotRequired[str]
    provider_name: NotRequired[str]
    provider_url: NotRequired[str]
    thumbnail_url: NotRequired[str]
    thumbnail_width: NotRequired[Pixels]
    thumbnail_height: NotRequired[Pixels]
    cache_age: NotRequired[int]


URL = Text("url", "The address of the page of a liveblog", NAME, required=True)
MAX_WIDTH = Integer("maxwidth", "Pixels that the frame may be wide", low=1, high=MOST, default=WIDTH)
MAX_HEIGHT = Integer("maxheight", "Pixels that the frame may be high", low=1, high=MOST, default=HEIGHT)
FORMAT = Text("format", "What is wanted", {"type": "string", "enum": [*KINDS], "default": "json"})
OEMBED = openapi.operation(
    "oembed",
    "The frame that shows a liveblog in somebody else's page",
    "Pages",
    {
        200: {
            "description": "oEmbed 1.0, type `rich`",
            "content": {KINDS["json"]: {"schema": openapi.response_schema(OEmbed)}, KINDS["xml"]: {"schema": TEXT}},
        },
        **openapi.NOT_MODIFIED,
        **openapi.refusals(*openapi.OF_ALL, 401, 404, 501),
    },
    parameters=[
        URL,
        MAX_WIDTH,
        MAX_HEIGHT,
        FORMAT,
        DELAY,
    ],
    security=openapi.OPEN,
)


FRAME_PATH = "/embed/{liveblogId}"
FRAMED_POSTS = 50
MOST_POSTS = 300
LIMIT = Integer("limit", "Number of posts", low=1, high=MOST_POSTS, default=FRAMED_POSTS)
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


async def oembed(request: ApiRequest) -> Response:
    """The liveblog whose page has the address `url`; raises NotFound for any other address."""
    services, context, settings = request.services, request.context, request.services.settings
    form = context.query.get(FORMAT.name, "json")
    if form not in KINDS:
        raise FormatNotServed("format should be json or xml", field="format")
    width = min(MAX_WIDTH.of(context.query), WIDTH)
    height = min(MAX_HEIGHT.of(context.query), HEIGHT)
    url = URL.of(context.query)
    name, page_query = liveblog_of(url, settings.public_url), dict(parse_qsl(urlsplit(url).query))
    view, game = await read_view(request, name, query=page_query, field="url")

    def rendered(conn: Connection) -> bytes:
        loaded = load_liveblog(conn, game.id, FeedRequest(game.id, limit=POSTS), view.now)
        title = one_line(loaded.game.title) or "Liveblog"
        facts = {
            "version": "1.0",
            "type": "rich",
            "title": title,
            "author_name": services.organizations(game.organization_id) or NOBODY,
            "provider_name": NOBODY,
            "provider_url": settings.public_url,
            "cache_age": 3600,
            "width": width,
            "height": height,
            "html": iframe(frame_url(settings.public_url, game.local_id, view.delay), title, width, height),
            **_thumbnail(loaded, services, view.delay),
        }
        if form == "json":
            return json_bytes(facts)
        root = ET.Element("oembed")
        for key, value in facts.items():
            add(root, key, str(value))
        return serialise(root)

    body = await services[ReadCache].body(("oembed", form, width, height, game.id, game.version), rendered, view)
    return conditional(request.headers, body, f"{KINDS[form]}; charset=utf-8", cache_control=cache_control(settings))


def _thumbnail(loaded: LoadedLiveblog, services: Services, delayed: int) -> Json:
    """The image that stands for the liveblog, as its structured data have it, else the publisher's logo."""
    schema = loaded.schema(services, delayed)
    shown: Json = next((each for post in schema.get("liveBlogUpdate", ()) for each in post.get("image", ())), {})
    logo = schema["publisher"].get("logo", {}).get("url")
    found = schema.get("image") or logo
    if not found:
        return {}
    size = (shown.get("width"), shown.get("height")) if found == shown.get("url") else (None, None)
    others = {logo: (LOGO, LOGO), card_url(services.settings.public_url, loaded.document, delayed): SIZE}
    width, height = size if all(size) else others.get(found, (COVER, COVER * 9 // 16))
    return {"thumbnail_url": found, "thumbnail_width": width, "thumbnail_height": height}


async def frame(request: ApiRequest) -> Response:
    """The liveblog as its page shows it; its script says how high it is, so that the frame can follow."""
    services, context, settings = request.services, request.context, request.services.settings
    limit = LIMIT.of(context.query)
    view, game = await read_view(request, request.path_params["liveblogId"])
    reading = clock(game.document, translator(language(game.document)), view.now)

    def render(conn: Connection) -> bytes:
        found = load_liveblog(conn, game.id, FeedRequest(liveblog=game.id, limit=limit), view.now)
        page = page_url(settings.public_url, found.game.local_id)
        context = PageRenderer.of(services, view.delay).context(found.game, url=page)
        inner = render_loaded(found, context, view.now, PageRequest(limit=limit, kept=late(view.delay)))
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
