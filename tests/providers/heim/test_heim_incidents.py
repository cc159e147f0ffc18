"""The rows of match-event: each keyword of the vocabulary, the people in it, and the pairs that the feed does not make."""

import pytest

from providers.heim.catalog import names_of
from tests.providers.heim.feed import kinds_of, row, translated

VOCABULARY = {
    "goal/right-foot": "soccer.goal",
    "goal/left-foot": "soccer.goal",
    "goal/head": "soccer.goal",
    "goal/penalty": "soccer.goal",
    "goal/direct-free-kick": "soccer.goal",
    "goal/back-heel": "soccer.goal",
    "goal/goal": "soccer.goal",
    "goal/own-goal": "soccer.own-goal",
    "card/yellow": "soccer.yellow-card",
    "card/red": "soccer.red-card",
    "card/yellow-red": "soccer.yellow-red-card",
    "special/missed-penalty": "soccer.penalty-kick-missed",
    "playing/substitute-in": "soccer.substitution",
    "match/game-start": "soccer.start",
    "match/first-half-end": "soccer.pause-halves",
    "match/second-half-start": "soccer.resume-halves",
    "match/second-half-end": "soccer.end-of-regular-play",
    "match/first-extra-start": "soccer.start-overtime",
    "match/first-extra-end": "soccer.pause-overtime",
    "match/second-extra-start": "soccer.resume-overtime",
    "match/second-extra-end": "soccer.end-of-overtime",
    "match/penalty-start": "soccer.start-shootout",
    "match/game-end": "soccer.end",
}
SCHEDULED = {"current_period": "", "current_period_start": ""}


@pytest.mark.parametrize(("keyword", "kind"), VOCABULARY.items())
def test_each_word_of_the_feed_is_one_event_type(keyword, kind):
    """Every documented action/kind becomes exactly the event type that the mapping promises."""
    structural = keyword.startswith("match/")
    found = translated([row(1, keyword, 30) if structural else row(1, keyword, 30, "home", 9)], **SCHEDULED)

    assert [kind] == [incident.kind for incident in found.incidents]
    assert found.incidents[0].key == (f"period:{kind}" if structural else "incident:1")
    assert found.faults == ()


@pytest.mark.parametrize(
    ("keyword", "second", "roles"),
    [
        ("goal/head", 11, ["scorer", "assist"]),
        ("goal/head", None, ["scorer"]),
        ("goal/penalty", 11, ["scorer", "fouled"]),
        ("goal/own-goal", None, ["scorer"]),
        ("card/yellow", None, ["player"]),
        ("special/missed-penalty", None, ["player"]),
    ],
)
def test_people_have_the_role_of_their_row(keyword, second, roles):
    """The second person of a goal gave the pass, but was fouled where it was a penalty."""
    (incident,) = translated([row(1, keyword, 30, "away", 9, second)], **SCHEDULED).incidents

    assert roles == [involved.role for involved in incident.people]
    assert incident.side == "away"


def test_a_substitution_is_the_pair_of_its_two_rows():
    """The in-row is the substitution; its key stays when the out-row arrives."""
    coming, going = row(20, "playing/substitute-in", 60, "home", 14), row(19, "playing/substitute-out", 60, "home", 7)
    alone = translated([coming], **SCHEDULED).incidents
    both = translated([going, coming], **SCHEDULED).incidents

    assert [[who.role for who in change.people] for change in alone] == [["in"]]
    assert [[(who.role, who.person.name) for who in change.people] for change in both] == [
        [("in", "Jan Muster14"), ("out", "Jan Muster7")]
    ]
    assert alone[0].key == both[0].key == "incident:20"


def test_substitutions_pair_by_team_and_by_time():
    """Out-rows pair within the team and two minutes: the nearest first, then the lowest id."""
    rows = [
        row(30, "playing/substitute-in", 65, "away", 31),
        row(32, "playing/substitute-out", 65, "away", 32),
        row(33, "playing/substitute-in", 65, "away", 33),
        row(28, "playing/substitute-out", 65, "away", 34),
        row(34, "playing/substitute-out", 70, "home", 35),
        row(35, "playing/substitute-in", 73, "home", 36),
        row(36, "playing/substitute-out", 74, "home", 37),
        row(37, "playing/substitute-in", 90, "home", 38),
    ]
    pairs = {
        change.people[0].person.number: [who.person.number for who in change.people[1:]]
        for change in translated(rows, **SCHEDULED).incidents
    }

    assert pairs == {"31": ["34"], "33": ["32"], "36": ["37"], "38": []}


def test_added_time_is_read_where_the_feed_has_it():
    """The added minute is an assumed field: under its default name, and under a corrected one."""
    (default,) = translated([row(1, "goal/head", 45, "home", 9, minute_additional="2")], **SCHEDULED).incidents
    names = names_of({"names": {"added_minute": "plus"}})
    (corrected,) = translated([row(1, "goal/head", 45, "home", 9, plus="3")], names=names, **SCHEDULED).incidents

    assert (default.minute, default.added, default.phase) == (45, 2, 1)
    assert corrected.added == 3


@pytest.mark.parametrize(
    ("minute", "phase"), [(1, 1), (45, 1), (46, 2), (90, 2), (91, 3), (105, 3), (106, 4), (120, 4)]
)
def test_the_capped_minute_gives_the_phase(minute, phase):
    """Minutes never run past the end of their phase, so they name it."""
    (incident,) = translated([row(1, "card/yellow", minute, "home", 9)], **SCHEDULED).incidents

    assert incident.phase == phase


def test_the_phase_of_the_row_wins_and_the_shoot_out_follows_its_start():
    """`period` is believed; without it a card behind penalty-start belongs to the shoot-out."""
    rows = [
        row(1, "card/yellow", 90, "home", 9, period="3"),
        row(2, "card/yellow", 120, "home", 8),
        row(3, "match/penalty-start", 120),
        row(4, "card/red", 120, "away", 7),
    ]
    phases = {i.key: i.phase for i in translated(rows, **SCHEDULED).incidents if not i.marks_period}

    assert phases == {"incident:1": 3, "incident:2": 4, "incident:4": 5}


def test_a_withdrawn_row_is_no_incident():
    """A row that says `deleted: yes` is gone, without a fault."""
    found = translated([row(1, "goal/head", 12, "home", 9, deleted="yes")], **SCHEDULED)

    assert (found.incidents, found.faults) == ((), ())


def test_missing_periods_are_implied_by_the_status():
    """What must have happened is reported under the same key, and gives way to the feed's own row."""
    rows = [row(1, "goal/head", 12, "home", 9), row(2, "goal/head", 60, "home", 9)]
    implied = translated(rows)
    sent = translated([row(5, "match/game-start", 1), *rows, row(6, "match/second-half-start", 46)])

    order = ["soccer.start", "soccer.goal", "soccer.pause-halves", "soccer.resume-halves", "soccer.goal"]
    assert order == [incident.kind for incident in implied.incidents]
    assert [incident.synthesised for incident in implied.incidents] == [True, False, True, True, False]
    assert [i.created_at for i in implied.incidents if i.synthesised and i.created_at is not None] == [1749920531]
    assert {i.key for i in implied.incidents} == {i.key for i in sent.incidents}
    assert [i.kind for i in sent.incidents if i.synthesised] == ["soccer.pause-halves"]


@pytest.mark.parametrize(
    ("period", "since", "minute"), [("first-half-end", "18:47:00", 45), ("game-end", "19:52:00", 90)]
)
def test_a_card_that_came_after_the_whistle_stands_after_it(period, since, minute):
    """Also where the provider sends no row of the whistle; one of the same minute that came before it stays before it."""
    before, after = f"14.06.2025 {since[:3]}{int(since[3:5]) - 1}:30", f"14.06.2025 {since[:6]}40"
    rows = [
        row(1, "card/yellow", minute, "home", 9, created=before),
        row(2, "card/red", minute, "away", 7, created=after),
    ]
    finished = "yes" if period == "game-end" else "no"
    found = translated(rows, current_period=period, current_period_start=f"2025-06-14 {since}", finished=finished)
    whistle = "soccer.end" if period == "game-end" else "soccer.pause-halves"

    kinds = [each.kind for each in found.incidents]
    assert kinds.index("soccer.yellow-card") < kinds.index(whistle) < kinds.index("soccer.red-card")


@pytest.mark.parametrize(
    ("changes", "kinds"),
    [
        ({"current_period": "game-start"}, ["start"]),
        ({"current_period": "first-half-end"}, ["start", "pause-halves"]),
        ({"current_period": "game-end", "finished": "yes"}, ["start", "pause-halves", "resume-halves", "end"]),
        ({"current_period": "second-half-start", "finished": "yes"}, ["start", "pause-halves", "resume-halves", "end"]),
        (
            {"current_period": "first-extra-start"},
            ["start", "pause-halves", "resume-halves", "end-of-regular-play", "start-overtime"],
        ),
        (
            {"current_period": "penalty-start"},
            ["start", "pause-halves", "resume-halves", "end-of-regular-play", "start-shootout"],
        ),
        ({"current_period": "", "match_incident": {"id": "3", "name": "verlegt"}}, []),
        ({"current_period": "game-start", "match_incident": {"id": "5", "name": "abgebrochen"}}, ["start"]),
        ({"current_period": "game-end", "match_incident": {"id": "5", "name": "abgebrochen"}}, ["start", "end"]),
    ],
)
def test_only_what_is_certain_is_implied(changes, kinds):
    """Extra time is never made up, and an abandoned match only began and ended."""
    assert [f"soccer.{kind}" for kind in kinds] == [kind for kind, _ in kinds_of(translated(**changes))]
