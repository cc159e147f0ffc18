"""The reader who sends a request, by a token in its header, and how much each reader and address may send."""

from __future__ import annotations

import time
from collections.abc import Callable

from api.http.json_path import Json
from api.http.request import ApiRequest
from api.middleware.credentials import RateLimiter
from config.sections import Readers
from mapping.errors import NotFound, RateLimited, Unauthorized
from mapping.readers import reader_token
from mapping.readers.reader_token import VerifiedReader

READER_TOKEN = "Reader-Token"  # noqa: S105 -- a header's name
NO_ORGANIZATION = "there is no such organization"
PARAMETER: Json = {
    "name": READER_TOKEN,
    "in": "header",
    "required": False,
    "description": "Who the reader is: the `token` that `readers.token` gave",
    "schema": {"type": "string", "maxLength": reader_token.LONGEST},
}


async def reader(request: ApiRequest, organization_id: str) -> VerifiedReader:
    """The reader who writes, charged for it. Raises Unauthorized without a valid token of the organization, RateLimited."""
    found = known_reader(request, organization_id)
    if found is None:
        raise Unauthorized(reader_token.REFUSED)
    request.services[ReaderLimits].charge(found.id, request.network)
    return found


def known_reader(request: ApiRequest, organization_id: str) -> VerifiedReader | None:
    """The reader of the header, None where there is none; raises Unauthorized for a token that is not valid."""
    given = request.headers.getlist(READER_TOKEN)
    if not given:
        return None
    services = request.services
    return reader_token.read_token(
        (services.keys.readers, *services.keys.readers_before),
        given[0] if len(given) == 1 else "",
        organization_id,
        now=services.clock(),
        token_age=services.settings.readers.token_age,
    )


def check_readers_organization(request: ApiRequest, organization_id: str) -> None:
    """Raise NotFound unless the caller may read what the organization publishes."""
    caller = request.context.caller
    visible = request.services.settings.server.public_feeds or (
        caller is not None and organization_id in caller.organizations
    )
    if not visible or request.services.organizations(organization_id) is None:
        raise NotFound(NO_ORGANIZATION)


class ReaderLimits:
    """The buckets of a process; `monotonic` counts seconds."""

    def __init__(self, settings: Readers, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._tokens = RateLimiter(settings.tokens_per_second, settings.tokens_burst, monotonic)
        self._readers = RateLimiter(settings.reader_per_second, settings.reader_burst, monotonic)
        self._addresses = RateLimiter(settings.address_per_second, settings.address_burst, monotonic)

    def charge_token(self, address: str) -> None:
        """Charge a new token to the address. Raises RateLimited."""
        _charge(self._tokens, address)

    def charge(self, reader_id: str, address: str) -> None:
        """Charge a write to the reader and the address. Raises RateLimited."""
        _charge(self._readers, reader_id)
        _charge(self._addresses, address)


def _charge(limiter: RateLimiter, name: str) -> None:
    taken = limiter.take(name)
    if taken is not None and not taken.allowed:
        raise RateLimited("this reader has sent too much in too short a time", retry_after=taken.wait)
