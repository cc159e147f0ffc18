"""A provider that begins to refuse the credentials, or a part of its answers, in the middle of a match."""

import asyncio
from collections import Counter

import pytest
from sqlalchemy import select

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
