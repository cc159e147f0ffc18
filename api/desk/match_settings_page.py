"""The page on which a person changes what a liveblog takes over from its match, and detaches it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import quote

from starlette.responses import Response

from api.desk.act_on_matches import change_match
from api.desk.chosen_matches import EXCLUDE
from api.desk.desk_frame import DeskPage, redirect
from api.desk.fragment_cache import FragmentCache
from api.desk.handlers import write_down
from api.desk.matches_page import may_change
from api.desk.shared_texts import (
    STATES,
    automatic_text,
    disagreement_texts,
    kind_name,
    locale_options,
    reason_text,
    refusal_text,
)
from api.external import operations
from api.external.operations import NOT_ATTACHED
from api.http.param import Query
from api.http.request import ApiRequest, DeskPerson, parse_document
from api.page.scoreboard import title
from api.view.match_sources import AUTOMATIC
from mapping.documents.external import ExternalChange
from mapping.documents.import_options import MOST_STANDBYS, ImportOptions
from mapping.errors import Forbidden, NotFound, ServiceError, StoreUnavailable, Unprocessable
from mapping.fusion.leading_source import Reason
from mapping.fusion.same_match import COMPARABLE, Mismatch, OtherMatch
from mapping.locales import msgid
from store.engine.liveblog_records import StoredGame
from store.following.sources import NamedLiveblog

MATCH = "/desk/matches/{liveblogId}"
SCOREBOARD = "excludeScoreboard"
TICKS = {"auto": "autoPostEnabled", "text": "includeTextContent", "paused": "paused", "scoreboard": SCOREBOARD}
"""The other boxes of the form, and what of an `ExternalChange` each of them is."""


FIELDS = {"provider": "standby_provider", "matchId": "standby_id", "leads": "leads"}
"""Fields of the operation, the last part of their names → those of the forms of sources."""
MISMATCHES = {
    Mismatch.SPORT: msgid("This is another match: one is {first}, the other one {second}."),
    Mismatch.KICK_OFF: msgid("This is another match: the kick-offs are more than three hours apart."),
    Mismatch.SIDES: msgid("This is another match: home and away are the other way round ({first}; {second})."),
    Mismatch.TEAMS: msgid("This is another match: the teams differ ({first}; {second})."),
}
"""Why a match cannot stand by."""


class SourceRefusal(NamedTuple):
    """What was refused: the field of the form, and why; `given`: what the form had said."""

    field: str
    words: str
    given: Mapping[str, str]

    def at(self, name: str) -> str:
        """What is wrong with the field of this name."""
        return self.words if self.field == name else ""


NOTHING_REFUSED = SourceRefusal("", "", {})


async def show_settings(request: ApiRequest, page: DeskPage, person: DeskPerson) -> Response:
    """The page."""
    notice = page.text("Saved.") if request.query.get("done") else ""
    return await _page(request, page, person, notice=notice)


async def save_settings(request: ApiRequest, page: DeskPage, person: DeskPerson, form: Query) -> Response:
    """Save what the person has changed of automatic posting, text and language; what others have changed meanwhile stays."""
    try:
        known = parse_document(ExternalChange, await operations.show(request.services, _named(request, person)))
        await change_match(request, person, _name(request), change_of(form, known.applied_to(ImportOptions(sport=""))))
    except NotFound:
        raise
    except ServiceError as error:
        return await _page(request, page, person, alert=refusal_text(page, error), status=409)
    return _done(request)


async def save_sources(request: ApiRequest, page: DeskPage, person: DeskPerson, form: Query) -> Response:
    """Have a source stand by or no longer, or a person's choice hold; what is refused is said at its field."""
    try:
        known = await operations.show(request.services, _named(request, person))
        await change_match(request, person, _name(request), source_change(form, known["sources"]))
    except StoreUnavailable:
        raise
    except ServiceError as error:
        refusal = source_refusal(page, error, form)
        if refusal is not None:
            return await _page(request, page, person, refusal=refusal, status=422)
        if isinstance(error, NotFound):
            raise
        return await _page(request, page, person, alert=refusal_text(page, error), status=409)
    return _done(request)


async def detach(request: ApiRequest, page: DeskPage, person: DeskPerson, form: Query) -> Response:
    """Take the liveblog off its match, where the person has confirmed it."""
    if "confirmed" not in form:
        return await _page(request, page, person)
    try:
        person.demand("external")
        game = await operations.detach(request.services, _named(request, person), form.get("match"))
    except NotFound:
        raise
    except ServiceError as error:
        return await _page(request, page, person, alert=refusal_text(page, error), status=409)
    await write_down(request, person, "liveblog.detachExternal", game["local_id"], game["version"])
    return _done(request)


def change_of(form: Query, now: ImportOptions) -> dict[str, Any]:
    """The `ExternalChange` of what the form has otherwise than it was `shown`; without that, otherwise than it is `now`."""
    ticked = {each for each in form if each in TICKS or each.startswith(EXCLUDE)}
    shown = set(form["shown"].split() if "shown" in form else shown_terms(now))
    changed = ticked.symmetric_difference(each for each in shown if "=" not in each)
    change: dict[str, Any] = {TICKS[each]: each in ticked for each in TICKS if each in changed}
    auto: dict[str, Any] = {"excludeScoreboard": change.pop(SCOREBOARD)} if SCOREBOARD in change else {}
    if kinds := {each.removeprefix(EXCLUDE) for each in changed if each.startswith(EXCLUDE)}:
        left_out = {each for each in kinds if EXCLUDE + each in ticked}
        auto["excludeEvents"] = sorted(now.exclude_events - kinds | left_out)
    if auto:
        change["autoPostConfiguration"] = auto
    locale = form.get("locale")
    return {**change, "locale": locale} if locale and f"locale={locale}" not in shown else change


def shown_terms(terms: ImportOptions) -> list[str]:
    """The boxes that are ticked for these terms, and the language."""
    ticks = {
        "auto": terms.auto_post,
        "text": terms.text,
        "paused": terms.paused,
        "scoreboard": terms.exclude_scoreboard,
    }
    excluded = (EXCLUDE + each for each in sorted(terms.exclude_events))
    return [*(name for name, on in ticks.items() if on), *excluded, f"locale={terms.locale}"]


def source_change(form: Mapping[str, str], sources: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The `ExternalChange` that a form of the section stands for; `sources`: those of the match now, the first one first."""
    standby = [{"provider": each["provider"], "matchId": each["matchId"]} for each in sources[1:]]
    if "add" in form:
        wanted = {"provider": form.get("standby_provider", ""), "matchId": form.get("standby_id", "").strip()}
        return {"standby": [*standby, wanted]}
    if "remove" in form:
        return {"standby": [each for each in standby if each["provider"] != form["remove"]]}
    shown = form.get("shown", "").split()  # what the person has left as it was shown is no change
    chosen = {name: form[name] for name in ("leads", "confirm") if form.get(name)}
    return {name: value for name, value in chosen.items() if f"{name}={value}" not in shown}


def source_refusal(page: DeskPage, error: ServiceError, given: Mapping[str, str]) -> SourceRefusal | None:
    """What is said at a field of the forms; None where it is about none of them."""
    field = FIELDS.get((error.field or "").rpartition(".")[2])
    if field is None:
        return None
    return SourceRefusal(field, _refused(page, error, field), given)


def _refused(page: DeskPage, error: ServiceError, field: str) -> str:
    if isinstance(error, OtherMatch):
        return page.text(MISMATCHES[error.why.mismatch], first=error.why.first, second=error.why.second)
    if isinstance(error, Unprocessable) and field == "standby_provider":
        return page.text("The match comes from this provider already. Choose another one.")
    if isinstance(error, Unprocessable) and field == "standby_id":
        return page.text("This is no id of a match.")
    if isinstance(error, Unprocessable):
        return page.text("This is no source of the match any more.")
    if field == "standby_provider" and type(error) in {Forbidden, NotFound}:
        return page.text("Your organization has no access to this provider.")
    return refusal_text(page, error)


def _name(request: ApiRequest) -> str:
    return str(request.path_params["liveblogId"])


def _named(request: ApiRequest, person: DeskPerson) -> NamedLiveblog:
    return NamedLiveblog(_name(request), person.organization_id)


def _done(request: ApiRequest) -> Response:
    request.services[FragmentCache].forget()
    return redirect(request, f"/desk/matches/{quote(_name(request), safe='')}?done=saved")


async def _page(
    request: ApiRequest,
    page: DeskPage,
    person: DeskPerson,
    *,
    notice: str = "",
    alert: str = "",
    refusal: SourceRefusal = NOTHING_REFUSED,
    status: int = 200,
) -> Response:
    named = _named(request, person)
    game = await request.services.store.read(named.find)
    try:
        found = await operations.show(request.services, named)
    except NotFound as error:
        if error.message != NOT_ATTACHED:
            raise
        found = None
    shown = {} if found is None else _terms(request, page, game, found) | _sources(request, page, person, game, found)
    return page.response(
        "settings.html",
        status,
        title=title(game.as_document()),
        notice=notice,
        alert=alert,
        refusal=refusal,
        local_id=game.local_id,
        address=page.link(f"/desk/matches/{quote(game.local_id, safe='')}"),
        may_act=may_change(person),
        found=found,
        **shown,
    )


def _terms(request: ApiRequest, page: DeskPage, game: StoredGame, found: dict[str, Any]) -> dict[str, Any]:
    """What the form shows of automatic posting and language."""
    terms = parse_document(ExternalChange, found).applied_to(ImportOptions(sport=game.sportstype))
    known = sorted(request.services.event_types | terms.exclude_events)
    return {
        "terms": terms,
        "shown_terms": shown_terms(terms),
        "automatic": automatic_text(page.texts, terms),
        "kinds": [(each, kind_name(page.texts, each)) for each in known if each.startswith(f"{game.sportstype}.")],
        "locales": locale_options(page),
    }


def _sources(
    request: ApiRequest, page: DeskPage, person: DeskPerson, game: StoredGame, found: dict[str, Any]
) -> dict[str, Any]:
    """What is shown of the match's sources, and which one can be added."""
    services, sources, leads = request.services, found["sources"], found["leads"]
    providers = sorted(services.settings.organization(person.organization_id).providers or services.providers)
    taken = {each["provider"] for each in sources} or {found["provider"]}
    others = [each for each in providers if each not in taken]
    if sources and (len(sources) > MOST_STANDBYS or not others):
        cannot_add = "more"
    elif game.sportstype not in COMPARABLE:
        cannot_add = "sport"
    else:
        cannot_add = "" if others else "provider"
    pinned = leads != AUTOMATIC
    return {
        "states": STATES,
        "reasons": [
            reason_text(page.texts, Reason(each["reason"]), pinned=pinned) if each["leads"] else "" for each in sources
        ],
        "leading": [each["provider"] for each in sources if each["leads"]],
        "pin_fails": any(each["provider"] == leads and each.get("trouble") for each in sources),
        "disagreements": disagreement_texts(page.texts, found["disagreements"]),
        "hold": round(services.settings.standby.hold),
        "others": others,
        "cannot_add": cannot_add,
    }
