"""A provider that refuses the credentials or a part of its answers in the middle of a match, and answers larger than a limit."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable

import pytest
from sqlalchemy import select

from ingest.cli.explain import explain
from providers.replay import Line
from store.tables import resources
from tests.kit.day import match_day
from tests.kit.gn_gsd_contract import SQUADS, playing
from tests.kit.opening import look
from tests.providers.gn_gsd import gsd
from tests.providers.heim.feed import MATCH_ID, item, row, wrapped

GOAL = row(1, "goal/head", 12, "home", 9)
HEIM = [
    Line.of("2025-06-14T19:10:00+02:00", resource.format(f"ma{MATCH_ID}"), body)
    for resource, body in (
        ("match/{}", wrapped()),
        ("match-event/{}", [GOAL]),
        ("liveticker/co/{}", [item(5, 12, "Tor", GOAL)]),
    )
]


@pytest.mark.parametrize("status", ["401", "403"])
async def test_it_is_left_alone_and_says_why(tmp_path, status):
    """Of a match that is polled twenty times a second hardly another request; health counts it and names why, posts stand."""
    async with match_day(lines=HEIM[:2], folder=tmp_path) as day:
        created = await day.create(MATCH_ID)
        (before,) = await day.until_quiet(created["local_id"], quiet=0.3)
        day.replay.faults.add(status)
        url = day.settings.database.url.get_secret_value()

        async def errors():
            rows = await look(url, lambda conn: conn.execute(select(resources)).all())
            return [row.last_error for row in rows if row.last_error]

        async with asyncio.timeout(30):
            while not await errors():
                await asyncio.sleep(0.05)
        requests = day.replay.log.total
        await asyncio.sleep(10 * day.settings.polling.live)
        more = day.replay.log.total - requests
        ready = (await day.client.get("/readyz")).json()
        after = await day.show(created["local_id"])

    assert more <= 2
    assert (ready["matches"], ready["failing"]) == (1, 1)
    assert {"the provider refuses the credentials"} == set(await errors())
    assert after["events"] == before["events"]


@pytest.mark.parametrize(("provider", "kind"), [("heim", "liveticker"), ("gn-gsd", "lineups")])
async def test_a_part_that_is_no_longer_booked_is_left_alone(tmp_path, provider, kind):
    """The rest of the match goes on at its intervals; what is refused is hardly requested again."""
    lines, match_id = (
        (HEIM, MATCH_ID) if provider == "heim" else ([SQUADS, *playing(gsd.ACTIONS[0], second=0)], gsd.MATCH_ID)
    )
    async with match_day(lines=lines, folder=tmp_path) as day:
        await day.create(match_id, provider=provider, includeTextContent=provider == "heim")
        day.replay.faults.add("403", kind=kind)
        requested = Counter[str]()
        while requested["match"] < 12:
            await asyncio.sleep(0.05)
            requested = Counter(each.kind for each in day.replay.log.requests)

    assert requested[kind] <= 3


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
