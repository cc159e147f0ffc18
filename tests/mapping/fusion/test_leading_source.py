"""Who leads: the standby takes over for each reason, gives back after the quiet time, and nothing flaps."""

from __future__ import annotations

import random

import pytest

from mapping.fusion.leading_source import Lead, LeadRules, Reason, SourceHealth, next_lead, wrong_with

RULES = LeadRules(silence=60.0, stall=60.0, implausible=120.0, quiet_time=300.0)
WELL = SourceHealth(answered_at=1000.0)
TROUBLES = {
    Reason.REFUSED: SourceHealth(answered_at=1000.0, refused=True),
    Reason.FAILING: SourceHealth(answered_at=1000.0, failing=True),
    Reason.SILENT: SourceHealth(answered_at=1000.0 - RULES.silence - 1),
    Reason.STALLED: SourceHealth(answered_at=1000.0, behind_since=1000.0 - RULES.stall - 1),
    Reason.IMPLAUSIBLE: SourceHealth(answered_at=1000.0, implausible_since=1000.0 - RULES.implausible - 1),
}


def decide(lead, first, second, now=1000.0, **wishes):
    return next_lead(lead, {"first": first, "second": second}, now, rules=RULES, **wishes)


@pytest.mark.parametrize("reason", TROUBLES)
def test_the_standby_takes_over_and_says_why(reason):
    lead = decide(Lead(), TROUBLES[reason], WELL)
    assert (lead.source, lead.reason, lead.since) == ("second", reason, 1000.0)


@pytest.mark.parametrize("reason", TROUBLES)
def test_where_both_are_in_trouble_nothing_changes(reason):
    assert decide(Lead(), TROUBLES[reason], TROUBLES[Reason.FAILING]).source == "first"
    second = Lead(source="second", since=900.0, reason=reason)
    assert decide(second, TROUBLES[Reason.FAILING], TROUBLES[reason]).source == "second"


def test_a_source_that_never_answered_is_silent():
    assert wrong_with(SourceHealth(answered_at=None), RULES, 1000.0) is Reason.SILENT


def test_the_first_source_leads_again_after_the_quiet_time_and_not_before():
    lead = decide(Lead(), TROUBLES[Reason.FAILING], WELL)
    for now in range(1010, 1300, 10):
        lead = decide(lead, SourceHealth(answered_at=now), SourceHealth(answered_at=now), now)
        assert lead.source == "second", now
    lead = decide(lead, SourceHealth(answered_at=1320.0), SourceHealth(answered_at=1320.0), 1320.0)
    assert (lead.source, lead.reason) == ("first", Reason.FIRST)


def test_the_quiet_time_begins_anew_with_each_failure():
    lead = decide(Lead(), TROUBLES[Reason.FAILING], WELL)
    lead = decide(lead, SourceHealth(answered_at=1200.0), WELL, 1200.0)
    lead = decide(lead, SourceHealth(answered_at=1400.0, failing=True), SourceHealth(answered_at=1400.0), 1400.0)
    lead = decide(lead, SourceHealth(answered_at=1510.0), SourceHealth(answered_at=1510.0), 1510.0)
    assert lead.source == "second"


def test_a_standby_that_fails_gives_back_at_once():
    lead = Lead(source="second", since=900.0, reason=Reason.SILENT)
    assert decide(lead, WELL, TROUBLES[Reason.SILENT]).source == "first"


def test_a_person_decides_whatever_the_sources_do():
    pinned = decide(Lead(), WELL, TROUBLES[Reason.REFUSED], pinned="second")
    assert (pinned.source, pinned.reason) == ("second", Reason.PINNED)
    assert decide(pinned, WELL, WELL, 1100.0, pinned="second") == pinned


def test_a_source_that_comes_and_goes_makes_nothing_flap():
    """An hour in which the first one fails at random: it changes at most twice in each quiet time."""
    for seed in range(20):
        rng, lead, changes = random.Random(seed), Lead(), []
        for now in range(1000, 4600, 5):
            first = SourceHealth(answered_at=now, failing=rng.random() < 0.3)
            after = decide(lead, first, SourceHealth(answered_at=now), float(now))
            if after.source != lead.source:
                changes.append(now)
            lead = after
        backs = changes[1::2]
        assert all(later - earlier > RULES.quiet_time for earlier, later in zip(changes[::2], backs, strict=False)), (
            seed
        )
