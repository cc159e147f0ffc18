"""The parts of a match, each of which some of a provider's resources carry."""

from __future__ import annotations

from enum import StrEnum


class Part(StrEnum):
    """What a resource may carry. `ROWS` are incidents that the provider sends, `IMPLIED` those made of the state or the result."""

    FACTS = "facts"
    STATE = "state"
    SCORE = "score"
    SHOOTOUT = "shootout"
    SQUADS = "squads"
    ROWS = "rows"
    IMPLIED = "implied"
    RACE = "race"
    TEXT = "text"


ALL_PARTS = frozenset(Part)
