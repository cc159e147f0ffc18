"""What is old goes in small units: others write in between, a run ends in time, and the next one goes on where it was."""

import asyncio
import time
from functools import partial
from itertools import count as count_from
from itertools import pairwise
from types import SimpleNamespace

import pytest
from sqlalchemy import func, insert, select

from ingest.jobs import purges
from ingest.jobs.purges import Purging
from mapping.errors import NotFound
from store import tables
from store.engine.liveblog_records import Change
from store.liveblogs.liveblogs import insert_game, record
from store.webhooks import delivery_log, outbox, webhooks
from tests.store.conftest import ALIKE, ORGANIZATION, new_game

OTHER = "5f0c1de2a1b2c3d4e5f60719"
URL = "https://cms.example/hook"
BATCH = outbox.PURGED
OLD, NEW = 1_000, 1_699_999_999
"""Unix seconds; what is from before YOUNG is to go."""
YOUNG = 1_600_000_000


def outbox_rows(count, *, first=1, organization=ORGANIZATION, at=OLD):
    same = {"organization_id": organization, "version": 1, "at": at}
    return [
        {**same, "game_id": f"g{number}", "local_id": f"l{number}", "number": number}
        for number in range(first, first + count)
    ]


def rounds(webhook_id, count):
    same = {
        "webhook_id": webhook_id, "game_id": "g", "local_id": "l", "version": 1, "kind": "update", "round": 1,
        "tries": 1, "at": OLD, "took_ms": 1, "success": True, "message": "",
    }  # fmt: skip
    return [{**same, "number": number} for number in range(count)]


async def fill(store, table, rows):
    for start in range(0, len(rows), 10_000):
        await store.write(lambda unit, start=start: unit.conn.execute(insert(table), rows[start : start + 10_000]))


async def count(store, table):
    return await store.read(lambda conn: conn.scalar(select(func.count()).select_from(table)))


async def subscribed(store, organization=ORGANIZATION, cursor=0):
    """A subscription that has had everything up to `cursor`."""
    work = partial(webhooks.subscribe, organization_id=organization, url=URL, secret=webhooks.new_secret(), limit=9)
    row, _ = await store.write(work)
    table = tables.webhooks
    await store.write(lambda unit: unit.conn.execute(table.update().where(table.c.id == row.id).values(cursor=cursor)))
    return row


async def while_others_write(store, work):
    """The seconds that each write of somebody else took while `work` ran."""
    game = await store.write(partial(insert_game, game=new_game()))
    took = []

    async def others():
        while True:
            began = time.monotonic()
            await store.write(partial(record, game_id=game.id, change=Change()))
            took.append(time.monotonic() - began)
            await asyncio.sleep(0)

    writing = asyncio.create_task(others())
    while not took:
        await asyncio.sleep(0)
    before = len(took)
    await work
    during = took[before:]
    writing.cancel()
    await asyncio.gather(writing, return_exceptions=True)
    return during


class Ticking:
    """A clock that goes on by 0.01 seconds each time that it is looked at."""

    def __init__(self):
        self.ticks = count_from(0)

    def monotonic(self):
        return next(self.ticks) / 100


async def test_a_unit_looks_at_so_many_rows_and_keeps_what_somebody_still_waits_for(store):
    """Rows behind every active subscription go, also those behind many that stay."""
    await fill(store, tables.outbox, outbox_rows(30))
    await fill(store, tables.outbox, outbox_rows(30, first=31, organization=OTHER))
    await fill(store, tables.outbox, outbox_rows(5, first=61, at=NEW))
    await subscribed(store, cursor=12)
    await subscribed(store, OTHER, cursor=60)
    after, left = 0, []
    while after is not None:
        after = await store.write(partial(outbox.purge, before=YOUNG, after=after, limit=10))
        left.append(await count(store, tables.outbox))
    numbers = set(await store.read(lambda conn: conn.scalars(select(tables.outbox.c.number)).all()))

    assert [55, 53, 53, 43, 33, 23, 23] == left
    assert {*range(13, 31), *range(61, 66)} == numbers


async def test_others_write_while_much_is_purged(store, monkeypatch):
    """No unit takes more than so many rows of outbox or log, and writes of others come through beside them."""
    batches = 3
    row = await subscribed(store, cursor=batches * BATCH)
    await fill(store, tables.outbox, outbox_rows(batches * BATCH))
    await fill(store, tables.webhook_rounds, rounds(row.id, batches * BATCH))
    left, write = [], store.write

    async def counted(work, **more):
        result = await write(work, **more)
        left.append([await count(store, table) for table in (tables.outbox, tables.webhook_rounds)])
        return result

    purging = Purging(store, longest=60)
    monkeypatch.setattr(purging, "_store", SimpleNamespace(write=counted))
    writes = await while_others_write(store, purging.deliveries(before=YOUNG))

    assert 0 == await count(store, tables.webhook_rounds)
    assert {OLD} != set(await store.read(lambda conn: conn.scalars(select(tables.outbox.c.at)).all()))
    assert max(before - after for pair in pairwise(left) for before, after in zip(*pair, strict=True)) <= BATCH
    assert len(left) >= 2 * batches
    assert writes


@ALIKE
async def test_a_run_ends_in_time_and_the_next_goes_on_where_it_was(store, monkeypatch):
    """What nobody may purge yet is not looked at again and again while there is more behind it."""
    await fill(store, tables.outbox, outbox_rows(3 * BATCH))
    await fill(store, tables.outbox, outbox_rows(3 * BATCH, first=10 * BATCH, organization=OTHER))
    await subscribed(store, cursor=0)
    monkeypatch.setattr(purges, "time", Ticking())
    purging = Purging(store, longest=0.015)
    left, finished = [], []
    for _ in range(7):
        finished.append(await purging.deliveries(before=YOUNG))
        left.append(await count(store, tables.outbox) // BATCH)

    assert [6, 6, 6, 5, 4, 3, 3] == left
    assert [False] * 6 + [True] == finished


@ALIKE
async def test_a_subscription_with_a_long_log_ends_at_once_and_its_rows_go_bit_by_bit(store):
    """Nobody sees it any more, its address can be subscribed again, and in the end nothing of it is left."""
    row = await subscribed(store)
    await fill(store, tables.webhook_rounds, rounds(row.id, 2 * webhooks.FORGOTTEN + 1))
    await store.write(partial(webhooks.unsubscribe, organization_id=ORGANIZATION, url=URL))
    left = await count(store, tables.webhook_rounds)

    assert left == webhooks.FORGOTTEN + 1
    assert (
        []
        == await store.read(webhooks.list_subscriptions)
        == await store.read(partial(webhooks.list_subscriptions, organization_id=ORGANIZATION))
    )
    assert [] == await store.read(partial(delivery_log.page, organization_id=ORGANIZATION))
    some = await store.read(lambda conn: conn.scalar(select(tables.webhook_rounds.c.id).limit(1)))
    with pytest.raises(NotFound):
        await store.write(partial(delivery_log.replay, organization_id=ORGANIZATION, delivery_id=some))
    assert row.secrets[0].value not in str(await store.read(lambda conn: conn.execute(select(tables.webhooks)).all()))
    again = await subscribed(store)
    assert again.id != row.id
    await Purging(store).deliveries(before=0)
    assert 0 == await count(store, tables.webhook_rounds)
    assert [again.id] == await store.read(lambda conn: list(conn.scalars(select(tables.webhooks.c.id))))


@pytest.mark.soak
async def test_a_million_rows_block_nobody(store):
    """Outbox and log of a million rows each: 999 of 1,000 writes of others take less than 250 ms meanwhile."""
    number = 1_000_000
    row = await subscribed(store, cursor=number)
    await fill(store, tables.outbox, outbox_rows(number))
    await fill(store, tables.webhook_rounds, rounds(row.id, number))
    writes = sorted(await while_others_write(store, Purging(store, longest=3600).deliveries(before=YOUNG)))
    median, late, longest = (round(writes[int(len(writes) * share) - 1] * 1000, 1) for share in (0.5, 0.999, 1))
    print(f"{len(writes)} writes: {median} ms (median), {late} ms (99.9th percentile), {longest} ms (longest)")  # noqa: T201

    assert 0 == await count(store, tables.webhook_rounds)
    assert late < 250
