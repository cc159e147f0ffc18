"""The front page: which liveblogs there are to read, or what this is."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING
from urllib.parse import quote

from api.json_path import Json, number, text
from api.page.clock import clock
from api.page.page import document, language
from api.page.scoreboard import clock_html, moment, scores, title
from mapping.locales import translator

if TYPE_CHECKING:
    from collections.abc import Iterable

ABOUT = "Sports data in, liveblogs out."


def index_page(games: Iterable[Json], now: float) -> str:
    """The list of public liveblogs."""
    rows = "".join(_row(game, now) for game in games)
    listed = f'<ul class="games">{rows}</ul>' if rows else '<p class="nothing">No liveblog yet</p>'
    return _frame(f"<main><h2>Liveblogs</h2>{listed}</main>")


def plain_page() -> str:
    """What this is, for those who may not see a list."""
    told = 'This is a matchwire service. Its <a href="docs">API documentation</a> tells what it offers.'
    return _frame(f"<main><p>{told}</p></main>")


def _frame(body: str) -> str:
    head = f'<header class="front"><h1>matchwire</h1><p>{ABOUT}</p></header>'
    return document(title="matchwire", language="en", about=ABOUT, body=head + body)


def _row(game: Json, now: float) -> str:
    score = scores(game)
    tally = f"<b>{escape(score[0])}:{escape(score[1])}</b>" if score else ""
    starts = number(game, "meta_info", "starts_at")
    when = moment(starts, "date") if starts else ""
    state = clock_html(clock(game, translator(language(game)), now))
    link = f'<a href="liveblogs/{quote(text(game, "local_id"), safe="")}"><span>{escape(title(game))}</span>{tally}</a>'
    return f'<li>{link}{state}<p class="facts">{when}</p></li>'
