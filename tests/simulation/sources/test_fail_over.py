"""Failures and returns of the first source: nothing stands twice, nothing is left behind, nothing flaps, editors keep theirs."""

from __future__ import annotations

import sys
from collections import Counter

import pytest

from tests.kit.recordings import required
from tests.kit.soccer_courses import course, course_files
from tests.kit.wire_forms.forms import FORMS
from tests.simulation.sources.fail_over import FailOver

FAILURES = 7
"""Failures of the first source in a match of the soak; all matches in all forms have more than two hundred."""
FEW = {"pa": "ma2309737", "statsperform": "ma8315073", "openligadb": "ma2226833"}
"""Form → the match that is played in it in every run."""


async def played(path, form, seed, failures):
    run = FailOver(course=course(path), form=FORMS[form], seed=seed, fail_times=failures)
    with pytest.MonkeyPatch.context() as patch:
        await run.play(patch)
        await run.compare()
    return run


@pytest.mark.parametrize("form", FEW)
async def test_a_match_survives_failures_of_its_first_source(form):
    (path,) = required([each for each in course_files() if FEW[form] in each.name])
    run = await played(path, form, 0, 4)
    assert run.found == []
    assert run.process.lead_changes >= 2
    assert run.process.crashes > 0


@pytest.mark.soak
async def test_every_match_survives_two_hundred_failures_of_its_first_source():
    """All matches in all forms, each with a delay of the second source of its own."""
    counted, wrong = Counter(), []
    for path in required(course_files()):
        for form in FORMS:
            run = await played(path, form, 1, FAILURES)
            wrong += [(path.stem, form, each) for each in run.found]
            counted.update(
                failures=run.failures,
                changes=run.process.lead_changes,
                crashes=run.process.crashes,
                edits=len(run.edits),
            )
    print(f"\n{dict(counted)}", file=sys.stderr)  # noqa: T201 -- the figures of the run
    assert wrong == []
    assert counted["failures"] >= 200
