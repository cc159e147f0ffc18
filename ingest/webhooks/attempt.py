"""Makes one round of a webhook delivery: signs it, posts it over the receiver's own connections, and counts it.

It is tried again quickly while that may help. No metric names an address or a client.
"""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import sha256
from importlib import metadata
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from standardwebhooks import Webhook
from yarl import URL

from config.sections import Webhooks
from ingest.guard.ssrf_guard import SsrfGuard
from ingest.kit.bulkhead import Bulkhead
from mapping.rules import webhook_delivery as rules
from mapping.rules.pacing import parse_retry_after
from mapping.rules.webhook_delivery import Plan, Verdict
from store.webhooks.deliveries import Delivery
from store.webhooks.delivery_log import Backlog

if TYPE_CHECKING:  # heavy: loaded for the first delivery
    import aiohttp

HEADERS = {
    "Content-Type": "application/json",
    "User-Agent": f"matchwire/{metadata.version('matchwire')} (webhooks)",
    "Accept": "*/*",
    "Accept-Encoding": "identity",
}
KEPT = 4096
"""Bodies and secrets that are kept at hand: a version goes to all receivers of its organization."""

MESSAGES = {
    Verdict.TAKEN: "delivered",
    Verdict.PASSING: "the endpoint answered with an error",
    Verdict.REFUSED: "the endpoint did not accept the delivery",
}
UNREACHABLE = "the endpoint did not answer"


BUCKETS = (0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
OUTCOMES = {Verdict.TAKEN: "taken", Verdict.PASSING: "unreachable", Verdict.REFUSED: "refused"}


RESPONSE_BYTES = 64 * 1024
"""How much of a response's body is read; with what comes after it the connection is closed."""
CONNECT = 3.0
"""Seconds that a new connection may take, look-up and TLS included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundOutcome:
    """What a round came to. `retry_after`: seconds that a 429 or 503 demanded."""

    result: Verdict
    status: int | None
    message: str
    tries: int
    took: float
    retry_after: float | None = None


@dataclass(frozen=True, slots=True)
class _Try:
    result: Verdict
    status: int | None
    message: str
    retry_after: float | None = None


def body_of(delivery: Delivery) -> str:
    """The four fields of the interface."""
    event_type = "ping" if delivery.kind == "ping" else "ticker_update"
    return _body(event_type, delivery.game_id, delivery.local_id, delivery.version)


@lru_cache(KEPT)
def _body(event_type: str, game_id: str, local_id: str, version: int) -> str:
    fields = {"event_type": event_type, "ticker_id": game_id, "local_id": local_id, "version": str(version)}
    return json.dumps(fields, separators=(",", ":"))


def message_id(webhook_id: str, delivery: Delivery) -> str:
    """The `webhook-id`: the same for each try, round and replay of one version to one receiver."""
    named = delivery.number if delivery.kind != "ping" else f"ping-{delivery.id}"
    return f"msg_{sha256(f'{webhook_id}.{named}'.encode()).hexdigest()[:32]}"


def signature_headers(message: str, body: str, secrets: Sequence[str], now: float) -> dict[str, str]:
    """The headers of Standard Webhooks, with one signature for each secret that is valid. `now`: Unix seconds."""
    instant = datetime.fromtimestamp(int(now), UTC)
    signatures = " ".join(_signer(each).sign(message, instant, body) for each in secrets)
    return {"webhook-id": message, "webhook-timestamp": str(int(now)), "webhook-signature": signatures}


_signer = lru_cache(KEPT)(Webhook)


async def make_round(
    client: ReceiverClient,
    webhook_id: str,
    delivery: Delivery,
    secrets: Sequence[str],
    *,
    plan: Plan = rules.PLAN,
    limits: Webhooks,
    may_continue: Callable[[], bool],
    wall: Callable[[], float] = time.time,
) -> RoundOutcome | None:
    """Deliver, trying again quickly as the plan says, within the limits; never raises for what the receiver does.

    `may_continue` is called before each try; None when it says no.
    """
    message, body = message_id(webhook_id, delivery), body_of(delivery)
    began, tries, took = time.monotonic(), 0, 0.0
    while may_continue():
        headers = HEADERS | signature_headers(message, body, secrets, wall())
        tried = await _try(client, headers, body.encode(), min(limits.try_timeout, limits.round_timeout - took), wall)
        tries += 1
        took = time.monotonic() - began
        jitter = random.random()  # noqa: S311 -- spreads load, guards nothing
        pause = rules.quick_pause(plan, tried.result, tries=tries, left=limits.round_timeout - took, jitter=jitter)
        if pause is None:
            return RoundOutcome(
                result=tried.result,
                status=tried.status,
                message=tried.message,
                tries=tries,
                took=took,
                retry_after=tried.retry_after,
            )
        await asyncio.sleep(pause)
        took = time.monotonic() - began
    return None


async def _try(
    client: ReceiverClient, headers: dict[str, str], body: bytes, seconds: float, wall: Callable[[], float]
) -> _Try:
    try:
        async with asyncio.timeout(seconds):
            response = await client.post(headers, body)
    except OSError:  # a time-out too, and an address that may not be called: nobody learns which of them it was
        return _Try(Verdict.PASSING, None, UNREACHABLE)
    result = rules.verdict(response.status)
    return _Try(result, response.status, MESSAGES[result], retry_after(response, wall()))


def retry_after(response: Response, now: float) -> float | None:
    """Seconds from `now` that a 429 or 503 asks to stay away; None for other responses and for what makes no sense."""
    return parse_retry_after(response.retry_after, now) if response.status in {429, 503} else None


class DeliveryMetrics:
    """What one process does for webhooks, in a registry."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._rounds = Counter(
            "matchwire_webhook_rounds",
            "Rounds of webhook deliveries by outcome: taken, refused, unreachable",
            ["outcome"],
            registry=registry,
        )
        self._tries = Counter("matchwire_webhook_tries", "Requests made for webhook deliveries", registry=registry)
        self._seconds = Histogram(
            "matchwire_webhook_round_seconds", "Length of a round", buckets=BUCKETS, registry=registry
        )
        self._backlog = Gauge("matchwire_webhook_backlog", "Updates that wait for their first round", registry=registry)
        self._oldest = Gauge(
            "matchwire_webhook_oldest_seconds",
            "Age of the oldest update that waits for its first round",
            registry=registry,
        )
        self._waiting = Gauge("matchwire_webhook_waiting", "Deliveries that wait for another round", registry=registry)
        self._subscriptions = Gauge(
            "matchwire_webhook_subscriptions",
            "Subscriptions by status: active, disabled",
            ["status"],
            registry=registry,
        )
        self._number = Gauge("matchwire_outbox_number", "Delivery number given last", registry=registry)
        self._unnumbered = Gauge(
            "matchwire_outbox_unnumbered", "Committed updates that wait for their delivery number", registry=registry
        )
        self._under_way = Gauge(
            "matchwire_webhook_rounds_under_way", "Rounds of deliveries under way", registry=registry
        )
        self._queued = Gauge(
            "matchwire_webhook_rounds_queued",
            "Rounds that wait for others to end: the limits are reached",
            registry=registry,
        )
        self.registry = registry
        for outcome in OUTCOMES.values():
            self._rounds.labels(outcome)

    def round(self, outcome: RoundOutcome) -> None:
        """Count one round."""
        self._rounds.labels(OUTCOMES[outcome.result]).inc()
        self._tries.inc(outcome.tries)
        self._seconds.observe(outcome.took)

    def watch(self, bulkhead: Bulkhead) -> None:
        """Show how much of the limits on rounds is used."""
        self._under_way.set_function(lambda: bulkhead.taken)
        self._queued.set_function(lambda: bulkhead.waiting)

    def webhooks(self, backlog: Backlog, now: float) -> None:
        """Note what waits."""
        self._backlog.set(backlog.updates)
        self._oldest.set(0 if backlog.oldest is None else max(0.0, now - backlog.oldest))
        self._waiting.set(backlog.waiting)
        self._subscriptions.labels("active").set(backlog.active)
        self._subscriptions.labels("disabled").set(backlog.disabled)

    def outbox(self, number: int, unnumbered: int) -> None:
        """Note how far updates are numbered."""
        self._number.set(number)
        self._unnumbered.set(unnumbered)


@dataclass(frozen=True, slots=True)
class Response:
    """What matters of a response. `retry_after`: that header as it was sent, empty without one."""

    status: int
    retry_after: str


class NoResponse(OSError):
    """The connection ended, or what came over it is no response."""


class ReceiverClient:
    """The connections to one receiver: at most `connections`, opened as they are needed."""

    def __init__(self, guard: SsrfGuard, url: str, *, connections: int, connect_timeout: float = CONNECT) -> None:
        self._guard = guard
        self._url = url
        self._connections = connections
        self._connect_timeout = connect_timeout
        self._opened: tuple[aiohttp.ClientSession, URL] | None = None

    async def post(self, headers: Mapping[str, str], body: bytes) -> Response:
        """The response to `body`; redirects are not followed. Raises OSError: Blocked, TimeoutError, NoResponse, …

        Where an idle connection turns out to be dead, the request goes out again, once.
        """
        import aiohttp  # loaded for the first delivery, not for the start of the process

        from ingest.guard.guarded_session import REUSED

        try:
            try:
                return await self._post(headers, body)
            except (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError):
                if self._opened is None or not REUSED.get():
                    raise
            return await self._post(headers, body)
        except OSError:
            raise
        except aiohttp.ClientError as error:
            raise NoResponse from error

    async def close(self) -> None:
        """Close the connections."""
        if self._opened is not None:
            (session, _), self._opened = self._opened, None
            await session.close()

    async def _post(self, headers: Mapping[str, str], body: bytes) -> Response:
        session, url = self._opened or self._open()
        async with session.post(url, data=body, headers=headers, allow_redirects=False) as response:
            await _read(response.content)
            return Response(response.status, response.headers.get("Retry-After", "").strip())

    def _open(self) -> tuple[aiohttp.ClientSession, URL]:
        from ingest.guard.guarded_session import callable_url

        url = callable_url(self._url)
        session = self._guard.session(connections=self._connections, connect_timeout=self._connect_timeout)
        self._opened = session, url
        return self._opened


async def _read(content: aiohttp.StreamReader) -> None:
    """Read a body to its end, so that its connection can be used again, or as far as it is read at all."""
    left = RESPONSE_BYTES
    while left > 0 and (part := await content.read(left)):
        left -= len(part)


def operators_client(webhooks: Webhooks, url: str) -> ReceiverClient:
    """Connections to an address of the configuration, which may lie in the operator's own network."""
    from ingest.guard.ssrf_guard import SsrfGuard

    allowed = (*webhooks.allow_hosts, urlsplit(url).hostname or "")
    return ReceiverClient(SsrfGuard(webhooks.model_copy(update={"allow_hosts": allowed})), url, connections=1)
