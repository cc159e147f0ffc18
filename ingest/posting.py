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
from functools import partial
from hashlib import sha256
from importlib import metadata
from typing import TYPE_CHECKING

import httpx
from standardwebhooks import Webhook

from ingest.guarded import Blocked
from mapping.rules import delivery as rules
from mapping.rules.delivery import Plan, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractAsyncContextManager

    from store.deliveries import Delivery

    Post = Callable[[], AbstractAsyncContextManager[httpx.Response]]

ANSWER_BYTES = 64 * 1024
"""How much of an answer is read; what comes after it is left."""
CONNECT = 3.0
HEADERS = {
    "Content-Type": "application/json",
    "User-Agent": f"matchwire/{metadata.version('matchwire')} (webhooks)",
    "Accept-Encoding": "identity",
}

MESSAGES = {
    Verdict.TAKEN: "delivered",
    Verdict.PASSING: "the endpoint answered with an error",
    Verdict.REFUSED: "the endpoint did not accept the delivery",
}
UNREACHABLE = "the endpoint did not answer"
NOT_ALLOWED = "the endpoint cannot be used"

_SECONDS = re.compile(r"[0-9]{1,9}", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Seconds that a round, and one try of it, may take."""

    round: float = 10.0
    one_try: float = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
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
    fields = {
        "event_type": "ping" if delivery.kind == "ping" else "ticker_update",
        "ticker_id": delivery.game_id,
        "local_id": delivery.local_id,
        "version": str(delivery.version),
    }
    return json.dumps(fields, separators=(",", ":"))


def message_id(webhook_id: str, delivery: Delivery) -> str:
    """The `webhook-id`: the same for each try, round and replay of one version to one receiver."""
    named = delivery.outbox_id if delivery.kind != "ping" else f"ping-{delivery.id}"
    return f"msg_{sha256(f'{webhook_id}.{named}'.encode()).hexdigest()[:32]}"


def signed(message: str, body: str, secrets: Sequence[str], now: float) -> dict[str, str]:
    """The headers of Standard Webhooks, with one signature for each secret that is valid."""
    instant = datetime.fromtimestamp(int(now), UTC)
    return {
        "webhook-id": message,
        "webhook-timestamp": str(int(now)),
        "webhook-signature": " ".join(Webhook(each).sign(message, instant, body) for each in secrets),
    }


async def make_round(
    client: httpx.AsyncClient,
    url: str,
    webhook_id: str,
    delivery: Delivery,
    secrets: Sequence[str],
    *,
    plan: Plan = rules.PLAN,
    limits: Limits,
    wall: Callable[[], float] = time.time,
) -> Outcome:
    """Deliver, trying again quickly as the plan says, within the limits; never raises for what the receiver does."""
    message, body = message_id(webhook_id, delivery), body_of(delivery)
    began, tries = time.monotonic(), 0
    while True:
        left = limits.round - (time.monotonic() - began)
        headers = {**HEADERS, **signed(message, body, secrets, wall())}
        tried = await _try(
            partial(client.stream, "POST", url, content=body, headers=headers), min(limits.one_try, left), wall
        )
        tries += 1
        took = time.monotonic() - began
        jitter = random.random()  # noqa: S311 -- spreads load, guards nothing
        pause = rules.quick_pause(plan, tried.result, tries=tries, left=limits.round - took, jitter=jitter)
        if pause is None:
            return Outcome(
                result=tried.result,
                status=tried.status,
                message=tried.message,
                tries=tries,
                took=took,
                retry_after=tried.retry_after,
            )
        await asyncio.sleep(pause)


async def _try(post: Post, seconds: float, wall: Callable[[], float]) -> _Try:
    try:
        async with asyncio.timeout(seconds):
            async with post() as response:
                await _skim(response)
                result = rules.verdict(response.status_code)
                return _Try(result, response.status_code, MESSAGES[result], retry_after(response, wall()))
    except (Blocked, httpx.InvalidURL, httpx.UnsupportedProtocol):
        return _Try(Verdict.REFUSED, None, NOT_ALLOWED)
    except (TimeoutError, httpx.HTTPError, OSError):
        return _Try(Verdict.PASSING, None, UNREACHABLE)


async def _skim(response: httpx.Response) -> None:
    """Read the answer to its end, so that the connection can be used again, or as far as ANSWER_BYTES."""
    seen = 0
    async for chunk in response.aiter_raw():
        seen += len(chunk)
        if seen >= ANSWER_BYTES:
            return


def retry_after(response: httpx.Response, now: float) -> float | None:
    """Seconds that a 429 or 503 asks to stay away; None for other answers and for what makes no sense."""
    value = response.headers.get("Retry-After", "").strip()
    if response.status_code not in {429, 503} or not value:
        return None
    if _SECONDS.fullmatch(value):
        return float(value)
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - now)
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
