"""What OpenLigaDB can honestly deliver: it knows goals and results, and nobody tells it when a half begins or ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

GOAL, OWN_GOAL, START, END = "soccer.goal", "soccer.own-goal", "soccer.start", "soccer.end"

CATALOG: Mapping[str, tuple[str, ...]] = {"soccer": (GOAL, OWN_GOAL, START, END)}
SCOREBOARD: Mapping[str, bool] = {"soccer": True}
TEXT_SPORTS: frozenset[str] = frozenset()
