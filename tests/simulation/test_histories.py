"""Any history of answers, people, settings and moves ends as a small model says; and what breaks a rule is found by it."""

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest

from tests.simulation.histories import History, check
from tests.simulation.invariants import Violation
from tests.simulation.plants import PLANTS, planted, seek
from tools.mutants import apply

HISTORIES, IN_PROOF, AT_ONCE, BOUNDED = 48, 104, 8, 5
"""So many in every run and in a proof, in groups, of fewer steps than in the soak."""
SOAK_HISTORIES = 20_000
SEED = 2
"""Of a history whose steps are: a restart twice, then a withdrawal."""
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


@pytest.mark.proof
@pytest.mark.parametrize("plant", PLANTS[::24], ids=lambda plant: plant.rule)
def test_a_planted_fault_is_found(plant):
    """Those that are found at once; whether histories find all of them is a question about histories: `make mutants` asks it."""
    assert seek(plant).said


def test_every_plant_changes_a_line_that_is_there():
    """Whoever moves a guard moves its plant."""
    assert all(map(planted, PLANTS))


def test_a_failing_history_is_printed_in_as_few_steps_as_still_fail(monkeypatch):
    """Of four steps the one is left without which nobody sees that a withdrawal is ignored, with how to play it alone."""
    (ignored,) = (each for each in PLANTS if each.rule == "What the provider takes back is taken back.")
    apply(planted(ignored), monkeypatch.setattr)
    monkeypatch.setattr(History, "_steps", lambda history: [history._restart, history._withdraw])
    with pytest.raises(Violation, match="other posts are public") as found:
        check(SEED, range(4))
    history, alone = found.value.__notes__

    assert f"(seed={SEED}: withdraw)" == history
    assert alone.endswith(f"python -m tests.simulation.histories {SEED} 2")
