"""Very many subscriptions of one organization: they begin in few units, and whoever writes beside them waits for one at most."""

from __future__ import annotations

import asyncio

import pytest
from sqlalchemy import insert, select

from config.sections import Webhooks
from ingest.kit.batcher import Batcher
from ingest.webhooks.dispatcher import CROWD
from ingest.webhooks.receiver_rows import TOGETHER
from store.tables import webhooks as table
from store.webhooks import deliveries, webhooks
from store.webhooks.webhooks import new_secret
from tests.store.conftest import ORGANIZATION

pytestmark = pytest.mark.proof

MANY = 1200
PATIENT = Webhooks(rate=0, organization_rounds=64)
"""No try of a crowd takes so long that it is made again."""


def subscriptions(url=lambda each: f"http://127.0.0.1:9/{each}", number=MANY):
    """Rows of an organization's subscriptions, all active, that have had everything so far: the beginning of the liveblog."""
    secrets = [{"value": new_secret(), "until": None}]
    return [
        {
            "id": f"{each:024x}", "organization_id": ORGANIZATION, "url": url(each), "status": "active",
            "secrets": secrets, "cursor": 1, "failures": 0, "fence": 0, "created_at": 1, "updated_at": 1,
        }
        for each in range(number)
    ]  # fmt: skip


@pytest.fixture
def traffic(hub, monkeypatch):
    """What the deliveries want of the store: how many units and reads there were, and how many at the same time."""
    found = {"writes": 0, "reads": 0, "at once": 0}
    under_way = 0

    def watched(kind, run):
        async def counted(*given, **named):
            nonlocal under_way
            under_way += 1
            found[kind] += 1
            found["at once"] = max(found["at once"], under_way)
            try:
                return await run(*given, **named)
            finally:
                under_way -= 1

        return counted

    for name, kind in (("write", "writes"), ("read_for_write", "writes"), ("read", "reads")):
        monkeypatch.setattr(hub.store, name, watched(kind, getattr(hub.store, name)))
    return found


@pytest.fixture
def rows_of_units(monkeypatch):
    """How many receivers each unit claims, and each read looks up again."""
    found = {"claim_all": [], "still_claimed": [], "delivered_before": []}

    def noting(name, work):
        def noted(first, rows=None, **named):
            given = next(each for each in (rows, *named.values()) if isinstance(each, list))
            found[name].append(len(given))
            return work(first, **named)

        return noted

    for name in found:
        monkeypatch.setattr(deliveries, name, noting(name, getattr(deliveries, name)))
    return found


async def test_a_crowd_begins_in_few_units(hub, receiver, traffic, rows_of_units):
    """Two hundred are claimed, read and recorded at a time, one unit after the other; the second event finds them claimed."""
    await hub.store.write(
        lambda unit: unit.conn.execute(insert(table), subscriptions(lambda each: receiver.url("ok", each))) and None
    )
    async with hub.deliver(PATIENT):
        for event in (1, 2):
            traffic.update(dict.fromkeys(traffic, 0))
            await hub.change()
            await receiver.until(lambda event=event: len(receiver.requests()) >= event * MANY)
            assert traffic["at once"] <= 8
            # On a busy machine fewer share a run, and more seconds tick; each on its own they would want MANY of both.
            assert traffic["reads"] < MANY / 4
            assert traffic["writes"] < MANY / 4
    assert sum(rows_of_units["claim_all"]) == sum(rows_of_units["delivered_before"]) == MANY
    assert sum(rows_of_units["still_claimed"]) >= MANY
    assert max(max(rows) for rows in rows_of_units.values()) <= TOGETHER


async def test_the_unit_that_numbers_looks_up_few_subscriptions(hub, monkeypatch):
    """Those of a crowd are read beside the writer: no unit of others waits for thousands of rows."""
    looked_up = []

    def noted(conn, owner, organizations=None, **most):
        looked_up.append(most.get("most"))
        return within_reach(conn, owner, organizations, **most)

    within_reach = webhooks.within_reach
    monkeypatch.setattr(webhooks, "within_reach", noted)
    rows = subscriptions()
    await hub.store.write(lambda unit: unit.conn.execute(insert(table), rows) and None)
    async with hub.deliver() as delivering:
        named = asyncio.get_running_loop().create_future()

        async def ask(ids, **_):
            if ids and not named.done():
                named.set_result(ids)

        monkeypatch.setattr(delivering, "_ask", ask)
        async with asyncio.timeout(30):
            while not delivering.newest:
                await asyncio.sleep(0.01)
            await hub.change()
            wanted = await named

    assert looked_up[:2] == [CROWD + 1, None]
    assert len(set(wanted)) == MANY


async def test_who_is_alone_does_not_wait_and_a_crowd_shares_runs():
    """In the order in which they came, one run at a time; what goes wrong with one key is its own matter, a run's that of all."""
    runs, go_on = [], asyncio.Event()

    async def run(keys):
        runs.append(list(keys))
        await go_on.wait()
        if "broken" in keys:
            raise OSError("away")
        return {key: ValueError(key) if key == "bad" else key.upper() for key in keys if key != "nobody"}

    batcher = Batcher(run, most=3)
    keys = ("a", "b", "bad", "nobody", "c", "broken", "d")
    waiting = [asyncio.create_task(batcher.result(key)) for key in keys]
    await asyncio.sleep(0)
    waiting[4].cancel()
    go_on.set()
    found = await asyncio.gather(*waiting, return_exceptions=True)

    assert runs == [["a", "b", "bad"], ["nobody", "broken"], ["d"]]
    assert found[:2] + found[6:] == ["A", "B", "D"]
    assert [type(each) for each in found[2:6]] == [ValueError, OSError, asyncio.CancelledError, OSError]


async def test_thousands_of_claims_are_given_back_at_a_stop(hub):
    """In one unit, with as many statements as it takes: SQLite refuses a condition of a thousand parts."""
    rows = subscriptions(number=2500)
    await hub.store.write(lambda unit: unit.conn.execute(insert(table), rows) and None)
    ids = [row["id"] for row in rows]
    result = await hub.store.write(lambda unit: deliveries.claim_all(unit, ids, "one"))
    again = await hub.store.write(lambda unit: deliveries.claim(unit, ids[7], "one"))
    await hub.store.write(lambda unit: deliveries.release_claims(unit, [*result.claimed.values()]))

    owners = await hub.store.read(lambda conn: {row.id: row.owner for row in conn.execute(select(table))})
    assert (len(result.claimed), result.locked) == (2500, frozenset())
    assert {id_ for id_, owner in owners.items() if owner is not None} == {again.id}
