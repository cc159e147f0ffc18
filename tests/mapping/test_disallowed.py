"""What the post of a goal says once the goal is taken back, and whose posts leave such a note at all."""

from dataclasses import replace

import pytest

from mapping.match.match import Score
from mapping.posts.withdrawal_notes import Notes, WithdrawalRules, stands_as_note
from tests.mapping.soccer_builders import CALETA_CAR, GEIS, GORETZKA, MATCH, incident, involved, post_of, terms

GOAL = incident(
    "soccer.goal", minute=15, side="home", people=involved(scorer=GORETZKA, assist=GEIS), score=Score(1, 0), phase=1
)
NOTES = Notes(terms(), after=60)


def said(row=GOAL):
    return post_of(row, MATCH).document


def note(row=GOAL, **wishes):
    return Notes(terms(**wishes), after=60).note(row.kind, said(row))


SENTENCES = {
    "a goal": (GOAL, "Goal disallowed: Goretzka (Schalke)."),
    "an own goal": (
        replace(GOAL, kind="soccer.own-goal", side="away", people=involved(scorer=CALETA_CAR)),
        "Goal disallowed: Ćaleta-Car (Salzburg).",
    ),
    "without a scorer": (replace(GOAL, people=()), "Goal disallowed: Schalke."),
    "without a team": (replace(GOAL, people=(), side=None), "Goal disallowed."),
    "of somebody with one name": (
        replace(GOAL, people=involved(scorer=replace(GORETZKA, short_name=None))),
        "Goal disallowed: Leon Goretzka (Schalke).",
    ),
    "of a name with a mark": (
        replace(GOAL, people=involved(scorer=replace(GORETZKA, short_name="A & B"))),
        "Goal disallowed: A &amp; B (Schalke).",
    ),
}


@pytest.mark.parametrize(("row", "sentence"), SENTENCES.values(), ids=SENTENCES.keys())
def test_a_note_is_the_post_of_the_goal_without_the_score(row, sentence):
    """Minute, people, block and time stay; the type, its title, the sentence and the role of the people are the note's."""
    goal, left = said(row), note(row)
    event = {name: value for name, value in goal["sport_event"].items() if name != "score"}
    role = {"event_player_type": "player", "event_player_title": "Player"}
    named = {"players": [{**each, **role} for each in event["players"][:1]]} if event.get("players") else {}
    (block,) = goal["contents"]
    assert left == {
        **goal,
        "contents": [{**block, "text": sentence}],
        "sport_event": {**event, "event_type": "soccer.disallowed-goal", "title": "Goal disallowed", **named},
    }
    assert NOTES.note(row.kind, left) == left


NONE = {
    "a yellow card": (replace(GOAL, kind="soccer.yellow-card"), {}),
    "a substitution": (replace(GOAL, kind="soccer.substitution"), {}),
    "a kick of the shoot-out": (replace(GOAL, phase=5), {}),
    "an unknown sport": (GOAL, {"sport": "chess"}),
}


@pytest.mark.parametrize(("row", "wishes"), NONE.values(), ids=NONE.keys())
def test_nothing_is_left_of_what_leaves_no_note(row, wishes):
    assert note(row, **wishes) is None


def test_of_a_text_nothing_is_left_and_of_several_pieces_the_first_alone():
    more = said()["contents"] * 2
    assert NOTES.note("soccer.goal", {"contents": more}) is None
    assert len(NOTES.note("soccer.goal", {**said(), "contents": more})["contents"]) == 1
    assert NOTES.note("soccer.goal", {**said(), "contents": None})["contents"] == []


@pytest.mark.parametrize(("own", "is_silent", "left"), [
    (None, False, True), (None, True, False), ("note", True, True), ("silent", False, False),
])  # fmt: skip
def test_a_liveblog_chooses_and_else_its_organization(own, is_silent, left):
    rules = WithdrawalRules(silent=frozenset({"5f"} if is_silent else {"6a"}), note_after=7)
    wanted = terms(withdrawn=own)
    assert rules.notes("5f", wanted) == Notes(wanted, 7, silent=not left)


@pytest.mark.parametrize("kind", ["soccer.red-card", "soccer.yellow-red-card"])
def test_somebody_who_was_sent_off_by_mistake_has_a_note(kind):
    left = note(replace(GOAL, kind=kind, people=involved(player=GEIS), score=None))
    assert left["sport_event"]["event_type"] == "soccer.withdrawn-card"
    assert left["contents"][0]["text"] == "Red card withdrawn: Geis (Schalke)."


NOT_WANTED = {
    "its type is excluded": ({"exclude_events": frozenset({"soccer.disallowed-goal"})}, True, True),
    "the goals are excluded": ({"exclude_events": frozenset({"soccer.goal"})}, False, True),
    "nothing is posted automatically": ({"auto_post": False}, False, True),
    "cards are excluded": ({"exclude_events": frozenset({"soccer.red-card"})}, False, False),
}


@pytest.mark.parametrize(("wishes", "none", "hidden"), NOT_WANTED.values(), ids=NOT_WANTED.keys())
def test_what_a_liveblog_does_not_want(wishes, none, hidden):
    """Whether no new note is made, and one that stands is a draft."""
    notes = Notes(terms(**wishes), after=60)
    assert (notes.makes_none(note()), notes.hides("soccer.goal", note())) == (none, hidden)


@pytest.mark.parametrize(("event", "stands"), [
    ({"event_type": "soccer.disallowed-goal"}, True),
    ({"event_type": "soccer.disallowed-goal", "score": {}}, True),
    ({"event_type": "soccer.disallowed-goal", "score": {"home_score": "1"}}, False),
    ({"event_type": "soccer.goal"}, False),
    (None, False),
])  # fmt: skip
def test_a_post_is_a_note_where_a_person_has_made_no_goal_of_it(event, stands):
    assert stands_as_note({"sport_event": event}, note()) is stands
