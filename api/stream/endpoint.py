"""A liveblog's changes as server-sent events: `id` is the version, so `Last-Event-ID` resumes without loss."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from starlette.responses import Response

from api import openapi
from api.liveblog_access import NO_LIVEBLOG, read_liveblog, watchable_game
from api.liveblogs.delta import NEWEST
from api.page.changes import CHANGES, AsPage
from api.request import boolean, integer
from api.stream.streams import as_json
from mapping.documents.game import GameShowResponse
from mapping.documents.scalars import LocalStatus
from mapping.errors import NotFound, StoreUnavailable

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from sqlalchemy import Connection
    from starlette.types import Receive, Scope, Send

    from api.json_path import Json
    from api.request import ApiRequest, Query
    from api.stream.streams import Message
    from store.liveblogs import StoredGame

HEARTBEAT = 15.0
"""Seconds of silence after which a comment is sent, so that nobody on the way takes the connection for dead."""
LIFETIME = 900.0
"""Seconds after which a stream ends; the reader comes back and is let in anew, or not."""
BEATS = {False: b": still here\n\n", True: b"event: beat\ndata: still here\n\n"}
"""What is sent in silence, to readers of JSON and to pages: a page's script does not hear comments."""
NAME = "liveblogId"
HEADERS = {"Cache-Control": "no-store", "Content-Type": "text/event-stream; charset=utf-8", "X-Accel-Buffering": "no"}
UPDATE: Json = {
    "type": "object",
    "required": ["event", "data"],
    "properties": {
        "id": {"type": "string", "pattern": "^[0-9]{1,15}$"},
        "event": {"enum": ["update", "beat"]},
        "data": {
            "type": "string",
            "contentMediaType": "application/json",
            "contentSchema": {"anyOf": [openapi.response_schema(GameShowResponse), CHANGES]},
        },
    },
}
STREAM = openapi.operation(
    "ticker.stream",
    "A liveblog's changes as server-sent events",
    "Pages",
    {
        200: {
            "description": "Events `update`: `id` is the version, `data` a `GameShowResponse`; the schema is that of one event",
            "content": {"text/event-stream": {"schema": UPDATE}},
        },
        **openapi.PUBLIC_ERRORS,
    },
    parameters=[
        openapi.query("liveblogId", openapi.LIVEBLOG, openapi.NAME, required=True),
        openapi.query("refresh", f"{openapi.KNOWN_VERSION}; `Last-Event-ID` goes before it", openapi.VERSION),
        openapi.query(
            "html",
            "The parts of the page that change, as HTML; `beat` in silence instead of a comment",
            openapi.BOOLEAN,
        ),
        {
            "name": "Last-Event-ID",
            "in": "header",
            "description": "The `id` of the last event that was received",
            "required": False,
            "schema": openapi.TEXT,
        },
    ],
    security=openapi.OPEN,
)


async def watch(request: ApiRequest) -> Response:
    """Follow a liveblog (ours: Pages and embed, stream)."""
    services, context, public = request.services, request.context, request.services.settings.public_feeds
    name = read_liveblog(context.query, NAME)
    since = known_version(context.query, request.headers.get("last-event-id"))
    for_page = boolean(context.query, "html")

    def watched(conn: Connection) -> StoredGame:
        return watchable_game(conn, name, context.caller, public=public, field=NAME)

    game = await services.store.read(watched)
    if game.local_status != LocalStatus.PUBLISHED:
        raise NotFound(NO_LIVEBLOG, field=NAME)
    if services.streams is None:
        raise StoreUnavailable("the service is going down", retry_after=1)
    if request.method == "HEAD":
        return Response(None, headers=HEADERS)
    form = AsPage(services.clock) if for_page else as_json
    return EventStream(services.streams.messages(game, since, form), BEATS[for_page])


def known_version(query: Query, last_event_id: str | None) -> int:
    """The version that the reader has: `Last-Event-ID` goes before `refresh`; one that is no version counts as none."""
    refresh = integer(query, "refresh", 0, low=0, high=NEWEST)
    if last_event_id is None or not (last_event_id.isascii() and last_event_id.isdigit() and len(last_event_id) <= 15):
        return refresh
    return int(last_event_id)


class EventStream(Response):
    """Sends messages until they end or the reader goes away."""

    def __init__(self, messages: AsyncGenerator[Message | None], beat: bytes) -> None:
        super().__init__(None, headers=HEADERS)
        del self.headers["content-length"]
        self._messages = messages
        self._beat = beat

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        del scope
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        pouring = asyncio.create_task(self._pour(send))
        leaving = asyncio.create_task(_gone(receive))
        await asyncio.wait({pouring, leaving}, return_when=asyncio.FIRST_COMPLETED, timeout=LIFETIME)
        stayed = not leaving.done()
        for task in (pouring, leaving):
            task.cancel()
        await asyncio.gather(pouring, leaving, return_exceptions=True)
        if stayed:
            await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _pour(self, send: Send) -> None:
        """Each message as it comes; in between a heartbeat, without which nobody would notice a dead connection."""
        await _send(send, b"retry: 2000\n\n")
        coming: asyncio.Task[Message | None] | None = None
        try:
            while True:
                coming = coming or asyncio.ensure_future(anext(self._messages))
                await asyncio.wait({coming}, timeout=HEARTBEAT)
                if not coming.done():
                    await _send(send, self._beat)
                    continue
                message, coming = coming.result(), None
                if message is not None:
                    await _send(send, b"id: %d\nevent: update\ndata: %b\n\n" % (message.version, message.body))
        except StopAsyncIteration:
            return
        finally:
            if coming is not None:
                coming.cancel()
                await asyncio.gather(coming, return_exceptions=True)
            await self._messages.aclose()


async def _send(send: Send, body: bytes) -> None:
    """Wait until the reader has room for more; the server lets go of one that never has, and sending ends then too."""
    await send({"type": "http.response.body", "body": body, "more_body": True})


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
