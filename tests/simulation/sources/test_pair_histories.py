"""Two sources that differ and fail by turns: each goal is posted once, in time, and stays so."""

import sys

import pytest

from tests.kit.recordings import required
from tests.kit.settings import configured
from tests.kit.soccer_courses import course, course_files
from tests.kit.wire_forms.forms import FORMS
from tests.simulation.sources.next_goal import WAYS, wait_for_goal
from tests.simulation.sources.pair_history import histories

pytestmark = pytest.mark.proof


@pytest.mark.parametrize(
    "seeds", [range(200), pytest.param(range(200, 2000), marks=pytest.mark.soak)], ids=["few", "many"]
)
def test_goals_never_exceed_the_score_nor_come_back_and_end_as_the_first_source_has_them(seeds):
    played = list(histories([course(path) for path in required(course_files())], list(FORMS.values()), seeds))
    print(f"\n{len(played)} histories, {sum(each.lead_changes for each in played)} leads", file=sys.stderr)  # noqa: T201
    assert [each for history in played for each in history.found] == []
    assert sum(each.lead_changes for each in played) > 2 * len(played)


SILENCE = configured().standby.silence
MANY = range(100)


async def waits(way, seeds, sources):
    """The waits for a goal after a failure of that kind, with so many other sources; matches and forms take turns."""
    files, forms, found = required(course_files()), list(FORMS.values()), []
    for seed in seeds:
        turn = [forms[(seed + number) % len(forms)] for number in range(sources)]
        played, other = (course(files[at % len(files)]) for at in (seed, seed + 1))
        with pytest.MonkeyPatch.context() as patch:
            found.append(await wait_for_goal(played, other, turn, way, seed, patch))
    return sorted(found, key=lambda wait: wait.over(SILENCE))


@pytest.mark.parametrize(("sources", "seeds"), [(1, range(2)), (2, range(1))], ids=["two", "three"])
@pytest.mark.parametrize("way", WAYS)
async def test_the_next_goal_is_public_in_time(way, sources, seeds):
    """Within the silence limit and one interval of the standby's polls, which is polled less often while it is not needed.

    Of three sources two fail, and it is public by the word of the third one.
    """
    found = await waits(way, seeds, sources)
    assert [wait for wait in found if wait.over(SILENCE) > 0] == []


@pytest.mark.soak
@pytest.mark.parametrize("sources", [1, 2])
@pytest.mark.parametrize("way", WAYS)
async def test_a_hundred_next_goals_are_public_in_time(way, sources):
    found = await waits(way, MANY, sources)
    middle, late, last = (found[len(found) * part // 100 - 1] for part in (50, 99, 100))
    print(f"\n{way}, {sources + 1} sources: median {middle}, p99 {late}, last {last}", file=sys.stderr)  # noqa: T201 -- the figures of the run
    assert late.over(SILENCE) <= 0
