"""When the posts of a liveblog came about, for people who hear that a goal was late."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from api.external.endpoint import PATH, TAG, named_liveblog
from api.http.errors import json_response
from api.http.openapi import READ_ERRORS, document_answer, operation
from api.http.param import Text
from api.view.post_times import timeline_of
from mapping.documents.timeline import PostTimelines

if TYPE_CHECKING:
    from sqlalchemy import Connection
    from starlette.responses import Response

    from api.http.json_path import Json
    from api.http.request import ApiRequest
    from store.following.connection import NamedLiveblog

POST = Text("eventId", "One post by its `local_id`")
SHOW = operation(
    "liveblog.timeline",
    "Show when posts were said, seen, believed, committed and delivered",
    TAG,
    {200: document_answer(PostTimelines, "The posts that the sync wrote, those written last first"), **READ_ERRORS},
    parameters=[*PATH, POST],
)


async def show(request: ApiRequest) -> Response:
    """The timeline of the liveblog's posts, or of one (ours: timeline)."""
    named, post = named_liveblog(request), POST.of(request.query) or None
    found = await request.services.store.read(partial(_timeline, named, post))
    return json_response(found, headers={"Cache-Control": "no-store"})


def _timeline(named: NamedLiveblog, post: str | None, conn: Connection) -> Json:
    return timeline_of(conn, named.find(conn), post)
