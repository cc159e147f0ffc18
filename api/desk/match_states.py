"""How a match stands, in words."""

from __future__ import annotations

from mapping.locales.labels import INTERRUPTED, Label
from mapping.match.match import Status

STATES = {
    Status.SCHEDULED: Label.NOT_STARTED,
    Status.LIVE: Label.LIVE,
    Status.BREAK: Label.BREAK,
    Status.SHOOTOUT: Label.SHOOTOUT,
    Status.FINISHED: Label.FINISHED,
    **INTERRUPTED,
}
"""By the canonical status."""
