"""Counts the public comments of a liveblog's posts, for feeds, deltas and pages; some seconds late."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from cachetools import TTLCache
from starlette.responses import Response

from api.http import openapi
from api.http.caching import FlightGroup, cache_control
from api.http.capability import PostExtras
from api.http.errors import json_response
from api.http.request import ApiRequest, Services
from api.view.liveblog_reads import DELAY, read_view
from mapping.comments.documents import CommentCounts
from store.comments import comments
from store.database import Store
from store.engine.unit import Stepped

PATH = "/api/comments/v1/liveblog/{liveblogId}/counts.json"
COUNTED = 5
"""Seconds for which the numbers of comments are kept: a comment steps no version."""
GAMES = 10_000
"""Liveblogs of which they are kept."""
COUNTS = openapi.operation(
    "comments.counts",
    "How many comments the posts of a liveblog have",
    "Comments",
    {200: openapi.document_answer(CommentCounts, "By post, those that have some"), **openapi.PUBLIC_ERRORS},
    parameters=[openapi.in_path("liveblogId"), DELAY],
    security=openapi.OPEN,
)


class CountedComments:
    """How many public comments posts have, and how often comments were taken down: what one process knows of it."""

    def __init__(self, store: Store, clock: Callable[[], float], monotonic: Callable[[], float]) -> None:
        self._store, self._clock = store, clock
        self._once = FlightGroup()
        self._counts: TTLCache[str, dict[int | None, PostExtras]] = TTLCache(GAMES, COUNTED, timer=monotonic)
        self.moderations = 0
        """How often comments were taken down or put back in this process, which steps no liveblog."""
        store.on_step(self._hear)

    def note_moderation(self) -> None:
        """What readers see of comments has changed."""
        self.moderations += 1
        self._counts.clear()

    async def of(self, game_id: str, at: int | None) -> PostExtras:
        """The number of public comments of each post of the liveblog that has some, up to COUNTED seconds late.

        `at`: those written before that moment.
        """
        until = None if at is None else at - at % COUNTED
        known = self._counts.get(game_id)
        if known is None:
            known = self._counts[game_id] = {}  # a step that comes while it is filled drops it
        if until not in known:
            known[until] = await self._once((id(known), until), partial(self._read, game_id, until))
        return known[until]

    def _hear(self, stepped: Stepped) -> None:
        """Posts with comments may have been taken down, or put back."""
        if stepped is None:
            self._counts.clear()
            return
        for game_id in stepped:
            self._counts.pop(game_id, None)

    async def _read(self, game_id: str, until: int | None) -> PostExtras:
        now = self._clock()
        counted = await self._store.read(partial(comments.counts, game_id=game_id, until=until), at=until)
        return PostExtras("comments", counted.numbers, "Svc::Model::EventComments", counted.changed, now)


async def extras(services: Services, organization_id: str, game_id: str, at: int | None) -> PostExtras | None:
    """The numbers by post, some seconds late; None where the organization takes no comments."""
    if not services.settings.organization(organization_id).takes_comments:
        return None
    return await services[CountedComments].of(game_id, at)


async def counts(request: ApiRequest) -> Response:
    """How many public comments the posts of a liveblog have (ours), up to five seconds late."""
    settings = request.services.settings
    view, game = await read_view(request, request.path_params["liveblogId"])
    found = await extras(request.services, game.organization_id, game.id, view.at)
    return json_response(
        {"counts": dict(found.numbers if found else {})}, headers={"Cache-Control": cache_control(settings)}
    )
