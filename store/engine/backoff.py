"""How long to wait before a lost connection is tried again."""

FIRST, LONGEST = 0.1, 10.0
"""Seconds, doubled with each failure, with jitter."""


def pause(failures: int, chance: float) -> float:
    """Seconds before the next attempt after so many failures in a row; `chance` from 0 to 1 keeps processes apart."""
    return float(min(FIRST * 2 ** min(failures - 1, 16), LONGEST)) * (0.5 + chance / 2)
