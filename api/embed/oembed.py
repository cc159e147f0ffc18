"""oEmbed 1.0 (oembed.com): from the address of a liveblog's page to the frame that shows it in somebody else's."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlsplit
from xml.etree import ElementTree as ET

from api.feeds.feed import add, serialise
from api.http import openapi
from api.http.conditional import cache_control, conditional
from api.http.errors import FormatNotServed, json_bytes
from api.http.rendered import Rendering
from api.http.request import integer
from api.page.discovery import KINDS, frame_url, iframe, liveblog_of
from api.page.load import NOBODY
from api.view import delay
from api.view.content import one_line
from api.view.liveblog_access import readable
from api.view.read_cache import ReadCache

if TYPE_CHECKING:
    from starlette.responses import Response

    from api.http.json_path import Json
    from api.http.request import ApiRequest
    from api.http.services import Services
    from store.liveblogs.liveblogs import StoredGame

WIDTH, HEIGHT = 640, 800
"""Pixels of a frame that nobody limits."""
MOST = 10_000
PIXELS: Json = {"type": "integer", "minimum": 1, "maximum": MOST}
SCHEMA: Json = {
    "type": "object",
    "required": ["version", "type", "html", "width", "height", "title"],
    "properties": {
        "version": {"const": "1.0"},
        "type": {"const": "rich"},
        "html": openapi.TEXT,
        "width": PIXELS,
        "height": PIXELS,
        "title": openapi.TEXT,
        "author_name": openapi.TEXT,
        "provider_name": openapi.TEXT,
        "provider_url": openapi.TEXT,
        "cache_age": {"type": "integer"},
    },
}
OEMBED = openapi.operation(
    "oembed",
    "The frame that shows a liveblog in somebody else's page",
    "Pages",
    {
        200: {
            "description": "oEmbed 1.0, type `rich`",
            "content": {KINDS["json"]: {"schema": SCHEMA}, KINDS["xml"]: {"schema": openapi.TEXT}},
        },
        **openapi.NOT_MODIFIED,
        **openapi.refusals(*openapi.OF_ALL, 401, 404, 501),
    },
    parameters=[
        openapi.query("url", "The address of the page of a liveblog", openapi.NAME, required=True),
        openapi.query("maxwidth", "Pixels that the frame may be wide", PIXELS),
        openapi.query("maxheight", "Pixels that the frame may be high", PIXELS),
        openapi.query("format", "What is wanted", {"type": "string", "enum": [*KINDS], "default": "json"}),
        delay.PARAMETER,
    ],
    security=openapi.OPEN,
)


async def oembed(request: ApiRequest) -> Response:
    """The liveblog whose page has the address `url`; raises NotFound for any other address."""
    services, context, settings = request.services, request.context, request.services.settings
    form = context.query.get("format", "json")
    if form not in KINDS:
        raise FormatNotServed("format should be json or xml", field="format")
    width = min(integer(context.query, "maxwidth", WIDTH, low=1, high=MOST), WIDTH)
    height = min(integer(context.query, "maxheight", HEIGHT, low=1, high=MOST), HEIGHT)
    url = context.query.get("url", "")
    name, page_query = liveblog_of(url, settings.public_url), dict(parse_qsl(urlsplit(url).query))
    view = await delay.view_of(request, name, request.services[ReadCache].game, page_query)
    game = readable(view.game, context.caller, public=settings.server.public_feeds, field="url")
    facts = _facts(game, services, frame_url(settings.public_url, game.local_id, view.delay), width, height)
    body = json_bytes(facts) if form == "json" else _xml(facts)
    return conditional(
        request.headers, Rendering.of(body), f"{KINDS[form]}; charset=utf-8", cache_control=cache_control(settings)
    )


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
        "html": iframe(frame, name, str(width), height),
    }


def _xml(facts: Json) -> bytes:
    root = ET.Element("oembed")
    for key, value in facts.items():
        add(root, key, str(value))
    return serialise(root)
