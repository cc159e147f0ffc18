"""Who won a recorded match, and the kicks of a shoot-out, as pages say them: what the provider's rows say."""

from __future__ import annotations

import json

import pytest

from api.view.key_moments import moments_of
from api.view.result import result_of
from providers.replay.demo import demo_files
from providers.row_cache import RowCache
from tests.kit.key_moments_recorded import liveblog
from tests.kit.recorded_courses import course as steps

pytestmark = pytest.mark.proof

CROATIA = next(path for path in demo_files("en") if path.name.startswith("croatia"))


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
