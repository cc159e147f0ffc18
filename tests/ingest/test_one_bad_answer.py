"""One answer that lacks a row, has one twice, or is another match's: the liveblog does not move; twice in a row, it does once."""

from __future__ import annotations

import asyncio
import json
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from providers.replay.demo import demo_files
from tests.ingest.scripted import Bodies, Process, open_store
from tests.ingest.test_convergence import course, others
from tests.recordings import soccer_recordings
from tests.sqlite import migrated_url

SNAPSHOTS = 2
"""Points of a recording at which answers are hurt, evenly spread."""
ROWS = 4
"""Rows of each resource that are hurt there, drawn anew by a fixed seed."""
FLAGS = {"yellow-flag", "red-flag", "green-flag", "safety-car", "virtual-safety-car"}
"""Rows of a race that are merged, and from which its state is deduced: without one, another one stands for it."""


@dataclass
class Course:
    """A match that is polled by hand, settled at one of its snapshots."""

    process: Process
    ticker_id: str

    @property
    def settled(self) -> bool:
        return not any(match.pending or match.afresh for match in self.process.matches)

    async def settle(self, bodies: Bodies) -> None:
        self.process.adapter.bodies = bodies
        await self.process.settle()

    async def version(self) -> int:
        return (await self.process.game(self.ticker_id)).version

    async def after(self, bodies: Bodies) -> int:
        """The version after one poll."""
        await self.process.poll(bodies)
        return await self.version()


def rows_of(document: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where the rows of its lists are, at any depth."""
    if isinstance(document, dict):
        return [found for name, value in document.items() for found in rows_of(value, (*path, name))]
    if isinstance(document, list):
        below = [found for at, value in enumerate(document) for found in rows_of(value, (*path, at))]
        return [*((*path, at) for at in range(len(document))), *below]
    return []


def changed(document: Any, path: tuple[Any, ...], times: int) -> Any:
    """The document with that row so many times."""
    at, *below = path
    if not below:
        return [each for place, row in enumerate(document) for each in [row] * (times if place == at else 1)]
    copied = list(document) if isinstance(document, list) else dict(document)
    copied[at] = changed(document[at], tuple(below), times)
    return copied


def deduced(row: Any) -> bool:
    return isinstance(row, dict) and not FLAGS.isdisjoint({row.get("action"), row.get("kind")})


def hurt(bodies: Bodies, draw: random.Random) -> list[tuple[str, tuple[Any, ...], int, Bodies]]:
    """The bodies with one row of one resource dropped or doubled."""
    found = []
    for name, body in bodies.items():
        document = json.loads(body)
        paths = [path for path in rows_of(document) if not deduced(at(document, path))]
        for path in draw.sample(paths, min(ROWS, len(paths))):
            for times in (0, 2):
                spoilt = json.dumps(changed(document, path, times), ensure_ascii=False).encode()
                found.append((name, path, times, {**bodies, name: spoilt}))
    return found


def at(document: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        document = document[key]
    return document


@pytest.mark.parametrize(
    "path", [*soccer_recordings(), *others(), *demo_files("en")], ids=lambda path: path.name.partition(".")[0]
)
def test_a_row_that_is_dropped_or_doubled_once_moves_nothing(path: Path, tmp_path: Path) -> None:
    """In no resource, at no time: no version step, neither then nor when it is back."""

    async def play() -> None:
        store = await open_store(migrated_url(tmp_path / "match.db"))
        try:
            match_id, snapshots = course(path)
            process = Process(store, match_id)
            process.adapter.bodies = snapshots[0]
            match = Course(process, await process.create())
            draw = random.Random(match_id)
            for number in range(SNAPSHOTS):
                bodies = snapshots[(number + 1) * (len(snapshots) - 1) // SNAPSHOTS]
                await match.settle(bodies)
                version = await match.version()
                for name, row, times, spoilt in hurt(bodies, draw):
                    assert await match.after(spoilt) == version, (name, row, times)
                    assert await match.after(bodies) == version, (name, row, times, "back")
                    assert match.settled, (name, row, times)
        finally:
            await store.close()

    asyncio.run(play())


def without_a_goal(bodies: Bodies) -> Bodies:
    match = json.loads(bodies["match"])
    for row in match["match"]["match_result"]:
        row["match_result"] = str(max(int(row["match_result"]) - 1, 0))
    return {**bodies, "match": json.dumps(match, ensure_ascii=False).encode()}


def at_midnight(bodies: Bodies) -> Bodies:
    match = json.loads(bodies["match"])
    match["match"]["match_time"] = "00:00"
    return {**bodies, "match": json.dumps(match, ensure_ascii=False).encode()}


def without_line_ups(bodies: Bodies) -> Bodies:
    rows = [row for row in json.loads(bodies["match-event"]) if row["action"] != "playing"]
    return {**bodies, "match-event": json.dumps(rows, ensure_ascii=False).encode()}


@dataclass
class Answers:
    """A recorded match near its end, and other bodies."""

    match_id: str
    good: Bodies
    other: Bodies


@pytest.fixture
async def store(tmp_path):
    opened = await open_store(migrated_url(tmp_path / "match.db"))
    yield opened
    await opened.close()


@pytest.fixture
def answers(recorded_soccer):
    paths = {path.name.partition(".")[0]: path for path in recorded_soccer}
    match_id, snapshots = course(paths["ma8315073"])
    return Answers(match_id, snapshots[-1], course(paths["ma2416108"])[1][-1])


async def followed(store, answers):
    process = Process(store, answers.match_id)
    process.adapter.bodies = answers.good
    match = Course(process, await process.create())
    await match.settle(answers.good)
    return match


@pytest.mark.parametrize("less", [without_a_goal, without_line_ups])
async def test_said_once_it_moves_nothing_said_twice_it_counts_once(store, answers, less):
    """A lower score and line-ups that are gone: no step, then one step, and one step back."""
    match = await followed(store, answers)
    version = await match.version()

    assert await match.after(less(answers.good)) == version
    assert await match.after(answers.good) == version
    assert await match.after(less(answers.good)) == version
    assert await match.after(less(answers.good)) == version + 1
    assert await match.after(less(answers.good)) == version + 1
    assert await match.after(answers.good) == version + 2
    assert match.settled


async def test_another_matchs_answers_and_those_of_another_resource_move_nothing(store, answers):
    """Said three times in a row too: they are faults, and so is 00:00 after a kick-off whose hour was known."""
    match = await followed(store, answers)
    version = await match.version()
    good, other = answers.good, answers.other
    wrong = [
        other,
        *({**good, name: other[name]} for name in good),
        {**good, "match-event": good["liveticker"]},
        {**good, "liveticker": good["match-event"]},
        {**good, "match": good["match-event"]},
        at_midnight(good),
    ]
    for bodies in wrong:
        for _ in range(3):
            assert await match.after(bodies) == version
        assert await match.after(good) == version
