"""The scoreboard: corrected at once when it grows, believed only twice when it shrinks."""

from mapping.board import Board, reconcile_board, synced
from mapping.terms import Terms


def says(home, away, *, gamestate=1, phase=1):
    return {
        "scoreboard": {"score": {"home_score": str(home), "away_score": str(away)}},
        "state_info": {"gamestate": gamestate, "recurrence": phase},
    }


class Game:
    def __init__(self):
        self.board, self.document, self.steps = Board(), {}, 0

    def sees(self, wanted, *, good=True):
        change = reconcile_board(self.board, self.document, wanted, good=good)
        self.board = change.board
        if change.document is not None:
            self.document, self.steps = change.document, self.steps + 1
        return change

    @property
    def score(self):
        score = self.document["scoreboard"]["score"]
        return f"{score['home_score']}:{score['away_score']}"


def test_a_goal_shows_at_once_and_only_once():
    """The score grows with the first answer that says so; saying it again writes nothing."""
    game = Game()
    for wanted in (says(0, 0), says(1, 0), says(1, 0)):
        game.sees(wanted)

    assert "1:0" == game.score
    assert 2 == game.steps


def test_a_score_that_flaps_never_shows():
    """2:0, 1:0, 2:0: the liveblog says 2:0 all the time, and the doubt keeps the live interval."""
    game = Game()
    game.sees(says(2, 0))
    assert game.sees(says(1, 0)).pending
    assert "2:0" == game.score
    assert not game.sees(says(2, 0)).pending
    assert "2:0" == game.score
    assert 1 == game.steps


def test_a_goal_taken_back_shows_when_said_twice():
    """The second good answer with the lower score is believed."""
    game = Game()
    game.sees(says(2, 0))
    game.sees(says(1, 0))
    change = game.sees(says(1, 0))

    assert "1:0" == game.score
    assert not change.pending


def test_a_failed_answer_confirms_nothing():
    """Only good answers count towards a step back."""
    game = Game()
    game.sees(says(2, 0))
    game.sees(says(1, 0))
    assert game.sees(says(1, 0), good=False).pending
    assert "2:0" == game.score


def test_a_match_that_is_reset_for_one_poll_stays_where_it_is():
    """0:0 and "not started" in the middle of a match is a fault until it is said twice."""
    game = Game()
    game.sees(says(2, 1, phase=2))
    game.sees(says(0, 0, gamestate=0, phase=0))

    assert "2:1" == game.score
    assert 2 == game.document["state_info"]["recurrence"]


def test_an_editors_score_stays_until_the_provider_agrees():
    """A person's score is kept while the provider says something else."""
    game = Game()
    game.sees(says(1, 0))
    game.document = says(2, 0)
    game.sees(says(1, 0))
    assert "2:0" == game.score

    game.sees(says(2, 0))
    game.sees(says(3, 0))
    assert "3:0" == game.score


def test_terms_say_which_parts_are_kept_up_to_date():
    """An excluded scoreboard is filled in once and then left alone; squads and names always follow."""
    document = {**says(1, 0), "squads": {}, "meta_info": {}, "options": {}, "summary": "", "locale": "en"}

    assert {"meta_info", "squads", "summary"} == set(synced(document, Terms(sport="soccer")))
    assert "scoreboard" not in synced(document, Terms(sport="soccer", auto_post=True, exclude_scoreboard=True))
    assert {"scoreboard", "state_info"} <= set(synced(document, Terms(sport="soccer", auto_post=True)))


def sets(won, *games, gamestate=1):
    """A scoreboard of tennis: sets won, then the games of each set."""
    score = dict(zip(("home_score", "away_score"), won.split(":"), strict=True))
    rows = [dict(zip(("home_score", "away_score"), each.split(":"), strict=True)) for each in games]
    board = {"_type": "Svc::Model::Content::Scoreboard::SetBasedGameScoreboard", "score": score, "scores": rows}
    return {"scoreboard": board, "state_info": {"gamestate": gamestate, "set": len(games)}}


def test_a_set_that_ends_is_no_step_back():
    """Games grow from set to set, so that a new set at 0:0 shows at once."""
    game = Game()
    for wanted in (sets("0:0", "6:6"), sets("1:0", "7:6", "0:0"), sets("1:0", "7:6", "0:1")):
        assert not game.sees(wanted).pending

    assert "1:0" == game.score
    assert 3 == game.steps


def test_a_game_taken_back_shows_when_said_twice():
    """5:4 that becomes 4:4 is doubted once, though the sets won stay the same."""
    game = Game()
    game.sees(sets("0:0", "5:4"))
    assert game.sees(sets("0:0", "4:4")).pending
    assert "5" == game.document["scoreboard"]["scores"][0]["home_score"]

    game.sees(sets("0:0", "4:4"))
    assert "4" == game.document["scoreboard"]["scores"][0]["home_score"]


def test_a_set_taken_back_is_doubted_though_games_grow():
    """Sets and games are watched each for themselves."""
    game = Game()
    game.sees(sets("1:0", "6:4", "0:0"))

    assert game.sees(sets("0:0", "6:5", "1:0")).pending
