"""Two sources that differ in goals, minutes, scorers and withdrawals, and fail by turns: each goal is posted once, and stays so."""

import sys

import pytest

from tests.kit.recordings import required
from tests.kit.soccer_courses import course, course_files
from tests.kit.wire_forms.forms import FORMS
from tests.simulation.sources.pair_history import histories

pytestmark = pytest.mark.proof


@pytest.mark.parametrize(
    "seeds", [range(48), pytest.param(range(48, 2000), marks=pytest.mark.soak)], ids=["few", "many"]
)
def test_goals_never_exceed_the_score_nor_come_back_and_end_as_the_first_source_has_them(seeds):
    played = list(histories([course(path) for path in required(course_files())], list(FORMS.values()), seeds))
    print(f"\n{len(played)} histories, {sum(each.lead_changes for each in played)} leads", file=sys.stderr)  # noqa: T201
    assert [each for history in played for each in history.found] == []
    assert sum(each.lead_changes for each in played) > 2 * len(played)
