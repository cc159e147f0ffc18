"""Plain text of strangers as it is kept, comments among it: no control characters, nothing that hides or turns what others see."""

from __future__ import annotations

import re

from mapping.errors import Unprocessable
from mapping.rules.composed_text import normalize_text

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


def plain_lines(text: str) -> str:
    """The text in NFC with its lines, at most one of them empty at a time: what is seen of it, empty where that is nothing."""
    lines_ended = text.replace("\r\n", "\n").replace("\r", "\n")
    shown = _FLAG_OR_INVISIBLE.sub(lambda found: found["flag"] or "", normalize_text("NFC", lines_ended))
    if SEEN.search(shown) is None:
        return ""
    lines = (BLANKS.sub(" ", line).strip() for line in STACKED.sub(_two_marks, shown).split("\n"))
    return EMPTY_LINES.sub("\n\n", "\n".join(lines)).strip()


def plain_line(text: str) -> str:
    """The text on one line."""
    return " ".join(plain_lines(text).split())


def _two_marks(found: re.Match[str]) -> str:
    return found[1] + found[2][:2]


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
