"""The page on which admins see and write follow rules: what each would make, what was not made and why, and what it costs."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from starlette.responses import Response

from api.desk.desk_frame import DeskPage, redirect
from api.desk.shared_texts import locale_options, refusal_text
from api.http.param import Query
from api.http.request import ApiRequest, DeskPerson, PeopleDoor, RuleEngine
from api.rules import operations
from api.rules.operations import ListedRule
from mapping.errors import Forbidden, InvalidRequest, ServiceError, StoreUnavailable
from mapping.follow.cost import fullest_day
from mapping.follow.plan import Outlook, Planned, WhyNot
from mapping.follow.preview import RulePreview, reason_text
from mapping.locales import msgid
from mapping.locales.labels import SPORT_CONTEXT
from mapping.sports import SPORTS
from store.following.rules import MissedMatch, list_missed

RULES = "/desk/rules"
PATIENCE = 8.0
"""Seconds that a page waits for the providers' lists; then it is shown without them, and the next one has them."""
SHOWN = 100
"""Matches of a rule that are listed, and of those that it has missed."""
URGENT = 900
"""Seconds before kick-off from which a missing liveblog stands on top of the desk."""
LASTS = 4 * 3600
"""Seconds after kick-off for which it stands there."""
NAMED = 3
"""Of these, how many are named."""
OUTLOOKS = {
    Outlook.DUE: msgid("is being created"),
    Outlook.WAITS: msgid("to come"),
    Outlook.MADE: msgid("created"),
    Outlook.COVERED: msgid("there is one already"),
    Outlook.RENAMED: msgid("takes its new id"),
    Outlook.OVER: msgid("over"),
    Outlook.CALLED_OFF: msgid("cancelled"),
    Outlook.UNDECIDED: msgid("not created: please look"),
    Outlook.BEYOND: msgid("not created: too many on one day"),
}
WHY = {
    WhyNot.NO_TIME: msgid("the kick-off is not known yet"),
    WhyNot.TEAMS: msgid("the teams are not known yet"),
    WhyNot.POSTPONED: msgid("postponed"),
    WhyNot.LONG_AGO: msgid("it began too long ago"),
    WhyNot.STATUS: msgid("the list says {word}, which is not known"),
    WhyNot.GENDER: msgid("the list does not say whether men or women play"),
    WhyNot.SPORT: msgid("no liveblogs are made of this sport"),
    WhyNot.MOST: msgid("more matches on one day than the rule may make liveblogs of"),
}
"""Why a match has no liveblog, where the outlook does not say it."""
SILENT = {WhyNot.LEAD, WhyNot.CANCELLED, WhyNot.FINISHED}
"""Reasons that the outlook says already."""
TEXTS = ("competition", "team", "sport", "gender", "locale")
TICKS = ("autoPost", "excludeScoreboard", "includeTextContent", "editorialPublishing")
LISTS = ("excludeEvents", "tags")
STANDBY = "standby."
"""How the boxes of providers that stand by begin."""


class Refusal(NamedTuple):
    """What was refused of a form: the field, why, and what the form had said of which rule (empty: of a new one)."""

    field: str
    words: str
    given: Mapping[str, Any]
    key: str


async def show_rules(request: ApiRequest, page: DeskPage, person: DeskPerson) -> Response:
    """The page, with the form of the rule that the query names, else of a new one."""
    notice = page.text("Saved.") if request.query.get("done") else ""
    return await _page(request, page, person, notice=notice)


async def write_rule(request: ApiRequest, page: DeskPage, person: DeskPerson, form: Query) -> Response:
    """Make, change or delete a rule, whichever button it was. Raises Forbidden for whoever is no admin."""
    _demand_admin(person)
    act, key, services, owner = form.get("act", ""), form.get("key", ""), request.services, person.organization_id
    if act not in {"create", "change", "delete"}:
        raise InvalidRequest("the form does nothing of that name")
    body = body_of(form)
    try:
        if act == "create":
            key = (await operations.make_rule(services, owner, body)).key
        elif act == "change":
            await operations.change(services, owner, key, body, expected=form.get("state"))
        else:
            await operations.remove(services, owner, key)
    except StoreUnavailable:
        raise
    except ServiceError as error:
        field = (error.field or "").partition(".")[0]
        if field == "state":
            field, words = (
                "",
                page.text("Somebody else has changed the rule meanwhile. If you save again, yours counts."),
            )
            refusal = Refusal("", words, body, key)
            return await _page(request, page, person, refusal=refusal, alert=words, status=409)
        refusal = Refusal(field, error.message, body, "" if act == "create" else key)
        alert = "" if field else refusal_text(page, error)
        return await _page(request, page, person, refusal=refusal, alert=alert, status=422)
    request.audit(f"rule.{act}", record=key)
    await services[PeopleDoor].record(person, f"rule.{act}", key)
    return redirect(request, f"{RULES}?done=saved")


async def try_again(request: ApiRequest, page: DeskPage, person: DeskPerson, form: Query) -> Response:  # noqa: ARG001
    """Have all rules looked at now, and what has failed tried again; back to where the button was."""
    person.demand("external")
    request.services[RuleEngine].look_again(person.organization_id)
    return redirect(request, RULES if form.get("back") == RULES else "/desk")


def body_of(form: Query) -> dict[str, Any]:
    """What the form says as a `FollowRuleDraft`: what is empty is as it is by itself."""
    body: dict[str, Any] = {name: form.get(name, "").strip() or None for name in ("key", "provider", *TEXTS)}
    body |= {name: name in form for name in TICKS}
    body |= {name: [each.strip() for each in form.get(name, "").split(",") if each.strip()] for name in LISTS}
    minutes = form.get("lead", "").strip()
    return body | {
        "lead": f"{minutes}m" if minutes else None,
        "confirm": "two" if "confirm" in form else "one",
        "mostADay": form.get("mostADay", "").strip() or None,
        "standby": [name.removeprefix(STANDBY) for name in form if name.startswith(STANDBY)],
    }


def _demand_admin(person: DeskPerson) -> None:
    if person.role != "admin":
        raise Forbidden("only an admin may change rules")


async def _page(
    request: ApiRequest,
    page: DeskPage,
    person: DeskPerson,
    *,
    refusal: Refusal | None = None,
    notice: str = "",
    alert: str = "",
    status: int = 200,
) -> Response:
    if person.role != "admin":
        return page.response("rules.html", 403, may_act=False)
    services, owner = request.services, person.organization_id
    rules = await operations.list_rules(services, owner)
    preview, unknown = await _preview(request, page, person)
    chosen = request.query.get("rule", "") if refusal is None else refusal.key
    named = next((each for each in rules if each.key == chosen and not each.read_only), None)
    entry = None if named is None else named.entry
    given = refusal.given if refusal is not None else {} if entry is None else draft_of(entry.fields)
    organization = services.settings.organization(owner)
    return page.response(
        "rules.html",
        status,
        may_act=True,
        notice=notice,
        alert=alert,
        unknown=unknown,
        rules=[_shown(page, each, preview) for each in rules],
        costs=[each for each in _once(preview) if each.hours.matches],
        failures=[each for each in _once(preview) if each.failure],
        chosen="" if named is None else named.key,
        given=given,
        state="" if entry is None else operations.state_of(entry),
        lead=_minutes(given.get("lead")),
        is_new=named is None,
        wrong={} if refusal is None or not refusal.field else {refusal.field: refusal.words},
        providers=list(organization.providers),
        sports=[(name, page.texts.text(each.name, context=SPORT_CONTEXT)) for name, each in SPORTS.items()],
        locales=locale_options(page),
    )


def draft_of(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a stored rule by the names of the form."""
    return {operations.field_name((name,)): value for name, value in fields.items()}


def _minutes(lead: object) -> str:
    """What the field for the time before kick-off holds: as the form had it, else of the rule's seconds."""
    return lead.removesuffix("m") if isinstance(lead, str) else f"{lead / 60:g}" if isinstance(lead, float) else "120"


async def _preview(request: ApiRequest, page: DeskPage, person: DeskPerson) -> tuple[RulePreview, str]:
    """What the rules would make, and what is to be said where that is not known."""
    try:
        async with asyncio.timeout(PATIENCE):
            return await request.services[RuleEngine].preview(person.organization_id), ""
    except TimeoutError:
        said = page.text("The providers' lists are still on their way. Please load the page again in a moment.")
    except StoreUnavailable:
        raise
    except ServiceError as error:
        said = refusal_text(page, error)
    return RulePreview((), (), {}), said


def _once(preview: RulePreview) -> list[Any]:
    """Each endpoint once, by its name."""
    return [*{each.name: each for each in preview.endpoints.values()}.values()]


def _shown(page: DeskPage, rule: ListedRule, preview: RulePreview) -> dict[str, Any]:
    """What the page shows of a rule."""
    at_work = next((each for each in preview.rules if each.key == rule.key and rule.rests is None), None)
    own = [each for each in preview.planned if each.rule is at_work]
    zone = page.zone
    if at_work is not None:
        zone = ZoneInfo(preview.endpoints[at_work.organization_id, at_work.provider].timezone)
    return {
        "key": rule.key,
        "entry": rule.entry,
        "read_only": rule.read_only,
        "rests": rule.rests,
        "known": at_work is not None,
        "coming": sum(each.outlook in {Outlook.DUE, Outlook.WAITS} for each in own),
        "fullest": fullest_day(own, zone),
        "matches": [_match(page, each, zone) for each in own[:SHOWN]],
        "more": max(0, len(own) - SHOWN),
        "missed": [missed_line(page, each) for each in rule.missed[:SHOWN]],
    }


def _match(page: DeskPage, planned: Planned, zone: ZoneInfo) -> dict[str, Any]:
    kickoff = planned.fixture.kickoff
    why = "" if planned.reason is None or planned.reason in SILENT else _why(page, planned.reason, planned.word)
    due = planned.due_at if planned.outlook is Outlook.WAITS else None
    return {
        "day": None if kickoff is None else datetime.fromtimestamp(kickoff, zone),
        "kickoff": kickoff,
        "title": planned.title,
        "outlook": page.text(OUTLOOKS[planned.outlook]),
        "due": due,
        "why": why,
    }


def missed_line(page: DeskPage, missed: MissedMatch) -> dict[str, Any]:
    """A match without its liveblog: what it is, why, and where a person makes it."""
    reason = WhyNot.__members__.get(missed.reason)
    query = {"provider": missed.provider, "kind": "matchId", "id": missed.match_id}
    return {
        "rule": missed.rule,
        "title": missed.title,
        "kickoff": missed.kickoff,
        "why": reason_text(missed.reason, missed.word) if reason is None else _why(page, reason, missed.word),
        "open": f"{page.link('/desk/matches/new')}?{urlencode(query)}",
    }


def _why(page: DeskPage, reason: WhyNot, word: str) -> str:
    return page.text(WHY[reason], word=word) if reason in WHY else reason_text(reason.name, word)


async def urgent_lines(request: ApiRequest, page: DeskPage, person: DeskPerson) -> dict[str, Any]:
    """What stands on top of the desk: matches about to begin, or under way, of which a rule should have made a liveblog."""
    if "external" not in person.scopes:
        return {"urgent": [], "more_urgent": 0}
    services = request.services
    missed = await services.store.read(partial(list_missed, organization_id=person.organization_id))
    now = services.clock()
    urgent: Sequence[MissedMatch] = [
        each for each in missed if each.kickoff is not None and now - LASTS < each.kickoff <= now + URGENT
    ]
    return {
        "urgent": [missed_line(page, each) for each in urgent[:NAMED]],
        "more_urgent": max(0, len(urgent) - NAMED),
        "may_see_rules": person.role == "admin",
    }
