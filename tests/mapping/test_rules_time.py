"""The clock that readers see, whose time it was until a post was there, and rules of waiting: circuits, buckets, versions."""

import pytest

from mapping.documents.game import TimingType
from mapping.liveblog.display_clock import DISPLAYS, display, phase_length, played_before
from mapping.rules.lateness import ANSWERS, iso_instant, lateness, verdict, whose
from mapping.rules.pacing import (
    ASK_AGAIN,
    Circuit,
    CircuitBreakerConfig,
    TokenBucket,
    note_abandoned,
    note_failure,
    note_pause,
    note_success,
    parse_retry_after,
    pause_left,
    start_poll,
)
from mapping.rules.webhook_delivery import first_after_restore, known_since
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


T = 1_800_000_000_000


@pytest.mark.parametrize(
    ("said", "unsaid", "answered", "believed", "committed", "begins"),
    [
        (T, T + 40_000, T + 44_000, T + 44_010, T + 44_050, "provider"),
        (T, T + 1_000, T + 16_000, T + 16_010, T + 16_050, "provider or us, between two polls"),
        (T, None, T + 16_000, T + 16_010, T + 16_050, "nobody: it was said before the match was followed"),
        (T, T - 1_000, T + 3_000, T + 12_000, T + 12_050, "confirmation"),
        (T, T - 1_000, T + 1_000, T + 1_010, T + 21_050, "us"),
        (None, T - 1_000, T + 4_000, T + 4_010, T + 4_050, "provider or us, between two polls"),
        (T, T - 100, T + 200, T + 210, T + 250, "nobody: nothing"),
        (T + 9_000, T - 100, T + 200, T + 210, T + 250, "nobody: the provider's clock is 8.750 s ahead"),
        (None, None, T, T, None, "nobody: nothing"),
    ],
)
def test_the_longest_part_is_whose_time_it_was(said, unsaid, answered, believed, committed, begins):
    """Also where some instants are not known, and where the provider's clock is ahead of ours."""
    found = lateness(said=said, unsaid=unsaid, answered=answered, believed=believed, committed=committed)
    assert verdict(found).startswith(begins)
    assert ANSWERS[whose(found)].startswith(begins[:10])


def test_the_parts_are_the_whole():
    """From what the provider says until readers could have it, no millisecond is missing or there twice."""
    found = lateness(said=T, unsaid=T + 40_000, answered=T + 44_000, believed=T + 44_010, committed=T + 44_050)
    assert sum(filter(None, (found.provider, found.between, found.waited, found.written))) == pytest.approx(found.total)


def test_instants_are_shown_in_utc_with_milliseconds():
    """Also those before the epoch's first second, and whole ones."""
    assert [iso_instant(each) for each in (None, T, T + 7)] == [
        None,
        "2027-01-15T08:00:00.000Z",
        "2027-01-15T08:00:00.007Z",
    ]


NOW = 1_750_000_000.0
"""Sunday, 15 June 2025, 15:06:40 GMT."""


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("30", 30.0), (" 90 ", 90.0), ("-5", -5.0), ("999999999999", 999_999_999_999.0), ("9" * 13, None),
        ("1.5", None), ("soon", None), ("", None), (None, None), ("nan", None),
        ("Sun, 15 Jun 2025 15:07:40 GMT", 60.0), ("Sun, 15 Jun 2025 15:05:40 GMT", -60.0),
        ("Sun, 99 Jun 2025 99:07:40 GMT", None),
    ],
)  # fmt: skip
def test_seconds_or_a_date(value, seconds):
    """Seconds from now, unbounded: bounds are the caller's. Nonsense asks for nothing."""
    assert parse_retry_after(value, NOW) == seconds


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


RULE = CircuitBreakerConfig(breaker_after=3, breaker_pause=30, refused=600, lasting=1)


def after(*steps, rule=RULE, circuit=None):
    """The circuit after `("good", at)`, `("bad", began, at)`, `("refused", began, at)`, `("asked",)` …"""
    circuit = circuit or Circuit()
    for name, *times in steps:
        match name:
            case "good":
                circuit = note_success(circuit, times[0])
            case "bad" | "refused":
                circuit = note_failure(rule, circuit, began=times[0], now=times[1], refused=name == "refused")
            case "asked":
                circuit = start_poll(circuit)
            case "stopped":
                circuit = note_abandoned(circuit)
            case "away":
                circuit = note_pause(circuit, now=times[0], seconds=times[1])
    return circuit


OUTAGE = (("bad", 10, 10.1), ("bad", 10.5, 10.6), ("bad", 11.5, 11.6))


@pytest.mark.parametrize(
    ("steps", "is_open", "wait"),
    [
        ((), False, 0),
        (OUTAGE[:2], False, 0),
        (OUTAGE, True, 29.6),
        ((("refused", 10, 10.1), ("refused", 10.5, 10.6), ("refused", 11.5, 11.6)), True, 599.6),
        ((("bad", 10, 10.1), ("bad", 10.2, 10.3), ("bad", 10.4, 10.5)), False, 0),
        ((*OUTAGE[:2], ("good", 11), OUTAGE[2]), False, 0),
        ((("good", 11), ("bad", 1, 11.1), ("bad", 1, 11.5), ("bad", 1, 11.9)), False, 0),
        ((("away", 12, 5),), False, 5),
        ((("away", 12, 5), ("good", 12)), False, 5),
        ((("away", 12, 0.01),), False, 1),
        ((("away", 12, 1e9),), False, 3600),
        ((*OUTAGE, ("away", 12, 60)), True, 60),
        ((*OUTAGE, ("away", 12, 60), ("good", 12)), False, 0),
    ],
    ids=[
        "nothing known", "too few", "a row", "refused credentials", "a row that is too short",
        "a good answer between", "started before the last good answer", "asked for distance",
        "distance survives a good answer", "at least a second", "at most an hour", "longest wins", "good again",
    ],
)  # fmt: skip
def test_a_row_of_failures_opens_the_circuit(steps, is_open, wait):
    """So many failures in a row that started after the last good answer and last a second, and nothing else."""
    circuit = after(*steps)

    assert (is_open, pytest.approx(wait)) == (circuit.open, pause_left(circuit, 12))


def test_one_trial_after_the_pause():
    """Once the pause is over one poll is let through, the others wait for how it ends."""
    circuit = after(*OUTAGE)

    assert pause_left(circuit, 41.7) == 0
    trying = start_poll(circuit)
    assert pause_left(trying, 41.7) == ASK_AGAIN
    assert pause_left(after(("bad", 41.7, 42), circuit=trying), 42) == 30
    assert after(("good", 42), circuit=trying) == Circuit(good_at=42)
    assert pause_left(after(("stopped",), circuit=trying), 42) == 0


def test_stragglers_do_not_lengthen_the_pause():
    """A poll that was under way when the circuit opened and fails after that changes nothing."""
    circuit = after(*OUTAGE)

    assert circuit == after(("bad", 11, 20), circuit=circuit)


def test_a_closed_circuit_has_no_trials():
    """While all is well any number of polls may be under way."""
    assert pause_left(start_poll(Circuit()), 0) == 0


RESTORED = first_after_restore(1_780_000_000)


@pytest.mark.parametrize(
    ("since", "version", "known"),
    [
        (0, 7, 0),
        (3, 7, 3),
        (7, 7, 7),
        (8, 7, 0),  # of the future
        (7, RESTORED, 0),  # of before the restore
        (7, RESTORED + 9, 0),
        (RESTORED, RESTORED + 9, RESTORED),
        (RESTORED + 9, first_after_restore(1_780_000_001), 0),  # of before another one
    ],
)
def test_a_reader_goes_on_from_versions_of_the_same_database_alone(since, version, known):
    assert known == known_since(since, version)


def test_versions_after_a_restore_fit_into_every_client():
    """JSON's whole numbers, and the fifteen digits of `Last-Event-ID`, until the year 2286."""
    assert first_after_restore(9_999_999_999) < 10**15 < 2**53
