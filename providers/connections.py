"""The connections to one endpoint of a provider: made for the first request, because what they need takes long to load."""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING

import httpx

if TYPE_CHECKING:
    import ssl

    import aiohttp

KEEP_ALIVE = 75.0
"""Seconds that an idle connection is kept: longer than the breaks between two polls."""


class Connections:
    """Up to `limit` connections."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._made: httpx.AsyncBaseTransport | None = None

    def transport(self) -> httpx.AsyncBaseTransport:
        if self._made is None:
            from httpx_aiohttp import AiohttpTransport

            context = _context()
            self._made = AiohttpTransport(verify=context, client=partial(_session, context, self._limit))
        return self._made

    async def aclose(self) -> None:
        if self._made is not None:
            await self._made.aclose()


def broken() -> tuple[type[Exception], ...]:
    """What a request fails with on its way."""
    import aiohttp

    return (httpx.HTTPError, httpx.InvalidURL, aiohttp.ClientError, OSError)


@cache
def _context() -> ssl.SSLContext:
    """One for all endpoints: reading the certificates of the authorities takes as long as some hundred requests."""
    return httpx.create_ssl_context(trust_env=False)


def _session(context: ssl.SSLContext, connections: int) -> aiohttp.ClientSession:
    """Made inside the loop on the first request. Cookies are kept neither here nor in the client."""
    import aiohttp

    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=connections, keepalive_timeout=KEEP_ALIVE, ssl=context),
        cookie_jar=aiohttp.DummyCookieJar(),
        auto_decompress=False,
        trust_env=False,
    )
