"""Failures and returns of the first source: nothing stands twice, nothing is left behind, nothing flaps, editors keep theirs."""

from __future__ import annotations

import pytest

from tests.kit.recordings import required
from tests.kit.soccer_courses import course, course_files
from tests.kit.wire_forms.forms import FORMS
from tests.simulation.sources.fail_over import FailOver

TIMES = 7
"""Failures of the first source in a match; all matches in all forms have more than two hundred."""


async def played(path, form, seed, times=TIMES):
    run = FailOver(course=course(path), form=FORMS[form], seed=seed, fail_times=times)
    with pytest.MonkeyPatch.context() as patch:
        await run.play(patch)
        await run.compare()
    return run


@pytest.mark.soak
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("path", course_files() or [None], ids=lambda path: path and path.stem)
async def test_every_match_survives_failures_of_its_first_source(path, form):
    required([path] if path else [])
    run = await played(path, form, 1)
    changes, crashes = run.process.lead_changes, run.process.crashes
    print(f"\n{run.failures} failures, {changes} changes of the lead, {crashes} crashes, {len(run.edits)} edits")  # noqa: T201
    assert run.found == []
