"""When a whole endpoint is left alone."""

import pytest

from mapping.rules.pacing import (
    ASK_AGAIN,
    Circuit,
    CircuitBreakerConfig,
    note_abandoned,
    note_failure,
    note_pause,
    note_success,
    pause_left,
    start_poll,
)

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
