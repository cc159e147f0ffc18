"""The desk's page of a liveblog, the parts of it that its script fetches again, and who else has it open."""

from __future__ import annotations

import asyncio
from functools import partial
from html import escape
from typing import NamedTuple
from urllib.parse import quote

from sqlalchemy import Connection
from starlette.responses import Response

from api.desk.attendance import Attendance
from api.desk.desk_frame import HEADERS, STATIC, DeskPage
from api.desk.fragment_cache import HELD_SECONDS
from api.desk.load_posts import DeskMatch, LoadedDesk, PostRequest, load_desk, load_match, load_post, mark_of
from api.desk.match_form import match_section
from api.desk.post_form import post_form
from api.desk.post_rows import PostRows
from api.http import static
from api.http.errors import json_response
from api.http.param import OneOf, Query
from api.http.request import ApiRequest, DeskPerson
from api.page.page import PageRenderer
from api.page.scoreboard import title
from api.view.liveblog_access import may_write_events
from api.view.read_cache import StepSignal
from config.sections import MediaConfig
from mapping.belief.doubts import identify
from mapping.desk.liveblog_text import LiveblogText
from mapping.desk.post_state import PostFilter
from store.engine.liveblog_records import StoredGame
from store.liveblogs.liveblogs import own_game

PATH = "/desk/liveblogs/{liveblogId}"
UP = "../.."
"""From the page to the root of the service; what its script fetches is put into it."""
KEYS = (
    ("n", LiveblogText.KEY_NEW),
    ("j", LiveblogText.KEY_NEXT),
    ("k", LiveblogText.KEY_PREVIOUS),
    ("e", LiveblogText.EDIT),
    ("p", LiveblogText.PUBLISH),
    ("x", LiveblogText.WITHDRAW),
    ("s", LiveblogText.PIN),
    ("u", LiveblogText.UNDO),
    ("g", LiveblogText.KEY_SCORE),
    ("Ctrl+Enter", LiveblogText.KEY_SEND),
    ("Esc", LiveblogText.KEY_CLOSE),
    ("?", LiveblogText.KEY_HELP),
)
SPOKEN = (
    "POSTED", "SAVED", "SAVED_FIELDS", "DID_PUBLISH", "DID_WITHDRAW", "DID_PIN", "DID_UNPIN", "DID_DELETE",
    "DID_SCHEDULE", "DID_DRAFT", "DID_UNSCHEDULE", "WRITE_AGAIN", "DID_WRITE_AGAIN",
    "DID_HAND_BACK", "DID_UNDO", "DID_UNDO_POST", "CHANGED_SINCE", "GONE_SINCE", "NOTHING_TO_UNDO", "UNDO",
    "FAILED", "OFFLINE", "PAGE_FAULT", "UNSENT_HERE", "MEANWHILE", "BOTH", "MINE_STANDS",
    "THEIRS_STANDS", "POST_GONE", "DELETE_SURE", "DELETE_FOR_GOOD",
    "UNSAVED", "SENDING", "UPLOADING", "UPLOADS_RUN", "UPLOAD_FAILED", "UPLOAD_OFFLINE",
    "NO_PICTURE", "TOO_LARGE", "TOO_MANY_DOTS",
    "TRY_AGAIN", "ALTERNATIVE_NEEDED",
    "LINK_ADDRESS", "ALSO_HERE", "WRITES", "EDITS_THIS", "LOST", "TEXT", "HEADLINE", "STANDS_OUT", "MINUTE", "EVENT_TYPE",
    "TEAM", "PLAYERS", "BESIDE_TEXT", "PUBLISH_AT", "SCORE", "STATE_OF_PLAY", "REMOVE", "OPTION",
    *(name for name in LiveblogText.__members__ if name.startswith(("WHOSE_", "AT_", "STEP_"))),
)  # fmt: skip
"""What the script says, by the names of the texts."""


class Opened(NamedTuple):
    """The liveblog that a request is about, what writes its parts, and the mark of what stood then."""

    game: StoredGame
    rows: PostRows
    mark: str

    @classmethod
    async def of(cls, request: ApiRequest, page: DeskPage, person: DeskPerson) -> Opened:
        """Raises NotFound for one that is not of the person's organization."""
        game, mark = await request.services.store.read(partial(_found, request, person))
        readers = PageRenderer.of(request.services).context(game, UP, f"{UP}/liveblogs/{quote(game.local_id, safe='')}")
        css = f"{UP}/static/{static.version('api.page.static')}/embed.css"
        writes = "write" in person.scopes and may_write_events(game, person)
        return cls(game, PostRows(page, readers, css, writes), mark)


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
    rows, match = opened.rows, loaded.match
    parts = (
        _head(opened, match),
        _bar(rows),
        f'<div id="match">{match_section(rows, match, request.services.clock())}</div>',
        '<section id="editor" class="card editor" hidden></section>',
        f'<h2 class="unseen">{rows.said(LiveblogText.POSTS)}</h2>',
        rows.filters(loaded, wanted),
        f'<div id="posts">{rows.html(loaded, wanted)}</div>',
        _legend(rows),
    )
    data = _data(opened, loaded, parts, request.services.settings.media, person.client_id)
    return page.old_response(title(match.document), f"{_files(page)}{data}")


async def show_posts(request: ApiRequest, page: DeskPage, person: DeskPerson) -> Response:
    """The posts and the match alone, as JSON; 204 where nothing has changed since `mark`."""
    opened, wanted = await Opened.of(request, page, person), _wanted(request.query)
    if opened.mark == request.query.get("mark"):
        return Response(None, 204, HEADERS)
    loaded = await _load(request, opened, person, wanted)
    match = match_section(opened.rows, loaded.match, request.services.clock())
    return _json({"mark": loaded.mark, "posts": opened.rows.html(loaded, wanted), "match": match})


async def show_form(request: ApiRequest, page: DeskPage, person: DeskPerson) -> Response:
    """The form of a new post, or of the one named `post`."""
    opened, name = await Opened.of(request, page, person), request.query.get("post", "")

    def read(conn: Connection) -> str:
        post = load_post(conn, opened.game, name) if name else None
        return post_form(opened.rows, load_match(conn, opened.game), post)

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


def _files(page: DeskPage) -> str:
    files = page.link(f"/desk/static/{static.version(STATIC)}")
    return (
        f'<link rel="stylesheet" href="{files}/liveblog.css">'
        f'<script type="module" src="{files}/liveblog-page.js"></script>'
    )


def _data(opened: Opened, loaded: LoadedDesk, parts: tuple[str, ...], media: MediaConfig, person: str) -> str:
    """All that the script needs, as attributes of what holds the page's parts."""
    texts = opened.rows.page.texts
    said = "".join(
        f' data-say-{name.lower().replace("_", "-")}="{escape(texts.text(LiveblogText[name]))}"' for name in SPOKEN
    )
    game = opened.game
    return (
        f'<div id="desk-liveblog" data-liveblog="{escape(game.local_id)}" data-organization="{escape(game.organization_id)}"'
        f' data-person="{escape(person)}"'
        f' data-version="{game.version}" data-mark="{escape(loaded.mark)}" data-writes="{int(opened.rows.writes)}"'
        f' data-picture-bytes="{media.image_bytes}" data-video-bytes="{media.video_bytes}"'
        f"{said}>{''.join(parts)}</div>"
    )


def _head(opened: Opened, match: DeskMatch) -> str:
    rows, external = opened.rows, match.external
    if external is None:
        follows = rows.said(LiveblogText.FOLLOWS_NOTHING)
    else:
        follows = rows.said(LiveblogText.FOLLOWS, provider=external["provider"])
    hidden = "" if opened.game.public else f'<p class="alert">{rows.said(LiveblogText.LIVEBLOG_HIDDEN)}</p>'
    only = "" if rows.writes else f'<p class="notice">{rows.said(LiveblogText.READ_ONLY)}</p>'
    link = (
        f'<a class="readers" href="{escape(rows.readers.url)}">{rows.said(LiveblogText.READERS_PAGE)}</a>'
        if opened.game.public
        else ""
    )
    return f'<p class="facts">{follows} {link}</p>{hidden}{only}<p id="also" class="facts" role="status"></p>'


def _bar(rows: PostRows) -> str:
    """What is always at hand: a new post, undo, and what has been done."""
    lost = f'<p id="lost" class="alert" hidden>{rows.said(LiveblogText.LOST)}</p>'
    if not rows.writes:
        return f'<div class="bar"><p id="said" role="status"></p>{lost}</div>'
    return (
        '<div class="bar">'
        f'<button type="button" id="new" class="main" aria-keyshortcuts="n">{rows.said(LiveblogText.NEW_POST)}</button>'
        f'<button type="button" id="undo" aria-keyshortcuts="u" disabled>{rows.said(LiveblogText.UNDO)}</button>'
        f'<button type="button" id="unsent" hidden>{rows.said(LiveblogText.UNSENT)}</button>'
        f'<p id="said" role="status"></p>{lost}</div>'
    )


def _legend(rows: PostRows) -> str:
    keys = "".join(f"<div><dt><kbd>{key}</kbd></dt><dd>{rows.said(name)}</dd></div>" for key, name in KEYS)
    box = (
        f'<label class="switch"><input type="checkbox" id="keys-on" checked> {rows.said(LiveblogText.KEYS_ON)}</label>'
    )
    name = rows.said(LiveblogText.KEYS)
    return f'<details id="keys" class="card"><summary>{name}</summary><dl class="keys">{keys}</dl>{box}</details>'
