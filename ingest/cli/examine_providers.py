"""Examines providers for `matchwire doctor`: whether each endpoint can be reached, and whether its clock is right."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from httpx import codes

from config import Settings
from ingest.sync.provider_source import open_sources
from providers.reachability import ReachabilityResult, place_of, reach
from providers.registry import Registry
from store.upkeep.doctor import CheckResult

if TYPE_CHECKING:
    from providers.base import Endpoint

CLOCK_TOLERANCE = 30.0
"""Seconds by which a provider's clock may be off: posts carry its times."""
AT_ONCE = 8
"""Endpoints that are tried at a time."""
REFUSED = frozenset({codes.UNAUTHORIZED, codes.FORBIDDEN})


def examine_providers(settings: Settings) -> list[CheckResult]:
    """A line for each endpoint of each organization, and one more for each clock that is off; without any credential.

    Organizations that share an endpoint share its request. Not to be called from a running event loop.
    """
    return asyncio.run(_examine(settings))


async def _examine(settings: Settings) -> list[CheckResult]:
    gate = asyncio.Semaphore(AT_ONCE)

    async def reached(endpoint: Endpoint) -> ReachabilityResult:
        async with gate:
            return await reach(endpoint)

    async with open_sources(settings, Registry.load()) as sources:
        endpoints = {source.adapter.endpoint.key: source.adapter.endpoint for source in sources.values()}
        found = dict(zip(endpoints, await asyncio.gather(*map(reached, endpoints.values())), strict=True))
    return [
        result
        for (organization, _), source in sources.items()
        for result in _results(organization, source.adapter.endpoint, found[source.adapter.endpoint.key])
    ]


def _results(organization: str, endpoint: Endpoint, reached: ReachabilityResult) -> list[CheckResult]:
    place = f"{endpoint.provider} of {organization} at {place_of(endpoint.base_url)}"
    if reached.status is None:
        return [CheckResult("provider", "fault", f"{place}: {reached.obstacle}")]
    if (
        reached.status in REFUSED and endpoint.api_key is None
    ):  # where a key belongs in a request, its adapter alone knows
        result = CheckResult("provider", "fault", f"{place}: it refuses the credentials ({reached.status})")
    else:
        failed = reached.status >= codes.INTERNAL_SERVER_ERROR
        result = CheckResult("provider", "warning" if failed else "ok", f"{place}: answered {reached.status}")
    if reached.ahead is None or abs(reached.ahead) < CLOCK_TOLERANCE:
        return [result]
    return [result, CheckResult("clock", "warning", f"{place}: its clock is {reached.ahead:+.0f} s ahead")]
