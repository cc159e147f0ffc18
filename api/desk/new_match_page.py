"""The page on which a person chooses matches of a day, looks at one, and makes liveblogs of them or puts one on a match."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any
from urllib.parse import quote, urlencode
from zoneinfo import ZoneInfo

from starlette.responses import Response

from api.desk.chosen_matches import MOST as MOST_MADE
from api.desk.chosen_matches import make_liveblogs
from api.desk.desk_frame import DeskPage, alert_html, redirect
from api.desk.fixtures_section import MOST, FixturesPage, Json, fixtures_html
from api.desk.form_fields import select_html
from api.desk.fragment_cache import FragmentCache
from api.desk.handlers import write_down
from api.desk.match_by_id import kind_of, look_form, preview_html
from api.desk.match_settings_page import EXCLUDE, box, locale_select
from api.desk.match_words import kind_name, refusal_text
from api.desk.matches_page import NEW, may_change
from api.external import operations
from api.external.fixtures import list_fixtures
from api.http.json_path import local
from api.http.param import Integer, Query
from api.http.request import ApiRequest, DeskPerson
from api.page.scoreboard import title
from mapping.desk.fixtures_text import FixturesText
from mapping.desk.matches_text import MatchesText
from mapping.errors import ServiceError, StoreUnavailable
from mapping.locales.labels import SPORT_CONTEXT
from mapping.sports import SPORTS
from store.following.sources import NamedLiveblog

MADE = Integer("made", high=MOST_MADE)


async def show_new_match(request: ApiRequest, page: DeskPage, person: DeskPerson) -> Response:
    """The matches of a day, or what the match holds that the query names; an id by hand at the end."""
    made = MADE.of(request.query)
    notice = page.text(FixturesText.MADE, count=made) if made else ""
    return await _page(request, page, person, request.query, notice=notice)


async def submit_new_match(request: ApiRequest, page: DeskPage, person: DeskPerson, form: Query) -> Response:
    """Make a liveblog of each match that is ticked, or of the one that is named, or put the one that the form names on it."""
    try:
        if "kind" not in form:
            return await _make_several(request, page, person, form)
        done, game = await _make_one(request, person, form)
    except StoreUnavailable:
        raise
    except ServiceError as error:
        return await _page(request, page, person, form, alert=refusal_text(page, error))
    await write_down(request, person, done, game["local_id"], game.get("version"))
    request.services[FragmentCache].forget()
    return redirect(request, f"/desk/matches/{quote(str(game['local_id']), safe='')}?done=saved")


async def _make_one(request: ApiRequest, person: DeskPerson, form: Query) -> tuple[str, dict[str, Any]]:
    """What was done, and the liveblog."""
    person.demand("external")
    body: dict[str, Any] = {"provider": form.get("provider", ""), kind_of(form): form.get("id", "")}
    services, client, owner = request.services, person.client_id, person.organization_id
    if form.get("attach"):
        named = NamedLiveblog(form["attach"], owner)
        return "liveblog.attachExternal", await operations.attach(services, named, body, client_id=client)
    body |= {"autoPostEnabled": "auto" in form, "includeTextContent": "text" in form}
    body |= {name: form[name] for name in ("title", "locale") if form.get(name)}
    key = form.get("key") or None
    made = await operations.create(services, body, organization_id=owner, client_id=client, key=key)
    return "liveblog.createFromExternal", made


async def _make_several(request: ApiRequest, page: DeskPage, person: DeskPerson, form: Query) -> Response:
    made = await make_liveblogs(request, page, person, form)
    request.services[FragmentCache].forget()
    if made.refused:
        said = page.text(FixturesText.MADE, count=len(made.local_ids)) if made.local_ids else ""
        alert = page.text(FixturesText.NOT_MADE, count=len(made.refused))
        return await _page(request, page, person, form, notice=said, alert=alert, refused=made.refused)
    if len(made.local_ids) == 1:
        return redirect(request, f"/desk/matches/{quote(made.local_ids[0], safe='')}?done=saved")
    kept = {name: form[name] for name in ("provider", "day", "q") if form.get(name)}
    return redirect(request, f"{NEW}?{urlencode({**kept, 'made': len(made.local_ids)})}")


async def _page(
    request: ApiRequest,
    page: DeskPage,
    person: DeskPerson,
    given: Query,
    *,
    notice: str = "",
    alert: str = "",
    refused: Mapping[str, str] | None = None,
) -> Response:
    heading = page.texts.text(MatchesText.ATTACH_OTHER if given.get("attach") else MatchesText.NEW_MATCH)
    if not may_change(person):
        return page.old_response(heading, f"<p>{page.text(MatchesText.YOUR_ROLE)}</p>", 403)
    status = 422 if alert else 200
    whom = await _attached_to(request, person, given)
    try:
        if given.get("provider") and given.get("id", "").strip() and not alert:
            body = await _preview_page(request, page, person, given)
        else:
            body = await _day_page(request, page, person, given, refused or {})
    except StoreUnavailable:
        raise
    except ServiceError as error:
        alert, status = f"{alert} {refusal_text(page, error)}".strip(), 422
        body = fixtures_html(_made(request, page, person, given, None, {}))
    said = f'<p class="notice" role="status">{notice}</p>' if notice else ""
    by_hand = f"<h2>{page.text(FixturesText.BY_ID)}</h2>{look_form(page, given, _providers(request, person))}"
    body = f'{said}{alert_html(alert)}{whom}{body}<section class="card">{by_hand}</section>'
    return page.old_response(heading, body, status, scripts=("new-match.js",))


async def _preview_page(request: ApiRequest, page: DeskPage, person: DeskPerson, given: Query) -> str:
    """What the match holds that is named, and the way back."""
    query = {"provider": given["provider"], kind_of(given): given["id"].strip()}
    found = await operations.preview(
        request.services, query, organization_id=person.organization_id, client_id=person.client_id, text=False
    )
    kept = {name: given[name] for name in ("provider", "day", "q", "attach") if given.get(name)}
    back = escape(f"{page.link(NEW)}?{urlencode(kept)}")
    way = f'<p class="pager"><a href="{back}">{page.text(FixturesText.BACK_TO_DAY)}</a></p>'
    return f"{way}{preview_html(page, given, found)}"


async def _day_page(
    request: ApiRequest, page: DeskPage, person: DeskPerson, given: Query, refused: Mapping[str, str]
) -> str:
    wanted = {name: given[name] for name in ("day", "q", "page") if given.get(name)}
    wanted |= {"provider": _provider(request, person, given), "limit": str(MOST)}
    services = request.services
    found = await list_fixtures(services.importer.fixtures, services.store.read, person.organization_id, wanted)
    made = _made(request, page, person, given, found, refused)
    return fixtures_html(made, terms_html(made))


def _made(  # noqa: PLR0917 -- what a page is made of
    request: ApiRequest,
    page: DeskPage,
    person: DeskPerson,
    given: Query,
    found: dict[str, Any] | None,
    refused: Mapping[str, str],
) -> FixturesPage:
    services, provider = request.services, _provider(request, person, given)
    access = services.settings.organization(person.organization_id).providers.get(provider)
    zone = ZoneInfo(access.timezone if access is not None else services.settings.server.timezone)
    return FixturesPage(
        page=page,
        address=page.link(NEW),
        provider=provider,
        providers=_providers(request, person),
        event_types=services.event_types,
        text=access is not None and access.text_content,
        today=local(int(services.clock()), zone).date(),
        found=found,
        given=given,
        refused=refused,
        attach=given.get("attach", ""),
    )


def _providers(request: ApiRequest, person: DeskPerson) -> list[str]:
    """The organization's, in the order of the configuration."""
    services = request.services
    return [*services.settings.organization(person.organization_id).providers] or sorted(services.providers)


def _provider(request: ApiRequest, person: DeskPerson, given: Query) -> str:
    return given.get("provider") or next(iter(_providers(request, person)), "")


async def _attached_to(request: ApiRequest, person: DeskPerson, given: Query) -> str:
    """The name of the liveblog that shall have the match. Raises NotFound."""
    if not given.get("attach"):
        return ""
    game = await request.services.store.read(NamedLiveblog(given["attach"], person.organization_id).find)
    return f'<p dir="auto"><strong>{escape(title(game.as_document()))}</strong></p>'


def terms_html(made: FixturesPage) -> str:
    """The fields, as the form had them that was refused, and the button."""
    page, given, fixtures = made.page, made.given, made.found["objects"] if made.found is not None else ()
    sent = "key" in given
    ticks = [("auto", page.text(MatchesText.POST_AUTOMATICALLY), not sent or "auto" in given)]
    ticks += [("text", page.text(MatchesText.WITH_TEXT), "text" in given)] if made.text else []
    ticks += [("editorial", page.text(FixturesText.EDITORIAL), "editorial" in given)]
    if any(each["liveblogs"] for each in fixtures) or made.refused:
        ticks += [("second", page.text(FixturesText.SECOND), "second" in given)]
    boxes = "".join(box(name, label, ticked=on) for name, label, on in ticks)
    return (
        f'<div class="card terms" role="group" aria-labelledby="terms"><h2 id="terms">{page.text(FixturesText.TERMS)}</h2>'
        f"{_sources(made)}{locale_select(page, given.get('locale') or page.texts.locale)}{boxes}{_types(made, fixtures)}"
        f'<p class="go"><a class="button plain" href="#terms">{page.text(FixturesText.TERMS)}</a>'
        f'<button id="create" data-one="{page.text(FixturesText.CREATE_ONE)}"'
        f' data-many="{page.text(FixturesText.CREATE_MANY, count="{count}")}">{page.text(FixturesText.CREATE)}</button></p></div>'
    )


def _sources(made: FixturesPage) -> str:
    page, others = made.page, [each for each in made.providers if each != made.provider]
    if not others:
        return ""
    options = [("", page.text(FixturesText.ALONE, provider=made.provider))]
    options += [(each, page.text(FixturesText.WITH_STANDBY, provider=made.provider, standby=each)) for each in others]
    return select_html(page, "standby", FixturesText.SOURCES, options, made.given.get("standby", ""))


def _types(made: FixturesPage, fixtures: Sequence[Json]) -> str:
    """The event types of the sports that are listed, each to be left out of automatic posting."""
    page, sports = made.page, sorted({each["sport"] for each in fixtures if each["followable"]})
    parts = ""
    for sport in sports:
        kinds = sorted(each for each in made.event_types if each.startswith(f"{sport}."))
        boxes = "".join(
            box(EXCLUDE + each, escape(kind_name(page.texts, each)), ticked=EXCLUDE + each in made.given)
            for each in kinds
        )
        name = escape(page.texts.text(SPORTS[sport].name, context=SPORT_CONTEXT))
        parts += f"<fieldset><legend>{name}</legend>{boxes}</fieldset>" if boxes else ""
    return f"<details><summary>{page.text(MatchesText.LEFT_OUT)}</summary>{parts}</details>" if parts else ""
