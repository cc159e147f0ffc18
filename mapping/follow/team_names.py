"""Whether two names are those of one team: all words that say which club it is are the same, in both directions."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from functools import cache, lru_cache
from importlib.resources import files
from typing import NamedTuple

from mapping.fusion.joined_people import OTHER_TEAMS
from mapping.rules.plain_text import query_words

Spellings = frozenset[str]
"""All ways to write one word of a name."""

_ABBREVIATED = re.compile(r"([^\W\d_]{2,})\.")
_ORDINAL = re.compile(r"^\s*\d{1,2}\.\s*")
_CLASS = re.compile(r"(?:u|under|sub)?\d\d|b|c|w|under|sub")


class _Table(NamedTuple):
    """`forms`: words that say what a club is; `same`: a word → all that mean it; `names`: a whole name → the one that it means."""

    forms: frozenset[str]
    same: dict[str, frozenset[str]]
    names: dict[str, str]
    numbers: frozenset[str]


@cache
def _table() -> _Table:
    """The table of words as it is edited."""
    read = tomllib.loads(files("mapping.follow").joinpath("team_words.toml").read_text(encoding="utf-8"))
    same: dict[str, frozenset[str]] = {}
    for line in read["same"]:
        words = frozenset(line.split())
        for word in words:
            same[word] = same.get(word, frozenset()) | words
    names = {each: one for one, *others in read["names"] for each in others}
    return _Table(frozenset(read["forms"].split()), same, names, frozenset(read["numbers"].split()))


class _Name(NamedTuple):
    """What of a name says which club it is: its words, those of them that are abbreviated, its numbers."""

    words: tuple[Spellings, ...]
    short: frozenset[str]
    numbers: frozenset[str]


@lru_cache(8192)
def _read(name: str) -> _Name:
    table, short = _table(), frozenset(each.casefold() for each in _ABBREVIATED.findall(name))
    named = _named(name)
    whole, bare = (" ".join(group[0] for group in each) for each in (named, _without(table.forms, named)))
    meant = table.names.get(whole) or table.names.get(bare)
    named = named if meant is None else _named(meant)
    numbers = frozenset(group[0] for group in query_words(_ORDINAL.sub("", name)) if group[0].isdigit())
    significant = named if meant is not None else _without(table.forms, named) or named
    spelt = (frozenset(group).union(*(table.same.get(word, ()) for word in group)) for group in significant)
    return _Name(tuple(spelt), short, numbers)


def _without(forms: frozenset[str], named: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    return [group for group in named if forms.isdisjoint(group) and len(group[0]) > 1]


def _named(name: str) -> list[tuple[str, ...]]:
    """The words of a name without numbers, and without those that say which of a club's teams it is."""
    groups = query_words(_ORDINAL.sub("", name))
    kept = [group for group in groups if not group[0].isdigit() and not _CLASS.fullmatch(group[0])]
    return [group for group in kept if OTHER_TEAMS.isdisjoint(group)]


@lru_cache(65_536)
def are_same_team(one: str, other: str) -> bool:
    """Whether both names have the same significant words; which of a club's teams it is they do not say.

    >>> are_same_team("FC Internazionale", "Inter"), are_same_team("Bor. Mönchengladbach", "Borussia Moenchengladbach")
    (True, True)
    >>> are_same_team("Real Madrid", "Atlético Madrid"), are_same_team("TSV 1860 München", "Bayern München")
    (False, False)
    """
    left, right = _read(one), _read(other)
    return _fit(left, right) and _fit(right, left) and _same_numbers(left.numbers, right.numbers)


def share_words(one: str, other: str) -> bool:
    """Whether both names have a significant word in common."""
    left, right = _read(one), _read(other)
    return any(_matched(word, right, left.short) for word in left.words)


def _fit(name: _Name, other: _Name) -> bool:
    """Whether all words of the one are in the other."""
    return bool(name.words) and all(_matched(word, other, name.short) for word in name.words)


def _matched(word: Spellings, other: _Name, short: frozenset[str]) -> bool:
    return any(
        not word.isdisjoint(each) or _shortened(word & short, each) or _shortened(each & other.short, word)
        for each in other.words
    )


def _shortened(short: Iterable[str], word: Spellings) -> bool:
    """Whether the word begins with what an abbreviation has of it."""
    return any(whole.startswith(each) for each in short for whole in word)


def _same_numbers(left: frozenset[str], right: frozenset[str]) -> bool:
    """Whether no number sets the two apart: 04 is 1904."""
    if not left or not right:
        return not (left | right) & _table().numbers
    return all(any(one.endswith(two) or two.endswith(one) for two in right) for one in left)
