"""Whether an endpoint of a provider can be reached: one request, and what was in its way in a word."""

from __future__ import annotations

import asyncio
import errno
import socket
import ssl
import time
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import httpx

from providers.http_client import client_of, transport_errors

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from providers.base import Endpoint

OF_SYSTEM = {
    errno.EHOSTUNREACH: "no route",
    errno.ENETUNREACH: "no route",
    errno.ECONNREFUSED: "refused",
    errno.ETIMEDOUT: "time-out",
}
"""What the operating system says, where a number of its own says it."""
MEANINGS: Mapping[str, tuple[type[BaseException], ...]] = {
    "DNS": (socket.gaierror,),
    "TLS": (ssl.SSLError, ssl.CertificateError),
    "no route": (),
    "refused": (),
    "time-out": (TimeoutError,),
    "broken off": (OSError,),
}
"""What is in the way and the errors that say so; the first ones say more than the last."""


@dataclass(frozen=True, slots=True)
class Reached:
    """`status`: of the response, None where there was none; then `obstacle` says why, in a word without an address.

    `ahead`: seconds by which the provider's clock is ahead of this machine's, where the response has a `Date`.
    """

    status: int | None
    obstacle: str = ""
    ahead: float | None = None


async def reach(endpoint: Endpoint) -> Reached:
    """GET the endpoint's base URL with its credentials, within its time-out. It raises nothing for what is in the way."""
    auth = None if endpoint.username is None else (endpoint.username, endpoint.password or "")
    client = client_of(endpoint, auth=auth)
    began = time.time()
    try:
        async with asyncio.timeout(client.timeout):
            request = httpx.Request("GET", client.url(""), headers=client.headers)
            response = await client.transport.handle_async_request(request)
            await response.aclose()
    except transport_errors() as error:
        return Reached(None, obstacle_of(error))
    finally:
        await client.aclose()
    return Reached(response.status_code, ahead=_ahead(response.headers.get("Date", ""), (began + time.time()) / 2))


def place_of(base_url: str) -> str:
    """A base URL without user, password and query."""
    parts = urlsplit(base_url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def obstacle_of(error: BaseException) -> str:
    """What kept a request from its answer: DNS, TLS, time-out, refused, no route, broken off, or no HTTP."""
    words = {word for each in _causes(error) if (word := _word(each))}
    return next((word for word in MEANINGS if word in words), "no HTTP")


def _word(error: BaseException) -> str | None:
    import aiohttp

    if isinstance(error, OSError) and error.errno in OF_SYSTEM and not isinstance(error, socket.gaierror):
        return OF_SYSTEM[error.errno]
    kinds = {**MEANINGS, "broken off": (OSError, aiohttp.ClientConnectionError)}
    return next((word for word, kind in kinds.items() if isinstance(error, kind)), None)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """The error and all that stands behind it."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _ahead(date: str, now: float) -> float | None:
    """How far a `Date` is ahead of `now`; it has whole seconds, so half a one is added."""
    try:
        return parsedate_to_datetime(date).timestamp() + 0.5 - now
    except (ValueError, OverflowError):
        return None
