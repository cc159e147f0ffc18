"""The archive: all liveblogs of the organization, found by words and by when they begin; admins end and delete them."""

from __future__ import annotations

from functools import partial
from typing import Any
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from sqlalchemy import Connection
from starlette.responses import Response

from api.desk.desk_frame import DeskPage, redirect
from api.desk.fragment_cache import FragmentCache
from api.desk.handlers import write_down
from api.desk.shared_texts import refusal_text
from api.http.json_path import Json, node, number
from api.http.param import Integer, OneOf, Query
from api.http.request import ApiRequest, DeskPerson, parse_document
from api.liveblogs import operations
from api.page.scoreboard import clock, title
from api.view.references import complete
from mapping.desk.account_roles import AccountRole
from mapping.documents.modification import PostModifications
from mapping.documents.scalars import liveblog_is_public
from mapping.documents.state import ENDED
from mapping.errors import Forbidden, ServiceError, StoreUnavailable
from mapping.liveblog.modifications import NO_SPORT
from mapping.rules.timeframe import Timeframe, span
from store.following.sources import NamedLiveblog
from store.liveblogs import listing
from store.liveblogs.listing import GameFilter, Page

ARCHIVE = "/desk/liveblogs"
ACT = f"{ARCHIVE}/act"
SHOWN, DEEPEST = 50, 1000
LONGEST = 200
TIMES: tuple[Timeframe, ...] = ("all", "past", "today", "future")
WHEN: OneOf[Timeframe] = OneOf("when", choices={each: each for each in TIMES}, default="all")
PAGE = Integer("page", low=1, high=DEEPEST, default=1)
STATE = "Svc::Model::GameStateInfo::"


async def show_archive(request: ApiRequest, page: DeskPage, person: DeskPerson) -> Response:
    """A page of the liveblogs that the query names, the newest first."""
    return await _page(request, page, person)


async def act_on_liveblog(request: ApiRequest, page: DeskPage, person: DeskPerson, form: Query) -> Response:
    """End or delete the liveblog that a button names. Raises Forbidden for whoever is no admin."""
    ends = "end" in form
    name = form.get("end") or form.get("delete") or ""
    if person.role != AccountRole.ADMIN:
        raise Forbidden(page.text("Only an admin ends and deletes liveblogs."))
    services = request.services
    try:
        game = await services.store.read(NamedLiveblog(name, person.organization_id).find)
        change = _ended(game.as_document()) if ends else {"_type": _modification("DeleteGame"), "local_status": 100}
        wanted = parse_document(PostModifications, {"local_id": game.local_id, "modifications": [change]})
        work = partial(operations.modify, wanted=wanted, caller=person, organizations=services.organizations)
        changed = await services.store.write(work, group_key=game.id)
    except StoreUnavailable:
        raise
    except ServiceError as error:
        return await _page(request, page._replace(path=ARCHIVE), person, alert=refusal_text(page, error))
    await write_down(request, person, "ticker.post_modifications", game.local_id, changed.version if changed else None)
    services[FragmentCache].forget()
    return redirect(request, f"{ARCHIVE}?{urlencode(_kept(form))}")


def _modification(kind: str) -> str:
    return f"Svc::Model::Modification::{kind}Modification"


def _ended(game: Json) -> dict[str, Any]:
    """The change after which the match, or the topic, is over."""
    plain = f"{STATE}TimeBasedGameStateInfo" if node(game, "options") else f"{STATE}BasicGameStateInfo"
    state = node(game, "state_info") or {"_type": plain}
    return {"_type": _modification("UpdateGameState"), "state_info": {**state, "gamestate": ENDED}}


def _kept(given: Query) -> dict[str, str]:
    return {name: given[name][:LONGEST] for name in ("q", "when", "page") if given.get(name)}


async def _page(request: ApiRequest, page: DeskPage, person: DeskPerson, *, alert: str = "") -> Response:
    services = request.services
    query: Query = {} if alert else request.query
    number_of_page = PAGE.of(query)
    when = span(WHEN.of(query), int(services.clock()), ZoneInfo(services.settings.server.timezone))
    wanted = GameFilter(owners=[person.organization_id], q=query.get("q", "")[:LONGEST], start=when.start, end=when.end)
    rows, more = await services.store.read(partial(_listed, wanted=wanted, page=Page(SHOWN, number_of_page)))
    return page.response(
        "archive.html",
        409 if alert else 200,
        alert=alert,
        wanted=_kept(query),
        liveblogs=[_row(page, each, services.clock()) for each in rows],
        number=number_of_page,
        more=more,
        link=lambda **changes: f"{page.link(ARCHIVE)}?{urlencode({**_kept(query), **changes})}",
        is_admin=person.role == AccountRole.ADMIN,
    )


def _listed(conn: Connection, wanted: GameFilter, page: Page) -> tuple[list[Json], bool]:
    """The liveblogs as readers see them, without posts, and whether there are more."""
    found = listing.liveblogs(conn, wanted, page)
    documents = complete(conn, [game.as_document() for game in found.records])
    return documents, found.total > page.offset + len(documents)


def _row(page: DeskPage, game: Json, now: float) -> dict[str, Any]:
    state = clock(game, page.texts, now)
    return {
        "local_id": game["local_id"],
        "title": title(game),
        "begins": number(game, "meta_info", "starts_at") or number(game, "created_at"),
        "state": "" if state is None else state.label,
        "can_end": game.get("sportstype") != NO_SPORT and number(game, "state_info", "gamestate") != ENDED,
        "hidden": not liveblog_is_public(int(game["local_status"])),
    }
