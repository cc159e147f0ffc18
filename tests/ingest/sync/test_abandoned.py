"""A match is followed for its liveblogs: when the last of them is deleted, the provider is left in peace."""

import asyncio

import pytest

from ingest.sync.match_leases import TICK
from tests.kit.crowded_day import recorded
from tests.kit.day import SHOW, match_day

MATCH_ID = "9000001"
WITHIN = 3 * TICK + 1
"""Seconds: the daemon looks for deleted liveblogs every two, and for what it is to follow every `TICK`."""


async def delete(day, name):
    gone = {"_type": "Svc::Model::Modification::DeleteGameModification", "local_status": 100}
    body = {"local_id": name, "modifications": [gone]}
    answer = await day.client.post("/api/v5/write/ticker/post_modifications.json", json=body)
    assert answer.status_code == 200, answer.text


async def polls(day, seconds):
    """How many requests the provider gets in so many seconds."""
    before = day.replay.log.total
    await asyncio.sleep(seconds)
    return day.replay.log.total - before


@pytest.mark.proof
async def test_a_match_without_a_liveblog_that_is_not_deleted_is_not_polled(tmp_path):
    """Deleting one of two changes nothing; after the second the polls stop; a new liveblog starts them again."""
    async with match_day(folder=tmp_path, lines=recorded(MATCH_ID, 0, 11), live=0.1) as day:
        one, two = [(await day.create(MATCH_ID))["local_id"] for _ in range(2)]
        await delete(day, one)
        await asyncio.sleep(WITHIN)
        assert await polls(day, 1) > 3
        cards = len(await day.feed_titles(two))
        await delete(day, two)
        await asyncio.sleep(WITHIN)
        assert 0 == await polls(day, 1)
        assert 404 == (await day.client.get(SHOW, params={"local_id": two})).status_code
        assert 0 == (await day.client.get("/readyz")).json()["matches"]

        three = (await day.create(MATCH_ID))["local_id"]
        assert await polls(day, 1) > 3
        assert len(await day.feed_titles(three)) >= cards > 0
