"""The hub at work: it confirms requests, sends feeds that have changed, and ends leases.

What is to be done stands in the table: a subscriber lacks a version, or a request waits. Processes that share a database
claim rows for longer than a call can take, so that each version goes to a subscriber from one of them.
"""

from __future__ import annotations

import asyncio
import secrets
from functools import partial
from typing import TYPE_CHECKING

import structlog
from cachetools import LRUCache

from ingest.webhooks.single_flight import SingleFlight
from ingest.websub.subscriber import SubscriberClient
from mapping.errors import NotFound, ServiceError
from mapping.rules import websub
from store import hub_subscriptions as rows
from store.lasting import repeat
from store.log_once import LogOnce

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from api.websub.topics import PushedFeed, Topics
    from config.sections import WebSub
    from ingest.daemon.containment import Containment
    from ingest.guard.ssrf_guard import SsrfGuard
    from ingest.webhooks.steady_clock import SteadyClock
    from store.database import Store
    from store.hub_subscriptions import FeedSubscriber
    from store.postgres.notify import Stepped

log = structlog.get_logger()

TICK = 1.0
SETTLING = 0.05
"""Seconds before the table is looked at again."""
CALLS = 3
"""Calls that may be made under one claim: a confirmation, a delivery, a denial."""
SLACK = 15.0
"""Seconds that a claim holds beyond these calls."""
KEPT = 32
"""Feeds that are kept as they were rendered: all subscribers of one get the same bytes."""
GONE = 410


class Hub:
    """Started like the dispatcher of webhooks, and woken after commits."""

    def __init__(
        self,
        store: Store,
        guard: SsrfGuard,
        settings: WebSub,
        topics: Topics,
        *,
        timing: SteadyClock,
        containment: Containment,
    ) -> None:
        self._store = store
        self._guard = guard
        self._settings = settings
        self._topics = topics
        self._timing = timing
        self._contained = containment
        self._jobs = SingleFlight(self._serve)
        self._calls = asyncio.Semaphore(settings.deliveries)
        self._rendering = asyncio.Lock()
        self._rendered: LRUCache[tuple[str, int], PushedFeed] = LRUCache(KEPT)
        self._woken = asyncio.Event()
        self._looked = LogOnce("websub.look_failed", "websub.look_recovered")
        self._is_used = True
        """Whether there was any subscriber at the last look."""

    def wake(self, _: Stepped = None) -> None:
        """Something may have changed; costs nothing when called often, nor while nobody subscribes."""
        if self._is_used:
            self._woken.set()

    async def run(self) -> None:
        """Look for what is to be done until cancelled."""
        await repeat(self._turn, self._contained.loop("websub"))

    async def _turn(self) -> None:
        self._woken.clear()
        try:
            for each in await self._due():
                self._jobs.ask(each)
            self._looked.worked()
        except ServiceError as error:
            self._looked.failed(cause=error.message)
        await asyncio.sleep(SETTLING)
        await self._wait()

    async def _due(self) -> list[str]:
        """Ids of subscribers for whom something is to be done; notes whether there is any at all."""
        now, limit = self._timing.now(), 2 * self._settings.deliveries

        def look(conn: Connection) -> tuple[list[str], bool]:
            due = rows.due(conn, now=now, limit=limit)
            return due, bool(due) or rows.any_subscriber(conn)

        due, self._is_used = await self._store.read(look)
        return due

    async def stop(self, grace: float = 10.0) -> None:
        """Let calls under way end within `grace` seconds; other processes repeat what was cut off."""
        await self._jobs.stop(grace)

    async def _wait(self) -> None:
        try:
            async with asyncio.timeout(TICK):
                await self._woken.wait()
        except TimeoutError:
            return

    async def _serve(self, id_: str) -> None:
        """Do what is due for one subscriber, if no other process does it."""
        async with self._calls:
            now, seconds = self._timing.now(), CALLS * self._settings.timeout + SLACK
            claimed = await self._store.write(partial(rows.claim_subscriber, id_=id_, now=now, seconds=seconds))
            if claimed is None:
                return
            await self._work(claimed)
            # A confirmation that raised keeps its claim, so that it is tried again, and logged, no sooner than that ends.
            await self._store.write(partial(rows.release_subscriber, claimed=claimed))

    async def _work(self, claimed: FeedSubscriber) -> None:
        client = SubscriberClient(self._guard, claimed.callback, seconds=self._settings.timeout)
        if claimed.requested is not None:
            await self._confirm(claimed, client)
        elif claimed.has_ended(self._timing.now()):
            await self._store.write(partial(rows.end, claimed=claimed))
        elif claimed.may_get(self._timing.now()):
            await self._try_push(claimed, client)

    async def _confirm(self, claimed: FeedSubscriber, client: SubscriberClient) -> None:
        """Let the subscriber say whether it sent the request; what it does not confirm is forgotten."""
        if claimed.requested == "subscribe" and await self._publication(claimed) is None:
            await self._deny(claimed, client)
            return
        mode, challenge = claimed.requested or "", secrets.token_hex(websub.CHALLENGE_BYTES)
        if await client.confirms(claimed.topic, mode, challenge, claimed.requested_lease):
            await self._store.write(partial(rows.confirm, claimed=claimed, now=self._timing.now()))
            log.info("websub.confirmed", mode=mode, subscriber=claimed.id, host=claimed.callback_host)
        else:
            await self._store.write(partial(rows.refuse, claimed=claimed))
            log.info("websub.unconfirmed", subscriber=claimed.id, host=claimed.callback_host)

    async def _deny(self, claimed: FeedSubscriber, client: SubscriberClient) -> None:
        await client.deny(claimed.topic, "the feed cannot be read without a secret, or not any more")
        await self._store.write(partial(rows.end, claimed=claimed))
        log.info("websub.denied", subscriber=claimed.id, host=claimed.callback_host)

    async def _try_push(self, claimed: FeedSubscriber, client: SubscriberClient) -> None:
        """Push the newest version; an error that nobody has foreseen counts as a delivery that failed."""
        try:
            await self._push(claimed, client)
        except ServiceError:
            raise
        except Exception:
            log.exception("websub.push_raised", subscriber=claimed.id, host=claimed.callback_host)
            await self._record(claimed, claimed.version, failures=claimed.failures + 1)

    async def _push(self, claimed: FeedSubscriber, client: SubscriberClient) -> None:
        """Send the newest version; what fails is tried again later with what is the newest then."""
        found = await self._publication(claimed)
        if found is None:
            await self._deny(claimed, client)
            return
        if found.version <= claimed.version:
            return
        status = await client.push(found.headers, found.body, claimed.secret)
        if status == GONE:
            await self._store.write(partial(rows.end, claimed=claimed))
            log.info("websub.gone", subscriber=claimed.id, host=claimed.callback_host)
            return
        success = status is not None and 200 <= status <= 299
        failures = 0 if success else claimed.failures + 1
        await self._record(claimed, found.version if success else claimed.version, failures=failures)
        if failures == 1:
            log.info("websub.push_failed", subscriber=claimed.id, host=claimed.callback_host, status=status)

    async def _record(self, claimed: FeedSubscriber, version: int, *, failures: int) -> None:
        """Note the version that the subscriber has, and when the next delivery may begin."""
        pause = max(self._settings.pause, websub.pause_after(failures) if failures else 0.0)
        next_at = self._timing.now() + pause
        await self._store.write(
            partial(rows.record_push, claimed=claimed, version=version, failures=failures, next_at=next_at)
        )

    async def _publication(self, claimed: FeedSubscriber) -> PushedFeed | None:
        """The feed as anybody may read it now; None where nobody may without a secret, or its address names none any more."""

        def read(conn: Connection) -> PushedFeed:
            topic = self._topics.topic(claimed.topic)
            version = self._topics.liveblog(conn, topic).version
            key = (claimed.topic, version)
            return self._rendered.get(key) or self._topics.publication(conn, topic)

        async with self._rendering:
            try:
                found = await self._store.read(read)
            except NotFound:
                return None
            self._rendered[claimed.topic, found.version] = found
            return found
