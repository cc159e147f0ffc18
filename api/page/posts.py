"""The stream of a liveblog page, newest post first, what is pinned above all others."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple
from urllib.parse import quote

import structlog

from api.http.json_path import RENDER_ERRORS, Json, number, text
from api.page.icons import PIN, icon, marks_period, word_of
from api.page.load_liveblog import PageRequest, Show, offered_filters, without_pinned
from api.page.page_context import PageContext, whole_scores
from api.page.page_frame import moment
from api.page.scoreboard import SIDES, team_of
from api.view.key_moments import NO_KEY_MOMENTS, KeyMoments
from api.view.post_content import as_read, body_html, incident, minute, score
from api.view.references import sport_of
from mapping.locales import Translator
from mapping.locales.labels import CORRECTED, NEW_POSTS, POSTS, WITHDRAWN, Label, PageText
from mapping.posts.wording import can_be_kick, is_of_shootout

log = structlog.get_logger(__name__)

FILTERS = {Show.ALL: PageText.ALL, Show.KEY: Label.KEY_MOMENTS, Show.GOALS: PageText.GOALS, Show.TEXT: PageText.TEXTS}
KICKED = {True: "kick-scored", False: "kick-missed"}
STYLES = {"sticky": "highlighted", "inplace": "highlighted", "milestone": "milestone"}
"""How a post stands out by its highlight; `stickyNoHighlight` only by its place."""


class PageExtent(NamedTuple):
    """What a page was requested to show, whether there are older and newer posts than it shows, and key moments to choose.

    `pinned`: the posts that stand above all others.
    """

    wanted: PageRequest
    older: bool = False
    newer: bool = False
    key_moments: KeyMoments = NO_KEY_MOMENTS
    pinned: Sequence[Json] = ()


NOTHING_AROUND = PageExtent(PageRequest())


def stream(
    game: Json,
    events: Sequence[Json],
    page: PageContext,
    extent: PageExtent | None = None,
    *,
    pinned: Sequence[Json] = (),
) -> str:
    """The posts as an ordered list, those that are `pinned` first; one that cannot be shown is left out and logged.

    `extent`: None where nothing follows the liveblog. Else around the list stand filters, links to older and newer
    posts, and what the script fills: a button for new posts, a sign that the connection is lost, an announcer for those who
    listen. The list says which times the page has.
    """
    descending = extent is None or extent.wanted.descending
    ordered = sorted(without_pinned(events, pinned), key=_place, reverse=descending)
    on_top = sorted(pinned, key=_place, reverse=descending)
    posts = [safe_post(game, event, page, pinned=True) for event in on_top]
    posts = list(filter(None, [*posts, *(safe_post(game, event, page) for event in ordered)]))
    texts = page.texts
    nothing, order = escape(texts.text(Label.NOTHING)), " reversed" if descending else ""
    shown = "".join(posts) or f'<li class="nothing">{nothing}</li>'
    named_so = f'aria-label="{escape(posts_label(len(posts), texts))}"'
    listed = f'<ol{order} data-nothing="{nothing}"{_times(events) if extent else ""}>{shown}</ol>'
    if extent is None:
        return f'<section class="stream" {named_so}>{listed}</section>'
    href = escape((page.url + extent.wanted.address()).rstrip("&"))
    newest = escape(texts.text(PageText.NEWEST_POSTS))
    newer = f'<a class="newer" href="{href}">{newest}</a>' if extent.newer else ""
    return (
        f'<section class="stream" id="section-posts" {named_so}{_texts_for_script(texts)}>{_filters(game, page, extent)}'
        '<div class="bar"><button class="news" type="button" hidden></button>'
        f'<p class="lost" hidden>{escape(texts.text(PageText.LOST))}</p></div>'
        f'<p class="unseen announcer" role="status"></p>{newer}'
        f"{listed}{_older(events, page, extent)}</section>"
    )


def _times(events: Sequence[Json]) -> str:
    """The places of the newest and the oldest post of the page, by which the script knows what belongs to another one."""
    places = sorted(map(_place, events))
    return f' data-newest="{escape(places[-1])}" data-oldest="{escape(places[0])}"' if places else ""


def _texts_for_script(texts: Translator) -> str:
    """What the script says of changes, in the language of the liveblog; it puts its own number in the place of the 2."""
    said = {
        "one": texts.plural(*NEW_POSTS, 1),
        "several": texts.plural(*NEW_POSTS, 2),
        "corrected": texts.text(CORRECTED),
        "withdrawn": texts.text(WITHDRAWN),
    }
    return "".join(f' data-{name}="{escape(each)}"' for name, each in said.items())


def _filters(game: Json, page: PageContext, extent: PageExtent) -> str:
    """Links to the kinds of posts; none where there is nothing to choose from."""
    links = ""
    for each in offered_filters(sport_of(game), extent.key_moments):
        current = ' aria-current="true"' if each is extent.wanted.show else ""
        href = escape((page.url + extent.wanted.address(each)).rstrip("&"))
        links += f'<a href="{href}"{current}>{escape(page.texts.text(FILTERS[each]))}</a>'
    return f'<nav class="filters" aria-label="{escape(page.texts.text(PageText.FILTERS))}">{links}</nav>'


def _older(events: Sequence[Json], page: PageContext, extent: PageExtent) -> str:
    if not (extent.older and events):
        return ""
    wanted = extent.wanted._replace(show=Show.ALL) if extent.newer and extent.wanted.post else extent.wanted
    address = f"{page.url}{wanted.address()}continue_event_id={quote(text(events[-1], 'local_id'), safe='')}"
    return f'<a class="more" part="more" href="{escape(address)}">{escape(page.texts.text(Label.OLDER_POSTS))}</a>'


def posts_label(count: int, translator: Translator) -> str:
    """What a screen reader calls the list."""
    return translator.plural(*POSTS, count)


def _place(event: Json) -> str:
    return text(event, "sort")


def safe_post(game: Json, event: Json, page: PageContext, *, pinned: bool = False) -> str:
    """The post, empty where it cannot be shown, which is logged."""
    try:
        return post(game, event, page, pinned=pinned)
    except RENDER_ERRORS as error:
        log.warning("page.post_left_out", local_id=text(event, "local_id"), cause=type(error).__name__)
        return ""


def post(game: Json, event: Json, page: PageContext, *, pinned: bool = False) -> str:
    """One post as a list item that its `local_id` names; `pinned`: it stands above all others, and says so."""
    event = as_read(event)
    event_type, locale = text(event, "sport_event", "event_type"), text(game, "locale") or "en"
    happened = incident(event, locale)
    sport, phase = sport_of(game), text(event, "sport_event", "phase", "name")
    of_type = sport.kind(event_type)
    kicked = can_be_kick(of_type) and is_of_shootout(sport, phase, page.texts)  # no goal
    drawn = KICKED[of_type.scores] if kicked else event_type
    classes = ["post", f"on-{escape(word_of(drawn))}"]
    classes += ["period"] if happened and marks_period(event_type) else []
    side = _side(game, event)
    classes += [STYLES.get(text(event, "highlight"), ""), "pinned" if pinned else "", f"of-{side}" if side else ""]
    when = minute(event)
    at = moment(number(event, "created_at") or 0, "time", page.zone, page.texts.locale)
    label = f'<p class="pin">{PIN}{escape(page.texts.text(Label.PINNED))}</p>' if pinned else ""
    link = f'<a class="link" href="{escape(page.permalink(text(event, "local_id")))}">{at}</a>'
    return (
        f'<li id="{escape(text(event, "local_id"))}" class="{" ".join(filter(None, classes))}" part="post"'
        f' data-sort="{escape(text(event, "sort"))}">'
        f'{label}<article><div class="when">{f"<b>{escape(when)}</b>" if when else ""}{link}</div>'
        f'<div class="mark">{icon(drawn if happened else "")}</div>'
        f'<div class="body">{_head(event, happened, locale)}{whole_scores(body_html(event, locale, page))}</div></article></li>'
    )


def _head(event: Json, happened: str, locale: str) -> str:
    head = text(event, "headline")
    tally = score(event, locale) if happened else ""
    named = happened.removesuffix(tally).strip() if tally else happened
    shown = f'<h2 class="headline" dir="auto">{escape(head)}</h2>' if head else ""
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
