"""What a comment may say: plain text of a bounded length, with few links."""

from __future__ import annotations

import re

from mapping.errors import Unprocessable
from mapping.rules.plain_text import plain_lines

LINK = re.compile(r"(?:\b[a-z][a-z0-9+.-]*:)?//|\bwww\.|\bmailto:", re.IGNORECASE)


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
