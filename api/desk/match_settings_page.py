"""The page on which a person changes what a liveblog takes over from its match, and detaches it."""

from __future__ import annotations

from html import escape
from typing import Any
from urllib.parse import quote

from starlette.responses import Response

from api.desk.desk_frame import DeskPage, alert_html, redirect
from api.desk.form_fields import select_html
from api.desk.fragment_cache import FragmentCache
from api.desk.handlers import write_down
from api.desk.match_words import automatic_text, kind_name, refusal_text
from api.desk.matches_page import NEW, change_match, may_change
from api.desk.sources_section import SourceRefusal, SourcesPage, source_change, source_refusal, sources_html
from api.external import operations
from api.external.operations import NOT_ATTACHED
from api.http.param import Query
from api.http.request import ApiRequest, DeskPerson, parse_document
from api.page.document import LOCALES, territorial
from api.page.scoreboard import title
from mapping.desk.matches_text import MatchesText
from mapping.desk.own_path import HOME
from mapping.documents.external import ExternalChange
from mapping.documents.import_options import ImportOptions
from mapping.errors import NotFound, ServiceError, StoreUnavailable
from store.engine.records import StoredGame
from store.following.sources import NamedLiveblog

MATCH = "/desk/matches/{liveblogId}"
EXCLUDE = "exclude."
"""How the fields of event types begin."""
SCOREBOARD = "excludeScoreboard"
TICKS = {"auto": "autoPostEnabled", "text": "includeTextContent", "paused": "paused", "scoreboard": SCOREBOARD}
"""The other boxes of the form, and what of an `ExternalChange` each of them is."""


async def show_settings(request: ApiRequest, page: DeskPage, person: DeskPerson) -> Response:
    """The page."""
    notice = page.text(MatchesText.SAVED) if request.query.get("done") else ""
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


def locale_select(page: DeskPage, chosen: str) -> str:
    """A choice of the languages in which our own texts are written."""
    from babel import Locale  # a start that renders nothing needs no calendar

    reader = territorial(page.texts.locale)
    names = [(each, Locale.parse(territorial(each)).get_display_name(reader) or each) for each in LOCALES]
    return select_html(page, "locale", MatchesText.LOCALE, [(each, escape(name)) for each, name in names], chosen)


def box(name: str, label: str, *, ticked: bool, required: bool = False) -> str:
    """A box with its label, which is escaped already."""
    state = f"{' checked' if ticked else ''}{' required' if required else ''}"
    return f'<label class="tick"><input type="checkbox" name="{escape(name)}" value="yes"{state}> <span>{label}</span></label>'


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
    refusal: SourceRefusal | None = None,
    status: int = 200,
) -> Response:
    named = _named(request, person)
    game = await request.services.store.read(named.find)
    name = title(game.as_document())
    try:
        found = await operations.show(request.services, named)
    except NotFound as error:
        if error.message != NOT_ATTACHED:
            raise
        found = None
    said = f'<p class="notice" role="status">{notice}</p>' if notice else ""
    said += alert_html(alert)
    address = page.link("/desk/liveblogs/" + quote(game.local_id, safe=""))
    links = (
        f'<p class="pager"><a href="{address}">'
        f"{page.text(MatchesText.OPEN_LIVEBLOG)}</a>"
        f'<a href="{page.link(HOME)}">{page.text(MatchesText.MATCHES)}</a></p>'
    )
    if found:
        made = _sources(request, page, person, game, refusal)
        parts = _attached(made, person, game, found, request.services.event_types)
    else:
        parts = _alone(page, person, game.local_id)
    return page.old_response(name, f"{said}{links}{parts}", status)


def _alone(page: DeskPage, person: DeskPerson, local_id: str) -> str:
    link = _attach_link(page, local_id) if may_change(person) else ""
    return f'<section class="card"><p>{page.text(MatchesText.NOT_ATTACHED)}</p>{link}</section>'


def _sources(
    request: ApiRequest, page: DeskPage, person: DeskPerson, game: StoredGame, refusal: SourceRefusal | None
) -> SourcesPage:
    services = request.services
    providers = services.settings.organization(person.organization_id).providers or services.providers
    hold, may = services.settings.standby.hold, may_change(person)
    return SourcesPage(page, game.local_id, game.sportstype, sorted(providers), hold, may, refusal)


def _attached(
    made: SourcesPage, person: DeskPerson, game: StoredGame, found: dict[str, Any], event_types: frozenset[str]
) -> str:
    page, sources = made.page, sources_html(made, found)
    terms = parse_document(ExternalChange, found).applied_to(ImportOptions(sport=game.sportstype))
    match = f"{found['provider']} · {found['selector']['matchId']}"
    facts = (
        f'<section class="card"><p class="facts">{escape(match)} · {page.text(MatchesText.AUTOMATIC)}: '
        f"{escape(automatic_text(page.texts, terms))}</p>"
    )
    if not may_change(person):
        return f"{facts}<p>{page.text(MatchesText.YOUR_ROLE)}</p></section>{sources}"
    known = event_types | terms.exclude_events
    kinds = sorted(each for each in known if each.startswith(f"{game.sportstype}."))
    address = page.link("/desk/matches/" + quote(game.local_id, safe=""))
    boxes = "".join(
        box(EXCLUDE + each, escape(kind_name(page.texts, each)), ticked=each in terms.exclude_events) for each in kinds
    )
    left_out = f"<fieldset><legend>{page.text(MatchesText.LEFT_OUT)}</legend>{boxes}</fieldset>" if boxes else ""
    ticks = (
        (("paused", MatchesText.PAUSED, terms.paused)),
        (("auto", MatchesText.POST_AUTOMATICALLY, terms.auto_post)),
        (("text", MatchesText.WITH_TEXT, terms.text)),
        (("scoreboard", MatchesText.LEAVE_SCOREBOARD, terms.exclude_scoreboard)),
    )
    shown = "".join(box(field, page.text(label), ticked=on) for field, label, on in ticks)
    save = (
        f'<form method="post" action="{address}/settings">{page.account_field()}'
        f'<input type="hidden" name="shown" value="{escape(" ".join(shown_terms(terms)))}">{shown}{left_out}'
        f"{locale_select(page, terms.locale)}<button>{page.text(MatchesText.SAVE)}</button></form></section>"
    )
    confirm = box(
        "confirmed", page.text(MatchesText.DETACH_CONFIRM, title=title(game.as_document())), ticked=False, required=True
    )
    off = (
        f'<section class="card"><h2>{page.text(MatchesText.DETACH)}</h2><p>{page.text(MatchesText.DETACH_SAYS)}</p>'
        f'<form method="post" action="{address}/detach">{page.account_field()}{confirm}'
        f'<input type="hidden" name="match" value="{escape(found["selector"]["matchId"])}">'
        f'<button class="danger">{page.text(MatchesText.DETACH)}</button></form></section>'
    )
    return f'{facts}{save}{sources}<section class="card">{_attach_link(page, game.local_id)}</section>{off}'


def _attach_link(page: DeskPage, local_id: str) -> str:
    address = f"{page.link(NEW)}?attach={quote(local_id, safe='')}"
    return f'<p><a class="button" href="{address}">{page.text(MatchesText.ATTACH_OTHER)}</a></p>'
