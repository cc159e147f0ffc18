"""Which passwords people may have: long ones that are in no list and do not say whose they are."""

from __future__ import annotations

import re
from enum import StrEnum
from functools import cache
from importlib import resources

SHORTEST, LONGEST = 12, 256
"""Characters; nothing is cut off, and any character counts."""
FEWEST = 5
"""Different characters."""
OWN_WORDS = ("matchwire", "liveblog")
"""Words that everybody who guesses here begins with."""


class PasswordFault(StrEnum):
    """Why a password is refused."""

    SHORT = "short"
    LONG = "long"
    SIMPLE = "simple"
    COMMON = "common"
    OWN = "own"
    LEAKED = "leaked"


def password_fault(password: str, *about: str) -> PasswordFault | None:
    """What keeps it from being a password, None for nothing. `about`: what others know of whose it is, as name and e-mail."""
    if not SHORTEST <= len(password) <= LONGEST:
        return PasswordFault.SHORT if len(password) < SHORTEST else PasswordFault.LONG
    plain = password.casefold()
    if len(set(plain)) < FEWEST:
        return PasswordFault.SIMPLE
    if plain in common_passwords():
        return PasswordFault.COMMON
    words = {
        word
        for text in (*about, *OWN_WORDS)
        for word in re.split(r"[\W_]+", text.casefold())
        if len(word) >= FEWEST - 1
    }
    rest = plain
    for word in sorted(words, key=len, reverse=True):
        rest = rest.replace(word, "")
    return PasswordFault.OWN if len(rest) < SHORTEST // 2 else None


@cache
def common_passwords() -> frozenset[str]:
    """Passwords of well-known lists that would be long enough."""
    text = (resources.files(__package__ or "mapping.desk") / "common_passwords.txt").read_text(encoding="utf-8")
    return frozenset(line for line in text.splitlines() if line and not line.startswith("#"))
