"""What real feeds take back and give again: the recorded cases by name, and those that every desk knows."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest

from mapping.errors import StoreUnavailable
from providers.row_cache import RowCache
from store.database import Store
from tests.kit.corrected_match import FIRST, ONE, SECOND, START, TWO, begun, goals, score, snapshot, store
from tests.kit.recordings import recorded
from tests.kit.scripted import Bodies, Process, says, timeline
from tests.kit.settings import LIMITS
from tests.providers.heim.feed import MATCH_ID, match, results, row

__all__ = ["store"]


def of_recording(store: Store, match_id: str, snapshots: list[Bodies]) -> Process:
    """A process that keeps rows as a daemon does, at the first answer."""
    process = Process(store, match_id)
    process.adapter.rows, process.adapter.bodies = RowCache(LIMITS.row_cache_bytes), snapshots[0]
    return process


async def replayed(store: Store, name: str) -> tuple[Process, str, list[Bodies]]:
    """A recording, each good answer polled in its turn, and polled until quiet."""
    match_id, snapshots = timeline(recorded(f"heim/soccer/{name}.jsonl.gz"))
    process = of_recording(store, match_id, snapshots)
    ticker_id = await process.create()
    for bodies in snapshots:
        await process.poll(bodies)
    await process.settle()
    return process, ticker_id, snapshots


@pytest.mark.proof
async def test_a_first_yellow_that_heim_removes_stays(store):
    """ma2226958: the first yellow card vanishes after the yellow-red; both posts stand."""
    process, ticker_id, snapshots = await replayed(store, "ma2226958")
    last, posted = says(snapshots[-1], process.match_id), await process.posted(ticker_id)
    more = {posted[key]["sport_event"]["event_type"] for key in posted.keys() - last.keys()}

    assert {"soccer.yellow-card"} == more
    assert any(post.kind == "soccer.yellow-red-card" for post in last.values())


async def test_a_goal_withdrawn_while_every_later_answer_is_unchanged(store):
    """The first answer without the goal is followed by 304s alone: they are good answers, and the goal goes."""
    process, ticker_id = await begun(store, TWO)
    await process.poll(ONE)
    assert ["incident:11", "incident:12"] == await goals(process, ticker_id)
    assert process.matches[0].pending

    await process.poll()
    assert ["incident:11"] == await goals(process, ticker_id)
    assert "1:0" == await score(process, ticker_id)
    assert not process.matches[0].pending


async def test_a_goal_withdrawn_after_the_end(store):
    """Late corrections count: the match is over, and the goal still goes after two good answers."""
    over = {"finished": "yes", "current_period": "game-end"}
    end = row(90, "match/game-end", 90)
    after = {"match": json.dumps({"match": match(match_result=results(p0="2:0"), **over)}).encode()}
    corrected = {"match": json.dumps({"match": match(match_result=results(p0="1:0"), **over)}).encode()}
    two = {**TWO, **after, "match-event": json.dumps([START, FIRST, SECOND, end]).encode()}
    one = {**ONE, **corrected, "match-event": json.dumps([START, FIRST, end]).encode()}
    process, ticker_id = await begun(store, two)
    await process.poll(one)
    await process.poll()

    assert ["incident:11"] == await goals(process, ticker_id)
    assert "1:0" == await score(process, ticker_id)
    assert "finished" == process.matches[0].status


async def test_a_goal_that_is_reinstated_comes_back_under_its_id(store):
    """Withdrawn by the referee, given after all: one post, hidden in between."""
    process, ticker_id = await begun(store, TWO)
    name = (await process.ledger(ticker_id))["incident:12"].local_id
    await process.poll(ONE)
    await process.poll()
    assert [name] == [event.local_id for event in await process.events(ticker_id, statuses=[60])]

    await process.poll(TWO)
    assert ["incident:11", "incident:12"] == await goals(process, ticker_id)
    assert name == (await process.ledger(ticker_id))["incident:12"].local_id


async def test_a_match_reset_for_one_poll_stays(store):
    """0:0, not started, and no incidents but the squads for one poll: a hiccup of the feed."""
    process, ticker_id = await begun(store, TWO)
    version = (await process.game(ticker_id)).version
    reset = {
        "match": json.dumps(
            {"match": match(match_result=results(p0="0:0"), current_period="", current_period_start="")}
        ).encode(),
        "match-event": json.dumps([row(50, "playing/lineup", 0, "home", 9)]).encode(),
        "liveticker": b"[]",
    }
    await process.poll(reset)
    shown = await process.game(ticker_id)
    assert ("2:0", 1) == (await score(process, ticker_id), shown.document["state_info"]["gamestate"])
    assert ["incident:11", "incident:12"] == await goals(process, ticker_id)

    await process.poll(TWO)
    await process.settle()
    assert ["incident:11", "incident:12"] == await goals(process, ticker_id)
    assert version + 2 >= (await process.game(ticker_id)).version


async def test_two_goals_in_one_poll_are_two_posts_and_one_step(store):
    """What happened between two polls arrives together, in the provider's order."""
    process, ticker_id = await begun(store, snapshot("0:0", START))
    version = (await process.game(ticker_id)).version
    await process.poll(TWO)

    assert ["incident:11", "incident:12"] == await goals(process, ticker_id)
    assert version + 1 == (await process.game(ticker_id)).version
    assert "2:0" == await score(process, ticker_id)


async def test_a_period_that_was_synthesised_and_is_sent_later_is_one_post(store):
    """The status says half-time before the row does: one post, edited when the row comes."""
    half = {"current_period": "first-half-end"}
    body = {"match": json.dumps({"match": match(match_result=results(p0="1:0"), **half)}).encode()}
    process, ticker_id = await begun(store, {**ONE, **body})
    name = (await process.ledger(ticker_id))["period:soccer.pause-halves"].local_id

    rows = [START, FIRST, row(20, "match/first-half-end", 45)]
    await process.poll({**ONE, **body, "match-event": json.dumps(rows).encode()})
    await process.settle()
    assert name == (await process.ledger(ticker_id))["period:soccer.pause-halves"].local_id
    assert 1 == sum(key == "period:soccer.pause-halves" for key in await process.posted(ticker_id))


async def test_a_synthesised_period_stays_where_it_was_placed(store):
    """The status alone reports half-time, and no longer of its time once the second half runs: the post does not move."""
    pause = {"current_period": "first-half-end", "current_period_start": "2025-06-14 18:46:00"}
    half = {"match": json.dumps({"match": match(match_result=results(p0="1:0"), **pause)}).encode()}
    later = {"match": json.dumps({"match": match(match_result=results(p0="1:0"))}).encode()}
    process, ticker_id = await begun(store, {**ONE, **half})
    name = (await process.ledger(ticker_id))["period:soccer.pause-halves"].local_id
    before = [event.sort for event in await process.events(ticker_id) if event.local_id == name]
    await process.poll({**ONE, **later})
    await process.settle()

    assert before == [event.sort for event in await process.events(ticker_id) if event.local_id == name]


async def test_versions_step_by_one_per_changed_snapshot_and_never_without(store):
    """Over a whole recorded match: each poll steps the version once or not at all, and unchanged answers never."""
    match_id, snapshots = timeline(recorded("heim/soccer/ma2309737.jsonl.gz"))
    process = of_recording(store, match_id, snapshots)
    ticker_id = await process.create()
    versions = [(await process.game(ticker_id)).version]
    for bodies in snapshots:
        await process.poll(bodies)
        versions.append((await process.game(ticker_id)).version)
        if not process.matches[0].pending:
            await process.poll()
            assert versions[-1] == (await process.game(ticker_id)).version

    assert {0, 1} == {later - earlier for earlier, later in pairwise(versions)}


async def test_what_stays_withdrawn_is_deleted_when_the_window_closes(store):
    """Days after the end the match is closed: hidden posts of withdrawn incidents go, the match is polled no more."""
    over = {
        "match": json.dumps(
            {"match": match(match_result=results(p0="1:0"), finished="yes", current_period="game-end")}
        ).encode()
    }
    process, ticker_id = await begun(store, TWO)
    await process.poll({**ONE, **over})
    await process.settle()
    assert 1 == len(await process.events(ticker_id, statuses=[60]))

    process.clock.now += 3 * 86_400
    await process.poll()
    await process.followers.stop()
    assert [] == await process.events(ticker_id, statuses=[60])
    assert () == process.matches


@pytest.mark.parametrize("failing", [{"match"}, {"match", "liveticker"}])
async def test_what_is_gone_beside_a_resource_that_fails_is_not_forgotten(store, failing):
    """The events answer without a goal while the match itself fails: the goal is withdrawn once both have answered well twice."""
    process = Process(store, MATCH_ID)
    process.adapter.bodies = snapshot("1:0", START, FIRST, SECOND)
    ticker_id = await process.create()
    await process.poll()
    assert "incident:12" in await process.posted(ticker_id)

    await process.poll(snapshot("1:0", START, FIRST), failing=frozenset(failing))
    assert "incident:12" in await process.posted(ticker_id)
    await process.settle()

    assert "incident:12" not in await process.posted(ticker_id)
    assert (await process.ledger(ticker_id))["incident:12"].state == "withdrawn"


class Unheard:
    """A store whose answer to the next commit is lost: PostgreSQL went away in COMMIT."""

    def __init__(self, store):
        self._store = store
        self.next = False

    def __getattr__(self, name):
        return getattr(self._store, name)

    async def write(self, work):
        result = await self._store.write(work)
        if self.next:
            self.next = False
            raise StoreUnavailable("the database went away in COMMIT")
        return result


async def test_what_was_written_without_an_answer_is_compared_with_what_the_provider_says_next(store):
    """A goal is committed, nobody hears of it, and the provider takes it back: its body is the one that was known before."""
    unheard = Unheard(store)
    process = Process(unheard, MATCH_ID)
    one, two = snapshot("1:0", START, FIRST), snapshot("1:0", START, FIRST, SECOND)
    process.adapter.bodies = one
    ticker_id = await process.create()
    await process.poll()

    unheard.next = True
    await process.poll(two)
    assert "incident:12" in await process.posted(ticker_id)
    await process.poll(one)
    await process.settle()

    assert "incident:12" not in await process.posted(ticker_id)
