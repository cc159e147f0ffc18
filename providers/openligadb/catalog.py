"""What OpenLigaDB can honestly deliver: it knows goals and results, and nobody enters when a half begins or ends."""

from __future__ import annotations

from collections.abc import Mapping

from mapping.match.match import PERIOD_KEY

GOAL, OWN_GOAL, START, END = "soccer.goal", "soccer.own-goal", "soccer.start", "soccer.end"

MARKS = frozenset(f"{PERIOD_KEY}{kind}" for kind in (START, END))
"""Keys of what is not sent, but follows from flag and results."""

CATALOG: Mapping[str, tuple[str, ...]] = {"soccer": (GOAL, OWN_GOAL, START, END)}
SCOREBOARD: Mapping[str, bool] = {"soccer": True}
TEXT_SPORTS: frozenset[str] = frozenset()
