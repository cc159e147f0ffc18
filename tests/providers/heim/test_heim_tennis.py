"""Tennis: start, games and end out of the rows of the sets."""

import json

import pytest

from mapping.belief.confirm import confirm_answer
from mapping.documents.import_options import ImportOptions
from mapping.liveblog.prefill import game_document
from mapping.match.match import ALL_PARTS, Score, Status
from tests.kit.sport_fixtures import NOBODY, bare, encoded, posted, stepped, texts_of, translated


def games(match):
    return {incident.key for incident in match.incidents if incident.kind == "tennis.game-win"}


def of(**changes):
    return translated("1", {"match": bare(**changes)})


def beliefs(matches):
    """What is believed after each of these answers."""
    belief = None
    for match in matches:
        belief = confirm_answer(belief, match, good=ALL_PARTS)
        yield belief.match


def course(*scores):
    """Who won each game of a first set whose score was polled like this, and the score after it."""
    *_, last = beliefs(of(p0="0:0", p1=score) for score in scores)
    return [f"{each.side} {each.score}" for each in last.incidents if each.kind == "tennis.game-win"]


def test_a_match_is_posted_game_by_game():
    """Start, the games and the end are posted, and nothing that was posted right is ever taken back."""
    matches = list(beliefs(stepped("tennis", "tie-break")))
    final = matches[-1]

    assert [Score(6, 4), Score(6, 7), Score(7, 5)] == [part.score for part in final.periods]
    assert 6 + 4 + 6 + 7 + 7 + 5 == len(games(final))
    assert ["tennis.start", "tennis.end"] == [final.incidents[0].kind, final.incidents[-1].kind]
    lost = [earlier - later for earlier, later in zip(map(games, matches), map(games, matches[1:]), strict=False)]
    assert [gone for gone in lost if gone] == [{"game:s1:9"}], "only the game that the provider takes back"


def test_a_late_start_has_one_post_a_set_and_no_order_of_games():
    """What was played before the first answer has one post for each set; from then on each game has its post."""
    late = of(p0="1:0", p1="6:4", p2="3:2")
    (first,) = beliefs([late])
    *_, then = beliefs([late, of(p0="1:0", p1="6:4", p2="3:3")])

    assert texts_of(first) == [
        "Jonas Musterholt against Emil Beispiel is under way.",
        "Game and set, Jonas Musterholt! The set goes 6-4.",
        "Set 2: Jonas Musterholt 3-2 Emil Beispiel.",
    ]
    assert texts_of(then)[3:] == ["Game Emil Beispiel. Set 2: Jonas Musterholt 3-3 Emil Beispiel."]
    assert texts_of(then)[:3] == texts_of(first)


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        (("2:2", "4:2"), ["home 3:2", "home 4:2"]),
        (("2:2", "3:3"), ["home 3:2", "None 3:3"]),
        (("0:0", "0:3"), ["away 0:1", "away 0:2", "away 0:3"]),
        (("2:2", "3:4"), ["home 3:2", "away 3:3", "None 3:4"]),
        (("2:2", "3:3", "2:3", "2:3"), ["away 2:3"]),
        (("2:2", "3:3", "3:2", "3:2"), ["home 3:2"]),
    ],
)
def test_each_of_several_games_between_two_answers_is_posted(scores, expected):
    """Where both sides won some, the home side's come first, and only the last one says how the set stands."""
    assert course(*scores) == [*course(scores[0]), *expected]


def test_a_game_whose_place_nobody_knows_shows_no_score():
    """Its post says whose it is; the one after it, who won the last of them is not known, says the score."""
    *_, last = beliefs([of(p0="0:0", p1=score) for score in ("2:2", "3:4")])
    shown = {key: each.document["sport_event"].get("score") is not None for key, each in posted(last).items()}

    assert texts_of(last)[-3:] == [
        "Game Jonas Musterholt.",
        "Game Emil Beispiel.",
        "Set 1: Jonas Musterholt 3-4 Emil Beispiel.",
    ]
    assert [shown[f"game:s1:{each}"] for each in (4, 5, 6, 7)] == [True, False, False, True]


def test_the_last_game_of_a_set_shows_the_order_of_those_before_it():
    """5:3, then a set of 6:4: the winner's game was the last, so the other one's came before it."""
    answers = [of(p0="0:0", p1="5:3"), of(p0="1:0", p1="6:4", p2="0:0")]
    *_, last = beliefs(answers)

    assert [f"{each.side} {each.score}" for each in last.incidents[2:]] == ["away 5:4", "home 6:4"]
    assert [each.method for each in last.incidents[2:]] == [None, "set"]


def test_a_corrected_score_takes_back_exactly_the_games_above_it():
    """5:4 that becomes 4:4 withdraws the ninth game, and that alone, when a second answer says so."""
    before, low = [of(p0="0:0", p1=score) for score in ("0:0", "0:1", "4:4", "5:4")], of(p0="0:0", p1="4:4")
    *_, full, once = beliefs([*before, low])
    *_, twice = beliefs([*before, low, low])

    assert once == full
    assert games(full) - games(twice) == {"game:s1:9"}
    assert games(twice) <= games(full)


def test_one_low_answer_adds_no_game_that_was_passed_over():
    """4:3, 5:4 and once 4:4: nothing is posted of a score that may be wrong."""
    *_, full, once = beliefs(of(p0="0:0", p1=score) for score in ("4:3", "5:4", "4:4"))

    assert once == full


def test_a_game_that_comes_after_the_end_is_posted_before_it():
    """The winner's last game comes after the end, whose post stays the last one; that it is this game that wins the set is
    believed with the second answer.
    """
    ended = {"finished": "yes", "winner_team_id": "1"}
    live = of(p0="1:0", p1="6:4", p2="4:4")
    early, late = (of(p0="2:0", p1="6:4", p2=score, **ended) for score in ("5:4", "6:4"))
    *_, first, _, then, again = beliefs([live, early, late, late, late])

    assert games(then) - games(first) == {"game:s2:10"}
    assert then == again
    assert texts_of(then)[-3:] == [
        "Game Jonas Musterholt. Set 2: Jonas Musterholt 5-4 Emil Beispiel.",
        "Game and set, Jonas Musterholt! The set goes 6-4.",
        "Game, set and match: Jonas Musterholt beats Emil Beispiel 6-4, 6-4.",
    ]


@pytest.mark.parametrize("score", ["6:4", "4:6", "7:6", "6:7", "0:6", "9:7", "7:9"])
def test_the_last_game_of_a_set_is_its_winners(score):
    """A set ends with a game of who wins it, and that post says the set."""
    home, away = map(int, score.split(":"))
    won = "1:0" if home > away else "0:1"
    *_, match = beliefs([of(p0="0:0", p1="0:0"), of(p0=won, p1=score, p2="0:0")])
    last = [incident for incident in match.incidents if incident.phase == 1][-1]

    assert last.side == ("home" if home > away else "away")
    assert last.method == "set"
    assert last.score == Score(home, away)
    assert any(text.startswith("Game and set") for text in texts_of(match))
    assert last.key == f"game:s1:{home + away}"


def test_a_match_begins_with_its_first_set():
    """The row of the first set is the start, also where the feed never names a period."""
    before, started = of(p0="0:0"), of(p0="0:0", p1="0:0")

    assert (Status.SCHEDULED, Status.LIVE) == (before.status, started.status)
    assert [] == list(before.incidents)
    assert ["period:tennis.start"] == [incident.key for incident in started.incidents]


def abandoned(**changes):
    return of(p0="0:0", p1="6:4", p2="3:3", **{"match_incident": {"id": "5", "name": "abgebrochen"}, **changes})


def test_a_match_that_goes_on_is_not_abandoned_any_more():
    """One answer without the incident is none; a second one takes the last post back, with the state."""
    once = list(beliefs([abandoned(), of(p0="0:0", p1="6:4", p2="3:3")]))
    twice = list(beliefs([abandoned(), *[of(p0="0:0", p1="6:4", p2="3:3")] * 2]))

    assert once[0] == once[1]
    assert (Status.ABANDONED, "period:tennis.end") == (once[1].status, once[1].incidents[-1].key)
    assert (Status.LIVE, "game:s2:6") == (twice[-1].status, twice[-1].incidents[-1].key)


@pytest.mark.parametrize("spoilt", ["?", {"name": "abgebrochen"}, {"id": ["?"]}])
def test_an_unreadable_incident_does_not_take_the_last_post_back(spoilt):
    """What stands there in another form may say what it said: the post stays as it is, and a fault names the field."""
    bad = abandoned(match_incident=spoilt)
    *_, last = beliefs([abandoned(), bad, bad, bad])

    assert any("match_incident" in fault.field for fault in bad.faults)
    assert texts_of(last)[-1] == "The match between Jonas Musterholt and Emil Beispiel is abandoned at 6-4, 3-3."


def test_a_pair_is_one_side():
    """Doubles have two names in one team; a third set to ten is played in games."""
    final = stepped("tennis", "doubles")[-1]

    assert ("Musterholt / Probst", "Beispiel / Jansen") == (final.home.name, final.away.name)
    assert final.periods[-1].score == Score(8, 10)
    assert final.winner == "away"
    assert final.home.country == "DE"


def test_a_set_that_cannot_be_read_takes_back_no_game():
    """Games of a broken row and of those behind it are in doubt, not missing; those before it stand."""
    match = of(p0="1:0", p1="6:4", p2="x:2", p3="0:0")

    assert Status.LIVE is match.status
    assert {"game:s1:10"} == games(match)
    assert {"game:s2:1", "game:s2:2", "game:s3:1"} <= match.unreadable_keys
    assert not games(match) & match.unreadable_keys
    assert frozenset() == of(p0="1:0", p1="6:4", p2="1:2").unreadable_keys


UNREADABLE = [
    pytest.param({"match_result": []}, id="empty"),
    pytest.param({"match_result": None}, id="null"),
    pytest.param({"match_result": ""}, id="a text"),
    pytest.param(
        {"match_result": [{"match_result": "?", "match_result_at": "0", "place": "none_home"}]}, id="a bad row"
    ),
]


def without_result():
    body = json.loads(bare())
    del body["match"]["match_result"]
    return translated("1", {"match": encoded(body)})


@pytest.mark.parametrize("result", [*UNREADABLE, pytest.param(None, id="missing")])
@pytest.mark.parametrize("before", [[], [of(p0="0:0")]], ids=["first", "scheduled"])
def test_a_match_that_has_not_begun_does_not_begin_with_a_result_that_cannot_be_read(before, result):
    """A fault of a value is no status: nothing is posted, however often it comes, a walkover's first answer included."""
    bad = without_result() if result is None else of(**result)
    *_, last = beliefs([*before, bad, bad, bad])
    *_, over = beliefs([*before, bad, stepped("tennis", "walkover")[-1]])

    assert [fault.field for fault in bad.faults] == ["match_result"]
    assert (last.status, posted(last)) == (Status.SCHEDULED, {})
    assert game_document(last, ImportOptions(sport="tennis"), NOBODY)["state_info"]["gamestate"] == 0
    assert [each.kind for each in over.incidents] == ["tennis.end"]


@pytest.mark.parametrize("result", [*UNREADABLE, pytest.param(None, id="missing")])
def test_a_match_that_runs_goes_on_while_its_result_cannot_be_read(result):
    """State and posts stay as they are, however often it comes, and the next good answer goes on from there."""
    bad = without_result() if result is None else of(**result)
    before, *_, last, then = beliefs([of(p0="0:0", p1="2:1"), bad, bad, bad, of(p0="0:0", p1="2:2")])

    assert (last.status, last.clock) == (before.status, before.clock) == (Status.LIVE, then.clock)
    assert posted(last).keys() == posted(before).keys()
    assert posted(then).keys() - posted(before).keys() == {"game:s1:4"}
