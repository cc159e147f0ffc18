"""The first page of the desk: all liveblogs of the organization, a line each, in a list that keeps itself up to date."""

from __future__ import annotations

from functools import partial
from urllib.parse import urlencode

from markupsafe import Markup
from starlette.responses import Response

from api.desk.act_on_matches import BULK, act
from api.desk.attendance import Attendance
from api.desk.desk_frame import DeskPage, redirect
from api.desk.fragment_cache import FragmentCache, KeptFragment, fragment_response, wait_for_news, wants_anew
from api.desk.match_lines import LineMaker
from api.desk.match_overview import OTHERS, SHOWS, SOME, Sight, TableFilter, read_table
from api.desk.rules_page import urgent_lines
from api.desk.shared_texts import refusal_text
from api.http.param import Integer, Query
from api.http.request import ApiRequest, DeskPerson
from mapping.desk.cross_site import HOME, own_path
from mapping.desk.match_trouble import TROUBLE_TEXTS, Trouble
from mapping.errors import InvalidRequest, ServiceError
from mapping.locales import msgid
from mapping.sports import SPORTS

MOST = 100
"""Liveblogs on one page."""
DEEPEST = 1000
Q_LENGTH = 200
TABLE = "/desk/matches/table"
NEW = "/desk/matches/new"
ACT = "/desk/matches/act"


GROUP_TEXTS = {
    "running": msgid("Live"),
    "coming": msgid("Soon"),
    "over": msgid("Over"),
    OTHERS: msgid("Liveblogs without a match"),
}
"""What the parts of the list are called."""


async def show_matches(request: ApiRequest, page: DeskPage, person: DeskPerson) -> Response:
    """The page: the filter, and the table as the filter wants it."""
    return await _page(request, page, person)


async def _page(
    request: ApiRequest, page: DeskPage, person: DeskPerson, *, alert: str = "", status: int = 200
) -> Response:
    wanted = wanted_of(request.query)
    table = (await _fragment(request, page, person, wanted)).rendering
    return page.response(
        "matches.html",
        status,
        alert=alert,
        may_act=may_change(person),
        wanted=wanted,
        query=query_text(wanted),
        troubles=TROUBLE_TEXTS,
        sports=[(each.id, page.texts.text(each.name, context="sport")) for each in SPORTS.values()],
        bulk=BULK.items(),
        **await urgent_lines(request, page, person),
        table=Markup(table.body.decode()),  # noqa: S704 -- made by a template
        etag=table.etag,
    )


async def table_fragment(request: ApiRequest, page: DeskPage, person: DeskPerson) -> Response:
    """The table alone, for the script of the page: with `wait` once it is another one than the page has."""
    make = partial(_fragment, request, page, person, wanted_of(request.query))
    return fragment_response(request, await wait_for_news(request, make))


async def act_on_matches(request: ApiRequest, page: DeskPage, person: DeskPerson, form: Query) -> Response:
    """Do what the pressed button says to the liveblog that it names, or to all that are chosen."""
    try:
        done, refused = await act(request, page, person, form)
    except ServiceError as error:
        done, refused = 0, [refusal_text(page, error)]
    request.services[FragmentCache].forget()
    if refused:
        alert = " ".join([*([page.text("Done: {count}.", count=done)] if done else []), *refused])
        return await _page(request, page._replace(path=HOME), person, alert=alert, status=409)
    return redirect(request, own_path(form.get("back")))


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
        sport=query.get("sport", "")[:Q_LENGTH],
        q=query.get("q", "")[:Q_LENGTH],
        page=PAGE.of(query),
        limit=LIMIT.of(query),
    )


async def _fragment(request: ApiRequest, page: DeskPage, person: DeskPerson, wanted: TableFilter) -> KeptFragment:
    """The table as HTML, for a page at the address of the first one."""
    services, may_act = request.services, may_change(person)
    home = page._replace(path=HOME, up="")

    def people(liveblog: str) -> list[str]:
        return sorted({each.name for each in services[Attendance].others(liveblog, "")})

    async def make() -> str:
        now, allowed = services.clock(), services.settings.polling.silence_alarm
        answers = {} if services.last_answers is None else services.last_answers()
        sight = Sight(person.organization_id, answers, now, allowed)
        table = await services.store.read(partial(read_table, sight=sight, wanted=wanted))
        lines = LineMaker(home, now, allowed, people)
        return home.render(
            "matches_table.html",
            table=table,
            groups=[
                (name, words, table.counts.get(name), [lines.line(row) for row in table.rows if row.group == name])
                for name, words in GROUP_TEXTS.items()
            ],
            may_act=may_act,
            others=wanted.show == OTHERS,
            older=query_text(wanted._replace(page=wanted.page - 1)) if wanted.page > 1 else None,
            newer=query_text(wanted._replace(page=wanted.page + 1)) if table.more else None,
        )

    key = ("matches", person.organization_id, page.texts.locale, may_act, wanted)
    return await services[FragmentCache].get(key, make, anew=wants_anew(request))


def query_text(wanted: TableFilter) -> str:
    """The filter as the query of an address."""
    return urlencode({name: value for name, value in wanted._asdict().items() if value != ""})
