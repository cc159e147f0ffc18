"""Signing in by OAuth: one token for all requests of an endpoint, kept in memory, renewed before it ends and once after a 401."""

from __future__ import annotations

import asyncio
import json
import math
import time
from collections.abc import AsyncIterable
from hashlib import sha512
from typing import Any, cast
from urllib.parse import quote

import httpx

from mapping.errors import BadBody, ProviderRefused, UpstreamUnavailable
from providers.base import Endpoint
from providers.http_client import BROKEN, LATE, NOT_WELCOME, Client, transport_errors
from providers.responses import read_body

LEAD = 60.0
"""Seconds before its end from which on a token is renewed; of a short life a tenth."""
RETRY = 5.0
"""Seconds after a renewal that failed until the next one is tried."""
PATIENCE = 0.8
"""The part of an endpoint's time-out in which a token has to be here, so that a slow sign-in is known for what it is."""
LONGEST_ANSWER = 64 * 1024
FORM = {"grant_type": "client_credentials", "scope": "b2b-feeds-auth"}
REFUSALS = {400, 401, 403, 404}
HERE, NO_TOKEN = " (its sign-in)", "the provider's sign-in gives no token"
"""What errors say that are no errors of the feed itself."""


class SignedIn(httpx.AsyncBaseTransport):
    """A transport that sends a token with each request. `address`: where tokens are given, for the outlet `{key}`.

    One renewal runs at a time, however many matches wait for it. While a token is good, one that fails holds up nothing.
    Raises ProviderRefused or UpstreamUnavailable where there is no token.
    """

    def __init__(self, client: Client, endpoint: Endpoint, address: str) -> None:
        self._client, self._endpoint = client, endpoint
        self._address = address.replace("{key}", quote(endpoint.api_key or "", safe=""))
        self._token, self._renew_at, self._ends = "", 0.0, 0.0
        self._renewal: asyncio.Task[None] | None = None

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        token = await self._good_token()
        response = await self._send(request, token)
        if response.status_code != httpx.codes.UNAUTHORIZED:
            return response
        await response.aclose()
        return await self._send(request, await self._good_token(refused=token))

    async def aclose(self) -> None:
        if self._renewal is not None:
            self._renewal.cancel()
        await self._client.aclose()

    async def _send(self, request: httpx.Request, token: str) -> httpx.Response:
        request.headers["Authorization"] = f"Bearer {token}"
        return await self._client.transport.handle_async_request(request)

    async def _good_token(self, refused: str = "") -> str:
        """A token that has not ended. `refused`: one that the provider does not take any more."""
        now = asyncio.get_running_loop().time()
        good = self._token not in {"", refused} and now < self._ends
        if not good or now >= self._renew_at:
            renewal = self._begin_renewal(now)
            if not good:
                await asyncio.shield(renewal)
        return self._token

    def _begin_renewal(self, now: float) -> asyncio.Task[None]:
        """The renewal that runs, or one that has just failed; else another one."""
        last = self._renewal
        failed = last is not None and last.done() and (last.cancelled() or last.exception() is not None)
        if last is None or (last.done() and (not failed or now >= self._renew_at)):
            self._renewal = last = asyncio.create_task(self._renew())
        return last

    async def _renew(self) -> None:
        clock = asyncio.get_running_loop().time
        try:
            async with asyncio.timeout(self._endpoint.timeout * PATIENCE):
                self._token, life = _read(await self._answer())
        except TimeoutError:
            self._renew_at = clock() + RETRY
            raise UpstreamUnavailable(f"{LATE}{HERE}") from None
        except transport_errors():
            self._renew_at = clock() + RETRY
            raise UpstreamUnavailable(f"{BROKEN}{HERE}") from None
        except (ProviderRefused, UpstreamUnavailable):
            self._renew_at = clock() + RETRY
            raise
        self._ends = clock() + life
        self._renew_at = self._ends - min(LEAD, life / 10) if life < math.inf else math.inf

    async def _answer(self) -> bytes:
        """What the sign-in answers. Raises `transport_errors` and our own."""
        at, outlet = int(time.time() * 1000), self._endpoint.api_key or ""
        proof = sha512(f"{outlet}{at}{self._endpoint.password or ''}".encode()).hexdigest()
        headers = {
            "Accept": "application/json", "Authorization": f"Basic {proof}", "Timestamp": str(at),
            "User-Agent": self._endpoint.user_agent,
        }  # fmt: skip
        request = httpx.Request("POST", self._address, headers=headers, data=FORM)
        response = await self._client.transport.handle_async_request(request)
        try:
            if response.status_code in REFUSALS:
                raise ProviderRefused(f"{NOT_WELCOME}{HERE}")
            if response.status_code != httpx.codes.OK:
                raise UpstreamUnavailable(f"the provider is unavailable ({response.status_code}){HERE}")
            encoding = response.headers.get("Content-Encoding", "")
            body = cast("AsyncIterable[bytes]", response.stream)
            return await read_body(body, encoding, LONGEST_ANSWER, bytearray())
        except BadBody:
            raise UpstreamUnavailable(NO_TOKEN) from None
        finally:
            await response.aclose()


def _read(body: bytes) -> tuple[str, float]:
    """The token, and the seconds for which it is good: for ever, until it is refused, where the answer does not say so."""
    try:
        said: Any = json.loads(body)
    except (ValueError, RecursionError):
        said = None
    token = said.get("access_token") if isinstance(said, dict) else None
    if not isinstance(token, str) or not token or not (token.isascii() and token.isprintable()):
        raise UpstreamUnavailable(NO_TOKEN)
    try:
        life = float(said.get("expires_in") or math.inf)
    except (TypeError, ValueError):
        life = math.inf
    return token, life if life > 0 else math.inf
