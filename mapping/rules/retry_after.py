"""What a server asks for by `Retry-After`, in either of its forms."""

from __future__ import annotations

import re
from email.utils import parsedate_to_datetime

_SECONDS = re.compile(r"[+-]?[0-9]{1,12}", re.ASCII)


def parse_retry_after(value: str | None, now: float) -> float | None:
    """Seconds from `now` (Unix) that the header asks to wait, negative for a date that is past; None for nonsense.

    The bounds are the caller's: a server may ask for any time at all.
    """
    text = (value or "").strip()
    if _SECONDS.fullmatch(text):
        return float(text)
    try:
        return parsedate_to_datetime(text).timestamp() - now
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
