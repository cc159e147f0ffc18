"""A liveblog with a source, and what its settings show."""

import asyncio
from collections.abc import Callable
from contextlib import asynccontextmanager
from typing import Any

from providers.replay import Line
from tests.kit.creating import LINES, MATCH, ROWS
from tests.kit.day import ORGANIZATION, MatchDay, match_day
from tests.providers.heim.feed import row, wrapped

OTHER_MATCH = "9000002"
LIVEBLOG = f"/apigw/sports/v2/{ORGANIZATION}/liveblog"
LATER = row(5, "goal/head", 50, "home", 9, 7, content="2:0", created="14.06.2025 18:50:10")


@asynccontextmanager
async def standing_day(folder, live=0.05):
    """The match stands still before its last goal until a test says `goes_on`."""
    other = wrapped()
    other["match"]["id"] = OTHER_MATCH
    lines = (
        *LINES,
        Line.of("2025-06-14T19:10:00+02:00", f"match/ma{OTHER_MATCH}", other),
        Line.of("2025-06-14T19:10:00+02:00", f"match-event/ma{OTHER_MATCH}", []),
        Line.of("2025-06-14T19:10:09+02:00", f"match-event/ma{MATCH}", [*ROWS, LATER]),
    )
    async with match_day(lines=lines, folder=folder, start_at="0", live=live) as running_day:
        running_day.replay.clock.pause()
        yield running_day


async def source(day: MatchDay, name: str, **changes: Any) -> dict[str, Any]:
    """What `external.json` says, after these changes if there are any."""
    path = f"{LIVEBLOG}/{name}/external.json"
    answer = await (day.client.post(path, json=changes) if changes else day.client.get(path))
    assert answer.status_code == 200, answer.text
    return answer.json()


async def shown(day: MatchDay, name: str, reached: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """The liveblog, once it is as it should be."""
    async with asyncio.timeout(60):
        while not reached(game := await day.show(name)):
            await asyncio.sleep(0.1)
    return game
