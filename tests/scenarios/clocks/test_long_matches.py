"""Matches that last longer than any plan: a race of 24 hours, one that nobody ever ended, one that is put off by a day."""

from datetime import datetime, timedelta

import pytest

from mapping.match.match import Status
from tests.kit.hand_driven import steady_by
from tests.kit.scripted import Clock, Process, open_store
from tests.kit.settings import intervals
from tests.kit.sport_fixtures import encoded
from tests.kit.sqlite import migrated_url
from tests.providers.heim.feed import BERLIN

HOUR = 3600.0
START = 1_800_000_000.0
PACE = intervals()


def race(*laps, kickoff=START, running=True, **changes):
    """Its answers: the pit stops of these laps, every hour one."""
    begins = datetime.fromtimestamp(kickoff, BERLIN)
    times = [begins + timedelta(hours=hour) for hour in range(len(laps))]
    stops = [
        {
            "id": f"{number}", "action": "race", "kind": "pit-stop", "content": "", "lap": f"{lap}",
            "created": f"{at:%d.%m.%Y %H:%M:%S}", "person": {"id": "801", "name": "Jan Muster", "surname": "Muster"},
        }
        for number, (lap, at) in enumerate(zip(laps, times, strict=True), 1)
    ]  # fmt: skip
    match = {
        "id": "1", "finished": "no", "match_date": f"{begins:%d.%m.%Y}", "match_time": f"{begins:%H:%M}",
        "current_period": "game-start" if running else "", "match_result": [], "round": {"id": "5", "name": "Rennen"},
    }  # fmt: skip
    return {"match": encoded({"match": match | changes}), "match-event": encoded(stops)}


NOW = 1000.0
"""What the steady clock says: no time passes by it."""


@pytest.fixture
async def process(tmp_path, monkeypatch):
    steady_by(monkeypatch, Clock(NOW))
    clock = Clock(START)
    store = await open_store(migrated_url(tmp_path / "long.db"), clock)
    process = Process(store, "1", clock=clock, wishes={"text": False})
    yield process
    await process.followers.stop()
    await store.close()


async def wait_after(process, at, bodies):
    """Seconds until the next poll after one at this instant."""
    process.clock.now = at
    assert await process.poll(bodies)
    (match,) = process.matches
    return match.due - NOW


async def begun(process, bodies):
    process.adapter.bodies = bodies
    await process.create()
    await process.settle()


async def test_a_race_of_24_hours_keeps_the_live_interval(process):
    """In its 9th and 23rd hour it is polled every few seconds, by a process that was started again too."""
    await begun(process, race(1))
    waits = {}
    for hour in range(1, 24):
        waits[hour] = await wait_after(process, START + hour * HOUR, race(*range(1, 2 + hour)))
        if hour in {9, 23}:
            await process.restart()
            await process.poll()  # the first one after that is hurried
            waits[hour + 0.1] = await wait_after(process, START + hour * HOUR + 300, None)
    (match,) = process.matches

    assert match.status is Status.LIVE
    assert dict.fromkeys(waits, PACE.live) == {hour: pytest.approx(wait, abs=1) for hour, wait in waits.items()}


async def test_a_match_in_doubt_is_closed_when_its_provider_forgets_it(process):
    """Nobody is left who could confirm that a stop is gone: when the window after the end is over, it stays as it is."""
    ended = {"finished": "yes"}
    await begun(process, race(1, 2))
    assert await process.poll(race(1, 2, running=False, **ended))
    assert await process.poll(race(1, running=False, **ended))
    (match,) = process.matches
    assert (match.status, match.pending) == (Status.FINISHED, True)
    gone = frozenset({"match", "match-event"})
    await process.poll(failing=gone)
    assert match.due - NOW < PACE.backoff_max * 1.5
    process.clock.now += PACE.after_window
    await process.poll(failing=gone)
    await process.followers.stop()

    assert not process.matches


async def test_a_kickoff_that_is_not_known_any_more_is_no_news(process):
    """`unknown` after a known time: the plan stays what it was, also for a process that starts later."""
    process.clock.now = START - HOUR / 2
    await begun(process, race(running=False))
    gone = race(running=False, match_time="unknown")
    waits = [await wait_after(process, START + 60, gone)]
    await process.restart()
    await process.poll()  # the first one after that is hurried
    waits.append(await wait_after(process, START + 120, None))

    assert [PACE.live, PACE.live] == [pytest.approx(wait, abs=1) for wait in waits]
