"""Any history of answers, people, settings and moves ends as a small model says; and what breaks a rule is found by it."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest

from tests.kit.simulation import PLANTED as PLANTED_IN_PROCESSES
from tests.simulation.histories import play
from tests.simulation.invariants import Violation
from tests.simulation.planted import PLANTED

HISTORIES, IN_PROOF, AT_ONCE, BOUNDED = 48, 152, 8, 5
"""So many in every run and in a proof, in groups, of fewer steps than in the soak."""
SOAK_HISTORIES = 20_000
WITHIN = 60
"""Histories within which a planted fault has to be found: well below those of every run."""
SAMPLE = tuple(PLANTED)[::5]
"""Whether histories find faults is a question about them, and not about the product: a proof asks of one in five."""
GROUPS = [
    pytest.param(first, marks=() if first < HISTORIES else pytest.mark.proof) for first in range(0, IN_PROOF, AT_ONCE)
]


@pytest.mark.parametrize("first", GROUPS)
def test_a_history_ends_as_the_model_says(first):
    for seed in range(first, first + AT_ONCE):
        play(seed, BOUNDED)


@pytest.mark.soak
def test_very_many_histories_end_as_the_model_says():
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        for _ in pool.map(play, range(IN_PROOF, IN_PROOF + SOAK_HISTORIES), chunksize=30):
            pass


def said(seed):
    """How the history breaks a promise, None where it breaks none."""
    try:
        play(seed)
    except Violation as error:
        return str(error)
    except Exception as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        return f"{type(error).__name__}: {error}"
    return None


@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=pytest.mark.proof if each in SAMPLE else pytest.mark.soak) for each in PLANTED]
)
def test_a_planted_fault_is_found(name, monkeypatch):
    wanted, plant = PLANTED[name]
    plant(monkeypatch)
    found = next(filter(None, map(said, range(WITHIN))), "nothing")
    assert found.startswith(wanted), found


def test_there_is_a_planted_fault_for_every_promise_and_rule():
    assert len(PLANTED) + len(PLANTED_IN_PROCESSES) >= 50
