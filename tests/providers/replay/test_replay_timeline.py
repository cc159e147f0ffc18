"""Which answer is shown when, by the clock and by steps."""

import pytest

from providers.replay import Replay, ReplaySettings
from tests.providers.replay.samples import Ticking, lines


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
