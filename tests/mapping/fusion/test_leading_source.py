"""Who leads: the standby takes over for each reason, gives back after the quiet time, and nothing flaps."""

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
@pytest.mark.parametrize("other", TROUBLES)
def test_where_both_are_in_trouble_the_one_leads_that_is_better_off(reason, other):
    """A source that answers is, then one that goes on; where both are in the same trouble nothing changes."""
    ranks = [{Reason.IMPLAUSIBLE}, {Reason.STALLED}, {Reason.REFUSED, Reason.FAILING, Reason.SILENT}]
    better = next(at for at, each in enumerate(ranks) if other in each) < next(
        at for at, each in enumerate(ranks) if reason in each
    )
    assert decide(Lead(), TROUBLES[reason], TROUBLES[other]).source == ("second" if better else "first")
    second = Lead(source="second", since=900.0, reason=reason)
    assert decide(second, TROUBLES[other], TROUBLES[reason]).source == ("first" if better else "second")


def test_a_standby_that_fails_gives_back_at_once():
    lead = Lead(source="second", since=900.0, reason=Reason.SILENT)
    assert decide(lead, WELL, TROUBLES[Reason.SILENT]).source == "first"


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


AT_THE_LIMIT = {
    "silent": ({"answered_at": 940.0}, None),
    "a moment longer": ({"answered_at": 939.9}, Reason.SILENT),
    "polled seldom": ({"answered_at": 930.0, "polled_every": 10.0}, None),
    "polled seldom and silent": ({"answered_at": 929.9, "polled_every": 10.0}, Reason.SILENT),
    "never answered": ({"answered_at": None}, Reason.SILENT),
    "not asked for long": ({"answered_at": None, "attentive_since": 940.0}, None),
    "asked for longer": ({"answered_at": 100.0, "attentive_since": 939.0}, Reason.SILENT),
    "behind": ({"answered_at": 1000.0, "behind_since": 940.0}, None),
    "behind a moment longer": ({"answered_at": 1000.0, "behind_since": 939.9}, Reason.STALLED),
    "behind from later on": ({"answered_at": 1000.0, "behind_since": 1100.0}, None),
    "implausible": ({"answered_at": 1000.0, "implausible_since": 880.0}, None),
    "implausible a moment longer": ({"answered_at": 1000.0, "implausible_since": 879.9}, Reason.IMPLAUSIBLE),
    "refused before anything else": ({"answered_at": 0.0, "refused": True, "failing": True}, Reason.REFUSED),
    "failing before silent": ({"answered_at": 0.0, "failing": True}, Reason.FAILING),
    "silent before behind": ({"answered_at": 0.0, "behind_since": 0.0}, Reason.SILENT),
    "behind before implausible": (
        {"answered_at": 1000.0, "behind_since": 0.0, "implausible_since": 0.0}, Reason.STALLED,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("known", "wrong"), AT_THE_LIMIT.values(), ids=AT_THE_LIMIT.keys())
def test_a_source_is_in_trouble_from_the_limit_on(known, wrong):
    assert wrong_with(SourceHealth(**known), RULES, 1000.0) is wrong


def test_whoever_looks_early_or_now_and_then_looks_by_shorter_limits():
    assert RULES.early() == LeadRules(silence=30.0, stall=30.0, implausible=0.0, quiet_time=300.0)
    assert RULES.sooner(2.0) == LeadRules(silence=58.0, stall=58.0, implausible=120.0, quiet_time=300.0)
    assert RULES.sooner(90.0) == LeadRules(silence=0.0, stall=0.0, implausible=120.0, quiet_time=300.0)


PINNED = Lead(source="second", since=5.0, reason=Reason.PINNED)
LEADS = {
    "pinned": (Lead(), "second", None, Lead(source="second", since=1000.0, reason=Reason.PINNED)),
    "pinned to one that does not answer": (PINNED, "first", Reason.REFUSED, Lead(since=1000.0, reason=Reason.PINNED)),
    "pinned already": (PINNED, "second", None, PINNED),
    "leading already and pinned now": (
        Lead(source="second", since=5.0, reason=Reason.SILENT), "second", None,
        Lead(source="second", since=5.0, reason=Reason.PINNED),
    ),
    "pinned to the first one": (PINNED, "first", None, Lead(since=1000.0, reason=Reason.PINNED)),
    "the pin of the first one is gone": (
        Lead(since=5.0, reason=Reason.PINNED), None, None, Lead(since=5.0, reason=Reason.FIRST, well_since=1000.0),
    ),
    "the pin of the second one is gone": (
        PINNED, None, None, Lead(source="second", since=5.0, reason=Reason.PINNED, well_since=1000.0),
    ),
    "well for the quiet time": (
        Lead(source="second", since=5.0, well_since=700.0), None, None,
        Lead(source="second", since=5.0, well_since=700.0),
    ),
    "well for longer": (
        Lead(source="second", since=5.0, reason=Reason.SILENT, well_since=699.0), None, None,
        Lead(since=1000.0, reason=Reason.FIRST, well_since=699.0),
    ),
    "in trouble again": (
        Lead(source="second", since=5.0, well_since=800.0), None, Reason.FAILING,
        Lead(source="second", since=5.0),
    ),
    "the first one in trouble": (
        Lead(since=5.0, well_since=800.0), None, Reason.FAILING,
        Lead(source="second", since=1000.0, reason=Reason.FAILING),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("lead", "pinned", "trouble", "then"), LEADS.values(), ids=LEADS.keys())
def test_who_leads_next_since_when_and_why(lead, pinned, trouble, then):
    first = WELL if trouble is None else TROUBLES[trouble]
    assert decide(lead, first, WELL, pinned=pinned) == then
