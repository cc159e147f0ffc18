"""The feeds over HTTP, in three formats: a request comes in, its posts go out, or 304 where nothing has changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from sqlalchemy import Connection
from starlette.responses import Response

from api.capabilities import extras_of
from api.feeds.feed import Feed, build_feed, with_extras
from api.feeds.feed_selection import (
    AFTER,
    INCLUDE_AFTER,
    LIMIT,
    SORT,
    THEME_PARAMETERS,
    FeedRequest,
    UnknownThemes,
    feed_request,
    feed_url,
    hub_links,
    hub_of,
)
from api.feeds.formats import ATOM_TYPE, JSON_TYPE, RSS_TYPE, JsonFeed, render_atom, render_json, render_rss
from api.http import openapi
from api.http.caching import cache_control, conditional
from api.http.json_path import Json
from api.http.param import TEXT, Param
from api.http.request import ApiRequest
from api.http.routing import Handler
from api.view.liveblog_reads import DELAY, ReadCache, read_view
from config import Settings


@dataclass(frozen=True, slots=True)
class Format:
    """One feed format: how it is written and what it is called."""

    extension: str
    content_type: str
    render: Callable[[Feed], bytes]


FEED_PARAMETERS: list[Param] = [
    openapi.LIVEBLOG_IN_QUERY,
    LIMIT,
    SORT,
    AFTER,
    INCLUDE_AFTER,
    DELAY,
    *THEME_PARAMETERS,
]
ANY_ORIGIN = {"Access-Control-Allow-Origin": "*"}
FORMATS = (
    Format("rss", RSS_TYPE, render_rss),
    Format("atom", ATOM_TYPE, render_atom),
    Format("json", JSON_TYPE, render_json),
)


def feed_operation(form: Format) -> Json:
    """The feed as the OpenAPI document describes it."""
    kind = form.content_type.partition(";")[0]
    content = (
        openapi.json_content(openapi.response_schema(JsonFeed))
        if form.extension == "json"
        else {kind: {"schema": TEXT}}
    )
    summary = f"A liveblog as {form.extension}"
    return openapi.operation(
        f"feed.{form.extension}",
        summary,
        "Feeds",
        {200: {"description": summary, "content": content}, **openapi.NOT_MODIFIED, **openapi.READ_ERRORS},
        parameters=FEED_PARAMETERS,
        security=(*openapi.SECURITY, *openapi.PUBLIC),
    )


def endpoint(form: Format) -> Handler:
    """The handler of one format."""

    async def respond(request: ApiRequest) -> Response:
        services, context, settings = request.services, request.context, request.services.settings
        wanted = feed_request(context.query, settings)
        services[UnknownThemes].count(context.query, wanted.theme, services.clock())
        reads = services[ReadCache]
        view, game = await read_view(request, wanted.liveblog, field="liveblogId")
        extras = await extras_of(services, game.organization_id, game.id, view.at)

        def render(conn: Connection) -> bytes:
            return form.render(with_extras(build_feed(conn, game.id, wanted, services, form.extension), extras))

        key = ("feed", form.extension, game.id, game.version, wanted, *(each.key for each in extras))
        return conditional(
            request.headers,
            await reads.body(key, render, view, request.accept_encoding),
            form.content_type,
            cache_control=cache_control(settings),
            modified=max([game.updated_at, *(each.changed for each in extras)]),
            now=min([view.now, *(each.read_at for each in extras)]),
            more=partial(_headers, form, settings, wanted, game.local_id),
        )

    return respond


def _headers(form: Format, settings: Settings, wanted: FeedRequest, local_id: str) -> dict[str, str]:
    """What others may do with the feed of this liveblog: read it from their pages, subscribe to it."""
    hub_url = hub_of(settings, local_id, wanted)
    if hub_url is None:
        return ANY_ORIGIN if settings.server.public_feeds else {}
    self_url = feed_url(settings.public_url, form.extension, wanted, after=None)
    return {**ANY_ORIGIN, "Link": hub_links(hub_url, self_url)}
