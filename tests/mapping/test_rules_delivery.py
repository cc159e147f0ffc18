"""The interface's table of webhook states, row by row."""

import re

import pytest

from mapping.rules.webhook_delivery import (
    DAY,
    PLAN,
    Health,
    Verdict,
    after,
    expected_seconds,
    far,
    next_round,
    quick_pause,
    verdict,
)
from tests.kit.interface_tables import OURS, tables

NOW = 1_790_000_000.0
WEEK = 7 * DAY


@pytest.fixture(scope="module")
def promised():
    """What the reference says of each state."""
    table = next(each for each in tables(OURS.read_text(encoding="utf-8")) if each.heading == "Webhook deliveries")
    return {row[0]: row[1:] for row in table.rows}


def test_the_plan_holds_the_numbers_of_the_reference(promised):
    """Quick tries, pauses, gap, rounds and the rule of worn-out subscriptions are those of the table."""
    quick = promised["round"][0]
    assert [int(number) for number in re.findall(r"\d+", quick)][:2] == [PLAN.quick_min * 1000, PLAN.quick_max * 1000]
    assert "up to three more" in quick
    assert PLAN.quick == 3
    assert "next round 10 minutes later" in promised["failed round"][0]
    assert PLAN.gap == 600
    assert promised["given up"][0] == "after 12 rounds"
    assert PLAN.rounds == 12
    assert promised["subscription `active`"] == (
        "ten failed rounds in a row, first to last at least seven days apart", "`disabled`",
    )  # fmt: skip
    assert (PLAN.failures, PLAN.worn_after) == (10, WEEK)


@pytest.mark.parametrize(
    ("status", "meaning"),
    [
        (200, Verdict.TAKEN), (201, Verdict.TAKEN), (204, Verdict.TAKEN), (299, Verdict.TAKEN),
        (500, Verdict.PASSING), (502, Verdict.PASSING), (503, Verdict.PASSING), (599, Verdict.PASSING),
        (None, Verdict.PASSING),
        (300, Verdict.REFUSED), (301, Verdict.REFUSED), (307, Verdict.REFUSED), (304, Verdict.REFUSED),
        (400, Verdict.REFUSED), (401, Verdict.REFUSED), (404, Verdict.REFUSED), (410, Verdict.REFUSED),
        (429, Verdict.REFUSED), (199, Verdict.REFUSED), (600, Verdict.REFUSED),
    ],
)  # fmt: skip
def test_answers_mean_what_the_interface_says(status, meaning):
    """2xx is taken; network errors, time-outs and 5xx may pass; anything else fails the round at once."""
    assert verdict(status) is meaning


@pytest.mark.parametrize(
    ("result", "tries", "left", "jitter", "pause"),
    [
        (Verdict.PASSING, 1, 10, 0.0, 0.1), (Verdict.PASSING, 1, 10, 1.0, 0.9), (Verdict.PASSING, 3, 10, 0.5, 0.5),
        (Verdict.PASSING, 4, 10, 0.5, None), (Verdict.PASSING, 1, 0.3, 0.5, None),
        (Verdict.REFUSED, 1, 10, 0.5, None), (Verdict.TAKEN, 1, 10, 0.5, None),
    ],
)  # fmt: skip
def test_quick_tries(result, tries, left, jitter, pause):
    """Up to three, 100 to 900 ms apart, only for what may pass, and only within the time of the round."""
    found = quick_pause(PLAN, result, tries=tries, left=left, jitter=jitter)

    assert found == (None if pause is None else pytest.approx(pause))


@pytest.mark.parametrize(
    ("rounds", "retry_after", "wait"),
    [
        (1, None, 600), (11, None, 600), (12, None, None), (13, None, None), (1, 30, 600), (1, 900, 900),
        (1, 86_400, 3600), (1, 0, 600), (12, 900, None),
    ],
)  # fmt: skip
def test_rounds(rounds, retry_after, wait):
    """Ten minutes apart, put off by `Retry-After` up to an hour, never brought forward, given up after twelve."""
    assert next_round(PLAN, rounds=rounds, now=NOW, retry_after=retry_after) == (None if wait is None else NOW + wait)


def run(failures, times):
    health = Health()
    for success, at in zip(failures, times, strict=True):
        health = after(PLAN, health, success=success, now=at)
    return health


def spread(count, span):
    return [NOW + span * index / (count - 1) for index in range(count)]


@pytest.mark.parametrize(
    ("outcomes", "times", "disabled"),
    [
        ([False] * 10, spread(10, WEEK), True),
        ([False] * 9, spread(9, 4 * WEEK), False),
        ([False] * 10, spread(10, WEEK - 1), False),
        ([False] * 500, spread(500, WEEK - 1), False),
        ([False] * 9 + [True] + [False] * 9, spread(19, 4 * WEEK), False),
        ([False] * 9 + [True] + [False] * 10, spread(20, 4 * WEEK), True),
        ([True] * 30, spread(30, 4 * WEEK), False),
    ],
    ids=["ten in a week", "nine in a month", "a second short", "hundreds", "reset", "reset and again", "healthy"],
)  # fmt: skip
def test_a_subscription_is_worn_out_after_ten_failures_and_seven_days(outcomes, times, disabled):
    """Not before ten failures in a row, not before seven days, and one success resets both."""
    assert run(outcomes, times).disabled is disabled


def test_failures_are_counted_since_the_first():
    """The record says how many there were in a row and when they began."""
    assert run([True, False, False], [1.0, 2.0, 3.0]) == Health(failures=2, since=2.0, latest=3.0)


def test_a_clock_that_goes_back_never_disables():
    """A span that would be negative begins anew."""
    times = [*spread(9, 3600), NOW - 8 * DAY, NOW - 8 * DAY + 60]

    health = run([False] * 11, times)
    assert (health.failures, health.disabled, health.since) == (11, False, NOW - 8 * DAY)


def test_no_plan_reaches_beyond_far():
    """What is planned later than `far` was planned by another clock."""
    assert next_round(PLAN, rounds=1, now=NOW, retry_after=10**9) <= far(PLAN, NOW)


@pytest.mark.parametrize(
    ("took", "then"),
    [([4.0], 4.0), ([4.0, 2.0], 3.0), ([0.0, 4.0], 2.0), ([4.0, 0.0, 0.0], 1.0), ([1.0, 1.0, 1.0], 1.0)],
)
def test_what_a_round_is_likely_to_take(took, then):
    """The first one counts; each later one counts as much as all before it together."""
    found = None
    for each in took:
        found = expected_seconds(found, each)

    assert found == then
