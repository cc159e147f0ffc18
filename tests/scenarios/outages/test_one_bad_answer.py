"""Bad answers of any provider: one moves only what it adds or corrects, two count, and a resource takes back its own alone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from random import Random
from typing import Any

import pytest

from mapping.match import Match, Score, Status
from tests.kit.no_post_lost import Followed
from tests.kit.scripted import Bodies, open_store
from tests.kit.spoiling import Spoiler, Spoilt
from tests.kit.sqlite import migrated_url
from tests.kit.watched import COURSES, Observed, course, shown

SNAPSHOTS = 1
"""Points in the second half of a course at which answers are spoilt."""
ROWS = 1
"""Rows, lists and stale bodies of each resource that are spoilt there, drawn by a fixed seed a course; `make soak` takes all."""
SOAK_SNAPSHOTS = 2
STORED = 5
"""Spoilt answers of a course that are played through the store."""

KEYED = ("incidents", "comments")
UNSAID = {"order", "synthesised", "created_at", "faults", "unreadable_keys", "kickoff_open"}
"""Fields of a match that say nothing of what happened."""
RANKS = [{Status.SCHEDULED, Status.POSTPONED}, {Status.LIVE, Status.BREAK}, {Status.SHOOTOUT}]

Facts = dict[tuple[Any, ...], Any]


def facts(value: Any, path: tuple[Any, ...] = ()) -> Facts:
    """Everything that a match says, by where it says it: rows stand under their names, not under their places."""
    if isinstance(value, tuple):
        return {name: said for row in value for name, said in facts(row, (*path, name_of(row))).items()}
    if is_dataclass(value) and not isinstance(value, Score):
        inner = ((each.name, getattr(value, each.name)) for each in fields(value) if each.name not in UNSAID)
        return {name: said for field, item in inner for name, said in facts(item, (*path, field)).items()}
    return {} if value in (None, "") else {path: value}


def name_of(row: Any) -> Any:
    """What a row of a match stands under; somebody's place in a ranking under who it is."""
    names = [getattr(row, name) for name in ("key", "ext_id", "role", "title") if hasattr(row, name)]
    placed = [each and each.ext_id for each in (getattr(row, "person", None), getattr(row, "team", None))]
    return names[0] if names else tuple(placed) if any(placed) else row


def steps_back(before: Any, after: Any) -> bool:
    """Whether a score is lower, or a status earlier."""
    if isinstance(before, Score) and isinstance(after, Score):
        return after.home + after.away < before.home + before.away
    return isinstance(before, Status) and isinstance(after, Status) and rank(after) < rank(before)


def rank(status: Status) -> int:
    return next((at for at, each in enumerate(RANKS) if status in each), len(RANKS))


def news(before: Facts, after: Facts) -> set[tuple[Any, ...]]:
    """Where an answer says more, or something else that is no step back: its additions and corrections."""
    return {at for at, said in after.items() if said != before.get(at) and not steps_back(before.get(at), said)}


def explained(new: set[tuple[Any, ...]], *matches: Match) -> set[str]:
    """Keys of the posts that say what is new, or to which a text that does is bound."""
    bound = {(comment.key, comment.incident_key) for match in matches for comment in match.comments}
    keys = {at[1] for at in new if at[0] in KEYED}
    return keys | {incident for key, incident in bound if key in keys and incident is not None}


def with_the_score(before: Match, after: Match) -> set[str]:
    """Keys of the posts that say the score of a part of the match: a goal that is new moves it."""
    return set() if before.score == after.score else {each.key for each in after.incidents if each.marks_period}


def check(watch: Observed, before: Match, after: Match, spoilt: Spoilt) -> None:
    """Nothing is withdrawn and nothing steps back; what moves is what the answer adds or corrects, and nothing else."""
    if after == before:
        return
    was, now = shown(before, watch.terms(before)), shown(after, watch.terms(after))
    moved = {key for key in was.keys() | now.keys() if was.get(key) != now.get(key)}
    if not spoilt.news:
        assert not moved, str(spoilt)
    if not moved:
        return
    assert was.keys() <= now.keys(), str(spoilt)
    answer = watch.translate(spoilt.bodies)
    said = facts(before)
    new = news(said, facts(answer))
    assert new, f"{spoilt}: {sorted(moved)} without anything new"
    if all(at[0] in KEYED for at in new):
        assert moved <= explained(new, before, answer) | with_the_score(before, after) | {""}, str(spoilt)
    believed = facts(after)
    assert not [at for at in said.keys() & believed.keys() if steps_back(said[at], believed[at])], str(spoilt)


def points(name: str, snapshots: list[Bodies], number: int) -> Iterator[tuple[Bodies, list[Bodies]]]:
    """So many answers of a course, drawn by a fixed seed and in their order, each with those before it."""
    places = range(len(snapshots) // 2, len(snapshots))
    for place in sorted(Random(name).sample(places, min(number, len(places)))):
        yield snapshots[place], snapshots[:place]


async def played(name: str, snapshots: int, rows: int | None) -> int:
    """Spoil answers of a course; gives how many."""
    match, draw, number = course(name), Random(name), 0
    watch = Observed(match.provider, match.match_id)
    for bodies, earlier in points(name, match.snapshots, snapshots):
        before = await watch.settle(bodies)
        good, was = watch.memory, shown(before, watch.terms(before))
        for spoilt in Spoiler(bodies, earlier, draw, rows):
            watch.memory, number = good, number + 1
            check(watch, before, await watch.poll(spoilt.bodies), spoilt)
            await watch.poll(bodies)
            healed = await watch.poll(bodies)
            assert not watch.doubted, str(spoilt)
            assert healed == before or shown(healed, watch.terms(healed)) == was, str(spoilt)
        watch.memory = good
    return number


@pytest.mark.parametrize(
    ("snapshots", "rows"),
    [
        pytest.param(SNAPSHOTS, ROWS, id="few", marks=pytest.mark.proof),
        pytest.param(SOAK_SNAPSHOTS, None, id="all", marks=pytest.mark.soak),
    ],
)
@pytest.mark.parametrize("name", COURSES)
async def test_one_bad_answer_moves_only_what_it_corrects_and_the_next_heals_it(name, snapshots, rows):
    """A row, a list or a whole resource wrong once: additions and corrections alone show, until the next good answers."""
    assert await played(name, snapshots, rows)


@pytest.fixture
async def store(tmp_path):
    opened = await open_store(migrated_url(tmp_path / "match.db"))
    yield opened
    await opened.close()


STORES = [
    "heim demo croatia-denmark", "heim demo sao-paulo-grand-prix", "heim tennis tie-break",
    "gn_gsd soccer croatia-denmark", "openligadb openligadb soccer",
]  # fmt: skip


@pytest.mark.proof
@pytest.mark.parametrize("name", STORES)
async def test_a_liveblog_does_not_step_and_heals_to_the_same_posts(name, store):
    """Through the store: no version step for what is no news, and after any bad answer the same posts under the same ids."""
    followed, draw = Followed(store, name), Random(name)
    for bodies, earlier in points(name, followed.course.snapshots, SNAPSHOTS):
        await followed.settle(bodies)
        everything = list(Spoiler(bodies, earlier, draw, ROWS))
        for spoilt in draw.sample(everything, STORED):
            version, posts = await followed.after(bodies), await followed.posts()
            during = await followed.after(spoilt.bodies)
            assert spoilt.news or during == version, str(spoilt)
            healed = [await followed.after(bodies) for _ in range(2)]
            assert healed[-1] == version if during == version else healed[-1] > version, str(spoilt)
            assert posts == await followed.posts(), str(spoilt)
            assert followed.settled, str(spoilt)


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
