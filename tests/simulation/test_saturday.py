"""A Saturday of 24 hours in virtual time: when it is over, nothing is left of it but its liveblogs."""

from __future__ import annotations

import asyncio
import json
import os
import random
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from structlog.testing import capture_logs

from ingest.sync import poll
from ingest.sync.follower import Followers
from ingest.sync.poll import Poller
from providers import http_client
from store.webhooks import delivery_log, outbox
from tests.simulation.day_end import KEPT, PER_LIVEBLOG, Retention, beyond_retention, differences, overdue
from tests.simulation.growth import Reading, growth, reading
from tests.simulation.saturday import HOUR, Programme, Saturday
from tests.simulation.virtual_loop import VirtualLoop

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.proof

MINUTE = 60.0
SATURDAYS = int(os.environ.get("MATCHWIRE_SATURDAYS", "1"))
"""How many days of 400 matches the soak plays, each like the one before."""


def oclock(hour: float) -> float:
    """Seconds since six in the morning."""
    return (hour - 6) * HOUR


SOCCER = tuple(map(oclock, (15.5, 13, 15.5, 18.5, 15.5, 17.5, 14, 20)))
DAY = Programme(
    length=24 * HOUR,
    matches={
        "croatia-denmark": (40, SOCCER),
        "uruguay-russia": (40, SOCCER),
        "colombia-japan": (40, SOCCER),
        "gn-gsd croatia-denmark": (40, SOCCER),
        "gn-gsd uruguay-russia": (40, SOCCER),
        "gn-gsd colombia-japan": (40, SOCCER),
        "sao-paulo-grand-prix": (60, tuple(map(oclock, (13, 15.5, 17)))),
        "wimbledon-final": (50, tuple(map(oclock, (11, 12.5, 15.5)))),
        "super-bowl": (50, tuple(map(oclock, (15.5, 17, 19)))),
    },
    creations=(oclock(6.5), oclock(9.5)),
    provider_away=(oclock(15 + 2 / 3), 10 * MINUTE),
    database_away=(oclock(16.5), MINUTE),
    receivers_down=(oclock(17), HOUR),
    clock_set=(oclock(12 + 1 / 6), 40 * MINUTE),
    kills=(oclock(14.75), oclock(19.3)),
    ended=oclock(27),
    edits=5 * MINUTE,
    reads=2 * MINUTE,
    settings={
        "polling": {"after_window": "2h"},
        "webhooks": {"log_kept": "2h"},
        "limits": {"row_cache_bytes": 4_000_000},
    },
)
RETENTIONS = (
    # Two hours, an hour's pause of the purge, an hour in which a receiver is away, and what is between them.
    Retention("outbox", "at", 4.5 * HOUR),
    Retention("webhook_rounds", "at", 3.2 * HOUR),
    *(Retention(table, "until", 0.4 * HOUR) for table in ("game_versions", "game_documents", "event_history")),
)
SHORT = Programme(
    length=44 * MINUTE,
    speed=40.0,
    matches={
        "gn-gsd uruguay-russia": (1, (6 * MINUTE,)),
        "sao-paulo-grand-prix": (1, (5 * MINUTE,)),
        "wimbledon-final": (1, (4 * MINUTE,)),
        "super-bowl": (1, (5 * MINUTE,)),
    },
    creations=(0.0, MINUTE),
    provider_away=(6 * MINUTE, MINUTE / 2),
    database_away=(8 * MINUTE, MINUTE / 2),
    receivers_down=(7 * MINUTE, 3 * MINUTE),
    clock_set=(10 * MINUTE, MINUTE),
    clock_ahead=2 * MINUTE,
    kills=(7 * MINUTE, 12 * MINUTE),
    ended=18 * MINUTE,
    edits=MINUTE,
    reads=3 * MINUTE,
    settings={
        "polling": {"live": 10, "after_window": 240, "after_max": 120},
        "webhooks": {"log_kept": 300},
        "limits": {"row_cache_bytes": 200_000, "delay_max": 120},
    },
    timetable={
        "*/5 * * * *": "purge deliveries",
        "1-59/5 * * * *": "purge bodies",
        "2-59/5 * * * *": "purge uploads",
        "3-59/5 * * * *": "purge votes",
        "*/3 * * * *": "purge history",
        "4-59/5 * * * *": "purge comments",
        "*/10 * * * *": "roll up statistics",
        "*/7 * * * *": "purge alarms",
    },
)
PLANTING = replace(
    SHORT,
    matches={name: SHORT.matches[name] for name in ("gn-gsd uruguay-russia", "sao-paulo-grand-prix", "super-bowl")},
)
"""As many matches as it takes to find a leak."""
SHORT_RETENTIONS = (Retention("outbox", "at", 18 * MINUTE), Retention("webhook_rounds", "at", 14 * MINUTE))


QUIET = 240
"""Seconds after each fifth minute at which no job of the timetable is under way; a little later no tick is, either."""


def play(
    programmes: list[Programme],
    retentions: tuple[Retention, ...],
    folder: Path,
    *,
    every: float,
    report: Callable[[Reading], None] = lambda _: None,
    seed: int = 1,
) -> list[str]:
    """What is wrong in these days. What there is, every so many virtual seconds, is reported."""
    loop, wrong = VirtualLoop(), list[str]()
    state = random.getstate()
    random.seed(seed)
    with capture_logs() as logged, asyncio.Runner(loop_factory=lambda: loop) as runner:
        world = Saturday(seed, loop, programmes[0], folder)

        def look() -> Reading:
            wrong.extend(overdue(world.database.raw, retentions, world.clock()))
            wrong.extend(f"failed inside: {each}" for each in logged if each.get("exc_info"))
            logged.clear()
            found = reading(world.database.raw, loop.time())
            report(found)
            return found

        async def looking() -> None:
            while True:
                await asyncio.sleep(every)
                look()

        async def days() -> None:
            before: Reading | None = None
            for programme in programmes:
                begin = loop.time()
                task = asyncio.create_task(looking())
                log = await world.day(programme)
                wrong.extend(differences(world.database.raw, log, world.provider))
                matches, liveblogs = len(log.matches), len(log.liveblogs)
                del log
                await world.night(begin)
                await asyncio.sleep((QUIET - world.clock() % 300) % 300 + 0.3)
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
                after = look()
                wrong.extend(beyond_retention(after.rows))
                if before is not None:
                    wrong.extend(growth(before, after, few=max(2, matches // 20)))
                    wrong.extend(more_rows(before, after, liveblogs))
                before = after

        async def whole() -> None:
            async with world.running():
                await days()

        runner.run(whole())
    random.setstate(state)
    return [*wrong, *loop.unexpected]


def show(found: Reading) -> None:
    """What has been measured, for whoever runs the soak with `-s`."""
    print(json.dumps(asdict(found)), flush=True)  # noqa: T201


def more_rows(before: Reading, after: Reading, liveblogs: int) -> Iterator[str]:
    """Rows stay with the liveblogs alone."""
    more = {table: after.rows[table] - before.rows[table] for table in KEPT}
    if sum(more.values()) > PER_LIVEBLOG * liveblogs:
        yield f"rows: {more} of {liveblogs} liveblogs"


def keep_what_has_ended(patch, _files):
    patch.setattr(poll, "ended", {}, raising=False)
    close = Poller.close

    async def kept(poller, match):
        await close(poller, match)
        poll.ended[match.id] = match.match_id

    patch.setattr(Poller, "close", kept)


def begin_a_task_at_each_poll(patch, _files):
    follow, begun_tasks = Followers.poll, []

    async def begun(followers, match):
        begun_tasks.append(asyncio.get_running_loop().create_task(asyncio.Event().wait()))
        await follow(followers, match)

    patch.setattr(Followers, "poll", begun)


def leave_files_open(patch, files):
    follow = Followers.follow

    async def opened(followers, *args, **more):
        files.append(os.open(os.devnull, os.O_RDONLY))
        await follow(followers, *args, **more)

    patch.setattr(Followers, "follow", opened)


def set_timers_for_ever(patch, _files):
    schedule = Followers.schedule

    def timed(followers, match, wait):
        asyncio.get_running_loop().call_later(1e9, str)
        schedule(followers, match, wait)

    patch.setattr(Followers, "schedule", timed)


def purge_no_rounds(patch, _files):
    patch.setattr(delivery_log, "purge", lambda *_, **__: 0)


def purge_no_outbox(patch, _files):
    patch.setattr(outbox, "purge", lambda *_, **__: None)


def keep_every_reply(patch, _files):
    kept, get = [], http_client.get

    async def remembering(client, path, etag=None):
        reply = await get(client, path, etag)
        kept.append([path, *(f"{len(kept)} {each}" for each in range(40))])
        return reply

    patch.setattr(http_client, "get", remembering)


PLANTED = {
    keep_what_has_ended: "collections ingest.sync.poll.ended: 3 → 6",
    begin_a_task_at_each_poll: "tasks: ",
    leave_files_open: "files: ",
    set_timers_for_ever: "timers: ",
    purge_no_rounds: "webhook_rounds: ",
    purge_no_outbox: "outbox: ",
    keep_every_reply: "blocks: ",
}
"""Leaks, and what they are found by."""


def test_two_days_leave_nothing_but_their_liveblogs(tmp_path):
    """Eight matches in two days alike, with all faults."""
    wrong = play([SHORT, SHORT], SHORT_RETENTIONS, tmp_path, every=21 * MINUTE)
    assert not wrong, "\n".join(wrong)


@pytest.mark.soak
def test_planted_leaks_are_found(tmp_path, monkeypatch):
    """All of them in one run of two short days, each by what it leaks."""
    files: list[int] = []
    for plant in PLANTED:
        plant(monkeypatch, files)
    found = play([PLANTING, PLANTING], SHORT_RETENTIONS, tmp_path, every=21 * MINUTE)
    for each in files:
        os.close(each)

    for plant, words in PLANTED.items():
        assert any(each.startswith(words) for each in found), (plant.__name__, found)


@pytest.mark.soak
def test_a_saturday_of_400_matches_leaves_nothing_but_its_liveblogs(tmp_path):
    """After a Friday of eighteen matches, so that all code has run; MATCHWIRE_SATURDAYS says how many follow."""
    friday = replace(DAY, matches={name: (2, kickoffs) for name, (_, kickoffs) in DAY.matches.items()})
    wrong = play([friday, *[DAY] * SATURDAYS], RETENTIONS, tmp_path, every=HOUR / 2, report=show)
    assert not wrong, "\n".join(wrong)
