"""Words as full text search compares them: folded once here, so that every database finds the same."""

from __future__ import annotations

import re
import unicodedata

from mapping.rules.composed_text import normalize_text

LONGEST = 64
"""Characters of a word that count."""
MOST = 200
"""Words of a record that count."""
MOST_IN_QUERY = 16
"""Words of a query that count."""

_SPELT_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe", "æ": "ae", "œ": "oe", "þ": "th"})
_LETTERS = str.maketrans(
    {"ø": "o", "æ": "ae", "œ": "oe", "ł": "l", "đ": "d", "ð": "d", "\N{LATIN SMALL LETTER DOTLESS I}": "i", "þ": "th"}
)
_BREAK = re.compile(r"[\W_]+")


def words(*texts: str | None) -> frozenset[str]:
    """Every spelling of every word of the texts: `Müller` is found as `muller` and as `mueller`."""
    found: dict[str, None] = {}
    for text in texts:
        for group in _groups(text or "", MOST):
            found |= dict.fromkeys(group)
    return frozenset(list(found)[:MOST])


def query_words(text: str) -> tuple[tuple[str, ...], ...]:
    """The words of a query, each with its spellings; one of them should begin a word of whatever is found."""
    return tuple(_groups(text, MOST_IN_QUERY))


def _groups(text: str, most: int) -> list[tuple[str, ...]]:
    composed = normalize_text("NFC", text).casefold()
    plain, spelt_out = (_BREAK.split(_bare(each)) for each in (composed, composed.translate(_SPELT_OUT)))
    pairs = (dict.fromkeys(word[:LONGEST] for word in pair if word) for pair in zip(plain, spelt_out, strict=True))
    return [tuple(pair) for pair in pairs if pair][:most]


def _bare(text: str) -> str:
    """Without accents and other marks, compatibility forms taken apart."""
    apart = normalize_text("NFKD", normalize_text("NFKD", text).casefold())
    kept = "".join(letter for letter in apart if not unicodedata.combining(letter))
    return kept.translate(_LETTERS)
