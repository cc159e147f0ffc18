"""The key moments on a page: the recap, and a list of links to the posts, newest first."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from api.page.icons import icon, word_of
from api.page.posts import whole_scores
from mapping.locales.labels import Label

if TYPE_CHECKING:
    from api.page.page_context import PageContext
    from api.view.key_moments import KeyMoments
    from mapping.key_moments import KeyMoment


def key_moments_html(found: KeyMoments, page: PageContext) -> str:
    """The section; empty without moments and recap."""
    if not (found.moments or found.recap):
        return ""
    heading = escape(page.texts.text(Label.KEY_MOMENTS))
    recap = f'<p class="recap">{whole_scores(escape(found.recap))}</p>' if found.recap else ""
    items = "".join(_item(each, page) for each in reversed(found.moments))
    listed = f"<ol reversed>{items}</ol>" if items else ""
    return f'<section class="moments" part="moments" aria-label="{heading}"><h2>{heading}</h2>{recap}{listed}</section>'


def _item(moment: KeyMoment, page: PageContext) -> str:
    when = f"<b>{escape(moment.minute)}</b> " if moment.minute else ""
    href = escape(page.permalink(moment.local_id))
    return (
        f'<li class="on-{escape(word_of(moment.event_type))}">{icon(moment.event_type)}'
        f'<a href="{href}">{when}{whole_scores(escape(moment.text))}</a></li>'
    )
