"""What is wrong with a liveblog on a match, the worst first: where it has two sources, what the standby makes good comes last."""

from dataclasses import replace

import pytest

from mapping.desk.match_trouble import ONE_SOURCE, MatchFacts, Trouble, place_of, troubles_of

NOW, ALLOWED = 1_000.0, 60.0
WELL = MatchFacts(
    status="live", kickoff=1, answered_at=NOW - 5, alarms=frozenset(), refused=False, left_out=False, failing=False,
    pending=False, clock_stopped=False, drafts=0,
)  # fmt: skip
LEADS = replace(ONE_SOURCE, standby_leads=True)
CHOSEN = replace(LEADS, by_person=True)


def found(sources, **facts):
    return troubles_of(replace(WELL, sources=sources, **facts), now=NOW, allowed=ALLOWED)


@pytest.mark.parametrize(
    ("sources", "facts", "expected"),
    [
        (None, {}, ()),
        (ONE_SOURCE, {}, ()),
        (LEADS, {}, (Trouble.STANDBY_LEADS,)),
        (LEADS, {"answered_at": NOW - 90}, (Trouble.STANDBY_LEADS, Trouble.SILENT)),
        (LEADS, {"alarms": frozenset({"provider_lost"})}, (Trouble.STANDBY_LEADS, Trouble.LOST)),
        (
            LEADS,
            {"failing": True, "clock_stopped": True},
            (Trouble.FROZEN_CLOCK, Trouble.STANDBY_LEADS, Trouble.FAILING),
        ),
        (LEADS, {"left_out": True}, (Trouble.STANDING_STILL, Trouble.STANDBY_LEADS)),
        (replace(LEADS, silent=True), {}, (Trouble.SILENT, Trouble.STANDBY_LEADS)),
        (replace(LEADS, silent=True), {"answered_at": NOW - 90}, (Trouble.SILENT, Trouble.STANDBY_LEADS)),
        (CHOSEN, {}, ()),
        (CHOSEN, {"answered_at": NOW - 90}, (Trouble.STANDBY_LEADS, Trouble.SILENT)),
        (replace(CHOSEN, silent=True), {}, (Trouble.SILENT,)),
        (replace(ONE_SOURCE, disagree=True), {"pending": True}, (Trouble.SOURCES_DISAGREE, Trouble.DISAGREEING)),
        (
            replace(LEADS, disagree=True),
            {"drafts": 2},
            (Trouble.SOURCES_DISAGREE, Trouble.STANDBY_LEADS, Trouble.DRAFTS),
        ),
    ],
)
def test_what_is_wrong_with_a_match_of_two_sources(sources, facts, expected):
    """A first source that the standby stands in for is less urgent than one that nobody does."""
    assert found(sources, **facts) == expected


def test_a_match_that_the_standby_has_taken_over_stands_below_one_that_nobody_brings():
    """And above one of which a part fails."""
    places = [
        place_of(found(sources, **facts), "live", 1, "")
        for sources, facts in (
            (None, {"answered_at": NOW - 90}),
            (LEADS, {"answered_at": NOW - 90}),
            (None, {"failing": True}),
            (None, {}),
        )
    ]
    assert places == sorted(places)
    assert len(set(places)) == 4
