"""Checks whether an endpoint of a provider can be reached: one request, and a word for what was in its way."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

import httpx

from providers.base import Endpoint
from providers.http_client import client_of, transport_errors
from providers.responses import obstacle_of


@dataclass(frozen=True, slots=True)
class ReachabilityResult:
    """`status`: of the response, None where there was none; then `obstacle` says why, in a word without an address.

    `ahead`: seconds by which the provider's clock is ahead of this machine's, where the response has a `Date`.
    """

    status: int | None
    obstacle: str = ""
    ahead: float | None = None


async def reach(endpoint: Endpoint) -> ReachabilityResult:
    """GET the endpoint's base URL with its credentials, within its time-out. It raises nothing for what is in the way."""
    auth = None if endpoint.username is None else (endpoint.username, endpoint.password or "")
    client = client_of(endpoint, auth=auth)
    began = time.time()
    try:
        async with asyncio.timeout(client.timeout):
            request = httpx.Request("GET", str(client.url("")), headers=client.headers)
            response = await client.transport.handle_async_request(request)
            await response.aclose()
    except transport_errors() as error:
        return ReachabilityResult(None, obstacle_of(error))
    finally:
        await client.aclose()
    return ReachabilityResult(
        response.status_code, ahead=_ahead(response.headers.get("Date", ""), (began + time.time()) / 2)
    )


def place_of(base_url: str) -> str:
    """A base URL without user, password and query."""
    parts = urlsplit(base_url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def _ahead(date: str, now: float) -> float | None:
    """How far a `Date` is ahead of `now`; it has whole seconds, so half a one is added."""
    try:
        return parsedate_to_datetime(date).timestamp() + 0.5 - now
    except (ValueError, OverflowError):
        return None
