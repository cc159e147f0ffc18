"""The page of a liveblog, and the front page that lists the liveblogs or says what this service is."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING
from urllib.parse import quote

from api.embed.addresses import discovery
from api.embed.structured_data import script
from api.json_path import Json, number, text
from api.key_moments import NO_HIGHLIGHTS, Highlights
from api.page.clock import clock
from api.page.moments import key_moments_html
from api.page.posts import stream
from api.page.scoreboard import clock_html, moment, scoreboard, scores, title
from api.page.squads import squads
from api.references import summary
from mapping.locales import translator

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from api.page.files import PageFiles

ABOUT = "Sports data in, liveblogs out."
STREAM_PATH = "/api/embed/v4/stream"
"""Where a page hears of changes."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self';"
    " media-src https: http:; base-uri 'none'; form-action 'none'"
)
"""Nothing inline runs; only videos come from elsewhere. A liveblog may stand in a frame of any site: no click in it can do harm."""


def render_liveblog(
    game: Json,
    events: Sequence[Json],
    files: PageFiles,
    now: float,
    highlights: Highlights = NO_HIGHLIGHTS,
    *,
    page: str = "",
    older: str = "",
) -> str:
    """The liveblog of a decorated game, its public events and key moments, as HTML in which every foreign text is escaped.

    It carries what a script needs to know to follow it. `page`: the page's address, where the HTML stands elsewhere; `older`:
    the query of older posts up to the last one's id, empty where there are none.
    """
    known = {"name": text(game, "local_id"), "version": number(game, "version") or 0, "more": int(older != "")}
    data = "".join(f' data-{key}="{escape(str(value))}"' for key, value in known.items())
    moments = key_moments_html(highlights, files.texts, page)
    posts = stream(game, events, files, older and page + older)
    return (
        f'<div id="liveblog" lang="{escape(language(game))}"{data}>{scoreboard(game, files, now)}<div class="columns">'
        f"<div>{moments}{posts}</div>{squads(game, files.texts)}</div></div>"
    )


def language(game: Json) -> str:
    """The locale of a liveblog, English where it has none."""
    return text(game, "locale") or "en"


def page(game: Json, inner: str, schema: Json, *, up: str = "../") -> str:
    """A whole document around a rendered liveblog with its structured data; `up` leads to where `static/` is."""
    name, about = title(game), summary(game)
    return document(
        title=name,
        language=language(game),
        about=about or name,
        body=f"<main>{inner}</main>",
        up=up,
        script="page.js",
        head=_found_by(schema, name, about or name) + script(schema),
    )


def _found_by(schema: Json, name: str, about: str) -> str:
    """What search engines and social networks show of a page: its one address, and a card."""
    card = {
        "type": "article",
        "title": name,
        "description": about,
        "url": schema["url"],
        "locale": _territorial(schema["inLanguage"]),
        "site_name": schema["publisher"]["name"],
        "image": schema.get("image"),
    }
    properties = "".join(
        f'<meta property="og:{key}" content="{escape(value)}">' for key, value in card.items() if value
    )
    found = discovery(schema["url"].rpartition("/liveblogs/")[0], schema["url"])
    embeds = "".join(
        f'<link rel="alternate" type="{kind}" href="{escape(url)}" title="{escape(name)}">'
        for kind, url in found.items()
    )
    return f'<link rel="canonical" href="{escape(schema["url"])}">{embeds}{properties}'


def _territorial(locale: str) -> str:
    """A locale as social networks write it: `de`, `fr_FR`."""
    spoken, _, territory = locale.partition("-")
    return f"{spoken}_{territory.upper()}" if territory else spoken


def document(
    *, title: str, language: str, about: str, body: str, up: str = "", script: str = "", head: str = ""
) -> str:
    """The frame of all pages; `title`, `language` and `about` are escaped here, `body` and `head` are HTML."""
    code = f'<script type="module" src="{up}static/{script}"></script>' if script else ""
    return (
        f'<!doctype html><html lang="{escape(language)}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f'<title>{escape(title)}</title><meta name="description" content="{escape(about)}">'
        f'<link rel="icon" href="{up}static/icon.svg" type="image/svg+xml">'
        f'<link rel="stylesheet" href="{up}static/page.css">{head}{code}</head>'
        f"<body>{body}<footer>matchwire</footer></body></html>"
    )


def index_page(games: Iterable[Json], now: float) -> str:
    """The list of public liveblogs."""
    rows = "".join(_row(game, now) for game in games)
    listed = f'<ul class="games">{rows}</ul>' if rows else '<p class="nothing">No liveblog yet</p>'
    return _frame(f"<main><h2>Liveblogs</h2>{listed}</main>")


def plain_page() -> str:
    """What this service is, for readers who may not see a list."""
    about = 'This is a matchwire service. Its <a href="docs">API documentation</a> tells what it offers.'
    return _frame(f"<main><p>{about}</p></main>")


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
