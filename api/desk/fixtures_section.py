"""The matches of a day at the desk: by competition, to be ticked, with the terms for all that are."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from html import escape
from itertools import groupby
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode
from zoneinfo import ZoneInfo

from api.desk.desk_frame import DeskPage, pager_html
from api.desk.form_fields import select_html
from api.desk.match_words import STATES
from api.page.document import moment, territorial
from mapping.desk.desk_text import DeskText
from mapping.desk.fixtures_text import FixturesText
from mapping.desk.matches_text import MatchesText
from mapping.locales.labels import SPORT_CONTEXT
from mapping.match.match import Status
from mapping.sports import SPORTS

MOST = 300
"""Matches on one page."""
TICK = "match."
"""How the names of the ticks begin; the match's id follows."""
WORDS = {
    "yesterday": FixturesText.YESTERDAY,
    "today": FixturesText.TODAY,
    "tomorrow": FixturesText.TOMORROW,
}
Json = Mapping[str, Any]


class FixturesPage(NamedTuple):
    """What the list is made with. `address`: of the page, escaped; `found`: the `FixtureCollection`, None where there is none.

    `given`: the query or the form; `refused`: by match, why it has no liveblog, escaped. `attach`: the liveblog that is to
    have a match: then one is chosen by looking at it, and none is ticked.
    """

    page: DeskPage
    address: str
    provider: str
    providers: Sequence[str]
    event_types: frozenset[str]
    text: bool
    today: date
    found: Json | None
    given: Mapping[str, str]
    refused: Mapping[str, str] = {}
    attach: str = ""

    def link(self, **changes: str) -> str:
        """The address of the list with these parameters in place of its own, escaped."""
        kept = {
            "provider": self.provider,
            "attach": self.attach,
            "day": self.given.get("day", ""),
            "q": self.given.get("q", ""),
        }
        query = {name: value for name, value in {**kept, **changes}.items() if value}
        return f"{self.address}?{escape(urlencode(query))}"


def fixtures_html(made: FixturesPage, terms: str = "") -> str:
    """The choice of the day, the list, and the terms, which are HTML."""
    found = made.found
    head = f"{_days(made)}{_filter(made)}"
    if found is None:
        return head
    page = made.page
    day = _written_day(date.fromisoformat(found["day"]), page.texts.locale)
    counted = page.text(FixturesText.COUNTED, count=found["total"])
    facts = f'<p class="facts">{escape(day)} · {escape(found["timeZone"])} · {counted}</p>'
    if found["unreadable"]:
        facts += f'<p class="notice">{page.text(FixturesText.UNREADABLE, count=found["unreadable"])}</p>'
    shown = {each["matchId"] for each in found["objects"]}
    gone = "".join(
        f"<li><bdi>{escape(name)}</bdi>: {why}</li>" for name, why in made.refused.items() if name not in shown
    )
    facts += f'<ul class="wrong">{gone}</ul>' if gone else ""
    if not found["objects"]:
        said = FixturesText.NONE_NAMED if made.given.get("q") else FixturesText.NO_MATCHES
        return f"{head}{facts}<p>{page.text(said)}</p>"
    listed = "".join(_competition(made, number, [*group]) for number, group in enumerate(_groups(found["objects"])))
    listed = f'<div class="fixtures">{listed}</div>{_pages(made, found)}'
    if made.attach:
        return f"{head}{facts}{listed}"
    hidden = {"provider": made.provider, "day": found["day"], "q": made.given.get("q", ""), "page": str(found["page"])}
    hidden["key"] = secrets.token_urlsafe(16)  # a form that is sent twice creates once
    fields = "".join(f'<input type="hidden" name="{name}" value="{escape(value)}">' for name, value in hidden.items())
    return (
        f'{head}{facts}<form id="choose" class="choose" method="post" action="{made.address}">'
        f"{page.account_field()}{fields}<div>{listed}</div>{terms}</form>"
    )


def title_of(fixture: Json) -> str:
    """Who meets, else what the provider calls it, else the competition."""
    sides = [each["name"] for each in (fixture["home"], fixture["away"]) if each is not None]
    if len(sides) > 1:
        return " – ".join(sides)
    competition = fixture["competition"] or {"name": fixture["matchId"]}
    return str(fixture["title"] or (sides[0] if sides else competition["name"]))


def _days(made: FixturesPage) -> str:
    page, shown = made.page, made.found["day"] if made.found is not None else ""
    links = ""
    for word, offset in (("yesterday", -1), ("today", 0), ("tomorrow", 1)):
        current = ' aria-current="date"' if (made.today + timedelta(days=offset)).isoformat() == shown else ""
        links += f'<li><a href="{made.link(day=word)}"{current}>{page.text(WORDS[word])}</a></li>'
    return f'<nav class="tabs" aria-label="{page.text(FixturesText.DAY)}"><ul>{links}</ul></nav>'


def _filter(made: FixturesPage) -> str:
    page = made.page
    day = made.found["day"] if made.found is not None else made.today.isoformat()
    attach = f'<input type="hidden" name="attach" value="{escape(made.attach)}">' if made.attach else ""
    options = [(each, escape(each)) for each in made.providers]
    provider = select_html(page, "provider", MatchesText.PROVIDER, options, made.provider) if len(options) > 1 else ""
    return (
        f'<form class="filter" method="get" action="{made.address}" role="search">{attach}{provider}'
        f'<p><label for="q">{page.text(FixturesText.FIND)}</label>'
        f'<input id="q" name="q" type="search" maxlength="200" value="{escape(made.given.get("q", ""))}"></p>'
        f'<p><label for="day">{page.text(FixturesText.OTHER_DAY)}</label>'
        f'<input id="day" name="day" type="date" value="{escape(day)}"></p>'
        f"<button>{page.text(FixturesText.SHOW)}</button></form>"
    )


def _groups(fixtures: Sequence[Json]) -> list[list[Json]]:
    """By competition, in the order in which the provider begins them; in each by kick-off."""
    order: dict[str, int] = {}
    for each in fixtures:
        order.setdefault(_competition_id(each), len(order))
    listed = sorted(fixtures, key=lambda each: (order[_competition_id(each)], each["kickoff"] or ""))
    return [[*group] for _, group in groupby(listed, key=_competition_id)]


def _competition_id(fixture: Json) -> str:
    return fixture["competition"]["id"] if fixture["competition"] else ""


def _competition(made: FixturesPage, number: int, fixtures: Sequence[Json]) -> str:
    page, first = made.page, fixtures[0]
    name = first["competition"]["name"] if first["competition"] else page.texts.text(FixturesText.NO_COMPETITION)
    sport = SPORTS.get(first["sport"] or "")
    kind = first["sport"] or "" if sport is None else page.texts.text(sport.name, context=SPORT_CONTEXT)
    said = " · ".join(escape(each) for each in (kind, first["round"]) if each)
    rows = "".join(_row(made, each) for each in fixtures)
    every = ""
    if not made.attach and any(each["followable"] for each in fixtures):
        label = page.text(FixturesText.ALL_OF, competition=name)
        every = f'<label class="every" hidden><input type="checkbox" aria-label="{label}"></label>'
    return (
        f'<section aria-labelledby="c{number}"><div class="head">{every}<h2 id="c{number}"><bdi>{escape(name)}</bdi>'
        f' <span class="hint">{said}</span></h2></div><ul>{rows}</ul></section>'
    )


def _row(made: FixturesPage, fixture: Json) -> str:
    ident = fixture["matchId"]
    why = made.refused.get(ident)
    tick, part = "", "div"
    if fixture["followable"] and not made.attach:
        again = ident in made.refused if made.refused else f"{TICK}{ident}" in made.given
        checked, part = " checked" if again else "", "label"
        tick = f'<input type="checkbox" name="{escape(TICK + ident)}" value="yes"{checked}>'
    refused = f'<p class="wrong">{why}</p>' if why else ""
    return (
        f'<li><{part} class="fix"><span class="pick">{tick}</span><span class="num">{_time(made, fixture)}</span>'
        f'<span class="names">{_names(fixture)}</span>{_state(made, fixture)}</{part}>{_links(made, fixture)}{refused}</li>'
    )


def _names(fixture: Json) -> str:
    sides = [each["name"] for each in (fixture["home"], fixture["away"]) if each is not None]
    return " – ".join(f"<bdi>{escape(each)}</bdi>" for each in (sides if len(sides) > 1 else [title_of(fixture)]))


def _time(made: FixturesPage, fixture: Json) -> str:
    if fixture["kickoff"] is None or fixture["kickoffOpen"]:
        return made.page.text(FixturesText.TIME_OPEN)
    seconds = int(datetime.fromisoformat(fixture["kickoff"]).timestamp())
    zone = ZoneInfo(made.found["timeZone"]) if made.found is not None else ZoneInfo("UTC")
    return moment(seconds, "time", zone, made.page.texts.locale)


def _state(made: FixturesPage, fixture: Json) -> str:
    """How it stands, where it has begun or will not begin as planned."""
    page, status = made.page, fixture["status"]
    words = [] if status in {None, "scheduled"} else [page.text(STATES[Status(status)])]
    words += [escape(fixture["statusWord"])] if fixture["statusWord"] else []
    score = fixture["score"] if status in {"live", "finished", "abandoned"} else None
    words = [f"{score['home']}:{score['away']}", *words] if score else words
    words += [] if fixture["followable"] else [page.text(FixturesText.OTHER_SPORT)]
    return f'<span class="hint">{" · ".join(words)}</span>' if words else ""


def _links(made: FixturesPage, fixture: Json) -> str:
    page = made.page
    links = "".join(
        f'<a class="has" href="{page.link("/desk/liveblogs/" + quote(each["localId"], safe=""))}">'
        f"{page.text(FixturesText.HAS_LIVEBLOG, locale=each['locale'])}</a>"
        for each in fixture["liveblogs"]
    )
    if fixture["followable"]:
        look = made.link(kind="matchId", id=fixture["matchId"])
        named = page.text(FixturesText.LOOK_AT, title=title_of(fixture))
        links += f'<a href="{look}" aria-label="{named}">{page.text(FixturesText.LOOK)}</a>'
    return f'<span class="links">{links}</span>' if links else ""


def _pages(made: FixturesPage, found: Json) -> str:
    number, page = found["page"], made.page
    links = [(made.link(page=str(number - 1)), page.text(DeskText.PREVIOUS_PAGE))] if number > 1 else []
    links += [(made.link(page=str(number + 1)), page.text(DeskText.NEXT_PAGE))] if found["more"] else []
    return pager_html(links)


def _written_day(day: date, locale: str) -> str:
    from babel.dates import format_date  # a start that renders nothing needs no calendar

    return format_date(day, "full", locale=territorial(locale))
