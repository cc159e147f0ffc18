"""Failures and returns of the first source: nothing stands twice, nothing is left behind, nothing flaps, editors keep theirs."""

import sys
from collections import Counter

import pytest

from mapping.fusion.source_chain import lead_changes
from tests.kit.hand_driven import HandDriven, steady_by
from tests.kit.recordings import required
from tests.kit.sampling import sampled
from tests.kit.scripted import Clock
from tests.kit.soccer_courses import course, course_files
from tests.kit.wire_forms.forms import FORMS
from tests.simulation.inline_store import InlineStore
from tests.simulation.sources.fail_over import PACE, RULES, FailOver

pytestmark = pytest.mark.proof

FAILURES = 7
"""Failures of the first source in a match of the soak; all matches in all forms have more than two hundred."""
SECOND, MATCH = "openligadb", "ma2226833"
"""The form of the one second source that is not the second of three below, and the match that is played in it."""


async def played(path, form, seed, failures, third=None, **how):
    run = FailOver(
        course=course(path), form=FORMS[form], third=FORMS.get(third), seed=seed, fail_times=failures, **how
    )  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        await run.play(patch)
        await run.compare()
    return run


async def test_a_match_survives_failures_of_its_first_source():
    """Also where the second one lacks goals, has others and says them in its own way until all is well."""
    (path,) = required([each for each in course_files() if MATCH in each.name])
    run = await played(path, SECOND, 4, 4, differing=True)
    assert run.found == []
    assert run.process.lead_changes >= 2
    assert run.process.crashes > 0


THREE = {"ma2309737": ("pa", "statsperform"), "ma2226833": ("statsperform", "openligadb")}
"""Match → the forms of its second and third source. The ids of incidents of the first two forms are the same ones."""


@pytest.mark.parametrize("match", sampled(THREE, MATCH.__eq__))
async def test_a_match_of_three_sources_survives_failures_of_two(match):
    """The third one leads where both others fail, and each gives back to those before it."""
    (path,) = required([each for each in course_files() if match in each.name])
    second, third = THREE[match]
    run = await played(path, second, 0, 5, third)
    assert run.found == []
    states = await run.process.states(run.paired)
    assert {each.place for each in lead_changes(states)} == {0, 1, 2}


@pytest.mark.parametrize("form", FORMS)
async def test_changes_of_the_lead_between_sources_that_agree_write_nothing(form):
    """The store has the version that it had, however the first one fails and comes back."""
    (path,) = required([each for each in course_files() if MATCH in each.name])
    played = course(path)
    at = len(played.kept) * 2 // 3
    clock = Clock(float(played.truth[0].kickoff or 0))
    with pytest.MonkeyPatch.context() as patch:
        steady_by(patch, clock)
        store = InlineStore(lambda: clock.now, lambda _: None)
        process = HandDriven(store, played.match_id, form=FORMS[form], clock=clock, rules=RULES, pace=PACE)
        process.says(played.bodies[at], played.kept[at], 0)
        liveblog = await process.create()
        await process.stand_by(liveblog)
        await process.pass_seconds(200)
        before = (await process.game(liveblog)).version
        for how in ("5xx", "silent"):
            process.fail(how)
            await process.pass_seconds(200)
            process.fail(None)
            await process.pass_seconds(400)
    assert process.lead_changes == 4
    assert (await process.game(liveblog)).version == before


@pytest.mark.soak
@pytest.mark.parametrize("differing", [False, True], ids=["agreeing", "differing"])
async def test_every_match_survives_two_hundred_failures_of_its_first_source(differing):
    """All matches in all forms, and in pairs of them, each with delays of its own."""
    counted, wrong = Counter(), []
    forms = [(form, None) for form in FORMS] + [
        ("pa", "statsperform"),
        ("statsperform", "openligadb"),
        ("openligadb", "pa"),
    ]
    for path in required(course_files()):
        for form, third in forms:
            run = await played(path, form, 1, FAILURES, third, differing=differing)
            wrong += [(path.stem, form, third, each) for each in run.found]
            counted.update(
                failures=run.failures,
                changes=run.process.lead_changes,
                crashes=run.process.crashes,
                edits=len(run.edits),
            )
    print(f"\n{dict(counted)}", file=sys.stderr)  # noqa: T201 -- the figures of the run
    assert wrong == []
    assert counted["failures"] >= 200
