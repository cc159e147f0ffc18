"""Fragments that open desks request again and again: each is made once for all who see the same."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Hashable
from typing import NamedTuple

from starlette.responses import Response

from api.desk.desk_frame import HEADERS
from api.http.caching import Rendering, SingleFlightCache, is_unchanged
from api.http.request import ApiRequest
from api.http.static import TYPES
from api.view.liveblog_reads import StepSignal

KEPT_SECONDS = 0.5
"""For so long what one desk was given is what others are given."""
HELD_SECONDS = 4.0
"""For so long a request waits for something new: half of what a browser or a proxy bears, and then it looks at all anew."""
MOST = 64


class KeptFragment(NamedTuple):
    """A fragment, when its making began, and what the first step since then sets: however late it was ready, it lacks that."""

    began: float
    step: asyncio.Event
    rendering: Rendering


class FragmentCache:
    """Fragments by all that they depend on: the organization, the language, what the person may do, the filter."""

    def __init__(self, monotonic: Callable[[], float], next_step: Callable[[], asyncio.Event]) -> None:
        """`next_step` gives what the next step of any liveblog sets (`StepSignal.next_step`)."""
        self._monotonic, self._next_step = monotonic, next_step
        self._kept: SingleFlightCache[KeptFragment] = SingleFlightCache(
            MOST, seconds=KEPT_SECONDS, since=lambda each: each.began, monotonic=monotonic
        )

    async def get(
        self, key: Hashable, make: Callable[[], Coroutine[None, None, str]], *, anew: bool = False
    ) -> KeptFragment:
        """The fragment, made by `make` unless it was made a moment ago; `anew`: also then, as the person has just written."""

        async def render() -> KeptFragment:
            began, step = self._monotonic(), self._next_step()
            return KeptFragment(began, step, Rendering.of((await make()).encode("utf-8", "replace")))

        if anew:
            self.forget()
        return await self._kept.get(key, render)

    def kept_for(self, found: KeptFragment) -> float:
        """Seconds for which the fragment is given to others still."""
        return max(0.0, found.began + KEPT_SECONDS - self._monotonic())

    def forget(self) -> None:
        """What is given next shows what was just written."""
        self._kept.forget()


def wants_anew(request: ApiRequest) -> bool:
    """Whether the page's script wants to see what it has just written."""
    return "no-cache" in request.headers.get("cache-control", "")


async def wait_for_news(request: ApiRequest, fragment: Callable[[], Awaitable[KeptFragment]]) -> Rendering:
    """The fragment once it is another one than the desk has, or after HELD_SECONDS as it is, for a query with `wait`.

    A step of any liveblog may change it, also one that came after the making of what is kept had begun. It is made anew as soon
    as that is not kept any more, which bounds how often it is made.
    """
    signal, cache, clock = (
        request.services[StepSignal],
        request.services[FragmentCache],
        asyncio.get_running_loop().time,
    )
    ends = clock() + (HELD_SECONDS if "wait" in request.query else 0)
    found = await fragment()
    while (
        clock() < ends
        and is_unchanged(request.headers, found.rendering.etag, None)
        and await signal.wait(ends - clock(), found.step)
    ):
        await asyncio.sleep(cache.kept_for(found))
        found = await fragment()
    return found.rendering


def fragment_response(request: ApiRequest, found: Rendering) -> Response:
    """The fragment, or 304 for a desk that has it."""
    headers = {**HEADERS, "ETag": found.etag}
    if is_unchanged(request.headers, found.etag, None):
        return Response(status_code=304, headers=headers)
    return Response(found.body, headers=headers, media_type=TYPES["html"])
