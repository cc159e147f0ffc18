"""The first source of a running match fails, and then a goal falls: how long until it is public by the word of the other one."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from mapping.fusion.fused_match import SECOND_KEY
from mapping.match.match import Match
from tests.kit.hand_driven import HandDriven, steady_by
from tests.kit.scripted import Clock
from tests.kit.soccer_courses import Course
from tests.kit.wire_forms.forms import WireForm
from tests.simulation.inline_store import InlineStore
from tests.simulation.sources.fail_over import second_keys

WAYS = ("silence", "stall", "5xx", "frozen score", "vanished match", "swapped match")
ERRORS = {"5xx": "5xx", "vanished match": "vanished", "silence": "silent"}
LONGEST = 400
"""Seconds for which a goal is waited for."""


@dataclass(frozen=True, kw_only=True)
class Wait:
    """How long a goal took to be public after the second source had it, and its interval of polls then (seconds)."""

    way: str
    seconds: float | None
    interval: float

    def over(self, silence: float) -> float:
        """By how much it was longer than the silence limit and one interval."""
        return LONGEST if self.seconds is None else self.seconds - silence - self.interval


def goals_of(course: Course) -> list[int]:
    """The versions with which a goal's row comes, with its score or after it, in the middle of a part of the match."""
    found = []
    for at in range(course.running + 1, len(course.kept)):
        before, now = course.kept[at - 1], course.kept[at]
        earlier = {each.key for match in course.truth[:at] for each in match.incidents}
        if _new_goals(before, now) - earlier and now.status.running and before.clock == now.clock:
            found.append(at)
    return found


def _new_goals(before: Match, now: Match) -> set[str]:
    known = {each.key for each in before.incidents}
    return {each.key for each in now.incidents if each.score and each.phase != 5} - known


async def wait_for_goal(
    course: Course, other: Course, forms: Sequence[WireForm], way: str, seed: int, patch: pytest.MonkeyPatch
) -> Wait:
    """The failure at a random instant, the goal at the last source at another one. `forms`: those of the other sources.

    Where there are three, the first two fail at the same instant.
    """
    form, third, last = forms[0], forms[1] if len(forms) > 1 else None, forms[-1]
    rng = random.Random(f"{way} {seed}")
    goals = goals_of(course)
    at = rng.choice(goals)
    clock = Clock(float(course.truth[0].kickoff or 0) + 60 * (course.kept[at].incidents[-1].minute or 1) + rng.random())
    steady_by(patch, clock)
    store = InlineStore(lambda: clock.now, lambda _: None)
    process = HandDriven(store, course.match_id, form=form, third=third, clock=clock)
    process.says(course.bodies[at - 1], course.kept[at - 1], seed, course.kept[at - 1])
    liveblog = await process.create()
    await process.stand_by(liveblog)
    await process.pass_seconds(rng.randrange(60, 130))
    _fail(process, way, course, other, at)
    await process.pass_seconds(rng.randrange(0, 120))
    source = [process.second, *process.more][-1]
    source.bodies = last.write(course.kept[at], seed)
    standby = next(each for each in process.matches if each.endpoint == source.endpoint.key)
    interval = process.followers.interval(standby) or 0.0
    new = _new_goals(course.kept[at - 1], course.kept[at])
    for waited in range(1, LONGEST):
        await process.pass_seconds(1)
        if await _is_public(process, liveblog, course, last, new):
            return Wait(way=way, seconds=waited, interval=interval)
    return Wait(way=way, seconds=None, interval=interval)


def _fail(process: HandDriven, way: str, course: Course, other: Course, at: int) -> None:
    process.fail(ERRORS.get(way), range(1 + len(process.more)))
    if way == "frozen score":
        newest = course.bodies[min(at + 3, len(course.bodies) - 1)]
        process.adapter.bodies = {**process.adapter.bodies, "liveticker": newest.get("liveticker", b"[]")}
    elif way == "swapped match":
        ours, theirs = course.match_id.encode(), other.match_id.encode()
        process.adapter.bodies = {name: body.replace(theirs, ours) for name, body in other.bodies[-1].items()}


async def _is_public(process: HandDriven, liveblog: str, course: Course, form: WireForm, new: set[str]) -> bool:
    posted = await process.posted(liveblog)
    seconds = second_keys(course, form)
    return any(seconds.get(f"incident:{key.split('/', 2)[2]}") in new for key in posted if key.startswith(SECOND_KEY))
