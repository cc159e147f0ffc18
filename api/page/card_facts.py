"""What stands on the card of a liveblog, known before anything is drawn."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

SIZE: Final = (1200, 630)
"""Pixels of a card, as social networks want it."""
CREST: Final = 190
"""Pixels of a crest."""


@dataclass(frozen=True, slots=True)
class CardSide:
    """A team as the card shows it; `crest`: the bytes of an image."""

    name: str
    short_name: str
    initials: str
    crest: bytes | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class CardFacts:
    """What stands on a card: two sides and a score, or a title; `lines` are those of a race."""

    title: str
    sides: tuple[CardSide, ...]
    score: str
    decided: str
    state: str
    live: bool
    lines: tuple[str, ...]
    above: str
    publisher: str
