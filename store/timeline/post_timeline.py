"""A post's timeline after its transaction: when it was committed and first sent, and one line in the log."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, TypeVar

import structlog
from sqlalchemy import Connection

from mapping.errors import ServiceError
from mapping.fusion.source_chain import lead_changes
from mapping.rules.lateness import iso_instant, lateness, verdict, whose
from store.database import Store
from store.engine.lasting import LoggedLoop, repeat
from store.engine.records import StoredGame
from store.engine.unit import Unit
from store.following import standbys, sync
from store.timeline import timeline
from store.timeline.timeline import Commit, FirstFrame, PostTime

T = TypeVar("T")

log = structlog.get_logger()

TURN = 0.5
"""Seconds between two looks at what is to be noted."""
WAITING = 10_000
"""Commits and frames that may wait to be noted; of more the oldest are left without."""
TOGETHER = 200
"""Of each, so many are noted by one unit."""
LINES = 100
"""Posts of one commit that the log names, at most."""


POSTS = 200
"""Posts of a liveblog that are shown at once, those that were written last."""


class CommittedPosts(NamedTuple):
    """Posts of one commit, and what the log calls their match and endpoint."""

    times: Sequence[PostTime]
    committed_at: int
    match: str
    endpoint: str


class PostTimeline:
    """Notes commits and first frames a moment later, many in one unit, in every process: a crash loses no more than them.

    `clock` gives Unix seconds.
    """

    def __init__(self, store: Store, clock: Callable[[], float]) -> None:
        self._store = store
        self._clock = clock
        self._commits: deque[CommittedPosts] = deque(maxlen=WAITING)
        self._frames: deque[FirstFrame] = deque(maxlen=WAITING)

    def committed(self, posts: CommittedPosts) -> None:
        """Posts are committed; what is not there to be noted is nothing."""
        if posts.times:
            self._commits.append(posts)

    def sent(self, game_id: str, since: int, version: int) -> None:
        """A stream's first frame with what came after the version `since` up to `version` was sent; the earliest one counts."""
        self._frames.append(FirstFrame(game_id, since, version, round(self._clock() * 1000)))

    async def write(self) -> None:
        """Note and log what waits. What cannot be written goes on waiting."""
        while self._commits or self._frames:
            frames, commits = _first(self._frames), _first(self._commits)
            try:
                await self._store.write(partial(_note, frames=frames, commits=commits))
            except ServiceError:
                self._frames.extendleft(reversed(frames))
                self._commits.extendleft(reversed(commits))
                return
            for posts in commits:
                await _log(posts)

    async def run(self) -> None:
        """Note what there is, again and again until the task is cancelled."""

        async def turn() -> None:
            await asyncio.sleep(TURN)
            await self.write()

        await repeat(turn, LoggedLoop("timelines"))

    async def close(self) -> None:
        """Note what waits, for a second at most."""
        try:
            async with asyncio.timeout(1):
                await self.write()
        except (TimeoutError, ServiceError):
            return


def _first(waiting: deque[T]) -> list[T]:
    return [waiting.popleft() for _ in range(min(TOGETHER, len(waiting)))]


def _note(unit: Unit, frames: Sequence[FirstFrame], commits: Sequence[CommittedPosts]) -> None:
    versions = {(each.game_id, each.version): posts.committed_at for posts in commits for each in posts.times}
    timeline.finish(unit, [Commit(*version, at) for version, at in versions.items()])
    timeline.deliver(unit, frames)


async def _log(posts: CommittedPosts) -> None:
    about = {"match": posts.match, "endpoint": posts.endpoint}
    for each in posts.times[:LINES]:
        step = step_of(replace(each, committed_at=posts.committed_at))
        instants = {name: step["at"][name] for name in ("said", "answered", "believed", "committed")}
        said = {"liveblog": each.game_id, "post": each.local_id, "version": each.version, "what": each.what, **instants}
        log.info("post.written", **about, **said, total=step["seconds"]["total"], late=step["late"])
        await asyncio.sleep(0)  # so that many lines keep nobody waiting
    if len(posts.times) > LINES:
        log.info("posts.written", **about, posts=len(posts.times))


def timeline_of(conn: Connection, game: StoredGame, post: str | None = None) -> dict[str, Any]:
    """The posts that the sync wrote, or one of them by its `local_id`; those written last come first."""
    steps: dict[str, list[PostTime]] = {}
    for time in reversed(timeline.times_of(conn, game.id, post)):
        steps.setdefault(time.local_id, []).insert(0, time)
    some = dict(list(steps.items())[:POSTS])
    since = min((time.answered_at for times in some.values() for time in times), default=0)
    taken = timeline.deliveries_of(conn, game.id, since) if some else []
    attachment = sync.attachment(conn, game.id)
    return {
        "provider": None if attachment is None else attachment.provider,
        "matchId": None if attachment is None else attachment.match_id,
        "leads": [] if attachment is None else _leads(conn, attachment),
        "posts": [_post(name, times, taken) for name, times in some.items()],
    }


def _leads(conn: Connection, attachment: sync.Attachment) -> list[dict[str, Any]]:
    """Who has led the match since when and why, as far as somebody else than its first source ever did."""
    beside = standbys.of_liveblog(conn, attachment.game_id)
    providers = [attachment.provider, *(each.provider for each in beside)]
    return [
        {
            "at": iso_instant(round(each.lead.since * 1000)),
            "provider": providers[each.place],
            "reason": each.lead.reason.value,
        }
        for each in lead_changes([row.known() for row in beside])
    ]


def _post(name: str, times: Sequence[PostTime], taken: Sequence[tuple[int, int]]) -> dict[str, Any]:
    steps = [step_of(time, taken) for time in times]
    return {"eventId": name, "whose": steps[0]["whose"], "late": steps[0]["late"], "steps": steps}


def step_of(time: PostTime, taken: Iterable[tuple[int, int]] = ()) -> dict[str, Any]:
    """One time that the sync wrote a post; `taken`: versions that a webhook receiver has taken, and when (milliseconds)."""
    found = lateness(
        said=time.said_at,
        unsaid=time.unsaid_at,
        answered=time.answered_at,
        believed=time.believed_at,
        committed=time.committed_at,
    )
    webhook = next((at for version, at in taken if version >= time.version), None)
    instants = {
        "said": time.said_at,
        "unsaid": time.unsaid_at,
        "answered": time.answered_at,
        "believed": time.believed_at,
        "committed": time.committed_at,
        "delivered": time.delivered_at,
        "webhook": webhook,
    }
    return {
        "what": time.what,
        "version": time.version,
        "at": {name: iso_instant(at) for name, at in instants.items()},
        "seconds": {
            "provider": found.provider,
            "betweenPolls": found.between,
            "confirmation": found.waited,
            "written": found.written,
            "total": found.total,
        },
        "whose": whose(found),
        "late": verdict(found),
        "answers": dict(time.answers),
    }
