"""The key moments on a page: the recap, and lists of links to the posts, newest first, by the parts of the match.

Nothing is cut: where there are many, the earlier ones stand in a part that the reader opens.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from itertools import groupby
from operator import itemgetter

from api.page.icons import icon, word_of
from api.page.page_context import PageContext, whole_scores
from api.view.key_moments import KeyMoments
from mapping.locales.labels import Label
from mapping.posts.key_moments import KeyMoment
from mapping.sports.base import MomentType

SHOWN = 6
"""Key moments that are seen at once where there are many."""
FEW_MORE = 2
"""… and so many more are no reason to fold them."""

Grouped = tuple[str, KeyMoment]
"""The part of the match that it stands under, and the moment."""


def key_moments_html(found: KeyMoments, page: PageContext) -> str:
    """The section; empty without moments and recap."""
    if not (found.moments or found.recap):
        return ""
    heading = escape(page.texts.text(Label.KEY_MOMENTS))
    recap = f'<p class="recap">{whole_scores(escape(found.recap))}</p>' if found.recap else ""
    newest = _in_parts(found.moments)[::-1]
    seen = SHOWN if len(newest) > SHOWN + FEW_MORE else len(newest)
    listed = _groups(newest[:seen], page) + _folded(newest[seen:], page)
    return (
        f'<section class="moments" id="section-moments" part="moments" aria-label="{heading}"><h2>{heading}</h2>'
        f"{recap}{listed}</section>"
    )


def _in_parts(moments: Iterable[KeyMoment]) -> list[Grouped]:
    """Each with the name of its part; one that names none belongs to that of the moment before it."""
    part, grouped = "", []
    for each in moments:
        part = each.phase or part
        grouped.append((part, each))
    return grouped


def _folded(moments: Sequence[Grouped], page: PageContext) -> str:
    if not moments:
        return ""
    summary = escape(page.texts.text(Label.EARLIER_MOMENTS, count=len(moments)))
    return f"<details><summary>{summary}</summary>{_groups(moments, page)}</details>"


def _groups(moments: Sequence[Grouped], page: PageContext) -> str:
    """A list for each part of the match, with its name where it has one."""
    html = ""
    for part, each in groupby(moments, key=itemgetter(0)):
        items = "".join(_item(moment, page) for _, moment in each)
        html += f"{f'<h3>{escape(part)}</h3>' if part else ''}<ol reversed>{items}</ol>"
    return html


def _item(moment: KeyMoment, page: PageContext) -> str:
    when = f"<b>{escape(moment.minute)}</b> " if moment.minute else ""
    href = escape(page.permalink(moment.local_id))
    said = f"{when}{whole_scores(escape(moment.text))}"
    shown = f"<s>{said}</s>" if moment.type is MomentType.DISALLOWED else said
    return f'<li class="on-{escape(word_of(moment.event_type))}">{icon(moment.event_type)}<a href="{href}">{shown}</a></li>'
