"""What each documented word for a match's state means to readers: `statuses.toml`, a table to be read aloud."""

import asyncio
from dataclasses import replace
from itertools import combinations

import pytest

from api.view.key_moments import state_of
from mapping.belief.belief import ConfirmedMatch
from mapping.belief.confirm import confirm_answer
from mapping.liveblog.prefill import game_document
from mapping.locales import translator
from mapping.match.match import ALL_PARTS, Match, Status
from mapping.posts.recap import recap
from mapping.sports import sport_of
from providers.contract import Case
from providers.contract.states import believe_word, settle, state_words
from providers.registry import Registry
from tests.kit.opening import endpoint_of
from tests.kit.statuses import MOMENTS, SAYING, cell, rows, state_table
from tests.kit.wire_courses.courses import SOCCER, id_of
from tests.kit.wire_courses.soccer import HALF_TIME
from tests.mapping.soccer_builders import NOBODY, terms

PROVIDERS = {each.id: each for each in Registry.load() if "soccer" in each.catalog and rows(each.id)}
LONGEST = 40
"""Answers in a row after which nothing waits, however often a step was undone."""


def sentence(match: Match) -> str:
    """What readers see of the state."""
    document, texts = game_document(match, terms(locale="en"), NOBODY), translator("en")
    return recap(sport_of(match), state_of(document, texts), [], texts) or document["summary"]


@pytest.mark.parametrize(("provider", "word"), [(each, word) for each in PROVIDERS for word in rows(each)])
def test_readers_see_what_the_table_says_of_a_word(provider, word):
    """At each moment; what no document says is named."""
    row, case = rows(provider)[word], Case(provider=PROVIDERS[provider], samples=())
    found = {at: asyncio.run(believe_word(case, state_table(provider), word, at)).then.match for at in MOMENTS}

    assert {at: (state_words(match), sentence(match)) for at, match in found.items()} == {
        at: cell(row, at) for at in MOMENTS
    }
    assert set(row) <= {*MOMENTS, "assumed"}


def quiet(before: ConfirmedMatch, answer: Match) -> ConfirmedMatch:
    """What is believed once nothing waits any more."""
    for _ in range(LONGEST):
        before = confirm_answer(before, answer, good=ALL_PARTS)
        if not before.doubted:
            return before
    raise AssertionError(f"it never counts: {before.doubted}")


def shown(belief: ConfirmedMatch) -> object:
    match = belief.match
    return state_words(match), match.score, sorted(each.key for each in match.incidents)


def played(belief: ConfirmedMatch) -> set[str]:
    return {each.key for each in belief.match.incidents if not each.synthesised and not each.marks_period}


@pytest.mark.parametrize("provider", PROVIDERS)
def test_each_state_is_reached_from_each_other_one_twice(provider):
    """In the middle of play, there and back, two times: it is the same each time, and nothing that was played is ever gone.

    A word from before the start leaves the state as it is.
    """
    table, adapter = state_table(provider), Case(provider=PROVIDERS[provider], samples=()).connect("http://a.invalid")
    said = {word: adapter.translate(table.match_id, table.bodies(word, "during")) for word in table.states}
    start = settle(None, said[table.usual["during"]])
    for pair in combinations(said, 2):
        first, known = start, dict[str, object]()
        for word in pair * 3:
            belief = quiet(first, said[word])
            if said[word].status is Status.SCHEDULED:
                assert (pair, state_words(belief.match)) == (pair, state_words(first.match))
            else:
                assert (pair, shown(belief)) == (pair, known.setdefault(word, shown(belief)))
            assert (pair, played(belief), belief.match.score) == (pair, played(start), start.match.score)
            first = belief


@pytest.mark.parametrize("provider", [each for each in PROVIDERS if each != "openligadb"])
def test_a_match_begins_anew_on_another_day_whatever_its_state_was(provider):
    """Once it has the word from before the start and another day, also where it still has what was played; until then it stays."""
    table, adapter = state_table(provider), Case(provider=PROVIDERS[provider], samples=()).connect("http://a.invalid")
    said = {word: adapter.translate(table.match_id, table.bodies(word, "during")) for word in table.states}
    planned = said[table.usual["before"]]
    moved = replace(planned, kickoff=planned.kickoff + 7 * 24 * 3600)
    start = settle(None, said[table.usual["during"]])
    for word, answer in said.items():
        belief = quiet(start, answer)
        if belief.match.status is Status.FINISHED:
            continue  # then it is another match
        anew = quiet(belief, moved).match
        assert (word, state_words(anew), anew.score, anew.incidents) == (word, "scheduled", None, ())
        assert played(quiet(belief, planned)) == played(start)


CALLED_OFF = {"pa": "Cancelled", "statsperform": "Cancelled"}


@pytest.mark.parametrize(("provider", "word"), CALLED_OFF.items())
def test_a_match_that_is_called_off_at_half_time_keeps_its_half_time(provider, word):
    """Its whistle was known, or its score was there."""
    adapter = Case(provider=PROVIDERS[provider], samples=()).connect("http://a.invalid")
    bodies = SOCCER[provider](HALF_TIME, id_of(provider, 1))
    start = settle(None, adapter.translate(id_of(provider, 1), bodies))
    SAYING[provider](bodies, word)

    assert shown(quiet(start, adapter.translate(id_of(provider, 1), bodies)))[1:] == shown(start)[1:]


CONTRACTS = {
    "pa": ("Suspended", {"status_suspended": "never", "status_abandoned": "Suspended"}, "abandoned, part 2"),
    "statsperform": ("Suspended", {"status_suspended": "never", "status_over": "Suspended"}, "finished, part 2"),
    "gn-gsd": ("DELAYED", {"status_waiting": "NOT_STARTED", "status_postponed": "DELAYED"}, "postponed, part 2"),
}


@pytest.mark.parametrize(("provider", "word", "names", "state"), [(each, *row) for each, row in CONTRACTS.items()])
def test_what_is_assumed_is_corrected_by_names(provider, word, names, state):
    """A word that means something else by contract is given to another name."""
    place = endpoint_of(provider=provider, base_url="http://a.invalid", options={"names": names})
    adapter, table = PROVIDERS[provider].connect(place), state_table(provider)

    assert state_words(adapter.translate(table.match_id, table.bodies(word, "during"))) == state
