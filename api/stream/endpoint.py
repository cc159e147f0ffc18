"""A liveblog's changes as server-sent events: `id` is the version, so `Last-Event-ID` resumes without loss."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from api.capabilities import LIVE
from api.feeds.feed_selection import THEMED_PAGE, theme_of
from api.http import openapi
from api.http.json_path import Json
from api.http.param import TEXT, Flag, Integer, Query
from api.http.request import CONNECTION, ApiRequest
from api.liveblogs.delta import NEWEST
from api.liveblogs.stream_messages import as_json, body_part
from api.page.liveblog_page import PageChanges, PageRenderer
from api.page.load_liveblog import SHOW
from api.stream.channel import UNKNOWN, StreamRequest
from api.stream.streams import Streams
from api.view.liveblog_access import read_liveblog, readable
from api.view.liveblog_reads import DELAY, view_of
from mapping.documents.game import GameShowResponse
from mapping.errors import StoreUnavailable

BEATS = {False: b": still here\n\n", True: b"event: beat\ndata: still here\n\n"}
"""What is sent in silence, to readers of JSON and to pages: a page's script does not hear comments."""
NAME = "liveblogId"
HEADERS = {"Cache-Control": "no-store", "Content-Type": "text/event-stream; charset=utf-8", "X-Accel-Buffering": "no"}
RAW_HEADERS = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
UPDATE: Json = {
    "type": "object",
    "required": ["event", "data"],
    "properties": {
        "id": {"type": "string", "pattern": "^[0-9]{1,15}$"},
        "event": {"enum": ["update", *(each.event for each in LIVE), "beat"]},
        "data": {
            "type": "string",
            "contentMediaType": "application/json",
            "contentSchema": {
                "anyOf": [
                    openapi.response_schema(kind)
                    for kind in (GameShowResponse, PageChanges, *(each.document for each in LIVE))
                ]
            },
        },
    },
}
"""What an event is depends on the capabilities, and its data are JSON within text: no type says either."""
REFRESH = Integer("refresh", f"{openapi.KNOWN_VERSION}; `Last-Event-ID` goes before it", high=NEWEST)
HTML = Flag("html", "The parts of the page that change, as HTML; `beat` in silence instead of a comment")
STREAM = openapi.operation(
    "ticker.stream",
    "A liveblog's changes as server-sent events",
    "Pages",
    {
        200: {
            "description": "Events `update`: `id` is the version, `data` a `GameShowResponse`; events `poll`: `data` is a"
            " `PollResults`. The schema is that of one event",
            "content": {"text/event-stream": {"schema": UPDATE}},
        },
        **openapi.PUBLIC_ERRORS,
    },
    parameters=[
        openapi.LIVEBLOG_IN_QUERY,
        REFRESH,
        HTML,
        SHOW,
        *THEMED_PAGE,
        DELAY,
        {
            "name": "Last-Event-ID",
            "in": "header",
            "description": "The `id` of the last event that was received",
            "required": False,
            "schema": TEXT,
        },
    ],
    security=openapi.OPEN,
)


async def watch(request: ApiRequest) -> Response:
    """Follow a liveblog (ours: Pages and embed, stream)."""
    services, context, public = request.services, request.context, request.services.settings.server.public_feeds
    name = read_liveblog(context.query, NAME)
    since = known_version(context.query, request.headers.get("last-event-id"))
    for_page = HTML.of(context.query)

    if (streams := services.find(Streams)) is None:
        raise StoreUnavailable("the service is going down", retry_after=1)
    view = await view_of(request, name, streams.find)
    game = readable(view.game, context.caller, public=public, field=NAME)
    if request.method == "HEAD":
        return Response(None, headers=HEADERS)
    theme = theme_of(context.query, services.settings.themes)
    form = PageRenderer.of(services, view.delay, SHOW.of(context.query), theme) if for_page else as_json
    since = 0 if view.has_lost else since
    wanted = StreamRequest(game.id, game.version, since, form, BEATS[for_page], view.delay)
    return EventStream(streams, wanted)


def known_version(query: Query, last_event_id: str | None) -> int:
    """The version that the reader has: `Last-Event-ID` goes before `refresh`; one that is no version counts as none."""
    refresh = REFRESH.of(query)
    if last_event_id is None or not (last_event_id.isascii() and last_event_id.isdigit() and len(last_event_id) <= 15):
        return refresh
    return int(last_event_id)


class EventStream(Response):
    """Has a reader sent what happens, until the response ends or the reader goes away."""

    def __init__(self, streams: Streams, wanted: StreamRequest) -> None:
        super().__init__()
        self._streams = streams
        self._wanted = wanted

    def init_headers(self, headers: Mapping[str, str] | None = None) -> None:
        """Thousands of streams share theirs."""
        del headers
        self.raw_headers = RAW_HEADERS

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        await send(body_part(b"retry: 2000\n\n"))
        connection = scope.get("state", {}).get(CONNECTION, UNKNOWN)
        reader = self._streams.join(self._wanted, send, connection)
        try:
            while (await receive())["type"] != "http.disconnect":  # so it is called too when the response has ended
                pass
        finally:
            self._streams.leave(reader)
