"""The card of a liveblog, the image of its page in social networks: drawn once a version, kept in memory up to a bound."""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict
from functools import partial
from typing import Any

from sqlalchemy import Connection
from starlette.responses import Response

from api.http import openapi
from api.http.caching import Rendering, SingleFlightCache, cache_control, conditional, rendering_size
from api.http.json_path import Json, node, text
from api.http.param import Text
from api.http.request import ApiRequest, Services
from api.media.proxy import ImageProxy
from api.page.liveblog_page import language
from api.page.scoreboard import SIDES, clock, initials, scores, team_of, title
from api.page.share_links import CREST, CardFacts, CardSide, has_card
from api.page.standings import lap_of, top_lines
from api.view.liveblog_access import published_game
from api.view.liveblog_reads import DELAY, ReadCache, read_view
from api.view.post_content import one_line, tally
from api.view.post_files import image_url
from api.view.references import complete
from mapping.errors import NotFound, ServiceError
from mapping.locales import translator
from mapping.rules.media_address import ImageOptions, ImageRequest

PATH = "/liveblogs/{liveblogId}/card.png"
TYPE = "image/png"
KEPT_BYTES = 16_777_216
"""Of cards in memory; those that were wanted least recently go first."""
PATIENCE = 3.0
"""Seconds for which a card waits for crests; without them it has initials."""
CARD = openapi.operation(
    "liveblog.card",
    "The image of a liveblog for social networks",
    "Pages",
    {
        200: {
            "description": "Names and score, 1200 by 630 pixels",
            "content": {TYPE: {"schema": {"type": "string", "format": "binary"}}},
        },
        **openapi.NOT_MODIFIED,
        **openapi.PUBLIC_ERRORS,
    },
    parameters=[
        openapi.LIVEBLOG_IN_PATH,
        Text("v", "The version that the page showed, so that a network fetches a new one"),
        DELAY,
    ],
    security=openapi.OPEN,
)


class Cards(SingleFlightCache[Rendering]):
    """The cards that this process has drawn."""

    def __init__(self) -> None:
        super().__init__(KEPT_BYTES, size=rendering_size)


async def card(request: ApiRequest) -> Response:
    """The card of the liveblog as it stands for a reader of that delay. Raises NotFound where it has none."""
    services, settings = request.services, request.services.settings
    view, game = await read_view(request, request.path_params["liveblogId"])
    reading = clock(game.document, translator(language(game.document)), view.now)
    label = ("", False) if reading is None else (reading.label, reading.live)
    publisher = services.organizations(game.organization_id) or ""

    def render(conn: Connection) -> bytes:
        (document,) = complete(conn, [published_game(conn, game.id).as_document()])
        return json.dumps(_on_one_line(facts_of(document, view.now, publisher))).encode()

    found = await services[ReadCache].body(("card", game.id, game.version, label), render, view)
    facts = json.loads(found.body)
    if facts is None:
        raise NotFound("this liveblog has no card")
    key = (game.organization_id, found.etag)
    drawn = await services[Cards].get(key, partial(_draw, facts, game.organization_id, services))
    return conditional(request.headers, drawn, TYPE, cache_control=cache_control(settings))


async def _draw(facts: Json, organization_id: str, services: Services) -> Rendering:
    """The card of those facts. Raises Overloaded where too many images wait to be drawn."""
    proxy = services.find(ImageProxy)
    sides = [await _side(each, organization_id, proxy) for each in facts["sides"]]
    shown = CardFacts(**{**facts, "sides": tuple(sides), "lines": tuple(facts["lines"])})
    work = partial(_draw_bytes, shown, services.settings.embed.card_fonts)
    return Rendering.of(await (asyncio.to_thread(work) if proxy is None else proxy.work(organization_id, work)))


def facts_of(game: Json, now: float, publisher: str) -> Json | None:
    """What the card says, as JSON has it; None for a liveblog that has none."""
    if not has_card(game):
        return None
    texts = translator(language(game))
    home, away = (team_of(game, side) for side in SIDES)
    state, score = clock(game, texts, now), scores(game)
    teams = zip((home, away), initials(home, away), strict=True) if text(home, "name") and text(away, "name") else ()
    return {
        "title": title(game),
        "sides": [_team(team, short) for team, short in teams],
        "score": tally({"home_score": score[0], "away_score": score[1]}, texts.locale) if score else "",
        "decided": text(game, "scoreboard", "score", "title"),
        "state": "" if state is None else state.label,
        "live": state is not None and state.live,
        "lines": top_lines(game) or list(filter(None, [lap_of(game, texts)])),
        "above": text(game, "meta_info", "tournament", "name"),
        "publisher": publisher,
    }


def _on_one_line(facts: Any) -> Any:
    """The facts with each text on one line: nothing draws more than one."""
    match facts:
        case str():
            return one_line(facts)
        case list():
            return list(map(_on_one_line, facts))
        case dict():
            return {name: _on_one_line(each) for name, each in facts.items()}
    return facts


def _team(team: Json, short: str) -> Json:
    side = CardSide(text(team, "name"), text(team, "short_name"), short)
    return asdict(side) | {"crest": image_url(node(team).get("image"))}


def _draw_bytes(facts: CardFacts, fonts: tuple[str, ...]) -> bytes:
    from api.page.card_drawing import draw_card  # Pillow is loaded with the first card, and not by a start

    return draw_card(facts, fonts)


async def _side(side: Json, organization_id: str, proxy: ImageProxy | None) -> CardSide:
    crest = await _crest(side["crest"], organization_id, proxy) if side["crest"] and proxy is not None else None
    return CardSide(side["name"], side["short_name"], side["initials"], crest)


async def _crest(url: str, organization_id: str, proxy: ImageProxy) -> bytes | None:
    """The bytes of a crest, as the proxy gives it to readers of pages; None where it has none in time."""
    wanted = ImageRequest(organization_id, url, ImageOptions(CREST, CREST))
    try:
        found = await asyncio.wait_for(proxy.find(wanted, frozenset()), PATIENCE)
    except (ServiceError, TimeoutError):
        return None
    return None if found is None else found.rendering.body
