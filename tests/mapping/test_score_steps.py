"""American football: what the steps of the score say, quarters that end, corrections, and what nobody can know."""

from dataclasses import replace

import pytest

from api.view.key_moments import moments_of
from mapping.belief.belief import ConfirmedMatch
from mapping.belief.confirm import confirm_answer
from mapping.documents.import_options import ImportOptions
from mapping.liveblog.prefill import game_document
from mapping.match.match import ALL_PARTS, Clock, Match, PeriodScore, Score, Side, Status
from mapping.posts.posts import in_order
from tests.kit.sport_fixtures import NOBODY, posted, stepped, texts_of

HOME, AWAY = Side(ext_id="1", name="Chiefs"), Side(ext_id="2", name="Giants")
START = Match(
    provider="heim", match_id="1", sport="american_football", status=Status.LIVE, home=HOME, away=AWAY, score=Score(0, 0),
    clock=Clock(phase=1),
)  # fmt: skip


def at(*score: int, phase: int = 1, **changes: object) -> Match:
    return replace(START, score=Score(*score), clock=Clock(phase=phase), **changes)


def believed(*answers: Match) -> ConfirmedMatch:
    belief = None
    for answer in answers:
        belief = confirm_answer(belief, answer, good=ALL_PARTS)
    assert belief is not None
    return belief


STEPS = {
    "Touchdown for Chiefs! Chiefs 6-0 Giants.": [(6, 0)],
    "Touchdown and extra point for Chiefs! Chiefs 7-0 Giants.": [(7, 0)],
    "Touchdown and two-point conversion for Giants! Chiefs 0-8 Giants.": [(0, 8)],
    "Field goal for Giants: Chiefs 0-3 Giants.": [(0, 3)],
    "Safety for Chiefs: Chiefs 2-0 Giants.": [(2, 0)],
    "Extra point for Chiefs: Chiefs 7-0 Giants.": [(6, 0), (7, 0)],
    "Two-point conversion for Chiefs: Chiefs 8-0 Giants.": [(6, 0), (8, 0)],
    "Safety for Giants: Chiefs 7-2 Giants.": [(7, 0), (7, 2)],
    "Giants score: Chiefs 6-2 Giants.": [(6, 0), (6, 2)],
    "Chiefs score: Chiefs 8-0 Giants.": [(6, 0), (8, 0, 2)],
    "Extra point for Chiefs: Chiefs 7-0 Giants. ": [(6, 0), (7, 0, 2)],
    "Chiefs score: Chiefs 1-0 Giants.": [(1, 0)],
    "Giants score: Chiefs 0-10 Giants.": [(0, 10)],
    "The score is Chiefs 14-3 Giants.": [(14, 3)],
}


@pytest.mark.parametrize("text", STEPS)
def test_the_step_of_the_score_says_what_scored(text):
    """As far as it can; what two answers leave open is a score."""
    found = believed(START, *(at(*score[:2], phase=(*score, 1)[2]) for score in STEPS[text]))
    shown = [each for each in texts_of(found.match) if "quarter" not in each]
    assert text.strip() == shown[-1]
    assert len(STEPS[text]) == len(shown)


def test_a_step_is_a_text_of_ours_in_which_the_incident_stands():
    """The interface lists no event types of this sport, so the post is no sport event."""
    (post,) = posted(believed(START, at(7, 0)).match).values()
    assert "sport_event" not in post.document
    text, block = post.document["contents"]
    assert ("american_football.touchdown", "1st quarter", "Chiefs") == (
        block["event_type"], block["phase"]["name"], block["team"]["name"],
    )  # fmt: skip
    assert ("7", "0") == (block["score"]["home_score"], block["score"]["away_score"])
    assert text["local_id"] != block["local_id"]


def test_what_was_scored_before_the_match_was_believed_first_is_no_step():
    assert [] == texts_of(believed(at(17, 14, phase=3)).match)
    assert ["Field goal for Chiefs: Chiefs 20-14 Giants."] == texts_of(
        believed(at(17, 14, phase=3), at(20, 14, phase=3)).match
    )


def test_a_score_that_is_corrected_takes_back_the_steps_above_it():
    """Said once it takes nothing back; said twice the step goes, and what is scored from there is another one."""
    belief = believed(START, at(7, 0), at(10, 0), at(7, 0))
    assert 2 == len(texts_of(belief.match))
    belief = confirm_answer(belief, at(7, 0), good=ALL_PARTS)
    assert ["Touchdown and extra point for Chiefs! Chiefs 7-0 Giants."] == texts_of(belief.match)
    belief = confirm_answer(belief, at(7, 3), good=ALL_PARTS)
    assert "Field goal for Giants: Chiefs 7-3 Giants." == texts_of(belief.match)[-1]
    for _ in range(3):
        belief = confirm_answer(belief, at(6, 0), good=ALL_PARTS)
    assert ["Touchdown for Chiefs! Chiefs 6-0 Giants."] == texts_of(belief.match)


def test_quarters_that_end_are_posted_with_their_score():
    """Half-time is one; the parts' points add up, and what came with the whistle of its quarter stands before that."""
    within = [PeriodScore(title="1", score=Score(7, 3)), PeriodScore(title="2", score=Score(0, 7))]
    first = at(7, 3, phase=1)
    found = believed(
        START,
        first,
        replace(first, clock=Clock(phase=1, in_break=True), status=Status.BREAK, periods=(within[0],)),
        at(7, 3, phase=2, periods=(within[0],)),
        at(7, 10, phase=3, periods=tuple(within)),
    )
    texts = texts_of(found.match)
    assert ["The quarter is over: Chiefs 7-3 Giants.", "Half-time: Chiefs 7-10 Giants."] == [
        text for text in texts if "over" in text or "Half" in text
    ]
    assert texts[-2:] == ["Touchdown and extra point for Giants! Chiefs 7-10 Giants.", "Half-time: Chiefs 7-10 Giants."]
    assert found.match.incidents[-2].phase == 2
    assert [] == texts_of(believed(at(7, 3, phase=2)).match)


def test_a_whole_match_is_posted_and_its_key_moments_follow():
    """The recorded final: eleven scores, four quarters, an overtime; nothing stands twice, and the last score is the board's."""
    found = believed(*stepped("american_football", "overtime")).match
    posts = posted(found)
    game = game_document(found, ImportOptions(sport=found.sport, auto_post=True), NOBODY)
    moments, *_ = moments_of(game, [{**post.document, "local_id": key} for key, post in posts.items()])
    assert 15 == len(posts) == len(moments)
    assert [1, 2, 3, 4] == [number for number, each in enumerate(("1st", "2nd", "3rd", "4th"), 1)
                            if any(each in moment.phase and moment.type == "break" for moment in moments)]  # fmt: skip
    assert found.score == moments[-1].score
    totals = [each.score.total for each in moments if each.score is not None]
    assert sorted(totals) == totals


@pytest.mark.parametrize("locale", ["de", "fr-fr", "it-it", "nl-nl", "zh-tw", "en-gb"])
def test_the_texts_are_in_every_language(locale):
    found = believed(START, at(6, 0), at(8, 0)).match
    german = texts_of(found, locale)
    assert 2 == len(german)
    assert locale == "en-gb" or "Touchdown for" not in german[0]


def test_they_are_left_out_with_the_scoreboard():
    terms = ImportOptions(sport="american_football", auto_post=True, exclude_scoreboard=True)
    assert [] == in_order(believed(START, at(7, 0)).match, terms)
