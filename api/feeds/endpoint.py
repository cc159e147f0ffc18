"""The three feeds behind HTTP: who may read, which events, and whether anything has changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from api.conditional import conditional
from api.feeds import atom, jsonfeed, rss
from api.feeds.common import Feed, FeedRequest, build_feed, feed_request
from api.feeds.events import chosen_events
from api.reading import documents, readable_game
from api.references import complete

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Connection
    from starlette.responses import Response

    from api.context import Context
    from api.routing import ApiRequest, Handler
    from api.services import Services
    from store.liveblogs import StoredGame


@dataclass(frozen=True, slots=True)
class Format:
    """One feed format: how it is written and what it is called."""

    extension: str
    content_type: str
    render: Callable[[Feed], bytes]


FORMATS = (
    Format("rss", rss.CONTENT_TYPE, rss.render),
    Format("atom", atom.CONTENT_TYPE, atom.render),
    Format("json", jsonfeed.CONTENT_TYPE, jsonfeed.render),
)


def endpoint(form: Format) -> Handler:
    """The handler of one format."""

    async def respond(request: ApiRequest) -> Response:
        services, context, settings = request.services, request.context, request.services.settings
        wanted = feed_request(context.query, settings.feed_limit_max)
        now = services.clock()
        game, body = await _body(services, context, form, wanted, int(now))
        who = "public" if settings.public_feeds else "private"
        answer = conditional(
            request.headers,
            body,
            form.content_type,
            cache_control=f"{who}, max-age={settings.feed_max_age}",
            # What `delay` hides appears without any change of the liveblog, so its date says nothing then.
            modified=None if wanted.delay else game.updated_at,
            now=now,
        )
        if settings.public_feeds:
            answer.headers["Access-Control-Allow-Origin"] = "*"
        return answer

    return respond


async def _body(
    services: Services, context: Context, form: Format, request: FeedRequest, now: int
) -> tuple[StoredGame, bytes]:
    """The liveblog and its feed, rendered now or lately."""

    def readable(conn: Connection) -> StoredGame:
        public = services.settings.public_feeds
        return readable_game(conn, request.liveblog, context.caller, public=public, field="liveblogId")

    def load(conn: Connection) -> tuple[StoredGame, Feed]:
        game = readable(conn)
        events, more = chosen_events(conn, game.id, request, now)
        found = complete(conn, documents(events))
        return game, build_feed(
            game, found, request, public_url=services.settings.public_url, extension=form.extension, more=more
        )

    if request.delay:  # depends on the time of day
        game, feed = await services.store.read(load)
        return game, form.render(feed)
    game = await services.store.read(readable)
    body = context.rendered.get((form.extension, request, game.id, game.version))
    if body is None:
        game, feed = await services.store.read(load)
        body = context.rendered.put((form.extension, request, game.id, game.version), form.render(feed))
    return game, body
