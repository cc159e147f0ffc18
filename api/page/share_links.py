"""Links by which a liveblog is shared: its page, what its card says, the frame for other sites, and the tags that name them."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import Final
from urllib.parse import quote, unquote, urlencode, urlsplit

from api.feeds.feed_selection import page_url
from api.http.json_path import Json, text
from api.page.scoreboard import SIDES, team_of
from api.view.post_files import cover
from api.view.references import sport_of
from mapping.errors import InvalidRequest, NotFound
from store.liveblogs.liveblogs import NO_LIVEBLOG

SIZE: Final = (1200, 630)
"""Pixels of a card, as social networks want it."""
CREST: Final = 190
"""Pixels of a crest."""


@dataclass(frozen=True, slots=True)
class CardSide:
    """A team as the card shows it; `crest`: the bytes of an image."""

    name: str
    short_name: str
    initials: str
    crest: bytes | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class CardFacts:
    """What stands on a card: two sides and a score, or a title; `lines` are those of a race."""

    title: str
    sides: tuple[CardSide, ...]
    score: str
    decided: str
    state: str
    live: bool
    lines: tuple[str, ...]
    above: str
    publisher: str


OEMBED = "/oembed"
KINDS = {"json": "application/json", "xml": "text/xml"}
"""Formats of oEmbed, and their media types."""


def frame_url(public_url: str, liveblog: str, delay: int = 0) -> str:
    late = f"?delay={delay}" if delay else ""
    return f"{public_url.rstrip('/')}/embed/{quote(liveblog, safe='')}{late}"


def iframe(url: str, title: str, width: int, height: int, *, name: str = "") -> str:
    """The element for somebody else's page; `title` is what a screen reader says of it.

    A frame with a `name` is made as wide as there is room by the script beside it; one without has no script, and is never
    wider than there is room.
    """
    fitted = f' name="{escape(name)}"' if name else ' style="max-width:100%;border:0"'
    return (
        f'<iframe src="{escape(url)}" title="{escape(title)}" width="{width}" height="{height}"{fitted}'
        ' loading="lazy" allowfullscreen></iframe>'
    )


def has_card(game: Json) -> bool:
    """Whether two sides meet or a race is run, and the liveblog has no image of its own."""
    if cover(game):
        return False
    teams = all(text(team_of(game, side), "name") for side in SIDES)
    return teams or sport_of(game).ranked


def card_url(public_url: str, game: Json, delayed: int) -> str:
    """The address of the card at this version, with the delay of the page that names it; empty where there is none."""
    if not has_card(game):
        return ""
    late = f"&delay={delayed}" if delayed else ""
    return f"{page_url(public_url, text(game, 'local_id'))}/card.png?v={text(game, 'version') or 0}{late}"


def discovery(public_url: str, page: str) -> dict[str, str]:
    """The addresses at which consumers of oEmbed find out about a page, by media type."""
    endpoint = f"{public_url.rstrip('/')}{OEMBED}"
    return {f"{kind}+oembed": f"{endpoint}?{urlencode({'url': page, 'format': form})}" for form, kind in KINDS.items()}


def liveblog_of(url: str | None, public_url: str) -> str:
    """The name of the liveblog in the address of its page; raises InvalidRequest without one, NotFound for another page."""
    if not url:
        raise InvalidRequest("url is missing", field="url")
    try:
        parts, ours = urlsplit(url), urlsplit(public_url)
    except ValueError:
        raise NotFound(NO_LIVEBLOG, field="url") from None
    folder = f"{ours.path.rstrip('/')}/liveblogs/"
    name = unquote(parts.path.removeprefix(folder).removesuffix("/"))
    same_host = parts.netloc.casefold() == ours.netloc.casefold() and parts.scheme in {"http", "https"}
    if not (same_host and parts.path.startswith(folder)) or not name or "/" in name or not name.isprintable():
        raise NotFound(NO_LIVEBLOG, field="url")
    return name
