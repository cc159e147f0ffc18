"""Corrections of master data reach every liveblog that names the record, in units of a bounded size that wait for no other."""

import asyncio
import itertools
from functools import partial

import pytest
from sqlalchemy import select, text

from store.engine.liveblog_records import Change, EventWrite
from store.liveblogs import liveblogs
from store.liveblogs.liveblogs import insert_game, record
from store.masterdata import masterdata_edit, masterdata_use
from store.tables import corrections, game_records, games, players, teams
from tests.kit.opening import store_at
from tests.store.conftest import ALIKE, ORGANIZATION, new_game

MOST_STEPS = 300
"""Thousands of steps of SQLite's machine that a unit may take: some ten milliseconds of the writer."""


def named(row, **fields):
    return {"_type": row.type, "_id": row.id, "name": row.name, **fields}


async def made(store, table, name="Ajax"):
    fields = {"owner_id": ORGANIZATION, "sportstype": "soccer", "name": name}
    return await store.write(partial(masterdata_edit.create, table=table, fields=fields))


def rename(row, table, name):
    def work(unit):
        return masterdata_edit.change(unit, table, masterdata_edit.lock(unit, table, row.id), {"name": name})

    return work


def posts(who, numbers):
    return tuple(EventWrite.new(local_id=f"e{n:06d}", document={"player": named(who)}, created_at=n) for n in numbers)


def playing(home, number):
    meta = {"_type": "Svc::Model::GameMetaInfo::TeamGameMetaInfo", "home_team": named(home)}
    return new_game(number, document={"meta_info": meta})


@pytest.fixture
async def patient_store(migrated_sqlite_url, clock):
    """On SQLite, with the time-outs of a daemon."""
    opened = await store_at(migrated_sqlite_url, clock=clock)
    yield opened
    await opened.close()


async def names_in_posts(store, game):
    found = await store.read(lambda conn: liveblogs.events(conn, game.id, statuses=None))
    return {each.document["player"]["name"] for each in found}


async def contents(store, *tables):
    return await store.read(lambda conn: [sorted(map(tuple, conn.execute(select(table)))) for table in tables])


async def test_very_many_posts_are_corrected_in_units_that_do_little(patient_store):
    """Each unit looks at a part of the posts, steps the version once, and lets others have their turn soon."""
    who = await made(patient_store, players)
    game = await patient_store.write(partial(insert_game, game=new_game(1)))
    number = 10 * masterdata_use.POSTS
    for start in range(0, number, 200):
        change = Change(events=posts(who, range(start, start + 200)))
        await patient_store.write(partial(record, game_id=game.id, change=change))
    took, versions = [], []

    def counted(work, unit):
        thousands = itertools.count()
        connection = unit.conn.connection.driver_connection
        connection.set_progress_handler(lambda: next(thousands) < 0, 1_000)
        result = work(unit)
        connection.set_progress_handler(None, 0)
        took.append(next(thousands))
        versions.append(unit.touched.get(game.id))
        return result

    await patient_store.write(partial(counted, rename(who, players, "Jansen")))
    while await patient_store.write(partial(counted, partial(masterdata_use.correct, game_id=game.id))):
        pass

    assert await names_in_posts(patient_store, game) == {"Jansen"}
    steps = [version for version in versions if version is not None]
    assert steps == list(range(steps[0], steps[0] + 10))
    assert 20 < max(took) < MOST_STEPS


async def test_a_team_of_many_liveblogs_is_corrected_one_liveblog_a_unit(patient_store):
    """The unit that renames the team writes no liveblog; each one has a step of its own, and one notification."""
    home = await made(patient_store, teams)
    for number in range(60):
        await patient_store.write(partial(insert_game, game=playing(home, number)))
    await patient_store.write(rename(home, teams, "AFC Ajax"))
    await masterdata_use.correct_waiting(patient_store, 20)
    at_once = await patient_store.read(lambda conn: conn.scalars(select(games.c.version)).all())
    await masterdata_use.correct_waiting(patient_store, 1_000)

    found = await patient_store.read(lambda conn: liveblogs.list_games(conn, limit=1_000))
    assert 0 < sum(version == 2 for version in at_once) <= 20
    assert {(game.version, game.title) for game in found} == {(2, "AFC Ajax")}
    assert await contents(patient_store, corrections) == [[]]


@ALIKE
async def test_a_correction_that_is_interrupted_goes_on_where_it_was(store):
    """What is left to do stands in the database; posts that were done are not stepped again."""
    who = await made(store, players)
    game = await store.write(partial(insert_game, game=new_game(1)))
    number = masterdata_use.POSTS + 5
    await store.write(partial(record, game_id=game.id, change=Change(events=posts(who, range(number)))))
    await store.write(rename(who, players, "Jansen"))
    await masterdata_use.correct_waiting(store, 1)
    halfway = await names_in_posts(store, game)
    await masterdata_use.correct_waiting(store, 20)

    found = await store.read(lambda conn: liveblogs.events(conn, game.id))
    assert halfway == {"Ajax", "Jansen"}
    assert {each.version for each in found} == {3, 4}
    assert sum(each.version == 3 for each in found) == masterdata_use.POSTS
    assert await contents(store, corrections) == [[]]


@ALIKE
async def test_two_corrections_one_after_the_other_leave_the_last_word(store):
    """Also where the first one has not reached the liveblog yet; a copy's own words stay."""
    home = await made(store, teams)
    game = await store.write(partial(insert_game, game=playing(home, 1)))
    own = await store.write(partial(insert_game, game=playing(home, 2)))
    meta = {**own.document["meta_info"], "home_team": named(home, name="The Hosts")}
    await store.write(partial(record, game_id=own.id, change=Change(game={"meta_info": meta})))
    for name in ("AFC Ajax", "Ajax Amsterdam"):
        await store.write(rename(home, teams, name))
    await masterdata_use.correct_waiting(store, 20)

    found = await store.read(lambda conn: [liveblogs.require_game(conn, each.id) for each in (game, own)])
    assert [each.title for each in found] == ["Ajax Amsterdam", "The Hosts"]
    assert [each.version for each in found] == [3, 2]


async def test_corrections_at_the_same_time_wait_for_each_other_nowhere(store):
    """Two teams that meet in many liveblogs are renamed at once, by two workers in opposite order: no deadlock."""
    home, away = [await made(store, teams, name) for name in ("Ajax", "PSV")]
    document = {"meta_info": {"home_team": named(home), "away_team": named(away)}}
    for number in range(12):
        await store.write(partial(insert_game, game=new_game(number, document=document)))
    await asyncio.gather(
        store.write(rename(home, teams, "AFC Ajax")), store.write(rename(away, teams, "PSV Eindhoven"))
    )
    ids = await store.read(masterdata_use.waiting)

    async def worker(order):
        for game_id in order:
            while await store.write(partial(masterdata_use.correct, game_id=game_id)):
                pass

    before = await deadlocks(store)
    await asyncio.gather(worker(sorted(ids)), worker(sorted(ids, reverse=True)), worker(sorted(ids)))

    found = await store.read(lambda conn: liveblogs.list_games(conn, limit=100))
    assert {(game.version, game.title) for game in found} == {(3, "AFC Ajax – PSV Eindhoven")}
    assert await deadlocks(store) == before


async def deadlocks(store):
    """How many the server has broken since it runs; 0 on SQLite, which has one writer."""
    query = text("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")
    return await store.read(lambda conn: conn.scalar(query) if conn.dialect.name == "postgresql" else 0)


@ALIKE
async def test_what_a_liveblog_names_is_noted_with_every_change(store):
    """In the liveblog itself and in posts, drafts and posts that wait for their time."""
    home, other = [await made(store, teams, name) for name in ("Ajax", "PSV")]
    people = [await made(store, players, f"P{n}") for n in range(4)]
    waits, *others = [EventWrite.new(local_id=f"e{n}", document={"player": named(each)}, created_at=n,
        publish_at=9_999_999_999 if n == 0 else None, local_status=60 if n == 1 else 0,
    ) for n, each in enumerate(people[:3])]  # fmt: skip
    game = await store.write(partial(insert_game, game=playing(home, 1)))
    await store.write(lambda unit: liveblogs.schedule(unit, liveblogs.lock_game(unit, game.id), waits))
    change = Change(game={"scoreboard": {"away_team": named(other)}}, events=tuple(others))
    await store.write(partial(record, game_id=game.id, change=change))
    later = EventWrite.new(local_id="e2", document={"player": named(people[3])}, created_at=2)
    await store.write(partial(record, game_id=game.id, change=Change(events=(later,))))

    expected = {("Team", each.id) for each in (home, other)} | {("Player", each.id) for each in people}
    assert {row[1:] for row in (await contents(store, game_records))[0]} == expected
