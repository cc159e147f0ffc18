"""The page of a liveblog."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, get_args

from api.capabilities import page_data
from api.http.json_path import Json, number, text
from api.page.card_facts import SIZE
from api.page.discovery import discovery
from api.page.document import document
from api.page.moments import key_moments_html
from api.page.posts import NOTHING_AROUND, PageExtent, stream
from api.page.scoreboard import scoreboard, title
from api.page.sections import sections
from api.page.squads import squads
from api.page.structured_data import script
from api.page.times import with_territory
from api.view.cover import cover
from api.view.key_moments import NO_KEY_MOMENTS, KeyMoments
from api.view.references import summary
from api.view.result import with_result
from mapping.documents.scalars import Locale
from mapping.locales import translator
from mapping.locales.labels import PageText

if TYPE_CHECKING:
    from collections.abc import Sequence

    from api.page.page_context import PageContext

LOCALES = frozenset(get_args(Locale)) - {""}
STREAM_PATH = "/api/embed/v4/stream"
"""Where a page hears of changes."""


def render_liveblog(
    game: Json,
    events: Sequence[Json],
    page: PageContext,
    now: float,
    key_moments: KeyMoments = NO_KEY_MOMENTS,
    *,
    extent: PageExtent = NOTHING_AROUND,
    delay: int = 0,
) -> str:
    """The liveblog of a decorated game, its public events and key moments, as HTML in which every foreign text is escaped.

    It carries what a script needs to know to follow it. `extent`: what else there is to see; `delay`: the seconds by
    which it is late.
    """
    known: dict[str, object] = {
        "name": text(game, "local_id"),
        "version": number(game, "version") or 0,
        "more": int(extent.older),
        "newer": int(extent.newer),
        "delay": delay,
        "organization": page.images.organization_id,
    }
    known |= page_data(page.settings, page.images.organization_id, game, page.texts)
    data = "".join(f' data-{key}="{escape(str(value))}"' for key, value in known.items())
    moments = key_moments_html(key_moments, page)
    posts = stream(game, events, page, extent._replace(key_moments=key_moments), pinned=extent.pinned)
    beside = squads(game, page.texts, key_moments.player_events)
    return (
        f'<div id="liveblog" lang="{escape(language(game))}"{data}>{page.cover(cover(game))}'
        f"{scoreboard(game, page, now, key_moments.kicks)}{sections(game, page, key_moments, beside)}"
        f'<div class="columns"><div>{moments}{posts}</div>{beside}</div></div>'
    )


def language(game: Json) -> str:
    """The locale of a liveblog, English where it has none that there is: browsers write no date in a language unheard of."""
    locale = text(game, "locale")
    return locale if locale in LOCALES else "en"


def page(
    game: Json, inner: str, schema: Json, *, address: str, up: str = "../", listed: bool = False, card: str = ""
) -> str:
    """A whole document around a rendered liveblog with its structured data.

    `address`: of the page, which embedders name; `up` leads to where `static/` is; `listed`: everybody may see the
    list of liveblogs; `card`: the address of its card.
    """
    name, about = with_result(game, title(game)), summary(game)
    texts = translator(language(game))
    link = f'<nav class="top"><a href="{up}">{escape(texts.text(PageText.ALL_LIVEBLOGS))}</a></nav>' if listed else ""
    return document(
        title=name,
        language=language(game),
        about=about or name,
        body=f"{link}<main>{inner}</main>",
        up=up,
        script="page.js",
        head=_found_by(schema, name, about or name, card, address) + script(schema),
    )


def _found_by(schema: Json, name: str, about: str, drawn: str, address: str) -> str:
    """What search engines and social networks show of a page: its one address, which may be an article's, and a card.

    `drawn`: an image of the score.
    """
    card = {
        "type": "article",
        "title": name,
        "description": about,
        "url": schema["url"],
        "locale": with_territory(schema["inLanguage"]),
        "site_name": schema["publisher"]["name"],
        **_picture(schema, name, about, drawn),
    }
    properties = "".join(
        f'<meta property="og:{key}" content="{escape(value)}">' for key, value in card.items() if value
    )
    size = "summary_large_image" if drawn or schema.get("image") else "summary"
    properties += f'<meta name="twitter:card" content="{size}">'
    found = discovery(address.rpartition("/liveblogs/")[0], address)
    embeds = "".join(
        f'<link rel="alternate" type="{kind}" href="{escape(url)}" title="{escape(name)}">'
        for kind, url in found.items()
    )
    return f'<link rel="canonical" href="{escape(schema["url"])}">{embeds}{properties}'


def _picture(schema: Json, name: str, about: str, drawn: str) -> Json:
    """The drawn card, else the liveblog's image, else the logo of who publishes it."""
    if drawn:
        width, height = map(str, SIZE)
        return {"image": drawn, "image:width": width, "image:height": height, "image:alt": about}
    image = schema.get("image") or schema["publisher"].get("logo", {}).get("url")
    return {"image": image, "image:alt": name} if image else {}
