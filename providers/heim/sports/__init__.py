"""The sports that this adapter can translate; one file each, and one row here."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from providers.heim.sports.motorsports import motorsports
from providers.heim.sports.phased import AMERICAN_FOOTBALL, ICEHOCKEY, phased
from providers.heim.sports.soccer import soccer
from providers.heim.sports.tennis import tennis

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mapping.match import Match
    from providers.heim.sports.base import Source

TRANSLATORS: Mapping[str, Callable[[Source], Match]] = {
    "soccer": soccer,
    "tennis": tennis,
    "american_football": partial(phased, AMERICAN_FOOTBALL),
    "motorsports": motorsports,
    "icehockey": partial(phased, ICEHOCKEY),
}
"""Sport → its translator."""
