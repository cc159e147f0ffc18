"""The first page of the desk: all liveblogs of the organization in one table that keeps itself up to date."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any
from urllib.parse import urlencode

from markupsafe import Markup
from starlette.responses import Response

from api.desk.desk_frame import DeskPage, redirect
from api.desk.fragment_cache import FragmentCache, KeptFragment, fragment_response, wait_for_news, wants_anew
from api.desk.handlers import write_down
from api.desk.match_overview import SHOWS, SOME, Sight, TableFilter, TableRow, read_table
from api.desk.shared_texts import automatic_text, brief_disagreements, reason_text, refusal_text
from api.external import operations
from api.http.json_path import node, text
from api.http.param import Integer, Query
from api.http.request import ApiRequest, DeskPerson, parse_document
from api.page.scoreboard import clock, clock_html, scores, title
from mapping.desk.cross_site import HOME, own_path
from mapping.desk.match_trouble import TROUBLE_TEXTS, Trouble
from mapping.documents.external import ExternalChange
from mapping.documents.import_options import ImportOptions
from mapping.errors import InvalidRequest, ServiceError
from store.following.sources import NamedLiveblog

MOST = 100
"""Liveblogs on one page."""
DEEPEST = 1000
Q_LENGTH = 200
TABLE = "/desk/matches/table"
NEW = "/desk/matches/new"
ACT = "/desk/matches/act"


async def show_matches(request: ApiRequest, page: DeskPage, person: DeskPerson) -> Response:
    """The page: the filter, and the table as the filter wants it."""
    return await _page(request, page, person)


async def _page(
    request: ApiRequest, page: DeskPage, person: DeskPerson, *, alert: str = "", status: int = 200
) -> Response:
    wanted = wanted_of(request.query)
    table = (await _fragment(request, page, person, wanted)).rendering
    providers = sorted(request.services.settings.organization(person.organization_id).providers)
    if wanted.provider and wanted.provider not in providers:
        providers.append(wanted.provider)
    return page.response(
        "matches.html",
        status,
        alert=alert,
        may_act=may_change(person),
        wanted=wanted,
        query=query_text(wanted),
        providers=providers,
        troubles=TROUBLE_TEXTS,
        table=Markup(table.body.decode()),  # noqa: S704 -- made by a template
        etag=table.etag,
    )


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
        return await _page(request, page._replace(path=HOME), person, alert=refusal_text(page, error), status=409)
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
        return home.render(
            "matches_table.html",
            table=table,
            rows=[_shown_row(home, each, now=now, allowed=allowed) for each in table.rows],
            may_act=may_act,
            older=query_text(wanted._replace(page=wanted.page - 1)) if wanted.page > 1 else None,
            newer=query_text(wanted._replace(page=wanted.page + 1)) if table.more else None,
        )

    key = ("matches", person.organization_id, page.texts.locale, may_act, wanted)
    return await services[FragmentCache].get(key, make, anew=wants_anew(request))


def _shown_row(page: DeskPage, row: TableRow, *, now: float, allowed: float) -> dict[str, Any]:
    """What the table shows of a liveblog. While the provider answers as expected no time is named, so that it stays the same."""
    game, followed = row.liveblog.game, row.followed
    document, terms = game.as_document(), terms_of(row)
    answered = None if followed is None else followed.good_at if row.answered_at is None else row.answered_at
    return {
        "id": game.local_id,
        "title": title(document),
        "score": scores(document),
        "competition": text(node(document, "meta_info"), "tournament", "name"),
        "starts_at": game.starts_at,
        "state": Markup(clock_html(clock(document, page.texts, now))),  # noqa: S704 -- the readers' page shows it too
        "public": game.public,
        "followed": followed is not None,
        "troubles": [(each, TROUBLE_TEXTS[each], _why(page, row, each)) for each in row.troubles],
        "answers": row.answered_at is not None and now - row.answered_at <= allowed,
        "answered_at": answered,
        "posted_at": row.liveblog.posted_at,
        "drafts": row.liveblog.drafts,
        "terms": terms,
        "automatic": "" if terms is None else automatic_text(page.texts, terms),
    }


def _why(page: DeskPage, row: TableRow, trouble: Trouble) -> str:
    """What is to be said of a trouble with the sources: which one leads and why, what each of them says."""
    sources = row.sources
    if sources is not None and trouble is Trouble.STANDBY_LEADS:
        return f"{sources.provider} – {reason_text(page.texts, sources.reason, pinned=True)}"
    if sources is not None and trouble is Trouble.SOURCES_DISAGREE:
        return brief_disagreements(page.texts, sources.disagreements)
    return ""


def terms_of(row: TableRow) -> ImportOptions | None:
    """The terms of the row's liveblog, None without a match, and where they are in a form that cannot be read."""
    if row.followed is None:
        return None
    try:
        return ImportOptions.from_dict(row.followed.terms)
    except ValueError:
        return None


def query_text(wanted: TableFilter) -> str:
    """The filter as the query of an address."""
    return urlencode({name: value for name, value in wanted._asdict().items() if value != ""})
