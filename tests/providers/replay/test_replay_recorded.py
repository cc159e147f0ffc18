"""Real traffic is served as it was recorded, every answer of it."""

from __future__ import annotations

import json

import httpx
import pytest

from providers.replay import Replay, ReplaySettings, read_lines
from providers.replay.dates import CLOSED, PLAYED, RUNNING
from tests.kit.recordings import required, soccer_recordings
from tests.kit.sampling import sampled

pytestmark = pytest.mark.proof

DATES = PLAYED.keys() | RUNNING.keys() | {"match_date", "match_time"}


def undated(body):
    """The body without the dates that a replay moves."""
    if isinstance(body, list):
        return [undated(item) for item in body]
    if not isinstance(body, dict):
        return body
    return {key: value if key in CLOSED else undated(value) for key, value in body.items() if key not in DATES}


@pytest.mark.parametrize("part", sampled([0, 1], bool))
async def test_recordings_are_served_entirely(part):
    """Step by step every recorded answer comes over HTTP, equal in everything but the dates of the play."""
    recorded = [line for path in required(soccer_recordings())[part::2] for line in read_lines(path)]
    replay = Replay(recorded, ReplaySettings(step=True))
    served = 0
    async with replay.serve(), httpx.AsyncClient(base_url=replay.url) as client:
        while line := replay.step():
            competition = "/co" if line.kind == "liveticker" else ""
            answer = await client.get(f"/{line.kind}{competition}/ma{line.match_id}")
            assert answer.status_code == 200
            if line.is_json:
                assert undated(answer.json()) == undated(line.body)
            else:
                assert answer.text == line.text
            served += 1

    assert served == len(recorded) > 500


async def test_after_all_trouble_the_last_good_answers_are_served():
    """Settled, each resource of each match gives the body that `last_good` promises."""
    recorded = [line for path in required(soccer_recordings()) for line in read_lines(path)]
    replay = Replay(recorded, ReplaySettings(start_at="kickoff", speed=1000))
    replay.settle()
    async with replay.serve(), httpx.AsyncClient(base_url=replay.url) as client:
        for match_id in replay.matches:
            good = replay.last_good(match_id)
            assert {"match", "match-event", "liveticker"} == good.keys()
            for kind, body in good.items():
                path = f"/{kind}/co/ma{match_id}" if kind == "liveticker" else f"/{kind}/ma{match_id}"
                assert json.loads((await client.get(path)).content) == body
