"""What a second source of a match costs: `python -m bench.two_sources`.

Ten copies of a match of the demo are played from kick-off to the end by a clock that goes as fast as it can: with one source, with
a standby whose bodies are written in PA's form and polled as seldom as an unneeded standby is, and with one that leads because the
first source fails. CPU of the sync on a SQLite file, without HTTP; all sides in turn.
"""

# ruff: noqa: RUF001 -- prints multiples

from __future__ import annotations

import argparse
import asyncio
import logging
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

import structlog

from bench.measure import Figure, cpu, table
from providers.base import Fetched, Known
from providers.replay.demo import demo_files
from tests.kit.hand_driven import Failing, HandDriven, WrittenSource
from tests.kit.scripted import Bodies, Clock, open_store
from tests.kit.soccer_courses import Course, course
from tests.kit.sqlite import migrated_url
from tests.kit.wire_forms.forms import FORMS

MATCH, FORM, SEED = "colombia-japan", "pa", 3
MINUTES = 120
"""From kick-off to the end; each version of the match stands for an equal part of them."""
WANTED = 2.1
SIDES = ("one source", "a standby", "a standby that leads")


class FirstSource(Failing):
    """Has a body of its own for each match."""

    by_match: Mapping[str, Bodies]

    async def fetch(self, match_id: str, known: dict[str, Known], **more: Any) -> Fetched:
        self.bodies = self.by_match[match_id]
        return await super().fetch(match_id, known, **more)


class SecondSource(WrittenSource):
    """The same, in a provider's form."""

    by_match: Mapping[str, Bodies]

    async def fetch(self, match_id: str, known: dict[str, Known], **more: Any) -> Fetched:
        self.bodies = self.by_match[match_id]
        return await super().fetch(match_id, known, **more)


def copies(match: Course, number: int) -> tuple[list[dict[str, Bodies]], list[dict[str, Bodies]]]:
    """The bodies of so many matches at each version, by their ids, of both sources."""
    form, ids = FORMS[FORM], [f"{match.match_id[:-3]}{at:03}" for at in range(number)]
    first = [{each: _renamed(bodies, match.match_id, each) for each in ids} for bodies in match.bodies]
    second = [
        {form.ident(each): form.write(replace(version, match_id=each), SEED) for each in ids} for version in match.kept
    ]
    return first, second


def _renamed(bodies: Bodies, old: str, new: str) -> Bodies:
    return {name: body.replace(old.encode(), new.encode()) for name, body in bodies.items()}


async def play(match: Course, bodies: tuple[Any, Any], side: str, folder: Path, minutes: int) -> float:
    """CPU seconds of the matches; `bodies`: those of both sources at each version."""
    clock, (first, second) = Clock(float(match.truth[match.running].kickoff or 0)), bodies
    store = await open_store(migrated_url(folder / f"{side}.db"), clock)
    process = HandDriven(store, match.match_id, form=FORMS[FORM], clock=clock, adapter=FirstSource())
    process.second = SecondSource(process.form)
    process.start()

    def say(at: int) -> None:
        process.adapter.by_match, process.second.by_match = first[at], second[at]  # type: ignore[attr-defined]

    say(match.running)
    for name in first[0]:
        liveblog = await process.create(selector_id=name)
        if side != SIDES[0]:
            await process.stand_by(liveblog, name)
    versions = range(match.running + 1, len(match.bodies))

    async def run() -> None:
        for at in versions:
            say(at)
            if side == SIDES[2]:
                process.fail("5xx")
            await process.pass_seconds(minutes * 60 / len(versions))

    seconds = await cpu(run)
    await store.close()
    return seconds


async def measure(rounds: int, minutes: int, matches: int) -> list[Figure]:
    """The figures of all sides."""
    match = course(next(path for path in demo_files("en") if MATCH in path.name))
    bodies = copies(match, matches)
    taken: dict[str, list[float]] = {side: [] for side in SIDES}
    for _ in range(rounds + 1):
        for side in SIDES:
            with tempfile.TemporaryDirectory() as folder:
                taken[side].append(await play(match, bodies, side, Path(folder), minutes))
    for seconds in taken.values():
        del seconds[0]  # the first round loads what all need
    return [_figure(side, taken, matches) for side in SIDES]


def _figure(side: str, taken: Mapping[str, Sequence[float]], matches: int) -> Figure:
    seconds, one = taken[side], taken[SIDES[0]]
    if side == SIDES[0]:
        return Figure(f"{matches} matches with {side} each, CPU", f"{median(one):.2f} s")
    ratio = median(now / before for now, before in zip(seconds, one, strict=True))
    target, met = (f"≤ {WANTED} ×", ratio <= WANTED) if side == SIDES[1] else ("", None)
    return Figure(f"the same with {side}", f"{median(seconds):.2f} s, {ratio:.2f} ×", target, met)


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.two_sources", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--minutes", type=int, default=MINUTES)
    parser.add_argument("--matches", type=int, default=10)
    arguments = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    print(table(asyncio.run(measure(arguments.rounds, arguments.minutes, arguments.matches))))


if __name__ == "__main__":
    main()
