"""The page on which a person looks at a provider's match, and makes a liveblog of it or puts one on it."""

from __future__ import annotations

import secrets
from html import escape
from typing import TYPE_CHECKING
from urllib.parse import quote
from zoneinfo import ZoneInfo

from api.desk.desk_frame import alert_html, redirect
from api.desk.form_fields import select_html
from api.desk.fragment_cache import FragmentCache
from api.desk.handlers import write_down
from api.desk.match_settings_page import box, locale_select
from api.desk.match_states import STATES
from api.desk.matches_page import NEW, may_change
from api.desk.refusal_text import refusal_text
from api.external import operations
from api.page.scoreboard import title
from api.page.times import moment
from mapping.desk.matches_text import MatchesText
from mapping.errors import ServiceError, StoreUnavailable
from mapping.locales.labels import Label
from mapping.match.match import Status
from store.following.connection import NamedLiveblog

if TYPE_CHECKING:
    from typing import Any

    from starlette.responses import Response

    from api.desk.desk_frame import DeskPage
    from api.http.people import DeskPerson
    from api.http.request import ApiRequest, Query

KINDS = {
    "matchId": MatchesText.SELECT_MATCH,
    "phaseId": MatchesText.SELECT_PHASE,
    "overallId": MatchesText.SELECT_OVERALL,
}


async def show_new_match(request: ApiRequest, page: DeskPage, person: DeskPerson) -> Response:
    """The form, and below it what the match holds that it names."""
    return await _page(request, page, person, request.query)


async def submit_new_match(request: ApiRequest, page: DeskPage, person: DeskPerson, form: Query) -> Response:
    """Make the liveblog, or put the one that the form names on the match."""
    body: dict[str, Any] = {"provider": form.get("provider", ""), _kind(form): form.get("id", "")}
    try:
        person.demand("external")
        services, client = request.services, person.client_id
        if form.get("attach"):
            done, named = "liveblog.attachExternal", NamedLiveblog(form["attach"], person.organization_id)
            game = await operations.attach(services, named, body, client_id=client)
        else:
            body |= {"autoPostEnabled": "auto" in form, "includeTextContent": "text" in form}
            body |= {name: form[name] for name in ("title", "locale") if form.get(name)}
            done, owner = "liveblog.createFromExternal", person.organization_id
            key = form.get("key") or None
            game = await operations.create(services, body, organization_id=owner, client_id=client, key=key)
    except StoreUnavailable:
        raise
    except ServiceError as error:
        return await _page(request, page, person, form, alert=refusal_text(page, error))
    await write_down(request, person, done, game["local_id"])
    request.services[FragmentCache].forget()
    return redirect(request, f"/desk/matches/{quote(str(game['local_id']), safe='')}?done=saved")


async def _page(request: ApiRequest, page: DeskPage, person: DeskPerson, given: Query, *, alert: str = "") -> Response:
    heading = page.texts.text(MatchesText.ATTACH_OTHER if given.get("attach") else MatchesText.NEW_MATCH)
    if not may_change(person):
        return page.response(heading, f"<p>{page.text(MatchesText.YOUR_ROLE)}</p>", 403)
    preview, status = "", 422 if alert else 200
    if given.get("provider") and given.get("id", "").strip() and not alert:
        query = {"provider": given["provider"], _kind(given): given["id"].strip()}
        try:
            found = await operations.preview(
                request.services, query, organization_id=person.organization_id, client_id=person.client_id, text=False
            )
            preview = _preview(request, page, given, found)
        except StoreUnavailable:
            raise
        except ServiceError as error:
            alert, status = refusal_text(page, error), 422
    said = alert_html(alert)
    whom = await _attached_to(request, person, given)
    return page.response(heading, f"{said}{whom}{_look(request, page, person, given)}{preview}", status)


async def _attached_to(request: ApiRequest, person: DeskPerson, given: Query) -> str:
    """The name of the liveblog that shall have the match. Raises NotFound."""
    if not given.get("attach"):
        return ""
    game = await request.services.store.read(NamedLiveblog(given["attach"], person.organization_id).find)
    return f'<p dir="auto"><strong>{escape(title(game.as_document()))}</strong></p>'


def _kind(given: Query) -> str:
    return given["kind"] if given.get("kind") in KINDS else "matchId"


def _look(request: ApiRequest, page: DeskPage, person: DeskPerson, given: Query) -> str:
    services = request.services
    known = sorted(services.settings.organization(person.organization_id).providers) or sorted(services.providers)
    kinds = [(name, page.text(label)) for name, label in KINDS.items()]
    providers = [(each, escape(each)) for each in known]
    attach = f'<input type="hidden" name="attach" value="{escape(given["attach"])}">' if given.get("attach") else ""
    return (
        f'<form class="card" method="get" action="{page.link(NEW)}">{attach}'
        + select_html(page, "provider", MatchesText.PROVIDER, providers, given.get("provider", ""))
        + select_html(page, "kind", MatchesText.SELECTOR, kinds, _kind(given))
        + f'<p><label for="id">{page.text(MatchesText.MATCH_ID)}</label>'
        f'<input id="id" name="id" required maxlength="255" autocomplete="off" value="{escape(given.get("id", ""))}"></p>'
        f"<button>{page.text(MatchesText.LOOK)}</button></form>"
    )


def _preview(request: ApiRequest, page: DeskPage, given: Query, found: dict[str, Any]) -> str:
    zone = ZoneInfo(request.services.settings.server.timezone)
    starts, score = found.get("startsAt"), (found.get("homeScore"), found.get("awayScore"))
    facts = {
        MatchesText.COMPETITION: _written(found.get("competition")),
        MatchesText.VENUE: _written(found.get("location")),
        Label.KICK_OFF: "" if starts is None else moment(starts, "date", zone, page.texts.locale),
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
    hidden = {"provider": given["provider"], "kind": _kind(given), "id": given["id"].strip()}
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
        f'<form method="post" action="{page.link(NEW)}">{page.csrf_field()}{fields}{choices}'
        f"<button>{page.text(label)}</button></form>"
    )
