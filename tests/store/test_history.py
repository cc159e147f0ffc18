"""Liveblogs as they stood: a read of a moment gives what a read at that moment gave, whatever was written since."""

from functools import partial

from store.engine.records import Change
from store.liveblogs import deltas, liveblogs
from store.liveblogs.liveblogs import insert_game, list_games, record, schedule
from store.masterdata import masterdata, masterdata_edit
from store.tables import teams
from tests.store.conftest import ALIKE, DOCUMENT, ORGANIZATION, new_game, post

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
        changes = [deltas.changed_events(conn, game.id, since=since) for since in read]
        chunks = [deltas.chunk(conn, game.id, since=since, limit=2) for since in read]
        found[name] = [
            _without_serial(game),
            liveblogs.events(conn, game.id),
            liveblogs.events(conn, game.id, limit=1, descending=False),
            [liveblogs.event(conn, f"e{number}") for number in range(5)],
            changes,
            chunks,
            deltas.count(conn, game.id),
            deltas.coverage(conn, game.id),
            deltas.versions(conn, [game.id]),
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
