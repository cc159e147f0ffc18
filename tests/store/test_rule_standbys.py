"""What is kept of searches for standbys and of links, on both databases: a person's word outranks what was found."""

from functools import partial

from mapping.follow.links import SourceId
from store.following import follow_rows
from store.following.rule_standbys import SearchKey, ask, attach, liveblogs_of_rule, open_standby_questions
from store.following.source_links import link, links_of_pair, list_links, unlink
from tests.kit import matchday
from tests.kit.followed import CANDIDATE, QUESTION, ask_for_standby
from tests.kit.matchday import ORGANIZATION


class Found:
    """A match of another provider that is followed from now on."""

    def follow(self, unit, attachment):
        new = follow_rows.NewFollow(
            endpoint="pa:x", provider="pa", organization_id=ORGANIZATION, match_id="900", sport="soccer", status="scheduled",
            kickoff=1,
        )  # fmt: skip
        return follow_rows.follow_for(unit, new).id


async def test_a_search_is_settled_once_and_links_are_kept(store):
    """A search that is settled asks nobody again; an id has one partner at a provider, which only a person changes."""
    game = matchday.derby()
    await store.write(partial(matchday.insert, game))
    await store.write(lambda unit: ask_for_standby(unit, game.ticker_id, "pa"))
    key = SearchKey(ORGANIZATION, game.ticker_id, "pa")
    of_rule = partial(liveblogs_of_rule, organization_id=ORGANIZATION, rule="league")
    questions = partial(open_standby_questions, organization_id=ORGANIZATION, limit=3)
    (waiting,), (question,) = await store.read(of_rule), await store.read(questions)
    links = [
        links_of_pair(("heim", QUESTION["match"]), ("pa", {**CANDIDATE, "home": {"id": ident, "name": ident}}), by)
        for ident, by in (("h", "pair"), ("x", "pair"), ("x", "person"))
    ]
    await store.write(partial(attach, key=key, found=Found(), links=links[0]))
    await store.write(partial(ask, key=key, kickoff=5, question=QUESTION))
    twice = await store.write(partial(attach, key=key, found=Found(), links=links[0]))
    (settled,) = await store.read(of_rule)
    again = [await store.write(partial(link, organization_id=ORGANIZATION, links=each)) for each in links]
    known = await store.read(partial(list_links, organization_id=ORGANIZATION))
    gone = partial(unlink, organization_id=ORGANIZATION, kind="team", named=SourceId("pa", "x"))
    assert (waiting.wants("pa"), settled.wants("pa"), question.candidates) == (True, False, [CANDIDATE])
    assert (await store.read(questions), twice, again, known[0].made_by, len(known)) == ([], [], [0, 0, 1], "person", 3)
    assert [await store.write(gone), await store.write(gone)] == [1, 0]
