"""What readers do with comments: read, write, like, report."""

from __future__ import annotations

import secrets
from functools import partial

from sqlalchemy import Connection
from starlette.responses import Response

from api.comments.comment_counts import CountedComments
from api.comments.operations import allows_comments, as_read, liveblog_of_channel, page_document
from api.http import openapi
from api.http.caching import cache_control, conditional
from api.http.errors import json_bytes, json_response
from api.http.param import KEY, Integer, Text, idempotency_key
from api.http.request import ApiRequest
from api.readers.request_reader import PARAMETER, check_readers_organization, known_reader, reader
from api.view.liveblog_reads import DELAY, DelayedView, ReadCache, moment_seen, public_delay, requested_delay
from mapping.comments.documents import (
    CommentCollection,
    CommentDraft,
    CommentLike,
    CommentLikes,
    CommentReported,
    ReaderComment,
)
from mapping.errors import Forbidden
from mapping.readers.reader_token import network_id
from mapping.rules.plain_text import comment_text
from store.comments import comments
from store.comments.comments import CommentPage, NewComment, StoredComment
from store.comments.tables import CommentStatus
from store.engine.unit import Unit

PATH = "/api/comments/v1/owner/{ORGANIZATION_ID}/public/{CHANNEL_ID}/comments"
DEFAULT_LIMIT = 50
MOST = 100
LAG = 1.0
"""Seconds for which what all readers see of a channel is kept."""
PERSONAL = {"Vary": "Authorization, Reader-Token"}

CHANNEL = [openapi.in_path("ORGANIZATION_ID"), openapi.in_path("CHANNEL_ID"), PARAMETER]
LIMIT = Integer("limit", "Comments a page", low=1, high=MOST, default=DEFAULT_LIMIT)
NEXT = Text("next", "The last comment of the page before")
INDEX = openapi.operation(
    "comments.index",
    "The comments of a post",
    "Comments",
    {
        200: openapi.document_answer(CommentCollection, "Public comments, newest first, replies among them"),
        **openapi.NOT_MODIFIED,
        **openapi.PUBLIC_ERRORS,
    },
    parameters=[*CHANNEL, LIMIT, NEXT, DELAY],
    security=openapi.OPEN,
)
CREATE = openapi.operation(
    "comments.create",
    "Comment on a post",
    "Comments",
    {
        200: openapi.document_answer(ReaderComment, "The comment; `pending` until somebody approves it"),
        **openapi.CHANGE_ERRORS,
        **openapi.refusals(409),
    },
    parameters=[*CHANNEL, KEY, DELAY],
    body=openapi.json_body(openapi.request_schema(CommentDraft), {"text": "What a goal!"}),
    security=openapi.OPEN,
)
LIKE = openapi.operation(
    "comments.like",
    "Like a comment, or take the like back",
    "Comments",
    {200: openapi.document_answer(CommentLikes, "The likes of the comment"), **openapi.CHANGE_ERRORS},
    parameters=[*CHANNEL, openapi.in_path("commentId"), DELAY],
    body=openapi.json_body(openapi.request_schema(CommentLike), {"liked": True}),
    security=openapi.OPEN,
)
REPORT = openapi.operation(
    "comments.report",
    "Report a comment to those who moderate",
    "Comments",
    {200: openapi.document_answer(CommentReported, "The report is taken"), **openapi.CHANGE_ERRORS},
    parameters=[*CHANNEL, openapi.in_path("commentId"), DELAY],
    security=openapi.OPEN,
)


async def index(request: ApiRequest) -> Response:
    """The comments of a post (interface: Comments). With a reader's token its own that wait for approval are among them."""
    services, settings = request.services, request.services.settings
    organization_id, channel_id = _channel(request)
    who = known_reader(request, organization_id)
    limit, after = LIMIT.of(request.query), NEXT.of(request.query) or None
    view = _view(request, organization_id)
    shown = settings.organization(organization_id).takes_comments

    def render(conn: Connection) -> bytes:
        liveblog_of_channel(conn, organization_id, channel_id)
        reader_id = None if who is None else who.id
        read = partial(comments.public_page, conn, channel_id, limit=limit, after=after, until=view.at)
        page = read(reader_id=reader_id) if shown else CommentPage((), more=False, total=0)
        return json_bytes(page_document(page, partial(as_read, services, personal=who is not None)))

    if who is not None:
        body = await services.store.read(render, at=view.at)
        return Response(body, headers=PERSONAL, media_type="application/json")
    reads = request.services[ReadCache]
    now = int(services.clock() // LAG), reads.steps, services[CountedComments].moderations
    key = ("comments", organization_id, channel_id, limit, after, now)
    kept = await reads.body(key, render, view, request.accept_encoding)
    return conditional(request.headers, kept, "application/json", cache_control=cache_control(settings), more=PERSONAL)


async def create(request: ApiRequest) -> Response:
    """Comment on a post, or reply to a comment (ours), with a reader's token. The same `Idempotency-Key` writes it once."""
    services, settings = request.services, request.services.settings
    organization_id, channel_id = _channel(request)
    who, mode = await reader(request, organization_id), settings.organization(organization_id).comments
    await _check_seen(request, organization_id, channel_id)
    if mode == "off":
        raise Forbidden("this organization takes no comments")
    draft = await request.document(CommentDraft)
    text = comment_text(draft.text, text_length=settings.comments.text_length, max_links=settings.comments.max_links)
    key, comment_id = idempotency_key(request.headers), secrets.token_hex(12)

    def write(unit: Unit) -> StoredComment:
        game = liveblog_of_channel(unit.conn, organization_id, channel_id)
        if not allows_comments(game):
            raise Forbidden("this liveblog takes no comments")
        new = NewComment(
            id=comment_id,
            organization_id=organization_id,
            game_id=game.id,
            channel_id=channel_id,
            parent_id=draft.parent_id or None,
            reader_id=who.id,
            author_name=who.name,
            author_image=who.image,
            text=text,
            status=CommentStatus.PENDING if mode == "pre" else CommentStatus.APPROVED,
            idempotency_key=key,
        )
        return comments.create(unit, new, duplicate_period=settings.comments.duplicate_period)

    return json_response(as_read(services, await services.store.write(write), personal=True))


async def like(request: ApiRequest) -> Response:
    """Like a comment, or take the like back (ours): once a reader, with a reader's token."""
    organization_id, channel_id = _channel(request)
    who = await reader(request, organization_id)
    await _check_seen(request, organization_id, channel_id)
    wanted = await request.document(CommentLike)

    def write(unit: Unit) -> int:
        liveblog_of_channel(unit.conn, organization_id, channel_id)
        return comments.like(unit, channel_id, request.path_params["commentId"], who.id, liked=wanted.liked)

    return json_response({"likes": await request.services.store.write(write), "liked": wanted.liked})


async def report(request: ApiRequest) -> Response:
    """Report a comment to those who moderate (ours): once a reader, with a reader's token. Reports of many networks hide it."""
    settings = request.services.settings
    organization_id, channel_id = _channel(request)
    who = await reader(request, organization_id)
    comment_id = request.path_params["commentId"]
    network = network_id(request.services.keys.reader_ids, comment_id, request.network)
    await _check_seen(request, organization_id, channel_id)

    def write(unit: Unit) -> None:
        liveblog_of_channel(unit.conn, organization_id, channel_id)
        comments.report(
            unit,
            channel_id,
            comment_id,
            who.id,
            network=network,
            hide_after_reports=settings.comments.hide_after_reports,
        )

    await request.services.store.write(write)
    request.services[CountedComments].note_moderation()
    return json_response({"reported": True})


def _channel(request: ApiRequest) -> tuple[str, str]:
    """The ids of organization and channel. Raises NotFound where the caller may not read what the organization publishes."""
    organization_id: str = request.path_params["ORGANIZATION_ID"]
    check_readers_organization(request, organization_id)
    return organization_id, request.path_params["CHANNEL_ID"]


async def _check_seen(request: ApiRequest, organization_id: str, channel_id: str) -> None:
    """Raise NotFound where a delayed reader does not see the post yet; whether it is public now is for the unit to say."""
    at = _view(request, organization_id).at
    if at is not None:
        find = partial(liveblog_of_channel, organization_id=organization_id, channel_id=channel_id)
        await request.services.store.read(find, at=at)


def _view(request: ApiRequest, organization_id: str) -> DelayedView:
    """As of when the caller sees the organization's liveblogs."""
    settings, now = request.services.settings, request.services.clock()
    late = max(requested_delay(request), public_delay(organization_id, settings, request.context.caller))
    return DelayedView(None, late, now - late, moment_seen(now, late))
