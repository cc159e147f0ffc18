"""Originals of images for the image proxy: fetched from where clients keep them, checked again after a while."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Final, Literal, Protocol

import structlog
from cachetools import LRUCache

from api.http.caching import FlightGroup
from api.media.disk_cache import DiskCache, RefusedImage
from config.sections import MediaConfig

log = structlog.get_logger()

KNOWN: Final = 20_000
"""Origins whose state is kept in memory; it stands on disk too."""
PATIENCE: Final = 1.0
"""Seconds for which a reader waits for an origin's answer while there is a good copy."""
NOT_MODIFIED: Final = "unchanged"
NEW: Final = "new"
GONE: Final = "gone"


class FetchedImage(Protocol):
    """What an origin answered; `max_age` in seconds, where it names one."""

    @property
    def status(self) -> Literal["new", "unchanged", "gone", "failed"]: ...
    @property
    def body(self) -> bytes: ...
    @property
    def etag(self) -> str | None: ...
    @property
    def max_age(self) -> float | None: ...


class FetchImage(Protocol):
    """Fetches on behalf of an organization, through the guard; raises nothing. `most`: the bytes that a body may have."""

    async def __call__(self, organization_id: str, url: str, *, etag: str | None, most: int) -> FetchedImage: ...


@dataclass(frozen=True, slots=True)
class Origin:
    """What is known of an image at its origin. Times in Unix seconds.

    `digest`: of the last good copy, None without one; `confirmed`: when the origin last gave it or said that it still
    holds; `fresh_until`: when the origin is requested again.
    """

    digest: str | None
    etag: str | None
    confirmed: float
    fresh_until: float


class Origins:
    """The originals of all organizations; `clock` gives Unix seconds."""

    def __init__(
        self, fetch: FetchImage | None, cache: DiskCache, settings: MediaConfig, clock: Callable[[], float]
    ) -> None:
        self._fetch = fetch
        self._cache = cache
        self._settings = settings
        self._clock = clock
        self._known: LRUCache[tuple[str, str], Origin] = LRUCache(KNOWN)
        self._flights = FlightGroup()

    def fresh(self, organization_id: str, url: str) -> Origin | None:
        """What is known and needs no question, from memory alone; None where it has to be looked up."""
        known = self._known.get((organization_id, url))
        return known if known is not None and self._clock() < known.fresh_until else None

    async def find(self, organization_id: str, url: str) -> Origin:
        """What is known, requested from the origin where it is due. One without `digest`: there is no copy to show."""
        known = self.fresh(organization_id, url) or await self._find_kept(organization_id, url)
        if known is not None and self._clock() < known.fresh_until:
            return known
        flight = self._flights((organization_id, url), partial(self._refresh, organization_id, url, known))
        if known is None or known.digest is None:
            return await flight
        try:
            return await asyncio.wait_for(flight, PATIENCE)
        except TimeoutError:
            return known  # the origin is slow: the next reader gets what it says

    async def fetch_again(self, organization_id: str, url: str) -> Origin:
        """The same where the copy is gone from the cache: the origin gives it anew."""
        return await self._flights((organization_id, url), partial(self._refresh, organization_id, url, None))

    async def _find_kept(self, organization_id: str, url: str) -> Origin | None:
        known = self._known.get((organization_id, url))
        if known is None:
            entry = await asyncio.to_thread(self._cache.get, _state_key(organization_id, url))
            known = None if entry is None else Origin(**entry.facts)
            if known is not None:
                self._known[organization_id, url] = known
        return known

    async def _refresh(self, organization_id: str, url: str, known: Origin | None) -> Origin:
        fetched = None
        if self._fetch is not None:
            etag = known.etag if known else None
            fetched = await self._fetch(organization_id, url, etag=etag, most=self._settings.image_bytes)
        origin = await self._classify(fetched, known, self._clock())
        self._known[organization_id, url] = origin
        await self._write(_state_key(organization_id, url), b"", **asdict(origin))
        return origin

    async def _classify(self, fetched: FetchedImage | None, known: Origin | None, now: float) -> Origin:
        """What the answer means: a new copy, the old one confirmed or taken back, or a failure through which it is kept."""
        lost = fetched is not None and fetched.status == GONE  # whoever keeps it has taken it down
        good = _good(known) if not lost else None
        if fetched is not None:
            until = now + min(max(fetched.max_age or 0.0, self._settings.refresh), self._settings.refresh_most)
            if fetched.status == NEW and (digest := await self._accept(fetched.body)):
                return Origin(digest, fetched.etag, now, until)
            if fetched.status == NOT_MODIFIED and good:
                return replace(good, confirmed=now, fresh_until=until)
        return self._bear_failure(good, now)

    def _bear_failure(self, good: Origin | None, now: float) -> Origin:
        """A good copy holds for a while; either way the origin is left alone for a moment."""
        until = now + self._settings.retry
        if good is not None and now < good.confirmed + self._settings.stale:
            return replace(good, fresh_until=until)
        return Origin(None, None, now, until)

    async def _accept(self, body: bytes) -> str | None:
        """The digest of a body that is an image within the limits, once it is kept."""
        digest = await asyncio.to_thread(self._check, body)
        return digest if digest and await self._write(original_key(digest), body) else None

    def _check(self, body: bytes) -> str | None:
        from api.media.variants import check  # Pillow, which no start waits for

        try:
            check(body, self._settings)
        except RefusedImage:
            return None
        return hashlib.sha256(body).hexdigest()

    async def _write(self, key: str, body: bytes, **facts: object) -> bool:
        try:
            await asyncio.to_thread(self._cache.put, key, body, **facts)
        except OSError as error:
            log.warning("media.cache_failed", cause=error.strerror)
            return False
        return True


def original_key(digest: str) -> str:
    """The key of the original with that digest in the cache."""
    return f"original {digest}"


def _state_key(organization_id: str, url: str) -> str:
    return f"origin {organization_id} {url}"


def _good(known: Origin | None) -> Origin | None:
    """What is known, where there is a copy of it."""
    return known if known is not None and known.digest else None
