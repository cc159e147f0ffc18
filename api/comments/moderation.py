"""What a newsroom does with comments: list, decide, ban readers, close channels, export. Scope `comments`."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from functools import partial

from sqlalchemy import Connection
from starlette.responses import Response

from api.comments import operations
from api.comments.endpoint import LIMIT, NEXT
from api.comments.operations import as_moderated
from api.http import openapi
from api.http.capability import FILE_FORMAT, Read, Row, TableFile, file_answer
from api.http.errors import json_response
from api.http.json_path import rfc3339
from api.http.param import OneOf, Text, words
from api.http.request import ApiRequest
from mapping.comments.documents import (
    ChannelClosing,
    ChannelClosingRequest,
    CommentDecision,
    ModeratedComment,
    ModeratedCommentCollection,
    ReaderBan,
    ReaderBanRequest,
)
from mapping.errors import InvalidRequest
from store.comments import comments
from store.comments.comments import CommentPage, StoredComment
from store.comments.tables import CommentStatus
from store.liveblogs.liveblogs import own_game

PATH = "/api/comments/v1/organization/{organizationId}"
STATUS = OneOf("status", "Only comments that are", choices=words(tuple(map(str, CommentStatus))), default="")
OF_LIVEBLOG = Text("liveblogId", "Only comments of this liveblog")
OF_POST = Text("channel_id", "Only comments of this post")
ORGANIZATION = openapi.in_path("organizationId")
LIST = openapi.operation(
    "comments.list",
    "Comments to moderate",
    "Moderation",
    {200: openapi.document_answer(ModeratedCommentCollection, "Comments, newest first"), **openapi.READ_ERRORS},
    parameters=[
        ORGANIZATION,
        STATUS,
        OF_LIVEBLOG,
        OF_POST,
        LIMIT,
        NEXT,
    ],
)
MODERATE = openapi.operation(
    "comments.moderate",
    "Approve, reject or delete a comment, or have it wait again",
    "Moderation",
    {
        200: openapi.document_answer(ModeratedComment, "The comment as it is now"),
        **openapi.CHANGE_ERRORS,
        **openapi.refusals(409),
    },
    parameters=[ORGANIZATION, openapi.in_path("commentId")],
    body=openapi.json_body(openapi.request_schema(CommentDecision), {"action": "approve"}),
)
BAN = openapi.operation(
    "comments.ban",
    "Ban a reader, or let it in again",
    "Moderation",
    {200: openapi.document_answer(ReaderBan, "Whether the reader is banned"), **openapi.CHANGE_ERRORS},
    parameters=[ORGANIZATION, openapi.in_path("readerId")],
    body=openapi.json_body(openapi.request_schema(ReaderBanRequest), {"banned": True}),
)
CLOSE = openapi.operation(
    "comments.close",
    "Take no more comments of a post, or take them again",
    "Moderation",
    {200: openapi.document_answer(ChannelClosing, "Whether the channel is closed"), **openapi.CHANGE_ERRORS},
    parameters=[ORGANIZATION, openapi.in_path("channelId")],
    body=openapi.json_body(openapi.request_schema(ChannelClosingRequest), {"closed": True}),
)
FORMAT = replace(FILE_FORMAT, default="jsonl")
EXPORT = openapi.operation(
    "comments.export",
    "All comments of a liveblog",
    "Moderation",
    {200: file_answer("A row for each comment, in the order of their writing"), **openapi.READ_ERRORS},
    parameters=[
        ORGANIZATION,
        openapi.LIVEBLOG_IN_QUERY,
        FORMAT,
    ],
)
COLUMNS = (
    "id",
    "channel_id",
    "parent_id",
    "created_at",
    "reader_id",
    "author_name",
    "text",
    "status",
    "likes",
    "reports",
)
PAGE = 500


async def list_comments(request: ApiRequest) -> Response:
    """Comments of the organization's liveblogs, whatever their status (ours)."""
    services, query = request.services, request.query
    limit, status = LIMIT.of(query), STATUS.of(query) or None

    def read(conn: Connection) -> CommentPage:
        name = OF_LIVEBLOG.of(query)
        return comments.list_comments(
            conn,
            request.organization_id,
            status=status,
            game_id=own_game(conn, name, (request.organization_id,), field="liveblogId").id if name else None,
            channel_id=OF_POST.of(query) or None,
            limit=limit,
            after=NEXT.of(query) or None,
        )

    page = await services.store.read(read)
    return json_response(operations.page_document(page, partial(as_moderated, services)))


async def moderate(request: ApiRequest) -> Response:
    """Approve, reject or delete a comment, or have it wait again (ours).

    What a person has decided is not hidden by reports any more.
    """
    comment_id, decision = str(request.path_params["commentId"]), await request.document(CommentDecision)
    decided = await operations.decide(request.services, request.caller, request.organization_id, comment_id, decision)
    request.audit(f"comments.{decision.action}", liveblog=decided.game_id, record=comment_id)
    return json_response(as_moderated(request.services, decided))


async def ban(request: ApiRequest) -> Response:
    """Ban a reader (ours): none of its comments is seen or taken any more; lifted, those that were approved come back."""
    reader_id, wanted = str(request.path_params["readerId"]), await request.document(ReaderBanRequest)
    await operations.set_ban(request.services, request.caller, request.organization_id, reader_id, banned=wanted.banned)
    request.audit("comments.ban" if wanted.banned else "comments.unban", record=reader_id)
    return json_response({"reader_id": reader_id, "banned": wanted.banned})


async def close(request: ApiRequest) -> Response:
    """Take no more comments of a post, or take them again (ours); those there are stay."""
    channel_id, wanted = request.path_params["channelId"], await request.document(ChannelClosingRequest)
    await operations.close(request.services, request.caller, request.organization_id, channel_id, closed=wanted.closed)
    request.audit("comments.close" if wanted.closed else "comments.reopen", record=channel_id)
    return json_response({"channel_id": channel_id, "closed": wanted.closed})


async def export(request: ApiRequest) -> Response:
    """All comments of a liveblog but those that were deleted, as CSV or JSON Lines (ours). No cell of the CSV is a formula."""
    form, name = FORMAT.of(request.query), openapi.LIVEBLOG_IN_QUERY.of(request.query)
    if not name:
        raise InvalidRequest("liveblogId is missing", field="liveblogId")
    store = request.services.store
    game = await store.read(partial(own_game, name=name, organizations=(request.organization_id,), field="liveblogId"))
    return TableFile(COLUMNS, form).response("comments", export_comments(store.read, game.id, form))


async def export_comments(read: Read, game_id: str, form: str) -> AsyncIterator[str]:
    """The file of a liveblog in parts, in the order of writing, each read when it is wanted."""
    file = TableFile(COLUMNS, form)
    yield file.head()
    after = 0
    while found := await read(partial(comments.read_for_export, game_id=game_id, after=after, limit=PAGE)):
        yield file.text([_row(each) for each in found])
        after = found[-1].serial


def _row(comment: StoredComment) -> Row:
    return {name: getattr(comment, name) for name in COLUMNS} | {"created_at": rfc3339(comment.created_at)}
