"""A recorded failure fails again in the same way, for whoever asks at that moment."""

import asyncio

import httpx
import pytest

from mapping.errors import ServiceError
from providers import http_client, responses
from providers.replay import MODES, Line
from providers.replay.faults import BODIES, DOCUMENTS
from providers.replay.recorded_failure import Failure
from tests.kit.opening import client_at
from tests.providers.replay.samples import at, lines, replaying

LIMIT = 100_000
BODY = b'{"half": '


async def heard(failure):
    """The error that our own client makes of this failure, and what it heard."""
    recorded = [Line.of_failure(at(0), "match/ma1", failure)]
    async with replaying(recorded, step=True, hang=5) as (replay, _):
        replay.step()
        soon = 0.5 if failure.ending == "late" else 30.0  # nobody else may be late on a busy machine
        client = client_at(replay.url, timeout=soon, provider_bytes=LIMIT)
        try:
            with pytest.raises(ServiceError) as caught:
                await http_client.get(client, "match/ma1")
        finally:
            await client.aclose()
    return caught.value


@pytest.mark.parametrize(
    ("failure", "message"),
    [
        (Failure(0, ending="late"), http_client.LATE),
        (Failure(0, ending="broken"), http_client.BROKEN),
        (Failure(200, BODY, "broken"), http_client.BROKEN),
        (Failure(200, BODY, "large", size=LIMIT + 1), responses.TOO_LARGE),
        (Failure(200, BODY, "cut"), responses.CUT_OFF),
        (Failure(200, BODY, "garbled"), responses.GARBLED),
        (Failure(200, BODY, "strange"), responses.STRANGE),
        (Failure(401, BODY), "the provider refuses the credentials"),
        (Failure(302, b""), "the provider redirects: refused"),
        (Failure(418, b""), "the provider rejects the request (418)"),
        (Failure(204, b"x"), "the provider's answer cannot be used (204)"),
    ],
    ids=lambda value: f"{value.status}-{value.ending}" if isinstance(value, Failure) else "",
)
async def test_it_is_taken_for_the_same(failure, message):
    """Whatever went wrong on the wire, the words for it are those of the recorded day."""
    assert (await heard(failure)).message == message


async def test_the_last_good_answer_stands_again():
    """The same body with the same ETag, so that nobody takes it for a change."""
    begin, match = lines()[:2]
    recorded = [
        begin,
        match,
        Line.of_failure(at(5), match.resource, Failure(503)),
        Line.of_raw(at(9), match.resource, "")._replace(again=True),
    ]
    async with replaying(recorded, step=True) as (replay, client):
        replay.step()
        replay.step()
        before = await client.get("/match/ma1")
        replay.step()
        assert (await client.get("/match/ma1")).status_code == 503
        replay.step()
        after = await client.get("/match/ma1", headers={"If-None-Match": before.headers["etag"]})

    assert after.status_code == 304
    assert replay.log.requests[-2].status == 503


async def test_again_before_anything_good_is_nothing():
    """As of a match that was followed before the recording began."""
    again = Line.of_raw(at(0), "match/ma1", "")._replace(again=True)
    async with replaying([again], step=True) as (replay, client):
        replay.step()

        assert (await client.get("/match/ma1")).status_code == 404


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
