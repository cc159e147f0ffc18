"""Days in virtual time, with all faults: when they are over, nothing is left of them but their liveblogs."""

import asyncio
import os
import random
from collections.abc import Collection
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from ingest.sync import poll
from ingest.sync.follower import Followers
from ingest.sync.poll import Poller
from store.webhooks import delivery_log, outbox
from tests.simulation.growth import growth, reading
from tests.simulation.saturday import KICKOFFS, Saturday
from tests.simulation.virtual_loop import VirtualLoop

pytestmark = pytest.mark.proof

KEPT = frozenset({
    "alarms", "alembic_version", "attachments", "beacon_intakes", "beliefs", "clients", "decisions", "declarations", "events",
    "follows",
    "game_links", "game_records", "games", "image_uses", "leaders", "ledger", "load_counts", "load_days",
    "load_rollups", "locations", "outbox_sequence",
    "parts", "players", "poll_tallies", "post_times", "reader_salts", "reader_sketches", "resources", "service_keys",
    "source_health", "standbys", "teams", "tokens",
    "tournaments", "webhooks", "workers",
})  # fmt: skip
"""Tables whose rows stay with the liveblogs, with what they show, or for longer than two days. All others are empty at night."""
PER_LIVEBLOG = 400
"""Rows that a liveblog leaves in all these tables together, at most."""
QUIET = 240
"""Seconds after each fifth minute at which no job of the timetable is under way; a little later no tick is, either."""


def play(folder: Path, *, each: int, recorded: Collection[str] = KICKOFFS) -> list[str]:
    """What is wrong after two days, the second of which should leave no more than the first one did."""
    loop, wrong = VirtualLoop(), list[str]()
    state = random.getstate()
    random.seed(1)

    async def days() -> None:
        world, found = Saturday(loop, folder, each=each, recorded=recorded), []
        async with world.running():
            for _ in range(2):
                await world.day()
                await asyncio.sleep((QUIET - world.clock() % 300) % 300 + 0.3)
                found.append(reading(world.database.raw))
        before, after = found
        rows = {name.removeprefix("rows "): number for name, number in after.items() if name.startswith("rows ")}
        wrong.extend(f"{name}: {number} rows are left" for name, number in rows.items() if number and name not in KEPT)
        more = sum(after[f"rows {name}"] - before[f"rows {name}"] for name in KEPT)
        assert 20 * len(world.liveblogs) < more < PER_LIVEBLOG * len(world.liveblogs)
        wrong.extend(growth(before, after, few=max(2, each * len(recorded) // 20)))

    with capture_logs() as logged, asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.run(days())
    random.setstate(state)
    return [*wrong, *(f"failed inside: {line}" for line in logged if line.get("exc_info")), *loop.unexpected]


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


def purge_nothing_delivered(patch, _files):
    patch.setattr(delivery_log, "purge", lambda *_, **__: 0)
    patch.setattr(outbox, "purge", lambda *_, **__: None)


PLANTED = {
    keep_what_has_ended: ("ingest.sync.poll.ended: ",),
    begin_a_task_at_each_poll: ("tasks: ",),
    leave_files_open: ("files: ",),
    purge_nothing_delivered: ("webhook_rounds: ", "outbox: "),
}
"""Leaks, and what they are found by."""


FEW = ("gn-gsd uruguay-russia", "wimbledon-final")
"""A recording of each provider, one of them of a sport without a clock."""


@pytest.mark.parametrize(
    ("each", "recorded"), [(1, FEW), *(pytest.param(each, KICKOFFS, marks=pytest.mark.soak) for each in (1, 100))]
)
def test_two_days_leave_nothing_but_their_liveblogs(each, recorded, tmp_path):
    """So many matches of each recording, in two days alike; a long soak plays all four sports."""
    wrong = play(tmp_path, each=each, recorded=recorded)
    assert not wrong, "\n".join(wrong)


@pytest.mark.soak
def test_planted_leaks_are_found(tmp_path, monkeypatch):
    """All of them in one run, each by what it leaks."""
    files: list[int] = []
    for plant in PLANTED:
        plant(monkeypatch, files)
    found = play(tmp_path, each=1)
    for opened in files:
        os.close(opened)

    for words in (each for all_words in PLANTED.values() for each in all_words):
        assert any(each.startswith(words) for each in found), (words, found)
