"""Bad answers of any provider: one withdraws nothing, two count, and a resource takes back its own alone."""

import json
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import pytest

from mapping.match.match import Status
from tests.kit.no_post_lost import Followed
from tests.kit.sampling import is_twin, sampled
from tests.kit.scripted import Bodies
from tests.kit.spoiling import Drawn, spoilt
from tests.kit.watched import COURSES, Observed, course, shown

SNAPSHOTS, ALL_SNAPSHOTS = 1, 2
"""Points in the second half of a course at which answers are spoilt; `make soak` takes more of them, and spoils every row."""


def points(name: str, snapshots: list[Bodies], number: int) -> Iterator[tuple[Bodies, list[Bodies]]]:
    """So many answers of a course, drawn by a fixed seed and in their order, each with those before it."""
    places = range(len(snapshots) // 2, len(snapshots))
    for place in sorted(Random(name).sample(places, min(number, len(places)))):
        yield snapshots[place], snapshots[:place]


def bad_answers(bodies: Bodies, earlier: list[Bodies], drawn: Drawn) -> Iterator[tuple[str, Bodies, bool]]:
    """What is wrong, all bodies with it in one of them, and whether it may look like a correction: an older body does."""
    for resource, body in bodies.items():
        for how, wrong in spoilt(body, drawn):
            yield f"{resource}: {how}", {**bodies, resource: wrong}, False
        for older in drawn(list(dict.fromkeys(each[resource] for each in earlier if resource in each))):
            yield f"{resource}: stale", {**bodies, resource: older}, True


@pytest.mark.parametrize(
    ("snapshots", "rows"),
    [
        pytest.param(SNAPSHOTS, 1, id="few", marks=pytest.mark.proof),
        pytest.param(ALL_SNAPSHOTS, None, id="all", marks=pytest.mark.soak),
    ],
)
@pytest.mark.parametrize("name", sampled(COURSES, is_twin))
async def test_one_bad_answer_withdraws_nothing_and_the_next_heals_it(name, snapshots, rows):
    """A row, a list or a whole resource wrong once moves nothing, an older one takes nothing away; good answers heal both."""
    match, random, number = course(name), Random(name), 0
    watch = Observed(match.provider, match.match_id)

    def drawn(found: Sequence[Any]) -> Sequence[Any]:
        return found if rows is None else random.sample(found, min(rows, len(found)))

    for bodies, earlier in points(name, match.snapshots, snapshots):
        before = await watch.settle(bodies)
        good, was = watch.memory, shown(before, watch.terms(before))
        for how, spoilt_bodies, news in bad_answers(bodies, earlier, drawn):
            watch.memory, number = good, number + 1
            during = await watch.poll(spoilt_bodies)
            now = was if during == before else shown(during, watch.terms(during))
            assert was.keys() <= now.keys() if news else now == was, how
            await watch.poll(bodies)
            healed = await watch.poll(bodies)
            assert not watch.doubted, how
            assert healed == before or shown(healed, watch.terms(healed)) == was, how
        watch.memory = good
    assert number


def edited(bodies, resource, change):
    """The bodies with one document changed in place."""
    document = json.loads(bodies[resource])
    change(document)
    return {**bodies, resource: json.dumps(document, ensure_ascii=False).encode()}


def lower(bodies):
    def change(document):
        for row in document["match"]["match_result"]:
            row["match_result"] = str(max(int(row["match_result"]) - 1, 0))

    return edited(bodies, "match", change)


def at_midnight(bodies):
    return edited(bodies, "match", lambda document: document["match"].update(match_time="00:00"))


def without_line_ups(bodies):
    rows = [row for row in json.loads(bodies["match-event"]) if row["action"] != "playing"]
    return {**bodies, "match-event": json.dumps(rows, ensure_ascii=False).encode()}


def without_starters(bodies):
    def change(document):
        for side in document["lineups"].values():
            del side["starters"][3:]

    return edited(bodies, "lineups", change)


def without_the_first(bodies):
    """Without the first goal, or other action, by its id."""

    def change(document):
        rows = document["actions" if "actions" in document else "goals"]
        rows.remove(min(rows, key=lambda row: row.get("id") or row["goalID"]))

    return edited(bodies, "actions" if "actions" in bodies else "match", change)


def resumed(bodies):
    """The match is not over after all."""

    def change(document):
        document.get("match", document).update(status="IN_PROGRESS", matchIsFinished=False)

    return edited(bodies, "match", change)


RECORDED = ["heim soccer ma8315073"] if "heim soccer ma8315073" in COURSES else []
LESS = [
    *(pytest.param(name, less, marks=pytest.mark.proof) for name in RECORDED for less in (lower, without_line_ups)),
    ("heim demo croatia-denmark", lower),
    ("gn_gsd soccer croatia-denmark", without_starters),
    ("gn_gsd soccer croatia-denmark", without_the_first),
    ("openligadb openligadb soccer", without_the_first),
    ("gn_gsd soccer croatia-denmark", resumed),
    ("openligadb openligadb soccer", resumed),
]


@pytest.mark.parametrize(("name", "less"), LESS, ids=lambda value: getattr(value, "__name__", value))
async def test_said_once_it_moves_nothing_said_twice_it_counts_once(name, less, store):
    """A lower score, what is gone, and a match that is not over any more: no step, then one step, and one step back."""
    followed = Followed(store, name)
    good = followed.course.snapshots[-1]
    await followed.settle(good)
    version, posts = await followed.after(good), await followed.posts()

    assert await followed.after(less(good)) == version
    assert await followed.after(good) == version
    assert await followed.after(less(good)) == version
    assert await followed.after(less(good)) == version + 1
    assert await followed.after(less(good)) == version + 1
    assert await followed.after(good) == version + 2
    assert followed.settled
    assert posts == await followed.posts()


async def test_midnight_after_a_kick_off_whose_hour_was_known_moves_nothing(store):
    """Said three times in a row too: it stands for an hour that is open."""
    followed = Followed(store, "heim demo croatia-denmark")
    good = followed.course.snapshots[-1]
    await followed.settle(good)
    version = await followed.after(good)
    for _ in range(3):
        assert await followed.after(at_midnight(good)) == version


POLLS = 11


def without_the_last_goal(bodies):
    rows = json.loads(bodies["match-event"])
    rows.remove([row for row in rows if row["action"] == "goal"][-1])
    return {**bodies, "match-event": json.dumps(rows, ensure_ascii=False).encode()}


DOWN = {
    "heim demo croatia-denmark": ("match-event", without_the_last_goal),
    "heim soccer ma8315073": ("match-event", without_the_last_goal),
    "gn_gsd soccer croatia-denmark": ("actions", without_the_first),
}
NAMES = [pytest.param(each, marks=pytest.mark.proof if each in RECORDED else ()) for each in DOWN if each in COURSES]


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


@pytest.mark.parametrize("name", [each for each in NAMES if each.values[0].startswith("heim")])
async def test_a_goal_that_the_score_takes_back_is_under_review_while_the_rows_cannot_be_had(name):
    """After the second answer with the lower score, board and post alike; after one nothing moves."""
    watch, good, before = await settled(name)
    less = without(lower(good), "match-event")
    first = await watch.poll(less)
    second = await watch.poll(less)

    assert first == before
    assert second.score.total < before.score.total
    assert len(goals(second)) == len(goals(before))
    reviewed = sum(each.under_review for each in second.incidents)
    assert reviewed == before.score.total - second.score.total
    assert second == [await watch.poll(less) for _ in range(POLLS)][-1]
    assert shown(await watch.poll(good), watch.terms(before)) == shown(before, watch.terms(before))


@pytest.mark.parametrize("older", [lower, without_the_last_goal])
async def test_two_caches_by_turns_move_a_liveblog_twice_at_most(older, store):
    """Sixteen polls, two of each cache in turn: what is missing in the older one goes once and comes back once."""
    followed = Followed(store, "heim demo croatia-denmark")
    good = followed.course.snapshots[-1]
    await followed.settle(good)
    version, posts = await followed.after(good), await followed.posts()
    versions = [await followed.after((good, older(good))[at // 2 % 2]) for at in range(16)]

    assert versions[-1] <= version + 2
    assert await followed.after(good) <= version + 2
    assert posts == await followed.posts()
