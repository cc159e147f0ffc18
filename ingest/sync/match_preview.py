"""What a provider's match holds, fetched as a creation would fetch it; nothing is written."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from mapping.errors import RateLimited, UpstreamUnavailable
from mapping.match.match import Match
from mapping.rules.bidi import isolate
from mapping.sports import sport_of
from store.following.import_request import ImportRequest

LONGEST = 20.0
"""Seconds for which somebody waits who wants to look at a match."""
AT_ONCE = 2
"""Looks of one organization that are under way at the same time."""
BUSY_FOR = 2.0


class MatchPreviews:
    """Serves the preview of a match."""

    def __init__(self, match_of: Callable[[ImportRequest], Awaitable[tuple[Match, bool]]]) -> None:
        """`match_of` gives the match of a request, and whether there is text for it."""
        self._match_of = match_of
        self._under_way: dict[str, int] = {}

    async def __call__(self, request: ImportRequest) -> dict[str, Any]:
        """The preview without the liveblogs that are on the match; raises what createFromExternal raises, and RateLimited."""
        owner = request.organization_id
        if self._under_way.get(owner, 0) >= AT_ONCE:
            raise RateLimited("the organization is looking at other matches", retry_after=BUSY_FOR)
        self._under_way[owner] = self._under_way.get(owner, 0) + 1
        try:
            async with asyncio.timeout(LONGEST):
                match, text = await self._match_of(request)
        except TimeoutError as error:
            raise UpstreamUnavailable("the provider did not answer in time") from error
        finally:
            self._under_way[owner] -= 1
            if not self._under_way[owner]:
                del self._under_way[owner]
        return preview(match, request, text=text)


def preview(match: Match, request: ImportRequest, *, text: bool) -> dict[str, Any]:
    """The match as an `ExternalPreview`; `text`: whether there is editorial text for it."""
    return {
        "provider": match.provider,
        "selector": {"matchId": match.match_id, f"{request.selector_kind}Id": request.selector_id},
        "sportstype": match.sport,
        "title": _title(match),
        **{name: value for name, value in _named(match).items() if value is not None},
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


def _named(match: Match) -> dict[str, Any]:
    """What the provider may leave open, None where it does."""
    home, away, score = match.home, match.away, match.score
    return {
        "competition": match.tournament and match.tournament.name,
        "location": match.location and match.location.name,
        "homeTeam": home and home.name,
        "awayTeam": away and away.name,
        "homeScore": score and str(score.home),
        "awayScore": score and str(score.away),
        "startsAt": match.kickoff,
    }
