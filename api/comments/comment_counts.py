"""How many public comments the posts of a liveblog have, as feeds, deltas and pages say it."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from api.http import openapi
from api.http.conditional import cache_control
from api.http.errors import json_response
from api.view import delay
from api.view.liveblog_access import readable
from api.view.read_cache import ReadCache
from mapping.documents.comments import CommentCounts
from mapping.rules.public import post_is_public

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.responses import Response

    from api.http.json_path import Json
    from api.http.request import ApiRequest
    from api.view.delay import Sight
    from store.liveblogs.liveblogs import StoredGame

PATH = "/api/comments/v1/liveblog/{liveblogId}/counts.json"
NONE: Mapping[str, int] = MappingProxyType({})
COUNTS = openapi.operation(
    "comments.counts",
    "How many comments the posts of a liveblog have",
    "Comments",
    {200: openapi.documented(CommentCounts, "By post, those that have some"), **openapi.PUBLIC_ERRORS},
    parameters=[openapi.in_path("liveblogId"), delay.PARAMETER],
    security=openapi.OPEN,
)


async def counts_of(request: ApiRequest, game: StoredGame, seen: Sight) -> Mapping[str, int] | None:
    """The numbers by post, some seconds late; None where the organization takes no comments."""
    return await counts_in(request, game.organization_id, game.id, seen.at)


async def counts_in(
    request: ApiRequest, organization_id: str, game_id: str, at: int | None
) -> Mapping[str, int] | None:
    """The same of a liveblog by its ids. `at`: the moment that is seen."""
    if not request.services.settings.organization(organization_id).takes_comments:
        return None
    return await request.services[ReadCache].comment_counts(game_id, at)


def with_counts(document: Json, counts: Mapping[str, int] | None) -> Json:
    """The document with the number of comments in each published post of its `events`."""
    if counts is None:
        return document
    events = [
        {**each, "comments": counts.get(each["local_id"], 0)} if post_is_public(each["local_status"], None) else each
        for each in document["events"]
    ]
    return {**document, "events": events}


def numbers_of(counts: Mapping[str, int] | None) -> frozenset[tuple[str, int]] | None:
    """The numbers as a part of a cache's key."""
    return None if counts is None else frozenset(counts.items())


async def counts(request: ApiRequest) -> Response:
    """How many public comments the posts of a liveblog have (ours), up to five seconds late."""
    settings = request.services.settings
    seen = await delay.sight(request, request.path_params["liveblogId"], request.services[ReadCache].game)
    game = readable(seen.game, request.context.caller, public=settings.server.public_feeds)
    found = await counts_of(request, game, seen)
    return json_response({"counts": dict(found or NONE)}, headers={"Cache-Control": cache_control(settings)})
