"""Recorded matches of the other sports, answer by answer: translated, posted and reconciled."""

from itertools import count

import pytest

from mapping.confirm import confirm_answer
from mapping.errors import InvalidRequest
from mapping.games import GAME, is_game
from mapping.import_options import ImportOptions
from mapping.merge import merge_game, same
from mapping.parts import ALL_PARTS
from mapping.posts import wanted_posts
from mapping.prefill import game_document, synced_parts
from mapping.reconcile import reconcile
from mapping.score_steps import SCORE_KEY
from mapping.sports.base import STEP
from providers.replay.demo import demo_files
from tests.kit.recordings import recordings, required
from tests.kit.sport_fixtures import FOLDER, NOBODY, recorded_steps, translated

pytestmark = pytest.mark.proof

RECORDED = ("tennis", "icehockey", "basketball", "motorsports")
QUARTERS = {"sport_american_football": "2,7"}
"""Basketball is played in quarters too, and stands for american football here."""


def sources():
    found = [path for sport in RECORDED for path in recordings(f"heim/{sport}/*.jsonl")]
    return [*found, *sorted(FOLDER.glob("*/*.jsonl")), *demo_files("en")[3:]]


class Liveblog:
    """What the sync keeps of a liveblog, in memory."""

    def __init__(self, sport):
        self.terms = ImportOptions(sport=sport, auto_post=True, text=True)
        self.entries, self.stored, self.written, self.document, self.belief = {}, {}, {}, {}, None
        self.ids = map(str, count())

    def sees(self, match):
        """One good poll; returns how much was written."""
        self.belief = confirm_answer(self.belief, match, good=ALL_PARTS)
        match = self.belief.match
        posts = wanted_posts(match, self.terms, NOBODY, block_id=lambda key, part: f"b-{key}-{part}")
        changes = reconcile(posts, self.entries, self.stored, new_id=lambda: next(self.ids))
        self.entries |= {entry.key: entry for entry in changes.entries}
        self.stored |= {event.local_id: event for event in changes.events}
        document = synced_parts(game_document(match, self.terms, NOBODY), self.terms)
        before, self.document = self.document, merge_game(self.written, self.document, document)
        self.written = {**self.written, **document}
        return len(changes.events) + (not same(before, self.document))

    @property
    def published(self):
        shown = {local_id for local_id, event in self.stored.items() if event.local_status == 0}
        return {entry.key for entry in self.entries.values() if entry.local_id in shown}


@pytest.mark.parametrize("path", sources(), ids=lambda path: f"{path.parent.name}-{path.name.partition('.')[0]}")
def test_a_recording_ends_as_its_last_answer_says(path):
    """No answer is a crash, posts and board equal the last snapshot, and saying it again writes nothing."""
    match_id, steps = recorded_steps(path)
    matches = [translated(match_id, bodies, **QUARTERS) for bodies in steps]
    liveblog = Liveblog(matches[0].sport)
    for match in matches:
        liveblog.sees(match)
    last = matches[-1]
    liveblog.sees(last)

    assert all(match.faults == () for match in matches)
    assert liveblog.sees(last) == 0
    alone = confirm_answer(None, last, good=frozenset()).match
    posts = {
        post.key for post in wanted_posts(alone, liveblog.terms, NOBODY, block_id=lambda key, part: f"b-{key}-{part}")
    }
    believed = liveblog.belief.match.incidents
    steps = [each for each in believed if each.key.startswith(SCORE_KEY)]
    ends = {each.key for each in believed if each.marks_period and each.method == STEP}
    earlier = {each.key for each in believed if is_game(each)} | {each.key for each in steps} | ends
    assert liveblog.published == posts | earlier
    assert not steps or steps[-1].score == last.score
    document = game_document(last, liveblog.terms, NOBODY)
    assert liveblog.document.get("scoreboard") == document.get("scoreboard")
    assert liveblog.document["state_info"] == document["state_info"]


@pytest.mark.parametrize("path", sources(), ids=lambda path: f"{path.parent.name}-{path.name.partition('.')[0]}")
def test_translating_is_deterministic(path):
    """The same bodies give the same match, whatever came before."""
    match_id, steps = recorded_steps(path)
    once = [translated(match_id, bodies, **QUARTERS) for bodies in steps]

    assert once[::-1] == [translated(match_id, dict(bodies), **QUARTERS) for bodies in reversed(steps)]


def test_a_recorded_three_setter_is_posted_without_a_withdrawal():
    """Tomic against Lorenzi: 34 games, never one too many; the order of two between two answers is not known."""
    (path,) = required(recordings("heim/tennis/ma2539416.jsonl"))
    match_id, steps = recorded_steps(path)
    liveblog = Liveblog("tennis")
    for bodies in steps:
        liveblog.sees(translated(match_id, bodies))

    unknown = 1
    assert 7 + 6 + 5 + 7 + 3 + 6 + 2 - unknown == len(liveblog.entries) == len(liveblog.published)
    assert "game:s2:8" not in liveblog.published, "3:4, then 4:5"


def test_each_game_of_the_final_of_wimbledon_is_posted():
    """An answer after each game: 62 posts, each with the running score, then the end, which names the winner."""
    (path,) = (path for path in demo_files("en") if "wimbledon" in path.name)
    match_id, steps = recorded_steps(path)
    liveblog = Liveblog("tennis")
    for bodies in steps:
        liveblog.sees(translated(match_id, bodies))
    games = [each for each in liveblog.belief.match.incidents if is_game(each)]

    assert 62 == len(games) == len([key for key in liveblog.published if key.startswith(GAME)])
    assert all(each.side and each.score for each in games)
    assert liveblog.belief.match.incidents[-1].kind == "tennis.end"
    assert liveblog.belief.match.winner


def test_a_recorded_retirement_and_a_recorded_shoot_out():
    """The retired match has no second set won; the shoot-out counts one goal."""
    (tennis,) = required(recordings("heim/tennis/ma2539483.jsonl"))
    (hockey,) = required(recordings("heim/icehockey/*.jsonl"))
    retired, shot_out = (translated(match_id, steps[-1]) for match_id, steps in map(recorded_steps, (tennis, hockey)))

    assert ("retired", "home") == (retired.incidents[-1].method, retired.winner)
    assert ("4:3", "shootout") == (str(shot_out.score), shot_out.decided)


def test_basketball_itself_is_refused():
    """Without the correction of the table a sport that the service does not have is an error."""
    (path,) = required(recordings("heim/basketball/*.jsonl"))
    match_id, steps = recorded_steps(path)

    with pytest.raises(InvalidRequest):
        translated(match_id, steps[-1])
