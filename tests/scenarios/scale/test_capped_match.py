"""A match of more rows than a limit allows is refused by that limit's name."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from ingest.cli.explain import explain
from providers.replay import Line
from tests.kit.day import match_day
from tests.kit.opening import look
from tests.providers.heim.feed import MATCH_ID, row, wrapped

HOUR = 3600
LIMITS = {
    "provider_rows": "match-event: 60 rows are more than limits.provider_rows = 50 allows",
    "match_rows": "more than limits.match_rows = 50 allows",
}


def answered(hour: int, number: int) -> Line:
    cards = [row(1000 + n, "card/yellow", 1 + n % 90, "home", 3 + n) for n in range(number)]
    return Line.of(f"2025-06-14T{hour}:10:00+02:00", f"match-event/ma{MATCH_ID}", cards)


LINES = [
    Line.of("2025-06-14T18:00:00+02:00", f"match/ma{MATCH_ID}", wrapped()),
    *map(answered, (19, 20, 21), (40, 60, 45)),
]


@pytest.mark.parametrize("limit", LIMITS)
async def test_what_is_larger_than_a_limit_is_a_fault_that_names_it(tmp_path, limit):
    """The last good snapshot stands; as soon as the answer is within the limit again, it counts."""
    async with match_day(lines=LINES, folder=tmp_path, limits={limit: 50}) as day:
        day.replay.seek(1.5 * HOUR)
        name = (await day.create(MATCH_ID))["local_id"]
        url = day.settings.database.url.get_secret_value()

        async def errors() -> str:
            found = await look(url, lambda conn: explain(conn, name))
            return " ".join(each["last_error"] or "" for each in found["match"]["resources"].values())

        async def cards() -> int:
            events = [each.get("sport_event") or {} for each in (await day.show(name))["events"]]
            return sum(each.get("event_type") == "soccer.yellow-card" for each in events)

        async def becomes(ask: Callable[[], Awaitable[object]], wanted: Callable[[object], bool]) -> None:
            async with asyncio.timeout(60):
                while not wanted(await ask()):
                    await asyncio.sleep(0.05)

        await becomes(cards, (40).__eq__)
        day.replay.seek(2.5 * HOUR)
        await becomes(errors, lambda said: LIMITS[limit] in said)
        assert await cards() == 40
        day.replay.seek(3.5 * HOUR)
        await becomes(cards, (45).__eq__)
