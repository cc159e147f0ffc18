"""Alarms say what is true: one for a provider that was away, none for its matches, and an all-clear names what is well again."""

import asyncio
import json

import pytest

from ingest.alarms.alarm_kinds import Endings, lost_providers, silent_feeds
from ingest.alarms.alarms import AlarmMonitor, announcement
from ingest.kit.quarantine import Quarantine
from mapping.errors import UpstreamUnavailable
from tests.kit.opening import store_at
from tests.kit.outage import Flaky, Matches
from tests.kit.sqlite import migrated_url

AWAY = UpstreamUnavailable("the provider refuses connections")


class Announced:
    """Keeps what would be sent to the operator's address."""

    wanted = True

    def __init__(self):
        self.sent = []

    async def send(self, alarm, state):
        self.sent.append(json.loads(announcement(alarm, state)))
        return True

    async def close(self):
        """Nothing is open."""


class AlarmDesk:
    """Matches of one provider, and a monitor that looks after each step of the clock."""

    def __init__(self, store, clock, number, breaker_after=1):
        self.clock, self.announced = clock, Announced()
        self.matches = Matches(
            Flaky(), number=number, breaker_after=breaker_after, breaker_pause=0.01, backoff_max=300.0
        )
        self.monitor = self.restart(store)

    def restart(self, store):
        followers = self.matches.followers
        sources = {
            "feed_silent": lambda: silent_feeds(followers),
            "provider_lost": lambda: lost_providers(followers, 60),
        }
        return AlarmMonitor(
            store,
            sources,
            self.announced,
            clock=self.clock,
            quarantine=Quarantine(),
            alone=True,
            how_ended=Endings(followers),
        )

    async def pass_time(self, seconds, *, polled=()):
        """So long in steps of five seconds, in each of which these matches are polled and everything is looked at."""
        for _ in range(seconds // 5):
            self.matches.now += 5
            self.clock.now += 5
            for match in polled:
                await self.matches.followers.poll(match)
            await self.matches.followers.watch_silence()
            await self.monitor.look()

    async def until_tried(self):
        """The pause of the breaker is over, which goes by the steady clock."""
        (limiter,) = self.matches.followers.limiters.values()
        while limiter.paused_for():
            await asyncio.sleep(0.01)

    def said(self):
        return [(each["event_type"], each["kind"]) for each in self.announced.sent]


class Wall:
    now = 1_800_000_000.0

    def __call__(self):
        return self.now


@pytest.fixture
def wall():
    return Wall()


@pytest.fixture
async def store(tmp_path, wall):
    opened = await store_at(migrated_url(tmp_path / "alarms.db"), clock=wall)
    yield opened
    await opened.close()


@pytest.fixture
def watch(store, wall):
    return AlarmDesk(store, wall, 40)


async def test_a_provider_that_was_away_raises_one_alarm_and_its_matches_none(watch):
    """Forty running matches, away for five minutes; afterwards only one has been polled yet, the others wait for their turn."""
    provider, matches = watch.matches.provider, watch.matches.followers.matches
    await watch.pass_time(10, polled=matches)
    provider.does["*"] = AWAY
    await watch.pass_time(300, polled=matches[:3])
    assert watch.said() == [("alarm_began", "provider_lost")]

    del provider.does["*"]
    await watch.until_tried()
    await watch.pass_time(30, polled=matches[:1])
    await watch.pass_time(60, polled=matches)
    assert watch.said() == [("alarm_began", "provider_lost"), ("alarm_ended", "provider_lost")]
    began, ended = watch.announced.sent
    name = began["details"]["endpoint"]
    assert began["text"] == f"matchwire alarm: the endpoint {name} cannot be reached: the provider refuses connections"
    lasted = ended["ended_at"] - ended["began_at"]
    assert 295 <= lasted <= 305
    assert ended["text"] == f"matchwire recovered after {lasted:.0f} s: the endpoint {name} answers again"


async def test_the_other_matches_of_a_provider_that_is_back_are_polled_soon(watch):
    """Whatever their back-off was: nobody waits five minutes for a provider that answers others."""
    provider, followers = watch.matches.provider, watch.matches.followers
    provider.does["*"] = AWAY
    for match in followers.matches:
        match.failures = 8
    await followers.poll(followers.matches[0])
    for match in followers.matches:
        followers.schedule(match, 300.0)
    before = min(match.due for match in followers.matches)
    del provider.does["*"]
    await watch.until_tried()
    await followers.poll(followers.matches[0])
    assert max(match.due for match in followers.matches) < before - 200


async def test_a_match_that_alone_is_silent_is_an_alarm_whose_end_names_the_match(store, wall):
    """Its provider answers all others; the all-clear says that this match has answers again."""
    watch = AlarmDesk(store, wall, 40, breaker_after=5)
    provider, matches = watch.matches.provider, watch.matches.followers.matches
    ill = matches[7]
    provider.does[ill.match_id] = AWAY
    await watch.pass_time(120, polled=matches)
    assert watch.said() == [("alarm_began", "feed_silent")]
    del provider.does[ill.match_id]
    await watch.pass_time(10, polled=matches)
    ended = watch.announced.sent[-1]
    assert ended["event_type"] == "alarm_ended"
    assert f"the running match {ill.match_id} has good answers from " in ended["text"]


async def test_a_match_that_is_followed_no_more_is_not_said_to_answer_again(store, wall):
    """It was silent, and its liveblog was taken off it: nothing recovered."""
    watch = AlarmDesk(store, wall, 40, breaker_after=5)
    provider, followers = watch.matches.provider, watch.matches.followers
    ill = followers.matches[7]
    provider.does[ill.match_id] = AWAY
    await watch.pass_time(120, polled=followers.matches)
    del followers._matches[ill.id]
    await watch.pass_time(10, polled=followers.matches)
    ended = watch.announced.sent[-1]
    assert ended["text"].startswith("matchwire alarm over after ")
    assert f"the match {ill.match_id} is not followed any more" in ended["text"]


async def test_a_process_that_starts_again_ends_no_alarm_of_which_it_knows_nothing(watch, store):
    """The provider is still away: the new process has not heard of it yet, and gives no all-clear until it answers."""
    provider, clock = watch.matches.provider, watch.clock
    provider.does["*"] = AWAY
    await watch.pass_time(60, polled=watch.matches.followers.matches[:2])
    later = AlarmDesk(store, clock, 40)
    later.matches.provider.does["*"] = AWAY
    await later.pass_time(10)
    await later.pass_time(10, polled=later.matches.followers.matches[:2])
    assert later.said() == []
    del later.matches.provider.does["*"]
    await later.until_tried()
    await later.pass_time(10, polled=later.matches.followers.matches)
    assert later.said() == [("alarm_ended", "provider_lost")]
