"""The stream of a liveblog page, newest post first, what is pinned above."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING
from urllib.parse import quote

import structlog

from api.content import body_html, incident, minute, score
from api.feeds.common import NOT_RENDERED
from api.json_path import Json, number, text
from api.page.icons import icon, marks_period, word_of
from api.page.scoreboard import SIDES, moment, team_of
from mapping.locales.labels import POSTS, Label

if TYPE_CHECKING:
    from collections.abc import Sequence

    from api.page.files import PageFiles
    from mapping.locales import Translator

log = structlog.get_logger(__name__)

PINNED = ("sticky", "stickyNoHighlight")


def stream(game: Json, events: Sequence[Json], files: PageFiles, older: str = "", *, descending: bool = True) -> str:
    """The posts as an ordered list, pinned ones first; one that cannot be shown is left out and logged.

    `older`: the address of older posts up to the last one's id, empty where there are none.
    """
    ordered = sorted(sorted(events, key=_place, reverse=descending), key=_pinned, reverse=True)
    posts = [html for event in ordered if (html := safe_post(game, event, files))]
    translator = files.texts
    nothing, order = escape(translator.text(Label.NOTHING)), " reversed" if descending else ""
    shown = "".join(posts) or f'<li class="nothing">{nothing}</li>'
    return (
        f'<section class="stream" aria-label="{escape(named(len(posts), translator))}">'
        f'<ol{order} aria-live="polite" aria-relevant="additions" data-nothing="{nothing}">{shown}</ol>'
        f"{_more(events, files, older)}</section>"
    )


def _more(events: Sequence[Json], files: PageFiles, older: str) -> str:
    if not (older and events):
        return ""
    address = f"{older}continue_event_id={quote(text(events[-1], 'local_id'), safe='')}"
    return f'<a class="more" part="more" href="{escape(address)}">{escape(files.texts.text(Label.OLDER_POSTS))}</a>'


def named(count: int, translator: Translator) -> str:
    """What a screen reader calls the list."""
    return translator.plural(*POSTS, count)


def _place(event: Json) -> str:
    return text(event, "sort")


def _pinned(event: Json) -> bool:
    return text(event, "highlight") in PINNED


def safe_post(game: Json, event: Json, files: PageFiles) -> str:
    """The post, empty where it cannot be shown, which is logged."""
    try:
        return post(game, event, files)
    except NOT_RENDERED as error:
        log.warning("page.post_left_out", local_id=text(event, "local_id"), cause=type(error).__name__)
        return ""


def post(game: Json, event: Json, files: PageFiles) -> str:
    """One post as a list item that its `local_id` names."""
    event_type, locale = text(event, "sport_event", "event_type"), text(game, "locale") or "en"
    happened = incident(event, locale)
    classes = ["post", f"on-{escape(word_of(event_type))}"]
    classes += ["period"] if happened and marks_period(event_type) else []
    classes += ["pinned"] if text(event, "highlight") in PINNED else []
    classes += [f"of-{side}"] if (side := _side(game, event)) else []
    when = minute(event)
    at = moment(number(event, "created_at") or 0, "time")
    return (
        f'<li id="{escape(text(event, "local_id"))}" class="{" ".join(classes)}" part="post"'
        f' data-sort="{escape(text(event, "sort"))}">'
        f'<article><div class="when">{f"<b>{escape(when)}</b>" if when else ""}{at}</div>'
        f'<div class="mark">{icon(event_type if happened else "")}</div>'
        f'<div class="body">{_head(event, happened, locale)}{body_html(event, locale, files)}</div></article></li>'
    )


def _head(event: Json, happened: str, locale: str) -> str:
    head = text(event, "headline")
    tally = score(event, locale) if happened else ""
    named = happened.removesuffix(tally).strip() if tally else happened
    shown = f'<h2 class="headline">{escape(head)}</h2>' if head else ""
    if not named:
        return shown
    level = "h3" if head else "h2"
    counted = f" <b>{escape(tally)}</b>" if tally else ""
    return f'{shown}<{level} class="incident">{escape(named)}{counted}</{level}>'


def _side(game: Json, event: Json) -> str:
    team = text(event, "sport_event", "team", "_id") or text(event, "sport_event", "team", "name")
    for side in SIDES:
        each = team_of(game, side)
        if team and team in {text(each, "_id"), text(each, "name")}:
            return side
    return ""
