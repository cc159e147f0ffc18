"""Alarms: one row from the beginning to the end, whichever processes see the trouble."""

from dataclasses import replace
from functools import partial

from store.alarms import alarms
from store.alarms.alarms import FIRST_PAUSE, REFRESH, STALE, Observed
from tests.store.conftest import ALIKE, BOTH

SILENT = Observed("feed_silent", "f1", "match 9000001 of heim is silent", {"match": "9000001"})
FULL = Observed("disk_low", "host:/data", "less than 512 MiB are free in /data", {"free": 3})


def kinds(found):
    return [(alarm.kind, alarm.name) for alarm in found]


@BOTH
async def test_an_alarm_begins_once_and_ends_once(processes, clock):
    """Two processes see it, one later than the other; it ends when neither has seen it for a while, and can come again."""
    one, two = processes
    assert await one.read(alarms.is_quiet)

    began = await one.write(partial(alarms.record, patience=STALE, observed=[SILENT, FULL]))
    again = await two.write(partial(alarms.record, patience=STALE, observed=[SILENT]))
    assert (kinds(began.began), kinds(again.began)) == ([("feed_silent", "f1"), ("disk_low", "host:/data")], [])
    assert not await two.read(alarms.is_quiet)

    for _ in range(4):
        clock.now += STALE / 2
        assert not (await two.write(partial(alarms.record, patience=STALE, observed=[SILENT]))).began
    (shown,) = [each for each in await one.read(partial(alarms.list_alarms, ended_since=0)) if each.ended_at is None]
    assert (shown.kind, shown.began_at, shown.details) == ("feed_silent", 1_700_000_000, {"match": "9000001"})

    clock.now += STALE + 1
    ends = [(await each.write(partial(alarms.record, patience=STALE, observed=[]))).ended for each in processes]
    assert [kinds(each) for each in ends] == [[("feed_silent", "f1")], []]
    assert kinds((await one.write(partial(alarms.record, patience=STALE, observed=[SILENT]))).began) == [
        ("feed_silent", "f1")
    ]
    assert len(await one.read(partial(alarms.list_alarms, ended_since=0))) == 3
    assert await one.write(partial(alarms.purge, before=clock.now + 1)) == 2


@ALIKE
async def test_a_step_of_the_clock_ends_nothing_that_is_still_seen(processes, clock):
    """Eight days forward, two hours back: who sees the trouble notes it before it looks for what has ended."""
    one, _ = processes
    await one.write(partial(alarms.record, patience=STALE, observed=[SILENT]))
    for step in (8 * 86_400, -7_200):
        clock.now += step
        noted = await one.write(partial(alarms.record, patience=STALE, observed=[SILENT]))
        assert (noted.began, noted.ended) == ((), ())


@ALIKE
async def test_the_beginning_is_announced_before_the_end_and_each_once(processes, clock):
    """What is not taken is tried again after a pause, by one process at a time; nothing is announced after a day."""
    one, two = processes
    await one.write(partial(alarms.record, patience=STALE, observed=[SILENT]))

    (first,) = await one.write(alarms.to_announce)
    assert first.unannounced == "began"
    assert await two.write(alarms.to_announce) == []
    clock.now += FIRST_PAUSE
    (retried,) = await two.write(alarms.to_announce)
    clock.now += STALE + 1
    await one.write(partial(alarms.record, patience=STALE, observed=[]))
    await two.write(partial(alarms.note_announced, alarm=retried))
    (end,) = await one.write(alarms.to_announce)
    assert (end.id, end.unannounced, end.ended_at) == (first.id, "ended", 1_700_000_000 + REFRESH)
    await one.write(partial(alarms.note_announced, alarm=end))
    clock.now += 3600
    assert await one.write(alarms.to_announce) == []

    await one.write(partial(alarms.record, patience=STALE, observed=[FULL]))
    clock.now += STALE + 1
    await one.write(partial(alarms.record, patience=STALE, observed=[]))
    clock.now += 86_400
    assert await one.write(alarms.to_announce) == []
    assert replace(end, announced=None).unannounced == "began"
