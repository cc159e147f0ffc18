"""What real feeds take back and give again: the recorded cases by name, and those that every desk knows."""

import json

import pytest

from mapping.errors import StoreUnavailable
from tests.kit.corrected_match import FIRST, ONE, SECOND, START, TWO, begun, goals, score, snapshot
from tests.kit.scripted import Process
from tests.providers.heim.feed import MATCH_ID, match, results, row


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
