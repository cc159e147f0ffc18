"""Where a person may be led after signing in: to pages of the desk, and nowhere else."""

from __future__ import annotations

import re

HOME = "/desk"
LONGEST = 500
_OWN = re.compile(r"/desk(?:/[A-Za-z0-9._~-]+)*(?:\?[A-Za-z0-9._~%&=+,:-]*)?")
"""Segments of unreserved characters alone: no scheme, no host, no backslash, and nothing that is decoded again."""


def own_path(text: str | None) -> str:
    """The path of a page of the desk that `text` names, with its query; the desk's first page for everything else."""
    if text is None or len(text) > LONGEST or not _OWN.fullmatch(text) or "/." in text:
        return HOME
    return text
