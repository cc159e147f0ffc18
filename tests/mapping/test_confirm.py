"""What is believed of a match: additions at once, steps back when the next good answer takes them too."""

from dataclasses import replace

import pytest

from mapping.belief.belief import ConfirmedMatch
from mapping.belief.confirm import confirm_answer
from mapping.belief.match_course import with_disqualified
from mapping.match.match import (
    ALL_PARTS,
    Clock,
    Decided,
    Fault,
    Involved,
    PeriodScore,
    Race,
    RankingEntry,
    Score,
    Status,
)
from tests.kit.soccer_belief import CHANGE, FULL, GOAL, START, only, polled, without
from tests.mapping.soccer_builders import CALETA_CAR, GEIS, GORETZKA, HOME, KICKOFF, MEYER, comment, incident, involved

GOOD = ALL_PARTS


STEPS_BACK = {
    "an incident": without("incidents", GOAL),
    "a period's row": without("incidents", START),
    "half of a substitution": only(incidents=(START, GOAL, replace(CHANGE, people=involved(in_=MEYER)))),
    "an incident's minute": only(incidents=(START, replace(GOAL, minute=None), CHANGE)),
    "a text that is cut off": only(comments=(replace(FULL.comments[0], html="A g"), FULL.comments[1])),
    "a text": without("comments", FULL.comments[1]),
    "a lower score": only(score=Score(1, 0)),
    "no score": only(score=None),
    "a lower score of a period": only(periods=(PeriodScore(title="half-time", score=Score(0, 0)),)),
    "a period's score": only(periods=()),
    "a match that has not begun": only(status=Status.SCHEDULED, clock=Clock(), score=Score(0, 0), incidents=()),
    "an earlier phase": only(clock=Clock(phase=0)),
    "play goes on in a break": only(status=Status.LIVE, clock=Clock(phase=1, phase_started_at=KICKOFF)),
    "a person on the bench": only(home=replace(HOME, bench=())),
    "an empty line-up": only(home=replace(HOME, lineup=(), bench=())),
    "a person's number": only(home=replace(HOME, lineup=(replace(GORETZKA, number=None), GEIS))),
    "a team's picture": only(home=replace(HOME, image=None)),
    "the tournament": only(tournament=None),
    "everything": only(score=None, periods=(), incidents=(), comments=(), status=Status.SCHEDULED, clock=Clock()),
}


@pytest.mark.parametrize("less", STEPS_BACK.values(), ids=STEPS_BACK.keys())
def test_a_step_back_waits_for_a_second_good_answer(less):
    """Said once it changes nothing, said twice it counts, and what comes back counts at once."""
    once = confirm_answer(ConfirmedMatch(FULL), less, good=GOOD)
    twice = confirm_answer(once, less, good=GOOD)

    assert FULL == once.match
    assert once.doubted
    assert confirm_answer(once, FULL, good=GOOD) == ConfirmedMatch(FULL)
    assert twice == ConfirmedMatch(less)
    assert confirm_answer(twice, FULL, good=GOOD) == ConfirmedMatch(FULL)


@pytest.mark.parametrize("less", STEPS_BACK.values(), ids=STEPS_BACK.keys())
def test_an_answer_that_failed_confirms_nothing(less):
    """A step back stays in doubt while its source answers badly."""
    once = confirm_answer(ConfirmedMatch(FULL), less, good=GOOD)

    assert once == confirm_answer(once, less, good=frozenset())


CORRECTIONS = {
    "another scorer": only(incidents=(START, replace(GOAL, people=involved(scorer=GEIS)), CHANGE)),
    "another kind": only(incidents=(START, replace(GOAL, kind="soccer.own-goal"), CHANGE)),
    "another minute": only(incidents=(START, replace(GOAL, minute=16), CHANGE)),
    "another incident": only(incidents=(*FULL.incidents, replace(GOAL, key="incident:3"))),
    "from the bench": only(home=replace(HOME, lineup=(*HOME.lineup, MEYER), bench=())),
    "another name": only(home=replace(HOME, name="Schalke 04")),
    "another team": only(away=replace(HOME, ext_id="1", lineup=(CALETA_CAR,))),
    "the end": only(status=Status.FINISHED),
    "another kick-off": only(kickoff=KICKOFF + 900),
    "another text": only(comments=(replace(FULL.comments[0], html="What a goal"), FULL.comments[1])),
}


@pytest.mark.parametrize("more", CORRECTIONS.values(), ids=CORRECTIONS.keys())
def test_an_addition_or_correction_counts_at_once(more):
    """The first answer that says so is believed."""
    assert confirm_answer(ConfirmedMatch(FULL), more, good=GOOD) == ConfirmedMatch(more)


def test_two_different_steps_back_do_not_confirm_each_other():
    """Each thing that is gone is counted for itself, and anew when it was back in between."""
    once = confirm_answer(ConfirmedMatch(FULL), without("incidents", GOAL), good=GOOD)
    other = confirm_answer(once, without("incidents", CHANGE), good=GOOD)
    again = confirm_answer(other, without("incidents", GOAL), good=GOOD)

    assert [FULL] * 3 == [once.match, other.match, again.match]


def test_another_order_of_the_same_people_waits():
    """A list that comes backwards once is no correction; said twice it is, and somebody new counts at once."""
    shuffled = only(home=replace(HOME, lineup=HOME.lineup[::-1]))
    more = only(home=replace(HOME, lineup=(CALETA_CAR, *HOME.lineup[::-1])))
    once = confirm_answer(ConfirmedMatch(FULL), shuffled, good=GOOD)

    assert FULL == once.match
    assert ConfirmedMatch(FULL) == confirm_answer(once, FULL, good=GOOD)
    assert ConfirmedMatch(shuffled) == confirm_answer(once, shuffled, good=GOOD)
    assert ConfirmedMatch(more) == confirm_answer(ConfirmedMatch(FULL), more, good=GOOD)


def test_a_tally_that_is_deduced_of_a_lower_score_waits_with_it():
    """Where kicks are counted on top of the goals, a goal that is gone makes the shoot-out end higher."""
    ended = only(score=Score(2, 2), shootout=Score(3, 1))
    less = only(score=Score(1, 2), shootout=Score(4, 1))
    once = confirm_answer(ConfirmedMatch(ended), less, good=GOOD)

    assert ended == once.match
    assert ConfirmedMatch(less) == confirm_answer(once, less, good=GOOD)
    assert confirm_answer(once, only(score=Score(2, 2), shootout=Score(4, 1)), good=GOOD).match.shootout == Score(4, 1)


def test_what_stays_keeps_its_place():
    """An incident that is gone once stands where it stood, between those that came before and after it."""
    late = replace(GOAL, key="incident:9", order=9, minute=80)
    once = confirm_answer(ConfirmedMatch(FULL), only(incidents=(START, CHANGE, late)), good=GOOD)

    assert (START, GOAL, CHANGE, late) == once.match.incidents


def test_a_first_yellow_card_stays_after_a_second_one():
    """Providers drop it for the yellow-red card of the same player, as long as that is believed; of another one it is withdrawn."""
    first = incident("soccer.yellow-card", people=involved(player=GEIS))
    second = incident("soccer.yellow-red-card", key="incident:2", people=involved(player=GEIS))
    text = comment("He knew", incident_key=first.key)
    both, sent_off = only(incidents=(first, second), comments=(text,)), only(incidents=(second,), comments=(text,))
    belief = ConfirmedMatch(both)
    for _ in range(3):
        belief = confirm_answer(belief, sent_off, good=GOOD)
    other = only(incidents=(replace(second, people=involved(player=MEYER)),))
    unread = replace(sent_off, incidents=(), unreadable_keys=frozenset({second.key}))
    again = polled(belief, *[replace(sent_off, incidents=())] * 2, both, *[replace(sent_off, incidents=())] * 3)

    assert ConfirmedMatch(both) == belief == polled(belief, *[unread] * 5)[-1]
    assert {both} == {each.match for each in (again[0], *again[2:])}
    assert confirm_answer(confirm_answer(belief, other, good=GOOD), other, good=GOOD).match.incidents == other.incidents


def test_only_one_yellow_card_stays_for_a_second_one():
    """Another one beside it, under another id or at another minute by mistake, is gone for good once it is gone."""
    first = incident("soccer.yellow-card", minute=49, people=involved(player=GEIS))
    second = incident("soccer.yellow-red-card", key="incident:2", minute=80, people=involved(player=GEIS))
    good, copy = only(incidents=(first, second), comments=()), replace(first, key="incident:3")
    for mistake in ((copy, second), (first, replace(copy, minute=47), second), (replace(copy, minute=47), second)):
        belief = confirm_answer(ConfirmedMatch(good), only(incidents=mistake, comments=()), good=GOOD)
        for _ in range(2):
            belief = confirm_answer(belief, good, good=GOOD)
        assert ConfirmedMatch(good) == belief


def test_a_text_stays_bound_to_its_incident():
    """However often it comes without it; it stands alone once the incident is withdrawn."""
    bound, loose = FULL, only(comments=(replace(FULL.comments[0], incident_key=None), FULL.comments[1]))
    belief = ConfirmedMatch(bound)
    for _ in range(3):
        belief = confirm_answer(belief, loose, good=GOOD)
    gone = replace(loose, incidents=(START, CHANGE))

    assert ConfirmedMatch(bound) == belief
    assert confirm_answer(confirm_answer(belief, gone, good=GOOD), gone, good=GOOD) == ConfirmedMatch(gone)


def test_a_time_that_is_missing_is_no_other_time():
    """A period's row that is gone leaves a row made of the status, without a time: its post keeps its place."""
    for time in (None, KICKOFF):
        made_up = replace(START, created_at=time, synthesised=True)
        belief = ConfirmedMatch(FULL)
        for _ in range(3):
            belief = confirm_answer(belief, only(incidents=(made_up, GOAL, CHANGE)), good=GOOD)

        assert START == belief.match.incidents[0]


def test_an_incident_under_another_id_never_stands_twice():
    """What is gone and there again under another id waits with it, then takes its place; its text stays with it meanwhile."""
    again = replace(GOAL, key="incident:99")
    moved = only(
        incidents=(START, again, CHANGE), comments=(replace(FULL.comments[0], incident_key=again.key), FULL.comments[1])
    )
    once = confirm_answer(ConfirmedMatch(FULL), moved, good=GOOD)

    assert FULL == once.match
    assert ConfirmedMatch(moved) == confirm_answer(once, moved, good=GOOD)
    second = replace(again, people=involved(scorer=MEYER), score=Score(2, 0), minute=16)
    other = only(incidents=(START, second, CHANGE))
    beside = only(
        incidents=(START, replace(GOAL, created_at=None, score=None), replace(GOAL, key="incident:3"), CHANGE)
    )
    for more, key in ((other, again.key), (beside, "incident:3")):
        assert {GOAL.key, key} < {
            each.key for each in confirm_answer(ConfirmedMatch(FULL), more, good=GOOD).match.incidents
        }


def test_what_nobody_could_read_is_not_gone():
    """An incident that is in the answer in another form stays, however often."""
    fault = Fault(resource="match-event", row="1", field="minute", reason="no number")
    answer = replace(without("incidents", GOAL), faults=(fault,))
    belief = ConfirmedMatch(FULL)
    for _ in range(3):
        belief = confirm_answer(belief, answer, good=GOOD)

    assert GOAL in belief.match.incidents
    assert not belief.doubted


def test_what_is_deduced_waits_with_what_it_was_deduced_from():
    """Halves of substitutions that are paired otherwise because one is gone; with a goal more beside it, which counts."""
    other = replace(CHANGE, key="incident:3", order=3, people=involved(in_=CALETA_CAR, out=GORETZKA))
    full = only(incidents=(START, GOAL, CHANGE, other))
    paired = replace(CHANGE, people=involved(in_=MEYER, out=GORETZKA))
    half = replace(other, people=involved(in_=CALETA_CAR))
    goal = replace(GOAL, key="incident:9", order=9)
    once = confirm_answer(
        ConfirmedMatch(full), only(incidents=(START, GOAL, paired, half, goal), score=Score(3, 0)), good=GOOD
    )

    assert (START, GOAL, CHANGE, other, goal) == once.match.incidents
    assert Score(3, 0) == once.match.score
    twice = confirm_answer(once, only(incidents=(START, GOAL, paired, half, goal), score=Score(3, 0)), good=GOOD)
    assert (START, GOAL, paired, half, goal) == twice.match.incidents


def test_a_race_steps_back_as_a_whole():
    """An earlier lap and a ranking without somebody wait; another order and another flag count at once."""
    ranking = tuple(RankingEntry(position=at + 1, person=person) for at, person in enumerate((GEIS, MEYER)))
    race = Race(lap=12, total_laps=50, flag="green-flag", ranking=ranking)
    full = only(race=race)
    for less in (None, replace(race, lap=11), replace(race, ranking=ranking[:1])):
        once = confirm_answer(ConfirmedMatch(full), only(race=less), good=GOOD)
        assert full == once.match
        assert ConfirmedMatch(only(race=less)) == confirm_answer(once, only(race=less), good=GOOD)
    overtaken = tuple(RankingEntry(position=at + 1, person=person) for at, person in enumerate((MEYER, GEIS)))
    for more in (replace(race, flag="red-flag"), replace(race, ranking=overtaken), replace(race, lap=13)):
        assert ConfirmedMatch(only(race=more)) == confirm_answer(ConfirmedMatch(full), only(race=more), good=GOOD)


def test_a_team_that_is_gone_is_not_covered_up():
    """Such an answer is a fault, which nobody would hear of if the team were kept."""
    assert confirm_answer(ConfirmedMatch(FULL), only(away=None), good=GOOD).match.away is None


def test_a_kick_off_whose_hour_is_not_fixed_is_no_other_time():
    """Neither an hour that is gone nor 00:00 of the same day changes it, however often; another day and another hour do."""
    midnight = KICKOFF - KICKOFF % 86400
    for answer in (only(kickoff=None), only(kickoff=midnight, kickoff_open=True)):
        belief = ConfirmedMatch(FULL)
        for _ in range(3):
            belief = confirm_answer(belief, answer, good=GOOD)
        assert KICKOFF == belief.match.kickoff
    for answer in (only(kickoff=midnight + 3 * 86400, kickoff_open=True), only(kickoff=midnight)):
        assert answer.kickoff == confirm_answer(ConfirmedMatch(FULL), answer, good=GOOD).match.kickoff


def test_the_first_answer_is_believed():
    """There is nothing that it could step back from."""
    assert ConfirmedMatch(FULL) == confirm_answer(None, FULL, good=GOOD)


def test_a_match_that_goes_on_after_its_end_waits_once_and_then_goes_on():
    """A whistle that was none, or a match that is resumed: the end, its post and its winner go with the second answer."""
    clock = Clock(phase=2, phase_started_at=KICKOFF + 3600)
    running = only(status=Status.LIVE, clock=clock)
    for over, method in ((Status.FINISHED, None), (Status.ABANDONED, "abandoned")):
        end = incident("soccer.end", key="period:soccer.end", order=9, method=method)
        ended = only(status=over, clock=Clock(phase=2), winner="home", incidents=(*FULL.incidents, end))
        once = confirm_answer(ConfirmedMatch(ended), running, good=GOOD)

        assert ended == once.match
        assert ConfirmedMatch(ended) == confirm_answer(once, ended, good=GOOD)
        assert ConfirmedMatch(running) == confirm_answer(once, running, good=GOOD)
        assert ConfirmedMatch(ended) == confirm_answer(ConfirmedMatch(running), ended, good=GOOD)


@pytest.mark.parametrize("sent", [(), (incident("soccer.end", key="period:soccer.end", order=9),)])
def test_an_abandoned_match_of_soccer_has_one_post_that_says_so(sent):
    """Whether the feed has sent the end or not; a match that ends in the ordinary way has none."""
    rows = (*FULL.incidents, *sent)
    for status, said in ((Status.ABANDONED, ["abandoned"]), (Status.FINISHED, [None] * len(sent))):
        match = confirm_answer(None, only(status=status, incidents=rows), good=GOOD).match

        assert said == [each.method for each in match.incidents if each.kind == "soccer.end"]


DAY = 24 * 3600
NOON = KICKOFF - KICKOFF % DAY
KICK_OFFS = {
    "an hour later": (KICKOFF, {}, KICKOFF + 3600, False, KICKOFF + 3600),
    "not known any more": (KICKOFF, {}, None, False, KICKOFF),
    "known now": (None, {}, KICKOFF, False, KICKOFF),
    "known now, its hour open": (None, {}, KICKOFF, True, KICKOFF),
    "of that day, its hour open": (KICKOFF, {}, KICKOFF + DAY - 1, True, KICKOFF),
    "of another day, its hour open": (KICKOFF, {}, KICKOFF + DAY, True, KICKOFF + DAY),
    "of a day before, its hour open": (KICKOFF, {}, KICKOFF - DAY, True, KICKOFF - DAY),
    "of another day after its end": (KICKOFF, {"status": Status.FINISHED}, KICKOFF + DAY, False, KICKOFF),
    "of another day after it was cancelled": (KICKOFF, {"status": Status.CANCELLED}, KICKOFF + DAY, False, KICKOFF),
    "corrected after its end": (KICKOFF, {"status": Status.FINISHED}, KICKOFF + 3600, False, KICKOFF + 3600),
}


@pytest.mark.parametrize(("before", "facts", "now", "is_open", "believed"), KICK_OFFS.values(), ids=KICK_OFFS.keys())
def test_a_match_that_is_over_was_on_its_day_and_an_open_hour_is_no_other_one(before, facts, now, is_open, believed):
    belief = ConfirmedMatch(only(kickoff=before, **facts))
    answer = only(kickoff=now, kickoff_open=is_open, **facts)
    assert confirm_answer(belief, answer, good=GOOD).match.kickoff == believed


def placing(person=None, team=None, position=1):
    return RankingEntry(position=position, person=person, team=team)


RED, BLUE = replace(HOME, ext_id="red", lineup=(), bench=()), replace(HOME, ext_id="blue", lineup=(), bench=())
RACE = Race(lap=12, total_laps=50, flag="green-flag", ranking=(placing(GEIS, RED), placing(MEYER, BLUE, 2)))
RACES = {
    "nothing new": (RACE, False),
    "a later lap": (replace(RACE, lap=13), False),
    "an earlier lap": (replace(RACE, lap=11), True),
    "no lap": (replace(RACE, lap=None), True),
    "an entrant missing": (replace(RACE, ranking=RACE.ranking[1:]), True),
    "an entrant missing on a later lap": (replace(RACE, lap=13, ranking=RACE.ranking[:1]), True),
    "an entrant missing and another flag": (replace(RACE, flag="red-flag", ranking=RACE.ranking[:1]), True),
    "another entrant instead": (replace(RACE, ranking=(RACE.ranking[0], placing(GORETZKA, BLUE, 2))), False),
    "a person missing in an entry": (replace(RACE, ranking=(placing(None, RED), RACE.ranking[1])), True),
    "another team of a person": (replace(RACE, ranking=(placing(GEIS, BLUE), RACE.ranking[1])), False),
    "an entrant more": (replace(RACE, ranking=(*RACE.ranking, placing(GORETZKA, RED, 3))), False),
    "overtaken": (replace(RACE, ranking=(placing(MEYER, BLUE), placing(GEIS, RED, 2))), False),
    "no flag": (replace(RACE, flag=None), True),
    "no race": (None, True),
}


@pytest.mark.parametrize(("race", "waits"), RACES.values(), ids=RACES.keys())
def test_a_race_waits_where_it_goes_back_or_an_entrant_is_missing(race, waits):
    """Everything else counts at once; said twice the step back counts too."""
    once = confirm_answer(ConfirmedMatch(only(race=RACE)), only(race=race), good=GOOD)
    assert once.match.race == (RACE if waits else race)
    assert [each.name for each in once.doubted] == (["race"] if waits else [])
    assert confirm_answer(once, only(race=race), good=GOOD).match.race == race


@pytest.mark.parametrize("role", ["first", "second", "third", "disqualified", "player"])
def test_whoever_loses_a_place_on_the_podium_is_named_with_it(role):
    """Beside whoever has it now; whoever keeps theirs is named once, and one who was off the podium is no news."""
    lost = replace(placing(GEIS, RED, None), disqualified=True)
    before = only(
        race=RACE,
        incidents=(replace(GOAL, people=(Involved(role=role, person=GEIS), Involved(role="first", person=MEYER))),),
    )
    after = only(race=replace(RACE, ranking=(lost, placing(MEYER, BLUE))), incidents=(replace(GOAL, people=()),))
    named = [(each.role, each.person) for each in with_disqualified(before, after).incidents[0].people]
    assert named == ([] if role == "player" else [("disqualified", GEIS)])


def test_a_race_that_was_taken_back_and_comes_back_is_undone():
    less = replace(RACE, lap=11)
    belief = ConfirmedMatch(only(race=RACE))
    for race in (less, less, RACE):
        belief = confirm_answer(belief, only(race=race), good=GOOD)
    assert [(each.name, each.undone) for each in belief.memory.retreats] == [("race", 1)]
    assert confirm_answer(ConfirmedMatch(only(race=None)), only(race=RACE), good=GOOD).match.race == RACE


TIMES = {
    "a time that is gone": ((KICKOFF, False), (None, False), (KICKOFF, False)),
    "a time that is made up": ((KICKOFF, False), (KICKOFF + 9, True), (KICKOFF, False)),
    "another time": ((KICKOFF, False), (KICKOFF + 9, False), (KICKOFF + 9, False)),
    "a time for one that was made up": ((KICKOFF, True), (KICKOFF + 9, False), (KICKOFF + 9, False)),
    "another one that is made up": ((KICKOFF, True), (KICKOFF + 9, True), (KICKOFF + 9, True)),
    "none for one that was made up": ((KICKOFF, True), (None, False), (KICKOFF, True)),
    "a time for none": ((None, False), (KICKOFF, False), (KICKOFF, False)),
    "one that is made up for none": ((None, False), (KICKOFF, True), (KICKOFF, True)),
    "none for none": ((None, True), (None, False), (None, False)),
}


@pytest.mark.parametrize(("was", "now", "shown"), TIMES.values(), ids=TIMES.keys())
def test_an_incident_keeps_the_time_that_the_provider_once_gave_it(was, now, shown):
    def at(when):
        return only(incidents=(START, replace(GOAL, created_at=when[0], synthesised=when[1]), CHANGE))

    (_, goal, _) = confirm_answer(ConfirmedMatch(at(was)), at(now), good=GOOD).match.incidents
    assert (goal.created_at, goal.synthesised) == shown


STATES = {
    "another status": ({"status": Status.LIVE, "clock": Clock(phase=2)}, False),
    "the end": ({"status": Status.FINISHED, "clock": Clock(phase=2)}, False),
    "play within the break": ({"status": Status.BREAK, "clock": Clock(phase=1, phase_started_at=KICKOFF)}, True),
    "a clock without its time": ({"clock": Clock(phase=1, in_break=True)}, True),
    "a clock with another time": ({"clock": Clock(phase=1, phase_started_at=KICKOFF + 9, in_break=True)}, False),
    "an earlier phase": ({"clock": Clock(phase=0, phase_started_at=KICKOFF, in_break=True)}, True),
}


@pytest.mark.parametrize(("said", "waits"), STATES.values(), ids=STATES.keys())
def test_an_earlier_state_waits_and_one_without_the_times_that_it_had(said, waits):
    answer = only(**said)
    once = confirm_answer(ConfirmedMatch(FULL), answer, good=GOOD)
    assert (once.match.status, once.match.clock) == (
        (FULL.status, FULL.clock) if waits else (answer.status, answer.clock)
    )
    assert [each.name for each in once.doubted] == (["state"] if waits else [])
    twice = confirm_answer(once, answer, good=GOOD)
    assert (twice.match.status, twice.match.clock) == (answer.status, answer.clock)
    back = confirm_answer(confirm_answer(twice, answer, good=GOOD), FULL, good=GOOD)
    assert [each.undone for each in back.memory.retreats] == ([1] if waits else [])


BENCH = replace(HOME, lineup=(GORETZKA, GEIS), bench=(MEYER, CALETA_CAR))
PLACES = {
    "from the line-up to the bench": ({"lineup": (GORETZKA,), "bench": (MEYER, CALETA_CAR, GEIS)}, False),
    "changed places": ({"lineup": (GORETZKA, MEYER), "bench": (GEIS, CALETA_CAR)}, False),
    "somebody gone": ({"lineup": (GORETZKA,)}, True),
    "somebody gone from the bench": ({"bench": (MEYER,)}, True),
    "another order": ({"lineup": (GEIS, GORETZKA)}, True),
    "another order of the bench": ({"bench": (CALETA_CAR, MEYER)}, True),
    "another order and somebody new": ({"lineup": (GEIS, GORETZKA, replace(MEYER, ext_id="9"))}, False),
    "a number gone": ({"lineup": (GORETZKA, replace(GEIS, number=None))}, True),
    "another number": ({"lineup": (GORETZKA, replace(GEIS, number="6"))}, False),
}


@pytest.mark.parametrize(("said", "waits"), PLACES.values(), ids=PLACES.keys())
@pytest.mark.parametrize("name", ["home", "away"])
def test_people_of_a_squad_wait_where_somebody_is_gone_or_their_order_is_another(name, said, waits):
    before, answer = only(**{name: BENCH}), only(**{name: replace(BENCH, **said)})
    once = confirm_answer(ConfirmedMatch(before), answer, good=GOOD)
    assert getattr(once.match, name) == (BENCH if waits else replace(BENCH, **said))
    assert all(each.name.startswith(f"{name} ") for each in once.doubted)
    assert bool(once.doubted) is waits
    assert getattr(confirm_answer(once, answer, good=GOOD).match, name) == replace(BENCH, **said)


VALUES = {"winner": "home", "decided": Decided.SHOOTOUT, "points": ("15", "40"), "serving": "home", "title": "Derby",
          "shootout": Score(3, 1), "location": FULL.location}  # fmt: skip


@pytest.mark.parametrize("name", VALUES)
def test_each_fact_that_is_gone_waits_for_itself(name):
    full = only(**VALUES)
    once = confirm_answer(ConfirmedMatch(full), replace(full, **{name: None}), good=GOOD)
    assert once.match == full
    assert [each.name for each in once.doubted] == [name]
    assert confirm_answer(once, replace(full, **{name: None}), good=GOOD).match == replace(full, **{name: None})


@pytest.mark.parametrize(("parts", "gone"), [
    (ALL_PARTS - {"score"}, False), (frozenset({"score"}), True),
])  # fmt: skip
def test_points_are_gone_when_the_resource_of_the_score_says_so(parts, gone):
    full, less = only(**VALUES), only(**VALUES | {"points": None, "serving": None})
    belief = ConfirmedMatch(full)
    for _ in range(3):
        belief = confirm_answer(belief, less, good=parts)
    assert (belief.match.points, belief.match.serving) == ((None, None) if gone else (("15", "40"), "home"))
