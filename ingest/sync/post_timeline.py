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
from store.engine.lasting import LoggedLoop, repeat
from store.timeline import timeline
from store.timeline.timeline import Commit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from store.database import Store
    from store.engine.unit import Unit
    from store.timeline.timeline import FirstFrame, PostTime, Versions

    TakeFrames = Callable[[], Sequence[FirstFrame]]
    """The first frames of streams that this process has sent since it was called last."""

log = structlog.get_logger()

TURN = 0.5
"""Seconds between two looks at what is to be noted."""
SETTLING = 3 * TURN
"""Seconds after a commit in which its first delivery is waited for, which another process may have to note."""
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


def no_frames() -> Sequence[FirstFrame]:
    """No stream is served."""
    return ()


class PostTimeline:
    """Notes commits and first frames a moment later, many in one unit, in every process: a crash loses no more than them.

    Whichever process sends a version first notes when; the one that committed it reads that before it writes its log.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._waiting: deque[CommittedPosts] = deque(maxlen=WAITING)
        self._frames: deque[FirstFrame] = deque(maxlen=WAITING)
        self.take_frames: TakeFrames = no_frames

    def committed(self, posts: CommittedPosts) -> None:
        """Posts are committed; what is not there to be noted is nothing."""
        if posts.times:
            self._waiting.append(posts)

    async def write(self, *, before: float | None = None) -> None:
        """Note all frames, note and log what was committed before that time (milliseconds), None for all.

        What cannot be written waits.
        """
        self._frames.extend(self.take_frames())
        while self._frames or self._is_due(before):
            frames = [self._frames.popleft() for _ in range(min(TOGETHER, len(self._frames)))]
            some = [self._waiting.popleft() for _ in range(TOGETHER) if self._is_due(before)]
            commits = [commit for posts in some for commit in _commits(posts)]
            try:
                delivered = await self._store.write(partial(_note, commits=commits, frames=frames))
            except ServiceError:
                self._frames.extendleft(reversed(frames))
                self._waiting.extendleft(reversed(some))
                return
            for posts in some:
                await _log(posts, delivered)

    async def run(self, clock: Callable[[], float]) -> None:
        """Note what there is, again and again until the task is cancelled. `clock` gives Unix seconds."""

        async def turn() -> None:
            await asyncio.sleep(TURN)
            await self.settle(clock)

        await repeat(turn, LoggedLoop("timelines"))

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

    def _is_due(self, before: float | None) -> bool:
        return bool(self._waiting) and (before is None or self._waiting[0].committed_at < before)


def _note(unit: Unit, commits: Sequence[Commit], frames: Sequence[FirstFrame]) -> Versions:
    """Note both, and give when the commits were first delivered by any process."""
    timeline.finish(unit, commits)
    timeline.deliver(unit, frames)
    return timeline.delivered_at(unit.conn, [(each.game_id, each.version) for each in commits]) if commits else {}


def _commits(posts: CommittedPosts) -> Iterable[Commit]:
    versions = {(each.game_id, each.version): None for each in posts.times}
    for game_id, version in versions:
        yield Commit(game_id, version, posts.committed_at)


async def _log(posts: CommittedPosts, delivered: Versions) -> None:
    about = {"match": posts.match, "endpoint": posts.endpoint}
    for each in posts.times[:LINES]:
        first = None if each.what == "draft" else delivered.get((each.game_id, each.version))
        log.info("post.written", **about, **figures(each, posts.committed_at, first))
        await asyncio.sleep(0)  # so that many lines keep nobody waiting
    if len(posts.times) > LINES:
        log.info("posts.written", **about, posts=len(posts.times))


def figures(time: PostTime, committed_at: int | None, delivered_at: int | None) -> dict[str, Any]:
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
        "delivered": iso_instant(delivered_at),
        "total": found.total,
        "late": verdict(found),
    }
