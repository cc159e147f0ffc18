"""Settings for tests that build parts of the daemon by themselves: the defaults of the configuration, with changes."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from config.sections import Limits, Polling
from mapping.rules.pacing import PollIntervals

LIMITS = Limits()


def polling(**changes: Any) -> Polling:
    """`[polling]` with these changes, and without a limit on the requests a second unless one is given."""
    return Polling(**{"rate": 0, **changes})


def intervals(**changes: Any) -> PollIntervals:
    """The intervals of `[polling]` with these changes."""
    return PollIntervals(**polling(**changes).model_dump(include={each.name for each in fields(PollIntervals)}))
