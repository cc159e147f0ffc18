"""Following matches: one heap of due times, one sleeper, one poll at a time per match.

A poll that finds nothing new costs no write. What is known of a match between polls (validators, state, interval) is
small and kept here; bodies and ledger stay in the store until something changes.
"""

from __future__ import annotations

import asyncio
import random
from dataclasses import asdict, dataclass, field
from functools import partial
from heapq import heappop, heappush
from itertools import count
from time import monotonic
from typing import TYPE_CHECKING

import structlog

from ingest import syncing
from mapping.errors import ProviderRefused, ServiceError, StoreUnavailable
from mapping.match import Status
from mapping.rules import pacing
from mapping.terms import Terms
from providers.base import Answer, Fetched, Known, Outcome, ProviderAdapter
from store import sync

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sqlalchemy import Connection

    from ingest.syncing import NewId
    from store.database import Store

log = structlog.get_logger()


@dataclass(slots=True)
class Followed:
    """What a process keeps in memory of a match that it follows."""

    id: str
    match_id: str
    endpoint: str
    text: bool
    known: dict[str, Known]
    hints: Mapping[str, str]
    status: Status
    kickoff: int | None
    over_since: float | None = None
    pending: bool = False
    failures: int = 0
    failing_since: float | None = None
    good_at: float | None = None
    changed_at: float | None = None
    polls: int = 0
    silent: bool = False
    afresh: bool = False
    """Another liveblog joined: the next poll asks for everything, whatever is known."""
    busy: bool = False
    due: float = 0.0


@dataclass(slots=True)
class Lane:
    """One endpoint's adapter and how many of its polls may be under way."""

    adapter: ProviderAdapter
    slots: asyncio.Semaphore


@dataclass(frozen=True, slots=True, kw_only=True)
class Rhythm:
    """How to poll: the pace of matches and the bounds of one endpoint."""

    pace: pacing.Pace = field(default_factory=pacing.Pace)
    concurrency: int = 8
    silence_alarm: float = 60.0


class Followers:
    """Polls the matches that liveblogs are attached to, and keeps those liveblogs in line with them."""

    def __init__(
        self,
        store: Store,
        adapters: Mapping[str, ProviderAdapter],
        rhythm: Rhythm,
        *,
        clock: Callable[[], float],
        new_id: NewId,
    ) -> None:
        self._store = store
        self._lanes = {key: Lane(adapter, asyncio.Semaphore(rhythm.concurrency)) for key, adapter in adapters.items()}
        self._rhythm = rhythm
        self._clock = clock
        self._new_id = new_id
        self._matches: dict[str, Followed] = {}
        self._heap: list[tuple[float, int, str]] = []
        self._sequence = count()
        self._woken = asyncio.Event()
        self._polls: set[asyncio.Task[None]] = set()

    def __len__(self) -> int:
        return len(self._matches)

    @property
    def matches(self) -> tuple[Followed, ...]:
        return tuple(self._matches.values())

    async def load(self) -> None:
        """Take up every match that liveblogs still wait for, as the store left it."""
        for row in await self._store.read(sync.follows):
            await self.follow(row.id)

    async def follow(self, follow_id: str, *, afresh: bool = False) -> None:
        """Take up a match; `afresh`: another liveblog joined it, so forget the validators and look at everything now."""
        row, resources, wants_text = await self._store.read(partial(_load, follow_id=follow_id))
        if row.endpoint not in self._lanes:
            log.warning("match.endpoint_missing", match=row.match_id, endpoint=row.endpoint)
            return
        match = self._matches.get(follow_id)
        if match is None:
            status = Status(row.status)
            match = Followed(
                id=row.id,
                match_id=row.match_id,
                endpoint=row.endpoint,
                text=wants_text,
                known={
                    name: Known(etag=each.etag, digest=each.digest, rows=each.rows) for name, each in resources.items()
                },
                hints=row.hints,
                status=status,
                kickoff=row.kickoff,
                over_since=row.changed_at if status.over else None,
                pending=bool(row.pending),
                good_at=row.good_at,
                changed_at=row.changed_at,
            )
            self._matches[follow_id] = match
        match.text, match.afresh = wants_text, afresh
        self._schedule(match, pacing.phase(match.match_id, self._rhythm.pace.live))

    async def run(self) -> None:
        """Drive the polls until cancelled; polls under way are then finished or cancelled by `stop`."""
        while True:
            await self._sleep()
            while self._heap and self._heap[0][0] <= monotonic():
                due, _, follow_id = heappop(self._heap)
                match = self._matches.get(follow_id)
                if match is not None and match.due == due and not match.busy:
                    self._start(match)

    async def stop(self, grace: float = 8.0) -> None:
        """Let polls that are under way finish within `grace` seconds, then cancel what is left."""
        if self._polls:
            _, late = await asyncio.wait(self._polls, timeout=grace)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    async def _sleep(self) -> None:
        self._woken.clear()
        wait = self._heap[0][0] - monotonic() if self._heap else None
        if wait is not None and wait <= 0:
            return
        try:
            async with asyncio.timeout(wait):
                await self._woken.wait()
        except TimeoutError:
            return

    def _schedule(self, match: Followed, wait: float) -> None:
        match.due = monotonic() + wait
        heappush(self._heap, (match.due, next(self._sequence), match.id))
        self._woken.set()

    def _start(self, match: Followed) -> None:
        match.busy = True
        task = asyncio.create_task(self._poll_and_plan(match), name=f"poll {match.match_id}")
        self._polls.add(task)
        task.add_done_callback(self._polls.discard)

    async def _poll_and_plan(self, match: Followed) -> None:
        """Poll once and plan the next poll, whatever happens: no match is ever forgotten."""
        fresh_for: float | None = None
        retry_after: float | None = None
        try:
            fetched = await self._poll(match)
            fresh_for = min((a.fresh_for for a in fetched.answers if a.fresh_for is not None), default=None)
            retry_after = self._account(match, fetched)
        except ServiceError as error:
            self._fail(match, error)
            retry_after = error.retry_after
        except Exception:
            log.exception("match.sync_failed", match=match.match_id)
            match.failures += 1
        finally:
            match.busy = False
        self._plan(match, fresh_for, retry_after)

    def _plan(self, match: Followed, fresh_for: float | None, retry_after: float | None) -> None:
        pace = self._rhythm.pace
        if match.afresh:
            self._schedule(match, 0.0)
            return
        wait = pacing.interval(
            pace,
            match.status,
            now=self._clock(),
            kickoff=match.kickoff,
            over_since=match.over_since,
            pending=match.pending,
        )
        if wait is None:
            self._start_closing(match)
            return
        if match.failures:
            jitter = random.random()  # noqa: S311 -- spreads load, guards nothing
            wait = pacing.backoff(pace, wait, failures=match.failures, jitter=jitter, retry_after=retry_after)
        else:
            wait = pacing.align(pace, wait, fresh_for)
        self._schedule(match, wait)

    async def _poll(self, match: Followed) -> Fetched:
        lane = self._lanes[match.endpoint]
        async with lane.slots:
            if match.afresh:
                match.known, match.afresh = {}, False
            fetched = await lane.adapter.fetch(match.match_id, match.known, text=match.text, hints=match.hints)
        match.polls += 1
        if fetched.changed or (match.pending and fetched.good):
            await self._apply(match, lane.adapter, fetched)
        for answer in fetched.answers:
            _note_validators(match, answer)
        return fetched

    async def _apply(
        self, match: Followed, adapter: ProviderAdapter, fetched: Fetched, *, closing: bool = False
    ) -> None:
        """Translate the snapshot and bring the liveblogs in line with it, in one unit."""
        bodies = await self._store.read(partial(sync.bodies, follow_id=match.id))
        bodies |= {answer.resource: answer.body for answer in fetched.changed if answer.body is not None}
        translated = adapter.translate(match.match_id, bodies)
        for fault in translated.faults:
            log.info("match.row_skipped", match=match.match_id, **asdict(fault))
        snapshot = syncing.Snapshot(
            match=translated, good=sources(fetched, adapter), answers=fetched.answers, hints=fetched.hints
        )
        applied = await self._store.write(
            partial(syncing.apply, follow_id=match.id, snapshot=snapshot, new_id=self._new_id, closing=closing)
        )
        now = self._clock()
        if translated.status.over:
            match.over_since = now if match.over_since is None or fetched.changed else match.over_since
        else:
            match.over_since = None
        if match.status is not translated.status:
            log.info("match.status_changed", match=match.match_id, status=translated.status.value)
        match.status, match.kickoff, match.pending = translated.status, translated.kickoff, applied.pending
        match.hints = fetched.hints
        match.changed_at = now if fetched.changed else match.changed_at

    def _account(self, match: Followed, fetched: Fetched) -> float | None:
        """Book successes and failures of a poll; returns how long the provider asked us to stay away."""
        if fetched.good:
            match.good_at = self._clock()
            match.silent = False
        text = self._lanes[match.endpoint].adapter.text_resource
        errors = [answer.error for answer in fetched.failed if answer.error is not None and answer.resource != text]
        if errors:
            self._fail(match, errors[0])
            return max((error.retry_after for error in errors if error.retry_after is not None), default=None)
        if match.failing_since is not None:
            log.info("provider.recovered", match=match.match_id, endpoint=match.endpoint, failures=match.failures)
        match.failures, match.failing_since = 0, None
        return None

    def _fail(self, match: Followed, error: ServiceError) -> None:
        match.failures += 1
        if match.failing_since is None:
            match.failing_since = self._clock()
            event = "store.unavailable" if isinstance(error, StoreUnavailable) else "provider.lost"
            log.warning(event, match=match.match_id, endpoint=match.endpoint, cause=error.message)
        if isinstance(error, ProviderRefused):
            match.failures = max(match.failures, 8)

    def _start_closing(self, match: Followed) -> None:
        task = asyncio.create_task(self._close(match), name=f"close {match.match_id}")
        self._polls.add(task)
        task.add_done_callback(self._polls.discard)

    async def _close(self, match: Followed) -> None:
        """The window after the end is over: settle what is still open and stop following."""
        try:
            nothing_new = Fetched(answers=(), hints=match.hints)
            await self._apply(match, self._lanes[match.endpoint].adapter, nothing_new, closing=True)
        except ServiceError as error:
            log.warning("match.closing_failed", match=match.match_id, cause=error.message)
            self._schedule(match, self._rhythm.pace.backoff_max)
            return
        del self._matches[match.id]
        log.info("match.closed", match=match.match_id)

    async def watch_silence(self) -> None:
        """Raise one alarm for each running match that has had no good answer for too long."""
        for match in self._matches.values():
            quiet = self._clock() - (match.good_at or self._clock())
            if match.status.running and quiet > self._rhythm.silence_alarm and not match.silent:
                match.silent = True
                log.error("match.silent", match=match.match_id, endpoint=match.endpoint, seconds=round(quiet))


def sources(fetched: Fetched, adapter: ProviderAdapter) -> frozenset[str]:
    """The sources of posts that this poll confirms: `play` if every resource of the match itself answered well."""
    failed = {answer.resource for answer in fetched.failed}
    asked = {answer.resource for answer in fetched.answers}
    text = {adapter.text_resource} & asked
    play = asked - text
    return frozenset(name for name, needed in (("play", play), ("text", text)) if needed and not needed & failed)


def _load(conn: Connection, follow_id: str) -> tuple[sync.FollowRow, dict[str, sync.ResourceRow], bool]:
    row = sync.follow(conn, follow_id)
    if row is None:
        raise LookupError(follow_id)
    wants_text = any(Terms.from_dict(each.terms).text for each in sync.attachments_of(conn, follow_id))
    return row, sync.resources(conn, follow_id), wants_text


def _note_validators(followed: Followed, answer: Answer) -> None:
    earlier = followed.known.get(answer.resource, Known())
    match answer.outcome:
        case Outcome.CHANGED:
            followed.known[answer.resource] = Known(etag=answer.etag, digest=answer.digest, rows=answer.rows)
        case Outcome.UNCHANGED if answer.etag and answer.etag != earlier.etag:
            followed.known[answer.resource] = Known(etag=answer.etag, digest=earlier.digest, rows=earlier.rows)
