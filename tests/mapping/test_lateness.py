"""Whose time it was until a post was there: the provider's, that between two polls, a confirmation's, or ours."""

import pytest

from mapping.rules.lateness import ANSWERS, iso_instant, lateness, verdict, whose

T = 1_800_000_000_000


@pytest.mark.parametrize(
    ("said", "unsaid", "answered", "believed", "committed", "begins"),
    [
        (T, T + 40_000, T + 44_000, T + 44_010, T + 44_050, "provider"),
        (T, T + 1_000, T + 16_000, T + 16_010, T + 16_050, "provider or us, between two polls"),
        (T, None, T + 16_000, T + 16_010, T + 16_050, "nobody: it was said before the match was followed"),
        (T, T - 1_000, T + 3_000, T + 12_000, T + 12_050, "confirmation"),
        (T, T - 1_000, T + 1_000, T + 1_010, T + 21_050, "us"),
        (None, T - 1_000, T + 4_000, T + 4_010, T + 4_050, "provider or us, between two polls"),
        (T, T - 100, T + 200, T + 210, T + 250, "nobody: nothing"),
        (T + 9_000, T - 100, T + 200, T + 210, T + 250, "nobody: the provider's clock is 8.750 s ahead"),
        (None, None, T, T, None, "nobody: nothing"),
    ],
)
def test_the_longest_part_is_whose_time_it_was(said, unsaid, answered, believed, committed, begins):
    """Also where some instants are not known, and where the provider's clock is ahead of ours."""
    found = lateness(said=said, unsaid=unsaid, answered=answered, believed=believed, committed=committed)
    assert verdict(found).startswith(begins)
    assert ANSWERS[whose(found)].startswith(begins[:10])


def test_the_parts_are_the_whole():
    """From what the provider says until readers could have it, no millisecond is missing or there twice."""
    found = lateness(said=T, unsaid=T + 40_000, answered=T + 44_000, believed=T + 44_010, committed=T + 44_050)
    assert sum(filter(None, (found.provider, found.between, found.waited, found.written))) == pytest.approx(found.total)


def test_instants_are_shown_in_utc_with_milliseconds():
    """Also those before the epoch's first second, and whole ones."""
    assert [iso_instant(each) for each in (None, T, T + 7)] == [
        None,
        "2027-01-15T08:00:00.000Z",
        "2027-01-15T08:00:00.007Z",
    ]
