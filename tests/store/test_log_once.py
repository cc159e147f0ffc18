"""Logging once when something breaks and once when it recovers."""

from __future__ import annotations

import structlog

from store.engine.log_once import LogOnce


def test_a_row_of_failures_is_logged_once_and_its_end_once():
    """Of many failures in a row the first one is logged, and so is the first success after them."""
    once = LogOnce("part.lost", "part.recovered")
    with structlog.testing.capture_logs() as entries:
        once.worked()
        for number in range(3):
            once.failed(cause=f"cause {number}")
        once.worked(seconds=3)
        once.worked(seconds=4)

    assert entries == [
        {"event": "part.lost", "cause": "cause 0", "log_level": "warning"},
        {"event": "part.recovered", "seconds": 3, "log_level": "info"},
    ]


def test_another_cause_is_logged_where_each_cause_counts():
    """With `each_cause` a failure is logged again as soon as its cause is another one."""
    once = LogOnce("part.lost", "part.recovered", "error", each_cause=True)
    with structlog.testing.capture_logs() as entries:
        logged = [once.failed(cause=cause) for cause in ("a", "a", "b", "b", "a")]

    assert logged == [True, False, True, False, True]
    assert [(entry["cause"], entry["log_level"]) for entry in entries] == [(each, "error") for each in "aba"]


def test_what_breaks_again_is_logged_again():
    """After a recovery the next failure is the first one of a new row."""
    once = LogOnce("part.lost", "part.recovered")
    with structlog.testing.capture_logs() as entries:
        for _ in range(2):
            once.failed(cause="gone")
            once.worked()

    assert [entry["event"] for entry in entries] == ["part.lost", "part.recovered"] * 2
