"""Liveblogs and their posts as they are kept: versions, order, and what a post was before."""

import asyncio
from functools import partial

import pytest
from sqlalchemy import func, select

from mapping.errors import Conflict
from store.engine.liveblog_records import Change, sort_key
from store.liveblogs import event_reads, liveblogs
from store.liveblogs.liveblogs import event, events, insert_game, list_games, record, require_game, schedule
from store.masterdata import masterdata, masterdata_edit
from store.tables import outbox, teams
from tests.store.conftest import ALIKE, DOCUMENT, ORGANIZATION, change, new_game, post

START = 1_700_000_000
SHOWN = (
    *("title", "local_status", "sportstype", "template_id", "updated_at", "version", "document", "local_id"),
    *("starts_at", "previous_starts_at"),
)


def outlook(conn):
    """All that readers can find out of the liveblogs, by the names that they know."""
    found = {"list": [_without_serial(each) for each in list_games(conn)]}
    for name in (new_game().local_id, new_game(2).local_id):
        game = liveblogs.find_game(conn, name)
        if game is None:
            found[name] = None
            continue
        read = (0, game.version // 2, game.version - 1, game.version)
        changes = [event_reads.changed_events(conn, game.id, since=since) for since in read]
        chunks = [event_reads.chunk(conn, game.id, since=since, limit=2) for since in read]
        found[name] = [
            _without_serial(game),
            liveblogs.events(conn, game.id),
            liveblogs.events(conn, game.id, limit=1, descending=False),
            [liveblogs.event(conn, f"e{number}") for number in range(5)],
            changes,
            chunks,
            event_reads.count(conn, game.id),
            event_reads.coverage(conn, game.id),
            event_reads.versions(conn, [game.id]),
        ]
    found["teams"] = masterdata.find(conn, teams, ["t1"])
    return found


def _without_serial(game):
    return [getattr(game, name) for name in SHOWN]


def _scheduled(unit, game_id, write):
    schedule(unit, liveblogs.lock_game(unit, game_id), write)


def _renamed(unit):
    [known] = masterdata.find(unit.conn, teams, ["t1"]).values()
    masterdata_edit.change(unit, teams, known, {"name": f"{known.name}!", "short_name": "N"})


def course(game_id):
    """What is written, in turn: each step is a unit of its own. Nothing is taken down, which would be gone at once."""
    board = {**DOCUMENT, "scoreboard": {"score": {"home_score": 1}}}

    def change(**values):
        return partial(record, game_id=game_id, change=Change(**values))

    return [
        change(events=(post("e1", START), post("e2", START + 5))),
        change(events=(post("e2", START + 5, {"headline": "corrected"}),)),
        partial(_scheduled, game_id=game_id, write=post("e3", START + 900, publish_at=START + 900)),
        change(game=board),
        partial(_scheduled, game_id=game_id, write=post("e3", START + 50, {"headline": "3"}, publish_at=START + 950)),
        change(events=(post("e1", START + 9), post("e4", START - 100))),
        _renamed,
        change(events=(post("e2", START + 5, {"headline": "corrected again"}),), game=board),
        change(events=(post("e4", START - 90),)),
        change(events=(post("e2", START + 6), post("e3", START + 50))),
        change(game=DOCUMENT | {"meta_info": {"title": "New title"}}, sportstype="handball"),
        partial(insert_game, game=new_game(2, events=(post("e0", START),))),
        change(events=(post("e1", START, {"headline": "moved back"}),)),
        _renamed,
    ]


@ALIKE
async def test_a_read_of_a_moment_is_the_read_at_that_moment(store, clock):
    """After every step, several within one second among them, all earlier seconds read as they read when they ended."""
    clock.now = START
    await store.write(lambda unit: unit.conn.execute(teams.insert().values(_team())))
    game = await store.write(partial(insert_game, game=new_game()))
    seen = {}
    for number, step in enumerate(course(game.id)):
        if number % 4 != 1:  # those do not begin a second of their own
            clock.now += 3
            seen[int(clock.now)] = await store.read(outlook)
        await store.write(step)
    for moment, expected in seen.items():
        assert await store.read(outlook, at=moment) == expected
    assert len({str(each) for each in seen.values()}) > len(seen) - 3
    assert (await store.read(outlook, at=START))["list"] == []
    assert await store.read(outlook) == await store.read(outlook, at=int(clock.now) + 1)


def _team():
    return {
        "id": "t1", "owner_id": ORGANIZATION, "source": "", "ext_id": None, "sportstype": "soccer", "name": "Tigers",
        "doc": {}, "written": {}, "created_at": START, "updated_at": START,
    }  # fmt: skip


@ALIKE
async def test_a_clock_that_goes_back_loses_no_moment(store, clock):
    """Steps never seem to be older than those before them: what is read of a moment is a version that there was."""
    game = await store.write(partial(insert_game, game=new_game()))
    for second, local_id in ((START + 10, "e1"), (START + 6, "e2"), (START + 12, "e3")):
        clock.now = second
        await store.write(partial(record, game_id=game.id, change=Change(events=(post(local_id, START),))))

    def seen(conn):
        return liveblogs.find_game(conn, game.id).version, [each.local_id for each in liveblogs.events(conn, game.id)]

    found = [await store.read(seen, at=START + second) for second in (7, 10, 11, 12, 13)]
    assert found == [(1, []), (1, []), (3, ["e2", "e1"]), (3, ["e2", "e1"]), (4, ["e3", "e2", "e1"])]


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
