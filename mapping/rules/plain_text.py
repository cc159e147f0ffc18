"""Plain text from strangers: as it is stored, as full text search compares its words, and as a cell of a table.

No control characters, nothing that hides or turns what others see, and a normal form of Unicode in a time that grows with the
length alone. Words are folded once here, so that every database finds the same.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Literal

from mapping.errors import Unprocessable

INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\uffff"
    "\U0001d173-\U0001d17a\U000e0000-\U000e007f]|[\u200c\u200d](?![^\x00-\x7f])"
)
"""Controls but tab and line end, marks of direction, joiners that join nothing, and code points that are no characters."""
TAGGED = "|".join("".join(chr(0xE0000 + ord(each)) for each in name) for name in ("gbeng", "gbsct", "gbwls"))
FLAG = f"\U0001f3f4(?:{TAGGED})\U000e007f"
"""The flags of England, Scotland and Wales: a black flag and a name in characters that nobody sees. Others would hide texts."""
_FLAG_OR_INVISIBLE = re.compile(f"(?P<flag>{FLAG})|{INVISIBLE.pattern}")
SEEN = re.compile("[^\\s\u115f\u1160\u200c\u200d\u2800\u3164\uffa0\ufe00-\ufe0f]")
"""A character that shows something: fillers, a blank of Braille, joiners and variants of nothing do not."""
STACKED = re.compile(r"(\w)((?:[\u0300-\u036f\u0483-\u0489\u20d0-\u20ff\ufe20-\ufe2f]){3,})")
"""A letter with marks that reach into the lines above and below it."""
BLANKS = re.compile(r"[^\S\n]+")
EMPTY_LINES = re.compile(r"\n{3,}")
LINK = re.compile(r"(?:\b[a-z][a-z0-9+.-]*:)?//|\bwww\.|\bmailto:", re.IGNORECASE)


MOST_MARKS = 30
"""Combining marks in a row that are kept, as in the Stream-Safe Text Format of Unicode; no language has as many."""
_LONG = re.compile(rf"[^\x00-\u02ff]{{{MOST_MARKS + 1},}}")
_HALFWIDTH = "\uff9e\uff9f"
"""Sound marks of Japanese, which are letters until they are taken apart."""


FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
"""What a cell begins with that a spreadsheet computes."""


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


def plain_lines(text: str) -> str:
    """The text in NFC with its lines, at most one of them empty at a time: what is seen of it, empty where that is nothing."""
    lines_ended = text.replace("\r\n", "\n").replace("\r", "\n")
    shown = _FLAG_OR_INVISIBLE.sub(lambda found: found["flag"] or "", normalize_text("NFC", lines_ended))
    if SEEN.search(shown) is None:
        return ""
    lines = (
        BLANKS.sub(" ", line).strip() for line in STACKED.sub(lambda found: found[1] + found[2][:2], shown).split("\n")
    )
    return EMPTY_LINES.sub("\n\n", "\n".join(lines)).strip()


def plain_line(text: str) -> str:
    """The text on one line."""
    return " ".join(plain_lines(text).split())


def comment_text(text: str, *, text_length: int, max_links: int) -> str:
    """The text as it is kept. Raises Unprocessable where it is empty, longer than `text_length` characters, or links too much."""
    if len(text) > 4 * text_length:  # before anything is made of it
        raise Unprocessable(f"a comment has at most {text_length} characters", field="text")
    kept = plain_lines(text)
    if not kept:
        raise Unprocessable("a comment has some text", field="text")
    if len(kept) > text_length:
        raise Unprocessable(f"a comment has at most {text_length} characters", field="text")
    if len(LINK.findall(kept)) > max_links:
        raise Unprocessable(f"a comment has at most {max_links} links", field="text")
    return kept


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


def csv_text(rows: Iterable[Sequence[object]]) -> str:
    """The rows as CSV; None is an empty cell."""
    text = io.StringIO()
    csv.writer(text).writerows([[defuse_formula(each) for each in row] for row in rows])
    return text.getvalue()


def defuse_formula(value: object) -> object:
    """The cell, a text that begins like a formula behind an apostrophe, which spreadsheets do not show.

    `=1+1` is `'=1+1`.
    """
    return f"'{value}" if isinstance(value, str) and value.lstrip(" ").startswith(FORMULA) else value


def words(*texts: str | None) -> frozenset[str]:
    """Every spelling of every word of the texts: `Müller` is found as `muller` and as `mueller`."""
    found: dict[str, None] = {}
    for text in texts:
        for group in _groups(text or "", MOST):
            found |= dict.fromkeys(group)
    return frozenset(list(found)[:MOST])


def query_words(text: str) -> tuple[tuple[str, ...], ...]:
    """The words of a query, each with its spellings; one of them should begin a word of whatever is found.

    `FC Köln` gives `fc`, and `koln` or `koeln`.
    """
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
