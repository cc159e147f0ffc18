"""Fragments that open desks request again and again: each is made once for all who see the same."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from cachetools import TTLCache
from starlette.responses import Response

from api.desk.desk_frame import HEADERS
from api.http.conditional import is_unchanged
from api.http.flight_group import FlightGroup
from api.http.rendered import Rendering
from api.http.static import TYPES
from api.http.step_signal import StepSignal

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Hashable

    from api.http.request import ApiRequest

KEPT_SECONDS = 0.5
"""For so long what one desk was given is what others are given."""
HELD_SECONDS = 4.0
"""For so long a request waits for something new: half of what a browser or a proxy bears, and then it looks at all anew."""
MOST = 64


class FragmentCache:
    """Fragments by all that they depend on: the organization, the language, what the person may do, the filter."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._kept: TTLCache[Hashable, Rendering] = TTLCache(MOST, KEPT_SECONDS, timer=monotonic)
        self._making = FlightGroup()

    async def get(
        self, key: Hashable, make: Callable[[], Coroutine[None, None, str]], *, anew: bool = False
    ) -> Rendering:
        """The fragment, made by `make` unless it was made a moment ago; `anew`: also then, as the person has just written."""
        found: Rendering | None = None if anew else self._kept.get(key)
        if found is not None:
            return found

        async def render() -> Rendering:
            made = Rendering.of((await make()).encode("utf-8", "replace"))
            self._kept[key] = made
            return made

        return await (render() if anew else self._making(key, render))

    def forget(self) -> None:
        """What is made next shows what was just written."""
        self._kept.clear()


def wants_anew(request: ApiRequest) -> bool:
    """Whether the page's script wants to see what it has just written."""
    return "no-cache" in request.headers.get("cache-control", "")


async def wait_for_news(request: ApiRequest, fragment: Callable[[], Awaitable[Rendering]]) -> Rendering:
    """The fragment once it is another one than the desk has, or after HELD_SECONDS as it is, for a query with `wait`.

    A step of any liveblog may change it. What is kept may have been made just before that step, so it is made after a pause,
    which also bounds how often it is made.
    """
    found, signal = await fragment(), request.services[StepSignal]
    clock = asyncio.get_running_loop().time
    ends = clock() + (HELD_SECONDS if "wait" in request.query else 0)
    while is_unchanged(request.headers, found.etag, None) and await signal.wait(ends - clock()):
        await asyncio.sleep(KEPT_SECONDS)
        found = await fragment()
    return found


def fragment_response(request: ApiRequest, found: Rendering) -> Response:
    """The fragment, or 304 for a desk that has it."""
    headers = {**HEADERS, "ETag": found.etag}
    if is_unchanged(request.headers, found.etag, None):
        return Response(status_code=304, headers=headers)
    return Response(found.body, headers=headers, media_type=TYPES["html"])
