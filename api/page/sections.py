"""The bar that stays in sight on a page: the score, links to its sections, and a button to share it."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from api.http.json_path import text
from api.page.ranking import lap_of, ranking_heading
from api.page.scoreboard import SIDES, initials, scores, team_of
from mapping.locales.labels import Label

if TYPE_CHECKING:
    from api.http.json_path import Json
    from api.page.page_context import PageContext
    from api.view.key_moments import KeyMoments
    from mapping.locales import Translator

DRAWING = (
    '<svg class="icon" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">'
    '<path fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round"'
    ' d="M12 15V3m0 0L8 7m4-4 4 4M7 11H5v10h14V11h-2"/></svg>'
)
"""Of the button to share."""


def sections(game: Json, page: PageContext, key_moments: KeyMoments, squads: str) -> str:
    """The bar; `squads`: the HTML of the line-ups or the ranking, empty without them."""
    texts = page.texts
    links = [("posts", Label.POSTS)]
    links += [("moments", Label.KEY_MOMENTS)] if key_moments.moments or key_moments.recap else []
    links += [("squads", ranking_heading(game) or Label.LINEUP)] if squads else []
    where = f"{page.url}?delay={page.delay}" if page.url and page.delay else page.url
    shown = "".join(
        f'<a href="{escape(where)}#section-{name}">{escape(texts.text(label))}</a>' for name, label in links
    )
    return (
        f'<nav class="sections" part="sections" aria-label="{escape(texts.text(Label.SECTIONS))}">'
        f"{_tally(game, texts)}{shown}{_share(texts)}</nav>"
    )


def _tally(game: Json, texts: Translator) -> str:
    """The score between the initials of the teams; of a race the lap."""
    home, away = (team_of(game, side) for side in SIDES)
    if not (text(home, "name") and text(away, "name")):
        lap = lap_of(game, texts)
        return f'<p class="tally"><b>{escape(lap)}</b></p>' if lap else ""
    score = scores(game) or ("", "")
    names = [
        f'<abbr title="{escape(text(team, "name"))}"><bdi>{escape(short)}</bdi></abbr>'
        for team, short in zip((home, away), initials(home, away), strict=True)
    ]
    between = f"{escape(score[0])}\N{NO-BREAK SPACE}–\N{NO-BREAK SPACE}{escape(score[1])}"
    return f'<p class="tally">{names[0]} <b>{between}</b> {names[1]}</p>'


def _share(texts: Translator) -> str:
    """What the script shows where the browser can share or copy an address."""
    copied = escape(texts.text(Label.LINK_COPIED))
    name = escape(texts.text(Label.SHARE))
    return (
        f'<button class="share-page" type="button" title="{name}" data-copied="{copied}" hidden>'
        f"{DRAWING}<span>{name}</span></button>"
    )
