"""Standbys of rules over a weekend: found in the other provider's list, or chosen by a person, and never put back."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from sqlalchemy import select, update

from mapping.documents.import_options import ImportOptions
from mapping.follow.rule import FollowRule
from mapping.match.fixture import NamedId
from store.following import moves, standbys
from store.following.import_request import StandbyRequest
from store.following.rule_matches import rule_matches
from store.following.rule_standbys import SearchKey, attach, find_question, note, open_standby_questions
from store.following.source_links import links_of_pair, list_links
from store.tables import follows
from tests.kit.scripted import OWNER
from tests.simulation.weekend import HOUR, Weekend, match, move, weekend

BEGIN = 1_800_000_000
MEN = {"gender": "male", "age_class": "senior"}
LEAGUE = FollowRule(
    key="league", organization_id=OWNER, provider="heim", competition="12", lead=2.0 * HOUR, editorial_publishing=False,
    terms=ImportOptions(sport="", locale="de"), most_a_day=40, standby=("pa",),
)  # fmt: skip


async def game_id(days: Weekend, match_id: str) -> str:
    """The liveblog that the rule has made of the match."""
    query = select(rule_matches.c.game_id).where(rule_matches.c.match_id == match_id)
    return await days.stores[0].read(lambda conn: conn.execute(query).scalar_one())


async def beside(days: Weekend, match_id: str) -> list[str]:
    """The ids of the matches that stand by for that liveblog."""
    game = await game_id(days, match_id)
    return [each.match_id for each in await days.stores[0].read(partial(standbys.of_liveblog, game_id=game))]


async def questions(days: Weekend) -> list[tuple[str, list[str]]]:
    """The open ones: of which match, and the candidates."""
    found = await days.stores[0].read(partial(open_standby_questions, organization_id=OWNER, limit=10))
    return [(each.match_id, [candidate["matchId"] for candidate in each.candidates]) for each in found]


async def answer(days: Weekend, match_id: str) -> None:
    """A person chooses the first candidate."""
    key = SearchKey(OWNER, await game_id(days, match_id), "pa")
    question = await days.stores[0].read(partial(find_question, key=key))
    chosen = question.candidates[0]
    found = await days.workers[0].importer.find_standby(StandbyRequest(OWNER, "pa", chosen["matchId"]))
    links = links_of_pair(("heim", question.match), ("pa", chosen), "person")
    await days.stores[0].write(partial(attach, key=key, found=found, links=links))


async def test_the_same_match_stands_by_once_its_list_is_there_and_is_not_put_back_once_a_person_took_it_off():
    """The list is down at first; a process that is started anew attaches nothing twice, nor what was taken off."""
    with weekend([LEAGUE], BEGIN) as days:
        days.league.matches = {"50": match("50", BEGIN + 3 * HOUR, **MEN)}
        days.other.matches = {"900": match("900", BEGIN + 3 * HOUR + 600, home=1100, away=1101, competition="7", **MEN)}
        days.other.list_fails = True
        await days.pass_time(BEGIN + HOUR + 600)
        down = await beside(days, "50")
        days.other.list_fails = False
        await days.pass_time(BEGIN + HOUR + 1260)
        found = await beside(days, "50")
        days.start()
        await days.pass_time(BEGIN + 2 * HOUR)
        requests, links = days.other.requests, await days.stores[0].read(partial(list_links, organization_id=OWNER))
        again, game = await beside(days, "50"), await game_id(days, "50")
        await days.stores[0].write(partial(moves.change_standbys, game_id=game, follow_ids=[]))
        days.start()
        await days.pass_time(BEGIN + 4 * HOUR)
        after = await beside(days, "50")
    assert (down, found, again, after) == ([], ["900"], ["900"], [])
    assert [(each.kind, each.first.id, each.second.id) for each in links] == [
        ("competition", "12", "7"), ("team", "1100", "1100"), ("team", "1101", "1101"),
    ]  # fmt: skip
    assert requests == days.other.requests <= 5, "nothing is looked for any more, and the list is not requested for it"


async def test_what_is_not_sure_a_person_answers_and_that_is_known_from_then_on():
    """Nobody knows who plays the other competition: once a person has said so, the next match of it is found without one."""
    with weekend([LEAGUE], BEGIN) as days:
        days.league.matches = {
            ident: match(ident, BEGIN + hours * HOUR, home=1100, away=1101 + hours, **MEN)
            for ident, hours in (("50", 3), ("51", 8), ("52", 9))
        }
        days.other.matches = {
            f"9{ident}": replace(each, match_id=f"9{ident}", competition=NamedId("7", "Liga"), gender=None)
            for ident, each in days.league.matches.items()
        }
        del days.other.matches["952"]
        await days.pass_time(BEGIN + HOUR + 60)
        question = await questions(days)
        days.start()
        await days.pass_time(BEGIN + 2 * HOUR)
        again = await questions(days)
        await answer(days, "50")
        chosen = await beside(days, "50"), await questions(days)
        await days.pass_time(BEGIN + 7 * HOUR + 600)
        learnt, missing = await beside(days, "51"), await questions(days)
        no = partial(
            note, key=SearchKey(OWNER, await game_id(days, "52"), "pa"), state="none", kickoff=None, question={}
        )
        await days.stores[0].write(no)
        move(days.other, "951", match_id="952", kickoff=BEGIN + 9 * HOUR)
        await days.pass_time(BEGIN + 9 * HOUR)
        refused = await beside(days, "52"), await questions(days)
    assert (question, again) == ([("50", ["950"])], [("50", ["950"])])
    assert (chosen, learnt, missing) == ((["950"], []), ["951"], [("52", ["951"])])
    assert refused == ([], [])


async def test_a_question_goes_with_the_match():
    with weekend([LEAGUE], BEGIN) as days:
        days.league.matches = {"50": match("50", BEGIN + 3 * HOUR, **MEN)}
        await days.pass_time(BEGIN + HOUR + 60)
        question = await questions(days)
        await days.stores[0].write(lambda unit: unit.conn.execute(update(follows).values(status="finished")))
        over = await questions(days)
    assert (question, over) == ([("50", [])], [])
