"""The first page of the desk: all liveblogs of the organization in one table that keeps itself up to date."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from html import escape
from typing import Any

from starlette.responses import Response

from api.desk.desk_frame import DeskPage, alert_html, redirect
from api.desk.form_fields import select_html
from api.desk.fragment_cache import FragmentCache, KeptFragment, fragment_response, wait_for_news, wants_anew
from api.desk.handlers import write_down
from api.desk.match_overview import SHOWS, SOME, Sight, TableFilter, read_table
from api.desk.match_table import query_text, table_html
from api.desk.refusal_text import refusal_text
from api.external import operations
from api.http.param import Integer, Query
from api.http.request import ApiRequest, DeskPerson, parse_document
from mapping.desk.match_trouble import Trouble
from mapping.desk.matches_text import TROUBLE_TEXTS, MatchesText
from mapping.desk.own_path import HOME, own_path
from mapping.documents.external import ExternalChange
from mapping.errors import InvalidRequest, ServiceError
from store.following.sources import NamedLiveblog

MOST = 100
"""Liveblogs on one page."""
DEEPEST = 1000
Q_LENGTH = 200
TABLE = "/desk/matches/table"
NEW = "/desk/matches/new"
ACT = "/desk/matches/act"
SHOW_TEXTS = (
    MatchesText.SHOW_FOLLOWED,
    MatchesText.SHOW_RUNNING,
    MatchesText.SHOW_COMING,
    MatchesText.SHOW_OVER,
    MatchesText.SHOW_OTHERS,
)
"""Of `SHOWS`, one after the other."""


async def show_matches(request: ApiRequest, page: DeskPage, person: DeskPerson) -> Response:
    """The page: the filter, and the table as the filter wants it."""
    return await matches_page(request, page, person)


async def matches_page(
    request: ApiRequest, page: DeskPage, person: DeskPerson, *, alert: str = "", status: int = 200
) -> Response:
    """The page, with a message where something went wrong."""
    wanted = wanted_of(request.query)
    found = (await _fragment(request, page, person, wanted)).rendering
    said = alert_html(alert)
    may_act = may_change(person)
    new = f'<a class="button" href="{page.link(NEW)}">{page.text(MatchesText.NEW_MATCH)}</a>' if may_act else ""
    act = page.row_form(ACT, f"{HOME}?{query_text(wanted)}")
    body = (
        f'{said}<div class="bar">{new}{_filter(request, page, person, wanted)}</div>{act}'
        f'<p id="said" class="said" role="status" data-stale="{page.text(MatchesText.NOT_UPDATED)}"'
        f' data-fresh="{page.text(MatchesText.UPDATED_ITSELF)}" data-failed="{page.text(MatchesText.WENT_WRONG, reason="…")}"></p>'
        f'<div id="matches" data-organization="{escape(person.organization_id)}" data-etag="{escape(found.etag)}"'
        f' data-query="{escape(query_text(wanted))}">{found.body.decode()}</div>'
    )
    return page.old_response(page.texts.text(MatchesText.MATCHES), body, status, scripts=("matches.js",))


async def table_fragment(request: ApiRequest, page: DeskPage, person: DeskPerson) -> Response:
    """The table alone, for the script of the page: with `wait` once it is another one than the page has."""
    make = partial(_fragment, request, page, person, wanted_of(request.query))
    return fragment_response(request, await wait_for_news(request, make))


async def act_on_row(request: ApiRequest, page: DeskPage, person: DeskPerson, form: Query) -> Response:
    """Pause or resume the liveblog that a button of the table names, where no script does so."""
    paused = "pause" in form
    name = form.get("pause") or form.get("resume") or ""
    try:
        await change_match(request, person, name, {"paused": paused})
    except ServiceError as error:
        return await matches_page(
            request, page._replace(path=HOME), person, alert=refusal_text(page, error), status=409
        )
    request.services[FragmentCache].forget()
    return redirect(request, own_path(form.get("back")))


async def change_match(request: ApiRequest, person: DeskPerson, name: str, change: Mapping[str, Any]) -> None:
    """Change what the liveblog of this name takes over from its match. Raises Forbidden for whoever may only look."""
    person.demand("external")
    named = NamedLiveblog(name, person.organization_id)
    game = await operations.change(request.services, named, parse_document(ExternalChange, dict(change)))
    await write_down(request, person, "liveblog.changeExternal", game.local_id, game.version)


def may_change(person: DeskPerson) -> bool:
    """Whether the person may do anything but look."""
    return "external" in person.scopes


PAGE = Integer("page", low=1, high=DEEPEST, default=1)
LIMIT = Integer("limit", low=1, high=MOST, default=TableFilter().limit)


def wanted_of(query: Query) -> TableFilter:
    """The filter that a query names. Raises InvalidRequest."""
    show, trouble = query.get("show") or SHOWS[0], query.get("trouble", "")
    if show not in SHOWS:
        raise InvalidRequest(f"show should be one of: {', '.join(SHOWS)}", field="show")
    if trouble not in {"", SOME, *Trouble}:
        raise InvalidRequest(f"trouble should be one of: {', '.join((SOME, *Trouble))}", field="trouble")
    return TableFilter(
        show=show,
        provider=query.get("provider", "")[:Q_LENGTH],
        trouble=trouble,
        q=query.get("q", "")[:Q_LENGTH],
        page=PAGE.of(query),
        limit=LIMIT.of(query),
    )


async def _fragment(request: ApiRequest, page: DeskPage, person: DeskPerson, wanted: TableFilter) -> KeptFragment:
    """The table as HTML, for a page at the address of the first one."""
    services, may_act = request.services, may_change(person)
    home = page._replace(path=HOME, up="")

    async def make() -> str:
        now, allowed = services.clock(), services.settings.polling.silence_alarm
        answers = {} if services.last_answers is None else services.last_answers()
        sight = Sight(person.organization_id, answers, now, allowed)
        table = await services.store.read(partial(read_table, sight=sight, wanted=wanted))
        return table_html(home, table, wanted, now=now, allowed=allowed, may_act=may_act)

    key = ("matches", person.organization_id, page.texts.locale, may_act, wanted)
    return await services[FragmentCache].get(key, make, anew=wants_anew(request))


def _filter(request: ApiRequest, page: DeskPage, person: DeskPerson, wanted: TableFilter) -> str:
    providers = sorted(request.services.settings.organization(person.organization_id).providers)
    known = [*providers, *([wanted.provider] if wanted.provider and wanted.provider not in providers else [])]
    shows = zip(SHOWS, map(page.text, SHOW_TEXTS), strict=True)
    troubles = [(each.value, page.text(TROUBLE_TEXTS[each])) for each in Trouble]
    any_trouble = [("", page.text(MatchesText.ANY_TROUBLE)), (SOME, page.text(MatchesText.SOME_TROUBLE))]
    named = [("", page.text(MatchesText.ANY_PROVIDER)), *((each, escape(each)) for each in known)]
    return (
        f'<form class="filter" method="get" action="{page.link(HOME)}" role="search">'
        + select_html(page, "show", MatchesText.STATE, shows, wanted.show)
        + select_html(page, "provider", MatchesText.PROVIDER, named, wanted.provider)
        + select_html(page, "trouble", MatchesText.TROUBLE, [*any_trouble, *troubles], wanted.trouble)
        + f'<p><label for="q">{page.text(MatchesText.SEARCH)}</label>'
        f'<input id="q" name="q" type="search" maxlength="{Q_LENGTH}" value="{escape(wanted.q)}"></p>'
        f"<button>{page.text(MatchesText.APPLY)}</button></form>"
    )
