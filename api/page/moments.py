"""The key moments on a page: the recap, and a list of links to the posts, newest first."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from api.page.icons import icon, word_of
from api.page.posts import permalink
from api.page.whole_scores import whole_scores
from mapping.locales.labels import Label
from mapping.sports.base import MomentType

if TYPE_CHECKING:
    from api.view.key_moments import KeyMoments
    from mapping.key_moments import KeyMoment
    from mapping.locales import Translator


def key_moments_html(found: KeyMoments, texts: Translator, page: str = "", delay: int = 0) -> str:
    """The section; empty without moments and recap.

    `page`: the page's address, where the list stands elsewhere; `delay`: the seconds by which the reader is late.
    """
    if not (found.moments or found.recap):
        return ""
    heading = escape(texts.text(Label.KEY_MOMENTS))
    recap = f'<p class="recap">{whole_scores(escape(found.recap))}</p>' if found.recap else ""
    items = "".join(_item(each, page, delay) for each in reversed(found.moments))
    listed = f"<ol reversed>{items}</ol>" if items else ""
    return f'<section class="moments" part="moments" aria-label="{heading}"><h2>{heading}</h2>{recap}{listed}</section>'


def _item(moment: KeyMoment, page: str, delay: int) -> str:
    when = f"<b>{escape(moment.minute)}</b> " if moment.minute else ""
    href = escape(permalink(page, moment.local_id, delay))
    said = f"{when}{whole_scores(escape(moment.text))}"
    shown = f"<s>{said}</s>" if moment.type is MomentType.DISALLOWED else said
    return f'<li class="on-{escape(word_of(moment.event_type))}">{icon(moment.event_type)}<a href="{href}">{shown}</a></li>'
