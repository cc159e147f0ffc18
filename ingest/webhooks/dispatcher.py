"""Webhook deliveries of this process: notices what changed and lets each receiver's worker deliver it."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Protocol
from urllib.parse import urlsplit

import structlog
from prometheus_client import CollectorRegistry
from sqlalchemy import Connection

from config.sections import Webhooks
from ingest.guard.ssrf_guard import SsrfGuard
from ingest.jobs.purges import Purging
from ingest.kit.bulkhead import Bulkhead, FairRateLimiter
from ingest.kit.quarantine import AGAIN, Quarantine
from ingest.kit.steady_clock import SteadyClock
from ingest.kit.tasks import KeyedTasks
from ingest.webhooks.attempt import DeliveryMetrics, ReceiverClient, RoundOutcome
from ingest.webhooks.receiver import ReceiverWorker
from ingest.webhooks.receiver_rows import AttemptWriter, OutboxSequencer, ReceiverRows
from mapping.errors import ServiceError
from mapping.rules import webhook_delivery as rules
from store.database import Store
from store.engine import spans
from store.engine.errors import UnreadableRow
from store.engine.loops import LogOnce, repeat
from store.engine.unit import Stepped
from store.webhooks import deliveries, delivery_log, outbox, webhooks
from store.webhooks.outbox import OutboxRow
from store.webhooks.webhooks import Subscription

log = structlog.get_logger()

TICK = 1.0
SETTLING = 0.02
"""Seconds before a look is repeated: what changes in between is found together."""
LOOK_BEHIND = 10
"""Ticks after which all subscriptions are looked at, also those that another process had claimed."""
NEWS = 500
"""Rows that are read once for all receivers; of a larger backlog each reads its own."""
CROWD = 200
"""Subscriptions that are looked up in the unit that numbers, or woken in one turn of the event loop."""
READING = 3
"""Receivers that read from the store at a time."""
IDLE = 120.0
"""Seconds after which a receiver's connections are closed."""


class ClaimOwner(Protocol):
    """In whose name receivers are claimed: a row of `workers`, as long as others count it as alive."""

    @property
    def owner(self) -> str | None:
        """None while this process may claim nothing."""


@dataclass(frozen=True, slots=True)
class SoleOwner:
    """The only process there can be (SQLite): whoever has a claim is alive."""

    owner: str = field(default_factory=partial(secrets.token_hex, 8))


@dataclass(frozen=True, slots=True)
class _News:
    """Outbox rows by organization, read once for all receivers, and who may want them: their subscriptions.

    `subscriptions` None: they are so many that they are read beside the writer. `whole`: the rows are all that there are.
    """

    rows: dict[str, list[OutboxRow]] = field(default_factory=dict)
    subscriptions: list[str] | None = field(default_factory=list)
    whole: bool = True

    @property
    def organizations(self) -> list[str] | None:
        """Whose subscriptions may want them; None for all."""
        return list(self.rows) if self.whole else None


def _news(conn: Connection, owner: str, after: int, through: int) -> _News:
    """What came after one number, through another, for whom `owner` may deliver."""
    rows = outbox.news(conn, after=after, through=through, limit=NEWS) if through > after else {}
    news = _News(rows, [], whole=sum(map(len, rows.values())) < NEWS)
    if not rows:
        return news
    found = webhooks.claimable_ids(conn, owner, news.organizations, most=CROWD + 1)
    return replace(news, subscriptions=found if len(found) <= CROWD else None)


class Dispatcher:
    """A worker for each receiver that this process has claimed; started like the followers, woken after commits."""

    def __init__(
        self,
        store: Store,
        guard: SsrfGuard,
        settings: Webhooks,
        *,
        quarantine: Quarantine,
        timing: SteadyClock | None = None,
        registry: CollectorRegistry | None = None,
        claim_owner: ClaimOwner | None = None,
    ) -> None:
        self.store = store
        self.timing = timing or SteadyClock()
        self.plan, self.limits, self.connections = rules.PLAN, settings, settings.connections
        self.stopping = False
        self.metrics = DeliveryMetrics(registry or CollectorRegistry())
        self._log_kept = settings.log_kept
        self._quarantined = quarantine
        self._paused_until: dict[str, float] = {}
        """Receivers that cannot be worked on, and when they are tried again (steady seconds)."""
        self._guard = guard
        self._claim_owner = claim_owner or SoleOwner()
        self._sequencer = OutboxSequencer(store, self.timing, self.metrics)
        self._name: str | None = None
        self._seen: int | None = None
        self._ticks = 0
        self._receivers: dict[str, ReceiverWorker] = {}
        self._clients: dict[str, ReceiverClient] = {}
        self._jobs = KeyedTasks(self._drain)
        self._purging = Purging(store)
        self.rows = ReceiverRows(store)
        self.recorder = AttemptWriter(store)
        self.reading = asyncio.Semaphore(READING)
        self.rates = FairRateLimiter(settings.rate, settings.rate)
        self.bulkhead = Bulkhead(settings.rounds, settings.organization_rounds)
        self.metrics.watch(self.bulkhead)
        self._woken = asyncio.Event()
        self._looked = LogOnce("webhooks.look_failed", "webhooks.look_recovered")
        self._released = True
        self._tick_at = 0.0

    @property
    def newest(self) -> int:
        """The delivery number up to which the receivers may read: what lies beyond is handed to them first."""
        return self._seen or 0

    @property
    def owner(self) -> str | None:
        return self._claim_owner.owner

    def wake(self, _: Stepped = None) -> None:
        """Something may have changed; costs nothing when called often."""
        self._woken.set()

    async def run(self, *, alone: bool = False) -> None:
        """Notice and deliver until cancelled. `alone`: no other process can claim a receiver (SQLite)."""
        self._released = not alone
        self._tick_at = self.timing.steady()
        await repeat(self._turn, self._quarantined.loop("webhooks"))

    async def _turn(self) -> None:
        complete = True
        try:
            complete = await self._look()
            self._looked.worked()
        except ServiceError as error:
            self._looked.failed(cause=error.message)
        await asyncio.sleep(SETTLING)
        if complete:
            await self._wait(TICK)
        self._woken.clear()

    async def _look(self) -> bool:
        """Notice what is new, and what is due; False when more is new."""
        if not self._released:
            await self.store.write(deliveries.release)
            self._released = True
        complete = await self._notice()
        if self.timing.steady() >= self._tick_at:
            self._tick_at = self.timing.steady() + TICK * self.timing.speed
            await self._tick()
        return complete

    async def stop(self, grace: float = 10.0) -> None:
        """Let rounds under way end within `grace` seconds, then leave the receivers to others."""
        self.stopping = True
        for receiver in self._receivers.values():
            receiver.wake()
        await self._jobs.stop(grace)
        await self.recorder.stop()
        claimed = [receiver.claimed for receiver in self._receivers.values() if receiver.claimed is not None]
        try:
            if claimed:
                await self.store.write(partial(deliveries.release_claims, claimed=claimed))
        except ServiceError as error:
            log.warning("webhooks.release_failed", cause=error.message)
        await _close(self._clients.values())

    async def purge(self) -> bool:
        """Forget what is older than the log is kept, for some seconds; whether that is all."""
        return await self._purging.deliveries(before=self.timing.now() - self._log_kept)

    def observe(self, webhook_id: str, outcome: RoundOutcome) -> None:
        """Count a round of the receiver, which has a span of its own."""
        self.metrics.round(outcome)
        names: dict[str, str | int] = {"matchwire.webhook": webhook_id, "matchwire.tries": outcome.tries}
        if outcome.status is not None:
            names["http.response.status_code"] = outcome.status
        spans.after("webhook.round", outcome.took, names, failed=outcome.result is not rules.Verdict.TAKEN)

    async def _notice(self) -> bool:
        """Ask for the receivers of what is new; False when more of it waits for its number."""
        owner = self.owner
        if owner != self._name:
            self._name, self._seen = owner, None
        after = self._seen

        def look(conn: Connection, last: int) -> _News:
            return _news(conn, owner, after, last) if owner is not None and after is not None else _News()

        sequence, news = await self._sequencer.advance(look)
        if owner is None:
            return True
        if after is None:  # as this process found it, or finds it again
            late = await self.store.read(partial(webhooks.behind, owner=owner, through=sequence.last))
            self._seen = sequence.last
            await self._ask(late)
        elif sequence.last > after:
            await self._spread(news, owner, after, sequence.last)
        return sequence.complete

    async def _spread(self, news: _News, owner: str, after: int, through: int) -> None:
        """Hand what is new to all receivers that have read what was before it; the others read for themselves."""
        rows, wanted = news.rows, news.subscriptions
        if wanted is None:
            work = partial(webhooks.claimable_ids, owner=owner, organizations=news.organizations)
            wanted = await self.store.read(work)
        self._seen = through
        if news.whole:
            for number, receiver in enumerate([*self._receivers.values()], 1):
                receiver.offer(rows.get(receiver.organization, ()), after=after, through=through)
                if number % CROWD == 0:
                    await asyncio.sleep(0)
        await self._ask(wanted)

    async def _tick(self) -> None:
        """Ask for what has become due, and for what somebody who died has left; now and then for everything."""
        now, owner = self.timing.now(), self.owner
        if owner is None:
            return
        far = rules.far(self.plan, now)

        def look(conn: Connection) -> tuple[list[str], int]:
            due = webhooks.waiting_for(conn, owner, now=now, far=far)
            return [*due, *webhooks.orphaned_ids(conn, owner)], outbox.count_unnumbered(conn)

        due, unnumbered = await self.store.read(look)
        await self._ask(due, due=True)
        self._sequencer.watch(unnumbered)
        self._ticks += 1
        if self._ticks % LOOK_BEHIND == 1:
            await self._ask(await self.store.read(partial(webhooks.behind, owner=owner, through=self.newest)))
            for webhook_id, status in (await self.store.read(webhooks.in_no_known_state)).items():
                cause = UnreadableRow(f"webhooks.status: {status!r}")
                self._quarantined.failed("receiver", webhook_id, cause, receiver=webhook_id)
            self.metrics.webhooks(await self.store.read(partial(delivery_log.backlog, through=self.newest)), now)
            await self._rest()

    async def _wait(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._woken.wait()
        except TimeoutError:
            return

    async def _ask(self, ids: list[str], *, due: bool = False) -> None:
        """Wake the receivers, a crowd of them in several turns of the event loop."""
        for number, each in enumerate(ids, 1):
            if number % CROWD == 0:
                await asyncio.sleep(0)
            receiver = self._receivers.get(each)
            if receiver is None or not receiver.wake(due=due):
                self._jobs.ask(each)

    async def _drain(self, webhook_id: str) -> None:
        """Deliver what is due to one receiver; whatever is wrong with it alone is logged once."""
        if self.timing.steady() < self._paused_until.get(webhook_id, 0.0):
            return
        try:
            await self._drain_receiver(webhook_id)
        except ServiceError:
            raise
        except Exception as error:  # noqa: BLE001 -- whatever it is belongs to this receiver
            self._paused_until[webhook_id] = self.timing.steady() + AGAIN
            self._quarantined.failed("receiver", webhook_id, error, receiver=webhook_id)
        else:
            self._paused_until.pop(webhook_id, None)
            self._quarantined.recovered("receiver", webhook_id, receiver=webhook_id)

    async def _drain_receiver(self, webhook_id: str) -> None:
        receiver, owner = self._receivers.get(webhook_id), self.owner
        if receiver is None or not receiver.is_claimed:
            if owner is None:  # the tick asks again
                return
            claimed = await self.rows.claim(webhook_id, owner)
            if claimed is None:
                await _close(self._forget([webhook_id]))
                return
            receiver = self._receivers[webhook_id] = ReceiverWorker(
                claimed, self._client_of(claimed), urlsplit(claimed.url).netloc, self
            )
        await receiver.drain()

    def _client_of(self, claimed: Subscription) -> ReceiverClient:
        """The receiver's own connections, kept from one claim to the next."""
        if claimed.id not in self._clients:
            guard = self._guard.on_behalf_of(claimed.organization_id)
            self._clients[claimed.id] = ReceiverClient(guard, claimed.url, connections=self.connections)
        return self._clients[claimed.id]

    async def _rest(self) -> None:
        """Leave receivers that have had nothing for a while to whoever comes first, and close their connections."""
        before = self.timing.steady() - IDLE * self.timing.speed
        resting = {
            key: receiver for key, receiver in self._receivers.items() if not receiver.busy and receiver.used < before
        }
        await _close(self._forget(resting))
        if claimed := [receiver.claimed for receiver in resting.values() if receiver.claimed is not None]:
            await self.store.write(partial(deliveries.release_claims, claimed=claimed))
        self.rates.forget()

    def _forget(self, ids: Iterable[str]) -> list[ReceiverClient]:
        """Give the receivers up at once; what is awaited after it cannot meet one that has begun anew."""
        found = []
        for each in ids:
            self._receivers.pop(each, None)
            if (client := self._clients.pop(each, None)) is not None:
                found.append(client)
        return found


async def _close(clients: Iterable[ReceiverClient]) -> None:
    for each in clients:
        await each.close()
