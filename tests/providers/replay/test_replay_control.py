"""A person with curl can watch and steer a replay."""

import pytest

from providers.replay import Replay, ReplaySettings
from providers.replay.app import create_app
from tests.providers.replay.samples import lines, replaying


async def test_the_clock_obeys():
    """Speed, seek and pause are set by one command, and the answer is the new state."""
    async with replaying() as (replay, client):
        state = (await client.post("/__replay/clock", json={"speed": 50, "seek": 100, "pause": True})).json()
        assert (state["speed"], state["elapsed"], state["paused"]) == (50, 100, True)

        assert (await client.post("/__replay/clock", json={"seek": "end", "pause": False})).json()["finished"]
        assert not replay.clock.paused
        assert not (await client.post("/__replay/restart")).json()["finished"]
        assert (await client.post("/__replay/settle")).json()["finished"]


async def test_faults_are_switched_on_and_off():
    """A fault is on after the command and off after `{mode: null}`."""
    async with replaying() as (replay, client):
        order = {"mode": "429", "resource": "match", "match": "1", "count": 3, "retry_after": 7}
        state = (await client.post("/__replay/fault", json=order)).json()
        assert state["faults"][0]["count"] == 3
        answer = await client.get("/match/ma1")
        assert (answer.status_code, answer.headers["retry-after"]) == (429, "7")

        await client.post("/__replay/fault", json={"mode": None})

        assert replay.faults.active == ()


@pytest.mark.parametrize(
    ("command", "order"),
    [
        ("fault", {"mode": "slow"}), ("fault", {"mode": "500", "colour": "red"}),
        ("fault", {"mode": "500", "count": "many"}), ("fault", [1]), ("clock", {"speed": 0}),
        ("clock", {"speed": "fast"}), ("clock", {"seek": -1}), ("clock", {"seek": "middle"}),
        ("envelope", {"match": "2", "envelope": "tree"}), ("envelope", {"match": "1", "envelope": "box"}),
        ("envelope", {}), ("step", {}), ("fault", {"mode": "x" * 70_000}),
    ],
)  # fmt: skip
async def test_a_command_that_means_nothing_is_refused(command, order):
    """The answer is 400 with the reason, and nothing has changed."""
    async with replaying() as (replay, client):
        answer = await client.post(f"/__replay/{command}", json=order)

        assert answer.status_code == 400
        assert answer.json()["error"]
        assert (replay.clock.speed, replay.cursor, replay.faults.active) == (1, 1, ())


async def test_the_control_is_closed_to_other_machines():
    """A peer that is not this machine gets 403, for reading as for steering, and nothing moves."""
    replay = Replay(lines(), ReplaySettings())
    sent = []

    async def send(message):
        sent.append(message)

    async def receive():
        return {"type": "http.request", "body": b"{}", "more_body": False}

    for method, path in (("GET", "/__replay/state"), ("POST", "/__replay/settle")):
        scope = {
            "type": "http", "method": method, "path": path, "headers": [], "query_string": b"",
            "client": ("192.0.2.7", 5),
        }  # fmt: skip
        await create_app(replay)(scope, receive, send)

    assert [message["status"] for message in sent if "status" in message] == [403, 403]
    assert not replay.finished
