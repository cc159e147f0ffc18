"""The clock that readers see, for every timing type."""

import pytest

from mapping.documents.game import TimingType
from mapping.rules.clock import DISPLAYS, display, phase_length, played_before
from mapping.sports import SPORTS

START = 1_475_168_460
SOCCER = SPORTS["soccer"].timing.document()


def options(timing_type, *, length=45, phases=2, overtime=15, overtimes=2):
    return {
        "timing_type": timing_type,
        "regular_phase_length": length,
        "num_regular_phases": phases,
        "overtime_phase_length": overtime,
        "num_overtime_phases": overtimes,
    }


def running(phase, **more):
    return {"gamestate": 1, "recurrence": phase, "check_time": START, "check_seconds": 0, "is_break": False, **more}


HOCKEY = {"length": 20, "phases": 3, "overtime": 5, "overtimes": 1}

SHOWN = [
    ("aui", {}, 1, 0, "1"), ("aui", {}, 1, 14 * 60 + 57, "15"), ("aui", {}, 1, 44 * 60 + 59, "45"),
    ("aui", {}, 1, 45 * 60, "45+1"), ("aui", {}, 1, 46 * 60 + 30, "45+2"), ("aui", {}, 2, 0, "46"),
    ("aui", {}, 2, 45 * 60, "90+1"), ("aui", {}, 3, 0, "91"), ("aui", {}, 3, 15 * 60, "105+1"),
    ("aui", {}, 4, 15 * 60 - 1, "120"), ("aui", {}, 5, 0, ""), ("aui", {}, 0, 0, ""),
    ("au", {}, 1, 46 * 60 + 30, "47"), ("au", {}, 2, 0, "46"), ("aud", {}, 2, 21 * 60, "67"),
    ("u", HOCKEY, 2, 7 * 60 + 4, "7:04"), ("u", HOCKEY, 2, 20 * 60 + 9, "20:00"), ("u", HOCKEY, 4, 65, "1:05"),
    ("d", HOCKEY, 3, 0, "20:00"), ("d", HOCKEY, 3, 7 * 60 + 4, "12:56"), ("d", HOCKEY, 3, 21 * 60, "0:00"),
    ("d", HOCKEY, 4, 61, "3:59"),
]  # fmt: skip


@pytest.mark.parametrize(("timing_type", "lengths", "phase", "elapsed", "expected"), SHOWN)
def test_the_clock_shows(timing_type, lengths, phase, elapsed, expected):
    """A running phase is shown by the rule of its timing type."""
    assert display(options(timing_type, **lengths), running(phase), START + elapsed) == expected


def test_every_timing_type_has_a_display():
    """The types that the documents allow and those that can be shown are the same."""
    assert set(TimingType.__args__) == set(DISPLAYS)


@pytest.mark.parametrize(
    "state",
    [
        running(1, gamestate=0),
        running(4, gamestate=2),
        running(2, gamestate=31),
        running(1, is_break=True, check_seconds=2820),
        running(1, check_time=None),
        {"gamestate": 1},
        {},
        None,
    ],
    ids=["before", "shoot-out", "after", "break", "no time", "no phase", "empty", "none"],
)
def test_no_clock_is_shown_while_nothing_is_played(state):
    """Before, after, in breaks and shoot-outs, and where the state does not say enough, the clock is empty."""
    assert display(SOCCER, state, START + 600) == ""


@pytest.mark.parametrize("broken", [None, {}, options("xyz"), options(None), {"timing_type": "aui"}])
def test_no_clock_is_shown_without_its_rules(broken):
    """Options that are missing, unknown or incomplete give an empty clock and no error."""
    assert display(broken, running(1), START + 600) == ""


def test_the_clock_counts_on_from_the_seconds_that_were_checked():
    """`check_seconds` had passed in the phase when the state was taken."""
    assert display(SOCCER, running(1, check_seconds=600), START + 60) == "12"


def test_the_clock_stands_still_in_a_time_out():
    """During a time-out the clock keeps what it showed."""
    state = running(2, check_seconds=424, timeout=True)

    assert {display(options("d", **HOCKEY), state, START + later) for later in (0, 50, 5000)} == {"12:56"}


def test_a_state_from_the_future_counts_from_its_beginning():
    """A clock of ours that lags behind the provider's never shows negative time."""
    assert display(SOCCER, running(1), START - 30) == "1"


def test_phases_have_the_length_of_their_kind():
    """Regular phases come first, then overtime; there is nothing beyond them."""
    assert [phase_length(SOCCER, phase) for phase in range(6)] == [0, 2700, 2700, 900, 900, 0]
    assert [played_before(SOCCER, phase) for phase in (1, 2, 3, 4, 5)] == [0, 2700, 5400, 6300, 7200]
