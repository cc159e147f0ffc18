"""Each fault does on the wire what it says, for as long as it says, and only where it says."""

import asyncio

import httpx
import pytest

from providers.replay import MODES
from providers.replay.faults import BODIES, DOCUMENTS
from tests.providers.replay.samples import replaying


@pytest.fixture
async def served():
    async with replaying(hang=0.3) as (replay, client):
        replay.seek(1000)
        yield replay, client


def fault(replay, mode, **fields):
    return replay.faults.add(mode, **fields)


async def test_a_hanging_answer_does_not_hold_up_the_end():
    """A replay stops within seconds though a client still waits for an answer that never comes."""
    async with httpx.AsyncClient(timeout=30) as client, asyncio.timeout(None) as ending:
        async with replaying(hang=300) as (replay, _):
            replay.faults.add("timeout")
            waiting = asyncio.create_task(client.get(f"{replay.url}/match/ma1"))
            while not replay.log.total:
                await asyncio.sleep(0.01)
            ending.reschedule(asyncio.get_running_loop().time() + 60)

        with pytest.raises(httpx.HTTPError):
            (await waiting).raise_for_status()


async def test_wrong_types_leave_the_other_rows_alone(served):
    """One row is spoilt, two are no objects, the others are as they were; the answer has a tag of its own."""
    replay, client = served
    good = await client.get("/match-event/ma1")
    fault(replay, "wrong_types")

    answer = await client.get("/match-event/ma1")

    nothing, number, start, goal = answer.json()
    assert (nothing, number) == (None, 42)
    assert start == good.json()[0]
    assert (goal["id"], goal["minute"], goal["team"]) == ("101", {}, [])
    assert answer.headers["etag"] != good.headers["etag"]
    assert isinstance((await client.get("/match/ma1")).json()["match"]["match_result"], str)


async def test_an_incident_vanishes(served):
    """The last incident of the play is missing, or the one that is named, with its text."""
    replay, client = served
    fault(replay, "vanished")
    assert [row["id"] for row in (await client.get("/match-event/ma1")).json()] == ["100"]
    assert [item["id"] for item in (await client.get("/liveticker/co/ma1")).json()] == ["900"]

    replay.faults.clear()
    fault(replay, "vanished", incident="100")

    assert [row["id"] for row in (await client.get("/match-event/ma1")).json()] == ["101"]


async def test_an_incident_comes_twice(served):
    """The same row stands in the list a second time."""
    replay, client = served
    fault(replay, "duplicated")

    rows = (await client.get("/match-event/ma1")).json()

    assert [row["id"] for row in rows] == ["100", "101", "101"]
    assert rows[1] == rows[2]


async def test_an_oversized_body_is_correct_and_far_too_long(served):
    """Only a count of bytes says it from a good answer, and no length is announced."""
    replay, client = served
    good = (await client.get("/match/ma1")).json()
    fault(replay, "oversized", size=3_000_000)

    answer = await client.get("/match/ma1")

    assert len(answer.content) == 3_000_000
    assert "content-length" not in answer.headers
    assert answer.json() == good


def test_every_mode_is_made_by_one_part():
    """No mode is known by name alone."""
    paced = {"drip", "oversized", "cut"}
    statuses = {mode for mode in MODES if mode.isdigit()}

    assert set(MODES) == statuses | BODIES.keys() | DOCUMENTS.keys() | paced


async def test_a_fault_meets_only_its_resource_and_match(served):
    """Other resources and other matches answer as before."""
    replay, client = served
    fault(replay, "500", kind="match-event", match_id="1")
    assert (await client.get("/match/ma1")).status_code == 200
    assert (await client.get("/match-event/ma1")).status_code == 500

    replay.faults.clear()
    fault(replay, "500", match_id="2")
    assert (await client.get("/match-event/ma1")).status_code == 200
