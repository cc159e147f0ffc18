"""The desk's page of a liveblog, the parts of it that its script fetches again, and who else has it open."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import NamedTuple
from urllib.parse import quote

from sqlalchemy import Connection
from starlette.responses import Response

from api.desk.attendance import Attendance
from api.desk.desk_frame import HEADERS, DeskPage
from api.desk.fragment_cache import HELD_SECONDS
from api.desk.load_posts import LoadedDesk, PostRequest, load_desk, load_match, load_post, mark_of
from api.desk.match_form import match_section
from api.desk.post_form import post_form
from api.desk.post_rows import DeskView, posts_html
from api.http.errors import json_response
from api.http.param import OneOf, Query
from api.http.request import ApiRequest, DeskPerson
from api.page.liveblog_page import PageRenderer
from api.page.scoreboard import title
from api.view.liveblog_access import may_write_events
from api.view.liveblog_reads import StepSignal
from mapping.belief.doubts import identify
from mapping.desk.post_state import PostFilter
from mapping.locales import msgid
from store.engine.liveblog_records import StoredGame
from store.liveblogs.liveblogs import own_game

PATH = "/desk/liveblogs/{liveblogId}"
UP = "../.."
"""From the page to the root of the service; what its script fetches is put into it."""
FILTERS = {
    PostFilter.ALL: msgid("All"),
    PostFilter.DRAFTS: msgid("Drafts"),
    PostFilter.SCHEDULED: msgid("Scheduled"),
    PostFilter.CHANGED: msgid("Withdrawn or corrected"),
    PostFilter.MINE: msgid("Mine"),
}


class Opened(NamedTuple):
    """The liveblog that a request is about, what its parts are written with, and the mark of what stood then."""

    game: StoredGame
    view: DeskView
    mark: str

    @classmethod
    async def of(cls, request: ApiRequest, page: DeskPage, person: DeskPerson) -> Opened:
        """Raises NotFound for one that is not of the person's organization."""
        game, mark = await request.services.store.read(partial(_found, request, person))
        readers = PageRenderer.of(request.services).context(game, UP, f"{UP}/liveblogs/{quote(game.local_id, safe='')}")
        writes = "write" in person.scopes and may_write_events(game, person)
        return cls(game, DeskView(page, readers, writes), mark)


def _found(request: ApiRequest, person: DeskPerson, conn: Connection) -> tuple[StoredGame, str]:
    """The liveblog of the request, and its mark. Raises NotFound for one that is not of the person's organization."""
    game = own_game(conn, str(request.path_params["liveblogId"]), person.organizations)
    return game, mark_of(conn, game)


SHOW = OneOf("show", choices={str(each): each for each in PostFilter}, default=PostFilter.ALL)


def _wanted(query: Query) -> PostRequest:
    return PostRequest(SHOW.of(query), query.get("after", ""), query.get("to", ""))


async def show_liveblog(request: ApiRequest, page: DeskPage, person: DeskPerson) -> Response:
    """The page."""
    opened, wanted = await Opened.of(request, page, person), _wanted(request.query)
    loaded = await _load(request, opened, person, wanted)
    view, match = opened.view, loaded.match
    return page.response(
        "liveblog.html",
        title=title(match.document),
        game=opened.game,
        loaded=loaded,
        wanted=wanted,
        writes=view.writes,
        media=request.services.settings.media,
        external=match.external,
        readers_page=view.readers.url,
        filters=FILTERS,
        match=match_section(view, match, request.services.clock()),
        form=post_form(view, match, None) if view.writes else "",
        posts=posts_html(view, loaded, wanted),
    )


async def show_posts(request: ApiRequest, page: DeskPage, person: DeskPerson) -> Response:
    """The posts and the match alone, as JSON; 204 where nothing has changed since `mark`."""
    opened, wanted = await Opened.of(request, page, person), _wanted(request.query)
    if opened.mark == request.query.get("mark"):
        return Response(None, 204, HEADERS)
    loaded = await _load(request, opened, person, wanted)
    match = match_section(opened.view, loaded.match, request.services.clock())
    return _json({"mark": loaded.mark, "posts": posts_html(opened.view, loaded, wanted), "match": match})


async def show_form(request: ApiRequest, page: DeskPage, person: DeskPerson) -> Response:
    """The form of a new post, or of the one named `post`."""
    opened, name = await Opened.of(request, page, person), request.query.get("post", "")

    def read(conn: Connection) -> str:
        post = load_post(conn, opened.game, name) if name else None
        return post_form(opened.view, load_match(conn, opened.game), post)

    return _json({"form": await request.services.store.read(read)})


async def report_open(request: ApiRequest, _page: DeskPage, person: DeskPerson, form: Query) -> Response:
    """Says that the page is open, and what is edited in it; answers who else is here, and the mark of the posts.

    With `wait` it answers once either is not what the page has (`mark`, `people`) any more, or after HELD_SECONDS.
    """
    own = f"{person.session_id} {form.get('page', '')[:40]}"
    pages, signal = request.services[Attendance], request.services[StepSignal]
    step = signal.next_step()  # of any liveblog: which one this is, the look says
    game, mark = await request.services.store.read(partial(_found, request, person))
    if form.get("closed"):
        changed = pages.leave(game.id, own)
    else:
        changed = pages.report(game.id, own, person.client_id, person.name, form.get("post", ""))
    if changed:
        signal.wake([game.id])
    if not step.is_set():
        step = signal.next_step(game.id)
    clock = asyncio.get_running_loop().time
    ends = clock() + (HELD_SECONDS if form.get("wait") else 0)
    while clock() < ends and (mark, _people(pages, game.id, own)) == (form.get("mark"), form.get("people")):
        if not await signal.wait(ends - clock(), step):
            ends = 0.0
        step = signal.next_step(game.id)
        game, mark = await request.services.store.read(partial(_found, request, person))
    people = [{"name": each.name, "post": each.post} for each in pages.others(game.id, own)]
    return _json({"mark": mark, "people": people, "seen": _people(pages, game.id, own)})


def _people(pages: Attendance, liveblog: str, own: str) -> str:
    """A short text that is another one once somebody else has come, gone, or edits another post."""
    return identify(tuple((each.name, each.post) for each in pages.others(liveblog, own)))


async def _load(request: ApiRequest, opened: Opened, person: DeskPerson, wanted: PostRequest) -> LoadedDesk:
    now = request.services.clock()

    def read(conn: Connection) -> LoadedDesk:
        game = own_game(conn, opened.game.id, person.organizations)
        return load_desk(conn, game, person.client_id, wanted, now)

    return await request.services.store.read(read)


def _json(document: dict[str, object]) -> Response:
    response: Response = json_response(document)
    response.headers.update(HEADERS)
    return response
