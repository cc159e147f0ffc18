"""Scores that no line ends within."""

from __future__ import annotations

import re

_TAG = re.compile(r"(<[^>]*>)")
_SCORE = re.compile(r"(?<![\d-])\d{1,3}-\d{1,3}(?![\d-])")


def whole_scores(html: str) -> str:
    """HTML in which no line ends within a score: browsers break lines after a hyphen, also between figures."""
    parts = _TAG.split(html)
    parts[::2] = (_SCORE.sub(r'<span class="whole">\g<0></span>', each) for each in parts[::2])
    return "".join(parts)
