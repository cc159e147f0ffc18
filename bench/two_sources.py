"""What a second source of a match costs: `python -m bench.two_sources`.

A match of the demo is played from kick-off to its end by a clock that goes as fast as it can: with one source, with a standby
whose bodies are written in PA's form and polled as seldom as an unneeded standby is, and with one that leads because the first
source fails. CPU of the sync on a SQLite file, without HTTP; all sides in turn.
"""

# ruff: noqa: RUF001 -- prints multiples

from __future__ import annotations

import argparse
import asyncio
import logging
import tempfile
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import structlog

from bench.measure import Figure, cpu, table
from providers.replay.demo import demo_files
from tests.kit.hand_driven import HandDriven
from tests.kit.scripted import Clock, open_store
from tests.kit.soccer_courses import course
from tests.kit.sqlite import migrated_url
from tests.kit.wire_forms.forms import FORMS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tests.kit.scripted import Bodies
    from tests.kit.soccer_courses import Course

MATCH, FORM, SEED = "colombia-japan", "pa", 3
MINUTES = 120
"""From kick-off to the end; each version of the match stands for an equal part of them."""
WANTED = 2.1
SIDES = ("one source", "a standby", "a standby that leads")


async def play(match: Course, written: Sequence[Bodies], side: str, folder: Path, minutes: int) -> float:
    """CPU seconds of the match; `written`: the bodies of the standby at each version."""
    clock = Clock(float(match.truth[match.running].kickoff or 0))
    store = await open_store(migrated_url(folder / f"{side}.db"), clock)
    process = HandDriven(store, match.match_id, form=FORMS[FORM], clock=clock)
    process.adapter.bodies, process.second.bodies = match.bodies[match.running], written[match.running]
    liveblog = await process.create()
    if side != SIDES[0]:
        await process.stand_by(liveblog)
    versions = range(match.running + 1, len(match.bodies))

    async def run() -> None:
        for at in versions:
            process.adapter.bodies, process.second.bodies = match.bodies[at], written[at]
            if side == SIDES[2]:
                process.fail("5xx")
            await process.pass_seconds(minutes * 60 / len(versions))

    seconds = await cpu(run)
    await store.close()
    return seconds


async def measure(rounds: int, minutes: int) -> list[Figure]:
    """The figures of all sides."""
    match = course(next(path for path in demo_files("en") if MATCH in path.name))
    written = [FORMS[FORM].write(each, SEED) for each in match.kept]
    taken: dict[str, list[float]] = {side: [] for side in SIDES}
    for _ in range(rounds + 1):
        for side in SIDES:
            with tempfile.TemporaryDirectory() as folder:
                taken[side].append(await play(match, written, side, Path(folder), minutes))
    for seconds in taken.values():
        del seconds[0]  # the first round loads what all need
    return [_figure(side, taken) for side in SIDES]


def _figure(side: str, taken: Mapping[str, Sequence[float]]) -> Figure:
    seconds, one = taken[side], taken[SIDES[0]]
    if side == SIDES[0]:
        return Figure(f"a match with {side}, CPU", f"{median(one):.2f} s")
    ratio = median(now / before for now, before in zip(seconds, one, strict=True))
    target, met = (f"≤ {WANTED} ×", ratio <= WANTED) if side == SIDES[1] else ("", None)
    return Figure(f"the same with {side}", f"{median(seconds):.2f} s, {ratio:.2f} ×", target, met)


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.two_sources", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--minutes", type=int, default=MINUTES)
    arguments = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    print(table(asyncio.run(measure(arguments.rounds, arguments.minutes))))


if __name__ == "__main__":
    main()
