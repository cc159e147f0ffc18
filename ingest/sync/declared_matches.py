"""Which matches `[[liveblogs]]` names: they count as made for follow rules from the start, whatever their lead."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping

import structlog

from config.organizations import Liveblog
from ingest.sync.provider_source import ProviderSource
from mapping.errors import ServiceError
from mapping.follow.plan import KnownMatch
from providers.base import Selector

log = structlog.get_logger()

AT_ONCE = 4
"""Entries that are looked up at a time."""
LONGEST = 20.0
"""Seconds that a provider has to say which match an entry means."""
AGAIN = 600.0
"""Seconds after which that is looked up again."""


class DeclaredMatches:
    """The matches that `[[liveblogs]]` names, by organization, each once it is known by its id."""

    def __init__(self, entries: Iterable[Liveblog], steady: Callable[[], float] = time.monotonic) -> None:
        self.known: dict[str, list[KnownMatch]] = defaultdict(list)
        self._steady, self._unnamed = steady, [*entries]
        self._next_look = float("-inf")

    async def look_up(self, sources: Mapping[tuple[str, str], ProviderSource]) -> None:
        """Look up those that are named by a phase or an overall; what fails is looked up again after some minutes."""
        if not self._unnamed or self._steady() < self._next_look:
            return
        self._next_look = self._steady() + AGAIN
        room = asyncio.Semaphore(AT_ONCE)
        found = await asyncio.gather(*(_named(room, each, sources) for each in self._unnamed))
        for entry, match_id in zip(self._unnamed, found, strict=True):
            if match_id is not None:
                self.known[entry.organization].append(_declared_match(entry, match_id))
        self._unnamed = [each for each, match_id in zip(self._unnamed, found, strict=True) if match_id is None]


async def _named(
    room: asyncio.Semaphore, entry: Liveblog, sources: Mapping[tuple[str, str], ProviderSource]
) -> str | None:
    """The id of the match that the entry means, as far as its provider says it."""
    kind, named = entry.selector
    if kind == "match":
        return named
    source = sources.get((entry.organization, entry.provider))
    if source is None:
        return None
    try:
        async with room, asyncio.timeout(LONGEST):
            return await source.adapter.resolve(Selector(kind, named))
    except (ServiceError, TimeoutError) as error:
        log.warning("liveblog.match_not_named", key=entry.key, cause=str(error))
        return None


def _declared_match(entry: Liveblog, match_id: str) -> KnownMatch:
    return KnownMatch(
        provider=entry.provider,
        match_id=match_id,
        locale=entry.locale,
        teams=frozenset(),
        kickoff=None,
        by=f"[[liveblogs]] {entry.key}",
    )
