"""`Retry-After` in its two forms, and what is neither."""

import pytest

from mapping.rules.pacing import parse_retry_after

NOW = 1_750_000_000.0
"""Sunday, 15 June 2025, 15:06:40 GMT."""


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("30", 30.0), (" 90 ", 90.0), ("-5", -5.0), ("999999999999", 999_999_999_999.0), ("9" * 13, None),
        ("1.5", None), ("soon", None), ("", None), (None, None), ("nan", None),
        ("Sun, 15 Jun 2025 15:07:40 GMT", 60.0), ("Sun, 15 Jun 2025 15:05:40 GMT", -60.0),
        ("Sun, 99 Jun 2025 99:07:40 GMT", None),
    ],
)  # fmt: skip
def test_seconds_or_a_date(value, seconds):
    """Seconds from now, unbounded: bounds are the caller's. Nonsense asks for nothing."""
    assert parse_retry_after(value, NOW) == seconds
