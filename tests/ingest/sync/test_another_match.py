"""What a provider says of another match changes nothing, however often it says it; the next good answer counts again."""

from __future__ import annotations

import asyncio

import pytest
from sqlalchemy import select

from store.tables import resources
from tests.kit.another_match import GN_GSD, HEIM
from tests.kit.day import match_day
from tests.kit.opening import look
from tests.providers.gn_gsd import gsd
from tests.providers.heim.feed import MATCH_ID


async def errors_of(day):
    """The last error of each resource, as the store keeps it."""
    url = day.settings.database.url.get_secret_value()
    rows = await look(url, lambda conn: conn.execute(select(resources)).all())
    return {row.name: row.last_error or "" for row in rows}


@pytest.mark.parametrize(
    ("provider", "match_id", "lines", "faulty"),
    [("heim", MATCH_ID, HEIM, {"match-event", "liveticker"}), ("gn-gsd", gsd.MATCH_ID, GN_GSD, {"actions", "lineups"})],
)
async def test_another_matchs_answers_change_nothing(tmp_path, provider, match_id, lines, faulty):
    """Neither posts nor squads nor the version; health names the fault, and the next good answer counts at once."""
    async with match_day(lines=lines, folder=tmp_path) as day:
        day.replay.clock.pause()
        created = await day.create(match_id, provider=provider, includeTextContent=provider == "heim")
        (before,) = await day.until_quiet(created["local_id"], quiet=0.4)
        day.replay.seek(150)
        requests = day.replay.log.total
        async with asyncio.timeout(30):
            while day.replay.log.total < requests + 9:
                await asyncio.sleep(0.05)
        during = await day.show(created["local_id"])
        errors = await errors_of(day)
        day.replay.seek(250)
        async with asyncio.timeout(30):
            while len((await day.show(created["local_id"]))["events"]) == len(before["events"]):
                await asyncio.sleep(0.05)
        (after,) = await day.until_quiet(created["local_id"], quiet=0.4)

    assert {name for name, error in errors.items() if "another match" in error} == faulty
    assert [during[name] for name in ("version", "events", "squads")] == [
        before[name] for name in ("version", "events", "squads")
    ]
    assert len(after["events"]) == len(before["events"]) + 1
    assert after["squads"] == before["squads"]
