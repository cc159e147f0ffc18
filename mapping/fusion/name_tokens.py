"""Names of people and teams as different providers write them: compared by their words, never by their order or spelling."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from mapping.tokens import words

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

SHORTEST = 3
"""Letters of a word that may identify somebody; initials do not."""
PARTICLES = frozenset({"da", "das", "de", "del", "den", "der", "di", "do", "dos", "du", "el", "la", "le", "les", "van", "vom",
                       "von"})  # fmt: skip
LEGAL_FORMS = frozenset({"afc", "bsc", "cf", "club", "fc", "fk", "fsv", "ssc", "tsg", "tsv", "vfb", "vfl"})
"""Words that say what a team is and not which one."""
OTHER_TEAMS = frozenset(
    {
        "academy",
        "amateure",
        "castilla",
        "femenil",
        "femenino",
        "feminin",
        "feminine",
        "femminile",
        "frauen",
        "ii",
        "iii",
        "jong",
        "jugend",
        "juvenil",
        "ladies",
        "reserve",
        "reserves",
        "vrouwen",
        "women",
        "womens",
        "youth",
    }
)
"""Words that make the name of a club that of another team of it: its women, its young, its second."""
_AGE = re.compile(r"(?:u|under|sub)[ -]?(\d\d)\b", re.IGNORECASE)
_SECOND = re.compile(r"(?<=\s)(?:b|2|3|w|c)$", re.IGNORECASE)


@lru_cache(8192)
def name_tokens(*names: str | None) -> frozenset[str]:
    """The words of a name that may identify whom it names, in every spelling: `Müller` is `muller` and `mueller`."""
    return frozenset(word for word in words(*names) if len(word) >= SHORTEST and word not in PARTICLES)


def team_tokens(*names: str | None) -> frozenset[str]:
    """The words of a team's names that may identify its club."""
    return frozenset(
        word
        for word in name_tokens(*names)
        if word not in LEGAL_FORMS and word not in OTHER_TEAMS and not _AGE.fullmatch(word)
    )


def which_team(*names: str | None) -> frozenset[str]:
    """What a team's names say of which of its club's teams it is: `{"u19", "women"}`, nothing for the first men's."""
    found = {word for word in words(*names) if word in OTHER_TEAMS}
    for name in filter(None, names):
        found.update(f"u{age}" for age in _AGE.findall(name))
        found.update(last.lower() for last in _SECOND.findall(name.strip()))
    return frozenset(_ALIKE.get(each, each) for each in found)


_ALIKE = {
    "2": "second", "3": "third", "academy": "young", "amateure": "second", "b": "second", "castilla": "second",
    "femenil": "women", "femenino": "women", "feminin": "women", "feminine": "women", "femminile": "women",
    "frauen": "women", "ii": "second", "iii": "third", "jong": "young", "jugend": "young", "juvenil": "young",
    "ladies": "women", "reserve": "second", "reserves": "second", "vrouwen": "women", "w": "women", "womens": "women",
    "youth": "young",
}  # fmt: skip


def share_beginning(these: AbstractSet[str], those: AbstractSet[str]) -> bool:
    """Whether a word of one begins a word of the other: `man` and `manchester`."""
    return any(one.startswith(other) or other.startswith(one) for one in these for other in those)
