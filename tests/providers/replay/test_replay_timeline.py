"""Which answer is shown when, by the clock and by steps."""

from datetime import timedelta

import pytest

from providers.replay import Line, Replay, ReplaySettings
from tests.providers.replay.samples import NOW, Ticking, at, lines


def replay_of(recorded=None, ticking=None, **settings):
    ticking = ticking or Ticking()
    return Replay(
        lines() if recorded is None else recorded,
        ReplaySettings(**settings),
        monotonic=ticking.monotonic,
        wall=ticking.wall,
    )


def place(replay, kind="match-event", match_id="1"):
    entry = replay.shown(match_id, kind)
    return None if entry is None else entry.due


def test_the_first_answer_is_the_start():
    """By default the first recorded answer of a match is shown at once, and others at their distance from it."""
    ticking = Ticking()
    replay = replay_of(ticking=ticking, speed=10)
    assert (place(replay, "match"), place(replay)) == (0, None)

    ticking.seconds = 6.9
    assert place(replay) is None

    ticking.seconds = 7
    assert (place(replay, "match"), place(replay)) == (60, 70)


@pytest.mark.parametrize(("start", "due"), [("0", 0), ("kickoff", 0), ("kickoff-30", -30), ("end", -1200)])
def test_a_start_shows_the_latest_answer_before_it(start, due):
    """What happened before the start is there already."""
    assert due == place(replay_of(start_at=start), "match")


def test_last_good_is_what_is_served_when_settled():
    """The bodies that a test compares with are those on the wire, dates moved."""
    replay = replay_of()
    replay.settle()

    good = replay.last_good("1")

    assert {"match", "match-event", "liveticker"} == good.keys()
    assert good["match-event"] == replay.document(replay.shown("1", "match-event"))
    assert good["match-event"][1]["created"] == "14.03.2026 16:25:43"  # 15:17 after kick-off, which is NOW + 1 minute


def test_steps_show_one_answer_after_the_other():
    """Without a clock nothing is shown before the first step, and every step shows exactly the next answer."""
    replay = replay_of(step=True)
    assert place(replay, "match") is None

    shown = [replay.step() for _ in range(len(lines()))]

    assert [line.resource for line in lines()] == [line.resource for line in shown]
    assert replay.finished
    assert replay.step() is None


def test_restart_plays_again_now():
    """After a restart the first answer is shown, its dates are those of the new start, and faults are off."""
    ticking = Ticking()
    replay = replay_of(ticking=ticking, speed=60)
    before = replay.document(replay.shown("1", "match"))["match"]["match_time"]
    replay.faults.add("500")
    ticking.seconds = 3600
    assert replay.finished

    replay.restart()

    after = replay.document(replay.shown("1", "match"))["match"]["match_time"]
    assert (before, after) == ("16:09", "17:09")
    assert (replay.finished, replay.faults.active) == (False, ())


def test_kickoff_is_now_at_any_speed():
    """At twenty times the kick-off a minute away is three seconds away, and every later date keeps that pace."""
    replay = replay_of(speed=20, start_at="kickoff-60")
    replay.seek_end()

    document = replay.last_good("1")

    assert (document["match"]["match"]["match_date"], document["match"]["match"]["match_time"]) == (
        "14.03.2026",
        "16:09",
    )
    # 60 s + 917 s at twenty times are 48.85 s after 16:09:26
    assert document["match-event"][1]["created"] == "14.03.2026 16:10:14"


def test_the_running_period_is_as_old_as_it_was():
    """Who counts from the start of the period reads the recorded minute, whatever the speed."""
    ticking = Ticking()
    late = Line.of(at(600), "match/ma1", lines()[1].body)
    replay = replay_of([*lines()[:2], late], ticking=ticking, speed=20)
    ticking.seconds = 40  # 800 virtual seconds: the answer of 660 is shown for 140 of them, 7 real ones

    started = replay.document(replay.shown("1", "match"))["match"]["current_period_start"]

    # shown since 15:09:59, ten minutes into the half
    assert started == "2026-03-14 15:59:59"
    assert timedelta(seconds=40) + NOW == ticking.wall()
