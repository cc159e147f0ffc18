"""Any history of answers, people, settings and moves ends as a small model says; and what breaks a rule is found by it."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest

from tests.simulation.histories import broken, check
from tests.simulation.invariants import Violation
from tests.simulation.planted import PLANTED

HISTORIES, IN_PROOF, AT_ONCE, BOUNDED = 48, 152, 8, 5
"""So many in every run and in a proof, in groups, of fewer steps than in the soak."""
SOAK_HISTORIES = 20_000
WITHIN = 100
"""Histories within which a planted fault has to be found: well below those of a proof."""
SAMPLE = tuple(PLANTED)[::5]
"""Whether histories find faults is a question about them, and not about the product: a proof asks of one in five."""
GROUPS = [
    pytest.param(first, marks=() if first < HISTORIES else pytest.mark.proof) for first in range(0, IN_PROOF, AT_ONCE)
]


@pytest.mark.parametrize("first", GROUPS)
def test_a_history_ends_as_the_model_says(first):
    for seed in range(first, first + AT_ONCE):
        check(seed, range(BOUNDED))


@pytest.mark.soak
def test_very_many_histories_end_as_the_model_says():
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        for _ in pool.map(check, range(IN_PROOF, IN_PROOF + SOAK_HISTORIES), chunksize=30):
            pass


@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=pytest.mark.proof if each in SAMPLE else pytest.mark.soak) for each in PLANTED]
)
def test_a_planted_fault_is_found(name, monkeypatch):
    wanted, plant = PLANTED[name]
    plant(monkeypatch)
    found = next(filter(None, map(broken, range(WITHIN))), "nothing")
    assert found.startswith(wanted), found


def test_a_failing_history_is_printed_in_as_few_steps_as_still_fail(monkeypatch):
    """Of four steps the two are left without which nobody sees that a withdrawal is ignored, with how to play them alone."""
    PLANTED["a withdrawal is ignored"][1](monkeypatch)
    with pytest.raises(Violation, match="what is withdrawn stays for ever") as found:
        check(1, (0, 2, 4, 7))
    history, alone = found.value.__notes__

    assert "(seed=1: switch_posting withdraw)" == history
    assert alone.endswith("python -m tests.simulation.histories 1 4 7")
