"""Fetches and keeps the lists of matches that providers offer, and previews one match; writes nothing.

A list is requested once for each endpoint, whoever wants it, and kept for a while.
"""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import partial
from time import monotonic
from typing import Any
from zoneinfo import ZoneInfo

import structlog
from cachetools import LRUCache

from config.sections import Polling
from ingest.sync.endpoint_limiter import EndpointLimiter
from ingest.sync.provider_source import ProviderSource, followable_sports
from mapping.errors import BadBody, MatchUnknown, RateLimited, ServiceError, Unprocessable, UpstreamUnavailable
from mapping.match.fixture import FixtureDay, FixtureList
from mapping.match.match import Match
from mapping.rules.rich_text import isolate
from mapping.sports import sport_of
from store.following.import_request import ImportRequest

log = structlog.get_logger()

LONGEST = 20.0
"""Seconds for which somebody waits for a list."""
FAILED_FOR = 10.0
"""Seconds for which a failure is kept."""
MOST_ROWS = 50_000
"""Matches of all lists that are kept, each some kilobyte; of more lists those that nobody wanted for the longest time go."""
LEAST_ROWS = 100
"""What a list counts for at least, so that there are never many of them either."""
AT_ONCE = 2
"""Lists of one endpoint that are fetched at a time."""
DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
WORDS = {"yesterday": -1, "today": 0, "tomorrow": 1}

Key = tuple[str, date, date]
"""Endpoint, first and last day."""


LONGEST_LOOK = 20.0
"""Seconds for which somebody waits who wants to look at a match."""
LOOKS_AT_ONCE = 2
"""Looks of one organization that are under way at the same time."""
BUSY_FOR = 2.0


@dataclass(slots=True)
class KeptList:
    """A list, or its failure, or the request for it, which is under way; until when it is kept (monotonic seconds)."""

    request: asyncio.Task[FixtureList]
    until: float = math.inf
    rows: int = LEAST_ROWS


class FixtureLists:
    """The lists that this process has seen lately."""

    def __init__(self, limiters: Mapping[str, EndpointLimiter], polling: Polling | None = None) -> None:
        """`limiters`: those of the endpoints, by their keys."""
        self._limiters = limiters
        polling = polling or Polling()
        self._least, self._most = polling.lists_kept_min, max(polling.lists_kept_min, polling.lists_kept_max)
        self._kept: LRUCache[Key, KeptList] = LRUCache(MOST_ROWS, getsizeof=lambda kept: kept.rows)
        self._places = {key: asyncio.Semaphore(AT_ONCE) for key in limiters}
        self._running: set[asyncio.Task[FixtureList]] = set()

    async def day(self, source: ProviderSource, day: str, now: float) -> FixtureDay:
        """The list of a day as `day_of` reads it. Raises Unprocessable, and what `get` raises."""
        endpoint = source.adapter.endpoint
        wanted = day_of(day, endpoint.timezone, now)
        listed = await self.get(endpoint.key, wanted, wanted)
        sports = followable_sports(source.provider)
        return FixtureDay(day=wanted, timezone=endpoint.timezone, endpoint=endpoint.key, sports=sports, listed=listed)

    async def get(self, endpoint: str, first: date, last: date) -> FixtureList:
        """The matches of these days. Raises UpstreamUnavailable, and what the adapter raises."""
        key = endpoint, first, last
        kept = self._kept.get(key)
        if kept is None or kept.until <= monotonic():
            kept = self._kept[key] = KeptList(asyncio.create_task(self._fetch(*key)))
            self._running.add(kept.request)
            kept.request.add_done_callback(partial(self._keep_outcome, key, kept))
        return await asyncio.shield(kept.request)

    async def close(self) -> None:
        """End the requests that are under way."""
        for each in self._running:
            each.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)

    async def _fetch(self, endpoint: str, first: date, last: date) -> FixtureList:
        try:
            async with asyncio.timeout(LONGEST), self._places[endpoint]:
                return await self._limiters[endpoint].fixtures(first, last)
        except MatchUnknown as error:
            raise BadBody("the provider has no such list") from error
        except ServiceError:
            raise
        except TimeoutError as error:
            raise UpstreamUnavailable("the provider did not answer in time") from error
        except Exception as error:
            log.exception("list.unreadable", endpoint=self._limiters[endpoint].name, first=str(first), last=str(last))
            raise BadBody("the provider's list cannot be read") from error

    def _keep_outcome(self, key: Key, kept: KeptList, request: asyncio.Task[FixtureList]) -> None:
        """Keep the outcome for as long as it may be kept, and for its size."""
        self._running.discard(request)
        if request.cancelled() or request.exception() is not None:  # seen: nobody may be waiting any more
            kept.until = monotonic() + FAILED_FOR
        else:
            found = request.result()
            kept.until = monotonic() + min(max(found.fresh_for or 0.0, self._least), self._most)
            kept.rows = min(max(len(found.fixtures), LEAST_ROWS), MOST_ROWS)
        if self._kept.get(key) is kept:
            del self._kept[key]
            if not request.cancelled():
                self._kept[key] = kept


def day_of(text: str, timezone: str, now: float) -> date:
    """The day that is meant: `yesterday`, `today`, `tomorrow` in this time zone at `now` (Unix seconds), or a date.

    Raises Unprocessable.
    """
    if text in WORDS:
        return datetime.fromtimestamp(now, ZoneInfo(timezone)).date() + timedelta(days=WORDS[text])
    wrong = Unprocessable("day should be yesterday, today, tomorrow or a date as 2026-11-28", field="day")
    if not DATE.fullmatch(text):
        raise wrong
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise wrong from None


class MatchPreviews:
    """Serves the preview of a match."""

    def __init__(self, match_of: Callable[[ImportRequest], Awaitable[tuple[Match, bool]]]) -> None:
        """`match_of` gives the match of a request, and whether there is text for it."""
        self._match_of = match_of
        self._under_way: dict[str, int] = {}

    async def __call__(self, request: ImportRequest) -> dict[str, Any]:
        """The preview without the liveblogs that are on the match; raises what createFromExternal raises, and RateLimited."""
        owner = request.organization_id
        if self._under_way.get(owner, 0) >= LOOKS_AT_ONCE:
            raise RateLimited("the organization is looking at other matches", retry_after=BUSY_FOR)
        self._under_way[owner] = self._under_way.get(owner, 0) + 1
        try:
            async with asyncio.timeout(LONGEST_LOOK):
                match, text = await self._match_of(request)
        except TimeoutError as error:
            raise UpstreamUnavailable("the provider did not answer in time") from error
        finally:
            self._under_way[owner] -= 1
            if not self._under_way[owner]:
                del self._under_way[owner]
        return preview(match, request, text=text)


def preview(match: Match, request: ImportRequest, *, text: bool) -> dict[str, Any]:
    """The match as an `ExternalPreview` without what the provider leaves open; `text`: whether there is editorial text for it."""
    home, away, score = match.home, match.away, match.score
    named = {
        "competition": match.tournament and match.tournament.name,
        "location": match.location and match.location.name,
        "homeTeam": home and home.name,
        "awayTeam": away and away.name,
        "homeScore": score and str(score.home),
        "awayScore": score and str(score.away),
        "startsAt": match.kickoff,
    }
    return {
        "provider": match.provider,
        "selector": {"matchId": match.match_id, f"{request.selector_kind}Id": request.selector_id},
        "sportstype": match.sport,
        "title": _title(match),
        **{name: value for name, value in named.items() if value is not None},
        "status": match.status.value,
        "scoreboard": sport_of(match).scoreboard,
        "lineUps": sum(len(side.lineup) + len(side.bench) for side in match.teams),
        "events": len(match.incidents),
        "textContent": text,
    }


def _title(match: Match) -> str:
    """Who plays, else what the provider calls it, else the competition."""
    if match.home and match.away:
        return f"{isolate(match.home.name)} \N{EN DASH} {isolate(match.away.name)}"
    return match.title or (match.tournament.name if match.tournament else "")
