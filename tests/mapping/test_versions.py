"""Versions of before a restore say nothing of now."""

import pytest

from mapping.rules.delivery import first_after_restore, known_since

RESTORED = first_after_restore(1_780_000_000)


@pytest.mark.parametrize(
    ("since", "version", "known"),
    [
        (0, 7, 0),
        (3, 7, 3),
        (7, 7, 7),
        (8, 7, 0),  # of the future
        (7, RESTORED, 0),  # of before the restore
        (7, RESTORED + 9, 0),
        (RESTORED, RESTORED + 9, RESTORED),
        (RESTORED + 9, first_after_restore(1_780_000_001), 0),  # of before another one
    ],
)
def test_a_reader_goes_on_from_versions_of_the_same_database_alone(since, version, known):
    assert known == known_since(since, version)


def test_versions_after_a_restore_fit_into_every_client():
    """JSON's whole numbers, and the fifteen digits of `Last-Event-ID`, until the year 2286."""
    assert first_after_restore(9_999_999_999) < 10**15 < 2**53
