"""The queue of comments: what waits, what was decided, and deciding with one key."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from html import escape
from typing import NamedTuple
from urllib.parse import quote, urlencode

from sqlalchemy import Connection
from starlette.responses import Response

from api.comments import operations
from api.desk.desk_frame import DeskPage, alert_html, pager_html, redirect
from api.desk.fragment_cache import FragmentCache, fragment_response, wants_anew
from api.http.caching import Rendering
from api.http.param import Integer, OneOf, Query, words
from api.http.request import ApiRequest, DeskPerson, PeopleDoor, parse_document
from mapping.comments.documents import CommentDecision
from mapping.desk.comments_text import CommentsText
from mapping.desk.desk_text import DeskText
from mapping.desk.own_path import own_path
from mapping.errors import Forbidden, InvalidRequest, ServiceError
from store.accounts import accounts
from store.comments import comments, moderation
from store.comments.comments import CommentPage, StoredComment
from store.comments.tables import CommentStatus
from store.liveblogs.liveblogs import own_game

COMMENTS = "/desk/comments"
LISTED = f"{COMMENTS}/list"
ACT = f"{COMMENTS}/act"
MOST, SHOWN = 100, 30
STATUSES = {
    CommentStatus.PENDING: CommentsText.PENDING,
    CommentStatus.HIDDEN: CommentsText.HIDDEN,
    CommentStatus.APPROVED: CommentsText.APPROVED,
    CommentStatus.REJECTED: CommentsText.REJECTED,
}
"""Those that are shown; of deleted ones nothing is left to show."""
DECISIONS = {"approve": CommentsText.APPROVE, "reject": CommentsText.REJECT}
KEYS = (
    ("j", CommentsText.KEY_NEXT),
    ("k", CommentsText.KEY_PREVIOUS),
    ("a", CommentsText.APPROVE),
    ("r", CommentsText.REJECT),
    ("b", CommentsText.BAN),
    ("z", CommentsText.UNDO),
)


class QueueFilter(NamedTuple):
    """What is listed; an empty liveblog means all of them, an empty `next` the first page."""

    status: str = CommentStatus.PENDING
    liveblog: str = ""
    next: str = ""
    limit: int = SHOWN


class CommentQueue(NamedTuple):
    """A page of the queue. `liveblogs`: `local_id` and title by `ticker_id`; `people`: names of accounts by their ids."""

    page: CommentPage
    counts: Mapping[str, int]
    banned: frozenset[str]
    liveblogs: Mapping[str, tuple[str, str]]
    people: Mapping[str, str]


async def show_comments(request: ApiRequest, page: DeskPage, person: DeskPerson) -> Response:
    """The page."""
    return await _page(request, page, person)


async def comments_fragment(request: ApiRequest, page: DeskPage, person: DeskPerson) -> Response:
    """The queue alone, for the script of the page."""
    person.demand("comments")
    return fragment_response(request, await _fragment(request, page, person, filter_of(request.query)))


async def act_on_comment(request: ApiRequest, page: DeskPage, person: DeskPerson, form: Query) -> Response:
    """Decide about the comment, or about the reader, whom a button of the queue names, where no script does so."""
    try:
        await _do(request, person, form)
    except (InvalidRequest, Forbidden):
        raise
    except ServiceError:
        return await _page(request, page, person, alert=page.text(CommentsText.FAILED), status=409)
    request.services[FragmentCache].forget()
    return redirect(request, own_path(form.get("back")))


STATUS = OneOf("status", choices=words(tuple(map(str, STATUSES))), default=QueueFilter().status)
LIMIT = Integer("limit", low=1, high=MOST, default=SHOWN)


def filter_of(query: Query) -> QueueFilter:
    """What a query asks to be listed. Raises InvalidRequest."""
    return QueueFilter(
        status=STATUS.of(query),
        liveblog=query.get("liveblogId", "")[:255],
        next=query.get("next", "")[:64],
        limit=LIMIT.of(query),
    )


async def _do(request: ApiRequest, person: DeskPerson, form: Query) -> None:
    """Do what the pressed button stands for: the name of its field is the action, its value whom it is about."""
    person.demand("comments")
    services, owner = request.services, person.organization_id
    for action in DECISIONS:
        if action in form:
            decision = parse_document(CommentDecision, {"action": action, "status": form.get("status") or None})
            decided = await operations.decide(services, person, owner, form[action], decision)
            request.audit(f"comments.{action}", liveblog=decided.game_id, record=decided.id)
            await services[PeopleDoor].record(person, "comments.moderate", request.context.written or "")
            return
    for field, banned in (("ban", True), ("unban", False)):
        if field in form:
            await operations.set_ban(services, person, owner, form[field], banned=banned)
            request.audit(f"comments.{field}", record=form[field])
            await services[PeopleDoor].record(person, "comments.ban", form[field])
            return
    raise InvalidRequest("the form names nothing to do")


async def _page(
    request: ApiRequest, page: DeskPage, person: DeskPerson, *, alert: str = "", status: int = 200
) -> Response:
    heading = page.texts.text(CommentsText.COMMENTS)
    if "comments" not in person.scopes:
        return page.old_response(heading, f"<p>{page.text(CommentsText.NO_RIGHT)}</p>", 403)
    wanted = filter_of(request.query)
    found = await _fragment(request, page, person, wanted)
    said = alert_html(alert)
    texts = {
        "approve": CommentsText.DID_APPROVE,
        "reject": CommentsText.DID_REJECT,
        "ban": CommentsText.DID_BAN,
        "undo": CommentsText.DID_UNDO,
        "nothing": CommentsText.NOTHING_TO_UNDO,
        "failed": CommentsText.FAILED,
    }
    data = "".join(f' data-{name}="{page.text(text)}"' for name, text in texts.items())
    keys = "".join(f"<li><kbd>{key}</kbd> {page.text(text)}</li>" for key, text in KEYS)
    body = (
        f"{said}{page.row_form(ACT, f'{COMMENTS}?{_query(wanted)}', status=wanted.status)}"
        f'<div class="bar"><p id="said" class="said" role="status"{data}></p>'
        f'<button id="undo" class="plain" hidden>{page.text(CommentsText.UNDO)}</button></div>'
        f'<div id="comments" data-organization="{escape(person.organization_id)}" data-etag="{escape(found.etag)}"'
        f' data-query="{escape(_query(wanted))}">{found.body.decode()}</div>'
        f'<section class="card keys" aria-label="{page.text(CommentsText.KEYS)}"><ul>{keys}</ul></section>'
    )
    return page.old_response(heading, body, status, scripts=("comments.js",))


async def _fragment(request: ApiRequest, page: DeskPage, person: DeskPerson, wanted: QueueFilter) -> Rendering:
    services, here = request.services, page._replace(path=COMMENTS, up="../")

    async def make() -> str:
        found = await services.store.read(partial(_read, organization_id=person.organization_id, wanted=wanted))
        return _queue(here, found, wanted)

    key = ("comments", person.organization_id, page.texts.locale, wanted)
    return (await services[FragmentCache].get(key, make, anew=wants_anew(request))).rendering


def _read(conn: Connection, organization_id: str, wanted: QueueFilter) -> CommentQueue:
    game = own_game(conn, wanted.liveblog, (organization_id,), field="liveblogId") if wanted.liveblog else None
    game_id = None if game is None else game.id
    page = comments.list_comments(
        conn,
        organization_id,
        status=wanted.status,
        game_id=game_id,
        channel_id=None,
        limit=wanted.limit,
        after=wanted.next or None,
    )
    readers = {each.reader_id for each in page.comments}
    names = {each.game_id for each in page.comments} | ({game_id} if game_id else set())
    return CommentQueue(
        page=page,
        counts=moderation.counts_by_status(conn, organization_id, game_id, [str(each) for each in STATUSES]),
        banned=moderation.banned_readers(conn, organization_id, readers),
        liveblogs=moderation.liveblogs_named(conn, names),
        people=accounts.names_of(conn, {each.moderated_by for each in page.comments if each.moderated_by}),
    )


def _queue(page: DeskPage, found: CommentQueue, wanted: QueueFilter) -> str:
    rows = "".join(_comment(page, each, found) for each in found.page.comments)
    listed = f'<ol class="queue">{rows}</ol>' if rows else f"<p>{page.text(CommentsText.NONE)}</p>"
    return f"{_tabs(page, found, wanted)}{_scope(page, found, wanted)}{listed}{_pager(page, found, wanted)}"


def _tabs(page: DeskPage, found: CommentQueue, wanted: QueueFilter) -> str:
    links = ""
    for status, name in STATUSES.items():
        current = ' aria-current="page"' if status == wanted.status else ""
        address = f"{page.link(COMMENTS)}?{escape(_query(wanted._replace(status=status, next='')))}"
        number = found.counts.get(status, 0)
        count = f"{number}" if number < moderation.COUNTED else f"{moderation.COUNTED - 1}+"
        links += f'<li><a href="{address}"{current}>{page.text(name)} <b>{count}</b></a></li>'
    return f'<nav class="tabs" aria-label="{page.text(CommentsText.STATUSES)}"><ul>{links}</ul></nav>'


def _scope(page: DeskPage, found: CommentQueue, wanted: QueueFilter) -> str:
    if not wanted.liveblog:
        return ""
    title = next((title for name, title in found.liveblogs.values() if name == wanted.liveblog), wanted.liveblog)
    address = f"{page.link(COMMENTS)}?{escape(_query(wanted._replace(liveblog='', next='')))}"
    return (
        f'<p class="hint" dir="auto">{page.text(CommentsText.OF_LIVEBLOG)} {escape(title)} · '
        f'<a href="{address}">{page.text(CommentsText.ALL_LIVEBLOGS)}</a></p>'
    )


def _comment(page: DeskPage, each: StoredComment, found: CommentQueue) -> str:
    local_id, title = found.liveblogs.get(each.game_id, ("", ""))
    author = escape(each.author_name) if each.author_name else f"<i>{page.text(CommentsText.ANONYMOUS)}</i>"
    banned = each.reader_id in found.banned
    marks = [
        f'<strong class="bad">{page.text(CommentsText.BANNED)}</strong>' if banned else "",
        page.text(CommentsText.REPLY) if each.parent_id else "",
        page.text(CommentsText.LIKES, count=each.likes) if each.likes else "",
        page.text(CommentsText.REPORTS, count=each.reports) if each.reports else "",
        _decided(page, each, found),
    ]
    of = f"{page.link(COMMENTS)}?{escape(urlencode({'status': each.status, 'liveblogId': local_id}))}"
    about = " · ".join(filter(None, marks))
    name = f"comment-{escape(each.id)}"
    return (
        f'<li data-key="{escape(each.id)}" data-reader="{escape(each.reader_id)}" data-status="{escape(each.status)}"'
        f' tabindex="-1" aria-labelledby="{name}"><article>'
        f'<p class="facts" id="{name}"><b dir="auto">{author}</b> · {page.time(each.created_at)}'
        f' · <a href="{of}" dir="auto">{escape(title)}</a></p>'
        f'<p class="text" dir="auto">{escape(each.text)}</p>'
        f'<p class="hint">{about}</p>{_buttons(page, each, banned=banned)}</article></li>'
    )


def _decided(page: DeskPage, each: StoredComment, found: CommentQueue) -> str:
    by = each.moderated_by
    return page.text(CommentsText.DECIDED_BY, person=found.people.get(by, by)) if by else ""


def _buttons(page: DeskPage, each: StoredComment, *, banned: bool) -> str:
    of_status = {CommentStatus.APPROVED: "approve", CommentStatus.REJECTED: "reject"}
    done = next((name for status, name in of_status.items() if status == each.status), "")
    shown = [_button(page, name, each.id, text, each.id) for name, text in DECISIONS.items() if name != done]
    field, text = ("unban", CommentsText.UNBAN) if banned else ("ban", CommentsText.BAN)
    shown.append(_button(page, field, each.reader_id, text, each.id))
    return f'<p class="acts">{"".join(shown)}</p>'


def _button(page: DeskPage, name: str, value: str, text: CommentsText, comment_id: str) -> str:
    kind = "" if name == "approve" else ' class="plain"'
    return (
        f'<button{kind} form="act" name="{name}" value="{escape(value)}" aria-describedby="comment-{escape(comment_id)}">'
        f"{page.text(text)}</button>"
    )


def _pager(page: DeskPage, found: CommentQueue, wanted: QueueFilter) -> str:
    def address(next_: str) -> str:
        return f"{page.link(COMMENTS)}?{escape(_query(wanted._replace(next=next_)))}"

    links = [(address(""), page.text(DeskText.PREVIOUS_PAGE))] if wanted.next else []
    if found.page.more:
        links.append((address(found.page.comments[-1].id), page.text(DeskText.NEXT_PAGE)))
    return pager_html(links)


def _query(wanted: QueueFilter) -> str:
    fields = {"status": wanted.status, "liveblogId": wanted.liveblog, "next": wanted.next, "limit": str(wanted.limit)}
    return urlencode({name: value for name, value in fields.items() if value}, quote_via=quote)
