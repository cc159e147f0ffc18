"""When to look again, by state, kick-off and cache."""

import pytest

from mapping.match.match import Status
from mapping.rules.pacing import align, backoff, interval, phase
from tests.kit.settings import intervals

PACE = intervals()
KICKOFF = 1_000_000.0


HOUR = 3600.0
DAY = 24 * HOUR


def wait(status, now, *, changed_at=None, pending=False, kickoff=KICKOFF):
    return interval(PACE, status, now=now, kickoff=kickoff, changed_at=changed_at, pending=pending)


@pytest.mark.parametrize(
    ("status", "offset", "expected"),
    [
        (Status.SCHEDULED, -86_400, 900), (Status.SCHEDULED, -3900, 300), (Status.SCHEDULED, -3600, 60),
        (Status.SCHEDULED, -30, 30), (Status.SCHEDULED, -1, 5), (Status.SCHEDULED, 60, 5),
        (Status.SCHEDULED, 7200, 60), (Status.LIVE, 60, 5), (Status.SHOOTOUT, 9000, 5), (Status.BREAK, 2800, 15),
        (Status.POSTPONED, 60, 900), (Status.LIVE, 9 * 3600, 60), (Status.BREAK, 9 * 3600, 60),
    ],
)  # fmt: skip
def test_the_interval_follows_the_state(status, offset, expected):
    """Far ahead rarely, in the hour before more often, at kick-off and while it runs at the live interval."""
    assert expected == wait(status, KICKOFF + offset)


@pytest.mark.parametrize(
    ("status", "offset", "changed", "expected"),
    [
        (Status.LIVE, 9 * HOUR, 60, 5), (Status.LIVE, 23 * HOUR, 7 * HOUR, 5),
        (Status.BREAK, 23 * HOUR, 7 * HOUR, 15), (Status.SHOOTOUT, 9 * HOUR, 60, 5),
        (Status.LIVE, 23 * HOUR, 8.1 * HOUR, 60), (Status.BREAK, 23 * HOUR, 8.1 * HOUR, 60),
        (Status.LIVE, 7 * HOUR, 20 * HOUR, 5), (Status.SCHEDULED, 9 * HOUR, 600, 5),
        (Status.SCHEDULED, 9 * HOUR, 2 * HOUR, 60), (Status.SCHEDULED, -DAY, 60, 900),
    ],
)  # fmt: skip
def test_a_match_that_outlasts_its_plan_counts_from_its_last_change(status, offset, changed, expected):
    """`changed` seconds after its last news: a long race keeps its interval, a silent match does not."""
    now = KICKOFF + offset
    assert expected == wait(status, now, changed_at=now - changed)


def test_a_moved_kickoff_plans_anew():
    """By a day: rarely until the hour before it, and the eight hours of a running match count from it."""
    moved = KICKOFF + DAY
    assert wait(Status.SCHEDULED, KICKOFF + 60, kickoff=moved, changed_at=KICKOFF) == 900
    assert wait(Status.SCHEDULED, moved - 30 * 60, kickoff=moved, changed_at=KICKOFF) == 60
    assert wait(Status.LIVE, moved + 7 * HOUR, kickoff=moved, changed_at=KICKOFF) == 5
    assert wait(Status.LIVE, moved - 60, kickoff=moved, changed_at=KICKOFF) == 5


@pytest.mark.parametrize("kickoff", [None, 0.0, KICKOFF - 20 * HOUR, KICKOFF + 4 * HOUR, KICKOFF + 365 * DAY])
@pytest.mark.parametrize("status", [status for status in Status if not status.over])
def test_no_placeholder_of_a_kickoff_stops_the_polls(status, kickoff):
    """Midnight, nothing or next year: a match that is not over is polled again, and a running one as often as it should be."""
    found = wait(status, KICKOFF, kickoff=kickoff, changed_at=KICKOFF - 60)
    assert found is not None
    assert PACE.live <= found <= PACE.far
    if status.running:
        assert found <= PACE.pause


def test_intervals_grow_after_the_end_and_then_stop():
    """Each interval is half as long again, up to the maximum, until the window closes."""
    now, waits = KICKOFF, []
    while (pause := wait(Status.FINISHED, now, changed_at=KICKOFF)) is not None:
        waits.append(pause)
        now += pause

    assert waits[:3] == [30, 45, 67.5]
    assert max(waits) == 3600
    assert 172_800 <= now - KICKOFF <= 172_800 + 3600


def test_what_waits_for_confirmation_keeps_the_live_interval():
    """A pending withdrawal is looked at every few seconds, after the end too, as long as anybody may confirm it."""
    assert wait(Status.FINISHED, KICKOFF + 90_000, changed_at=KICKOFF, pending=True) == 5
    assert wait(Status.FINISHED, KICKOFF + 172_800, changed_at=KICKOFF, pending=True) is None


@pytest.mark.parametrize(("fresh_for", "expected"), [(None, 5), (4.0, 4.05), (1.0, 5), (30.0, 5)])
def test_the_cache_is_met_just_after_expiry_but_never_stretches_the_interval(fresh_for, expected):
    """`max-age` may bring a poll forward a little, never delay it."""
    assert expected == align(PACE, 5, fresh_for)


def test_max_age_is_a_floor_when_requested():
    """With honour_max_age nobody polls before the cache expires."""
    assert align(intervals(honour_max_age=True), 5, 30.0) == 30.05


def test_failures_double_the_distance_up_to_a_bound():
    """Backing off is exponential, spread by jitter, and bounded."""
    waits = [backoff(PACE, 5, failures=n, jitter=0.5) for n in range(1, 12)]

    assert waits[:4] == [5, 10, 20, 40]
    assert max(waits) == 300
    assert backoff(PACE, 5, failures=1, jitter=0.0) == 3.75


@pytest.mark.parametrize(("requested", "expected"), [(60.0, 60.0), (0.1, 5.0), (99_999.0, 3600.0)])
def test_retry_after_is_honoured_within_an_hour(requested, expected):
    """The provider's own word counts, within bounds."""
    assert expected == backoff(PACE, 5, failures=1, jitter=0.5, retry_after=requested)


def test_phases_spread_matches_over_the_interval():
    """Matches that begin together are not polled together."""
    phases = {phase(str(n), 5) for n in range(100)}

    assert len(phases) == 100
    assert 0 <= min(phases) < max(phases) < 5
