"""What counts as less, and what waits beside something that is gone."""

from dataclasses import replace

import pytest

from mapping.belief.doubts import (
    CONFIRMATIONS,
    MOST_CONFIRMATIONS,
    Doubt,
    Doubts,
    Retreat,
    by_name,
    guard_rows,
    guard_value,
    identify,
    less,
)
from mapping.match.match import ALL_PARTS, Part, Score
from tests.mapping.soccer_builders import GEIS, GORETZKA, MEYER, incident, involved

GOAL = incident("soccer.goal", minute=15, side="home", people=involved(scorer=GORETZKA))

LESS = {
    "the same": ("a", "a", True),
    "nothing": (None, "a", True),
    "an empty text": ("", "a", True),
    "an empty list": ((), (1,), True),
    "a text that is cut off": ("Schal", "Schalke", True),
    "a longer text": ("Schalke", "Schal", False),
    "another text": ("chalke", "Schalke", False),
    "another type": (0, "a", False),
    "another number": (1, 2, False),
    "false": (False, True, False),
    "fewer goals": (Score(2, 0), Score(1, 2), True),
    "as many goals of others": (Score(1, 1), Score(2, 0), False),
    "more goals": (Score(2, 1), Score(2, 0), False),
    "fewer rows": ((GEIS,), (GORETZKA, GEIS), True),
    "another row": ((MEYER,), (GORETZKA, GEIS), False),
    "a row with less": ((replace(GEIS, number=None),), (GORETZKA, GEIS), True),
    "rows that are no records": (("a",), ("a", "b"), False),
    "a record with less": (replace(GEIS, number=None, name="Johannes"), GEIS, True),
    "a record with something else": (replace(GEIS, number=None, name="Max"), GEIS, False),
    "a record whose place alone differs": (replace(GOAL, order=9, created_at=1, synthesised=True), GOAL, True),
}


@pytest.mark.parametrize(("after", "before", "is_less"), LESS.values(), ids=LESS.keys())
def test_what_has_nothing_that_was_not_there_is_less(after, before, is_less):
    assert less(after, before) is is_less


@pytest.mark.parametrize(("after", "wary", "kept"), [
    ("Schalke", (), False), ("Schal", (), True), (None, (), True), ("Schalke 04", (), False), ("Koeln", (), False),
    ("Koeln", (Part.FACTS,), True), ("Schalke 04", (Part.FACTS,), False), ("Koeln", (Part.STATE,), False),
])  # fmt: skip
def test_what_is_less_waits_and_beside_what_is_gone_everything_that_is_not_more(after, wary, kept):
    doubts = Doubts({}, {}, ALL_PARTS, wary=frozenset(wary))
    assert guard_value("Schalke", after, Part.FACTS, "title", doubts) == ("Schalke" if kept else after)
    assert [*doubts.doubted] == (["title"] if kept else [])
    assert doubts.parts == ({Part.FACTS} if kept else set())


WOVEN = {
    "behind the one it followed": ("ac", "abc", "abc"),
    "at the beginning": ("bc", "abc", "abc"),
    "at the end": ("ab", "abc", "abc"),
    "in another order": ("cb", "abc", "acb"),
    "several behind one": ("ad", "abcd", "abcd"),
    "beside new ones": ("axc", "abc", "abxc"),
    "all of them": ("", "abc", "abc"),
    "all others are new": ("xy", "ab", "abxy"),
}


@pytest.mark.parametrize(("after", "before", "rows"), WOVEN.values(), ids=WOVEN.keys())
def test_rows_that_are_not_gone_yet_keep_their_place(after, before, rows):
    found = guard_rows(before, after, lambda each: each, lambda _: Part.ROWS, Doubts({}, {}, ALL_PARTS))
    assert "".join(found) == rows
    confirmed = {each: Doubt(each, identify(None), CONFIRMATIONS - 1) for each in before}
    found = guard_rows(before, after, lambda each: each, lambda _: Part.ROWS, Doubts(confirmed, {}, ALL_PARTS))
    assert "".join(found) == after
    doubts = Doubts(confirmed, {}, ALL_PARTS)
    found = guard_rows(before, after, lambda each: each, lambda _: Part.ROWS, doubts, stays=lambda _: True)
    assert ("".join(found), doubts.doubted) == (rows, {})


def doubting(good=ALL_PARTS, earlier=(), **retreats):
    return Doubts(by_name(earlier), {name: Retreat(name, *each) for name, each in retreats.items()}, good)


KEPT = {
    "the first time": (doubting(), True, 1, False),
    "the second time": (doubting(earlier=[Doubt("score", identify(1), 1)]), False, None, False),
    "another value the second time": (doubting(earlier=[Doubt("score", identify(2), 1)]), True, 1, False),
    "nobody can say": (doubting(good=frozenset()), True, None, True),
    "nobody can say again": (doubting(good=frozenset(), earlier=[Doubt("score", identify(1), 1)]), True, 1, False),
    "undone once": (doubting(earlier=[Doubt("score", identify(1), 1)], score=("", 1)), True, 2, False),
    "undone once and said four times": (
        doubting(earlier=[Doubt("score", identify(1), 3)], score=("", 1)), False, None, False,
    ),
    "undone for ever": (
        doubting(earlier=[Doubt("score", identify(1), MOST_CONFIRMATIONS - 2)], score=("", 9)), True, 15, False,
    ),
    "undone for ever and said often enough": (
        doubting(earlier=[Doubt("score", identify(1), MOST_CONFIRMATIONS - 1)], score=("", 9)), False, None, False,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("doubts", "kept", "answers", "unconfirmed"), KEPT.values(), ids=KEPT.keys())
def test_a_step_back_counts_after_as_many_good_answers_as_it_needs(doubts, kept, answers, unconfirmed):
    assert doubts.keep(Part.SCORE, "score", 2, 1) is kept
    assert [each.answers for each in doubts.doubted.values()] == ([] if answers is None else [answers])
    assert doubts.unconfirmed is unconfirmed
    if not kept:
        assert doubts.retreats["score"].value == identify(2)


def test_what_was_given_up_and_comes_back_is_undone_once_more():
    doubts = doubting(score=(identify(2), 1), state=(identify(2), 0))
    doubts.accept("score", 2)
    doubts.accept("state", 3)
    doubts.accept("race", 1)
    assert doubts.retreats == {"score": Retreat("score", identify(2), 2)}


def test_the_latest_retreat_is_the_last():
    doubts = doubting(earlier=[Doubt("score", identify(1), 1)], score=("", 0), state=("", 0))
    assert not doubts.keep(Part.SCORE, "score", 2, 1)
    assert [*doubts.retreats] == ["state", "score"]


def test_what_waits_beside_needs_as_many_answers_as_the_most_patient_doubt():
    doubts = doubting(good=ALL_PARTS, state=("", 2), score=("", 1))
    assert doubts.needed() == CONFIRMATIONS
    doubts.keep(Part.STATE, "state", 1, 0)
    doubts.keep(Part.SCORE, "score", 1, 0)
    assert doubts.needed() == CONFIRMATIONS << 2
    waiting = Doubts(by_name([Doubt("title", "", 2)]), {}, ALL_PARTS, wary=frozenset({Part.FACTS}), patience=3)
    assert not waiting.wait(Part.FACTS, "title")
    assert waiting.wait(Part.FACTS, "town")
    assert not waiting.wait(Part.STATE, "state")


def test_a_value_is_known_by_what_happened_and_not_by_its_place():
    """In every process alike."""
    assert identify(GOAL) == identify(replace(GOAL, order=5, synthesised=True, created_at=None))
    assert identify(GOAL) != identify(replace(GOAL, minute=16))
    assert identify((GOAL,)) != identify((replace(GOAL, people=involved(scorer=GEIS)),))
    assert identify((GOAL, 1)) == identify((replace(GOAL, order=5), 1))
    assert len({identify(each) for each in (None, 0, "", ("a", "b"), ("b", "a"), Score(1, 0), Score(0, 1))}) == 7
    assert identify(frozenset({1})) == identify(frozenset({1}))
