"""Calls of one subscriber through the guard: it confirms what was requested in its name, and gets feeds."""

from __future__ import annotations

import asyncio
import hmac
from importlib import metadata
from typing import TYPE_CHECKING

from mapping.rules import websub

if TYPE_CHECKING:
    from collections.abc import Mapping

    import aiohttp

    from ingest.guard.ssrf_guard import SsrfGuard

RESPONSE_BYTES = 4096
"""How much of a response is read; a challenge is shorter."""
HEADERS = {
    "User-Agent": f"matchwire/{metadata.version('matchwire')} (websub)",
    "Accept": "*/*",
    "Accept-Encoding": "identity",
}


class SubscriberClient:
    """Calls the subscriber at `callback`, `seconds` for each call; follows no redirect."""

    def __init__(self, guard: SsrfGuard, callback: str, *, seconds: float) -> None:
        self._guard = guard
        self._callback = callback
        self._seconds = seconds

    async def confirms(self, topic: str, mode: str, challenge: str, lease: int | None) -> bool:
        """Whether the subscriber answers 2xx with exactly the challenge."""
        status, body = await self._call("GET", websub.intent(self._callback, topic, mode, challenge, lease))
        return _accepted(status) and hmac.compare_digest(body, challenge.encode())

    async def deny(self, topic: str, reason: str) -> None:
        """Let the subscriber know that it gets nothing (more) of the feed; whatever it answers."""
        await self._call("GET", websub.denial(self._callback, topic, reason))

    async def push(self, headers: Mapping[str, str], body: bytes, secret: str | None) -> int | None:
        """Send the feed, signed where the subscriber has given a secret. The status, None without a response."""
        signed = {} if secret is None else {"X-Hub-Signature": websub.signature(secret, body)}
        return (await self._call("POST", self._callback, {**headers, **signed}, body))[0]

    async def _call(
        self, method: str, url: str, headers: Mapping[str, str] | None = None, body: bytes | None = None
    ) -> tuple[int | None, bytes]:
        import aiohttp  # loaded for the first call, not for the start of the process

        from ingest.guard.guarded_session import callable_url

        try:
            async with (
                asyncio.timeout(self._seconds),
                self._guard.session(connections=1, connect_timeout=self._seconds) as session,
                session.request(
                    method, callable_url(url), data=body, headers={**HEADERS, **(headers or {})}, allow_redirects=False
                ) as response,
            ):
                return response.status, await _start_of(response.content)
        except (OSError, aiohttp.ClientError):  # a time-out too, and an address that may not be called
            return None, b""


def _accepted(status: int | None) -> bool:
    return status is not None and 200 <= status <= 299


async def _start_of(content: aiohttp.StreamReader) -> bytes:
    """A body, as far as it is read."""
    found = b""
    while len(found) <= RESPONSE_BYTES and (part := await content.read(RESPONSE_BYTES)):
        found += part
    return found
