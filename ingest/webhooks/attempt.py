"""One round of a webhook delivery: signed, posted through the guard, tried again quickly while that may help."""

from __future__ import annotations

import asyncio
import json
import random
import re
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache
from hashlib import sha256
from importlib import metadata
from typing import TYPE_CHECKING

from standardwebhooks import Webhook

from ingest.webhooks.ssrf_guard import Blocked
from mapping.rules import delivery as rules
from mapping.rules.delivery import Plan, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from config.sections import Webhooks
    from ingest.webhooks.wire import Answer, Wires
    from store.deliveries import Delivery

CONNECT = 3.0
FIELDS = (
    "Content-Type: application/json\r\n"
    f"User-Agent: matchwire/{metadata.version('matchwire')} (webhooks)\r\n"
    "Accept: */*\r\n"
    "Accept-Encoding: identity\r\n"
)
KEPT = 4096
"""Bodies and secrets that are kept at hand: a version goes to all receivers of its organization."""

MESSAGES = {
    Verdict.TAKEN: "delivered",
    Verdict.PASSING: "the endpoint answered with an error",
    Verdict.REFUSED: "the endpoint did not accept the delivery",
}
UNREACHABLE = "the endpoint did not answer"
NOT_ALLOWED = "the endpoint cannot be used"

_SECONDS = re.compile(r"[0-9]{1,9}", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundOutcome:
    """What a round came to. `retry_after`: seconds that a 429 or 503 asked for."""

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


def signed(message: str, body: str, secrets: Sequence[str], now: float) -> str:
    """The header lines of Standard Webhooks, with one signature for each secret that is valid."""
    instant = datetime.fromtimestamp(int(now), UTC)
    signatures = " ".join(_signer(each).sign(message, instant, body) for each in secrets)
    return f"webhook-id: {message}\r\nwebhook-timestamp: {int(now)}\r\nwebhook-signature: {signatures}\r\n"


_signer = lru_cache(KEPT)(Webhook)


async def make_round(
    wires: Wires,
    webhook_id: str,
    delivery: Delivery,
    secrets: Sequence[str],
    *,
    plan: Plan = rules.PLAN,
    limits: Webhooks,
    may: Callable[[], bool],
    wall: Callable[[], float] = time.time,
) -> RoundOutcome | None:
    """Deliver, trying again quickly as the plan says, within the limits; never raises for what the receiver does.

    `may` is asked before each try; None when it says no.
    """
    message, body = message_id(webhook_id, delivery), body_of(delivery)
    began, tries, took = time.monotonic(), 0, 0.0
    while may():
        fields = (FIELDS + signed(message, body, secrets, wall())).encode()
        tried = await _try(wires, fields, body.encode(), min(limits.try_timeout, limits.round_timeout - took), wall)
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


async def _try(wires: Wires, fields: bytes, body: bytes, seconds: float, wall: Callable[[], float]) -> _Try:
    try:
        async with asyncio.timeout(seconds):
            answer = await wires.post(fields, body, connect=min(CONNECT, seconds))
    except Blocked:
        return _Try(Verdict.REFUSED, None, NOT_ALLOWED)
    except OSError:  # time-outs among them
        return _Try(Verdict.PASSING, None, UNREACHABLE)
    result = rules.verdict(answer.status)
    return _Try(result, answer.status, MESSAGES[result], retry_after(answer, wall))


def retry_after(answer: Answer, wall: Callable[[], float]) -> float | None:
    """Seconds that a 429 or 503 asks to stay away; None for other answers and for what makes no sense."""
    value = answer.retry_after
    if answer.status not in {429, 503} or not value:
        return None
    if _SECONDS.fullmatch(value):
        return float(value)
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - wall())
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
