"""Probes files shortly after they were posted: reads the head of each, and has the post learn its size and kind."""

from __future__ import annotations

import asyncio
import time
from collections import Counter as Tally
from collections.abc import Callable, Mapping
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any

import structlog
from cachetools import TTLCache
from prometheus_client import Counter

from config.sections import MediaConfig
from ingest.media.fetch import Fetched, MediaFetcher
from mapping.errors import ServiceError, StoreUnavailable
from store.database import Store
from store.files.video_facts import facts_of, is_video
from store.liveblogs import media_probes
from store.liveblogs.media_probes import Finding, MediaProbe

if TYPE_CHECKING:
    from store.files.image_facts import ImageFacts

log = structlog.get_logger()

LONGEST = 10.0
"""Seconds for which a job takes new files; those under way end before its limit, after one fetch's time and a look at a video."""
AT_ONCE = 100
"""Files that a process probes at a time; most of them wait for their place at the fetcher."""
OF_ONE = 20
"""Those of one organization, so that its slow files leave room for others."""
LOOK = 0.5
"""Seconds after which new files are looked for while others are under way."""
FILES, KNOWN = 10_000, 86_400.0
"""Addresses whose facts a process knows, and for how many seconds: what is posted again is not fetched again."""
UNKNOWN = "the file is neither an image nor a video that the service knows"
UNWRITTEN = "what was found could not be written"
OUTCOMES = ("found", "failed", "given up")


class MediaProbes:
    """The probes of one process; `clock` gives Unix seconds."""

    def __init__(
        self,
        store: Store,
        fetcher: MediaFetcher,
        settings: MediaConfig,
        clock: Callable[[], float],
    ) -> None:
        self._store = store
        self._fetcher = fetcher
        self._settings = settings
        self._clock = clock
        self._known: TTLCache[tuple[str, str], Mapping[str, Any]] = TTLCache(FILES, KNOWN)
        self.counted = Counter(
            "matchwire_media_probes", "Files that were probed, by outcome", ["outcome"], registry=None
        )
        for outcome in OUTCOMES:
            self.counted.labels(outcome)

    async def is_due(self) -> bool:
        """Whether there is a file to be probed."""
        now = self._clock()
        return await self._store.read(lambda conn: media_probes.any_due(conn, now))

    async def run(self) -> None:
        """Probe what is due, post by post, until nothing is or a while is over. Raises StoreUnavailable."""
        under_way: dict[asyncio.Task[None], tuple[str, int]] = {}
        ends = time.monotonic() + LONGEST
        try:
            while True:
                if time.monotonic() < ends:
                    for name, probes in await self._take(under_way.values()):
                        task = asyncio.create_task(self._probe(probes), name="probe")
                        under_way[task] = name, len(probes)
                if not under_way:
                    return
                done, _ = await asyncio.wait(under_way, timeout=LOOK, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    del under_way[task]
                    task.result()
        finally:
            for task in under_way:
                task.cancel()
            await asyncio.gather(*under_way, return_exceptions=True)

    async def _take(self, under_way: Any) -> list[tuple[str, list[MediaProbe]]]:
        """The next files: organization and those of one post."""
        tally = Tally[str]()
        for name, count in under_way:
            tally[name] += count
        room = min(AT_ONCE - tally.total(), OF_ONE)
        if room <= 0:
            return []
        full = [name for name, count in tally.items() if count >= OF_ONE]
        again = self._settings.probe_retry
        found = await self._store.write(partial(media_probes.begin, limit=room, without=full, again=again))
        found.sort(key=_post)
        return [(name, list(probes)) for (name, _), probes in groupby(found, _post)]

    async def _probe(self, probes: list[MediaProbe]) -> None:
        """Probe the files of one post, and write what was found in one unit; what is wrong with it stops nobody else."""
        findings = await asyncio.gather(*(self._found(probe) for probe in probes))
        event = probes[0].event_id
        try:
            version = await self._store.write(partial(media_probes.finish, findings=findings))
        except StoreUnavailable:
            raise
        except Exception as error:  # noqa: BLE001 -- a post that cannot be read, or a fault of ours: logged, and given up in the end
            _log_failure("media.unwritten", event, error)
            findings = [self._failure(probe, UNWRITTEN) for probe in probes]
            await self._store.write(partial(media_probes.put_off, findings=findings))
        else:
            if version is not None:
                log.info("media.probed", post=event, version=version, files=len(findings))
        for each in findings:
            self.counted.labels("found" if each.facts else "given up" if each.next_at is None else "failed").inc()

    async def _found(self, probe: MediaProbe) -> Finding:
        """What came of a probe; a fault of ours is the failure of its file alone."""
        try:
            return await self._find(probe)
        except Exception as error:  # noqa: BLE001 -- whatever it is belongs to this file
            _log_failure("media.probe_failed", probe.event_id, error)
            return self._failure(probe, UNKNOWN)

    async def _find(self, probe: MediaProbe) -> Finding:
        name = probe.organization_id, probe.url
        if probe.tries > self._settings.probe_tries:
            return Finding(probe, None, "the probe was interrupted again and again")
        if (facts := self._known.get(name)) is not None:
            return Finding(probe, facts)
        found = await self._look(probe)
        if found.facts is not None:
            self._known[name] = found.facts
        return found

    async def _look(self, probe: MediaProbe) -> Finding:
        ends = asyncio.get_running_loop().time() + self._settings.fetch_timeout
        most = self._settings.probe_bytes
        fetched = await self._fetch(probe, range(most))
        if fetched.status != "new":
            return self._failure(probe, fetched.cause or UNKNOWN)
        image = await identify_image(fetched.body)
        if image is not None:
            return Finding(probe, {"subtype": "i", "width": image.width, "height": image.height, "duration_ms": 0})
        if not is_video(fetched.body):
            return self._failure(probe, UNKNOWN)
        tail = await self._tail(probe, fetched, ends)
        return Finding(probe, {"subtype": "v"} | await facts_of(fetched.body, tail, fetched.total))

    async def _tail(self, probe: MediaProbe, fetched: Fetched, ends: float) -> bytes:
        """The last bytes of a video that is longer than its head, where the origin gives parts of files, in time."""
        head, total = len(fetched.body), fetched.total or 0
        if total <= head:
            return b""
        part = range(max(head, total - self._settings.probe_bytes), total)
        try:
            async with asyncio.timeout_at(ends):
                tail = await self._fetch(probe, part)
        except TimeoutError:
            return b""
        return tail.body if tail.total == total and len(tail.body) == len(part) else b""

    async def _fetch(self, probe: MediaProbe, part: range) -> Fetched:
        return await self._fetcher.fetch(probe.organization_id, probe.url, most=len(part), part=part)

    def _failure(self, probe: MediaProbe, cause: str) -> Finding:
        """Tried again later, twice as late each time; given up after the last try."""
        settings = self._settings
        if probe.tries >= settings.probe_tries:
            return Finding(probe, None, cause)
        pause = min(settings.probe_retry * 2 ** (probe.tries - 1), settings.probe_retry_most)
        return Finding(probe, None, cause, self._clock() + pause)


async def identify_image(head: bytes) -> ImageFacts | None:
    """What an image says of itself, beside the event loop."""
    from store.files.image_facts import identify  # with Pillow, which no start needs

    return await asyncio.to_thread(identify, head)


def _log_failure(event: str, post: str, error: Exception) -> None:
    if isinstance(error, ServiceError):
        log.warning(event, post=post, cause=error.message)
    else:
        log.warning(event, post=post, cause=repr(error), exc_info=error)


def _post(probe: MediaProbe) -> tuple[str, str]:
    return probe.organization_id, probe.event_id
