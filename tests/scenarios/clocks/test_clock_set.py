"""Somebody sets the wall clock by two hours: wherever a match stands, nothing stalls, nothing is doubled, nobody is alarmed."""

from functools import partial

import pytest
from structlog.testing import capture_logs

from config.organizations import Liveblog
from ingest.jobs.tasks import publish_due
from ingest.kit.quarantine import Quarantine
from ingest.sync.declared_liveblogs import Declared
from ingest.sync.followed_match import FollowedMatch
from ingest.sync.follower import Followers
from mapping.match.match import Status
from store.engine.liveblog_records import EventWrite
from store.liveblogs import liveblogs
from store.liveblogs.liveblogs import insert_game
from tests.kit.day import ORGANIZATION
from tests.kit.hand_driven import steady_by
from tests.kit.limited_provider import NoStore, Provider
from tests.kit.opening import store_at
from tests.kit.scripted import Clock
from tests.kit.settings import LIMITS, intervals, polling
from tests.kit.sqlite import migrated_url
from tests.store.conftest import new_game

HOUR = 3600.0
START = 1_800_000_000.0
PACE = intervals()
JUMPS = (-2 * HOUR, 2 * HOUR)
NOW = 1000.0
"""What the steady clock says: no time passes by it."""


@pytest.fixture(autouse=True)
def steady(monkeypatch):
    steady_by(monkeypatch, Clock(NOW))


class Watched:
    """Followers of one match at 0 seconds after START, on a clock that the test sets."""

    def __init__(self, status, *, kickoff, changed_at=None):
        self.wall = START
        self.provider = Provider()
        self.match = FollowedMatch(
            id="f1", match_id="1", endpoint=self.provider.endpoint.key, text=False, known={}, hints={}, status=status,
            kickoff=int(START + kickoff), changed_at=None if changed_at is None else START + changed_at, good_at=START,
        )  # fmt: skip
        self.followers = Followers(
            NoStore(),
            {self.provider.endpoint.key: self.provider},
            polling(),
            LIMITS,
            clock=lambda: self.wall,
            new_id=str,
            quarantine=Quarantine(),
        )
        self.followers._matches[self.match.id] = self.match

    async def poll(self):
        """Seconds until the next poll, after one now."""
        await self.followers.poll(self.match)
        return self.match.due - NOW

    def set_clock(self, seconds):
        """Seconds until the next poll, after the clock was set."""
        self.wall += seconds
        self.followers.clock_set(seconds)
        return self.match.due - NOW


@pytest.mark.parametrize("jump", JUMPS)
@pytest.mark.parametrize(
    ("status", "kickoff", "changed_at", "interval"),
    [
        (Status.SCHEDULED, 1800, None, PACE.before),
        (Status.LIVE, -1800, None, PACE.live),
        (Status.BREAK, -HOUR, None, PACE.pause),
        (Status.LIVE, -6.5 * HOUR, None, PACE.live),
        (Status.FINISHED, -3 * HOUR, -600, PACE.after + 600 * (PACE.after_growth - 1)),
        (Status.FINISHED, -49 * HOUR, -47 * HOUR, PACE.after_max),
    ],
    ids=["before kick-off", "live", "in a break", "very long", "after the end", "at the end of the window"],
)
async def test_a_match_keeps_its_intervals(status, kickoff, changed_at, interval, jump):
    """The plan that stands is not put off, and the next one is made as if nothing had happened, or sooner."""
    watched = Watched(status, kickoff=kickoff, changed_at=changed_at)
    before = await watched.poll()
    assert before == pytest.approx(interval, abs=1)
    assert watched.set_clock(jump) <= before
    after = await watched.poll()

    assert PACE.live - 1 <= after <= interval + 1
    if status is not Status.SCHEDULED:
        assert after == pytest.approx(interval, abs=1)
    assert watched.followers.matches == (watched.match,), "it is still followed"
    assert watched.set_clock(-jump) <= after
    assert await watched.poll() == pytest.approx(interval, abs=1)
    await watched.followers.stop()


async def test_a_clock_that_was_slow_makes_a_far_match_near():
    """Planned for in ten minutes by the old clock, it has begun by the new one: it is looked at within seconds."""
    watched = Watched(Status.SCHEDULED, kickoff=70 * 60)
    assert await watched.poll() == pytest.approx(600, abs=1)

    assert watched.set_clock(2 * HOUR) <= PACE.live
    assert await watched.poll() <= PACE.live


async def test_a_match_that_fails_keeps_its_distance():
    """Whatever the clock says, a provider that is to be spared is spared."""
    watched = Watched(Status.SCHEDULED, kickoff=70 * 60)
    watched.match.failures = 3
    watched.followers.schedule(watched.match, 500.0)

    assert watched.set_clock(2 * HOUR) == pytest.approx(500, abs=1)


@pytest.mark.parametrize("jump", JUMPS)
async def test_time_that_has_not_passed_is_no_silence(jump):
    """No alarm because of the jump; after a minute of real silence there is one, however the clock stands."""
    watched = Watched(Status.LIVE, kickoff=-1800)
    watched.set_clock(jump)
    with capture_logs() as lines:
        await watched.followers.watch_silence()
    assert lines == []
    watched.wall += 61
    with capture_logs() as lines:
        await watched.followers.watch_silence()

    assert [line["event"] for line in lines] == ["match.silent"]


async def test_what_is_declared_is_tried_again_at_once():
    """A second try that was planned by the old clock does not wait for the new one."""
    tried = []

    class Importer:
        async def kickoff(self, request):
            tried.append(wall[0])
            return START + 10 * HOUR

    wall = [START]
    entry = Liveblog(key="derby", organization=ORGANIZATION, provider="heim", match_id="1", lead=HOUR)
    declared = Declared((entry,), NoDeclared(), Importer(), clock=lambda: wall[0], quarantine=Quarantine())
    await declared.tick()
    await declared.tick()
    assert 1 == len(tried)
    wall[0] -= 2 * HOUR
    declared.clock_set(-2 * HOUR)
    await declared.tick()

    assert 2 == len(tried)


class NoDeclared(NoStore):
    async def read(self, query):
        return None


async def test_a_scheduled_event_is_published_once(tmp_path):
    """Forth, back and forth again over its time: one version step."""
    wall = [START]
    store = await store_at(migrated_url(tmp_path / "set.db"), clock=lambda: wall[0])
    game = await store.write(partial(insert_game, game=new_game(1)))
    due = int(START + HOUR)
    write = EventWrite.new(local_id="e1", document={"_type": "Svc::Model::Event"}, created_at=due, publish_at=due)
    await store.write(lambda unit: liveblogs.schedule(unit, liveblogs.lock_game(unit, game.id), write))
    versions = []
    for seconds in (0, 2 * HOUR, -2 * HOUR, 2 * HOUR):
        wall[0] += seconds
        await publish_due(store, lambda: wall[0], Quarantine())
        versions.append((await store.read(partial(liveblogs.require_game, name=game.id))).version)
    await store.close()

    assert versions == [game.version, game.version + 1, game.version + 1, game.version + 1]
