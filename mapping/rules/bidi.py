"""Names of every script within our texts: one that is written from right to left turns nothing that stands beside it."""

from __future__ import annotations

import re

FIRST_STRONG_ISOLATE, POP_DIRECTIONAL_ISOLATE = "\u2068", "\u2069"
"""Around a name: inside it its own direction counts, outside it counts as one neutral character (UAX #9)."""
RIGHT_TO_LEFT = re.compile(
    "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u200f\u202b\u202e\u2067\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
"""Letters of Hebrew, Arabic, Syriac, Thaana, N'Ko and the like, and what turns the direction by itself."""
ISOLATES = re.compile("[\u2066-\u2069]")


def isolate(name: str) -> str:
    """The name as it stands in a sentence, a title or a list: between isolates where any of it runs from right to left.

    All our languages run from left to right, where other names need none. Isolating twice changes nothing more.
    """
    if RIGHT_TO_LEFT.search(name) is None:
        return name
    return f"{FIRST_STRONG_ISOLATE}{ISOLATES.sub('', name)}{POP_DIRECTIONAL_ISOLATE}"


def without_isolates(text: str) -> str:
    """The text without what isolates names in it."""
    return ISOLATES.sub("", text)
