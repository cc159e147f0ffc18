"""Each fault does on the wire what it says, for as long as it says, and only where it says."""

from __future__ import annotations

import ast
import asyncio
from pathlib import Path

import httpx
import pytest

from providers.replay import MODES
from providers.replay.faults import BODIES, DOCUMENTS, Fault, Faults
from tests.providers.replay.samples import replaying


@pytest.fixture
async def served():
    async with replaying(hang=0.3) as (replay, client):
        replay.seek(1000)
        yield replay, client


def fault(replay, mode, **fields):
    return replay.faults.add(mode, **fields)


@pytest.mark.parametrize("status", ["500", "503", "401", "403", "404", "429"])
async def test_a_status_replaces_the_answer(served, status):
    """The status comes with a page that is not JSON."""
    replay, client = served
    fault(replay, status)

    answer = await client.get("/match/ma1")

    assert answer.status_code == int(status)
    assert b"<html>" in answer.content
    assert replay.log.requests[-1].fault == status


@pytest.mark.parametrize("retry_after", ["2", "-1", "Wed, 21 Oct 2026 07:28:00 GMT", "soon"])
@pytest.mark.parametrize("status", ["429", "503"])
async def test_retry_after_is_sent_as_it_stands(served, status, retry_after):
    """Numbers, dates and nonsense reach the client unchanged."""
    replay, client = served
    fault(replay, status, retry_after=retry_after)

    assert (await client.get("/match/ma1")).headers["retry-after"] == retry_after


async def test_a_timeout_never_answers(served):
    """The connection stays open and silent until the client gives up."""
    replay, client = served
    fault(replay, "timeout")

    with pytest.raises(httpx.ReadTimeout):
        await client.get("/match/ma1", timeout=0.1)

    assert replay.log.requests[-1].status == 0


async def test_a_timeout_ends_by_itself(served):
    """A client without patience limits is let go with a 500 in the end."""
    replay, client = served
    fault(replay, "timeout")

    assert (await client.get("/match/ma1")).status_code == 500


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


async def test_a_truncated_body_is_half_a_document(served):
    """The answer looks whole to HTTP and is not JSON."""
    replay, client = served
    whole = (await client.get("/match/ma1")).content
    fault(replay, "truncated")

    answer = await client.get("/match/ma1")

    assert answer.status_code == 200
    assert whole.startswith(answer.content)
    with pytest.raises(ValueError, match=r"Expecting|Unterminated|delimiter"):
        answer.json()


async def test_a_cut_breaks_the_connection(served):
    """The body ends before its announced length."""
    replay, client = served
    fault(replay, "cut", count=1)

    with pytest.raises(httpx.RemoteProtocolError):
        await client.get("/match/ma1")

    assert (await client.get("/match/ma1")).status_code == 200


@pytest.mark.parametrize(("mode", "content"), [("empty", b""), ("empty_list", b"[]")])
async def test_nothing_instead_of_the_answer(served, mode, content):
    """The answer is good by its status and holds nothing."""
    replay, client = served
    fault(replay, mode)

    answer = await client.get("/match-event/ma1")

    assert (answer.status_code, answer.content) == (200, content)


async def test_html_instead_of_the_answer(served):
    """A page of some proxy comes with status 200."""
    replay, client = served
    fault(replay, "html")

    answer = await client.get("/match/ma1")

    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")


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


async def test_a_dripping_body_takes_its_time(served):
    """The whole document arrives, slowly."""
    replay, client = served
    good = (await client.get("/match/ma1")).content
    fault(replay, "drip", seconds=0.4)

    async with client.stream("GET", "/match/ma1") as answer:
        parts = [part async for part in answer.aiter_bytes()]

    assert b"".join(parts) == good
    assert len(parts) > 2


async def test_an_oversized_body_is_correct_and_far_too_long(served):
    """Only a count of bytes says it from a good answer, and no length is announced."""
    replay, client = served
    good = (await client.get("/match/ma1")).json()
    fault(replay, "oversized", size=3_000_000)

    answer = await client.get("/match/ma1")

    assert len(answer.content) == 3_000_000
    assert "content-length" not in answer.headers
    assert answer.json() == good


def test_every_mode_has_a_test_above():
    """A new fault that no test names fails here."""
    source = ast.parse(Path(__file__).read_text(encoding="utf-8"))
    named = {node.value for node in ast.walk(source) if isinstance(node, ast.Constant)}

    assert set(MODES) <= named


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


async def test_a_fault_may_last_for_some_answers(served):
    """After so many answers everything is as before; faults wait for each other in their order."""
    replay, client = served
    fault(replay, "500", count=2)
    fault(replay, "404", count=1)

    assert [(await client.get("/match/ma1")).status_code for _ in range(4)] == [500, 500, 404, 200]
    assert replay.faults.active == ()


async def test_a_fault_wins_over_a_known_tag(served):
    """Also a conditional request meets the fault."""
    replay, client = served
    tag = (await client.get("/match/ma1")).headers["etag"]
    fault(replay, "503")

    assert (await client.get("/match/ma1", headers={"if-none-match": tag})).status_code == 503


async def test_a_raw_answer_survives_document_faults(served):
    """What never was JSON cannot be distorted, and is served as it came."""
    replay, client = served
    replay.seek_end()
    fault(replay, "vanished")

    assert (await client.get("/match-event/ma1")).text == "<html>oops</html>"


@pytest.mark.parametrize("fields", [{"mode": "slow"}, {"mode": "500", "count": 0}])
def test_a_fault_that_means_nothing_is_refused(fields):
    """The error comes when the fault is switched on, not when it meets an answer."""
    with pytest.raises(ValueError, match="fault"):
        Fault(**fields)


def test_no_fault_is_on_at_first():
    """A replay behaves until a fault is switched on."""
    assert Faults().take("match", "1") is None
