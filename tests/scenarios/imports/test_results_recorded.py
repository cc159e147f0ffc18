"""Who won a recorded match, and the kicks of a shoot-out, as pages say them: what the provider's rows say."""

from __future__ import annotations

import json

import pytest

from api.view.key_moments import moments_of
from api.view.result import result_of
from mapping.match import Status
from providers.replay.demo import demo_files
from providers.row_cache import RowCache
from tests.kit.key_moments_recorded import liveblog
from tests.kit.recorded_courses import course as steps
from tests.kit.watched import COURSES, Observed, course, shown

pytestmark = pytest.mark.proof

CROATIA = next(path for path in demo_files("en") if path.name.startswith("croatia"))


@pytest.mark.parametrize("name", sorted(COURSES))
async def test_the_winner_is_named_at_the_end(name):
    """That of the provider, of a race the first; both of a draw; before the end, and of a match that was broken off, nobody."""
    recorded = course(name)
    watched = Observed(recorded.provider, recorded.match_id)
    match = await watched.settle(recorded.snapshots[-1])
    line = result_of(shown(match, watched.terms(match))[""])
    if match.status is not Status.FINISHED:
        assert line == ""
        return
    sides = {"home": match.home, "away": match.away}
    if match.race is not None:
        first = [each for each in match.race.ranking if each.position == 1]
        names = [each.person.name for each in first if each.person is not None]
        assert [line.removesuffix(" wins") in each for each in names] == [True] * len(names)
        assert bool(line) == bool(names)
    elif match.winner is None:
        assert line == "" or " draw " in line
    else:
        winner, loser = (sides[each] for each in (match.winner, {"home": "away", "away": "home"}[match.winner]))
        assert line.startswith((f"{winner.name} win", f"{winner.short_name} win"))
        assert loser.name not in line


def test_the_marks_are_the_kicks_at_every_step():
    """Those of the answer, in their order, also while the shoot-out goes on; none of them is a goal."""
    match_id, snapshots = steps(CROATIA)
    rows, most = RowCache(2**25), 0
    for match, events in dict.fromkeys((each["match"], each.get("match-event", b"[]")) for each in snapshots):
        game, posts = liveblog({"match": match, "match-event": events}, match_id, rows)
        found = moments_of(game, posts)
        taken = sorted((row for row in json.loads(events) if row["action"] == "pso"), key=lambda row: int(row["id"]))
        truth = [(row["person"]["surname"], row["kind"] == "goal") for row in taken]
        assert [(kick.player.rpartition(" ")[2], kick.scored) for kick in found.kicks] == truth
        assert [str(each.type) for each in found.moments].count("shoot-out") <= 1
        most = max(most, len(truth))

    assert most == 10
    assert result_of(game) == "Croatia win 3-2 on penalties"
