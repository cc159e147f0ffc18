"""Fetches files that clients name, through the guard: bounded in time and bytes, nothing is followed."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from config.sections import MediaConfig
from ingest.guard.ssrf_guard import SsrfGuard
from ingest.kit.bulkhead import Bulkhead
from providers.http_client import freshness

if TYPE_CHECKING:
    import aiohttp


Status = Literal["new", "unchanged", "gone", "failed"]

UNREACHABLE = "the file could not be fetched"
"""Said of every failure to connect: whether a host was refused, not found or silent is nobody's business."""
TOTAL = re.compile(r"bytes [0-9]+-[0-9]+/([0-9]{1,18})", re.ASCII)
OK, PARTIAL, UNCHANGED = 200, 206, 304
GONE = frozenset({404, 410})
READ = 64 * 1024
"""Bytes that are taken from a body at a time."""
HEADERS = 64 * 1024
"""Bytes that may come beside the body: heads, and the framing of chunks."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """What came of it. `cause`: why it failed, in words that say nothing of hosts and bodies.

    `total`: bytes of the whole file where the origin says it; `max_age`: seconds that the origin calls it fresh.
    """

    status: Status
    body: bytes = b""
    etag: str | None = None
    content_type: str = ""
    max_age: float | None = None
    total: int | None = None
    cause: str = ""


class TooLarge(Exception):
    """The body is longer than the caller can hold."""


class MediaFetcher:
    """Fetches for all organizations; each has a part of the places, so that its slow origins hold up nobody else."""

    def __init__(self, guard: SsrfGuard, settings: MediaConfig) -> None:
        self._guard = guard
        self._settings = settings
        self._bulkhead = Bulkhead(settings.fetches, settings.organization_fetches)

    async def fetch(
        self, organization_id: str, url: str, *, etag: str | None = None, most: int, part: range | None = None
    ) -> Fetched:
        """The file, of `most` bytes at most: longer is a failure. `etag`: of the copy that the caller has.

        `part`: only these bytes are wanted; of an origin that sends the whole file instead, its first ones. Raises nothing.
        """
        place = None
        try:
            async with asyncio.timeout(self._settings.fetch_timeout):
                place = await self._bulkhead.acquire(organization_id, url)
                return await self._fetch(self._guard.on_behalf_of(organization_id), url, etag, most, part)
        except TooLarge:
            return Fetched("failed", cause="the file is too large")
        except (OSError, ValueError):
            return Fetched("failed", cause=UNREACHABLE)
        finally:
            if place is not None:
                self._bulkhead.release(place)

    async def _fetch(self, guard: SsrfGuard, url: str, etag: str | None, most: int, part: range | None) -> Fetched:
        import aiohttp  # loaded for the first file, not for the start of the process

        from ingest.guard.guarded_session import callable_url

        wanted = callable_url(url)
        connect = self._settings.fetch_timeout
        try:
            async with (
                guard.session(connections=1, connect_timeout=connect, received=most + HEADERS) as session,
                session.get(wanted, headers=_headers(etag, part), allow_redirects=False) as response,
            ):
                return await _read(response, most, part)
        except aiohttp.ClientError as error:
            raise OSError from error


def _headers(etag: str | None, part: range | None) -> dict[str, str]:
    return {
        "User-Agent": "matchwire",
        "Accept": "image/*,video/*;q=0.9,*/*;q=0.1",
        "Accept-Encoding": "identity",
        **({"If-None-Match": etag} if etag else {}),
        **({"Range": f"bytes={part.start}-{part.stop - 1}"} if part else {}),
    }


async def _read(response: aiohttp.ClientResponse, most: int, part: range | None) -> Fetched:
    headers = response.headers
    if response.status == UNCHANGED:
        return Fetched("unchanged", etag=headers.get("ETag"), max_age=freshness(headers))
    if response.status in GONE:
        return Fetched("gone", cause="the file is gone")
    if response.status not in {OK, PARTIAL} or (response.status == PARTIAL and part is None):
        return Fetched("failed", cause=f"the origin answered with status {response.status}")
    if headers.get("Content-Encoding", "identity").lower() != "identity":
        return Fetched("failed", cause="the origin sent the file in an encoding that was not accepted")
    body = await _body(response, most, whole=part is None)
    return Fetched(
        "new",
        body=body,
        etag=headers.get("ETag"),
        content_type=headers.get("Content-Type", ""),
        max_age=freshness(headers),
        total=_total(response),
    )


async def _body(response: aiohttp.ClientResponse, most: int, *, whole: bool) -> bytes:
    """The body, or its first `most` bytes where they are enough. Raises TooLarge."""
    if whole and (response.content_length or 0) > most:
        raise TooLarge
    parts, size = [], 0
    while size <= most and (part := await response.content.read(READ)):
        parts.append(part)
        size += len(part)
    if size > most and whole:
        raise TooLarge
    return b"".join(parts)[:most]


def _total(response: aiohttp.ClientResponse) -> int | None:
    if response.status == OK:
        return response.content_length
    found = TOTAL.fullmatch(response.headers.get("Content-Range", "").strip())
    return int(found[1]) if found else None
