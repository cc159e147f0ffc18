"""What is shown of a match of two sources: whose word it is, field by field and incident by incident."""

from dataclasses import replace

import pytest

from mapping.fusion.fused_match import FusedKey, FusedMatch, fuse
from mapping.fusion.paired_incidents import fused_incident, in_order
from mapping.match.match import Clock, Comment, Fault, Incident, Involved, PeriodScore, Score, Status
from tests.mapping.soccer_builders import AWAY, CALETA_CAR, GEIS, GORETZKA, HOME, KICKOFF, MATCH, MEYER


def by(player, role="scorer"):
    return (Involved(role=role, person=player),)


GOAL = Incident(
    key="incident:1", kind="soccer.goal", order=1, minute=20, phase=1, side="home", score=Score(1, 0), people=by(GORETZKA),
    created_at=KICKOFF + 1200,
)  # fmt: skip
THEIRS = replace(GOAL, key="incident:a", order=7, created_at=KICKOFF + 1217)
NOBODY_KNOWN = frozenset()

FIELDS = {
    "minute": ({"minute": 21}, {}, {"minute": 21}),
    "no minute": ({"minute": None}, {"minute": 21, "added": 2}, {"minute": 21, "added": 2}),
    "no minute in either": ({"minute": None}, {"minute": None, "added": 3}, {"minute": None}),
    "added time of the other one": (
        {"minute": 45}, {"minute": 45, "added": 2}, {"minute": 45, "added": 2},
    ),
    "added time of its own": (
        {"minute": 45, "added": 1}, {"minute": 45, "added": 2}, {"minute": 45, "added": 1},
    ),
    "added time where it does not stand still": (
        {"minute": 44}, {"minute": 45, "added": 2}, {"minute": 44},
    ),
    "added time by the phase of the other one": (
        {"minute": 90, "phase": None}, {"minute": 90, "added": 2, "phase": 2}, {"minute": 90, "added": 2, "phase": 2},
    ),
    "added time of no known phase": (
        {"minute": 45, "phase": None}, {"minute": 45, "added": 2, "phase": None}, {"minute": 45, "phase": None},
    ),
    "another end of the phase": (
        {"minute": 45}, {"minute": 46, "added": 2}, {"minute": 45},
    ),
    "kind": ({"kind": "soccer.own-goal"}, {}, {"kind": "soccer.own-goal"}),
    "roles that it names nobody for": (
        {}, {"people": (*by(MEYER), *by(GEIS, "assist"))}, {"people": (*by(GORETZKA), *by(GEIS, "assist"))},
    ),
    "nobody at all": ({"people": ()}, {"people": by(MEYER)}, {"people": by(MEYER)}),
    "phase": ({"phase": None}, {"phase": 2}, {"phase": 2}),
    "side": ({"side": None}, {"side": "away"}, {"side": "away"}),
    "score": ({"score": None}, {"score": Score(2, 0)}, {"score": Score(2, 0)}),
    "its own score": ({"score": Score(1, 0)}, {"score": Score(2, 0)}, {"score": Score(1, 0)}),
    "method": ({}, {"method": "penalty"}, {"method": "penalty"}),
    "team": ({}, {"team": AWAY}, {"team": AWAY}),
    "detail": ({}, {"detail": "header"}, {"detail": "header"}),
    "time": ({"created_at": None}, {"created_at": KICKOFF + 5}, {"created_at": KICKOFF + 5}),
}  # fmt: skip


@pytest.mark.parametrize(("lead", "other", "fused"), FIELDS.values(), ids=FIELDS.keys())
def test_an_incident_is_the_leading_sources_and_what_it_lacks_the_others(lead, other, fused):
    one, two = replace(GOAL, **lead), replace(THEIRS, **other)
    assert fused_incident("incident:x", one, two, NOBODY_KNOWN, second_leads=False) == replace(
        one, key="incident:x", **fused
    )


OTHERWISE = {
    "two minutes later": ({"minute": 22}, False),
    "three minutes later": ({"minute": 23}, True),
    "by nobody": ({"people": ()}, False),
    "in another spelling": ({"people": by(replace(GORETZKA, ext_id="second/1", name="Gorezka L.", short_name=None))}, False),
    "by another one": ({"people": by(MEYER)}, True),
    "with another score": ({"score": Score(2, 0)}, True),
    "as an own goal": ({"kind": "soccer.own-goal", "side": "away"}, False),
    "for the other side": ({"side": "away"}, True),
    "in its order": ({"order": 9, "created_at": KICKOFF + 5, "synthesised": True}, False),
}  # fmt: skip


@pytest.mark.parametrize(("theirs", "is_theirs"), OTHERWISE.values(), ids=OTHERWISE.keys())
def test_what_is_only_said_differently_stays_as_the_first_source_says_it_whoever_leads(theirs, is_theirs):
    """At the time that the first source says."""
    two = replace(THEIRS, **theirs)
    found = fused_incident("k", GOAL, two, NOBODY_KNOWN | {GORETZKA.ext_id, MEYER.ext_id}, second_leads=True)
    assert found == replace(two if is_theirs else GOAL, key="k", created_at=GOAL.created_at, synthesised=False)


def test_an_incident_of_one_source_is_that_ones():
    undated = replace(GOAL, created_at=None, synthesised=True, minute=40)
    assert fused_incident("k", undated, THEIRS, NOBODY_KNOWN, second_leads=True).created_at == THEIRS.created_at
    for leads in (True, False):
        assert fused_incident("k", THEIRS, None, NOBODY_KNOWN, second_leads=leads) == replace(THEIRS, key="k")
        assert fused_incident("k", None, THEIRS, NOBODY_KNOWN, second_leads=leads) == replace(THEIRS, key="k")
        reviewed = replace(GOAL, under_review=True)
        assert fused_incident("k", reviewed, THEIRS, NOBODY_KNOWN, second_leads=leads).under_review is not leads
    with pytest.raises(ValueError, match="k"):
        fused_incident("k", None, None, NOBODY_KNOWN, second_leads=False)


def test_incidents_stand_in_the_order_of_play():
    def at(key, **when):
        return replace(GOAL, **{"key": key, "phase": 1, "minute": 10, "added": None, "order": 1, **when})

    rows = [at("0", phase=None, minute=95), at("1", minute=None), at("2"), at("3", order=2), at("4", added=1, order=0),
            at("5", minute=11, order=0), at("6", phase=2, minute=1)]  # fmt: skip
    assert [each.key for each in in_order(rows[::-1])] == [each.key for each in rows]


FIRST = replace(MATCH, status=Status.LIVE, clock=Clock(phase=1), score=Score(1, 0), incidents=(GOAL,), kickoff=None)
SECOND = replace(FIRST, provider="second", match_id="s", incidents=(THEIRS,))
HALF = (PeriodScore(title="half-time", score=Score(1, 0)),)

UNREAD = Fault(resource="match", row="1", field="minute", reason="no number")
WHOSE = {
    "its own": ({"title": "Derby"}, {"title": "Match"}, {}, {"title": "Derby"}),
    "the other's title": ({"title": None}, {"title": "Match"}, {}, {"title": "Match"}),
    "the other's kick-off": ({}, {"kickoff": KICKOFF}, {}, {"kickoff": KICKOFF}),
    "the other's tournament": ({"tournament": None}, {}, {}, {"tournament": MATCH.tournament}),
    "the other's place": ({"location": None}, {}, {}, {"location": MATCH.location}),
    "the other's tally": ({}, {"shootout": Score(3, 1)}, {}, {"shootout": Score(3, 1)}),
    "the other's winner": ({}, {"winner": "home", "decided": "penalties"}, {}, {"winner": "home", "decided": "penalties"}),
    "its own whoever leads": (
        {"title": "Derby"}, {"title": "Match", "kickoff": KICKOFF, "tournament": None, "location": None}, {"leads": "second"},
        {"title": "Derby", "kickoff": KICKOFF, "tournament": MATCH.tournament, "location": MATCH.location, "match_id": "8315073"},
    ),
    "a state that both say is its own": (
        {"clock": Clock(phase=1, phase_started_at=9)}, {}, {"leads": "second"}, {"clock": Clock(phase=1, phase_started_at=9)},
    ),
    "a match that stands still as the leading source says": (
        {}, {"clock": Clock(phase=1, stopped=True)}, {"leads": "second"}, {"clock": Clock(phase=1, stopped=True)},
    ),
    "an end of another kind as the leading source says": (
        {"status": Status.FINISHED}, {"status": Status.ABANDONED}, {"leads": "second"}, {"status": Status.ABANDONED},
    ),
    "the text is the first one's": ({"text": True}, {"text": False}, {"leads": "second"}, {"text": True}),
    "the scores of parts": ({"periods": HALF}, {"periods": ()}, {}, {"periods": HALF}),
    "the other's scores of parts": ({"periods": ()}, {"periods": HALF}, {}, {"periods": HALF}),
    "a further state does not count": ({}, {"clock": Clock(phase=2)}, {}, {"clock": Clock(phase=1)}),
    "a further state until it has settled": (
        {}, {"clock": Clock(phase=2)}, {"settled": False}, {"clock": Clock(phase=2)},
    ),
    "no earlier state until it has settled": (
        {"clock": Clock(phase=2)}, {"clock": Clock(phase=1)}, {"settled": False}, {"clock": Clock(phase=2)},
    ),
    "a further state where it gives no whistles": (
        {}, {"status": Status.FINISHED}, {"kinds": {"heim": frozenset({"soccer.goal"})}}, {"status": Status.FINISHED},
    ),
    "no further state where it gives some whistles": (
        {}, {"clock": Clock(phase=2)}, {"kinds": {"heim": frozenset({"soccer.pause-halves"})}}, {"clock": Clock(phase=1)},
    ),
    "no further state where it gives the others": (
        {}, {"clock": Clock(phase=2)}, {"kinds": {"heim": frozenset({"soccer.resume-halves"})}}, {"clock": Clock(phase=1)},
    ),
    "no further state of one without whistles": (
        {}, {"clock": Clock(phase=2)}, {"kinds": {"second": frozenset({"soccer.goal"})}}, {"clock": Clock(phase=1)},
    ),
    "no score": ({"score": None, "incidents": ()}, {"score": Score(0, 2), "incidents": ()}, {}, {"score": Score(0, 2)}),
    "no score of the other one": ({}, {"score": None}, {}, {"score": Score(1, 0)}),
    "its own lower score": ({}, {"score": Score(1, 2)}, {}, {"score": Score(1, 0)}),
    "no score put together of both": (
        {"incidents": ()}, {"score": Score(0, 2), "incidents": ()}, {"settled": False}, {"score": Score(1, 0)},
    ),
    "a score that covers its own until it has settled": (
        {"incidents": ()}, {"score": Score(1, 2), "incidents": ()}, {"settled": False}, {"score": Score(1, 2)},
    ),
    "no faults": (
        {"unreadable_keys": frozenset({"incident:7"}), "faults": (UNREAD,)}, {}, {},
        {"unreadable_keys": frozenset(), "faults": ()},
    ),
    "no state that is as far": (
        {}, {"clock": Clock(phase=1, phase_started_at=9)}, {"settled": False}, {"clock": Clock(phase=1)},
    ),
    "what only posts say": (
        {"posts_alone": frozenset({"incident:7"})}, {}, {"leads": "second"}, {"posts_alone": frozenset({"incident:7"})},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("ours", "theirs", "how", "shown"), WHOSE.values(), ids=WHOSE.keys())
def test_whose_word_counts_for_what(ours, theirs, how, shown):
    match = fuse(replace(FIRST, **ours), replace(SECOND, **theirs), **how).match
    assert {name: getattr(match, name) for name in shown} == shown


SQUADS = {
    "its own": (HOME, replace(HOME, lineup=(MEYER,)), HOME),
    "a bench is a squad": (replace(HOME, lineup=()), HOME, replace(HOME, lineup=())),
    "the other's where it names nobody": (replace(HOME, lineup=(), bench=()), HOME, HOME),
    "no team there": (HOME, None, HOME),
}


@pytest.mark.parametrize(("ours", "theirs", "shown"), SQUADS.values(), ids=SQUADS.keys())
@pytest.mark.parametrize("leads", ["first", "second"])
def test_teams_are_the_first_sources_and_so_are_squads_that_it_names(ours, theirs, shown, leads):
    known = {each.ext_id: each.ext_id for each in (*HOME.lineup, *HOME.bench)}
    fused = fuse(replace(FIRST, home=ours), replace(SECOND, home=theirs), leads=leads, named=known)
    assert [each.ext_id.removeprefix("second/") for each in fused.match.home.lineup] == [
        each.ext_id for each in shown.lineup
    ]
    assert len(fused.match.home.bench) == len(shown.bench)
    assert fused.match.away.ext_id == AWAY.ext_id
    assert fuse(replace(FIRST, away=None), SECOND).match.away == replace(
        AWAY, ext_id=f"second/{AWAY.ext_id}", lineup=(replace(CALETA_CAR, ext_id="second/201"),)
    )


def test_texts_are_the_first_sources_bound_by_the_keys_of_the_match():
    keys = (FusedKey("incident:second/second/a", first="incident:1", second="incident:a"),)
    bound, loose = (
        Comment(key="t", order=1, html="Goal", incident_key="incident:1"),
        Comment(key="u", order=2, html="Rain"),
    )
    comments = fuse(replace(FIRST, comments=(bound, loose)), SECOND, keys, leads="second").match.comments
    assert comments == (replace(bound, incident_key="incident:second/second/a"), loose)


WHISTLE = replace(GOAL, key="period:soccer.start", kind="soccer.start", minute=None, score=None, people=())
LATER = replace(GOAL, key="incident:2", minute=60, phase=2, score=Score(2, 0), people=by(MEYER))
THEIR_LATER = replace(LATER, key="incident:b")


class Course:
    """Two sources after each other's answers: (who leads, settled, the first one's rows, the second one's)."""

    def __init__(self):
        self.fused = FusedMatch(FIRST)

    def __call__(self, leads, settled, ours, theirs, scores=((9, 0), (9, 0)), **how):
        one, two = (Score(*each) for each in scores)
        first, second = replace(FIRST, incidents=ours, score=one), replace(SECOND, incidents=theirs, score=two)
        self.fused = fuse(first, second, self.fused.keys, leads=leads, settled=settled, **how)
        return [each.key for each in self.fused.match.incidents]


def test_an_incident_keeps_the_key_under_which_it_became_known():
    course = Course()
    own = "incident:second/second/a"
    assert course("second", True, (), (THEIRS,)) == [own]
    assert course("second", True, (GOAL,), (THEIRS,)) == [own]
    assert course("first", True, (GOAL,), ()) == [own]
    assert course("first", True, (GOAL,), (THEIRS,)) == [own]
    assert [(each.key, each.first, each.second) for each in course.fused.keys] == [(own, "incident:1", "incident:a")]
    assert course("second", True, (WHISTLE,), (WHISTLE,))[-1:] == ["period:soccer.start"]


def test_what_the_leading_source_never_had_is_not_shown_until_it_leads():
    course = Course()
    one, card = (1, 0), replace(THEIR_LATER, key="incident:c", kind="soccer.yellow-card", score=None)
    theirs, both = (THEIRS, THEIR_LATER, card), ["incident:1", "incident:second/second/b", "incident:second/second/c"]
    assert course("first", True, (GOAL,), theirs, (one, (2, 0))) == ["incident:1"]
    assert course("second", False, (GOAL,), theirs, (one, (2, 0))) == both
    assert course("first", False, (GOAL,), theirs, (one, (2, 0))) == both
    assert course("first", True, (GOAL,), theirs, (one, (2, 0))) == ["incident:1", "incident:second/second/c"], "1:0"
    assert course("first", True, (GOAL,), theirs, ((2, 0), (2, 0))) == both, "as far as it counts"
    assert course("first", True, (GOAL,), (THEIRS,)) == ["incident:1"]


def test_what_the_leading_source_took_back_stays_away_until_it_has_it_again():
    course = Course()
    assert course("first", True, (GOAL,), (THEIRS,)) == ["incident:1"]
    assert course("first", True, (), (THEIRS,), ((0, 0), (1, 0))) == []
    assert [each.taken_back for each in course.fused.keys] == ["first"]
    assert course.fused.counted == {"first": Score(0, 0), "second": Score(0, 0)}
    assert course.fused.rows == {"first": Score(0, 0), "second": Score(0, 0)}
    assert course("second", False, (), (THEIRS,), ((0, 0), (1, 0))) == [], "the other one may be late"
    assert course("second", True, (), (THEIRS,), ((0, 0), (1, 0))) == [], "whoever leads, and for however long"
    assert course("second", True, (), (), ((0, 0), (0, 0))) == []
    assert course("second", True, (), (THEIRS,), ((0, 0), (1, 0))) == [], "though the other one took it back too"
    assert course("first", True, (GOAL,), (THEIRS,)) == ["incident:1"], "it has it again"
    assert course("second", True, (GOAL,), ()) == []
    assert course("first", False, (GOAL,), ()) == []
    assert course("first", True, (GOAL,), ()) == ["incident:1"], "the first source has it, and has settled"


BOOKED = replace(GOAL, key="incident:3", kind="soccer.yellow-card", minute=30, score=None, people=by(MEYER, "player"))
THEIR_CARD = replace(BOOKED, key="incident:c")
ALL, THEIR_ALL = (GOAL, BOOKED, LATER), (THEIRS, THEIR_CARD, THEIR_LATER)
SECOND_HALF = replace(WHISTLE, key="period:soccer.resume-halves", kind="soccer.resume-halves", phase=2)
BACK = {
    "a goal": ((GOAL, BOOKED), THEIR_ALL, {}, {"incident:2"}),
    "a card": ((GOAL, LATER), THEIR_ALL, {}, {"incident:3"}),
    "two goals": ((BOOKED,), THEIR_ALL, {}, set()),
    "a goal and a card": ((GOAL,), THEIR_ALL, {}, set()),
    "everything": ((), THEIR_ALL, {}, set()),
    "a goal and a card that the other one has no more": ((GOAL,), (THEIRS,), {}, {"incident:2", "incident:3"}),
    "a goal and a card of which the other one has the goal": ((GOAL,), (THEIRS, THEIR_LATER), {}, {"incident:3"}),
    "a goal and a card while the other one is dead": ((GOAL,), THEIR_ALL, {"alone": True}, {"incident:2", "incident:3"}),
}  # fmt: skip
"""What the first source has after an answer that lacks something, the other one, and what was taken back by it."""


@pytest.mark.parametrize(("ours", "theirs", "how", "gone"), BACK.values(), ids=BACK.keys())
def test_what_goes_together_with_something_else_that_the_other_source_has_was_not_taken_back(ours, theirs, how, gone):
    """Such answers are of before: match and score stay as they are. Of one thing that goes nobody can know."""
    course = Course()
    shown = course("first", True, ALL, THEIR_ALL, ((2, 0), (2, 0)))
    after = course("first", True, ours, theirs, (board(ours), board(theirs)), **how)
    assert {each.key for each in course.fused.keys if each.taken_back} == gone
    assert after == [each for each in shown if each not in gone]
    assert course.fused.match.score == Score(2 - ("incident:2" in gone), 0)


def test_older_answers_that_come_nearer_take_nothing_back_either():
    """Until all is there again; then what goes is taken back. Of a source that has just taken the lead nobody knows either."""
    course, two_nil = Course(), ((1, 0), (2, 0))
    shown = course("first", True, ALL, THEIR_ALL, ((2, 0), (2, 0)))
    for ours in ((GOAL,), (GOAL, BOOKED), ALL):
        assert course("first", True, ours, THEIR_ALL, two_nil) == shown
    assert course("first", True, (GOAL, BOOKED), THEIR_ALL, two_nil) == shown[:2]
    assert course("second", False, ALL, (THEIRS,), ((2, 0), (1, 0))) == shown[:1]


def test_a_score_has_no_goal_that_was_taken_back():
    """Of either side, and an own goal is the opponent's; no score falls below nothing."""
    course = Course()
    own = replace(THEIRS, key="incident:c", kind="soccer.own-goal", side="home", score=Score(0, 1), minute=30)
    course("first", True, (GOAL, replace(own, key="incident:3")), (THEIRS, own))
    course("first", True, (GOAL,), (THEIRS, own))
    course("first", True, (), (THEIRS, own), ((0, 0), (1, 3)))
    assert course.fused.counted["second"] == Score(0, 2)
    course("first", True, (), (THEIRS, own), ((0, 0), (0, 0)))
    assert course.fused.counted["second"] == Score(0, 0)
    assert course.fused.rows == {"first": Score(0, 0), "second": Score(0, 0)}


def test_the_goals_that_each_source_names_are_counted():
    card = replace(GOAL, key="incident:5", kind="soccer.yellow-card")
    course = Course()
    course("first", True, (GOAL, card), (THEIRS, replace(THEIR_LATER, side="away")))
    assert course.fused.rows == {"first": Score(1, 0), "second": Score(1, 1)}
    assert fuse(replace(FIRST, score=None), SECOND).counted == {"first": None, "second": Score(1, 0)}


PAIRED = {
    "a pair that has come apart": (
        FusedKey("k", first="incident:1", second="incident:b"), (GOAL,), (THEIR_LATER, THEIRS), ("incident:1", "incident:a"),
    ),
    "one that turns out to be the same": (
        FusedKey("k", second="incident:a"), (GOAL,), (THEIRS,), ("incident:1", "incident:a"),
    ),
    "the second's of another one": (
        FusedKey("k", first="incident:9", second="incident:a"), (GOAL,), (THEIRS,), ("incident:9", ""),
    ),
    "neither there any more": (
        FusedKey("k", first="incident:8", second="incident:y"), (GOAL,), (THEIRS,), ("incident:8", "incident:y"),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("row", "ours", "theirs", "kept"), PAIRED.values(), ids=PAIRED.keys())
def test_a_key_follows_how_the_incidents_are_paired_now(row, ours, theirs, kept):
    first, second = replace(FIRST, incidents=ours), replace(SECOND, incidents=theirs)
    found = fuse(first, second, (row,)).keys[0]
    assert (found.key, found.first, found.second) == ("k", *kept)


def test_two_keys_that_turn_out_to_be_one_incident_are_the_first_sources():
    keys = (FusedKey("k", first="incident:1"), FusedKey("l", second="incident:a"))
    assert [each.key for each in fuse(FIRST, SECOND, keys).keys] == ["k"]
    assert [each.key for each in fuse(FIRST, SECOND, keys[::-1]).keys] == ["k"]
    old = tuple(FusedKey(f"k{at}", first=f"incident:k{at}") for at in range(600))
    assert len(fuse(FIRST, SECOND, old).keys) == 512
    assert fuse(FIRST, SECOND, old).keys[-1].key == "incident:1"


def goal(key, minute, score, by_whom=GORETZKA, **more):
    facts = {"minute": minute, "score": Score(*score), "people": by(by_whom) if by_whom else (), **more}
    return replace(GOAL, key=f"incident:{key}", order=minute or 0, **facts)


def misspelt(name):
    return replace(GORETZKA, ext_id=f"second/{name}", name=name, short_name=None)


FOUR = (goal(1, 10, (1, 0)), goal(2, 30, (2, 0), MEYER), goal(3, 50, (2, 1), CALETA_CAR, side="away", phase=2),
        goal(4, 70, (3, 1), GEIS, phase=2))  # fmt: skip
LATE = goal(1, 45, (1, 0))
SAID = {
    "a goal of the beginning is missing there": (
        (goal(2, 30, (1, 0), MEYER), goal(3, 50, (1, 1), CALETA_CAR, side="away", phase=2), goal(4, 70, (2, 1), GEIS, phase=2)),
        tuple(replace(each, key=f"{each.key}b") for each in FOUR), 3,
    ),
    "two goals of one minute in another order": (
        (goal(1, 20, (1, 0)), goal(2, 20, (1, 1), CALETA_CAR, side="away")),
        (goal("a", 20, (0, 1), CALETA_CAR, side="away"), goal("b", 20, (1, 1))), 2,
    ),
    "two of one side too": (
        (goal(1, 20, (1, 0)), goal(2, 20, (2, 0), MEYER)), (goal("a", 20, (1, 0), MEYER), goal("b", 20, (2, 0))), 2,
    ),
    "46' against 45'": ((LATE,), (replace(LATE, key="incident:a", minute=46, phase=2),), 1),
    "45' capped against 47' without a mark": ((LATE,), (replace(LATE, key="incident:a", minute=47, phase=2),), 1),
    "minutes seven apart with another spelling": ((GOAL,), (goal("a", 27, (1, 0), misspelt("Goredschka")),), 1),
    "neither a minute nor a scorer": ((GOAL,), (goal("a", None, (1, 0), None),), 1),
    "an own goal there": ((GOAL,), (replace(GOAL, key="incident:a", kind="soccer.own-goal", side="away"),), 1),
    "a card of somebody in another script": (
        (replace(GOAL, kind="soccer.yellow-card", score=None, people=by(misspelt("Sintschenko"), "player")),),
        (replace(GOAL, key="incident:a", kind="soccer.yellow-card", score=None, people=by(misspelt("Zinchenko"), "player")),), 1,
    ),
    "three changes of one minute in another script": (
        tuple(replace(GOAL, key=f"incident:{at}", kind="soccer.substitution", score=None,
                      people=(*by(misspelt(f"Ab{at}"), "in"), *by(misspelt(f"Cd{at}"), "out"))) for at in range(3)),
        tuple(replace(GOAL, key=f"incident:x{at}", kind="soccer.substitution", score=None, minute=21,
                      people=(*by(misspelt(f"Ef{at}"), "in"), *by(misspelt(f"Gh{at}"), "out"))) for at in range(3)), 3,
    ),
}  # fmt: skip


def board(rows):
    scores = [each.score for each in rows if each.score]
    return max((each.home for each in scores), default=0), max((each.away for each in scores), default=0)


@pytest.mark.parametrize(("ours", "theirs", "posts"), SAID.values(), ids=SAID.keys())
@pytest.mark.parametrize("begins", ["first", "second"])
def test_what_two_sources_say_otherwise_is_posted_once_whoever_leads(ours, theirs, posts, begins):
    """Under the same keys all the time, but for a goal that the source which leads from then on lacks."""
    course, scores = Course(), (board(ours), board(theirs))
    other = {"first": "second", "second": "first"}[begins]
    shown = [
        course(leads, settled, ours, theirs, scores)
        for leads, settled in ((begins, True), (other, False), (other, True), (begins, False), (begins, True))
    ]
    fewest = min(shown, key=len)
    assert len(fewest) == posts
    assert all(set(fewest) <= set(each) for each in shown)
    assert max(map(len, shown)) <= max(posts, sum(map(max, *scores)))


@pytest.mark.parametrize("leads", ["first", "second"])
def test_a_change_of_the_lead_changes_nothing_of_what_both_agree_about(leads):
    """Nor do minutes at most two apart, spellings, whistles and an own goal."""
    theirs = (replace(WHISTLE, minute=1), replace(THEIRS, minute=22, people=by(misspelt("Gorezka Leon")), order=3), replace(
        THEIR_LATER, kind="soccer.own-goal", side="away", people=by(CALETA_CAR, "own-goal"), created_at=KICKOFF))  # fmt: skip
    clock = Clock(phase=2, phase_started_at=KICKOFF + 17)
    facts = {"score": Score(2, 0), "clock": clock, "kickoff": KICKOFF + 60, "tournament": None, "title": "Match"}
    first = replace(FIRST, incidents=(WHISTLE, GOAL, LATER), score=Score(2, 0), clock=Clock(phase=2))
    alone = fuse(first, replace(SECOND, incidents=theirs, **facts))
    again = fuse(first, replace(SECOND, incidents=theirs, **facts), alone.keys, leads=leads, settled=leads == "first")
    assert again.match == alone.match


def test_what_both_contradict_each_other_in_is_said():
    assert [each.about for each in fuse(FIRST, replace(SECOND, score=Score(2, 0))).differences] == ["score"]
