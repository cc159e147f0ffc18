"""Board, posts, key moments and recap agree at every version, of every recorded match of soccer and every demo match."""

from __future__ import annotations

import re
from random import Random
from typing import Any

import pytest

from api.view.key_moments import moments_of
from mapping.confirm import confirm_answer
from mapping.import_options import ImportOptions
from mapping.parts import ALL_PARTS
from mapping.posts import wanted_posts
from mapping.prefill import game_document
from providers.heim.translate import translate
from providers.replay.demo import demo_files
from providers.row_cache import RowCache
from tests.kit.recorded_courses import course
from tests.kit.recordings import soccer_recordings
from tests.kit.scripted import BERLIN, NAMES
from tests.kit.watched import NOBODY

pytestmark = pytest.mark.proof

SCORE = re.compile(r"(\d+)[-\u2013](\d+)")
PATHS = [
    path
    for path in (*soccer_recordings(), *demo_files("en"))
    if path.parent.name == "soccer" or path.name.startswith(("croatia", "uruguay"))
]


def said(score):
    return int(score["home_score"]), int(score["away_score"])


def steps(path):
    """The match after each recorded answer, translated."""
    match_id, snapshots = course(path)
    rows: RowCache[Any] = RowCache(2**25)
    empty = {"match-event": b"[]", "liveticker": b"[]"}
    return [translate(match_id, {**empty, **bodies}, names=NAMES, zone=BERLIN, rows=rows) for bodies in snapshots]


def contradictions(match):
    """What two places of a liveblog say differently."""
    terms = ImportOptions(sport=match.sport, auto_post=True)
    game = game_document(match, terms, NOBODY)
    posts = [
        {**post.document, "local_id": post.key}
        for post in wanted_posts(match, terms, NOBODY, block_id=lambda key, name: f"{key} {name}")
    ]
    board = (game.get("scoreboard") or {}).get("score")
    if not board:
        return
    home, away = said(board)
    moments, recap, *_ = moments_of(game, posts)
    goals = [said(post["sport_event"]["score"]) for post in posts if "score" in post.get("sport_event", {})]
    scored = [(each.score.home, each.score.away) for each in moments if each.type == "goal" and each.score is not None]
    kicks = () if match.shootout is None else (match.shootout.home, match.shootout.away)
    named = [each for each in ((int(one), int(other)) for one, other in SCORE.findall(recap)) if each != kicks]
    for where, scores in (("a post", goals), ("a key moment", scored), ("the recap", named)):
        if any(score[0] > home or score[1] > away for score in scores):
            yield f"{where} says {scores}, the board {home}:{away}"
    if goals and match.status.over and goals[-1] != (home, away) and len(goals) == home + away:
        yield f"it ended {home}:{away} after {goals}"


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name.partition(".")[0])
def test_no_place_of_a_liveblog_is_ahead_of_the_board(path):
    """At every recorded answer, and where polls miss most of them."""
    matches = steps(path)
    for skip in (0, 2):
        draw, belief = Random(f"{path.name} {skip}"), None
        for match in matches:
            if draw.randint(0, skip):
                continue
            before, belief = belief, confirm_answer(belief, match, good=ALL_PARTS)
            if before is None or belief.match != before.match:
                assert not list(contradictions(belief.match))
