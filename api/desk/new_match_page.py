"""The page on which a person chooses matches of a day, looks at one, and makes liveblogs of them or puts one on a match."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from functools import partial
from itertools import groupby
from typing import Any
from urllib.parse import quote, urlencode
from zoneinfo import ZoneInfo

from starlette.responses import Response

from api.desk.chosen_matches import MOST as MOST_MADE
from api.desk.chosen_matches import TICK, make_liveblogs
from api.desk.desk_frame import DeskPage, redirect
from api.desk.fragment_cache import FragmentCache
from api.desk.handlers import write_down
from api.desk.matches_page import NEW, may_change
from api.desk.shared_texts import STATES, kind_name, locale_options, refusal_text
from api.external import operations
from api.external.fixtures import list_fixtures
from api.http.json_path import local
from api.http.param import Integer, Query
from api.http.request import ApiRequest, DeskPerson
from api.page.page_frame import territorial
from api.page.scoreboard import title
from mapping.errors import ServiceError, StoreUnavailable
from mapping.locales.labels import SPORT_CONTEXT
from mapping.match.match import Status
from mapping.sports import SPORTS
from store.following.sources import NamedLiveblog

MOST = 300
"""Matches on one page."""
KINDS = ("matchId", "phaseId", "overallId")
Json = Mapping[str, Any]
MADE = Integer("made", high=MOST_MADE)


async def show_new_match(request: ApiRequest, page: DeskPage, person: DeskPerson) -> Response:
    """The matches of a day, or what the match holds that the query names; an id by hand at the end."""
    made = MADE.of(request.query)
    notice = page.text("Liveblogs created: {count}", count=made) if made else ""
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
        said = page.text("Liveblogs created: {count}", count=len(made.local_ids)) if made.local_ids else ""
        alert = page.text("Liveblogs that were not created: {count}. The matches say why.", count=len(made.refused))
        return await _page(request, page, person, form, notice=said, alert=alert, refused=made.refused)
    if len(made.local_ids) == 1:
        return redirect(request, f"/desk/matches/{quote(made.local_ids[0], safe='')}?done=saved")
    kept = {name: form[name] for name in ("provider", "day", "q") if form.get(name)}
    return redirect(request, f"{NEW}?{urlencode({**kept, 'made': len(made.local_ids)})}")


def kind_of(given: Query) -> str:
    """What the id names."""
    return given["kind"] if given.get("kind") in KINDS else KINDS[0]


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
    if not may_change(person):
        return page.response("new_match.html", 403, may_act=False, given=given)
    shown: dict[str, Any] = {
        "attach_title": await _attach_title(request, person, given),
        "given": given,
        "kind": kind_of(given),
        "link": partial(_address, page, request, person, given),
        "locales": locale_options(page),
        "key": secrets.token_urlsafe(16),  # a form that is sent twice creates once
    }
    status = 422 if alert else 200
    try:
        if given.get("provider") and given.get("id", "").strip() and not alert:
            shown |= await _preview(request, page, person, given)
        else:
            shown |= await _fixtures(request, page, person, given, refused or {})
    except StoreUnavailable:
        raise
    except ServiceError as error:
        alert, status = f"{alert} {refusal_text(page, error)}".strip(), 422
        shown |= _choice(request, person, given)
    return page.response("new_match.html", status, may_act=True, notice=notice, alert=alert, **shown)


async def _attach_title(request: ApiRequest, person: DeskPerson, given: Query) -> str | None:
    """The name of the liveblog that shall have the match. Raises NotFound."""
    if not given.get("attach"):
        return None
    game = await request.services.store.read(NamedLiveblog(given["attach"], person.organization_id).find)
    return title(game.as_document())


async def _preview(request: ApiRequest, page: DeskPage, person: DeskPerson, given: Query) -> dict[str, Any]:
    """What the match holds that is named, and the way back."""
    query = {"provider": given["provider"], kind_of(given): given["id"].strip()}
    found = await operations.preview(
        request.services, query, organization_id=person.organization_id, client_id=person.client_id, text=False
    )
    kept = {name: given[name] for name in ("provider", "day", "q", "attach") if given.get(name)}
    back = f"{page.link(NEW)}?{urlencode(kept)}"
    return {"preview": found, "back": back, "states": STATES, "providers": _providers(request, person)}


def _choice(request: ApiRequest, person: DeskPerson, given: Query) -> dict[str, Any]:
    """What is shown without a list: the ways to choose a day."""
    services, provider = request.services, _provider(request, person, given)
    access = services.settings.organization(person.organization_id).providers.get(provider)
    zone = ZoneInfo(access.timezone if access is not None else services.settings.server.timezone)
    today = local(int(services.clock()), zone).date()
    return {
        "preview": None,
        "found": None,
        "provider": provider,
        "providers": _providers(request, person),
        "has_text": access is not None and access.text_content,
        "days": [(today + timedelta(days=offset)).isoformat() for offset in (-1, 0, 1)],
    }


async def _fixtures(
    request: ApiRequest, page: DeskPage, person: DeskPerson, given: Query, refused: Mapping[str, str]
) -> dict[str, Any]:
    """The matches of the day, by competition, and what the terms for those that are ticked can be."""
    from babel.dates import format_date  # a start that renders nothing needs no calendar

    choice = _choice(request, person, given)
    wanted = {name: given[name] for name in ("day", "q", "page") if given.get(name)}
    wanted |= {"provider": choice["provider"], "limit": str(MOST)}
    services = request.services
    found = await list_fixtures(services.importer.fixtures, services.store.read, person.organization_id, wanted)
    fixtures, zone = found["objects"], ZoneInfo(found["timeZone"])
    listed = {each["matchId"] for each in fixtures}
    shown = [_shown_fixture(page, each, zone, given, refused) for each in fixtures]
    return choice | {
        "found": found,
        "day": format_date(date.fromisoformat(found["day"]), "full", locale=territorial(page.texts.locale)),
        "gone": {name: why for name, why in refused.items() if name not in listed},
        "competitions": [_competition(page, each) for each in _by_competition(shown)],
        "may_be_second": bool(refused) or any(each["liveblogs"] for each in fixtures),
        "sports": _types(page, services.event_types, fixtures),
    }


def _address(page: DeskPage, request: ApiRequest, person: DeskPerson, given: Query, /, **changes: object) -> str:
    """The address of the list with these parameters in place of its own."""
    kept = {name: given.get(name, "") for name in ("attach", "day", "q")}
    query = {"provider": _provider(request, person, given), **kept, **changes}
    return f"{page.link(NEW)}?{urlencode({name: value for name, value in query.items() if value})}"


def _shown_fixture(
    page: DeskPage, fixture: Json, zone: ZoneInfo, given: Query, refused: Mapping[str, str]
) -> dict[str, Any]:
    """What the list shows of a match, beside what the provider says of it."""
    ident, competition = fixture["matchId"], fixture["competition"] or {"name": fixture["matchId"]}
    sides = [each["name"] for each in (fixture["home"], fixture["away"]) if each is not None]
    title = " – ".join(sides) if len(sides) > 1 else fixture["title"] or (sides[0] if sides else competition["name"])
    time = None
    if fixture["kickoff"] is not None and not fixture["kickoffOpen"]:
        time = page.time_of_day(datetime.fromisoformat(fixture["kickoff"]).timestamp(), zone)
    return {
        **fixture,
        "title": title,
        "sides": sides if len(sides) > 1 else [title],
        "time": time,
        "state": " · ".join(_states(page, fixture)),
        "can_tick": fixture["followable"] and not given.get("attach"),
        "ticked": ident in refused if refused else f"{TICK}{ident}" in given,
        "refused": refused.get(ident),
    }


def _states(page: DeskPage, fixture: Json) -> list[str]:
    """How it stands, where it has begun or will not begin as planned."""
    status = fixture["status"]
    words = [] if status in {None, "scheduled"} else [page.text(STATES[Status(status)])]
    words += [fixture["statusWord"]] if fixture["statusWord"] else []
    score = fixture["score"] if status in {"live", "finished", "abandoned"} else None
    words = [page.score(score["home"], score["away"]), *words] if score else words
    return words if fixture["followable"] else [*words, page.text("No liveblogs of this sport")]


def _by_competition(fixtures: Sequence[Json]) -> list[list[Json]]:
    """In the order in which the provider begins them; in each by kick-off."""
    order: dict[str, int] = {}
    for each in fixtures:
        order.setdefault(_competition_id(each), len(order))
    listed = sorted(fixtures, key=lambda each: (order[_competition_id(each)], each["kickoff"] or ""))
    return [[*group] for _, group in groupby(listed, key=_competition_id)]


def _competition_id(fixture: Json) -> str:
    return fixture["competition"]["id"] if fixture["competition"] else ""


def _competition(page: DeskPage, fixtures: Sequence[Json]) -> dict[str, Any]:
    first = fixtures[0]
    sport = SPORTS.get(first["sport"] or "")
    kind = first["sport"] if sport is None else page.texts.text(sport.name, context=SPORT_CONTEXT)
    return {
        "name": first["competition"]["name"] if first["competition"] else None,
        "said": " · ".join(each for each in (kind, first["round"]) if each),
        "fixtures": fixtures,
        "can_tick": any(each["can_tick"] for each in fixtures),
    }


def _types(page: DeskPage, known: frozenset[str], fixtures: Sequence[Json]) -> list[tuple[str, list[tuple[str, str]]]]:
    """The event types of the sports that are listed, by the names of the sports."""
    sports = sorted({each["sport"] for each in fixtures if each["followable"]})
    kinds = {sport: sorted(each for each in known if each.startswith(f"{sport}.")) for sport in sports}
    return [
        (
            page.texts.text(SPORTS[sport].name, context=SPORT_CONTEXT),
            [(each, kind_name(page.texts, each)) for each in of],
        )
        for sport, of in kinds.items()
        if of
    ]


def _providers(request: ApiRequest, person: DeskPerson) -> list[str]:
    """The organization's, in the order of the configuration."""
    services = request.services
    return [*services.settings.organization(person.organization_id).providers] or sorted(services.providers)


def _provider(request: ApiRequest, person: DeskPerson, given: Query) -> str:
    return given.get("provider") or next(iter(_providers(request, person)), "")
