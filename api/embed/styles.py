"""The style sheet of a liveblog in somebody else's page: that of its own page, whatever size the other one's root has."""

from __future__ import annotations

import re
from functools import cache

from api.http.static import file

STATIC = "api.page.static"
ROOT = 16
"""Pixels of the root's font on the liveblog's own page."""
_REM = re.compile(r"(\d*\.?\d+)rem\b")


@cache
def embed_css() -> bytes:
    """The rules of the page, then those of the element, with lengths in pixels."""
    page, own = (str(file(STATIC, name) or b"", "utf-8") for name in ("page.css", "embed.css"))
    return _REM.sub(lambda found: f"{float(found[1]) * ROOT:g}px", page + own).encode()
