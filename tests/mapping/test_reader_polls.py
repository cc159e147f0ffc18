"""Polls and quizzes: shares that sum to 100, votes that count, results for those who may see them, options that keep ids."""

from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mapping.errors import Conflict, Unprocessable
from mapping.polls.reader_polls import (
    POLL,
    QUIZ,
    Tally,
    checked_vote,
    own_vote,
    percentages,
    public_block,
    reader_poll,
    results,
    with_option_ids,
)

NOW = 1_790_000_000
OPTIONS = [{"id": "a", "text": "Us"}, {"id": "b", "text": "Them"}, {"id": "c", "text": "Nobody"}]


def poll(**more):
    return reader_poll({"_type": POLL, "local_id": "p1", "question": "Who?", "options": OPTIONS, **more})


def quiz(**more):
    block = {"_type": QUIZ, "local_id": "q1", "question": "When?", "options": OPTIONS, "explanation": "Look it up."}
    return reader_poll({**block, "correct_option_id": "b", **more})


@given(st.lists(st.integers(0, 10**9), max_size=12))
def test_percentages_sum_to_100_and_are_no_further_off_than_a_point(votes):
    """Largest remainder: each share is its exact value rounded up or down; without votes all are 0."""
    shares = percentages(votes)

    assert sum(shares) == (100 if sum(votes) else 0)
    assert all(abs(share - 100 * each / (sum(votes) or 1)) < 1 for share, each in zip(shares, votes, strict=True))


@pytest.mark.parametrize(
    ("votes", "shares"),
    [([1, 1, 1], [34, 33, 33]), ([2, 2, 2, 1], [29, 29, 28, 14]), ([0, 5], [0, 100]), ([], []), ([199, 1], [100, 0])],
)
def test_the_largest_remainder_gets_the_missing_points(votes, shares):
    """Of equal remainders the first option's is raised."""
    assert percentages(votes) == shares


def test_results_are_shown_when_the_poll_says():
    """At any time, after a vote, or once the poll is closed; hidden numbers are null, and closed polls show them to all."""
    later = NOW + 10
    rows = [(poll(), True, True), (poll(results="voted"), False, True), (poll(results="closed"), False, False)]
    for each, before, after in rows:
        assert each.shows_results(NOW, voted=False) is before
        assert each.shows_results(NOW, voted=True) is after
    assert poll(results="voted", closes_at=NOW + 5).shows_results(later, voted=False)
    assert poll(results="closed", closed=True).shows_results(NOW, voted=False)

    hidden = results(poll(), Tally({"a": 2}), event_version=3, now=NOW, shown=False)
    assert (hidden["total_votes"], [(each["votes"], each["percent"]) for each in hidden["options"]]) == (
        None,
        [(None, None)] * 3,
    )
    shown = results(poll(), Tally({"a": 2, "c": 1, "gone": 7}), event_version=3, now=NOW, shown=True)
    assert [tuple(each.values()) for each in shown["options"]] == [
        ("a", "Us", 2, 67), ("b", "Them", 0, 0), ("c", "Nobody", 1, 33),
    ]  # fmt: skip
    assert shown["total_votes"] == 3


def test_the_version_rises_with_votes_edits_and_the_close():
    """It never falls, also where an editor opens a poll again."""

    def version(event_version, changes, *, closed=False):
        return results(poll(closed=closed), Tally({}, changes), event_version=event_version, now=NOW, shown=True)[
            "version"
        ]

    steps = [version(4, 0), version(4, 1), version(5, 1, closed=True), version(6, 1), version(6, 2)]
    assert steps == sorted(set(steps))
    late = poll(closes_at=NOW + 1)
    open_, shut = (results(late, Tally(), event_version=4, now=now, shown=True)["version"] for now in (NOW, NOW + 1))
    assert shut > open_


def test_a_vote_names_options_and_changes_while_the_poll_is_open():
    """One option unless the poll takes several; the same vote again is none; nothing changes after the close."""
    assert checked_vote(poll(), ["b"], [], NOW) == ("b",)
    assert checked_vote(poll(), ["a"], ["b"], NOW) == ("a",)
    assert checked_vote(poll(), [], ["b"], NOW) == ()
    assert checked_vote(poll(multiple=True), ["c", "a", "a"], [], NOW) == ("a", "c")
    assert checked_vote(poll(closed=True), ["b"], ["b"], NOW) == ("b",)
    with pytest.raises(Unprocessable) as unknown:
        checked_vote(poll(), ["a", "x"], [], NOW)
    assert unknown.value.field == "options.1"
    with pytest.raises(Unprocessable):
        checked_vote(poll(), ["a", "b"], [], NOW)
    for shut in (poll(closed=True), poll(closes_at=NOW)):
        with pytest.raises(Conflict):
            checked_vote(shut, ["b"], ["a"], NOW)


def test_a_quiz_is_voted_on_once_and_then_says_what_was_right():
    """Who chose an option that was removed since may choose again; a quiz without a right option calls nothing wrong."""
    assert own_vote(quiz(), ["a"], now=0.0) == {
        "options": ["a"],
        "right": False,
        "correct": ["b"],
        "explanation": "Look it up.",
    }
    assert own_vote(quiz(), ["b"], now=0.0)["right"] is True
    assert own_vote(quiz(), [], now=0.0) == {"options": []}
    several = quiz(
        correct_option_id=None, multiple=True, options=[{**each, "correct": each["id"] != "a"} for each in OPTIONS]
    )
    assert [own_vote(several, chosen, now=0.0)["right"] for chosen in (["b"], ["b", "c"], ["a", "b", "c"])] == [
        False,
        True,
        False,
    ]
    assert "right" not in own_vote(quiz(correct_option_id="x"), ["a"], now=0.0)
    for again in (["a"], []):
        with pytest.raises(Conflict):
            checked_vote(quiz(), again, ["b"], NOW)
    assert checked_vote(quiz(), ["b"], ["b"], NOW) == ("b",)
    assert checked_vote(quiz(), ["a"], ["gone"], NOW) == ("a",)


def test_readers_see_nothing_of_a_quiz_that_may_say_what_is_right():
    """Unknown fields go too; a poll is shown as it is."""
    options = [{"id": "a", "text": "A", "correct": False}, {"id": "b", "text": "B", "correct": True, "why": "E"}]
    secret = {"correct_option_id": "b", "explanation": "E", "hint": "b", "options": options}
    block = {"_type": QUIZ, "local_id": "q1", "question": "When?", **secret}

    assert public_block(block) == {
        "_type": QUIZ, "local_id": "q1", "question": "When?",
        "options": [{"id": "a", "text": "A"}, {"id": "b", "text": "B"}],
    }  # fmt: skip
    other = {"_type": POLL, "options": [{"id": "a", "correct": True}], "explanation": "kept"}
    assert public_block(other) is other


@pytest.mark.parametrize(
    "block",
    [
        {},
        {"_type": POLL},
        {"_type": POLL, "local_id": "p", "question": "Who?", "options": []},
        {"_type": POLL, "local_id": "p", "question": "", "options": OPTIONS},
        {"_type": POLL, "local_id": "p", "question": "Who?", "options": 5},
        {"_type": QUIZ, "local_id": "p", "question": "Who?", "options": [None]},
    ],
)
def test_a_block_that_nobody_can_vote_on_is_no_poll(block):
    """Whatever a stored document holds."""
    assert reader_poll(block) is None


def test_options_keep_their_ids_and_no_new_one_gets_an_id_that_another_had():
    """Without ids a first poll is numbered; later an option is known by its text, else its id is new."""
    made = map("new{}".format, count())

    def named(options, stored=None):
        block = with_option_ids({"_type": POLL, "options": options}, stored or {}, "contents.2", lambda _: next(made))
        return [(each["id"], each["text"]) for each in block["options"]]

    assert named([{"text": "A"}, {"id": "1", "text": "B"}, {"text": "C"}]) == [("2", "A"), ("1", "B"), ("3", "C")]
    stored = {"options": [{"id": "1", "text": "A"}, {"id": "2", "text": "B"}]}
    assert named([{"text": "C"}, {"text": "B"}, {"text": "B"}], stored) == [("new0", "C"), ("2", "B"), ("new1", "B")]
    assert named([{"id": "1", "text": "Edited"}, {"text": "A"}], stored) == [("1", "Edited"), ("new2", "A")]
    with pytest.raises(Unprocessable) as twice:
        named([{"id": "1", "text": "A"}, {"id": "1", "text": "B"}])
    assert twice.value.field == "contents.2.options.1.id"
