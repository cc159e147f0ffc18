"""One round of a webhook delivery: signed, posted through the guard, tried again quickly while that may help."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import sha256
from importlib import metadata
from typing import TYPE_CHECKING

from standardwebhooks import Webhook

from config.sections import Webhooks
from mapping.rules import delivery as rules
from mapping.rules.delivery import Plan, Verdict
from mapping.rules.retry_after import parse_retry_after
from store.webhooks.deliveries import Delivery

if TYPE_CHECKING:
    from ingest.webhooks.receiver_client import ReceiverClient, Response

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
