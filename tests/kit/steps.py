"""How much is done, counted instead of timed."""

from __future__ import annotations

import itertools
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def calls(function: Callable[..., Any], *given: Any) -> int:
    """How many functions are called, of Python and of its libraries."""
    counted = itertools.count()
    sys.setprofile(lambda _frame, event, _what: event in {"call", "c_call"} and next(counted))
    try:
        function(*given)
    finally:
        sys.setprofile(None)
    return next(counted)
