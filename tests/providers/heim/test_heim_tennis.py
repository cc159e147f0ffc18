"""Tennis: start, games and end out of the rows of the sets."""

import json

import pytest

from mapping.match import Score, Status
from mapping.prefill import game_document
from mapping.terms import Terms
from providers.heim.translate import translate
from tests.sport_fixtures import (
    BERLIN,
    FOLDER,
    NAMES,
    NOBODY,
    encoded,
    posted,
    recorded_steps,
    stepped,
    texts_of,
    translated,
)


def games(match):
    return {incident.key for incident in match.incidents if incident.kind == "tennis.game-win"}


def bare(match_id="1", **changes):
    """A match in the bare envelope, which says no sport; `p1="6:4"` is a set."""
    sides = {
        "home": {"id": "1", "name": "Jonas Musterholt", "type": "none"},
        "away": {"id": "2", "name": "Emil Beispiel", "type": "none"},
    }
    sets = {name: changes.pop(name) for name in list(changes) if name[0] == "p" and name[1:].isdigit()}
    rows = [
        {"match_result": value, "match_result_at": name[1:], "place": f"none_{side}"}
        for name, score in sets.items()
        for side, value in zip(("home", "away"), score.split(":"), strict=True)
    ]
    body = {"id": match_id, "finished": "no", "match_date": "14.06.2025", "match_time": "14:00", **sides}
    return encoded({"match": {**body, "match_result": rows, **changes}, "match_result_at": []})


def of(**changes):
    return translated("1", {"match": bare(**changes)})


def test_a_match_is_posted_game_by_game():
    """Start, every game and the end are posted, and nothing that was posted right is ever taken back."""
    matches = stepped("tennis", "tie-break")
    final = matches[-1]

    assert [Score(6, 4), Score(6, 7), Score(7, 5)] == [part.score for part in final.periods]
    assert 6 + 4 + 6 + 7 + 7 + 5 == len(games(final))
    assert ["tennis.start", "tennis.end"] == [final.incidents[0].kind, final.incidents[-1].kind]
    lost = [earlier - later for earlier, later in zip(map(games, matches), map(games, matches[1:]), strict=False)]
    assert [gone for gone in lost if gone] == [{"game:s1:home5"}], "only the game that the provider takes back"


def test_a_corrected_score_takes_back_exactly_the_games_above_it():
    """5:4 that becomes 4:4 withdraws the fifth game of the home side, and that alone."""
    assert games(of(p0="0:0", p1="5:4")) - games(of(p0="0:0", p1="4:4")) == {"game:s1:home5"}
    assert games(of(p0="0:0", p1="4:4")) <= games(of(p0="0:0", p1="5:4"))


def test_two_games_between_two_answers_are_both_posted():
    """2:2, then 3:3: each side has one game more, in an order that no snapshot says."""
    assert games(of(p0="0:0", p1="3:3")) - games(of(p0="0:0", p1="2:2")) == {"game:s1:home3", "game:s1:away3"}


@pytest.mark.parametrize("score", ["6:4", "4:6", "7:6", "6:7", "0:6", "9:7", "7:9"])
def test_the_last_game_of_a_set_is_its_winners(score):
    """A set ends with a game of who wins it, and that post says the set."""
    home, away = map(int, score.split(":"))
    won = "1:0" if home > away else "0:1"
    match = of(p0=won, p1=score, p2="0:0")
    last = [incident for incident in match.incidents if incident.phase == 1][-1]

    assert last.side == ("home" if home > away else "away")
    assert last.method == "set"
    assert last.score == Score(home, away)
    assert any(text.startswith("Game and set") for text in texts_of(match))
    assert len(games(match)) == home + away


def test_a_match_begins_with_its_first_set():
    """The row of the first set is the start, also where the feed never names a period."""
    before, started = of(p0="0:0"), of(p0="0:0", p1="0:0")

    assert (Status.SCHEDULED, Status.LIVE) == (before.status, started.status)
    assert [] == list(before.incidents)
    assert ["period:tennis.start"] == [incident.key for incident in started.incidents]


def test_the_winner_of_the_end_comes_first():
    """The sets are shown as the winner counts them."""
    texts = texts_of(of(p0="1:2", p1="7:6", p2="5:7", p3="3:6", finished="yes", winner_team_id="2"))

    assert "Game, set and match: Emil Beispiel beats Jonas Musterholt 6-7, 7-5, 6-3." == texts[-1]


def test_a_retirement_is_named():
    """Incident 12 ends the match in the middle of a set, which nobody has won."""
    final = stepped("tennis", "retired")[-1]

    assert final.status is Status.FINISHED
    assert final.incidents[-1].method == "retired"
    assert texts_of(final, "de")[-1] == "J. Musterholt gibt auf: E. Beispiel gewinnt beim Stand von 7:5, 3:1."
    assert [incident.method for incident in final.incidents].count("set") == 1


def test_a_walkover_has_an_end_and_no_game():
    """Who does not play at all loses without a start."""
    final = stepped("tennis", "walkover")[-1]

    assert ["tennis.end"] == [incident.kind for incident in final.incidents]
    assert "Walkover: J. Musterholt wins without a game against E. Beispiel." == texts_of(final)[0]


def test_an_abandoned_match_keeps_its_games_and_has_no_end():
    """Incident 5 comes without `finished`: what was played stays, nobody wins."""
    final = stepped("tennis", "abandoned")[-1]

    assert (Status.ABANDONED, None) == (final.status, final.winner)
    assert len(games(final)) == 6
    assert "tennis.end" not in {incident.kind for incident in final.incidents}


def test_a_pair_is_one_side():
    """Doubles have two names in one team; a third set to ten is played in games."""
    final = stepped("tennis", "doubles")[-1]

    assert ("Musterholt / Probst", "Beispiel / Jansen") == (final.home.name, final.away.name)
    assert final.periods[-1].score == Score(8, 10)
    assert final.winner == "away"
    assert final.home.country == "DE"


def test_a_country_without_an_iso_code_is_known_by_its_code_in_sport():
    """`DEN` is Denmark where the feed's `iso` is empty."""
    assert stepped("tennis", "tie-break")[-1].away.country == "DK"


def test_the_scoreboard_is_set_based():
    """Sets won in `score`, one entry a set in `scores`, and the state knows the running set and game."""
    live = of(p0="1:0", p1="6:4", p2="2:3", serve_team_id="2", current_period="game-start")
    document = game_document(live, Terms(sport="tennis"), NOBODY)
    board, state = document["scoreboard"], document["state_info"]

    assert board["_type"].endswith("::SetBasedGameScoreboard")
    assert ("1", "0") == (board["score"]["home_score"], board["score"]["away_score"])
    assert [("1", "6", "4"), ("2", "2", "3")] == [
        (each["title"], each["home_score"], each["away_score"]) for each in board["scores"]
    ]
    assert "away" == board["serving"] == state["serving"]
    assert (2, 6, 1) == (state["set"], state["game"], state["gamestate"])


def test_points_of_the_running_game_are_shown_where_an_endpoint_gives_them():
    """The assumed row of points is read as words, and is no set."""
    body = json.loads(bare(p0="0:0", p1="2:2"))
    body["match"]["match_result"] += [
        {"match_result": "40", "match_result_at": "100", "place": "none_home"},
        {"match_result": "A", "match_result_at": "100", "place": "none_away"},
    ]
    match = translated("1", {"match": encoded(body)})
    renamed = translated("1", {"match": encoded(body)}, points_row="")

    assert ("40", "A") == match.points
    assert () == match.faults
    assert (None, 1) == (renamed.points, len(renamed.faults))


def test_a_broken_row_of_a_set_is_named():
    """What cannot be read is a fault with its field."""
    match = of(p0="0:0", p1="x:2")

    assert ["match_result"] == [fault.field for fault in match.faults]


def test_text_on_the_start_belongs_to_it_and_other_text_stands_alone():
    """The narrative of a start is its post; what is bound to a row that is no incident is a post of its own."""
    start, ace = {"id": "9", "action": "match", "kind": "game-start"}, {"id": "10", "action": "point", "kind": "ace"}
    items = [
        {"id": "1", "content": "Es geht los.", "tickertime": "14.06.2025 14:01:00", "event": start},
        {"id": "2", "content": "Ein Ass.", "tickertime": "14.06.2025 14:03:00", "event": ace},
    ]
    match = translated("1", {"match": bare(p0="0:0", p1="1:0"), "liveticker": encoded(items)})
    posts = posted(match, text=True)

    assert "Es geht los." == posts["period:tennis.start"].document["contents"][0]["text"]
    assert "Ein Ass." == posts["text:2"].document["contents"][0]["text"]


@pytest.mark.parametrize("name", ["tie-break", "doubles", "retired", "walkover", "abandoned"])
def test_tree_and_bare_envelope_give_the_same_match(name):
    """A match is shown alike in the list resource and in the envelope without a sport, but for its competition."""
    match_id, steps = recorded_steps(FOLDER / "tennis" / f"{name}.jsonl")
    tree = json.loads(steps[-1]["match"])
    inner = tree[0]["season"][0]["round"][0]["match"][0]
    envelope = {"match": inner, "match_result_at": [{"id": str(number)} for number in range(6)]}
    one, other = (translated(match_id, {"match": encoded(body)}) for body in (tree, envelope))

    assert (one.incidents, one.periods, one.status) == (other.incidents, other.periods, other.status)


def test_the_same_bodies_give_the_same_match():
    """Translating is deterministic."""
    match_id, steps = recorded_steps(FOLDER / "tennis" / "tie-break.jsonl")

    assert all(
        translate(match_id, bodies, names=NAMES, zone=BERLIN)
        == translate(match_id, dict(bodies), names=NAMES, zone=BERLIN)
        for bodies in steps
    )


def test_a_set_that_cannot_be_read_takes_back_no_game():
    """Games of a broken row and of those behind it are in doubt, not missing; those before it stand."""
    match = of(p0="1:0", p1="6:4", p2="x:2", p3="0:0")

    assert Status.LIVE is match.status
    assert 10 == len(games(match))
    assert {"game:s2:home1", "game:s2:away2", "game:s3:home1"} <= match.unreadable_keys
    assert not games(match) & match.unreadable_keys
    assert frozenset() == of(p0="1:0", p1="6:4", p2="1:2").unreadable_keys
