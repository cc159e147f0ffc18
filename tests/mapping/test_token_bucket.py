"""The token bucket, by the clock of its caller."""

import pytest

from mapping.rules.pacing import TokenBucket


def test_requests_keep_to_the_rate():
    """What was not used in the last second may come at once, the rest in even steps."""
    bucket = TokenBucket(10, 10)
    waits = [bucket.reserve(100.0, 2) for _ in range(8)]

    assert waits == pytest.approx([0, 0, 0, 0, 0, 0, 0.2, 0.4])
    unlimited = TokenBucket(0, 0)
    assert [unlimited.reserve(0, 3) for _ in range(3)] == [0, 0, 0]


def test_a_burst_and_then_one_token_after_the_other():
    """A full bucket gives its burst at once; after that a token comes every 1 / rate seconds, and never more than the burst."""
    bucket = TokenBucket(4, 2)
    assert [bucket.take(50.0) for _ in range(3)] == [True, True, False]
    assert bucket.wait(50.0) == 0.25
    assert not bucket.take(50.2)
    assert bucket.take(50.25)
    assert bucket.level(1000.0) == 2


def test_a_refusal_costs_nothing():
    """Who asks too early and too often is not put off by it."""
    bucket = TokenBucket(1, 1)
    assert bucket.take(10.0)
    assert not any(bucket.take(10.0 + each / 10) for each in range(10))
    assert bucket.take(11.0)


def test_no_limit():
    """A rate of nothing gives every token at once."""
    bucket = TokenBucket(0, 0)
    assert all(bucket.take(0.0) for _ in range(100))
    assert bucket.wait(0.0, 5) == 0
