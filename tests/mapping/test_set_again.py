"""A match that is set again is before its start as a whole; what answers still have of the earlier try says nothing."""

from dataclasses import replace

import pytest

from mapping.belief.belief import ConfirmedMatch, Memory
from mapping.belief.confirm import confirm_answer
from mapping.belief.goals import SentScores
from mapping.belief.match_course import (
    EARLY,
    EarlierTry,
    as_it_goes_on,
    can_be_set_again,
    has_another_day,
    has_unreadable_mark,
    is_set_again,
    without_earlier_try,
    without_try,
)  # fmt: skip
from mapping.match.identity import APART, APART_OPEN
from mapping.match.match import ALL_PARTS, Clock, Comment, Decided, PeriodScore, Race, Score, Status
from tests.kit.soccer_belief import FULL, GOAL, START, only, polled
from tests.mapping.soccer_builders import KICKOFF, comment, incident

MARK = replace(START, kind="soccer.start", key="period:soccer.start")
END = replace(MARK, kind="soccer.end", key="period:soccer.end", method=Decided.ABANDONED)
WEATHER = incident("soccer.comment", key="incident:w")
TRY = only(
    status=Status.ABANDONED, incidents=(MARK, GOAL, END), winner="home", decided=Decided.SHOOTOUT, shootout=Score(3, 1)
)
BLANK = only(status=Status.SCHEDULED, clock=Clock(), score=None, periods=(), incidents=(), comments=())
NEXT = KICKOFF + APART


def blank(**fields):
    return replace(BLANK, **fields)


IS_SET_AGAIN = {
    "from live to planned": (Status.LIVE, Status.SCHEDULED, KICKOFF, True),
    "from live to postponed": (Status.LIVE, Status.POSTPONED, KICKOFF, False),
    "from live to postponed on another day": (Status.LIVE, Status.POSTPONED, NEXT, True),
    "from cancelled to planned": (Status.CANCELLED, Status.SCHEDULED, KICKOFF, True),
    "planned all the time": (Status.SCHEDULED, Status.POSTPONED, NEXT, False),
    "postponed during play and planned on another day": (Status.POSTPONED, Status.SCHEDULED, NEXT, True),
    "postponed during play and live on another day": (Status.POSTPONED, Status.LIVE, NEXT, True),
    "postponed during play and live on its day": (Status.POSTPONED, Status.LIVE, KICKOFF, False),
    "postponed during play all the time": (Status.POSTPONED, Status.POSTPONED, KICKOFF, False),
    "live all the time": (Status.LIVE, Status.LIVE, NEXT, False),
    "from the end back to live on another day": (Status.FINISHED, Status.LIVE, NEXT, False),
    "broken off and live on another day": (Status.ABANDONED, Status.LIVE, NEXT, True),
    "broken off and live on its day": (Status.ABANDONED, Status.LIVE, KICKOFF, False),
    "broken off on another day": (Status.ABANDONED, Status.ABANDONED, NEXT, False),
    "cancelled and live on another day": (Status.CANCELLED, Status.LIVE, NEXT, True),
}


@pytest.mark.parametrize(("was", "now", "kickoff", "again"), IS_SET_AGAIN.values(), ids=IS_SET_AGAIN.keys())
def test_a_match_is_set_again_where_it_is_planned_or_has_another_day_after_it_was_broken_off(was, now, kickoff, again):
    assert is_set_again(only(status=was), only(status=now, kickoff=kickoff)) is again


def test_one_that_stands_still_has_another_try_on_another_day():
    """Whatever its status says; one that was postponed before it began has none."""
    stopped = replace(FULL.clock, stopped=True)
    assert not is_set_again(FULL, only(clock=stopped))
    assert is_set_again(FULL, only(clock=stopped, kickoff=NEXT))
    assert not is_set_again(blank(status=Status.POSTPONED), only(status=Status.SCHEDULED, kickoff=NEXT))


DAYS = {
    "twelve hours": (NEXT, False, True),
    "a little less": (NEXT - 1, False, False),
    "twelve hours before": (KICKOFF - APART, False, True),
    "a day whose hour is open": (KICKOFF + APART_OPEN, True, True),
    "less where the hour is open": (KICKOFF + APART_OPEN - 1, True, False),
    "unknown": (None, False, False),
}


@pytest.mark.parametrize(("kickoff", "is_open", "another"), DAYS.values(), ids=DAYS.keys())
def test_another_day_is_at_least_twelve_hours_away(kickoff, is_open, another):
    assert has_another_day(FULL, only(kickoff=kickoff, kickoff_open=is_open)) is another
    assert has_another_day(only(kickoff=None), FULL) is False


UNREAD = frozenset({MARK.key})
CONTRADICTED = {
    "nothing left": (blank(), True),
    "0:0": (blank(score=Score(0, 0)), True),
    "a goal of the home side": (blank(score=Score(1, 0)), False),
    "a goal of the away side": (blank(score=Score(0, 1)), False),
    "the weather": (blank(incidents=(WEATHER,)), True),
    "a part that was played": (blank(clock=Clock(phase=1)), False),
    "a whistle": (blank(incidents=(MARK,)), False),
    "a whistle that the state implies": (blank(incidents=(replace(MARK, synthesised=True),)), True),
    "a row with a minute": (blank(incidents=(replace(WEATHER, minute=3),)), False),
    "a row with a lap": (blank(incidents=(replace(WEATHER, lap=3),)), False),
    "a row with a score": (blank(incidents=(replace(WEATHER, score=Score(0, 0)),)), False),
    "the weather and a row with a minute": (blank(incidents=(WEATHER, replace(GOAL, score=None))), False),
    "a start that nobody could read": (blank(unreadable_keys=UNREAD), True),
    "an end that nobody could read": (blank(unreadable_keys=frozenset({END.key})), False),
    "another row that nobody could read": (blank(unreadable_keys=frozenset({GOAL.key})), True),
    "everything on another day": (replace(TRY, kickoff=NEXT), True),
    "a whistle that nobody could read on another day": (blank(unreadable_keys=UNREAD, kickoff=NEXT), True),
}


@pytest.mark.parametrize(("answer", "can_be"), CONTRADICTED.values(), ids=CONTRADICTED.keys())
def test_rows_of_play_and_a_score_contradict_that_a_match_is_set_again_on_its_day(answer, can_be):
    """The match is set again with the second answer that says so; one that contradicts it has the match go on."""
    assert can_be_set_again(TRY, answer) is can_be
    if answer.status is Status.SCHEDULED:
        once, twice = polled(ConfirmedMatch(TRY), answer, answer)
        assert once.match.status is TRY.status
        assert twice.match.status is (Status.SCHEDULED if can_be else TRY.status)


def test_a_mark_is_unreadable_only_where_the_answer_has_it_in_no_other_form():
    unread = blank(unreadable_keys=UNREAD)
    assert has_unreadable_mark(TRY, unread)
    assert not has_unreadable_mark(TRY, replace(unread, incidents=(MARK,)))
    assert not has_unreadable_mark(only(incidents=(GOAL,)), unread)
    assert not has_unreadable_mark(TRY, blank())


@pytest.mark.parametrize("earlier", [only(clock=Clock(phase=0)), only(status=Status.LIVE, clock=Clock(phase=0))])
def test_an_earlier_state_never_counts_while_a_mark_cannot_be_read(earlier):
    """However often it is said; once the mark can be read, or is gone, it counts with the second answer."""
    before = only(incidents=(MARK, GOAL))
    unread = replace(earlier, incidents=(GOAL,), unreadable_keys=UNREAD)
    *_, last = polled(ConfirmedMatch(before), *[unread] * 4)
    assert (last.match.status, last.match.clock) == (before.status, before.clock)
    assert not last.doubted
    assert polled(last, *[replace(unread, unreadable_keys=frozenset())] * 2)[-1].match.clock == earlier.clock


KNOWN_BEFORE = Memory(sent=SentScores(Score(0, 0), ()), disallowed=("incident:7",), keys=(("incident:8", GOAL.key),))


def test_nothing_that_is_known_gets_lost_while_a_match_waits_to_be_set_again():
    """It was no new start, and the answers before count on what they had; the faults are those of now."""
    belief = ConfirmedMatch(TRY, memory=KNOWN_BEFORE)
    once = confirm_answer(belief, blank(unreadable_keys=frozenset({"incident:9"})), good=ALL_PARTS)
    assert once.memory == KNOWN_BEFORE
    assert once.match == replace(TRY, unreadable_keys=frozenset({"incident:9"}))
    assert [each.name for each in once.doubted] == ["state"]
    cannot_say = confirm_answer(belief, blank(), good=frozenset())
    assert (cannot_say.match, cannot_say.memory, cannot_say.unconfirmed) == (TRY, KNOWN_BEFORE, True)


@pytest.mark.parametrize(
    ("kickoff", "earlier"),
    [(KICKOFF, None), (NEXT, replace(EarlierTry.of(TRY), score=Score(0, 0), periods=()))],
    ids=["its day", "another day"],
)
def test_what_was_believed_of_the_try_before_is_kept_where_there_is_another_day(kickoff, earlier):
    """With the scores as they were sent; nothing else of it is, but that the step back was believed."""
    _, twice = polled(ConfirmedMatch(TRY, memory=KNOWN_BEFORE), *[blank(kickoff=kickoff)] * 2)
    assert twice == ConfirmedMatch(blank(kickoff=kickoff), memory=Memory(earlier=earlier))
    assert [each.name for each in twice.memory.retreats] == ["state"]


def test_two_answers_that_set_a_match_again_in_two_ways_do_not_confirm_each_other():
    """Another state, or another clock that is left."""
    for other in (blank(status=Status.POSTPONED), blank(clock=Clock(phase=1))):
        beliefs = polled(ConfirmedMatch(TRY), *[blank(), other] * 3)
        assert {each.match.status for each in beliefs} == {TRY.status}


def test_a_match_that_was_set_again_by_mistake_needs_more_answers_the_next_time():
    *_, back = polled(ConfirmedMatch(TRY), blank(), blank(), TRY)
    *_, last = polled(back, *[blank()] * 3)
    assert last.match.status is TRY.status
    assert polled(last, blank())[-1].match.status is Status.SCHEDULED


def test_a_match_that_is_set_again_with_its_rows_has_none_of_them():
    """Another day, and the provider has left all of the first try, a text about the weather too."""
    weather = Comment(key="text:9", order=3, html="Rain")
    left = replace(
        TRY, status=Status.SCHEDULED, kickoff=NEXT, comments=(comment("A goal", incident_key=GOAL.key), weather)
    )
    *_, last = polled(ConfirmedMatch(TRY), left, left, left)
    assert last.match == blank(kickoff=NEXT, comments=(weather,))
    assert last.memory.earlier == EarlierTry.of(TRY)


GOES_ON = {
    "what else it says counts": ({"score": Score(2, 1), "incidents": (GOAL,)}, {"score": Score(2, 1), "incidents": (GOAL,)}),
    "a lower score does not": ({"score": Score(1, 0), "incidents": (GOAL,)}, {"incidents": (GOAL,)}),
    "no score neither": ({"score": None, "incidents": (GOAL,)}, {"incidents": (GOAL,)}),
    "without rows of play nothing is taken back": ({"incidents": (WEATHER,)}, {}),
    "what the state implies stays": (
        {"incidents": (GOAL,)},
        {"incidents": (GOAL, replace(START, synthesised=True))},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("said", "kept"), GOES_ON.values(), ids=GOES_ON.keys())
def test_a_match_that_goes_on_keeps_what_its_state_implies(said, kept):
    start = replace(START, synthesised=len(kept.get("incidents", ())) == 2)
    before = replace(
        TRY, score=Score(2, 0), incidents=(start, GOAL), points=("15", "40"), serving="home", race=Race(lap=3)
    )
    fields = dict.fromkeys(("shootout", "winner", "decided", "points", "serving", "race"))
    answer = blank(title="The derby", score=Score(2, 0), **fields)
    assert as_it_goes_on(before, replace(answer, **said)) == replace(before, title="The derby", comments=(), **kept)


def test_a_match_that_goes_on_without_a_score_has_the_one_of_the_answer():
    assert as_it_goes_on(replace(TRY, score=None), blank(score=Score(0, 0))).score == Score(0, 0)


PLAYED = EarlierTry.of(only(clock=Clock(phase=2), incidents=(MARK, GOAL)))
"""Two goals to none in the second half."""
LEFT = only(status=Status.LIVE, kickoff=NEXT, clock=Clock(phase=2), incidents=(MARK, GOAL), comments=())
NEW = replace(GOAL, key="incident:new", created_at=NEXT + 600)
CLEARED = replace(LEFT, status=Status.SCHEDULED, clock=Clock(), score=None, periods=(), incidents=())
FIRST_HALF = replace(LEFT, score=Score(0, 0), periods=(), clock=Clock(phase=1))

LEFTOVERS = {
    "all of it": (LEFT, CLEARED, True),
    "all of it without a score": (replace(LEFT, score=None), CLEARED, True),
    "an incident that the state implies": (
        replace(LEFT, incidents=(*LEFT.incidents, replace(NEW, created_at=None, synthesised=True))), CLEARED, True,
    ),
    "an incident that came before": (
        replace(LEFT, incidents=(replace(NEW, created_at=NEXT - EARLY),)), CLEARED, True,
    ),
    "a phase that began before": (
        replace(LEFT, clock=Clock(phase=2, phase_started_at=NEXT - EARLY)), CLEARED, True,
    ),
    "a planned match": (
        replace(LEFT, status=Status.POSTPONED), replace(CLEARED, status=Status.POSTPONED), True,
    ),
    "a planned match of that day": (
        replace(LEFT, status=Status.SCHEDULED, kickoff=KICKOFF), replace(CLEARED, kickoff=KICKOFF), True,
    ),
    "0:0 before the start": (
        replace(LEFT, status=Status.SCHEDULED, score=Score(0, 0)), replace(CLEARED, score=Score(0, 0)), True,
    ),
    "its first kick-off again": (replace(FIRST_HALF, kickoff=KICKOFF), replace(FIRST_HALF, kickoff=KICKOFF), False),
    "its first kick-off again and nothing new": (replace(LEFT, kickoff=KICKOFF), replace(LEFT, kickoff=KICKOFF), False),
    "a later phase": (
        replace(LEFT, clock=Clock(phase=3), incidents=(MARK, NEW)),
        replace(LEFT, clock=Clock(phase=3), incidents=(MARK, NEW)), False,
    ),
    "its goals and one more": (
        replace(FIRST_HALF, score=Score(2, 1)), replace(FIRST_HALF, score=Score(2, 1)), False,
    ),
    "an earlier phase": (FIRST_HALF, replace(FIRST_HALF, incidents=()), True),
    "a phase that began on the new day": (
        replace(FIRST_HALF, clock=Clock(phase=1, phase_started_at=NEXT - EARLY + 1)),
        replace(FIRST_HALF, clock=Clock(phase=1, phase_started_at=NEXT - EARLY + 1), incidents=()), True,
    ),
    "a new goal in the first half": (
        replace(FIRST_HALF, score=Score(1, 0), incidents=(MARK, GOAL, NEW)),
        replace(FIRST_HALF, score=Score(1, 0), incidents=(NEW,)), True,
    ),
    "a whistle of its own under the same key": (
        replace(FIRST_HALF, incidents=(replace(MARK, created_at=NEXT), GOAL)),
        replace(FIRST_HALF, incidents=(replace(MARK, created_at=NEXT),)), True,
    ),
    "a whistle that its state implies under the same key": (
        replace(FIRST_HALF, incidents=(replace(MARK, created_at=None, synthesised=True), GOAL)),
        replace(FIRST_HALF, incidents=(replace(MARK, created_at=None, synthesised=True),)), True,
    ),
    "an incident of no known time under another key": (
        replace(LEFT, clock=Clock(phase=1), score=Score(0, 1), incidents=(replace(NEW, created_at=None), GOAL)),
        replace(LEFT, clock=Clock(phase=1), score=Score(0, 1), incidents=(replace(NEW, created_at=None),)), True,
    ),
    "nothing of it": (
        replace(FIRST_HALF, incidents=(NEW,)), replace(FIRST_HALF, incidents=(NEW,)), False,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("answer", "cleared", "stays"), LEFTOVERS.values(), ids=LEFTOVERS.keys())
def test_what_is_left_of_an_earlier_try_says_nothing_until_it_turns_out_to_be_the_same_one(answer, cleared, stays):
    """Before the kick-off of the second one."""
    assert without_earlier_try(blank(kickoff=NEXT), answer, PLAYED) == (cleared, PLAYED if stays else None)


@pytest.mark.parametrize("status", [Status.LIVE, Status.FINISHED])
def test_a_second_try_that_runs_is_no_first_one(status):
    """Only rows of the first one are left out of it, whatever score and phase it comes to."""
    rows = replace(LEFT, score=Score(2, 1), incidents=(MARK, GOAL, NEW))
    before = replace(FIRST_HALF, status=status)
    assert without_earlier_try(before, rows, PLAYED) == (replace(rows, incidents=(NEW,)), PLAYED)
    assert without_earlier_try(before, replace(rows, incidents=(NEW,)), PLAYED) == (
        replace(rows, incidents=(NEW,)),
        None,
    )
    assert without_earlier_try(before, rows, None) == (rows, None)


NEW_OF_IT = {
    "another score": {"score": Score(0, 1)},
    "the score of a part": {"periods": (PeriodScore(title="half-time", score=Score(0, 1)),)},
    "an earlier phase": {"clock": Clock(phase=1)},
    "a phase of the day": {"clock": Clock(phase=2, phase_started_at=NEXT)},
    "an incident of the day": {"incidents": (MARK, NEW)},
    "an incident that was not there": {"incidents": (MARK, replace(NEW, created_at=None))},
}


@pytest.mark.parametrize("said", NEW_OF_IT.values(), ids=NEW_OF_IT.keys())
def test_anything_new_says_that_the_second_try_has_begun(said):
    """Without it the match is still before its start."""
    assert without_try(replace(LEFT, **said), PLAYED).status is Status.LIVE
    assert without_try(LEFT, PLAYED).status is Status.SCHEDULED


def test_a_match_before_its_start_has_nothing_of_play():
    """Neither a tally nor points nor a winner are left of the earlier try."""
    played = {
        "shootout": Score(3, 1),
        "winner": "home",
        "decided": Decided.SHOOTOUT,
        "points": ("15", "40"),
        "serving": "home",
    }
    assert without_try(replace(LEFT, **played), PLAYED) == CLEARED
    assert without_try(replace(LEFT, score=Score(1, 0), **played), replace(PLAYED, score=Score(1, 0))) == CLEARED
    assert without_try(replace(LEFT, score=Score(0, 0), **played), replace(PLAYED, score=Score(0, 0))).score == Score(
        0, 0
    )


def test_texts_on_what_is_left_out_go_with_it():
    on_goal, on_new = comment("A goal", incident_key=GOAL.key), comment("Another", key="text:2", incident_key=NEW.key)
    rows = replace(FIRST_HALF, incidents=(GOAL, NEW), comments=(on_goal, on_new))
    assert without_try(rows, PLAYED).comments == (on_new,)


UNTIMED = tuple(replace(each, created_at=None) for each in (MARK, GOAL))
SAME_TRY = {
    "without a goal that counts in its first phase": only(
        clock=Clock(phase=1), score=Score(0, 0), periods=(), incidents=UNTIMED
    ),
    "as it was broken off": only(clock=Clock(phase=2), incidents=UNTIMED),
}


@pytest.mark.parametrize("answer", SAME_TRY.values(), ids=SAME_TRY.keys())
def test_a_match_that_has_its_first_day_again_is_the_same_try(answer):
    """Then everything of it counts again."""
    assert without_earlier_try(blank(kickoff=NEXT), answer, PLAYED) == (answer, None)
