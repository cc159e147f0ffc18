"""Whether a request comes from a page of this service, by headers that no script can set; and where a person may be led."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

PORTS = {"http": 80, "https": 443}


HOME = "/desk"
LONGEST = 500
_OWN = re.compile(r"/desk(?:/[A-Za-z0-9._~-]+)*(?:\?[A-Za-z0-9._~%&=+,:-]*)?")
"""Segments of unreserved characters alone: no scheme, no host, no backslash, and nothing that is decoded again."""


def from_own_site(site: str | None, origin: str | None, own: tuple[str, ...]) -> bool:
    """Whether a write comes from a page of this very origin.

    `site`: `Sec-Fetch-Site`, which decides where there is one; browsers send it to https and to their own machine. `origin`:
    `Origin`, else. `own`: the addresses by which this service is known. A request with neither header comes from no browser
    that could be trusted with a session.
    """
    if site is not None:
        return site == "same-origin"
    place = _place(origin)
    return place is not None and place in {_place(each) for each in own}


def may_carry_session(site: str | None, mode: str | None, *, page: bool) -> bool:
    """Whether a read counts as the person's: from this origin, typed, or, of a page, by a link from wherever it may be."""
    return site in {None, "same-origin", "none"} or (page and mode == "navigate")


def _place(address: str | None) -> tuple[str, str, int] | None:
    try:
        parts = urlsplit(address or "")
        port = parts.port or PORTS[parts.scheme]
    except (ValueError, KeyError):
        return None
    return (parts.scheme, parts.hostname, port) if parts.hostname else None


def own_path(text: str | None) -> str:
    """The path of a page of the desk that `text` names, with its query; the desk's first page for everything else."""
    if text is None or len(text) > LONGEST or not _OWN.fullmatch(text) or "/." in text:
        return HOME
    return text
