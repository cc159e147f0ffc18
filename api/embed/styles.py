"""The style sheets of a liveblog in somebody else's page: the rules of its own page, whatever size the other one's root has."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache

from api.http.static import file

STATIC = "api.page.static"
ROOT = 16
"""Pixels of the root's font on the liveblog's own page."""
_REM = re.compile(r"(\d*\.?\d+)rem\b")
_OWN_HOST = re.compile(r":host\(([^)]*)\)")
_KEYFRAMES = re.compile(r"^@keyframes [^\n]*$", re.MULTILINE)
_WITHIN = "matchwire-liveblog, matchwire-liveblog-teaser, .matchwire"
"""What an article holds of the service, before a script has put it into a shadow root."""


@cache
def embed_css() -> bytes:
    """The rules of the page, then those of the element, with lengths in pixels: for a shadow root."""
    return _pixels("page.css", "embed.css").encode()


@cache
def article_css() -> bytes:
    """The same for what stands in the article itself: no rule of it reaches anything else of the article."""
    rules = _OWN_HOST.sub(r":scope\1", _pixels("page.css", "embed.css"))
    rules = rules.replace(":root, :host", ":scope").replace(":host", ":scope")
    moves = "\n".join(_KEYFRAMES.findall(rules))
    return f"{moves}\n@scope ({_WITHIN}) {{\n{_KEYFRAMES.sub('', rules)}}}\n".encode()


MADE_STYLES: Mapping[str, Callable[[], bytes]] = {"embed.css": embed_css, "article.css": article_css}
"""Style sheets that are put together of those in the folder."""


def _pixels(*names: str) -> str:
    rules = "".join(str(file(STATIC, name) or b"", "utf-8") for name in names)
    return _REM.sub(lambda found: f"{float(found[1]) * ROOT:g}px", rules)
