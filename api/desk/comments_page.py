"""The queue of comments: what waits, what was decided, and deciding with one key."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import NamedTuple
from urllib.parse import quote, urlencode

from markupsafe import Markup
from sqlalchemy import Connection
from starlette.responses import Response

from api.comments import operations
from api.desk.desk_frame import DeskPage, redirect
from api.desk.fragment_cache import FragmentCache, fragment_response, wants_anew
from api.http.caching import Rendering
from api.http.param import Integer, OneOf, Query, words
from api.http.request import ApiRequest, DeskPerson, PeopleDoor, parse_document
from mapping.comments.documents import CommentDecision
from mapping.desk.cross_site import own_path
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
STATUSES = (CommentStatus.PENDING, CommentStatus.HIDDEN, CommentStatus.APPROVED, CommentStatus.REJECTED)
"""Those that are shown; of deleted ones nothing is left to show."""
DECISIONS = ("approve", "reject", "wait")


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
        await decide_comment(request, person, form)
    except (InvalidRequest, Forbidden):
        raise
    except ServiceError:
        return await _page(request, page, person, alert=page.text("That did not work. Please try again."), status=409)
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


async def decide_comment(request: ApiRequest, person: DeskPerson, form: Query) -> None:
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
    if "comments" not in person.scopes:
        return page.response("comments_forbidden.html", 403)
    wanted = filter_of(request.query)
    found = await _fragment(request, page, person, wanted)
    return page.response(
        "comments.html",
        status,
        alert=alert,
        wanted=wanted,
        query=_query(wanted),
        queue=Markup(found.body.decode()),  # noqa: S704 -- made by a template
        etag=found.etag,
    )


async def _fragment(request: ApiRequest, page: DeskPage, person: DeskPerson, wanted: QueueFilter) -> Rendering:
    services, here = request.services, page._replace(path=COMMENTS, up="../")

    async def make() -> str:
        found = await services.store.read(partial(_read, organization_id=person.organization_id, wanted=wanted))
        titles = (title for name, title in found.liveblogs.values() if name == wanted.liveblog)
        last = found.page.comments[-1].id if found.page.more else None
        return here.render(
            "comments_queue.html",
            wanted=wanted,
            found=found,
            tabs=[_tab(found, wanted, status) for status in STATUSES],
            liveblog=next(titles, wanted.liveblog),
            all_liveblogs=_query(wanted._replace(liveblog="", next="")),
            comments=found.page.comments,
            first=_query(wanted._replace(next="")) if wanted.next else None,
            next=None if last is None else _query(wanted._replace(next=last)),
        )

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


def _tab(found: CommentQueue, wanted: QueueFilter, status: CommentStatus) -> tuple[str, str, str]:
    """A state of comments, the query that lists them, and how many there are."""
    return status, _query(wanted._replace(status=status, next="")), _counted(found.counts.get(status, 0))


def _counted(number: int) -> str:
    return f"{number}" if number < moderation.COUNTED else f"{moderation.COUNTED - 1}+"


class WaitingComment(NamedTuple):
    """A comment that nobody has decided about, and the `local_id` and title of its liveblog."""

    comment: StoredComment
    liveblog: str
    title: str


def waiting_comments(conn: Connection, organization_id: str, limit: int) -> list[WaitingComment]:
    """Comments of the organization that nobody has decided about, the newest first."""
    found = comments.list_comments(
        conn, organization_id, status=CommentStatus.PENDING, game_id=None, channel_id=None, limit=limit, after=None
    ).comments
    names = moderation.liveblogs_named(conn, {each.game_id for each in found})
    return [WaitingComment(each, *names.get(each.game_id, ("", ""))) for each in found]


def count_waiting(conn: Connection, organization_id: str) -> str:
    """How many there are, at least."""
    counts = moderation.counts_by_status(conn, organization_id, None, [CommentStatus.PENDING])
    return _counted(counts.get(CommentStatus.PENDING, 0))


def _query(wanted: QueueFilter) -> str:
    fields = {"status": wanted.status, "liveblogId": wanted.liveblog, "next": wanted.next, "limit": str(wanted.limit)}
    return urlencode({name: value for name, value in fields.items() if value}, quote_via=quote)
