"""A provider whose clock is a day wrong: its posts stand in the order of play, and at no impossible time."""

import json
from datetime import datetime, timedelta

import pytest

from tests.kit.scripted import Clock, Process, open_store
from tests.kit.sqlite import migrated_url
from tests.providers.heim.feed import BERLIN, MATCH_ID, match, results, row

KICKOFF = datetime(2025, 6, 14, 18, 0, tzinfo=BERLIN)
NOW = int(KICKOFF.timestamp()) + 40 * 60


def at(minutes, skew):
    return f"{KICKOFF + timedelta(minutes=minutes) + skew:%d.%m.%Y %H:%M:%S}"


@pytest.mark.parametrize("days", [-1, 0, 1])
async def test_posts_stand_in_the_order_of_play_and_at_a_possible_time(tmp_path, days):
    """A day ahead they stand no later than now; a day behind where the provider says, which is within its window."""
    skew = timedelta(days=days)
    rows = [
        row(30, "match/game-start", 1, created=at(0, skew)),
        row(11, "goal/head", 15, "home", 9, content="1:0", created=at(15, skew)),
        row(12, "goal/right-foot", 30, "home", 10, content="2:0", created=at(30, skew)),
    ]
    clock = Clock(NOW)
    store = await open_store(migrated_url(tmp_path / "skewed.db"), clock)
    process = Process(store, MATCH_ID, clock=clock)
    body = {"match": match(match_result=results(p0="2:0"), current_period="game-start")}
    process.adapter.bodies = {
        "match": json.dumps(body).encode(),
        "match-event": json.dumps(rows).encode(),
        "liveticker": b"[]",
    }
    ticker_id = await process.create()
    await process.settle()
    keys = {line.local_id: line.key for line in (await process.ledger(ticker_id)).values()}
    events = await process.events(ticker_id)
    await store.close()

    assert [keys[event.local_id] for event in events] == ["period:soccer.start", "incident:11", "incident:12"]
    times = [event.created_at for event in events]
    given = [int((KICKOFF + skew).timestamp()) + 60 * minutes for minutes in (0, 15, 30)]
    assert times == [min(each, NOW) for each in given]
