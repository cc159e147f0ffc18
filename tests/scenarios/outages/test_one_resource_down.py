"""While one resource of a match cannot be had, or two caches of it disagree: each takes back what it carries, and nothing else."""

from __future__ import annotations

import json

import pytest

from mapping.match import Status
from tests.kit.scripted import open_store
from tests.kit.sqlite import migrated_url
from tests.kit.watched import COURSES, Observed, course, shown
from tests.scenarios.outages.test_one_bad_answer import Followed, lower, without_the_first

POLLS = 21


def without_the_last_goal(bodies):
    rows = json.loads(bodies["match-event"])
    rows.remove([row for row in rows if row["action"] == "goal"][-1])
    return {**bodies, "match-event": json.dumps(rows, ensure_ascii=False).encode()}


DOWN = {
    "heim demo croatia-denmark": ("match-event", without_the_last_goal),
    "heim soccer ma8315073": ("match-event", without_the_last_goal),
    "gn_gsd soccer croatia-denmark": ("actions", without_the_first),
}
NAMES = [each for each in DOWN if each in COURSES]


def goals(match):
    return [each.key for each in match.incidents if each.kind == "soccer.goal" and each.method != "shootout"]


def without(bodies, resource):
    return {name: body for name, body in bodies.items() if name != resource}


async def settled(name):
    """A match while it is played, after two goals that the score counts."""
    found = course(name)
    watch = Observed(found.provider, found.match_id)
    for bodies in found.snapshots:
        match = await watch.settle(bodies)
        if len(goals(match)) == 2 and match.status is Status.LIVE and watch.memory.belief.memory.sent is None:
            return watch, bodies, match
    raise AssertionError("there are no two goals")


@pytest.mark.parametrize("name", [each for each in NAMES if each.startswith("heim")])
async def test_a_goal_that_the_score_takes_back_goes_while_the_rows_cannot_be_had(name):
    """After the second answer with the lower score, board and post alike; after one nothing moves."""
    watch, good, before = await settled(name)
    less = without(lower(good), "match-event")
    first = await watch.poll(less)
    second = await watch.poll(less)

    assert first == before
    assert second.score.total < before.score.total
    assert len(goals(second)) < len(goals(before))
    assert second == [await watch.poll(less) for _ in range(POLLS)][-1]
    assert shown(await watch.poll(good), watch.terms(before)) == shown(before, watch.terms(before))


@pytest.mark.parametrize("name", NAMES)
async def test_a_row_that_went_before_its_resource_failed_is_taken_back_by_nobody_else(name):
    """Whatever the other resources answer; it goes when its own says so again."""
    resource, fewer = DOWN[name]
    watch, good, before = await settled(name)
    less = fewer(good)

    assert len(goals(await watch.poll(less))) == len(goals(before))
    for _ in range(POLLS):
        assert len(goals(await watch.poll(without(less, resource)))) == len(goals(before))
    assert len(goals(await watch.poll(less))) < len(goals(before))


@pytest.fixture
async def store(tmp_path):
    opened = await open_store(migrated_url(tmp_path / "match.db"))
    yield opened
    await opened.close()


@pytest.mark.parametrize("older", [lower, without_the_last_goal])
async def test_two_caches_by_turns_move_a_liveblog_twice_at_most(older, store):
    """Forty polls, two of each cache in turn: what is missing in the older one goes once and comes back once."""
    followed = Followed(store, "heim demo croatia-denmark")
    good = followed.course.snapshots[-1]
    await followed.settle(good)
    version, posts = await followed.after(good), await followed.posts()
    versions = [await followed.after((good, older(good))[at // 2 % 2]) for at in range(40)]

    assert versions[-1] <= version + 2
    assert await followed.after(good) <= version + 2
    assert posts == await followed.posts()
