"""Keeps rendered bodies and sends them: each is made once at a time, compressed, and answered by 304 where the client has it.

What is kept in a content coding holds no secret, whatever of the request it repeats, so its compressed length gives none away.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import math
import re
import time
from collections.abc import Callable, Coroutine, Hashable, Mapping
from dataclasses import dataclass, field
from email.utils import format_datetime, parsedate_to_datetime
from functools import lru_cache, partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Generic, TypeVar

from cachetools import TLRUCache
from starlette.datastructures import Headers
from starlette.responses import Response

from api.http.json_path import instant
from config import Settings

OVERHEAD = 4096
"""Bytes that an entry takes beside its body, about."""


SMALLEST = 1024
"""Bytes below which a body fits into one packet anyway."""
GZIP_LEVEL, BROTLI_QUALITY = 6, 5
_WEIGHTED = re.compile(r"\s*([A-Za-z0-9*_-]+)\s*(?:;\s*[Qq]\s*=\s*([01](?:\.[0-9]{0,3})?)\s*)?")


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Rendering:
    """A body, its strong validator, and the responses that were made of it, by status, date and `Cache-Control`."""

    body: bytes
    etag: str
    coding: str | None = field(default=None, compare=False)
    """The content coding, empty for none; None of a body that is never coded."""
    responses: dict[tuple[int, str | None, str], Response] = field(default_factory=dict, compare=False)

    @classmethod
    def of(cls, body: bytes, coding: str | None = None) -> Rendering:
        return cls(body, f'"{hashlib.sha256(body).hexdigest()[:32]}"', coding)


def rendering_size(rendering: Rendering) -> int:
    """The bytes that it takes in memory, about."""
    return len(rendering.body) + OVERHEAD


VARY = "Authorization"


FEED_MAX_AGE = 2
"""Seconds for which a cache may keep a feed or page without revalidating it."""


def cache_control(settings: Settings) -> str:
    """Who may keep what readers see of a liveblog, and for how long."""
    return f"{'public' if settings.server.public_feeds else 'private'}, max-age={FEED_MAX_AGE}"


def conditional(
    headers: Headers,
    found: Rendering,
    content_type: str,
    *,
    cache_control: str,
    modified: int | None = None,
    now: float = 0,
    more: Mapping[str, str] | Callable[[], Mapping[str, str]] | None = None,
) -> Response:
    """The body, or 304 where the caller has it already; `more`: headers of both, or what makes them.

    Responses are kept with `found` and sent again, so all who give the same one and `cache_control` give the same headers,
    and nothing makes headers for a response that is kept.
    `modified` (Unix seconds) is sent only once its second is over: within it one more change could still happen, and a
    caller who sends that date later would miss it.
    """
    date = http_date(modified) if modified is not None and modified + 1 <= now else None
    status = 304 if is_unchanged(headers, found.etag, date) else 200
    response = found.responses.get((status, date, cache_control))
    if response is None:
        added = more() if callable(more) else more or {}
        known = {"ETag": found.etag, "Cache-Control": cache_control, "Vary": "Authorization", **added}
        if date is not None:
            known["Last-Modified"] = date
        response = found.responses[status, date, cache_control] = _response(found, status, content_type, known)
    return response


def _response(found: Rendering, status: int, content_type: str, headers: dict[str, str]) -> Response:
    """The response with what the content's type and coding add to the headers."""
    if found.coding is not None:
        headers["Vary"] += ", Accept-Encoding"
    if status != 200:
        return Response(None, status, headers)
    coding = {"Content-Encoding": found.coding} if found.coding else {}
    return Response(found.body, status, {**headers, "Content-Type": content_type, **coding})


@lru_cache(maxsize=1024)
def http_date(seconds: int) -> str:
    """Unix seconds as HTTP writes them."""
    return format_datetime(instant(seconds), usegmt=True)


def is_unchanged(headers: Headers, etag: str, modified: str | None) -> bool:
    """Whether the request's preconditions say that its sender has what these validators describe (RFC 9110, 13.2.2)."""
    if (tags := headers.get("if-none-match")) is not None:
        return "*" in tags.split() or etag in {tag.strip().removeprefix("W/") for tag in tags.split(",")}
    since = headers.get("if-modified-since")
    if since is None or modified is None:
        return False
    try:
        return parsedate_to_datetime(modified) <= parsedate_to_datetime(since)
    except (ValueError, TypeError, OverflowError):
        return False  # not a date, or one without a time zone: the header counts as absent


def _brotli(body: bytes) -> bytes:
    brotli = import_module("brotli")  # an extra of the installation, loaded by the first reader who accepts it
    return bytes(brotli.compress(body, mode=brotli.MODE_TEXT, quality=BROTLI_QUALITY))


def _gzip(body: bytes) -> bytes:
    return gzip.compress(body, GZIP_LEVEL, mtime=0)


CODINGS: dict[str, Callable[[bytes], bytes]] = {"br": _brotli, "gzip": _gzip}
"""What is offered, the best first; Brotli where its package is installed."""


if find_spec("brotli") is None:
    del CODINGS["br"]


@lru_cache(maxsize=1024)
def accepted_coding(header: str) -> str:
    """The coding for an `Accept-Encoding`, empty for none (RFC 9110, 12.5.3). What cannot be read accepts none."""
    weights: dict[str, float] = {}
    for part in header.split(","):
        found = _WEIGHTED.fullmatch(part)
        if found is not None:
            weights[found[1].lower()] = float(found[2] or 1)
    any_other = weights.get("*", 0.0)
    best = max(CODINGS, key=lambda name: weights.get(name, any_other))
    return best if weights.get(best, any_other) > 0 else ""


def compress(body: bytes, coding: str) -> bytes:
    """Compress deterministically."""
    return CODINGS[coding](body)


class FlightGroup:
    """Work under way, by its keys. A caller that goes away ends it for nobody."""

    def __init__(self) -> None:
        self._tasks: dict[Hashable, asyncio.Task[Any]] = {}

    async def __call__(self, key: Hashable, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """The result of `work`, of which one with an equal `key` may be under way already."""
        task = self._tasks.get(key)
        if task is None:
            task = self._tasks[key] = asyncio.create_task(work())
            task.add_done_callback(partial(self._end_flight, key))
        result: T = await asyncio.shield(task)
        return result

    def _end_flight(self, key: Hashable, task: asyncio.Task[Any]) -> None:
        del self._tasks[key]
        if not task.cancelled():
            task.exception()  # seen: all callers may be gone


class SingleFlightCache(Generic[T]):
    """Values by all that they depend on, each made once for all who want it meanwhile, and kept for a while."""

    def __init__(
        self,
        room: int,
        *,
        size: Callable[[T], int] = lambda _: 1,
        largest: int | None = None,
        seconds: float = math.inf,
        since: Callable[[T], float] | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """`room`: how much is kept, measured by `size`; what was wanted least recently goes first.

        One of more than `largest` is not kept at all. `seconds`: for how long, since it was ready, or since the moment by
        `monotonic` that it says itself.
        """

        def until(_: Hashable, value: T, now: float) -> float:
            return seconds + (now if since is None else since(value))

        self._kept: TLRUCache[Hashable, T] = TLRUCache(room, until, timer=monotonic, getsizeof=size)
        self._size, self._largest = size, room if largest is None else largest
        self._flights = FlightGroup()
        self._forgotten = 0
        """How often; what is being made meanwhile is given to those who wanted it before, and not kept."""

    def __contains__(self, key: Hashable) -> bool:
        return key in self._kept

    async def get(self, key: Hashable, make: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """The value that is kept, or what `make` gives, once for all who want it meanwhile. Raises what `make` raises."""
        try:
            return self._kept[key]
        except KeyError:
            return await self._flights((self._forgotten, key), partial(self._make, key, make))

    def forget(self) -> None:
        """What is wanted from now on is made from now on."""
        self._kept.clear()
        self._forgotten += 1

    async def _make(self, key: Hashable, make: Callable[[], Coroutine[Any, Any, T]]) -> T:
        forgotten = self._forgotten
        made = await make()
        if forgotten == self._forgotten and self._size(made) <= self._largest:
            self._kept[key] = made
        return made
