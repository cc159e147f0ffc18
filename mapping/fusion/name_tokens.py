"""Names of people and teams as different providers write them: compared by their words, never by their order or spelling."""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from difflib import SequenceMatcher
from functools import lru_cache

from mapping.rules.tokens import words

SHORTEST = 3
"""Letters of a word that may identify somebody; initials do not, nor does `de` or `FC`."""
LONG, ALIKE = 6, 0.7
"""Letters of a word from which on another spelling of it is known, and how alike the two are then, of 1."""
PARTICLES = frozenset({"das", "del", "den", "der", "dos", "les", "van", "vom", "von"})
LEGAL_FORMS = frozenset({"afc", "bsc", "club", "fsv", "ssc", "tsg", "tsv", "vfb", "vfl"})
"""Words that say what a team is and not which one."""
KINDS = {
    "women": "dames damen donne femenil femenina femenino feminin feminina feminine feminines feminino femminile frauen girls "
    "juniorinnen ladies mulheres vrouwen wfc women womens",
    "young": "academy canteras infantil jong jugend junioren juniors juvenil juveniles primavera youth",
    "second": "amateure castilla ii reserve reserves",
    "third": "iii",
}
"""What a team of a club is → the words that say so."""
_ALIKE = {word: kind for kind, said in KINDS.items() for word in said.split()}
OTHER_TEAMS = frozenset(_ALIKE)
"""Words that make the name of a club that of another team of it: its women, its young, its second."""
_AGE = re.compile(r"(?:u|under|sub)[ -]?(\d\d)\b", re.IGNORECASE)
_ENDING = re.compile(r"[\s(](b|2|3|w|c)\)?$", re.IGNORECASE)

_ENDINGS = {"2": "second", "3": "third", "b": "second", "w": "women"}


@lru_cache(8192)
def name_tokens(*names: str | None) -> frozenset[str]:
    """The words of a name that may identify whom it names, in every spelling: `Müller` is `muller` and `mueller`."""
    return frozenset(word for word in words(*names) if len(word) >= SHORTEST and word not in PARTICLES)


@lru_cache(8192)
def spelt_alike(one: str, other: str) -> bool:
    """Whether two words may be one name in two scripts: `sintschenko` and `zinchenko`."""
    return min(len(one), len(other)) >= LONG and SequenceMatcher(None, one, other).ratio() >= ALIKE


def team_tokens(*names: str | None) -> frozenset[str]:
    """The words of a team's names that may identify its club."""
    return frozenset(
        word
        for word in name_tokens(*names)
        if word not in LEGAL_FORMS and word not in OTHER_TEAMS and not _AGE.fullmatch(word)
    )


def which_team(*names: str | None) -> frozenset[str]:
    """What a team's names say of which of its club's teams it is: `{"u19", "women"}`, nothing for the first men's."""
    found = {_ALIKE[word] for word in words(*names) if word in OTHER_TEAMS}
    for name in filter(None, names):
        found.update(f"u{age}" for age in _AGE.findall(name))
        found.update(_ENDINGS.get(last.lower(), last.lower()) for last in _ENDING.findall(name.strip()))
    return frozenset(found)


def share_beginning(these: AbstractSet[str], those: AbstractSet[str]) -> bool:
    """Whether a word of one begins a word of the other: `man` and `manchester`."""
    return any(one.startswith(other) or other.startswith(one) for one in these for other in those)
