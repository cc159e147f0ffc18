"""A liveblog as HTML: the one function that every page, and later the prefetch, shows a liveblog with."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from api.json_path import Json, number, text
from api.page.posts import stream
from api.page.scoreboard import scoreboard, title
from api.page.squads import squads
from api.references import summary

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mapping.locales import Translator

STREAM_PATH = "/api/embed/v4/stream"
"""Where a page hears of changes."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' https: http: data:;"
    " media-src https: http:; base-uri 'none'; form-action 'none'"
)
"""Nothing inline runs. A liveblog may stand in a frame of any site: no click in it can do harm."""


def render_liveblog(game: Json, events: Iterable[Json], translator: Translator, now: float) -> str:
    """The liveblog of a decorated game and its public events, as HTML in which every foreign text is escaped."""
    return (
        f'{scoreboard(game, translator, now)}<div class="columns">'
        f"<main>{stream(game, events, translator)}</main>{squads(game, translator)}</div>"
    )


def language(game: Json) -> str:
    """The locale of a liveblog, English where it has none."""
    return text(game, "locale") or "en"


def page(game: Json, inner: str, *, up: str = "../", more: bool = False) -> str:
    """A whole document around a rendered liveblog; `up` leads to where `static/` is, `more`: older posts are left out."""
    name, about = title(game), summary(game)
    known = {
        "name": text(game, "local_id"),
        "version": number(game, "version") or 0,
        "stream": f"{up}{STREAM_PATH.lstrip('/')}",
        "more": int(more),
    }
    data = "".join(f' data-{key}="{escape(str(value))}"' for key, value in known.items())
    return document(
        title=name,
        language=language(game),
        about=about or name,
        body=f'<div id="liveblog"{data}>{inner}</div>',
        up=up,
        script="page.js",
    )


def document(*, title: str, language: str, about: str, body: str, up: str = "", script: str = "") -> str:
    """The frame of all pages; `title`, `language` and `about` are escaped here, `body` is HTML."""
    code = f'<script src="{up}static/{script}" defer></script>' if script else ""
    return (
        f'<!doctype html><html lang="{escape(language)}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f'<title>{escape(title)}</title><meta name="description" content="{escape(about)}">'
        f'<link rel="icon" href="{up}static/icon.svg" type="image/svg+xml">'
        f'<link rel="stylesheet" href="{up}static/page.css">{code}</head>'
        f"<body>{body}<footer>matchwire</footer></body></html>"
    )
