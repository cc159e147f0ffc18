"""What a newsroom does with comments: list, decide, ban readers, close channels, export. Scope `comments`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from api.comments.channel import as_moderated, liveblog_of_channel
from api.comments.comment_counts import CountedComments
from api.comments.comment_export import COLUMNS, export_comments
from api.comments.endpoint import LIMIT, NEXT
from api.http import openapi, table_export
from api.http.errors import json_response
from api.http.param import OneOf, Text, words
from api.http.table_export import TableFile
from api.media.proxy import ImageProxy
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
from store.comments import comments, moderation
from store.comments.tables import CommentStatus
from store.liveblogs.liveblogs import own_game

if TYPE_CHECKING:
    from sqlalchemy import Connection
    from starlette.responses import Response

    from api.http.request import ApiRequest
    from store.comments.comments import CommentPage, StoredComment
    from store.engine.unit import Unit

PATH = "/api/comments/v1/organization/{organizationId}"
ACTIONS = {
    "approve": CommentStatus.APPROVED,
    "reject": CommentStatus.REJECTED,
    "delete": CommentStatus.DELETED,
    "wait": CommentStatus.PENDING,
}
"""Action → the status that the comment has then; one that waits again has been decided by nobody."""
STATUS = OneOf("status", "Only comments that are", choices=words(tuple(map(str, CommentStatus))), default="")
OF_LIVEBLOG = Text("liveblogId", "Only comments of this liveblog")
OF_POST = Text("channel_id", "Only comments of this post")
ORGANIZATION = openapi.in_path("organizationId")
WRITE_REFUSALS = openapi.refusals(*openapi.OF_ALL, 401, 403, 404, 413, 422)
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
    {200: openapi.document_answer(ModeratedComment, "The comment as it is now"), **WRITE_REFUSALS},
    parameters=[ORGANIZATION, openapi.in_path("commentId")],
    body=openapi.json_body(openapi.request_schema(CommentDecision), {"action": "approve"}),
)
BAN = openapi.operation(
    "comments.ban",
    "Ban a reader, or let it in again",
    "Moderation",
    {200: openapi.document_answer(ReaderBan, "Whether the reader is banned"), **WRITE_REFUSALS},
    parameters=[ORGANIZATION, openapi.in_path("readerId")],
    body=openapi.json_body(openapi.request_schema(ReaderBanRequest), {"banned": True}),
)
CLOSE = openapi.operation(
    "comments.close",
    "Take no more comments of a post, or take them again",
    "Moderation",
    {200: openapi.document_answer(ChannelClosing, "Whether the channel is closed"), **WRITE_REFUSALS},
    parameters=[ORGANIZATION, openapi.in_path("channelId")],
    body=openapi.json_body(openapi.request_schema(ChannelClosingRequest), {"closed": True}),
)
FORMAT = table_export.format_parameter("jsonl")
EXPORT = openapi.operation(
    "comments.export",
    "All comments of a liveblog",
    "Moderation",
    {200: table_export.response("A row for each comment, in the order of their writing"), **openapi.READ_ERRORS},
    parameters=[
        ORGANIZATION,
        openapi.LIVEBLOG_IN_QUERY,
        FORMAT,
    ],
)


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
            game_id=own_game(conn, request.organization_id, name, field="liveblogId").id if name else None,
            channel_id=OF_POST.of(query) or None,
            limit=limit,
            after=NEXT.of(query) or None,
        )

    page = await services.store.read(read)
    return json_response(
        {
            "comments": [as_moderated(services, each) for each in page.comments],
            "next": page.comments[-1].id if page.more else None,
            "total": page.total,
        }
    )


async def moderate(request: ApiRequest) -> Response:
    """Approve, reject or delete a comment, or have it wait again (ours).

    What a person has decided is not hidden by reports any more.
    """
    decision = await request.document(CommentDecision)
    decided = await decide(request, request.organization_id, str(request.path_params["commentId"]), decision.action)
    return json_response(as_moderated(request.services, decided))


async def ban(request: ApiRequest) -> Response:
    """Ban a reader (ours): none of its comments is seen or taken any more; lifted, those that were approved come back."""
    reader_id, wanted = str(request.path_params["readerId"]), await request.document(ReaderBanRequest)
    await set_ban(request, request.organization_id, reader_id, banned=wanted.banned)
    return _shown(reader_id=reader_id, banned=wanted.banned)


async def decide(request: ApiRequest, organization_id: str, comment_id: str, action: str) -> StoredComment:
    """Do this to a comment of the organization, for the request's caller. Raises NotFound."""
    change = partial(
        moderation.decide,
        organization_id=organization_id,
        comment_id=comment_id,
        status=ACTIONS[action],
        client_id=request.caller.client_id,
    )
    decided = await request.services.store.write(change)
    _forget_kept(request)
    request.audit(f"comments.{action}", liveblog=decided.game_id, record=comment_id)
    return decided


async def set_ban(request: ApiRequest, organization_id: str, reader_id: str, *, banned: bool) -> None:
    """Ban a reader from the organization, or lift that, for the request's caller."""
    change = partial(
        moderation.ban,
        organization_id=organization_id,
        reader_id=reader_id,
        banned=banned,
        client_id=request.caller.client_id,
    )
    await request.services.store.write(change)
    _forget_kept(request)
    request.audit("comments.ban" if banned else "comments.unban", record=reader_id)


async def close(request: ApiRequest) -> Response:
    """Take no more comments of a post, or take them again (ours); those there are stay."""
    channel_id, wanted = request.path_params["channelId"], await request.document(ChannelClosingRequest)

    def write(unit: Unit) -> None:
        game = liveblog_of_channel(unit.conn, request.organization_id, channel_id, public=False)
        moderation.close(unit, game.id, channel_id, closed=wanted.closed, client_id=request.caller.client_id)

    await request.services.store.write(write)
    request.audit("comments.close" if wanted.closed else "comments.reopen", record=channel_id)
    return _shown(channel_id=channel_id, closed=wanted.closed)


async def export(request: ApiRequest) -> Response:
    """All comments of a liveblog but those that were deleted, as CSV or JSON Lines (ours). No cell of the CSV is a formula."""
    form, name = FORMAT.of(request.query), openapi.LIVEBLOG_IN_QUERY.of(request.query)
    if not name:
        raise InvalidRequest("liveblogId is missing", field="liveblogId")
    store = request.services.store
    game = await store.read(partial(own_game, organization_id=request.organization_id, name=name, field="liveblogId"))
    return TableFile(COLUMNS, form).response("comments", export_comments(store.read, game.id, form))


def _forget_kept(request: ApiRequest) -> None:
    """Lists and numbers of comments, and pictures of their authors, are looked up anew: no step of a liveblog says so."""
    request.services[CountedComments].note_moderation()
    if (images := request.services.find(ImageProxy)) is not None:
        images.forget()


def _shown(**fields: object) -> Response:
    return json_response(fields)
