"""oEmbed 1.0 (oembed.com): from the address of a liveblog's page to the frame that shows it in somebody else's."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit
from xml.etree import ElementTree as ET

from sqlalchemy import Connection
from starlette.responses import Response

from api.feeds.feed import FeedRequest, add, serialise
from api.http import openapi
from api.http.caching import cache_control, conditional
from api.http.errors import FormatNotServed, json_bytes
from api.http.json_path import Json
from api.http.param import NAME, TEXT, Integer, Text
from api.http.request import ApiRequest, Services
from api.page.card_facts import SIZE
from api.page.discovery import KINDS, card_url, frame_url, iframe, liveblog_of
from api.page.load import NOBODY, LoadedLiveblog, load_liveblog
from api.page.structured_data import COVER, LOGO
from api.view.content import one_line
from api.view.read_cache import DELAY, ReadCache, read_view
from store.liveblogs.liveblogs import StoredGame

POSTS = 30
"""The newest ones, among which an image is looked for."""
WIDTH, HEIGHT = 640, 800
"""Pixels of a frame that nobody limits."""
MOST = 10**15 - 1
"""What a consumer may name; the frame is never larger than it is without."""
PIXELS: Json = {"type": "integer", "minimum": 1, "maximum": MOST}
SCHEMA: Json = {
    "type": "object",
    "required": ["version", "type", "html", "width", "height", "title"],
    "properties": {
        "version": {"const": "1.0"},
        "type": {"const": "rich"},
        "html": TEXT,
        "width": PIXELS,
        "height": PIXELS,
        "title": TEXT,
        "author_name": TEXT,
        "provider_name": TEXT,
        "provider_url": TEXT,
        "thumbnail_url": TEXT,
        "thumbnail_width": PIXELS,
        "thumbnail_height": PIXELS,
        "cache_age": {"type": "integer"},
    },
}
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
            "content": {KINDS["json"]: {"schema": SCHEMA}, KINDS["xml"]: {"schema": TEXT}},
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
    frame = frame_url(settings.public_url, game.local_id, view.delay)

    def rendered(conn: Connection) -> bytes:
        loaded = load_liveblog(conn, game.id, FeedRequest(game.id, limit=POSTS), view.now)
        facts = _facts(loaded.game, services, frame, width, height) | _thumbnail(loaded, services, view.delay)
        return json_bytes(facts) if form == "json" else _xml(facts)

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


def _facts(game: StoredGame, services: Services, frame: str, width: int, height: int) -> Json:
    """All that consumers hear; every text in `html` is escaped there."""
    settings = services.settings
    name = one_line(game.title) or "Liveblog"
    return {
        "version": "1.0",
        "type": "rich",
        "title": name,
        "author_name": services.organizations(game.organization_id) or NOBODY,
        "provider_name": NOBODY,
        "provider_url": settings.public_url,
        "cache_age": 3600,
        "width": width,
        "height": height,
        "html": iframe(frame, name, width, height),
    }


def _xml(facts: Json) -> bytes:
    root = ET.Element("oembed")
    for key, value in facts.items():
        add(root, key, str(value))
    return serialise(root)
