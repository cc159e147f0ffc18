"""The one door: versions, order, outbox, and ids that are given once."""

import asyncio
from functools import partial

import pytest
from sqlalchemy import func, select

from mapping.errors import Conflict
from store.engine.records import Change, sort_key
from store.liveblogs.liveblogs import event, events, insert_game, record, require_game
from store.tables import outbox
from tests.store.conftest import ALIKE, change, new_game, post


def notifications(conn):
    query = select(outbox.c.game_id, outbox.c.local_id, outbox.c.organization_id, outbox.c.version, outbox.c.at)
    return [tuple(row) for row in conn.execute(query.order_by(outbox.c.id))]


@ALIKE
async def test_a_change_steps_the_version_once_and_leaves_one_notification(store, game, clock):
    """Two events and the game itself in one change are one version and one outbox row."""
    clock.now += 10
    version = await store.write(change(post("e1"), post("e2"), game={"meta_info": {"title": "Final"}}))
    stored = await store.read(lambda conn: require_game(conn, game.id))
    written = await store.read(lambda conn: events(conn, game.id))

    assert (version, stored.version, stored.title, stored.updated_at) == (2, 2, "Final", 1_700_000_010)
    assert [(item.local_id, item.version) for item in written] == [("e2", 2), ("e1", 2)]
    assert [row[3:] for row in await store.read(notifications)] == [(1, 1_700_000_000), (2, 1_700_000_010)]


async def test_two_hundred_concurrent_changes_lose_nothing(store, game):
    """Each of 200 writers at the same time gets a version of its own."""
    versions = await asyncio.gather(*(store.write(change(post(f"e{number}"))) for number in range(200)))

    assert sorted(versions) == list(range(2, 202))
    stored = await store.read(lambda conn: events(conn, game.id))
    assert (len(stored), len({item.sort for item in stored})) == (200, 200)
    assert await store.read(lambda conn: conn.scalar(select(func.count()).select_from(outbox))) == 201


@ALIKE
async def test_a_replaced_event_keeps_its_serial(store, game):
    """The same local_id is the same event: a new document and version in the old place."""
    await store.write(change(post("e1"), post("e2")))
    await store.write(change(post("e1", document={"headline": "corrected"}, user_id="desk")))
    first = await store.read(lambda conn: event(conn, "e1"))

    assert (first.serial, first.version, first.document, first.user_id) == (1, 3, {"headline": "corrected"}, "desk")
    assert (await store.read(lambda conn: require_game(conn, game.id))).serial == 2


async def test_order_is_by_time_then_by_creation_before_1970_too(store, game):
    """Sorting `sort` bytewise sorts by created_at, equal times by order of creation, on both databases."""
    times = [5, -1, 0, 5, -(10**11), 1_700_000_000, -2, 10**11]
    await store.write(change(*(post(f"e{number}", time) for number, time in enumerate(times))))
    ascending = await store.read(lambda conn: events(conn, game.id, descending=False))

    assert [item.created_at for item in ascending] == sorted(times)
    assert [item.local_id for item in ascending if item.created_at == 5] == ["e0", "e3"]
    assert [item.local_id for item in await store.read(lambda conn: events(conn, game.id))] == [
        item.local_id for item in reversed(ascending)
    ]


def test_sort_is_the_time_as_sixteen_hex_digits_and_a_suffix():
    """Clients that read the time out of `sort` find it."""
    assert sort_key(1_700_000_000, 3) == f"{1_700_000_000:016x}00000003"
    assert len(sort_key(-1, 3)) == 24


@ALIKE
async def test_an_event_belongs_to_one_game(store, game):
    """Another liveblog cannot write an event by its local_id, and nothing of the change stays."""
    await store.write(change(post("e1")))
    other = await store.write(partial(insert_game, game=new_game(2)))

    with pytest.raises(Conflict):
        await store.write(lambda unit: record(unit, other.id, Change(events=(post("fresh"), post("e1")))))

    assert await store.read(lambda conn: event(conn, "fresh")) is None
    assert (await store.read(lambda conn: event(conn, "e1"))).game_id == game.id
    assert (await store.read(partial(require_game, name=other.id))).version == 1


async def test_a_local_id_is_given_once(store, game):
    """A second game with the same local_id is refused, at the same time too."""
    with pytest.raises(Conflict):
        await store.write(partial(insert_game, game=new_game(2, local_id=game.local_id)))
    twins = [new_game(number, local_id="org_twin", external_id="twin") for number in range(3, 9)]
    outcomes = await asyncio.gather(
        *(store.write(partial(insert_game, game=twin)) for twin in twins), return_exceptions=True
    )

    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["Conflict"] * 5 + ["StoredGame"]
