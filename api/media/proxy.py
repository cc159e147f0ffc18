"""The image proxy: finds, makes and keeps variants of images, each of them once."""

from __future__ import annotations

import asyncio
import hashlib
import os
import sys
import threading
import time
from base64 import b64decode
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Final, TypeVar
from urllib.parse import urlsplit

import structlog

from api.http.caching import OVERHEAD, Rendering, SingleFlightCache
from api.http.errors import Overloaded
from api.media.disk_cache import DiskCache, RefusedImage, Variant
from api.media.originals import FetchImage, Origins, original_key
from config.sections import MediaConfig
from mapping.documents.scalars import UPLOADED
from mapping.errors import NotFound
from mapping.rules.media_address import ImageOptions, ImageRequest
from store.database import Store
from store.files.storage import FileStore
from store.media import uploads
from store.published_files import file_is_shown

log = structlog.get_logger()

HOT_PART: Final = 16
"""A variant of more than this part of the memory for variants is read from disk each time."""
SHOWN_SECONDS: Final = 1.0
"""Seconds for which an upload counts as shown after that was looked up."""
SHOWN_KEPT: Final = 10_000
PLACEHOLDER: Final = (
    "iVBORw0KGgoAAAANSUhEUgAAAAQAAAADCAAAAACRn/EaAAAAEElEQVR4nGN8wMDAwMQAIwAMfADmKVMBtAAAAABJRU5ErkJggg=="
)
"""A PNG of twelve pixels."""


T = TypeVar("T")
NICENESS: Final = 10
"""Added to that of the process: polls and the API go first where the processor is short."""
RETRY_AFTER: Final = 2.0
"""Seconds named to those for whom there is no place."""


@dataclass(frozen=True, slots=True)
class ShownImage:
    """A variant as it is sent."""

    content_type: str
    rendering: Rendering

    @classmethod
    def of(cls, variant: Variant) -> ShownImage:
        return cls(variant.content_type, Rendering.of(variant.body))


@dataclass(frozen=True, slots=True)
class StoredUploads:
    """Uploads of one storage by their `imageservice://` addresses, and what the database says of who sees any file."""

    store: Store
    files: FileStore

    async def read(self, url: str, most: int) -> bytes | None:
        """The bytes of an upload, None where the organization of the address has none of it, or it is larger than `most`."""
        found = await self.store.read(lambda conn: uploads.find(conn, url))
        if found is None or found.bytes > most:
            return None
        try:
            return await self.files.read(found.key, most)
        except NotFound:
            return None

    async def shown(self, organization_id: str, url: str) -> bool:
        """Whether something of the organization that is published refers to it, and no operator has purged it."""
        return await self.store.read(partial(file_is_shown, organization_id=organization_id, url=url))


class ImageProxy:
    """Variants of the images of all organizations; `clock` gives Unix seconds. Without `fetch` there are only uploads."""

    def __init__(
        self,
        settings: MediaConfig,
        fetch: FetchImage | None,
        uploads: StoredUploads | None,
        clock: Callable[[], float],
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.settings = settings
        self._cache = DiskCache(Path(settings.folder) / "cache", settings.cache_bytes)
        self._origins = Origins(fetch, self._cache, settings, clock)
        self._uploads = uploads
        self._workers = ImageWorkers(
            workers=settings.workers,
            render_queue=settings.render_queue,
            organization_render_queue=settings.organization_render_queue,
        )
        self._hot: SingleFlightCache[ShownImage | None] = SingleFlightCache(
            settings.hot_bytes, size=_size, largest=settings.hot_bytes // HOT_PART
        )
        """Variants in memory; None: refused."""
        self._shown: SingleFlightCache[bool] = SingleFlightCache(SHOWN_KEPT, seconds=SHOWN_SECONDS, monotonic=monotonic)

    def close(self) -> None:
        """Let go the threads."""
        self._workers.close()

    async def work(self, organization_id: str, work: Callable[[], bytes]) -> bytes:
        """The result of `work` on an image, done in a thread like the variants. Raises Overloaded where too many wait."""
        return await self._workers.run(organization_id, work)

    async def find(self, wanted: ImageRequest, accepted: frozenset[str]) -> ShownImage | None:
        """The variant for a reader who takes the formats `accepted`; None where there is nothing to show.

        Raises Overloaded where too many wait for theirs.
        """
        if urlsplit(wanted.url).scheme == UPLOADED:
            return await self._find_variant(wanted, accepted, hashlib.sha256(wanted.url.encode()).hexdigest())
        origin = self._origins.fresh(wanted.organization_id, wanted.url) or await self._origins.find(
            wanted.organization_id, wanted.url
        )
        return None if origin.digest is None else await self._find_variant(wanted, accepted, origin.digest)

    async def is_shown(self, organization_id: str, url: str) -> bool:
        """Whether everybody may see the file, as it was within the last second and after the last `forget`."""
        if self._uploads is None:
            return not url.startswith(f"{UPLOADED}:")
        return await self._shown.get((organization_id, url), partial(self._uploads.shown, organization_id, url))

    def forget(self, _: object = None) -> None:
        """Something has been published or taken down: who sees what is to be looked up again."""
        self._shown.forget()

    async def _find_variant(self, wanted: ImageRequest, accepted: frozenset[str], digest: str) -> ShownImage | None:
        key = f"variant {digest} {wanted.options} {','.join(sorted(accepted))}"
        try:
            return await self._hot.get(key, partial(self._make, key, wanted, accepted, digest))
        except FileNotFoundError:
            return None

    async def _make(self, key: str, wanted: ImageRequest, accepted: frozenset[str], digest: str) -> ShownImage | None:
        shown = await asyncio.to_thread(self._on_disk, key)
        if shown is not None:
            return shown
        make = partial(self._render, key, wanted.options, accepted, original_key(digest))
        try:
            try:
                return await self._workers.run(wanted.organization_id, make)
            except FileNotFoundError:
                if not await self._fetched_again(wanted, digest):
                    raise
                return await self._workers.run(wanted.organization_id, make)
        except RefusedImage as refused:
            log.info("media.refused", organization=wanted.organization_id, cause=str(refused))
            return None

    def _on_disk(self, key: str) -> ShownImage | None:
        entry = self._cache.get(key)
        return None if entry is None else ShownImage.of(Variant(entry.facts["content_type"], entry.body))

    async def _fetched_again(self, wanted: ImageRequest, digest: str) -> bool:
        """Whether the original is in the cache again."""
        if urlsplit(wanted.url).scheme != UPLOADED:
            return (await self._origins.fetch_again(wanted.organization_id, wanted.url)).digest == digest
        body = await self._uploads.read(wanted.url, self.settings.image_bytes) if self._uploads else None
        if body is not None:
            await asyncio.to_thread(self._cache.put, original_key(digest), body)
        return body is not None

    def _render(self, key: str, options: ImageOptions, accepted: frozenset[str], original: str) -> ShownImage:
        """Make the variant of an original in the cache, and keep it; in a thread. Raises FileNotFoundError without one."""
        from api.media.variants import render  # Pillow, which no start waits for

        entry = self._cache.get(original)
        if entry is None:
            raise FileNotFoundError
        variant = render(entry.body, options, accepted, self.settings)
        try:
            self._cache.put(key, variant.body, content_type=variant.content_type)
        except OSError as error:
            log.warning("media.cache_failed", cause=error.strerror)
        return ShownImage.of(variant)


def _size(shown: ShownImage | None) -> int:
    return OVERHEAD + (len(shown.rendering.body) if shown else 0)


@cache
def placeholder() -> ShownImage:
    """The neutral image that pages show where there is none: light grey, four to three."""
    return ShownImage.of(Variant("image/png", b64decode(PLACEHOLDER)))


class ImageWorkers:
    """At most `workers` threads.

    `render_queue` pieces of work may be under way or wait, `organization_render_queue` of them of one organization.
    """

    def __init__(self, *, workers: int, render_queue: int, organization_render_queue: int) -> None:
        self._threads = ThreadPoolExecutor(workers, "images", initializer=_step_back)
        self._queue = render_queue
        self._organization_queue = organization_render_queue
        self._waiting: Counter[str] = Counter()

    async def run(self, organization_id: str, work: Callable[[], T]) -> T:
        """The result of `work`, done in a thread. Raises Overloaded where too much waits already."""
        if self._waiting.total() >= self._queue or self._waiting[organization_id] >= self._organization_queue:
            raise Overloaded("too many images wait to be resized", retry_after=RETRY_AFTER)
        self._waiting[organization_id] += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)
        finally:
            self._waiting[organization_id] -= 1
            self._waiting += Counter()  # keeps only those who wait

    def close(self) -> None:
        """End the threads once they have done what they are at; what waits is not done."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def _step_back() -> None:
    """Lower the priority of this thread alone, which Linux can do."""
    if sys.platform == "linux":
        with suppress(OSError):
            thread = threading.get_native_id()
            os.setpriority(os.PRIO_PROCESS, thread, os.getpriority(os.PRIO_PROCESS, thread) + NICENESS)
