"""A row that comes again under another id keeps the post of the one that is gone; what only looks like it gets its own."""

from dataclasses import replace

import pytest

from mapping.match.identity import APART as ANOTHER_DAY
from mapping.match.match import Score
from mapping.posts.belief_from_posts import match_reissued
from mapping.posts.reconcile import Entry, State
from tests.mapping.soccer_builders import (
    GEIS,
    GORETZKA,
    KICKOFF,
    MATCH,
    MEYER,
    comment,
    incident,
    involved,
    post_of,
    posts,
)  # fmt: skip

GOAL = incident("soccer.goal", minute=15, side="home", people=involved(scorer=GORETZKA), score=Score(1, 0))
LATE = replace(GOAL, minute=45, added=1)
UNTIMED = replace(GOAL, minute=None)
CARD = incident("soccer.yellow-card", minute=20, side="home", people=involved(player=GEIS))
NOBODY = replace(CARD, people=())
NOTE = incident("soccer.disallowed-goal", minute=15, side="home", people=involved(scorer=GORETZKA))
LONG = comment("Rain has set in here")
"""As long as a text has to be that is written once."""
SHORT = comment("Rain has set in now")


def wanted(row, key):
    """The post of an incident or of a text."""
    if hasattr(row, "html"):
        (post,) = posts(replace(MATCH, comments=(replace(row, key=key),)), text=True)
        return post
    return post_of(replace(row, key=key))


def line(row, key="incident:old", state=State.POSTED, kind=None):
    """The line of the ledger of a post whose row is gone."""
    post = wanted(row, key)
    return Entry(key=key, kind=kind or post.kind, source=post.source, local_id=key, said=post.document, state=state)


SAME = {
    "itself": (GOAL, GOAL),
    "two minutes later": (GOAL, replace(GOAL, minute=17)),
    "two minutes earlier": (GOAL, replace(GOAL, minute=13)),
    "in added time": (LATE, replace(LATE, added=3)),
    "added time counted on": (LATE, replace(LATE, minute=46, added=None)),
    "with another score": (GOAL, replace(GOAL, score=Score(2, 0))),
    "without a minute in both": (UNTIMED, UNTIMED),
    "a little less than another day": (GOAL, replace(GOAL, created_at=GOAL.created_at + ANOTHER_DAY - 1)),
    "whose time is known now": (replace(GOAL, created_at=None), replace(GOAL, created_at=GOAL.created_at + ANOTHER_DAY)),
    "whose time is not known any more": (replace(GOAL, created_at=KICKOFF - ANOTHER_DAY), replace(GOAL, created_at=None)),
    "nobody named": (NOBODY, replace(NOBODY, minute=22)),
    "a long text, whenever": (LONG, replace(LONG, created_at=LONG.created_at + 3600)),
    "a short text two minutes later": (SHORT, replace(SHORT, created_at=SHORT.created_at + 120)),
    "a short text without a time": (SHORT, replace(SHORT, created_at=None)),
    "a short text that has a time now": (replace(SHORT, created_at=None), SHORT),
}  # fmt: skip
OTHERS = {
    "three minutes later": (GOAL, replace(GOAL, minute=18)),
    "three minutes of added time later": (LATE, replace(LATE, added=4)),
    "another player": (GOAL, replace(GOAL, people=involved(scorer=MEYER))),
    "another part in it": (CARD, replace(CARD, people=involved(in_=GEIS))),
    "another kind": (CARD, replace(CARD, kind="soccer.red-card")),
    "of the other side": (NOBODY, replace(NOBODY, side="away")),
    "of nobody's side": (NOBODY, replace(NOBODY, side=None)),
    "without its minute": (GOAL, UNTIMED),
    "with a minute now": (UNTIMED, GOAL),
    "another day": (GOAL, replace(GOAL, created_at=GOAL.created_at + ANOTHER_DAY)),
    "the day before": (GOAL, replace(GOAL, created_at=GOAL.created_at - ANOTHER_DAY)),
    "a long text of another day": (LONG, replace(LONG, created_at=LONG.created_at + ANOTHER_DAY)),
    "other words": (LONG, replace(LONG, html="The teams have left it.")),
    "a short text a little more than two minutes later": (SHORT, replace(SHORT, created_at=SHORT.created_at + 121)),
}


@pytest.mark.parametrize(
    ("was", "now", "same"),
    [pytest.param(*each, same, id=name) for same, rows in ((True, SAME), (False, OTHERS)) for name, each in rows.items()],
)  # fmt: skip
def test_the_same_row_has_kind_team_people_and_a_minute_near_by(was, now, same):
    assert match_reissued([wanted(now, "incident:new")], [line(was)]) == (
        {"incident:new": "incident:old"} if same else {}
    )


DELETED = {
    "a goal of that minute": (GOAL, GOAL, None, True),
    "a goal a minute later": (GOAL, replace(GOAL, minute=16), None, False),
    "a note a minute later": (NOTE, replace(GOAL, minute=16), "soccer.goal", False),
    "a card two minutes later": (CARD, replace(CARD, minute=22), None, True),
    "nobody's card a minute later": (NOBODY, replace(NOBODY, minute=21), None, False),
    "a text two minutes later": (SHORT, replace(SHORT, created_at=SHORT.created_at + 120), None, True),
}


@pytest.mark.parametrize(("was", "now", "kind", "same"), DELETED.values(), ids=DELETED.keys())
def test_a_goal_after_one_that_a_person_has_deleted_does_not_get_lost(was, now, kind, same):
    """Only what is certainly the deleted post comes again as deleted; one that was only withdrawn is known by its minutes."""
    new = wanted(now, "incident:new")
    assert bool(match_reissued([new], [line(was, state=State.GONE, kind=kind)])) == same
    assert match_reissued([new], [line(was, state=State.WITHDRAWN, kind=kind)])


def test_what_marks_a_period_is_never_another_one():
    end = incident("soccer.end", minute=90)
    assert match_reissued([wanted(end, "period:2")], [line(end)]) == {}
    assert match_reissued([wanted(end, "incident:2")], [line(end, "period:1")]) == {}


def row(key, minute, created_at=KICKOFF):
    return line(replace(GOAL, minute=minute, created_at=created_at), key)


NEAREST = {
    "the nearest": ([12], [row("a", 10), row("b", 12)], ["b"]),
    "the nearest, whichever is first": ([11], [row("a", 11), row("b", 13)], ["a"]),
    "of two as near the one that came first": ([12], [row("a", 13, KICKOFF + 60), row("b", 11)], ["b"]),
    "of two at one time by their keys": ([12], [row("b", 13), row("a", 11)], ["a"]),
    "without a time before all others": ([12], [row("a", 13), row("b", 11, None)], ["b"]),
    "each once": ([12, 12, 12], [row("a", 12), row("b", 13)], ["a", "b", None]),
}


@pytest.mark.parametrize(("minutes", "lines", "adopted"), NEAREST.values(), ids=NEAREST.keys())
def test_of_several_the_nearest_one_counts_and_each_is_taken_once(minutes, lines, adopted):
    new = [wanted(replace(GOAL, minute=minute), f"new:{at}") for at, minute in enumerate(minutes)]
    found = match_reissued(new, lines)
    assert [found.get(each.key) for each in new] == adopted
