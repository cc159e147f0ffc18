"""A match by its id at the desk: the form that names one, and what it holds before a liveblog is made of it."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from html import escape
from typing import Any

from api.desk.desk_frame import DeskPage
from api.desk.form_fields import select_html
from api.desk.match_settings_page import box, locale_select
from api.desk.match_words import STATES
from api.desk.matches_page import NEW
from api.http.param import Query
from mapping.desk.matches_text import MatchesText
from mapping.locales.labels import Label
from mapping.match.match import Status

KINDS = {
    "matchId": MatchesText.SELECT_MATCH,
    "phaseId": MatchesText.SELECT_PHASE,
    "overallId": MatchesText.SELECT_OVERALL,
}


def kind_of(given: Query) -> str:
    """What the id names."""
    return given["kind"] if given.get("kind") in KINDS else "matchId"


def look_form(page: DeskPage, given: Query, known: Iterable[str]) -> str:
    """The form that names a match; `known`: the providers."""
    kinds = [(name, page.text(label)) for name, label in KINDS.items()]
    providers = [(each, escape(each)) for each in known]
    attach = f'<input type="hidden" name="attach" value="{escape(given["attach"])}">' if given.get("attach") else ""
    return (
        f'<form method="get" action="{page.link(NEW)}">{attach}'
        + select_html(page, "provider", MatchesText.PROVIDER, providers, given.get("provider", ""), ident="of")
        + select_html(page, "kind", MatchesText.SELECTOR, kinds, kind_of(given))
        + f'<p><label for="id">{page.text(MatchesText.MATCH_ID)}</label>'
        f'<input id="id" name="id" required maxlength="255" autocomplete="off" value="{escape(given.get("id", ""))}"></p>'
        f"<button>{page.text(MatchesText.LOOK)}</button></form>"
    )


def preview_html(page: DeskPage, given: Query, found: dict[str, Any]) -> str:
    """What the match holds, and the form that makes a liveblog of it; `found`: an `ExternalPreview`."""
    starts, score = found.get("startsAt"), (found.get("homeScore"), found.get("awayScore"))
    facts = {
        MatchesText.COMPETITION: _written(found.get("competition")),
        MatchesText.VENUE: _written(found.get("location")),
        Label.KICK_OFF: "" if starts is None else page.time(starts),
        MatchesText.STATE: page.text(STATES.get(Status(found["status"]), Label.LIVE)),
        MatchesText.SCORE: escape(":".join(map(str, score))) if all(score) else "",
        MatchesText.HOLDS: _holdings(page, found),
    }
    rows = "".join(f"<dt>{page.text(name)}</dt><dd>{html}</dd>" for name, html in facts.items() if html)
    already = found["liveblogs"]
    warning = f'<p class="alert">{page.text(MatchesText.ON_IT, count=len(already))}</p>' if already else ""
    head = f'<h2 dir="auto">{escape(found["title"])}</h2>'
    return f'<section class="card" id="preview">{head}<dl>{rows}</dl>{warning}{_create(page, given, found)}</section>'


def _written(text: str | None) -> str:
    return f"<bdi>{escape(text)}</bdi>" if text else ""


def _holdings(page: DeskPage, found: dict[str, Any]) -> str:
    people = found["lineUps"]
    parts = (
        page.text(MatchesText.LINE_UPS, count=people) if people else page.text(MatchesText.NO_LINE_UPS),
        page.text(MatchesText.EVENTS, count=found["events"]),
        page.text(MatchesText.HAS_TEXT if found["textContent"] else MatchesText.NO_TEXT),
    )
    return " · ".join(parts)


def _create(page: DeskPage, given: Query, found: dict[str, Any]) -> str:
    hidden = {"provider": given["provider"], "kind": kind_of(given), "id": given["id"].strip()}
    hidden |= {"attach": given["attach"]} if given.get("attach") else {"key": secrets.token_urlsafe(16)}
    fields = "".join(f'<input type="hidden" name="{name}" value="{escape(value)}">' for name, value in hidden.items())
    if given.get("attach"):
        choices, label = "", MatchesText.ATTACH_THIS
    else:
        text = box("text", page.text(MatchesText.WITH_TEXT), ticked=False) if found["textContent"] else ""
        choices, label = (
            (
                f'<p><label for="title">{page.text(MatchesText.OTHER_TITLE)}</label>'
                '<input id="title" name="title" maxlength="500"></p>'
                + box("auto", page.text(MatchesText.POST_AUTOMATICALLY), ticked=True)
                + text
                + locale_select(page, page.texts.locale)
            ),
            MatchesText.CREATE,
        )
    return (
        f'<form method="post" action="{page.link(NEW)}">{page.account_field()}{fields}{choices}'
        f"<button>{page.text(label)}</button></form>"
    )
