"""The front page: the liveblogs by day and sport where everybody may read them, else what this service is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from functools import partial
from html import escape
from itertools import groupby
from typing import NamedTuple
from urllib.parse import quote
from zoneinfo import ZoneInfo

from sqlalchemy import Connection
from starlette.responses import Response

from api.http.caching import Rendering, conditional
from api.http.json_path import Json, number, text
from api.http.request import ApiRequest
from api.http.static import TYPES
from api.page.liveblog_page import language
from api.page.load_liveblog import FRAGMENT
from api.page.page_context import whole_scores
from api.page.page_frame import ALONE, document, moment, preferred_locale, territorial
from api.page.scoreboard import clock, clock_html, scores, title
from api.view.key_moments import result_of
from api.view.liveblog_reads import DelayedView, ReadCache, longer_delays, moment_seen, requested_delay
from api.view.post_content import tally
from api.view.references import sport_of
from mapping.locales import Translator, translator
from mapping.locales.labels import SPORT_CONTEXT, Label, PageText
from mapping.sports.base import spoken
from store.engine.liveblog_records import StoredGame
from store.liveblogs import history, liveblogs

NAME = "matchwire"
GAMES_LISTED = 200
FRESH = 1
"""Seconds for which the list is not made anew: the step in which moments of the past differ."""


async def front(request: ApiRequest) -> Response:
    """The front page in the reader's language; with `fragment=1` only the list, which changes."""
    services, context = request.services, request.context
    fragment, locale = FRAGMENT.of(context.query), preferred_locale(request.headers.get("accept-language", ""))
    if not services.settings.server.public_feeds:
        return _html(request, Rendering.of(plain_page(translator(locale)).encode()))
    now, zone = services.clock(), ZoneInfo(services.settings.server.timezone)

    wanted, longer = requested_delay(request), longer_delays(request)

    def render(conn: Connection) -> bytes:
        listed = games_list(_newest(conn, now, wanted, longer), translator(locale), now, zone)
        return (listed if fragment else list_page(listed, translator(locale))).encode("utf-8", "replace")

    key = ("front", locale, fragment, now // FRESH, request.services[ReadCache].steps, wanted, *longer.items())
    view = DelayedView(None, wanted, now, None)
    return _html(request, await request.services[ReadCache].body(key, render, view, request.accept_encoding))


def _newest(conn: Connection, now: float, wanted: int, longer: Mapping[str, int]) -> list[tuple[Json, float]]:
    """The newest public liveblogs, each as it stood when it was that time; `longer`: delays of organizations of their own."""
    listed: list[StoredGame] = []
    for name, seconds in ((None, wanted), *longer.items()):
        query = partial(liveblogs.list_games, organization_id=name, limit=GAMES_LISTED)
        games = history.read_at(conn, moment_seen(now, seconds), query)
        listed += [game for game in games if name or game.organization_id not in longer]
    listed.sort(key=lambda game: (game.created_at, game.id), reverse=True)
    public = [game for game in listed[:GAMES_LISTED] if game.public]
    return [(game.as_document(), now - longer.get(game.organization_id, wanted)) for game in public]


def _html(request: ApiRequest, body: Rendering) -> Response:
    more = {"Content-Security-Policy": ALONE, "Vary": "Accept-Language"}
    return conditional(request.headers, body, TYPES["html"], cache_control="no-cache", more=more)


def list_page(listed: str, texts: Translator) -> str:
    """The page around the list of public liveblogs."""
    return _frame(f"<main>{listed}</main>", texts, script="front.js")


def plain_page(texts: Translator) -> str:
    """What this service is, for readers who may not see a list."""
    link = f'<a href="docs">{_text(texts, PageText.DOCUMENTATION)}</a>'
    return _frame(f"<main><p>{_text(texts, PageText.SERVICE)}</p><p>{link}</p></main>", texts)


def games_list(games: Sequence[tuple[Json, float]], texts: Translator, now: float, zone: ZoneInfo) -> str:
    """The liveblogs of games: what is live, today's and what comes, what is over; by day and sport, days of `zone`.

    Each game comes with the time (Unix seconds) at which it stood so.
    """
    today = datetime.fromtimestamp(now, zone).date()
    rows = sorted((_row(game, texts, at, zone, round(now - at)) for game, at in games), key=partial(_place, today))
    if not rows:
        return f'<p class="nothing">{_text(texts, PageText.NO_LIVEBLOG)}</p>'
    return "".join(_section(day, list(each), texts) for day, each in groupby(rows, lambda row: row.day))


class Row(NamedTuple):
    """A liveblog in the list: the day that it stands under, None for one that is live, its sport, its start, and HTML."""

    day: date | None
    sport: str
    starts: int
    html: str


def _place(today: date, row: Row) -> tuple[int, int, str, int]:
    """Days from today on come in their order, those before today latest first."""
    if row.day is None:
        return (0, 0, row.sport, row.starts)
    days = (row.day - today).days
    return (1, days, row.sport, row.starts) if days >= 0 else (2, -days, row.sport, -row.starts)


def _section(day: date | None, rows: list[Row], texts: Translator) -> str:
    heading = texts.text(Label.LIVE) if day is None else _long(day, texts.locale)
    sports = "".join(
        f'<h3>{escape(sport)}</h3><ul class="games">{"".join(row.html for row in each)}</ul>'
        for sport, each in groupby(rows, lambda row: row.sport)
    )
    return f"<section><h2>{escape(heading)}</h2>{sports}</section>"


def _long(day: date, locale: str) -> str:
    from babel.dates import format_date  # a start that renders nothing needs no calendar

    return format_date(day, "full", locale=territorial(locale))


def _row(game: Json, texts: Translator, now: float, zone: ZoneInfo, delay: int) -> Row:
    state, score, sport = clock(game, texts, now), scores(game), sport_of(game)
    starts = number(game, "meta_info", "starts_at") or number(game, "created_at") or 0
    shown = tally({"home_score": score[0], "away_score": score[1]}, texts.locale) if score else ""
    name = f'<span lang="{escape(language(game))}" dir="auto">{escape(title(game))}</span>'
    href = f"liveblogs/{quote(text(game, 'local_id'), safe='')}{f'?delay={delay}' if delay else ''}"
    result = result_of(game)
    ended = f'<p class="result" lang="{escape(language(game))}">{whole_scores(escape(result))}</p>' if result else ""
    facts = f"{moment(starts, 'time', zone, texts.locale)} <bdi>{escape(text(game, 'meta_info', 'tournament', 'name'))}</bdi>"
    link = f'<a href="{href}">{name}{f"<b>{escape(shown)}</b>" if shown else ""}</a>'
    return Row(
        day=None if state is not None and state.live else datetime.fromtimestamp(starts, zone).date(),
        sport=texts.text(sport.name, context=SPORT_CONTEXT) if sport.name else spoken(sport.id),
        starts=starts,
        html=f'<li>{link}{clock_html(state)}{ended}<p class="facts">{facts}</p></li>',
    )


def _frame(body: str, texts: Translator, script: str = "") -> str:
    about = texts.text(PageText.SERVICE)
    head = f'<header class="front"><h1>{_text(texts, PageText.LIVEBLOGS)}</h1></header>'
    name = f"{texts.text(PageText.LIVEBLOGS)} · {NAME}"
    return document(title=name, language=texts.locale, about=about, body=head + body, script=script)


def _text(texts: Translator, msgid: str) -> str:
    return escape(texts.text(msgid))
