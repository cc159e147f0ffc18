"""The cookies of the desk, and whether a browser may be given one at the address by which people reach the service."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import urlsplit

from starlette.datastructures import Headers

from config.cross_checks import is_loopback

LONGEST = 4096
SESSION, OPENID, STEP = "matchwire-desk", "matchwire-openid", "matchwire-step"
OPENID_AGE = 600
"""Seconds that somebody may take to sign in at the provider."""
OPENID_AT_ONCE = 8
"""Tabs of a browser that may be on their way to the provider; with a further one the first is forgotten."""


class CookieKind(NamedTuple):
    """How cookies are named and bounded at an address."""

    prefix: str
    secure: bool

    def name(self, what: str) -> str:
        """The name of the cookie."""
        return self.prefix + what

    def header(self, what: str, value: str, age: int | None = None) -> str:
        """The value of `Set-Cookie`; `age` in seconds, 0 has the browser forget it, None lasts as long as the browser."""
        parts = [f"{self.name(what)}={value}", "Path=/", "HttpOnly", "SameSite=Lax"]
        if age is not None:
            parts.append(f"Max-Age={age}")
        if self.secure:
            parts.append("Secure")
        return "; ".join(parts)


PROTECTED, LOOPBACK = CookieKind("__Host-", secure=True), CookieKind("", secure=False)


def cookie_kind(public_url: str) -> CookieKind | None:
    """How cookies are made for people who use this address; None where a password would cross a network in the clear.

    Not every browser keeps a Secure cookie of http://127.0.0.1, and none one with the prefix: on this machine itself, for
    the first hour, there is neither.
    """
    parts = urlsplit(public_url)
    if parts.scheme == "https":
        return PROTECTED
    return LOOPBACK if is_loopback(parts.hostname or "") else None


def cookie_of(headers: Headers, name: str) -> str | None:
    """The value of the cookie; None where there is none, or more than one of the name, of which one is not ours."""
    found = [value for each, value in _pairs(headers) if each == name]
    return found[0] if len(found) == 1 and 0 < len(found[0]) <= LONGEST else None


def cookie_names(headers: Headers, begin: str) -> list[str]:
    """The names of cookies that begin so, as browsers send them: the one that was set first comes first."""
    return [each for each, _ in _pairs(headers) if each.startswith(begin)]


def _pairs(headers: Headers) -> Iterator[tuple[str, str]]:
    for line in headers.getlist("cookie"):
        for part in line.split(";"):
            name, _, value = part.strip().partition("=")
            yield name, value
