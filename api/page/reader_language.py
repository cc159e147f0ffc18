"""The language of pages that belong to no liveblog: the one of ours that the reader's browser prefers."""

from __future__ import annotations

from functools import lru_cache
from typing import get_args

from mapping.documents.scalars import Locale

LOCALES = tuple(filter(None, get_args(Locale)))
NEAREST = {"fr": "fr-fr", "it": "it-it", "nl": "nl-nl", "zh-hant": "zh-tw"}
"""A language, or its script, without a country → the locale that is written so."""
DEFAULT = "en"
LONGEST = 256
"""Characters of the header that are looked at."""


@lru_cache(maxsize=256)
def preferred_locale(accept_language: str) -> str:
    """The locale for a header `Accept-Language` (RFC 9110, 12.5.4), English where it names none that is shipped."""
    wanted = [each for part in accept_language[:LONGEST].lower().split(",") if (each := _weighted(part))[0] > 0]
    found = (locale for _, tag in sorted(wanted, key=lambda each: -each[0]) if (locale := _known(tag)))
    return next(found, DEFAULT)


def _weighted(part: str) -> tuple[float, str]:
    """The weight of a part and its tag; a weight that is none leaves the part out."""
    tag, _, weight = (each.strip() for each in part.partition(";"))
    try:
        return float(weight.removeprefix("q=").strip() or 1), tag
    except ValueError:
        return 0, tag


def _known(tag: str) -> str:
    """The locale of a tag or of what it begins with, `de` for `de-at`; empty where there is none."""
    subtags = tag.split("-")
    starts = ("-".join(subtags[:length]) for length in range(len(subtags), 0, -1))
    return next((NEAREST.get(each, each) for each in starts if each in LOCALES or each in NEAREST), "")
