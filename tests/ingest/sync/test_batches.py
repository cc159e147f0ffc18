"""A poll that takes more than one unit: wherever the process dies in it, the liveblog ends as the provider's last word says."""

from collections import Counter
from functools import partial

import pytest

from ingest.jobs.tasks import publish_due
from ingest.kit.quarantine import Quarantine
from ingest.sync import liveblog_sync
from store.engine.liveblog_records import Change, EventWrite, NewGame
from store.liveblogs.liveblogs import insert_game, record
from store.masterdata import masterdata
from store.tables import outbox, players
from tests.kit.scripted import OWNER, Process, says
from tests.providers.heim.feed import MATCH_ID, encoded, results, row, wrapped
from tests.scenarios.imports import test_convergence as convergence

LOOK = liveblog_sync.LOOK
BY_HAND = NewGame(
    id="5f0c1de2a1b2c3d4e5f60001",
    local_id="gbyhand",
    organization_id=OWNER,
    sportstype="soccer",
    template_id="soccer",
    document={"locale": "en", "meta_info": {"_type": "Svc::Model::GameMetaInfo::TeamGameMetaInfo", "title": "Derby"}},
)


@pytest.fixture
def small(monkeypatch):
    """Units that do little."""
    monkeypatch.setattr(liveblog_sync, "LOOK", 6)
    monkeypatch.setattr(liveblog_sync, "BATCH", 4)


def bodies(*cards, **changes):
    """Yellow cards with these ids; ids of three digits are yellow-reds of the player with the last two."""
    rows = [
        row(each, "card/yellow" if each < 100 else "card/yellow-red", 1 + each % 80, "home", each % 100)
        for each in cards
    ]
    return {"match": encoded(wrapped(**changes)), "match-event": encoded(rows)}


async def posted(process, ticker_id):
    return set(await process.posted(ticker_id))


async def cards(process, ticker_id):
    found = await process.events(ticker_id)
    return sum(each.document.get("sport_event", {}).get("event_type") == "soccer.yellow-card" for each in found)


async def steps(store, game_id):
    rows = await store.read(lambda conn: conn.execute(outbox.select().where(outbox.c.game_id == game_id)).all())
    return [each.version for each in rows]


@pytest.mark.parametrize(
    "fuse", [pytest.param(at, marks=[] if at % 6 == 1 else pytest.mark.proof) for at in range(1, 24, 2)]
)
async def test_wherever_it_dies_in_the_middle_nothing_is_missing_twice_or_left_over(store, small, fuse):
    """25 cards come in seven units; the process dies somewhere in them, and the provider takes all but three back."""
    process = Process(store, MATCH_ID)
    process.adapter.bodies = first = bodies(1, 2, 3)
    ticker_id = await process.create(text=False)
    await process.settle()
    many = bodies(*range(1, 26))
    await process.poll(many, fuse=fuse)
    await process.poll(first)
    await process.settle()
    assert await posted(process, ticker_id) == set(says(first, MATCH_ID))
    await process.poll(many, fuse=fuse)
    await process.settle()
    assert await posted(process, ticker_id) == set(says(many, MATCH_ID))


async def test_the_posts_stand_in_the_order_in_which_one_unit_would_have_put_them(store, monkeypatch):
    """Created in batches or at once: the same order, and each batch is a step of its own."""
    found = []
    for look in (500, 6):
        monkeypatch.setattr(liveblog_sync, "LOOK", look)
        monkeypatch.setattr(liveblog_sync, "BATCH", 4)
        process = Process(store, MATCH_ID)
        process.adapter.bodies = bodies()
        ticker_id = await process.create(text=False)
        before = await steps(store, ticker_id)
        await process.poll(bodies(*range(1, 26)))
        await process.settle()
        titles = [event.document["contents"][0]["text"] for event in await process.events(ticker_id)]
        found.append((titles, len(await steps(store, ticker_id)) - len(before)))
        versions = await steps(store, ticker_id)
        assert versions == list(range(1, len(versions) + 1))

    assert found[0][0] == found[1][0]
    assert (found[0][1], found[1][1] >= 6) == (1, True)


async def test_a_goal_in_a_long_match_is_one_step_with_its_score(store, small):
    """Also after a restart, when everything has to be looked at: the newest post comes with the scoreboard."""
    process = Process(store, MATCH_ID)
    process.adapter.bodies = bodies(*range(1, 26))
    ticker_id = await process.create(text=False)
    await process.settle()
    await process.restart()
    before = await steps(store, ticker_id)
    goal = row(99, "goal/standard", 88, "home", 9, created="14.06.2025 19:58:00")
    cards = [row(each, "card/yellow", 1 + each % 80, "home", each) for each in range(1, 26)]
    await process.poll(
        {"match": encoded(wrapped(match_result=results(p0="1:0", p1="0:0"))), "match-event": encoded([*cards, goal])}
    )
    await process.settle()

    assert "incident:99" in await posted(process, ticker_id)
    assert len(await steps(store, ticker_id)) == len(before) + 1
    assert (await process.game(ticker_id)).document["scoreboard"]["score"]["home_score"] == "1"


async def test_a_first_yellow_card_stays_also_where_the_second_one_is_in_another_batch(store, small):
    """What explains that it is gone is looked for in the whole match."""
    process = Process(store, MATCH_ID)
    process.adapter.bodies = bodies(*range(1, 26))
    ticker_id = await process.create(text=False)
    await process.settle()
    await process.restart()
    await process.poll(bodies(*range(3, 26), 102))
    await process.settle()

    assert await posted(process, ticker_id) == set(says(bodies(*range(2, 26), 102), MATCH_ID))


async def test_a_liveblog_that_is_created_of_a_long_match_gets_its_rest_from_the_follower(store, small):
    """Also when the process dies right after it was created."""
    process = Process(store, MATCH_ID)
    process.adapter.bodies = many = bodies(*range(1, 26))
    ticker_id = await process.create(text=False)
    assert len(await process.events(ticker_id)) < 25
    await process.restart()
    await process.settle()

    assert await posted(process, ticker_id) == set(says(many, MATCH_ID))


async def test_a_liveblog_is_put_on_a_long_match_and_moved_away_from_it(store):
    """More than 500 posts: the request writes some, the follower the rest; moved to another match, it keeps all of them."""
    process, other = Process(store, MATCH_ID), Process(store, "9000002")
    rows = [row(1000 + each, "card/yellow", 1 + each % 80, "home", 9) for each in range(LOOK + 50)]
    process.adapter.bodies = {**bodies(), "match-event": encoded(rows)}
    other.adapter.bodies = {
        "match": encoded(wrapped(id="9000002", match_date="21.06.2025")),
        "match-event": encoded([]),
    }
    game = await store.write(partial(insert_game, game=BY_HAND))
    assert await process.create(text=False, attach_to=game.local_id) == game.id
    at_once = await cards(process, game.id)
    await process.restart()
    await process.settle()
    whole = await cards(process, game.id)
    assert await other.create(text=False, attach_to=game.local_id) == game.id
    await other.settle()
    await process.poll({**bodies(), "match-event": encoded(rows[:1])})

    assert 0 < at_once <= LOOK
    assert [whole, await cards(process, game.id)] == [LOOK + 50] * 2


@pytest.mark.proof
async def test_recorded_and_demo_matches_converge_in_units_that_do_little(store, small):
    """Each answer polled once, the process dying now and then, in units of four posts."""
    for path in convergence.matches()[-4:]:
        match_id, snapshots = convergence.course(path)
        chosen = snapshots[:: max(1, len(snapshots) // 12)]
        script = [(at / len(chosen) + 1e-9, frozenset(), at % 5 or None, None) for at in range(len(chosen))]
        await convergence.played(store, match_id, chosen, script, (3, 5, None))


async def test_very_many_people_are_imported_some_at_a_time(store, monkeypatch):
    """350 players: no unit inserts many more than a hundred rows, and all of them are there and active."""
    units = []
    new = masterdata._new
    monkeypatch.setattr(masterdata, "_new", lambda scope, *more: (units.append(scope.unit), new(scope, *more))[1])
    process = Process(store, MATCH_ID)
    squad = [row(5000 + number, "playing/lineup", 0, "home", number) for number in range(350)]
    process.adapter.bodies = {**bodies(), "match-event": encoded(squad)}
    await process.create(text=False)
    rows = await store.read(lambda conn: conn.execute(players.select()).all())

    assert (350, {False}) == (len(rows), {each.inactive for each in rows})
    assert max(Counter(map(id, units)).values()) <= 100 + 4  # teams, tournament, location


async def test_very_many_events_that_are_due_are_published_in_steps(store):
    """450 of them: 200 a step, each once, at its own time."""
    process = Process(store, MATCH_ID)
    process.adapter.bodies = bodies()
    ticker_id = await process.create(text=False)
    now = await store.write(lambda unit: unit.now)
    writes = tuple(
        EventWrite.new(local_id=f"later{n}", document={"headline": "x"}, created_at=now, publish_at=now + 1)
        for n in range(450)
    )
    await store.write(partial(record, game_id=ticker_id, change=Change(events=writes)))
    before = await steps(store, ticker_id)
    process.clock.now += 5
    for _ in range(4):
        await publish_due(store, lambda: process.clock.now, Quarantine())
    later = [event for event in await process.events(ticker_id) if event.local_id.startswith("later")]

    assert len(await steps(store, ticker_id)) == len(before) + 3
    assert (450, {now + 1}) == (len(later), {event.created_at for event in later})
