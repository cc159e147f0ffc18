"""Two sources of a match through failures, returns, edits and crashes: no duplicate, no ghost, no flap, no edit lost."""

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
    print(
        f"\n{run.failures} failures, {run.process.lead_changes} changes of the lead, {run.process.crashes} crashes, {len(run.edits)} edits"
    )
    assert run.found == []
