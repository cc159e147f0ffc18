"""How much is done, counted instead of timed."""

import gc
import itertools
import sys
from collections.abc import Callable
from typing import Any


def calls(function: Callable[..., Any], *given: Any) -> int:
    """How many functions are called, of Python and of its libraries; none of them by a collection of what others left."""
    counted = itertools.count()
    gc.disable()
    sys.setprofile(lambda _frame, event, _what: event in {"call", "c_call"} and next(counted))
    try:
        function(*given)
    finally:
        sys.setprofile(None)
        gc.enable()
    return next(counted)
