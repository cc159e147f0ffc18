"""Texts of strangers in a normal form of Unicode, in a time that grows with their length alone."""

from __future__ import annotations

import re
import unicodedata
from typing import Literal

MOST_MARKS = 30
"""Combining marks in a row that are kept, as in the Stream-Safe Text Format of Unicode; no language has as many."""
_LONG = re.compile(rf"[^\x00-\u02ff]{{{MOST_MARKS + 1},}}")

_HALFWIDTH = "\uff9e\uff9f"
"""Sound marks of Japanese, which are letters until they are taken apart."""


def normalize_text(form: Literal["NFC", "NFKD"], text: str) -> str:
    """The text in the form; marks beyond `MOST_MARKS` in a row are left out first, which would be sorted in quadratic time."""
    return unicodedata.normalize(form, _LONG.sub(_few_marks, text))  # noqa: TID251 -- this is the one place


def is_mark(letter: str) -> bool:
    """Whether it combines with what is before it, itself or once it is taken apart."""
    return unicodedata.category(letter)[0] == "M" or letter in _HALFWIDTH


def _few_marks(found: re.Match[str]) -> str:
    kept, marks = [], 0
    for letter in found[0]:
        marks = marks + 1 if is_mark(letter) else 0
        if marks <= MOST_MARKS:
            kept.append(letter)
    return "".join(kept)
