"""A post's timeline after its transaction: when it was committed and delivered, one line in the log, percentiles."""

from __future__ import annotations

import asyncio
from array import array
from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import structlog

from mapping.errors import ServiceError
from mapping.rules.lateness import iso_instant, lateness, percentiles, verdict
from store.timeline import timeline
from store.timeline.timeline import Commit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from store.database import Store
    from store.timeline.timeline import PostTime

    FirstSent = Callable[[str, int], int | None]
    """(`ticker_id`, version) → when the first frame of a stream with it was sent (milliseconds), None for no frame yet."""

log = structlog.get_logger()

SETTLING = 1.0
"""Seconds after a commit in which its first delivery is waited for."""
WAITING = 10_000
"""Commits that may wait to be noted; of more the oldest are left without."""
TOGETHER = 200
"""Commits that one unit notes."""
LINES = 100
"""Posts of one commit that the log names, at most."""
SAMPLES = 64
"""Posts of a match by which its percentiles are worked out, the latest."""
SAMPLES_OF_ENDPOINT = 512


class Delays:
    """How late the latest posts were (milliseconds), in rings of a fixed size: said to seen, and seen to committed."""

    __slots__ = ("_size", "committed", "seen")

    def __init__(self, size: int = SAMPLES) -> None:
        self._size = size
        self.seen: array[int] = array("q")
        self.committed: array[int] = array("q")

    def add(self, time: PostTime, committed_at: int) -> None:
        """Count a post that was new."""
        if time.said_at is not None:
            self._put(self.seen, time.answered_at - time.said_at)
        self._put(self.committed, committed_at - time.answered_at)

    def report(self) -> dict[str, Any]:
        """The percentiles, None for those of nothing."""
        return {"saidToSeen": percentiles(self.seen), "seenToCommitted": percentiles(self.committed)}

    def _put(self, ring: array[int], value: int) -> None:
        if len(ring) >= self._size:
            del ring[0]
        ring.append(value)


class CommittedPosts(NamedTuple):
    """Posts of one commit, and what the log calls their match and endpoint."""

    times: Sequence[PostTime]
    committed_at: int
    match: str
    endpoint: str


def first_sent_nowhere(_game_id: str, _version: int) -> int | None:
    """No stream is served."""
    return None


class PostTimeline:
    """Notes commits a moment later, many in one unit: it is worth no write of its own, and a crash loses no more than them."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._waiting: deque[CommittedPosts] = deque(maxlen=WAITING)
        self.first_sent: FirstSent = first_sent_nowhere

    def committed(self, posts: CommittedPosts) -> None:
        """Posts are committed; what is not there to be noted is nothing."""
        if posts.times:
            self._waiting.append(posts)

    async def write(self, *, before: float | None = None) -> None:
        """Note and log what was committed before that time (milliseconds), None for all; what cannot be written waits."""
        while self._waiting and (before is None or self._waiting[0].committed_at < before):
            some = [self._waiting.popleft() for _ in range(min(TOGETHER, len(self._waiting)))]
            commits = [commit for posts in some for commit in self._commits(posts)]
            try:
                await self._store.write(partial(timeline.finish, commits=commits))
            except ServiceError:
                self._waiting.extendleft(reversed(some))
                return
            for posts in some:
                await self._log(posts)

    async def settle(self, clock: Callable[[], float]) -> None:
        """Note what was committed more than `SETTLING` ago."""
        await self.write(before=(clock() - SETTLING) * 1000)

    async def close(self) -> None:
        """Note what waits, for a second at most."""
        try:
            async with asyncio.timeout(1):
                await self.write()
        except (TimeoutError, ServiceError):
            return

    def _commits(self, posts: CommittedPosts) -> Iterable[Commit]:
        versions = {(each.game_id, each.version): None for each in posts.times}
        for game_id, version in versions:
            yield Commit(game_id, version, posts.committed_at, self.first_sent(game_id, version))

    async def _log(self, posts: CommittedPosts) -> None:
        about = {"match": posts.match, "endpoint": posts.endpoint}
        for each in posts.times[:LINES]:
            log.info("post.written", **about, **figures(each, posts.committed_at, self.first_sent))
            await asyncio.sleep(0)  # so that many lines keep nobody waiting
        if len(posts.times) > LINES:
            log.info("posts.written", **about, posts=len(posts.times))


def figures(time: PostTime, committed_at: int | None, first_sent: FirstSent) -> dict[str, Any]:
    """What the log says of a post: its instants in ISO 8601, where the time went in seconds, and whose it was."""
    found = lateness(
        said=time.said_at,
        unsaid=time.unsaid_at,
        answered=time.answered_at,
        believed=time.believed_at,
        committed=committed_at,
    )
    return {
        "liveblog": time.game_id,
        "post": time.local_id,
        "version": time.version,
        "what": time.what,
        "said": iso_instant(time.said_at),
        "answered": iso_instant(time.answered_at),
        "believed": iso_instant(time.believed_at),
        "committed": iso_instant(committed_at),
        "delivered": iso_instant(first_sent(time.game_id, time.version)),
        "total": found.total,
        "late": verdict(found),
    }
