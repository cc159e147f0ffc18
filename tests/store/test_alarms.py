"""Alarms: one row from the beginning to the end, whichever processes see the trouble."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest

from store.alarms import alarms
from store.alarms.alarms import FIRST_PAUSE, REFRESH, STALE, Observed
from tests.kit.opening import store_at
from tests.kit.sqlite import migrated_url

SILENT = Observed("feed_silent", "f1", "match 9000001 of heim is silent", {"match": "9000001"})
FULL = Observed("disk_low", "host:/data", "less than 512 MiB are free in /data", {"free": 3})


class Wall:
    def __init__(self):
        self.now = 1_800_000_000.0

    def __call__(self):
        return self.now


@pytest.fixture
def wall():
    return Wall()


@pytest.fixture(params=["sqlite", "postgresql"])
async def processes(request, tmp_path, wall):
    """Two processes on a PostgreSQL, or one on a SQLite file, twice."""
    if request.param == "sqlite":
        store = await store_at(migrated_url(tmp_path / "alarms.db"), clock=wall)
        yield store, store
        await store.close()
        return
    url = request.getfixturevalue("postgres_url")
    opened = [await store_at(url, clock=wall) for _ in range(2)]
    yield tuple(opened)
    for each in opened:
        await each.close()


def kinds(found):
    return [(alarm.kind, alarm.name) for alarm in found]


async def test_an_alarm_begins_once_and_ends_once(processes, wall):
    """Two processes see it, one later than the other; it ends when neither has seen it for a while, and can come again."""
    one, two = processes
    assert await one.read(alarms.is_quiet)

    began = await one.write(partial(alarms.record, patience=STALE, observed=[SILENT, FULL]))
    again = await two.write(partial(alarms.record, patience=STALE, observed=[SILENT]))
    assert (kinds(began.began), kinds(again.began)) == ([("feed_silent", "f1"), ("disk_low", "host:/data")], [])
    assert not await two.read(alarms.is_quiet)

    for _ in range(4):
        wall.now += STALE / 2
        assert not (await two.write(partial(alarms.record, patience=STALE, observed=[SILENT]))).began
    (shown,) = [each for each in await one.read(partial(alarms.list_alarms, ended_since=0)) if each.ended_at is None]
    assert (shown.kind, shown.began_at, shown.details) == ("feed_silent", 1_800_000_000.0, {"match": "9000001"})

    wall.now += STALE + 1
    ends = [(await each.write(partial(alarms.record, patience=STALE, observed=[]))).ended for each in processes]
    assert [kinds(each) for each in ends] == [[("feed_silent", "f1")], []]
    assert kinds((await one.write(partial(alarms.record, patience=STALE, observed=[SILENT]))).began) == [
        ("feed_silent", "f1")
    ]
    assert len(await one.read(partial(alarms.list_alarms, ended_since=0))) == 3
    assert await one.write(partial(alarms.purge, before=wall.now + 1)) == 2


async def test_a_step_of_the_clock_ends_nothing_that_is_still_seen(processes, wall):
    """Eight days forward, two hours back: who sees the trouble notes it before it looks for what has ended."""
    one, _ = processes
    await one.write(partial(alarms.record, patience=STALE, observed=[SILENT]))
    for step in (8 * 86_400, -7_200):
        wall.now += step
        noted = await one.write(partial(alarms.record, patience=STALE, observed=[SILENT]))
        assert (noted.began, noted.ended) == ((), ())


async def test_the_beginning_is_announced_before_the_end_and_each_once(processes, wall):
    """What is not taken is tried again after a pause, by one process at a time; nothing is announced after a day."""
    one, two = processes
    await one.write(partial(alarms.record, patience=STALE, observed=[SILENT]))

    (first,) = await one.write(alarms.to_announce)
    assert first.unannounced == "began"
    assert await two.write(alarms.to_announce) == []
    wall.now += FIRST_PAUSE
    (retried,) = await two.write(alarms.to_announce)
    wall.now += STALE + 1
    await one.write(partial(alarms.record, patience=STALE, observed=[]))
    await two.write(partial(alarms.note_announced, alarm=retried))
    (end,) = await one.write(alarms.to_announce)
    assert (end.id, end.unannounced, end.ended_at) == (first.id, "ended", 1_800_000_000.0 + REFRESH)
    await one.write(partial(alarms.note_announced, alarm=end))
    wall.now += 3600
    assert await one.write(alarms.to_announce) == []

    await one.write(partial(alarms.record, patience=STALE, observed=[FULL]))
    wall.now += STALE + 1
    await one.write(partial(alarms.record, patience=STALE, observed=[]))
    wall.now += 86_400
    assert await one.write(alarms.to_announce) == []
    assert replace(end, announced=None).unannounced == "began"
